//! Formats values as text.

use std::fmt::Write;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, RecordBatch, StringViewArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

/// A column of cells that can be written one by one.
pub(crate) struct Cells<'a> {
    /// The NULL cells, including those of columns of type Null.
    nulls: Option<NullBuffer>,
    values: Values<'a>,
}

enum Values<'a> {
    Integer(&'a Int64Array),
    Float(&'a Float64Array),
    Boolean(&'a BooleanArray),
    Text(&'a StringViewArray),
    Other { formatter: Box<ArrayFormatter<'a>>, is_number: bool },
}

impl<'a> Cells<'a> {
    fn new(array: &'a ArrayRef) -> Result<Self, ArrowError> {
        let values = match array.data_type() {
            DataType::Int64 => Values::Integer(array.as_primitive::<Int64Type>()),
            DataType::Float64 => Values::Float(array.as_primitive::<Float64Type>()),
            DataType::Boolean => Values::Boolean(array.as_boolean()),
            DataType::Utf8View => Values::Text(array.as_string_view()),
            other => Values::Other {
                formatter: Box::new(ArrayFormatter::try_new(array, &FORMAT)?),
                is_number: Self::are_numbers(other),
            },
        };
        Ok(Self { nulls: array.logical_nulls(), values })
    }

    /// The columns of a batch.
    pub(crate) fn of(batch: &'a RecordBatch) -> Result<Vec<Self>, ArrowError> {
        batch.columns().iter().map(Self::new).collect()
    }

    pub(crate) fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// The text of a cell that is not NULL, if it is stored as text.
    pub(crate) fn text(&self, row: usize) -> Option<&'a str> {
        match self.values {
            Values::Text(texts) => Some(texts.value(row)),
            _ => None,
        }
    }

    /// Whether cells of a type are numbers, which are right-aligned.
    pub(crate) fn are_numbers(data_type: &DataType) -> bool {
        data_type.is_numeric() || *data_type == DataType::Boolean
    }

    /// Whether the cells are numbers, which no format quotes.
    pub(crate) fn is_number(&self) -> bool {
        match self.values {
            Values::Integer(_) | Values::Float(_) | Values::Boolean(_) => true,
            Values::Text(_) => false,
            Values::Other { is_number, .. } => is_number,
        }
    }

    /// Whether the cell is a number that JSON cannot represent.
    pub(crate) fn is_unrepresentable_in_json(&self, row: usize) -> bool {
        matches!(self.values, Values::Float(floats) if !floats.value(row).is_finite())
    }

    /// Appends a cell that is not NULL.
    pub(crate) fn append(&self, row: usize, out: &mut String) -> Result<(), ArrowError> {
        // Writing to a String cannot fail.
        let written = match &self.values {
            Values::Integer(integers) => write!(out, "{}", integers.value(row)),
            Values::Float(floats) => append_float(floats.value(row), out),
            // SQLite has no boolean type; it uses 1 and 0.
            Values::Boolean(booleans) => {
                out.write_char(if booleans.value(row) { '1' } else { '0' })
            }
            Values::Text(texts) => out.write_str(texts.value(row)),
            Values::Other { formatter, .. } => formatter.value(row).write(out).map(|()| Ok(()))?,
        };
        written.map_err(|error| ArrowError::InvalidArgumentError(error.to_string()))
    }
}

const FORMAT: FormatOptions<'static> = FormatOptions::new();

/// Appends the shortest text that reads back as the same float and is recognisable as a float.
fn append_float(value: f64, out: &mut String) -> std::fmt::Result {
    if value.is_infinite() {
        return out.write_str(if value > 0.0 { "Inf" } else { "-Inf" });
    }
    write!(out, "{value:?}")
}

#[cfg(test)]
mod tests {
    use super::append_float;

    #[test]
    fn floats_read_back_as_themselves() -> std::fmt::Result {
        for (value, text) in [
            (0.1 + 0.2, "0.30000000000000004"),
            (3.0, "3.0"),
            (1e300, "1e300"),
            (-2.5e-9, "-2.5e-9"),
        ] {
            let mut out = String::new();
            append_float(value, &mut out)?;
            assert_eq!(out, text);
        }
        Ok(())
    }
}
