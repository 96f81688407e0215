//! The cells of columns, as SQLite types: NULL, integers, reals, texts and blobs.

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BinaryArray, BinaryViewArray, BooleanArray, FixedSizeBinaryArray,
    Float64Array, Int64Array, LargeBinaryArray, LargeStringArray, RecordBatch, StringArray,
    StringViewArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

/// A cell.
pub(super) enum Cell<'a> {
    Null,
    Integer(i64),
    Float(f64),
    Text(&'a str),
    /// The text of a value that is neither a number nor a text: a list, a date.
    Shown(String),
    Blob(&'a [u8]),
}

/// A column of cells.
pub(super) struct Cells<'a> {
    nulls: Option<NullBuffer>,
    values: Values<'a>,
}

enum Values<'a> {
    Integers(&'a Int64Array),
    /// Integers of other widths, as `i64`.
    Widened(Int64Array),
    Floats(&'a Float64Array),
    /// Floats of other widths and decimals, as `f64`.
    Converted(Float64Array),
    Booleans(&'a BooleanArray),
    TextViews(&'a StringViewArray),
    Texts(&'a StringArray),
    LargeTexts(&'a LargeStringArray),
    Blobs(&'a BinaryArray),
    LargeBlobs(&'a LargeBinaryArray),
    BlobViews(&'a BinaryViewArray),
    FixedBlobs(&'a FixedSizeBinaryArray),
    Shown(Box<ArrayFormatter<'a>>),
}

const FORMAT: FormatOptions<'static> = FormatOptions::new();

impl<'a> Cells<'a> {
    /// The columns of a batch.
    pub(super) fn of(batch: &'a RecordBatch) -> Result<Vec<Self>, ArrowError> {
        batch.columns().iter().map(Self::new).collect()
    }

    fn new(array: &'a ArrayRef) -> Result<Self, ArrowError> {
        let values = match array.data_type() {
            DataType::Int64 => Values::Integers(array.as_primitive::<Int64Type>()),
            DataType::Float64 => Values::Floats(array.as_primitive::<Float64Type>()),
            DataType::Boolean => Values::Booleans(array.as_boolean()),
            DataType::Utf8View => Values::TextViews(array.as_string_view()),
            DataType::Utf8 => Values::Texts(array.as_string()),
            DataType::LargeUtf8 => Values::LargeTexts(array.as_string()),
            DataType::Binary => Values::Blobs(array.as_binary()),
            DataType::LargeBinary => Values::LargeBlobs(array.as_binary()),
            DataType::BinaryView => Values::BlobViews(array.as_binary_view()),
            DataType::FixedSizeBinary(_) => Values::FixedBlobs(array.as_fixed_size_binary()),
            DataType::UInt64 if exceeds_i64(array) => Values::Converted(floats(array)?),
            kind if kind.is_integer() => Values::Widened(integers(array)?),
            kind if kind.is_numeric() => Values::Converted(floats(array)?),
            _ => Values::Shown(Box::new(ArrayFormatter::try_new(array, &FORMAT)?)),
        };
        Ok(Self { nulls: array.logical_nulls(), values })
    }

    /// The cell of a row.
    ///
    /// # Errors
    /// When its value cannot be shown.
    pub(super) fn cell(&self, row: usize) -> Result<Cell<'_>, ArrowError> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return Ok(Cell::Null);
        }
        Ok(match &self.values {
            Values::Integers(integers) => Cell::Integer(integers.value(row)),
            Values::Widened(integers) => Cell::Integer(integers.value(row)),
            Values::Floats(floats) => Cell::Float(floats.value(row)),
            Values::Converted(floats) => Cell::Float(floats.value(row)),
            // SQLite has no booleans; it uses 1 and 0.
            Values::Booleans(booleans) => Cell::Integer(i64::from(booleans.value(row))),
            Values::TextViews(texts) => Cell::Text(texts.value(row)),
            Values::Texts(texts) => Cell::Text(texts.value(row)),
            Values::LargeTexts(texts) => Cell::Text(texts.value(row)),
            Values::Blobs(blobs) => Cell::Blob(blobs.value(row)),
            Values::LargeBlobs(blobs) => Cell::Blob(blobs.value(row)),
            Values::BlobViews(blobs) => Cell::Blob(blobs.value(row)),
            Values::FixedBlobs(blobs) => Cell::Blob(blobs.value(row)),
            Values::Shown(formatter) => Cell::Shown(formatter.value(row).try_to_string()?),
        })
    }
}

/// Whether a column has a value that a signed integer cannot represent.
fn exceeds_i64(array: &ArrayRef) -> bool {
    let values = array.as_primitive::<datafusion::arrow::datatypes::UInt64Type>();
    values.iter().flatten().any(|value| i64::try_from(value).is_err())
}

fn integers(array: &ArrayRef) -> Result<Int64Array, ArrowError> {
    Ok(cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
}

fn floats(array: &ArrayRef) -> Result<Float64Array, ArrowError> {
    Ok(cast(array, &DataType::Float64)?.as_primitive::<Float64Type>().clone())
}
