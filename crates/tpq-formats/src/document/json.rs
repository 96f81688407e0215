//! JSON with values that are read where they stand, without a tree of all of them.

use std::borrow::Cow;

use sonic_rs::LazyValue;

use super::json_scan::{Members, elements, too_deep, unescaped, visit_elements};

/// The deepest nesting of a document. The parser calls itself for each level. Heap profiles have
/// two levels for each of 128 functions, and a few more.
const MOST_DEPTH: usize = 512;

/// A value in a document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'a>(&'a [u8]);

/// The position of an error in a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct JsonError {
    /// The byte, from 0.
    pub(crate) at: usize,
    /// The error.
    pub(crate) what: &'static str,
}

impl<'a> Json<'a> {
    /// A document, once all of it is known to be JSON.
    ///
    /// # Errors
    /// When the text is no JSON, or nests too deeply.
    pub(crate) fn document(text: &'a [u8]) -> Result<Self, JsonError> {
        if let Some(at) = too_deep(text, MOST_DEPTH) {
            return Err(JsonError { at, what: "this nests deeper than 512 levels" });
        }
        // The parser takes its input for UTF-8.
        if let Err(error) = std::str::from_utf8(text) {
            return Err(JsonError { at: error.valid_up_to(), what: "this is no valid UTF-8" });
        }
        match sonic_rs::from_slice::<LazyValue<'_>>(text) {
            Ok(_) => Ok(Self(text)),
            Err(error) => Err(JsonError { at: error.offset(), what: "this is no valid JSON" }),
        }
    }

    /// A value that is known to be JSON.
    pub(crate) fn of_part(text: &'a [u8]) -> Self {
        Self(text)
    }

    /// The text of the value.
    pub(crate) fn raw(self) -> &'a [u8] {
        self.0
    }

    /// The member of an object with that key; NULL where there is none.
    pub(crate) fn get(self, key: &str) -> Self {
        let [value] = self.pick([key]);
        value
    }

    /// The member of an object with that key, for its elements or members alone: its end is not
    /// searched, so that its text goes on behind it.
    pub(crate) fn enter(self, key: &str) -> Self {
        Self(Members::of(self.0).enter(key).unwrap_or(b"null"))
    }

    /// Visits the elements of nested arrays. The first key leads to an array of objects, in which
    /// the next key does so, and the last key to the array of the elements.
    pub(crate) fn for_each<const N: usize>(self, path: [&str; N], mut visit: impl FnMut(Self)) {
        visit_elements(self.0, 0, &path, &mut |element| visit(Self(element)));
    }

    /// The members of an object with these keys, each NULL where there is none. The first of several
    /// members of a key counts.
    pub(crate) fn pick<const N: usize>(self, keys: [&str; N]) -> [Self; N] {
        let mut found = [None; N];
        let mut left = N;
        for (key, value) in Members::of(self.0) {
            let at = keys.iter().position(|it| it.as_bytes() == key).or_else(|| {
                let key = key.contains(&b'\\').then(|| unescaped(key))?;
                keys.iter().position(|it| it.as_bytes() == &*key)
            });
            let Some(at) = at else { continue };
            let Some(slot) = found.get_mut(at).filter(|slot| slot.is_none()) else { continue };
            *slot = Some(Self(value));
            left -= 1;
            if left == 0 {
                break;
            }
        }
        found.map(|value| value.unwrap_or(Self(b"null")))
    }

    /// The members of an object; none of any other value.
    pub(crate) fn members(self) -> impl Iterator<Item = (Cow<'a, str>, Self)> {
        Members::of(self.0).map(|(key, value)| {
            let key = match unescaped(key) {
                Cow::Borrowed(key) => String::from_utf8_lossy(key),
                Cow::Owned(key) => Cow::Owned(String::from_utf8_lossy(&key).into_owned()),
            };
            (key, Self(value))
        })
    }

    /// The elements of an array; none of any other value.
    pub(crate) fn elements(self) -> impl Iterator<Item = Self> {
        elements(self.0).map(Self)
    }

    /// Whether it is NULL, or absent.
    pub(crate) fn is_null(self) -> bool {
        self.0.trim_ascii() == b"null"
    }

    /// A string.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        let inside = self.0.trim_ascii().strip_prefix(b"\"")?.strip_suffix(b"\"")?;
        match inside.contains(&b'\\') {
            false => Some(match std::str::from_utf8(inside) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => String::from_utf8_lossy(inside),
            }),
            true => sonic_rs::from_slice::<String>(self.0).ok().map(Cow::Owned),
        }
    }

    /// A number.
    pub(crate) fn real(self) -> Option<f64> {
        let text = self.0.trim_ascii();
        if let Some(number) = short_real(text) {
            return Some(number);
        }
        let text = std::str::from_utf8(text).ok()?;
        let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        is_number.then(|| text.parse().ok())?.filter(|number: &f64| number.is_finite())
    }

    /// A whole number, or a number in a string.
    pub(crate) fn int(self) -> Option<i64> {
        let text = self.0.trim_ascii();
        let text = text.strip_prefix(b"\"").and_then(|it| it.strip_suffix(b"\"")).unwrap_or(text);
        if let Some(number) = short_int(text) {
            return Some(number);
        }
        let text = std::str::from_utf8(text).ok()?;
        text.parse().ok().or_else(|| {
            let number: f64 = text.parse().ok()?;
            let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
            is_whole.then_some(number as i64)
        })
    }

    /// A whole number that counts something.
    pub(crate) fn index(self) -> Option<usize> {
        self.int().and_then(|index| usize::try_from(index).ok())
    }

    /// Nanoseconds of a number of units of `unit` ns.
    pub(crate) fn ns(self, unit: f64) -> Option<i64> {
        let ns = (self.real()? * unit).round();
        (ns.abs() < i64::MAX as f64).then_some(ns as i64)
    }
}

/// A number of at most 15 digits without an exponent. A quotient of two numbers that are exact is
/// rounded correctly.
fn short_real(text: &[u8]) -> Option<f64> {
    const MOST_DIGITS: usize = 15;
    const POWERS: [f64; MOST_DIGITS + 1] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (is_negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.len() > MOST_DIGITS || !digits.first()?.is_ascii_digit() {
        return None;
    }
    let (mut number, mut point) = (0_u64, None);
    for (index, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => number = number * 10 + u64::from(byte - b'0'),
            b'.' if point.is_none() => point = Some(index),
            _ => return None,
        }
    }
    let behind_point = point.map_or(0, |point| digits.len() - 1 - point);
    let real = number as f64 / POWERS.get(behind_point)?;
    Some(if is_negative { -real } else { real })
}

/// A whole number of a few digits.
fn short_int(text: &[u8]) -> Option<i64> {
    const MOST_DIGITS: usize = 18;
    if text.is_empty() || text.len() > MOST_DIGITS {
        return None;
    }
    text.iter().try_fold(0_i64, |number, &byte| {
        byte.is_ascii_digit().then(|| number * 10 + i64::from(byte - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_document() {
        let text = br#" {"a": [1, -2.5, "x\n\u00e9", null, "12"], "b": {"c": 3e2}} "#;
        let document = Json::document(text).unwrap_or(Json(b"null"));
        let elements: Vec<Json<'_>> = document.get("a").elements().collect();
        assert_eq!(
            elements.iter().map(|it| it.int()).collect::<Vec<_>>(),
            [Some(1), None, None, None, Some(12)]
        );
        assert_eq!(elements[1].real(), Some(-2.5));
        assert_eq!(elements[2].text().as_deref(), Some("x\n\u{e9}"));
        assert!(elements[3].is_null() && document.get("x").is_null());
        assert_eq!(document.get("b").get("c").index(), Some(300));
        assert_eq!(document.get("b").get("c").ns(1e6), Some(300_000_000));
        assert_eq!(document.get("b").elements().count(), 0);
        assert_eq!(document.get("a").members().count(), 0);
    }

    #[test]
    fn members_by_their_keys() {
        let object = Json::of_part(br#"{"b":[1,{"a":2}],"a":"}","a":3,"\u0063":"]\"," , "d":{}}"#);
        let [a, b, c, missing] = object.pick(["a", "b", "c", "x"]);
        assert_eq!(a.text().as_deref(), Some("}"));
        assert_eq!(b.raw(), br#"[1,{"a":2}]"#);
        assert_eq!(c.text().as_deref(), Some("]\","));
        assert!(missing.is_null());
        let keys: Vec<String> = object.members().map(|(key, _)| key.into_owned()).collect();
        assert_eq!(keys, ["b", "a", "a", "c", "d"]);
    }

    #[test]
    fn numbers_are_those_of_the_standard_library() {
        for text in [
            "0",
            "-0",
            "7",
            "-2.5",
            "0.1",
            "1.003",
            "123456.789012",
            "999999999999999",
            "0.00001",
            "99999999999.999",
            "1e3",
            "-1.5E-2",
            "9007199254740993",
            "0.1234567890123456",
            "1e999",
        ] {
            let real: f64 = text.parse().unwrap_or(f64::INFINITY);
            let read = Json::of_part(text.as_bytes()).real();
            assert_eq!(read.map(f64::to_bits), real.is_finite().then(|| real.to_bits()), "{text}");
        }
        for text in ["", ".5", "x", "null", "+1", "1.2.3", "--1", "\"1\""] {
            assert_eq!(Json::of_part(text.as_bytes()).real(), None, "{text}");
        }
        let int = |text: &str| Json::of_part(text.as_bytes()).int();
        assert_eq!(int("999999999999999999"), Some(999_999_999_999_999_999));
        assert_eq!(int("\"9223372036854775807\""), Some(i64::MAX));
        assert_eq!([int("-5"), int("3e2"), int(" 12 ")], [Some(-5), Some(300), Some(12)]);
        assert_eq!([int("9223372036854775808"), int("1.5"), int(""), int("-")], [None; 4]);
    }

    #[test]
    fn members_that_are_entered() {
        let document = Json::of_part(br#"{"b": {"a": 1}, "a": [{"c": 2}, 3], "d": [4]}"#);
        let elements: Vec<&[u8]> = document.enter("a").elements().map(Json::raw).collect();
        assert_eq!(elements, [&br#"{"c": 2}"#[..], b"3"]);
        assert_eq!(document.enter("b").get("a").int(), Some(1));
        assert_eq!(document.enter("b").get("d").int(), None);
        assert_eq!(document.enter("x").elements().count(), 0);
    }

    #[test]
    fn damage_has_a_position() {
        let error = |text: &[u8]| Json::document(text).err();
        assert_eq!(error(b"{\"a\": 1, x}").map(|error| error.what), Some("this is no valid JSON"));
        assert!(error(b"").is_some());
        let deep = "[".repeat(1_000_000);
        assert_eq!(error(deep.as_bytes()).map(|error| error.at), Some(512));
    }
}
