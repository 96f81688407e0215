//! `regexp(pattern, text[, flags])`, also written `text REGEXP pattern`,
//! `regexp_extract(text, pattern)` and `regexp_replace_simple(text, pattern, replacement)`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use regex::Regex;

use super::per_row::{PerRow, text};
use super::value::Value;

/// The number of compiled patterns that a thread caches. A few are enough, because patterns are
/// nearly always literals.
const MAX_CACHED: usize = 64;

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new("regexp", 2..=3, |_| DataType::Boolean, matches)
            .alias("__intrinsic_regexp_with_flags"),
        PerRow::new("regexp_extract", 2..=2, text, extract),
        PerRow::new("regexp_replace_simple", 3..=3, text, |values| {
            let (Some(text), Some(pattern), Some(replacement)) =
                (values[0].as_text(), values[1].as_text(), values[2].as_text())
            else {
                return Ok(Value::Null);
            };
            let pattern = compiled(&pattern)?;
            let replacement = regex::NoExpand(&replacement);
            Ok(Value::text(pattern.replace_all(&text, replacement).into_owned()))
        })
        .sized(|values| replaced_size(values, usize::MAX)),
        PerRow::new("regexp_replace", 3..=4, text, replace).sized(|values| {
            let flags = values.get(3).and_then(Value::as_text);
            let all = flags.is_some_and(|flags| flags.contains('g'));
            replaced_size(values, if all { usize::MAX } else { 1 })
        }),
    ]
}

/// Whether a part of the text matches. Of the flags `i`, which ignores case, and `c`, which does
/// not, the last one applies.
fn matches<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let (Some(pattern), Some(text)) = (values[0].as_text(), values[1].as_text()) else {
        return Ok(Value::Null);
    };
    let flags = match values.get(2).map(Value::as_text) {
        None => None,
        Some(None) => return Ok(Value::Null),
        Some(flags) => flags,
    };
    let flags = flags.unwrap_or_default();
    if let Some(flag) = flags.chars().find(|flag| !matches!(flag, 'i' | 'c')) {
        return exec_err!("regexp() has the flags i and c, '{flag}' was given");
    }
    let flags = if flags.ends_with('i') { "i" } else { "" };
    Ok(Value::Integer(i64::from(with_flags(&pattern, flags)?.is_match(&text))))
}

/// The first group of the first match, or the whole match if the pattern has no groups. NULL if
/// nothing matches, or if the group is optional and has no part in the match.
fn extract<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let (Some(text), Some(pattern)) = (values[0].as_text(), values[1].as_text()) else {
        return Ok(Value::Null);
    };
    let pattern = compiled(&pattern)?;
    let Some(found) = pattern.captures(&text) else { return Ok(Value::Null) };
    let part = if found.len() > 1 { found.get(1) } else { found.get(0) };
    Ok(part.map_or(Value::Null, |part| Value::text(part.as_str().to_owned())))
}

/// `regexp_replace(text, pattern, replacement, flags)`; `\1` in the replacement stands for the
/// match of the first group. With the flag `g` all matches are replaced, else only the first; other
/// flags apply to the pattern.
fn replace<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let texts: Option<Vec<_>> = values.iter().map(Value::as_text).collect();
    let Some(texts) = texts else { return Ok(Value::Null) };
    let flags = texts.get(3).map_or("", |flags| flags);
    let pattern = with_flags(&texts[1], flags)?;
    let count = if flags.contains('g') { 0 } else { 1 };
    let replacement = with_groups(&texts[2]);
    Ok(Value::text(pattern.replacen(&texts[0], count, replacement.as_str()).into_owned()))
}

/// Compiles a pattern with its flags, without `g`.
fn with_flags(pattern: &str, flags: &str) -> Result<Rc<Regex>> {
    let flags: String = flags.chars().filter(|flag| *flag != 'g').collect();
    match flags.is_empty() {
        true => compiled(pattern),
        false => compiled(&format!("(?{flags}){pattern}")),
    }
}

/// Converts a replacement to the syntax of the regex library: `${1}` for `\1`.
fn with_groups(replacement: &str) -> String {
    let mut written = String::with_capacity(replacement.len());
    let mut rest = replacement;
    while let Some((before, group)) = rest.split_once('\\') {
        written.push_str(before);
        let number = group.strip_prefix('\\').unwrap_or(group);
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            written.push('\\');
            rest = group;
            continue;
        }
        let (digits, after) = number.split_at(digits);
        written.push_str(&format!("${{{digits}}}"));
        rest = after;
    }
    written + rest
}

/// An upper bound, in bytes, of a text after replacing up to `max_matches` matches. The matches are
/// counted only if the estimate without counting is large.
fn replaced_size(values: &[Value], max_matches: usize) -> usize {
    const MAX_ESTIMATE: usize = 1 << 16;
    let (length, replacement) = (values[0].text_size(), values[2].text_size());
    // A reference to a group takes two bytes of the replacement, and matches do not overlap.
    let bound = |matches: usize| {
        let groups = length.saturating_mul(replacement / 2);
        matches.saturating_mul(replacement).saturating_add(groups).saturating_add(length)
    };
    let size = bound(max_matches.min(length + 1));
    if size <= MAX_ESTIMATE {
        return size;
    }
    let (Some(text), Some(pattern), Some(with)) =
        (values[0].as_text(), values[1].as_text(), values[2].as_text())
    else {
        return 0;
    };
    let groups =
        if with.contains(['\\', '$']) { length.saturating_mul(replacement / 2) } else { 0 };
    let flags = values.get(3).and_then(Value::as_text).unwrap_or_default();
    let matches = match with_flags(&pattern, &flags) {
        Ok(pattern) => pattern.find_iter(&text).take(max_matches).count(),
        // An invalid pattern: nothing is replaced.
        Err(_) => 0,
    };
    matches.saturating_mul(replacement).saturating_add(groups).saturating_add(length)
}

/// Compiles a pattern, or returns it from the thread's cache.
fn compiled(pattern: &str) -> Result<Rc<Regex>> {
    thread_local! {
        static PATTERNS: RefCell<HashMap<String, Rc<Regex>>> = RefCell::default();
    }
    PATTERNS.with_borrow_mut(|patterns| {
        if let Some(known) = patterns.get(pattern) {
            return Ok(Rc::clone(known));
        }
        let regex = match Regex::new(pattern) {
            Ok(regex) => Rc::new(regex),
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
                return exec_err!("'{pattern}' is not a valid regular expression: {why}");
            }
        };
        if patterns.len() >= MAX_CACHED {
            patterns.clear();
        }
        patterns.insert(pattern.to_owned(), Rc::clone(&regex));
        Ok(regex)
    })
}
