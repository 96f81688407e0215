//! Integer operators with SQLite's results at the limits of the range, where DataFusion's operators
//! wrap or use only some bits of the operand.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, Scalar};
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err, plan_err};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility, lit,
};

use super::conversion::{NUMBER, as_real};
use super::equal_by_name::equal_by_name;
use super::per_row::is_text;
use super::sqlite_call;

/// `-x`: an error for the least integer, because its negative is out of range.
pub(crate) const NEGATIVE: &str = "__negative";
/// `x % y`: NULL if `y` is 0, and 0 if `y` is -1, also for the least integer.
pub(crate) const REMAINDER: &str = "__remainder";
/// `x << y`: shifts by any number of bits, and to the right if `y` is negative.
pub(crate) const SHIFT_LEFT: &str = "__shift_left";
/// `x >> y`: shifts by any number of bits, and to the left if `y` is negative.
pub(crate) const SHIFT_RIGHT: &str = "__shift_right";

/// Computes the result for two integers; `None` is NULL.
type Rule = fn(i64, i64) -> Option<i64>;

/// An operator on two integers.
#[derive(Debug)]
pub(super) struct IntegerOperator {
    name: &'static str,
    rule: Rule,
    signature: Signature,
}

pub(super) fn integer_operators() -> [IntegerOperator; 3] {
    let operator = |name, rule| {
        let signature = Signature::exact(vec![DataType::Int64; 2], Volatility::Immutable);
        IntegerOperator { name, rule, signature }
    };
    [
        operator(REMAINDER, |left, right| (right != 0).then(|| left.wrapping_rem(right))),
        operator(SHIFT_LEFT, |value, bits| Some(shifted_left(value, bits))),
        operator(SHIFT_RIGHT, |value, bits| Some(shifted_left(value, bits.saturating_neg()))),
    ]
}

fn shifted_left(value: i64, bits: i64) -> i64 {
    let count = u32::try_from(bits.unsigned_abs()).unwrap_or(u32::MAX);
    match bits >= 0 {
        true => value.checked_shl(count).unwrap_or(0),
        // An arithmetic shift: the sign fills the free bits.
        false => value >> count.min(63),
    }
}

equal_by_name!(IntegerOperator);

impl ScalarUDFImpl for IntegerOperator {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = &args.args[..] else {
            return exec_err!("{} takes 2 arguments", self.name);
        };
        let constant =
            matches!((left, right), (ColumnarValue::Scalar(_), ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let (left, right) = (left.to_array(rows)?, right.to_array(rows)?);
        let (left, right) = (left.as_primitive::<Int64Type>(), right.as_primitive::<Int64Type>());
        let values = left.iter().zip(right).map(|(left, right)| (self.rule)(left?, right?));
        let array: Int64Array = values.collect();
        match constant {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?)),
            false => Ok(ColumnarValue::Array(Arc::new(array))),
        }
    }
}

/// See [`NEGATIVE`].
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Negative {
    signature: Signature,
}

impl Default for Negative {
    fn default() -> Self {
        Self { signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Negative {
    fn name(&self) -> &str {
        NEGATIVE
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(match types {
            [DataType::Boolean | DataType::Null] => DataType::Int64,
            [integer] if integer.is_integer() => DataType::Int64,
            [text] if is_text(text) || text.is_binary() => DataType::Float64,
            [other] => other.clone(),
            _ => return plan_err!("`-` takes 1 operand"),
        })
    }

    /// Replaces the call by DataFusion's operator if the operand is not an integer.
    fn simplify(&self, mut args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let Some(arg) = args.pop() else { return Ok(ExprSimplifyResult::Original(args)) };
        let data_type = info.get_data_type(&arg)?;
        if data_type == DataType::Float64 {
            return Ok(ExprSimplifyResult::Simplified(Expr::Negative(Box::new(arg))));
        }
        if is_text(&data_type) || data_type.is_binary() {
            // Text that is not a number gives 0 and not -0.
            let number = sqlite_call(NUMBER, arg);
            return Ok(ExprSimplifyResult::Simplified(lit(0.0) - number));
        }
        if self.return_type(&[data_type])? != DataType::Int64 {
            return Ok(ExprSimplifyResult::Simplified(Expr::Negative(Box::new(arg))));
        }
        Ok(ExprSimplifyResult::Original(vec![arg]))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [operand] = &args.args[..] else { return exec_err!("`-` takes 1 operand") };
        let constant = matches!(operand, ColumnarValue::Scalar(_));
        let operand = operand.to_array(if constant { 1 } else { args.number_rows })?;
        // Constants are evaluated before `simplify` sees the call, so all types occur here.
        let negative = match operand.data_type() {
            DataType::Boolean | DataType::Null => negated(&operand)?,
            integer if integer.is_integer() => negated(&operand)?,
            text if is_text(text) || text.is_binary() => {
                let zero = Scalar::new(Float64Array::from(vec![0.0]));
                numeric::sub(&zero, &as_real(operand, &args.config_options)?)?
            }
            _ => numeric::neg(&operand)?,
        };
        match constant {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&negative, 0)?)),
            false => Ok(ColumnarValue::Array(negative)),
        }
    }
}

fn negated(integers: &ArrayRef) -> Result<ArrayRef> {
    let integers = cast(integers, &DataType::Int64)?;
    let integers = integers.as_primitive::<Int64Type>();
    match integers.try_unary::<_, Int64Type, ()>(|value| value.checked_neg().ok_or(())) {
        Ok(negative) => Ok(Arc::new(negative)),
        Err(()) => exec_err!("integer overflow in -({}): use -CAST(x AS REAL)", i64::MIN),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::Field;
    use datafusion::config::ConfigOptions;

    use super::*;

    #[test]
    fn the_negative_of_a_constant_has_the_declared_type() {
        let negative = |value: ScalarValue| {
            let function = Negative::default();
            let data_type = function.return_type(&[value.data_type()]).unwrap();
            let args = ScalarFunctionArgs {
                args: vec![ColumnarValue::Scalar(value)],
                arg_fields: vec![],
                number_rows: 1,
                return_field: Arc::new(Field::new("", data_type, true)),
                config_options: Arc::new(ConfigOptions::new()),
            };
            match function.invoke_with_args(args).unwrap() {
                ColumnarValue::Scalar(value) => value,
                ColumnarValue::Array(_) => panic!("a constant became an array"),
            }
        };
        let real = |value| ScalarValue::Float64(Some(value));
        assert_eq!(negative(real(1.5)), real(-1.5));
        assert_eq!(negative(ScalarValue::Float64(None)), ScalarValue::Float64(None));
        assert_eq!(negative(ScalarValue::Utf8View(Some("1.5x".into()))), real(-1.5));
        assert_eq!(negative(ScalarValue::Utf8(Some("x".into()))), real(0.0));
        assert_eq!(negative(ScalarValue::Binary(Some(b"2".to_vec()))), real(-2.0));
        assert_eq!(negative(ScalarValue::Boolean(Some(true))), ScalarValue::Int64(Some(-1)));
        assert_eq!(negative(ScalarValue::Int32(Some(7))), ScalarValue::Int64(Some(-7)));
        assert_eq!(negative(ScalarValue::Null), ScalarValue::Int64(None));
    }

    #[test]
    fn shifts_accept_any_number_of_bits() {
        let shifted =
            [(1, 64), (1, 63), (-1, -64), (-1, -1), (5, -1), (-8, i64::MIN), (1, i64::MAX)];
        let shifted = shifted.map(|(value, bits)| shifted_left(value, bits));
        assert_eq!(shifted, [0, i64::MIN, -1, -1, 2, -1, 0]);
    }
}
