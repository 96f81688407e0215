//! JSON that an event carries, flattened into args.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use tpq_tables::{StringId, StringPool};

use crate::args::{ArgSet, ArgValue};

/// Largest depth of nesting. Deeper values, and everything after them, are dropped.
const MAX_DEPTH: usize = 128;
/// Keys may take this many bytes for each byte of JSON, and [`SMALL`] more: a long name around many
/// values would otherwise be repeated without end.
const KEYS_PER_BYTE: usize = 64;
/// See [`KEYS_PER_BYTE`].
const SMALL: usize = 1 << 16;
/// Keys take no more bytes than this.
const MOST_KEYS: usize = 16 << 20;

/// JSON that could be read in part at most; what was before the damage is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Malformed;

/// Adds the values of a JSON text under a key, given without and with array positions, and returns
/// whether there were any.
///
/// Members of objects are joined by dots, as they are written; elements of arrays that are not null
/// are numbered in the longer key, from where an earlier array of the same key ended. Whole numbers
/// that fit are ints, others reals; null is nothing.
pub fn add_json(
    json: &[u8],
    flat_key: &str,
    key: &str,
    strings: &mut StringPool,
    args: &mut ArgSet,
) -> Result<bool, Malformed> {
    let text = as_text(json);
    let mut flattening = Flattening {
        flat: with_room(flat_key),
        full: with_room(key),
        depth: 0,
        left: most_keys(&text),
        added: false,
        strings,
        args,
    };
    let mut json = sonic_rs::Deserializer::from_str(&text).utf8_lossy();
    match Flatten(&mut flattening).deserialize(&mut json) {
        Ok(_) => Ok(flattening.added),
        Err(_) => Err(Malformed),
    }
}

/// Finds out what [`add_json`] would of the same text and an empty set, without its values: whether
/// all of it can be read. `strings` and `args` are scratch memory, for what is unusual.
pub(crate) fn check_json(
    json: &[u8],
    key: &str,
    strings: &mut StringPool,
    args: &mut ArgSet,
) -> Result<(), Malformed> {
    let text = as_text(json);
    let mut walk = Walk {
        key: key.len(),
        // No array has more elements than the text has bytes.
        position: BRACKETS + text.len().checked_ilog10().map_or(1, |digits| digits as usize + 1),
        depth: 0,
        left: most_keys(&text),
    };
    let mut json_text = sonic_rs::Deserializer::from_str(&text).utf8_lossy();
    match Step(&mut walk).deserialize(&mut json_text) {
        Ok(()) => Ok(()),
        // Keys may be shorter than they were taken to be.
        Err(_) => add_json(json, key, key, strings, args).map(drop),
    }
}

/// JSON as text: nearly all is UTF-8, of which nothing is to be replaced, and to see that takes
/// less time.
fn as_text(json: &[u8]) -> Cow<'_, str> {
    str::from_utf8(json).map_or_else(|_| String::from_utf8_lossy(json), Cow::Borrowed)
}

/// The bytes that keys may take in all.
fn most_keys(text: &str) -> usize {
    SMALL.saturating_add(text.len().saturating_mul(KEYS_PER_BYTE)).min(MOST_KEYS)
}

/// A key, with room for the names of most members: it would otherwise grow a few times for each
/// text.
fn with_room(key: &str) -> String {
    const ROOM: usize = 128;
    let mut roomy = String::with_capacity(key.len() + ROOM);
    roomy.push_str(key);
    roomy
}

/// The state of flattening: the current key, and the set that values are added to.
struct Flattening<'a> {
    /// The key without array positions.
    flat: String,
    /// The key with them.
    full: String,
    depth: usize,
    /// Bytes left for keys.
    left: usize,
    added: bool,
    strings: &'a mut StringPool,
    args: &'a mut ArgSet,
}

impl Flattening<'_> {
    fn add<E: Error>(&mut self, value: ArgValue) -> Result<ElementKind, E> {
        self.left = self.left.checked_sub(self.full.len()).ok_or_else(|| E::custom("long keys"))?;
        let key = self.strings.intern(&self.full);
        // Positions only ever make a key longer.
        let flat_key = match self.flat.len() == self.full.len() {
            true => key,
            false => self.strings.intern(&self.flat),
        };
        self.args.add_keyed(flat_key, key, value);
        self.added = true;
        Ok(ElementKind::Value)
    }

    fn enter<E: Error>(&mut self) -> Result<(), E> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => Err(E::custom("nested too deeply")),
            false => Ok(()),
        }
    }

    fn array_key<E: Error>(&mut self) -> Result<StringId, E> {
        self.left = self.left.checked_sub(self.full.len()).ok_or_else(|| E::custom("long keys"))?;
        Ok(self.strings.intern(&self.full))
    }
}

/// Whether a value is an element of the array around it: `null` takes no position.
enum ElementKind {
    Null,
    Value,
}

/// One value, flattened under the key in force.
struct Flatten<'a, 'b>(&'a mut Flattening<'b>);

impl<'de> DeserializeSeed<'de> for Flatten<'_, '_> {
    type Value = ElementKind;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<ElementKind, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Flatten<'_, '_> {
    type Value = ElementKind;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<ElementKind, E> {
        Ok(ElementKind::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<ElementKind, E> {
        self.0.add(ArgValue::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<ElementKind, E> {
        self.0.add(ArgValue::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<ElementKind, E> {
        self.0.add(match i64::try_from(value) {
            Ok(value) => ArgValue::Int(value),
            Err(_) => ArgValue::Real(value as f64),
        })
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<ElementKind, E> {
        self.0.add(ArgValue::Real(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<ElementKind, E> {
        let value = self.0.strings.intern(value);
        self.0.add(ArgValue::String(value))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<ElementKind, A::Error> {
        let Self(at) = self;
        at.enter()?;
        let (flat, full) = (at.flat.len(), at.full.len());
        while members.next_key_seed(Name(at))?.is_some() {
            members.next_value_seed(Flatten(at))?;
            at.flat.truncate(flat);
            at.full.truncate(full);
        }
        at.depth -= 1;
        Ok(ElementKind::Value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<ElementKind, A::Error> {
        let Self(at) = self;
        at.enter()?;
        let array = at.array_key()?;
        let full = at.full.len();
        let mut index = at.args.elements(array);
        loop {
            push_position(&mut at.full, index);
            let element = elements.next_element_seed(Flatten(at));
            at.full.truncate(full);
            match element {
                Ok(Some(ElementKind::Value)) => index += 1,
                Ok(Some(ElementKind::Null)) => {}
                Ok(None) => break,
                Err(error) => {
                    at.args.set_elements(array, index);
                    return Err(error);
                }
            }
        }
        at.args.set_elements(array, index);
        at.depth -= 1;
        Ok(ElementKind::Value)
    }
}

/// Appends the position of an array's element.
fn push_position(key: &mut String, index: usize) {
    key.push('[');
    let mut unit = 1;
    while index / unit >= 10 {
        unit *= 10;
    }
    while unit > 0 {
        key.push(char::from(b'0' + (index / unit % 10) as u8));
        unit /= 10;
    }
    key.push(']');
}

/// The name of a member, which goes to the ends of both keys.
struct Name<'a, 'b>(&'a mut Flattening<'b>);

impl<'de> DeserializeSeed<'de> for Name<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        let Self(at) = self;
        for key in [&mut at.flat, &mut at.full] {
            key.push('.');
            key.push_str(name);
        }
        Ok(())
    }
}

/// Bytes around the position of an element in a key.
const BRACKETS: usize = 2;

/// A walk over JSON that keeps nothing but lengths.
struct Walk {
    /// Length of the current key, or more.
    key: usize,
    /// Largest length of the position of an element in a key.
    position: usize,
    depth: usize,
    /// Bytes left for keys.
    left: usize,
}

impl Walk {
    /// Notes that the key is written once.
    fn note_key<E: Error>(&mut self) -> Result<(), E> {
        self.left = self.left.checked_sub(self.key).ok_or_else(|| E::custom("long keys"))?;
        Ok(())
    }

    fn enter<E: Error>(&mut self) -> Result<(), E> {
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => Err(E::custom("nested too deeply")),
            false => Ok(()),
        }
    }
}

/// One value of a walk. It takes the values that [`Flatten`] takes.
struct Step<'a>(&'a mut Walk);

impl<'de> DeserializeSeed<'de> for Step<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Step<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.0.note_key()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.0.note_key()
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.0.note_key()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.0.note_key()
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.0.note_key()
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self(walk) = self;
        walk.enter()?;
        let key = walk.key;
        while members.next_key_seed(NameLength(walk))?.is_some() {
            members.next_value_seed(Step(walk))?;
            walk.key = key;
        }
        walk.depth -= 1;
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Self(walk) = self;
        walk.enter()?;
        walk.note_key()?;
        let key = walk.key;
        walk.key = key.saturating_add(walk.position);
        while elements.next_element_seed(Step(walk))?.is_some() {}
        walk.key = key;
        walk.depth -= 1;
        Ok(())
    }
}

/// The name of a member, which makes the key longer.
struct NameLength<'a>(&'a mut Walk);

impl<'de> DeserializeSeed<'de> for NameLength<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_str(self)
    }
}

impl Visitor<'_> for NameLength<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<(), E> {
        self.0.key = self.0.key.saturating_add(name.len() + 1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What becomes of a JSON text under the key `args`: a line for each arg, and whether it could
    /// be read to its end.
    fn flattened(json: &str) -> (Vec<String>, Result<bool, Malformed>) {
        let (mut strings, mut args) = (StringPool::default(), ArgSet::default());
        let read = add_json(json.as_bytes(), "args", "args", &mut strings, &mut args);
        (args.lines(&strings), read)
    }

    #[test]
    fn values_of_every_kind() {
        let json = r#"{"i":-7,"u":9223372036854775808,"r":0.5,"t":true,"s":"a\"\u00e9","n":null}"#;
        let (lines, read) = flattened(json);
        let expected = [
            "args.i = Int(-7)",
            "args.u = Real(9.223372036854776e18)",
            "args.r = Real(0.5)",
            "args.t = Bool(true)",
            "args.s = \"a\"é\"",
        ];
        assert_eq!((lines.as_slice(), read), (&expected.map(str::to_owned)[..], Ok(true)));
    }

    #[test]
    fn names_stay_as_they_are_and_positions_are_in_the_longer_key_alone() {
        let (lines, read) = flattened(r#" {"a.b":{"c[0]":1},"l":[null,{"x":1},[2,null,3]]} "#);
        let expected = [
            "args.a.b.c[0] = Int(1)",
            "args.l[0].x = Int(1) of args.l.x",
            "args.l[1][0] = Int(2) of args.l",
            "args.l[1][1] = Int(3) of args.l",
        ];
        assert_eq!((lines.as_slice(), read), (&expected.map(str::to_owned)[..], Ok(true)));
    }

    #[test]
    fn an_array_goes_on_where_one_of_the_same_key_ended() {
        let (lines, _) = flattened(r#"{"l":[1,2],"l":[3]}"#);
        let expected = ["args.l[0] = Int(1)", "args.l[1] = Int(2)", "args.l[2] = Int(3)"]
            .map(|line| format!("{line} of args.l"));
        assert_eq!(lines, expected);
    }

    #[test]
    fn positions_are_written_in_full() {
        for index in [0, 7, 10, 99, 100, 12_345, usize::MAX] {
            let mut key = "k".to_owned();
            push_position(&mut key, index);
            assert_eq!(key, format!("k[{index}]"));
        }
    }

    #[test]
    fn a_text_without_values_adds_nothing() {
        for json in ["{}", "[]", "null", "[null]", r#"{"a":{}}"#] {
            assert_eq!(flattened(json), (vec![], Ok(false)), "{json}");
        }
        assert_eq!(flattened("\"text\"").0, ["args = \"text\""]);
    }

    #[test]
    fn values_before_the_damage_are_kept() {
        for json in [r#"{"a":1,"b":"#, r#"{"a":1,"b" 2}"#, r#"{"a":1,b:2}"#, r#"{"a":1"#] {
            assert_eq!(flattened(json), (vec!["args.a = Int(1)".to_owned()], Err(Malformed)));
        }
        assert_eq!(flattened(""), (vec![], Err(Malformed)));
        assert_eq!(flattened("\u{fffd}"), (vec![], Err(Malformed)));
    }

    #[test]
    fn nesting_and_keys_have_limits() {
        let deep = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(flattened(&deep(MAX_DEPTH)).1, Ok(true));
        assert_eq!(flattened(&deep(MAX_DEPTH + 1)).1, Err(Malformed));
        assert_eq!(flattened(&deep(100_000)).1, Err(Malformed));
        let members: Vec<String> = (0..10_000).map(|i| format!("\"{i}\":1")).collect();
        let wide = format!("{{\"{}\":{{{}}}}}", "k".repeat(100_000), members.join(","));
        let (lines, read) = flattened(&wide);
        assert_eq!(read, Err(Malformed));
        assert!(lines.len() < 200, "{} long keys", lines.len());
    }

    /// Texts of every kind, whole and damaged, near the limits of depth and of keys and beyond.
    #[test]
    fn a_check_finds_what_reading_finds() {
        let nested = |depth| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let wide = |name: usize, members: usize| {
            let members: Vec<String> = (0..members).map(|i| format!("\"{i}\":[0]")).collect();
            format!("{{\"{}\":{{{}}}}}", "k".repeat(name), members.join(","))
        };
        let mut texts = [
            r#"{"a":[1,-2.5,{"b":null,"c":true},"d\n"],"a":["\u00e9"]}"#,
            r#"{"a":1,"#,
            r#"{"a":[1 2]}"#,
            r#"{"a":"\q"}"#,
            r#"{"a":1e999}"#,
            r#"{"a":01}"#,
            r#"{"a":tru}"#,
            r#"{a:1}"#,
            "\"\u{1}\"",
            "7 8",
            "",
        ]
        .map(str::to_owned)
        .to_vec();
        texts.extend([nested(MAX_DEPTH), nested(MAX_DEPTH + 1), nested(100_000)]);
        texts.extend((100..200).map(|members| wide(700, members)));
        texts.push(wide(100_000, 200));
        for text in &texts {
            let (mut strings, mut args) = (StringPool::default(), ArgSet::default());
            let checked = check_json(text.as_bytes(), "args", &mut strings, &mut args);
            let expected = flattened(text).1.map(drop);
            assert_eq!(checked, expected, "{}", &text[..text.len().min(60)]);
        }
        assert!(texts.iter().any(|text| flattened(text).1.is_err()));
        let bytes =
            check_json(b"\"\xff\"", "args", &mut StringPool::default(), &mut ArgSet::default());
        assert_eq!(bytes, Ok(()), "a byte that is no text is replaced");
    }
}
