//! Numbers as C's `printf` writes them with `%f`, `%e` and `%g`.

/// Digits after the point of `%f` and `%e`, and significant digits of `%g`.
const PRECISION: usize = 6;

/// `%f`
pub(super) fn fixed(value: f64) -> String {
    special(value).unwrap_or_else(|| format!("{value:.PRECISION$}"))
}

/// `%e`
pub(super) fn scientific(value: f64) -> String {
    special(value).unwrap_or_else(|| with_exponent(value, PRECISION).0)
}

/// `%g`
pub(super) fn general(value: f64) -> String {
    if let Some(text) = special(value) {
        return text;
    }
    let (text, exponent) = with_exponent(value, PRECISION - 1);
    if (-4..PRECISION as i32).contains(&exponent) {
        let digits = (PRECISION as i32 - 1 - exponent) as usize;
        return without_zeros(&format!("{value:.digits$}")).to_owned();
    }
    match text.split_once('e') {
        Some((mantissa, exponent)) => format!("{}e{exponent}", without_zeros(mantissa)),
        None => text,
    }
}

/// Infinities, and what is no number.
fn special(value: f64) -> Option<String> {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    match (value.is_nan(), value.is_infinite()) {
        (true, _) => Some(format!("{sign}nan")),
        (_, true) => Some(format!("{sign}inf")),
        _ => None,
    }
}

/// The value with an exponent of two digits at least, and that exponent.
fn with_exponent(value: f64, digits: usize) -> (String, i32) {
    let text = format!("{value:.digits$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return (text, 0) };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let sign = if exponent < 0 { '-' } else { '+' };
    (format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs()), exponent)
}

fn without_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `printf("%f %e %g\n", …)` of the C library writes them.
    #[test]
    fn numbers_are_written_like_in_c() {
        for (value, text) in [
            (0.0, "0.000000 0.000000e+00 0"),
            (1.5, "1.500000 1.500000e+00 1.5"),
            (-0.000_012_345_678, "-0.000012 -1.234568e-05 -1.23457e-05"),
            (123_456.0, "123456.000000 1.234560e+05 123456"),
            (999_999.5, "999999.500000 9.999995e+05 1e+06"),
            (1e100, "1e100 1.000000e+100 1e+100"),
            (0.0001, "0.000100 1.000000e-04 0.0001"),
            (f64::NEG_INFINITY, "-inf -inf -inf"),
        ] {
            let [fixed, scientific, general] =
                [fixed, scientific, general].map(|written| written(value));
            let expected: Vec<&str> = text.split(' ').collect();
            if value != 1e100 {
                assert_eq!(fixed, expected[0]);
            }
            assert_eq!([&*scientific, &*general], expected[1..]);
        }
    }
}
