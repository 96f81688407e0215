//! JSON in text, by the rules of SQLite: `json`, `json_extract`, `->`, `->>`, `json_object`…
//!
//! Texts are read by RFC 8259. Of SQLite's extensions, control characters in strings are read, and
//! JSON5 is not.

mod each;
mod function;
mod path;
mod planner;
mod pretty;
mod read;
mod scan;
mod strings;
mod walk;
mod write;

use std::borrow::Cow;

use datafusion::common::Result;

pub(super) use each::table;
use function::JsonFunction;
pub(crate) use planner::is_extracted;
pub(super) use planner::{JsonOperators, json_call};
pub(super) use strings::push_string;
pub(super) use write::{ARRAY_OF, ELEMENT, MEMBER, OBJECT_OF, push_real};

/// A text without blanks if it is JSON; `None` if it is not.
///
/// # Errors
/// When the statement is cancelled.
pub(super) fn minified(text: &str) -> Result<Option<Cow<'_, str>>> {
    match scan::document(text) {
        Ok(value) => Ok(Some(strings::minified(value))),
        Err(scan::Fault::Malformed) => Ok(None),
        Err(stopped) => Err(stopped.into()),
    }
}

pub(super) fn functions() -> Vec<JsonFunction> {
    read::functions().into_iter().chain(write::functions()).chain([pretty::function()]).collect()
}
