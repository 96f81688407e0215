//! Paths into JSON, such as `$.items[0].name`.

use std::borrow::Cow;

use datafusion::common::{Result, exec_err};

use super::super::value::Value;
use super::scan::{Scan, Scanner};
use super::strings::unescaped;

/// One step of a path.
#[derive(Debug, PartialEq)]
pub(super) enum Step<'p> {
    /// `.key`: a member of an object.
    Key(Cow<'p, str>),
    /// `[3]`: an element of an array, counted from 0.
    Index(u64),
    /// `[#-1]`: an element of an array, counted from the end.
    FromEnd(u64),
}

/// Reads a path that begins with `$`.
///
/// # Errors
/// When the text is not a path.
pub(super) fn parse(path: &str) -> Result<Vec<Step<'_>>> {
    match path.strip_prefix('$').and_then(steps) {
        Some(steps) => Ok(steps),
        None => exec_err!("bad JSON path: '{path}'"),
    }
}

/// Reads the right operand of `->` and `->>`: a path, a key, or the position in an array, negative
/// from the end. `None` for NULL.
///
/// # Errors
/// When the operand begins as a path and is none.
pub(super) fn parse_operand<'p>(operand: &'p Value<'_>) -> Result<Option<Vec<Step<'p>>>> {
    let text = match operand {
        Value::Null => return Ok(None),
        Value::Integer(index) if *index < 0 => {
            return Ok(Some(vec![Step::FromEnd(index.unsigned_abs())]));
        }
        Value::Integer(index) => return Ok(Some(vec![Step::Index(index.unsigned_abs())])),
        Value::Text(text) => Cow::Borrowed(text.as_ref()),
        other => Cow::Owned(other.as_text().unwrap_or_default().into_owned()),
    };
    if let Cow::Borrowed(path) = text
        && path.starts_with('$')
    {
        return parse(path).map(Some);
    }
    if let Cow::Borrowed(text) = text
        && text.starts_with('[')
        && let Some(steps) = steps(text)
    {
        return Ok(Some(steps));
    }
    Ok(Some(vec![Step::Key(text)]))
}

/// Reads the steps after `$`.
fn steps(mut rest: &str) -> Option<Vec<Step<'_>>> {
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('.') {
            Some(key) => key_step(key)?,
            None => index_step(rest.strip_prefix('[')?)?,
        };
        steps.push(step);
        rest = after;
    }
    Some(steps)
}

/// A path without its last step; `$` as it is. `None` if the text is not a path.
pub(super) fn parent(path: &str) -> Option<&str> {
    let mut rest = path.strip_prefix('$')?;
    let mut end = path.len();
    while !rest.is_empty() {
        end = path.len() - rest.len();
        (_, rest) = match rest.strip_prefix('.') {
            Some(key) => key_step(key)?,
            None => index_step(rest.strip_prefix('[')?)?,
        };
    }
    path.get(..end)
}

/// Reads a key, with or without quotes, and returns the text after it.
fn key_step(text: &str) -> Option<(Step<'_>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(['.', '[']).unwrap_or(text.len());
        let (key, rest) = text.split_at_checked(end)?;
        return (!key.is_empty()).then_some((Step::Key(Cow::Borrowed(key)), rest));
    };
    let mut escaped = false;
    let end = quoted.find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    let key = unescaped(quoted.get(..end)?);
    Some((Step::Key(key), quoted.get(end + 1..)?))
}

/// Reads a position without its opening bracket, and returns the text after it.
fn index_step(text: &str) -> Option<(Step<'_>, &str)> {
    let (index, rest) = text.split_once(']')?;
    // A number that is too large is beyond the end of every array.
    let number = |digits: &str| {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(u64::MAX))
    };
    let step = match index.strip_prefix('#') {
        None => Step::Index(number(index)?),
        Some("") => Step::FromEnd(0),
        Some(back) => Step::FromEnd(number(back.strip_prefix('-')?)?),
    };
    Some((step, rest))
}

/// The value at the end of a path; `None` if there is none.
pub(super) fn find<'a>(value: &'a str, steps: &[Step]) -> Scan<Option<&'a str>> {
    let mut found = value;
    for step in steps {
        let next = match step {
            Step::Key(key) => member(found, key)?,
            Step::Index(index) => element(found, *index)?,
            Step::FromEnd(back) => match element_count(found)?.checked_sub(*back) {
                Some(index) => element(found, index)?,
                None => None,
            },
        };
        match next {
            Some(next) => found = next,
            None => return Ok(None),
        }
    }
    Ok(Some(found))
}

/// The first member of an object with a key.
fn member<'a>(object: &'a str, key: &str) -> Scan<Option<&'a str>> {
    let mut scanner = Scanner::new(object);
    if !scanner.take(b'{') {
        return Ok(None);
    }
    scanner.skip_blanks();
    if scanner.take(b'}') {
        return Ok(None);
    }
    loop {
        let name = scanner.key()?;
        let value = scanner.value()?;
        if unescaped(name) == key {
            return Ok(Some(value));
        }
        scanner.skip_blanks();
        if !scanner.take(b',') {
            return Ok(None);
        }
        scanner.skip_blanks();
    }
}

/// The element of an array at a position.
fn element(array: &str, index: u64) -> Scan<Option<&str>> {
    let mut at = 0;
    each_element(array, |value| {
        at += 1;
        (at > index).then_some(value)
    })
}

/// The number of elements of an array; 0 for other values.
pub(super) fn element_count(array: &str) -> Scan<u64> {
    let mut count = 0;
    each_element(array, |_| {
        count += 1;
        None::<()>
    })?;
    Ok(count)
}

/// Visits the elements of an array until `visit` returns a result.
fn each_element<'a, T>(
    array: &'a str,
    mut visit: impl FnMut(&'a str) -> Option<T>,
) -> Scan<Option<T>> {
    let mut scanner = Scanner::new(array);
    if !scanner.take(b'[') {
        return Ok(None);
    }
    scanner.skip_blanks();
    if scanner.take(b']') {
        return Ok(None);
    }
    loop {
        if let Some(result) = visit(scanner.value()?) {
            return Ok(Some(result));
        }
        scanner.skip_blanks();
        if !scanner.take(b',') {
            return Ok(None);
        }
        scanner.skip_blanks();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(json: &str, path: &str) -> Option<String> {
        find(json, &parse(path).unwrap()).unwrap().map(str::to_owned)
    }

    #[test]
    fn paths_lead_to_values() {
        let json = "{\"a\": {\"b.c\": [10, {\"d\": \"x\"}, 30]}, \"a\": 2, \"\\u0065\": []}";
        assert_eq!(found(json, "$").as_deref(), Some(json));
        assert_eq!(found(json, "$.a.\"b.c\"[0]").as_deref(), Some("10"));
        assert_eq!(found(json, "$.a.\"b.c\"[1].d").as_deref(), Some("\"x\""));
        assert_eq!(found(json, "$.a.\"b.c\"[#-1]").as_deref(), Some("30"));
        assert_eq!(found(json, "$.e").as_deref(), Some("[]"));
        for path in ["$.b", "$.a[0]", "$.a.\"b.c\"[3]", "$.a.\"b.c\"[#]", "$.a.\"b.c\"[#-4]"] {
            assert_eq!(found(json, path), None, "{path}");
        }
        assert_eq!(found("[1]", "$[99999999999999999999]"), None);
    }

    #[test]
    fn the_parent_of_a_path_is_what_is_before_its_last_step() {
        for (path, before) in [
            ("$", "$"),
            ("$.a", "$"),
            ("$.a[1]", "$.a"),
            ("$[0].\"b.c\"", "$[0]"),
            ("$.a[#-1]", "$.a"),
        ] {
            assert_eq!(parent(path), Some(before), "{path}");
        }
        assert_eq!(parent("a"), None);
    }

    #[test]
    fn texts_that_are_no_paths_are_refused() {
        for path in ["", "a", "$a", "$.", "$[", "$[a]", "$[1", "$.\"a", "$[#-]", "$[#1]", "$..a"] {
            let error = parse(path).unwrap_err().to_string();
            assert!(error.contains("bad JSON path"), "{path}: {error}");
        }
    }

    #[test]
    fn operands_are_keys_positions_or_paths() {
        let steps = |value: Value<'static>| format!("{:?}", parse_operand(&value).unwrap());
        assert_eq!(steps(Value::text("a.b")), "Some([Key(\"a.b\")])");
        assert_eq!(steps(Value::text("$.a[1]")), "Some([Key(\"a\"), Index(1)])");
        assert_eq!(steps(Value::text("[1]")), "Some([Index(1)])");
        assert_eq!(steps(Value::Integer(2)), "Some([Index(2)])");
        assert_eq!(steps(Value::Integer(-1)), "Some([FromEnd(1)])");
        assert_eq!(steps(Value::Null), "None");
    }
}
