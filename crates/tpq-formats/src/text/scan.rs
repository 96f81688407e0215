//! Parts of lines.

const NS_PER_S: i64 = 1_000_000_000;

/// The lines of a text, each without its end.
pub(crate) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b'\n').map(trim_line)
}

/// A line without the white space at its end.
pub(crate) fn trim_line(line: &[u8]) -> &[u8] {
    line.trim_ascii_end()
}

/// The text before and after the first occurrence of a byte.
pub(crate) fn split_once(text: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let position = memchr::memchr(at, text)?;
    Some((text.get(..position)?, text.get(position + 1..)?))
}

/// The first word of a text, and the text behind it without white space at its start.
pub(crate) fn split_word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end)?;
    (!word.is_empty()).then(|| (word, rest.trim_ascii_start()))
}

/// A number in decimal digits.
pub(crate) fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Seconds with a fraction, such as `12.345`, in ns. Digits below a nanosecond are ignored.
pub(crate) fn seconds(text: &[u8]) -> Option<i64> {
    let (seconds, fraction) = split_once(text, b'.')?;
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if !is_number(seconds) || !is_number(fraction) {
        return None;
    }
    let digits = fraction.iter().chain(std::iter::repeat(&b'0')).take(9);
    let ns = digits.fold(0, |ns, digit| ns * 10 + i64::from(digit - b'0'));
    number::<i64>(seconds)?.checked_mul(NS_PER_S)?.checked_add(ns)
}

/// Bytes as text. Bytes that are no UTF-8 are shown as replacement characters.
pub(crate) fn text_of(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact() {
        assert_eq!(seconds(b"264874.155353"), Some(264_874_155_353_000));
        assert_eq!(seconds(b"1.0000000019"), Some(1_000_000_001));
        for text in ["", "1", "1.", ".5", "1.5x", "-1.5", "9223372036.854775808"] {
            assert_eq!(seconds(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn words_and_lines() {
        assert_eq!(split_word(b"  a  b c"), Some((&b"a"[..], &b"b c"[..])));
        assert_eq!(split_word(b"a"), Some((&b"a"[..], &b""[..])));
        assert_eq!(split_word(b"  "), None);
        assert_eq!(lines(b"a\r\nb \n").collect::<Vec<_>>(), [&b"a"[..], b"b", b""]);
    }
}
