//! Times as JSON writes them: microseconds with any number of decimals.

/// Nanoseconds of a number of microseconds; halves of a nanosecond are rounded away from 0. Where
/// there is no exponent the result is exact, as no binary fraction could be.
pub(in crate::json) fn ns_of_us(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let point = digits.iter().position(|byte| *byte == b'.').unwrap_or(digits.len());
    let (whole, fraction) = (&digits[..point], digits.get(point + 1..).unwrap_or_default());
    if whole.is_empty() || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return with_exponent(text);
    }
    let mut ns: i64 = 0;
    let thousandths = (0..3).map(|place| fraction.get(place).copied().unwrap_or(b'0'));
    for digit in whole.iter().copied().chain(thousandths) {
        ns = ns.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
    }
    let up = fraction.get(3).is_some_and(|digit| *digit >= b'5');
    let ns = ns.checked_add(i64::from(up))?;
    Some(if negative { -ns } else { ns })
}

/// The same for all other numbers.
fn with_exponent(text: &[u8]) -> Option<i64> {
    let us: f64 = std::str::from_utf8(text).ok()?.trim().parse().ok()?;
    let ns = (us * 1000.0).round();
    (ns.is_finite() && ns.abs() < i64::MAX as f64).then_some(ns as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        let cases = [
            ("0", Some(0)),
            ("1", Some(1_000)),
            ("-1.5", Some(-1_500)),
            ("3743411222487.063", Some(3_743_411_222_487_063)),
            // A double this large counts in quarters of a microsecond.
            ("1694039968933321.123", Some(1_694_039_968_933_321_123)),
            ("0.0004", Some(0)),
            ("0.0005", Some(1)),
            ("2.", Some(2_000)),
            ("1e3", Some(1_000_000)),
            ("1.5E-3", Some(2)),
            ("9223372036854775.807", Some(i64::MAX)),
            ("9223372036854775.808", None),
            ("1e300", None),
            ("", None),
            (".5", Some(500)),
            ("abc", None),
            ("nan", None),
            ("--1", None),
        ];
        for (text, ns) in cases {
            assert_eq!(ns_of_us(text.as_bytes()), ns, "{text}");
        }
    }
}
