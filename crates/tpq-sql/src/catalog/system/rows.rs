//! Builds the columns of tables about the session.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int64Array, StringViewArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};

/// A schema of columns with these names and types.
pub(super) fn schema(columns: &[(&str, DataType)]) -> SchemaRef {
    let fields = columns.iter().map(|(name, kind)| Field::new(*name, kind.clone(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

pub(super) fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> ArrayRef {
    Arc::new(StringViewArray::from_iter_values(texts))
}

pub(super) fn integers(integers: impl IntoIterator<Item = i64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(integers))
}

/// A column of texts without values.
pub(super) fn no_texts(rows: usize) -> ArrayRef {
    Arc::new(StringViewArray::new_null(rows))
}
