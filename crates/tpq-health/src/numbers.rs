//! Numbers as text.

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a moment in ns since the start, in a unit that fits a recording of `length` ns.
pub(crate) fn moment(ns: i64, length: i64) -> String {
    match length {
        length if length >= 1_000_000_000 => format!("{:.3} s", ns as f64 / 1e9),
        length if length >= 1_000_000 => format!("{:.3} ms", ns as f64 / 1e6),
        _ => format!("{ns} ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn moments_have_the_unit_of_the_recording() {
        assert_eq!(moment(5, 100), "5 ns");
        assert_eq!(moment(1_500_000, 3_000_000), "1.500 ms");
        assert_eq!(moment(0, 2_000_000_000), "0.000 s");
    }
}
