//! `regexp(pattern, text)`, also written `text REGEXP pattern`, `regexp_extract(text, pattern)`
//! and `regexp_replace_simple(text, pattern, replacement)`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use regex::Regex;

use super::per_row::{PerRow, text};
use super::value::Value;

/// How many patterns a thread keeps compiled: they are nearly always literals.
const KEPT: usize = 64;

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new(
            "regexp",
            2..=2,
            |_| DataType::Boolean,
            |values| {
                let (Some(pattern), Some(text)) = (values[0].as_text(), values[1].as_text()) else {
                    return Ok(Value::Null);
                };
                Ok(Value::Integer(i64::from(compiled(&pattern)?.is_match(&text))))
            },
        ),
        PerRow::new("regexp_extract", 2..=2, text, |values| {
            let (Some(text), Some(pattern)) = (values[0].as_text(), values[1].as_text()) else {
                return Ok(Value::Null);
            };
            let pattern = compiled(&pattern)?;
            let Some(found) = pattern.captures(&text) else { return Ok(Value::Null) };
            // The first group, or what matched where there is none.
            let part = if found.len() > 1 { found.get(1) } else { found.get(0) };
            Ok(part.map_or(Value::Null, |part| Value::text(part.as_str().to_owned())))
        }),
        PerRow::new("regexp_replace_simple", 3..=3, text, |values| {
            let (Some(text), Some(pattern), Some(replacement)) =
                (values[0].as_text(), values[1].as_text(), values[2].as_text())
            else {
                return Ok(Value::Null);
            };
            let pattern = compiled(&pattern)?;
            let replacement = regex::NoExpand(&replacement);
            Ok(Value::text(pattern.replace_all(&text, replacement).into_owned()))
        }),
    ]
}

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
                return exec_err!("'{pattern}' is no regular expression: {why}");
            }
        };
        if patterns.len() >= KEPT {
            patterns.clear();
        }
        patterns.insert(pattern.to_owned(), Rc::clone(&regex));
        Ok(regex)
    })
}
