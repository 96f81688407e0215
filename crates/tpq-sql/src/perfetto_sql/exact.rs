//! Comparisons of integers with real constants, and of reals with integer constants, as
//! comparisons within one type with the same result for every value.

use datafusion::sql::sqlparser::ast::BinaryOperator;

/// 2^63, the first real above all integers.
const ABOVE_INTEGERS: f64 = 9_223_372_036_854_775_808.0;

/// A NaN with bits that no calculation gives: the engine compares reals by their bits, so that no
/// value is equal to it.
const NO_REAL: f64 = f64::from_bits(0x7ff8_0000_0000_dead);

/// A comparison of an integer `x` with a real, as one with an integer.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct IntegerBound {
    pub op: BinaryOperator,
    pub value: i64,
}

impl IntegerBound {
    /// True for every integer, and NULL for NULL.
    const ALWAYS: Self = Self { op: BinaryOperator::LtEq, value: i64::MAX };
    /// True for no integer, and NULL for NULL.
    const NEVER: Self = Self { op: BinaryOperator::Gt, value: i64::MAX };

    /// The comparison `x op real`; `None` for NaN and other operators.
    pub(super) fn of(op: &BinaryOperator, real: f64) -> Option<Self> {
        use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        if real.is_nan() {
            return None;
        }
        let in_range = (-ABOVE_INTEGERS..ABOVE_INTEGERS).contains(&real);
        let (below, above) = (real.floor(), real.ceil());
        let bound = |op, value: f64| Self { op, value: value as i64 };
        Some(match op {
            Eq if in_range && below == above => bound(Eq, real),
            NotEq if in_range && below == above => bound(NotEq, real),
            Eq => Self::NEVER,
            NotEq => Self::ALWAYS,
            Lt | LtEq if !in_range => {
                if real > 0.0 {
                    Self::ALWAYS
                } else {
                    Self::NEVER
                }
            }
            Gt | GtEq if !in_range => {
                if real > 0.0 {
                    Self::NEVER
                } else {
                    Self::ALWAYS
                }
            }
            Lt => bound(Lt, above),
            LtEq => bound(LtEq, below),
            Gt => bound(Gt, below),
            GtEq => bound(GtEq, above),
            _ => return None,
        })
    }
}

/// A comparison of a real `x` with an integer, as one with a real.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RealBound {
    pub op: BinaryOperator,
    pub value: f64,
}

impl RealBound {
    /// The comparison `x op integer`; `None` where the integer is a real, so that the engine's own
    /// comparison is exact.
    pub(super) fn of(op: &BinaryOperator, integer: i64) -> Option<Self> {
        use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
        let nearest = integer as f64;
        let exact = nearest < ABOVE_INTEGERS && nearest as i64 == integer;
        if exact {
            return None;
        }
        let is_above = nearest >= ABOVE_INTEGERS || nearest as i64 > integer;
        let (below, above) =
            if is_above { (nearest.next_down(), nearest) } else { (nearest, nearest.next_up()) };
        Some(match op {
            Eq => Self { op: Eq, value: NO_REAL },
            NotEq => Self { op: NotEq, value: NO_REAL },
            Lt | LtEq => Self { op: LtEq, value: below },
            Gt | GtEq => Self { op: GtEq, value: above },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq};

    use super::*;

    #[test]
    fn a_real_between_integers_becomes_the_next_one() {
        let bound = |op: BinaryOperator, real| IntegerBound::of(&op, real);
        let is = |op, value| Some(IntegerBound { op, value });
        assert_eq!(bound(Lt, 2.5), is(Lt, 3));
        assert_eq!(bound(LtEq, 2.5), is(LtEq, 2));
        assert_eq!(bound(Gt, -2.5), is(Gt, -3));
        assert_eq!(bound(GtEq, -2.5), is(GtEq, -2));
        assert_eq!(bound(Eq, 3.0), is(Eq, 3));
        assert_eq!(bound(Eq, 3.5), Some(IntegerBound::NEVER));
        assert_eq!(bound(Lt, 1e30), Some(IntegerBound::ALWAYS));
        assert_eq!(bound(GtEq, -1e30), Some(IntegerBound::ALWAYS));
        // 2^63 is above all integers.
        assert_eq!(bound(Eq, ABOVE_INTEGERS), Some(IntegerBound::NEVER));
    }

    #[test]
    fn an_integer_between_reals_becomes_the_next_one() {
        // 2^53 + 1 lies between the reals 2^53 and 2^53 + 2.
        let odd = (1_i64 << 53) + 1;
        let bound = |op: BinaryOperator| RealBound::of(&op, odd);
        let is = |op, value| Some(RealBound { op, value });
        assert_eq!(bound(Lt), is(LtEq, 9_007_199_254_740_992.0));
        assert_eq!(bound(GtEq), is(GtEq, 9_007_199_254_740_994.0));
        assert!(bound(Eq).is_some_and(|bound| bound.value.is_nan()));
        assert_eq!(RealBound::of(&Eq, 1 << 53), None);
        assert_eq!(RealBound::of(&Gt, i64::MAX), is(GtEq, ABOVE_INTEGERS));
    }
}
