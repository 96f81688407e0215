//! The classes of values that SQLite tells apart in comparisons.

use datafusion::arrow::datatypes::DataType;

use crate::functions::is_text;

/// Values of a type that are compared with each other in the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Truth values, which are numbers to what they are compared with.
    Condition,
    Number,
    Text,
    Blob,
}

impl Class {
    /// The class of a type; `None` for types that SQLite does not have, and for NULL.
    pub(super) fn of(data_type: &DataType) -> Option<Self> {
        Some(match data_type {
            DataType::Boolean => Self::Condition,
            number if number.is_numeric() => Self::Number,
            text if is_text(text) => Self::Text,
            blob if blob.is_binary() => Self::Blob,
            _ => return None,
        })
    }
}
