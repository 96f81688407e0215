//! Conversion between numbers and text by SQLite's rules.

/// The length in bytes of the number at the start of a text, including blanks before it, and
/// whether it is an integer. The length is 0 if there is no number.
fn number_prefix(text: &str) -> (usize, bool) {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut start = 0;
    while bytes.get(start).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == 0x0b) {
        start += 1;
    }
    let signed = start + usize::from(matches!(bytes.get(start), Some(b'+' | b'-')));
    let whole = digits(signed);
    let mut end = whole;
    let mut has_digits = whole > signed;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        has_digits |= fraction > end + 1;
        end = fraction;
    }
    if !has_digits {
        return (0, true);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(sign);
        if exponent > sign {
            end = exponent;
        }
    }
    (end, end == whole)
}

/// The real at the start of a text, and whether it is the whole text.
pub(crate) fn real_prefix(text: &str) -> (f64, bool) {
    let (end, _) = number_prefix(text);
    let number = text.get(..end).unwrap_or_default().trim();
    let whole = end > 0 && text.get(end..).unwrap_or_default().trim().is_empty();
    (number.parse().unwrap_or(0.0), whole)
}

/// The number at the start of a text, if it is an integer of 64 bits; 0 if there is none.
pub(super) fn integer_at_start(text: &str) -> Option<i64> {
    match number_prefix(text) {
        (0, _) => Some(0),
        (end, true) => text.get(..end)?.trim().parse().ok(),
        _ => None,
    }
}

/// The integer at the start of a text; 0 if there is none.
pub(crate) fn integer_prefix(text: &str) -> i64 {
    let text = text.trim_start();
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1_i128, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit);
    let value = digits.fold(0_i128, |value, digit| {
        (value * 10 + i128::from(digit - b'0')).min(i128::from(u64::MAX))
    });
    let clamped = (sign * value).clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    i64::try_from(clamped).unwrap_or_default()
}

/// The integer that is the whole text; `None` if the text is something else.
pub(crate) fn whole_integer(text: &str) -> Option<i64> {
    let (end, integer) = number_prefix(text);
    let rest = text.get(end..).unwrap_or_default();
    (end > 0 && integer && rest.trim().is_empty()).then(|| text.trim().parse().ok())?
}

/// Formats a real with 15 significant digits, or with 17 if 15 do not give the same number when
/// read; always with a decimal point.
pub(crate) fn real_text(value: f64) -> String {
    if value.is_nan() {
        return String::new();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Inf" } else { "-Inf" }.into();
    }
    if value == 0.0 {
        return "0.0".into();
    }
    let short = general(value, 15, true, false);
    if short.parse() != Ok(value) {
        return general(value, 17, true, false);
    }
    // A number with up to 17 digits before the point is formatted with all digits.
    if (1e15..1e17).contains(&value.abs()) { format!("{value:.1}") } else { short }
}

/// Formats a number like C's `%g`, with `digits` significant digits. With `point`, the result
/// always has a decimal point; with `keep_zeros`, zeros at the end stay.
pub(super) fn general(value: f64, digits: usize, point: bool, keep_zeros: bool) -> String {
    let digits = digits.max(1);
    let scientific = scientific(value, digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let tidy = |text: &str| {
        let mut text = text.to_owned();
        if text.contains('.') && !keep_zeros {
            text.truncate(text.trim_end_matches('0').len());
        }
        if point && !text.contains('.') {
            text.push('.');
        }
        if text.ends_with('.') {
            if point && !keep_zeros {
                text.push('0');
            } else if !keep_zeros {
                text.pop();
            }
        }
        text
    };
    if exponent < -4 || exponent >= i32::try_from(digits).unwrap_or(i32::MAX) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", tidy(mantissa), exponent.abs());
    }
    let decimals = usize::try_from(i32::try_from(digits).unwrap_or(i32::MAX) - 1 - exponent);
    tidy(&fixed(value, decimals.unwrap_or(0)))
}

/// The number of digits to format; no real has more, so digits after them are 0. The standard
/// library formats at most 65,535.
const MAX_DIGITS: usize = 1_100;

/// Formats a number with `decimals` decimals.
fn fixed(value: f64, decimals: usize) -> String {
    let mut text = format!("{value:.*}", decimals.min(MAX_DIGITS));
    if value.is_finite() {
        text.extend(std::iter::repeat_n('0', decimals.saturating_sub(MAX_DIGITS)));
    }
    text
}

/// Formats a number as `d.ddde±x`, with `decimals` digits after the point.
pub(super) fn scientific(value: f64, decimals: usize) -> String {
    let text = format!("{value:.*e}", decimals.min(MAX_DIGITS));
    match text.split_once('e') {
        Some((mantissa, exponent)) if decimals > MAX_DIGITS => {
            format!("{mantissa}{}e{exponent}", "0".repeat(decimals - MAX_DIGITS))
        }
        _ => text,
    }
}

/// Formats a number with `decimals` decimals, of at most `most` significant digits; halves are
/// rounded away from 0. As in SQLite, 18 digits of the number count.
pub(super) fn rounded(value: f64, decimals: usize, most: usize) -> String {
    if !value.is_finite() {
        return fixed(value, decimals);
    }
    let scientific = scientific(value.abs(), 17);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let mut digits: Vec<u8> =
        mantissa.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    let wanted = exponent + 1 + i64::try_from(decimals).unwrap_or(i64::MAX);
    let Ok(wanted) = usize::try_from(wanted) else { return fixed(0.0, decimals) };
    let wanted = wanted.min(most);
    let mut exponent = exponent;
    if wanted < digits.len() {
        let round_up = digits[wanted] >= 5;
        digits.truncate(wanted);
        if round_up {
            let mut at = wanted;
            loop {
                if at == 0 {
                    digits.insert(0, 1);
                    exponent += 1;
                    break;
                }
                at -= 1;
                if digits[at] < 9 {
                    digits[at] += 1;
                    break;
                }
                digits[at] = 0;
            }
        }
    }
    let digit = |power: i64| -> char {
        let index = usize::try_from(exponent - power).ok();
        let digit = index.and_then(|index| digits.get(index)).copied().unwrap_or(0);
        char::from(b'0' + digit)
    };
    let mut text = String::new();
    if value < 0.0 {
        text.push('-');
    }
    text.extend((0..=exponent.max(0)).rev().map(digit));
    if decimals > 0 {
        text.push('.');
        text.extend((1..=i64::try_from(decimals).unwrap_or(0)).map(|decimal| digit(-decimal)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_are_formatted_with_a_point() {
        let found = [1.0, 0.1, 1e20, 1e-5, 1.0 / 3.0, 123456789.123, 1e15, -2.5].map(real_text);
        let wanted = [
            "1.0",
            "0.1",
            "1.0e+20",
            "1.0e-05",
            "0.33333333333333331",
            "123456789.123",
            "1000000000000000.0",
            "-2.5",
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn numbers_are_read_from_the_beginning_of_text() {
        assert_eq!(real_prefix("1.5abc"), (1.5, false));
        assert_eq!(real_prefix(" 12 "), (12.0, true));
        assert_eq!(real_prefix("5e+"), (5.0, false));
        assert_eq!(real_prefix("abc"), (0.0, false));
        assert_eq!(integer_prefix("-7.9"), -7);
        assert_eq!(integer_prefix("99999999999999999999"), i64::MAX);
        assert_eq!(whole_integer(" 12 "), Some(12));
        assert_eq!(whole_integer("1.0"), None);
    }
}
