//! Values of stored rows.

use std::sync::Arc;

use crate::functions::value::{Column, Value};

/// The value of a column as an integer; `None` for NULL.
pub(super) fn integer(columns: &[Column], column: usize, row: usize) -> Option<i64> {
    columns.get(column).and_then(|column| column.value(row).as_integer())
}

/// The value of a column as a text; `None` for NULL.
pub(super) fn text(columns: &[Column], column: usize, row: usize) -> Option<Arc<str>> {
    match columns.get(column).map(|column| column.value(row)) {
        Some(Value::Text(text)) => Some(text.into()),
        _ => None,
    }
}
