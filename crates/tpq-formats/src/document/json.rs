//! JSON with values that are read where they stand, without a tree of all of them.

use std::borrow::Cow;

use sonic_rs::LazyValue;

use super::json_scan::{Members, elements, too_deep};

/// The deepest nesting of a document. The parser calls itself for each level. Heap profiles have two
/// levels for each of 128 functions, and a few more.
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

    /// The members of an object with these keys, each NULL where there is none. The first of several
    /// members of a key counts.
    pub(crate) fn pick<const N: usize>(self, keys: [&str; N]) -> [Self; N] {
        let mut found = [None; N];
        let mut left = N;
        for (key, value) in Members::of(self.0) {
            let key = unescaped(key);
            let Some(at) = keys.iter().position(|it| it.as_bytes() == &*key) else { continue };
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
            false => Some(String::from_utf8_lossy(inside)),
            true => sonic_rs::from_slice::<String>(self.0).ok().map(Cow::Owned),
        }
    }

    /// A number.
    pub(crate) fn real(self) -> Option<f64> {
        let text = std::str::from_utf8(self.0.trim_ascii()).ok()?;
        let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        is_number.then(|| text.parse().ok())?.filter(|number: &f64| number.is_finite())
    }

    /// A whole number, or a number in a string.
    pub(crate) fn int(self) -> Option<i64> {
        let text = self.0.trim_ascii();
        let text = text.strip_prefix(b"\"").and_then(|it| it.strip_suffix(b"\"")).unwrap_or(text);
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

/// The text of a key between its quotes.
fn unescaped(key: &[u8]) -> Cow<'_, [u8]> {
    if !key.contains(&b'\\') {
        return Cow::Borrowed(key);
    }
    let quoted = [&b"\""[..], key, b"\""].concat();
    match sonic_rs::from_slice::<String>(&quoted) {
        Ok(key) => Cow::Owned(key.into_bytes()),
        Err(_) => Cow::Borrowed(key),
    }
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
    fn damage_has_a_position() {
        let error = |text: &[u8]| Json::document(text).err();
        assert_eq!(error(b"{\"a\": 1, x}").map(|error| error.what), Some("this is no valid JSON"));
        assert!(error(b"").is_some());
        let deep = "[".repeat(1_000_000);
        assert_eq!(error(deep.as_bytes()).map(|error| error.at), Some(512));
    }
}
