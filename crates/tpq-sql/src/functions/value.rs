//! Values with SQLite's types, and columns of values.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryViewArray, BinaryViewBuilder, BooleanBuilder, Float64Array,
    Float64Builder, Int64Array, Int64Builder, NullArray, StringViewArray, StringViewBuilder,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::Result;

use super::number::{integer_prefix, real_prefix, real_text};

/// One value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(Cow<'a, str>),
    Blob(Cow<'a, [u8]>),
}

impl<'a> Value<'a> {
    pub(super) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text(text.into())
    }

    /// The size of a text or blob in bytes; 0 for other values.
    pub(super) fn byte_count(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Blob(bytes) => bytes.len(),
            Self::Null | Self::Integer(_) | Self::Real(_) => 0,
        }
    }

    /// An upper bound, in bytes, of the value as text.
    pub(super) fn text_size(&self) -> usize {
        /// The maximum length of a number.
        const NUMBER: usize = 32;
        match self {
            Self::Null => 0,
            Self::Integer(_) | Self::Real(_) => NUMBER,
            Self::Text(text) => text.len(),
            // A byte that is not UTF-8 becomes a replacement character of 3 bytes.
            Self::Blob(bytes) => bytes.len().saturating_mul(3),
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    pub(super) fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Integer(value) => Value::Integer(value),
            Self::Real(value) => Value::Real(value),
            Self::Text(text) => Value::text(text.into_owned()),
            Self::Blob(bytes) => Value::Blob(bytes.into_owned().into()),
        }
    }

    /// Converts to text; `None` for NULL.
    pub(super) fn as_text(&self) -> Option<Cow<'a, str>> {
        match self {
            Self::Null => None,
            Self::Integer(value) => Some(value.to_string().into()),
            Self::Real(value) => Some(real_text(*value).into()),
            Self::Text(text) => Some(text.clone()),
            Self::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned().into()),
        }
    }

    /// Converts to an integer: text to the integer at its start, a real without its fraction;
    /// `None` for NULL.
    pub(super) fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Null => None,
            Self::Integer(value) => Some(*value),
            // Saturates, as in SQLite.
            Self::Real(value) => Some(*value as i64),
            other => Some(integer_prefix(&other.as_text()?)),
        }
    }

    /// Converts to a real: text to the number at its start; `None` for NULL.
    pub(super) fn as_real(&self) -> Option<f64> {
        match self {
            Self::Null => None,
            Self::Integer(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            other => Some(real_prefix(&other.as_text()?).0),
        }
    }

    /// Compares in SQLite's order: NULL, numbers, text, blobs.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let rank = |value: &Self| match value {
            Self::Null => 0,
            Self::Integer(_) | Self::Real(_) => 1,
            Self::Text(_) => 2,
            Self::Blob(_) => 3,
        };
        match (self, other) {
            (Self::Integer(a), Self::Integer(b)) => a.cmp(b),
            (Self::Integer(_) | Self::Real(_), Self::Integer(_) | Self::Real(_)) => {
                let (a, b) = (self.as_real(), other.as_real());
                a.partial_cmp(&b).unwrap_or(Ordering::Equal)
            }
            (Self::Text(a), Self::Text(b)) => a.cmp(b),
            (Self::Blob(a), Self::Blob(b)) => a.cmp(b),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

/// A column of values of one type.
pub(super) enum Column {
    Null,
    Integer(Int64Array),
    Real(Float64Array),
    Text(StringViewArray),
    Blob(BinaryViewArray),
}

impl Column {
    /// Converts an array to the matching one of the column types.
    pub(super) fn from_array(array: &ArrayRef) -> Result<Self> {
        let converted = |to: &DataType| cast(array, to);
        Ok(match array.data_type() {
            DataType::Null => Self::Null,
            DataType::Boolean => {
                Self::Integer(converted(&DataType::Int64)?.as_primitive::<Int64Type>().clone())
            }
            data_type if data_type.is_integer() => {
                Self::Integer(converted(&DataType::Int64)?.as_primitive::<Int64Type>().clone())
            }
            data_type if data_type.is_numeric() => {
                Self::Real(converted(&DataType::Float64)?.as_primitive::<Float64Type>().clone())
            }
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => {
                Self::Blob(converted(&DataType::BinaryView)?.as_binary_view().clone())
            }
            _ => Self::Text(converted(&DataType::Utf8View)?.as_string_view().clone()),
        })
    }

    pub(super) fn value(&self, row: usize) -> Value<'_> {
        match self {
            Self::Integer(column) if column.is_valid(row) => Value::Integer(column.value(row)),
            Self::Real(column) if column.is_valid(row) => Value::Real(column.value(row)),
            Self::Text(column) if column.is_valid(row) => Value::text(column.value(row)),
            Self::Blob(column) if column.is_valid(row) => Value::Blob(column.value(row).into()),
            _ => Value::Null,
        }
    }
}

/// Builds a column of one type; converts each value to the type.
pub(super) enum Builder {
    Condition(BooleanBuilder),
    Integer(Int64Builder),
    Real(Float64Builder),
    Text(StringViewBuilder),
    Blob(BinaryViewBuilder),
    Null(usize),
}

impl Builder {
    pub(super) fn new(data_type: &DataType, rows: usize) -> Self {
        match data_type {
            DataType::Null => Self::Null(0),
            DataType::Boolean => Self::Condition(BooleanBuilder::with_capacity(rows)),
            DataType::Int64 => Self::Integer(Int64Builder::with_capacity(rows)),
            DataType::Float64 => Self::Real(Float64Builder::with_capacity(rows)),
            DataType::Binary | DataType::BinaryView => {
                Self::Blob(BinaryViewBuilder::with_capacity(rows))
            }
            _ => Self::Text(StringViewBuilder::with_capacity(rows)),
        }
    }

    pub(super) fn push(&mut self, value: &Value) {
        match self {
            Self::Condition(builder) => {
                builder.append_option(value.as_real().map(|value| value != 0.0));
            }
            Self::Integer(builder) => builder.append_option(value.as_integer()),
            Self::Real(builder) => builder.append_option(value.as_real()),
            Self::Text(builder) => match value {
                Value::Text(text) => builder.append_value(text),
                other => builder.append_option(other.as_text()),
            },
            Self::Blob(builder) => match value {
                Value::Blob(bytes) => builder.append_value(bytes),
                other => builder.append_option(other.as_text().map(|text| text.into_owned())),
            },
            Self::Null(rows) => *rows += 1,
        }
    }

    pub(super) fn finish(self) -> ArrayRef {
        match self {
            Self::Condition(mut builder) => Arc::new(builder.finish()),
            Self::Integer(mut builder) => Arc::new(builder.finish()),
            Self::Real(mut builder) => Arc::new(builder.finish()),
            Self::Text(mut builder) => Arc::new(builder.finish()),
            Self::Blob(mut builder) => Arc::new(builder.finish()),
            Self::Null(rows) => Arc::new(NullArray::new(rows)),
        }
    }
}
