//! Functions on text: substrings, padding, case, encodings, concatenation.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::RangeInclusive;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;

use super::number::{real_prefix, real_text};
use super::per_row::{PerRow, Rule, blob, integer, text};
use super::steps::Steps;
use super::value::Value;

/// The name of the function for `a || b || c`.
pub(crate) const CONCAT_TEXT: &str = "__concat_text";

/// The version of SQLite with the dialect that tests compare with: its functions are here, and its
/// rules for types and text.
const SQLITE_VERSION: &str = "3.54.1";

pub(super) fn functions() -> Vec<PerRow> {
    let families = [editing(), properties(), encodings(), concatenations()];
    families.into_iter().flatten().collect()
}

/// A function that returns text.
fn returns_text(name: &'static str, arguments: RangeInclusive<usize>, rule: Rule) -> PerRow {
    PerRow::new(name, arguments, text, rule)
}

/// Functions that return parts of a text or a changed text.
fn editing() -> Vec<PerRow> {
    vec![
        PerRow::new("substr", 2..=3, part_type, substr).alias("substring"),
        returns_text("replace", 3..=3, replace).sized(replaced_size),
        returns_text("repeat", 2..=2, repeat).sized(repeated_size),
        returns_text("lpad", 2..=3, |values| Ok(padded(values, true))).sized(padded_size),
        returns_text("rpad", 2..=3, |values| Ok(padded(values, false))).sized(padded_size),
        returns_text("trim", 1..=2, |values| Ok(trim(values, true, true))).alias("btrim"),
        returns_text("ltrim", 1..=2, |values| Ok(trim(values, true, false))),
        returns_text("rtrim", 1..=2, |values| Ok(trim(values, false, true))),
        returns_text("upper", 1..=1, |values| Ok(map_text(&values[0], str::to_ascii_uppercase))),
        returns_text("lower", 1..=1, |values| Ok(map_text(&values[0], str::to_ascii_lowercase))),
    ]
}

/// Functions that return numbers about texts: lengths, positions, codes, distances.
fn properties() -> Vec<PerRow> {
    vec![
        PerRow::new("length", 1..=1, integer, length)
            .alias("char_length")
            .alias("character_length"),
        PerRow::new("octet_length", 1..=1, integer, |values| {
            let bytes = values[0].as_text().map(|text| text.len() as i64);
            Ok(match &values[0] {
                Value::Blob(bytes) => Value::Integer(bytes.len() as i64),
                _ => bytes.map_or(Value::Null, Value::Integer),
            })
        }),
        PerRow::new("unicode", 1..=1, integer, |values| {
            let first = values[0].as_text().and_then(|text| text.chars().next());
            Ok(first.map_or(Value::Null, |first| Value::Integer(i64::from(u32::from(first)))))
        }),
        PerRow::new("instr", 2..=2, integer, instr),
        PerRow::new("levenshtein", 2..=2, integer, levenshtein),
    ]
}

/// Functions that convert between text, characters and bytes.
fn encodings() -> Vec<PerRow> {
    vec![
        returns_text("char", 0..=usize::MAX, |values| {
            let character = |value: &Value| {
                let code = value.as_integer().and_then(|code| u32::try_from(code).ok());
                code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
            };
            Ok(Value::text(values.iter().map(character).collect::<String>()))
        })
        .alias("chr"),
        returns_text("hex", 1..=1, |values| Ok(Value::text(hex(&bytes(&values[0])))))
            .sized(|values| values[0].text_size().saturating_mul(2)),
        returns_text("quote", 1..=1, |values| Ok(Value::text(quote(&values[0])))).sized(|values| {
            let quotes = match &values[0] {
                Value::Text(text) => text.bytes().filter(|byte| *byte == b'\'').count(),
                Value::Blob(bytes) => bytes.len(),
                _ => 0,
            };
            values[0].text_size().saturating_add(quotes).saturating_add(3)
        }),
        returns_text("sqlite_version", 0..=0, |_| Ok(Value::text(SQLITE_VERSION))),
        PerRow::new("zeroblob", 1..=1, blob, zeroblob)
            .sized(|values| size_of(values[0].as_integer().unwrap_or(0))),
    ]
}

/// Functions that concatenate texts.
fn concatenations() -> Vec<PerRow> {
    vec![
        returns_text("concat", 1..=usize::MAX, |values| {
            Ok(Value::text(values.iter().filter_map(Value::as_text).collect::<String>()))
        })
        .sized(joined_size),
        concat_text(),
        returns_text("concat_ws", 2..=usize::MAX, concat_ws).alias("str_join").sized(|values| {
            let separators = values[0].text_size().saturating_mul(values.len());
            joined_size(values).saturating_add(separators)
        }),
    ]
}

pub(super) fn concat_text() -> PerRow {
    PerRow::new(CONCAT_TEXT, 1..=usize::MAX, text, joined).sized(joined_size)
}

fn part_type(types: &[DataType]) -> DataType {
    match &types[0] {
        DataType::Binary | DataType::BinaryView => DataType::BinaryView,
        _ => DataType::Utf8View,
    }
}

/// The range of a substring in characters or bytes: the start, and the exclusive end.
fn bounds(length: i64, start: i64, count: Option<i64>) -> (usize, usize) {
    let count = count.unwrap_or(i64::MAX);
    // Counted from 0. SQLite's position 0 is one before the first character and uses up one of
    // the count.
    let mut from = match start {
        0 => -1,
        positive if positive > 0 => positive - 1,
        negative => length.saturating_add(negative),
    };
    if start == 0 && count == i64::MAX {
        from = 0;
    }
    let (low, high) = if count >= 0 {
        (from, from.saturating_add(count))
    } else {
        (from.saturating_add(count), from)
    };
    let clamped = |at: i64| usize::try_from(at.clamp(0, length)).unwrap_or(0);
    (clamped(low), clamped(high).max(clamped(low)))
}

fn substr<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let Some(start) = values[1].as_integer() else { return Ok(Value::Null) };
    let count = match values.get(2).map(Value::as_integer) {
        Some(None) => return Ok(Value::Null),
        Some(count) => count,
        None => None,
    };
    if let Value::Blob(bytes) = &values[0] {
        let (low, high) = bounds(bytes.len() as i64, start, count);
        return Ok(Value::Blob(bytes.get(low..high).unwrap_or_default().to_vec().into()));
    }
    let Some(whole) = values[0].as_text() else { return Ok(Value::Null) };
    if whole.is_ascii() {
        let (low, high) = bounds(whole.len() as i64, start, count);
        return Ok(Value::Text(slice(whole, low, high)));
    }
    let (low, high) = bounds(whole.chars().count() as i64, start, count);
    let offset = |at: usize| whole.char_indices().nth(at).map_or(whole.len(), |(offset, _)| offset);
    let (low, high) = (offset(low), offset(high));
    Ok(Value::Text(slice(whole, low, high)))
}

fn slice(text: Cow<'_, str>, low: usize, high: usize) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.get(low..high).unwrap_or_default()),
        Cow::Owned(text) => Cow::Owned(text.get(low..high).unwrap_or_default().to_owned()),
    }
}

fn instr<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let (Some(text), Some(part)) = (values[0].as_text(), values[1].as_text()) else {
        return Ok(Value::Null);
    };
    let position = text
        .find(part.as_ref())
        .map_or(0, |at| text.get(..at).unwrap_or_default().chars().count() as i64 + 1);
    Ok(Value::Integer(position))
}

/// The number of characters to insert, delete or replace to change one text into the other.
fn levenshtein<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let (Some(from), Some(to)) = (values[0].as_text(), values[1].as_text()) else {
        return Ok(Value::Null);
    };
    let to: Vec<char> = to.chars().collect();
    let mut steps = Steps::default();
    // The distance from the part of `from` that was read to each prefix of `to`.
    let mut distances: Vec<usize> = (0..=to.len()).collect();
    for (read, from) in from.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut distances[0], read + 1);
        for at in 0..to.len() {
            steps.take(1)?;
            let replaced = diagonal + usize::from(to[at] != from);
            diagonal = distances[at + 1];
            distances[at + 1] = replaced.min(diagonal + 1).min(distances[at] + 1);
        }
    }
    let distance = distances.last().copied().unwrap_or(0);
    Ok(Value::Integer(i64::try_from(distance).unwrap_or(i64::MAX)))
}

fn replace<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let (Some(text), Some(from)) = (values[0].as_text(), values[1].as_text()) else {
        return Ok(Value::Null);
    };
    if from.is_empty() {
        return Ok(Value::Text(text));
    }
    let Some(to) = values[2].as_text() else { return Ok(Value::Null) };
    if !text.contains(from.as_ref()) {
        return Ok(Value::Text(text));
    }
    Ok(Value::text(text.replace(from.as_ref(), &to)))
}

fn trim<'a>(values: &[Value<'a>], start: bool, end: bool) -> Value<'a> {
    let characters = match values.get(1) {
        None => Some(" ".into()),
        Some(characters) => characters.as_text(),
    };
    let (Some(text), Some(characters)) = (values[0].as_text(), characters) else {
        return Value::Null;
    };
    let is_trimmed = one_of(&characters);
    let low = if start { text.len() - text.trim_start_matches(&is_trimmed).len() } else { 0 };
    let high = if end { text.trim_end_matches(&is_trimmed).len() } else { text.len() };
    Value::Text(slice(text, low, high.max(low)))
}

/// Returns a test for whether a character is one of `characters`.
pub(super) fn one_of(characters: &str) -> impl Fn(char) -> bool {
    /// Up to this length in bytes, a search of the text is as fast as making a set.
    const MAX_SEARCHED: usize = 16;
    let set: Option<HashSet<char>> =
        (characters.len() > MAX_SEARCHED).then(|| characters.chars().collect());
    move |c| set.as_ref().map_or_else(|| characters.contains(c), |set| set.contains(&c))
}

fn map_text<'a>(value: &Value<'a>, map: impl Fn(&str) -> String) -> Value<'a> {
    value.as_text().map_or(Value::Null, |text| Value::text(map(&text)))
}

fn length<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    Ok(match &values[0] {
        Value::Blob(bytes) => Value::Integer(bytes.len() as i64),
        other => {
            // Up to the first NUL.
            let characters = |text: &str| text.chars().take_while(|c| *c != '\0').count();
            let count = other.as_text().map(|text| characters(&text) as i64);
            count.map_or(Value::Null, Value::Integer)
        }
    })
}

/// The bytes of a blob, or of another value as text.
pub(super) fn bytes(value: &Value) -> Vec<u8> {
    match value {
        Value::Blob(bytes) => bytes.to_vec(),
        other => other.as_text().unwrap_or_default().into_owned().into_bytes(),
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 15)]);
    }
    text
}

/// Formats a value as an SQL literal.
pub(super) fn quote(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) if value.is_infinite() => {
            if *value > 0.0 { "9.0e+999" } else { "-9.0e+999" }.into()
        }
        // The literal must give the same number when it is read.
        Value::Real(value) => {
            let short = real_text(*value);
            if real_prefix(&short).0 == *value {
                short
            } else {
                super::number::general(*value, 17, true, false)
            }
        }
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Blob(bytes) => format!("X'{}'", hex(bytes)),
    }
}

fn zeroblob<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    Ok(Value::Blob(vec![0; size_of(values[0].as_integer().unwrap_or(0))].into()))
}

/// A count of characters or bytes; 0 if it is negative.
fn size_of(count: i64) -> usize {
    usize::try_from(count.max(0)).unwrap_or(usize::MAX)
}

fn joined_size(values: &[Value]) -> usize {
    values.iter().map(Value::text_size).fold(0, usize::saturating_add)
}

/// Concatenates texts; NULL if one of them is NULL.
fn joined<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let texts: Option<Vec<Cow<str>>> = values.iter().map(Value::as_text).collect();
    Ok(texts.map_or(Value::Null, |texts| Value::text(texts.concat())))
}

fn replaced_size(values: &[Value]) -> usize {
    let (Value::Text(text), Some(from)) = (&values[0], values[1].as_text()) else {
        return values[0].text_size().saturating_mul(values[2].text_size().max(1));
    };
    let (from, to) = (from.len(), values[2].text_size());
    if from == 0 || to <= from {
        return text.len();
    }
    // An upper bound; the occurrences are counted only if it is large.
    let bound = (text.len() / from).saturating_mul(to - from).saturating_add(text.len());
    if bound <= MAX_ESTIMATE {
        return bound;
    }
    let count = values[1].as_text().map_or(0, |from| text.matches(from.as_ref()).count());
    count.saturating_mul(to - from).saturating_add(text.len())
}

/// The largest upper bound, in bytes, that is used without counting occurrences.
const MAX_ESTIMATE: usize = 1 << 12;

fn repeat<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let (Some(text), Some(count)) = (values[0].as_text(), values[1].as_integer()) else {
        return Ok(Value::Null);
    };
    Ok(Value::text(text.repeat(if text.is_empty() { 0 } else { size_of(count) })))
}

fn repeated_size(values: &[Value]) -> usize {
    values[0].text_size().saturating_mul(size_of(values[1].as_integer().unwrap_or(0)))
}

/// Cuts or fills a text to a number of characters; fills at one end with the given text, or with
/// blanks.
fn padded<'a>(values: &[Value<'a>], at_start: bool) -> Value<'a> {
    let fill = values.get(2).map_or(Some(Cow::Borrowed(" ")), Value::as_text);
    let (Some(text), Some(length), Some(fill)) =
        (values[0].as_text(), values[1].as_integer(), fill)
    else {
        return Value::Null;
    };
    let (length, count) = (size_of(length), text.chars().count());
    if length <= count || fill.is_empty() {
        return Value::text(text.chars().take(length).collect::<String>());
    }
    let filling: String = fill.chars().cycle().take(length - count).collect();
    Value::text(if at_start { filling + &text } else { text.into_owned() + &filling })
}

fn padded_size(values: &[Value]) -> usize {
    let length = size_of(values[1].as_integer().unwrap_or(0));
    let fill = values.get(2).map_or(1, Value::text_size);
    // A character has up to 4 bytes.
    let widest = if fill <= 1 { 1 } else { fill.min(4) };
    match fill {
        0 => values[0].text_size(),
        _ => length.saturating_mul(widest).saturating_add(values[0].text_size()),
    }
}

fn concat_ws<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let Some(separator) = values[0].as_text() else { return Ok(Value::Null) };
    let parts: Vec<Cow<str>> = values[1..].iter().filter_map(Value::as_text).collect();
    Ok(Value::text(parts.join(&separator)))
}
