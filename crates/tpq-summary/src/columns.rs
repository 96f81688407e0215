//! Columns of a result as the values of metrics.

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringArray,
};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, SchemaRef};

use crate::error::{QueryError, invalid};

/// A value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Cell<'a> {
    Null,
    Integer(i64),
    Float(f64),
    Text(&'a str),
}

/// A column of a batch.
pub(crate) enum Column {
    Null,
    Integers(Int64Array),
    Floats(Float64Array),
    Texts(StringArray),
}

impl Column {
    fn of(array: &ArrayRef, name: &str) -> Result<Self, QueryError> {
        let options = CastOptions { safe: false, ..CastOptions::default() };
        let cast = |kind: &DataType| {
            cast_with_options(array, kind, &options)
                .or_else(|error| invalid(format!("column `{name}`: {error}")))
        };
        Ok(match array.data_type() {
            DataType::Null => Self::Null,
            kind if is_text(kind) => Self::Texts(cast(&DataType::Utf8)?.as_string::<i32>().clone()),
            kind if kind.is_integer() || *kind == DataType::Boolean => {
                Self::Integers(cast(&DataType::Int64)?.as_primitive::<Int64Type>().clone())
            }
            kind if kind.is_numeric() => {
                Self::Floats(cast(&DataType::Float64)?.as_primitive::<Float64Type>().clone())
            }
            _ => return invalid(format!("column `{name}` is neither a number nor text")),
        })
    }

    pub(crate) fn cell(&self, row: usize) -> Cell<'_> {
        match self {
            Self::Integers(values) if values.is_valid(row) => Cell::Integer(values.value(row)),
            Self::Floats(values) if values.is_valid(row) => Cell::Float(values.value(row)),
            Self::Texts(values) if values.is_valid(row) => Cell::Text(values.value(row)),
            _ => Cell::Null,
        }
    }
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// The positions of columns in a result.
///
/// # Errors
/// When the result does not have all of them.
pub(crate) fn positions<'a>(
    schema: &SchemaRef,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<usize>, QueryError> {
    let position = |name: &str| {
        let mut fields = schema.fields().iter();
        match fields.position(|field| field.name().eq_ignore_ascii_case(name)) {
            Some(position) => Ok(position),
            None => {
                let names = schema.fields().iter().map(|field| field.name().as_str());
                let names = names.collect::<Vec<_>>().join(", ");
                invalid(format!("the query has no column `{name}`; it has {names}"))
            }
        }
    };
    names.into_iter().map(position).collect()
}

/// The columns of a batch at some positions.
///
/// # Errors
/// When a column has neither numbers nor text.
pub(crate) fn columns(batch: &RecordBatch, positions: &[usize]) -> Result<Vec<Column>, QueryError> {
    let column = |&position: &usize| {
        let array = batch.columns().get(position).zip(batch.schema_ref().fields().get(position));
        match array {
            Some((array, field)) => Column::of(array, field.name()),
            None => invalid("a batch has fewer columns than its result"),
        }
    };
    positions.iter().map(column).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{BooleanArray, DictionaryArray, NullArray, UInt64Array};
    use datafusion::arrow::datatypes::Int32Type;

    use super::*;

    #[test]
    fn arrays_become_integers_floats_and_texts() -> Result<(), QueryError> {
        let texts: DictionaryArray<Int32Type> = [Some("a"), None].into_iter().collect();
        let arrays: [ArrayRef; 4] = [
            Arc::new(texts),
            Arc::new(BooleanArray::from(vec![Some(true), None])),
            Arc::new(Float64Array::from(vec![Some(1.5), None])),
            Arc::new(NullArray::new(2)),
        ];
        let expected = [Cell::Text("a"), Cell::Integer(1), Cell::Float(1.5), Cell::Null];
        for (array, expected) in arrays.iter().zip(expected) {
            let column = Column::of(array, "x")?;
            assert_eq!((column.cell(0), column.cell(1)), (expected, Cell::Null));
        }
        Ok(())
    }

    #[test]
    fn values_that_do_not_fit_are_errors() {
        let large: ArrayRef = Arc::new(UInt64Array::from(vec![u64::MAX]));
        assert!(Column::of(&large, "x").is_err());
    }
}
