//! Record batches as rows of PostgreSQL.

use std::sync::Arc;

use arrow_pg::datatypes::field_into_pg_type;
use arrow_pg::row_encoder::RowEncoder;
use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use pgwire::api::Type;
use pgwire::api::results::{FieldFormat, FieldInfo};
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::data::RowDescription;

use super::errors::{Failure, code};
use super::reals::reals_as_text;

/// The most columns, as PostgreSQL has it for results.
const MAX_COLUMNS: usize = 1664;

/// The columns of a result as the client knows them.
pub(super) struct Columns {
    schema: SchemaRef,
    fields: Arc<Vec<FieldInfo>>,
}

impl Columns {
    /// The columns in the formats that were asked for: none stands for text, one is for all.
    ///
    /// # Errors
    /// When there are too many columns, or formats of another number of columns.
    pub(super) fn new(schema: &SchemaRef, formats: &[i16]) -> Result<Self, Failure> {
        let count = schema.fields().len();
        if count > MAX_COLUMNS {
            let message = format!("a result of {count} columns; the most is {MAX_COLUMNS}");
            return Err(Failure::new(code::TOO_MANY_COLUMNS, message));
        }
        if formats.len() > 1 && formats.len() != count {
            let message = format!("{} formats for {count} columns", formats.len());
            return Err(Failure::new(code::PROTOCOL_VIOLATION, message));
        }
        let sent: Vec<Arc<Field>> = schema.fields().iter().map(sent_field).collect();
        let format_of = |column: usize| formats.get(column).or(formats.first()).copied();
        let field = |(column, field): (usize, &Arc<Field>)| {
            let kind = field_into_pg_type(field).ok().filter(|kind| *kind != Type::UNKNOWN);
            let format = FieldFormat::from(format_of(column).unwrap_or(0));
            let name = field.name().replace('\0', "\u{fffd}");
            FieldInfo::new(name, None, None, kind.unwrap_or(Type::TEXT), format)
        };
        let fields: Vec<FieldInfo> = sent.iter().enumerate().map(field).collect();
        let written = |(field, info): (&Arc<Field>, &FieldInfo)| match info.format() {
            FieldFormat::Text if field.data_type().is_floating() => {
                Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8))
            }
            _ => Arc::clone(field),
        };
        let sent: Vec<Arc<Field>> = sent.iter().zip(&fields).map(written).collect();
        Ok(Self { schema: Arc::new(Schema::new(sent)), fields: Arc::new(fields) })
    }

    /// The message that describes the columns.
    pub(super) fn description(&self) -> PgWireBackendMessage {
        let fields = self.fields.iter().map(Into::into).collect();
        PgWireBackendMessage::RowDescription(RowDescription::new(fields))
    }

    /// The rows of a batch.
    ///
    /// # Errors
    /// When a value does not fit the column that was described.
    pub(super) fn rows(&self, batch: &RecordBatch) -> Result<RowEncoder, Failure> {
        let failed = |error: ArrowError| Failure::new("22000", error.to_string());
        if batch.num_columns() != self.schema.fields().len() {
            let message = "the columns of the statement are others than those described";
            return Err(Failure::new("0A000", message));
        }
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns = columns.map(|(column, field)| sent_values(column, field.data_type()));
        let columns = columns.collect::<Result<Vec<ArrayRef>, _>>().map_err(failed)?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let schema = Arc::clone(&self.schema);
        let batch = RecordBatch::try_new_with_options(schema, columns, &options);
        Ok(RowEncoder::new(batch.map_err(failed)?, Arc::clone(&self.fields)))
    }
}

/// The field with the type that is sent. Any value may be NULL.
fn sent_field(field: &Arc<Field>) -> Arc<Field> {
    let kind = sent_type(field.data_type());
    Arc::new(field.as_ref().clone().with_data_type(kind).with_nullable(true))
}

/// The type that a column is sent as: its own, or text where PostgreSQL has no such type.
fn sent_type(kind: &DataType) -> DataType {
    match kind {
        DataType::Dictionary(_, value) => sent_type(value),
        DataType::Float16 => DataType::Float32,
        DataType::FixedSizeBinary(_) => DataType::Binary,
        DataType::List(item) if is_sent(item.data_type()) => kind.clone(),
        kind if is_sent(kind) => kind.clone(),
        _ => DataType::Utf8,
    }
}

fn is_sent(kind: &DataType) -> bool {
    use DataType::*;
    matches!(
        kind,
        Boolean
            | Int8
            | Int16
            | Int32
            | Int64
            | UInt8
            | UInt16
            | UInt32
            | UInt64
            | Float32
            | Float64
            | Decimal128(..)
            | Utf8
            | LargeUtf8
            | Utf8View
            | Binary
            | LargeBinary
            | BinaryView
            | Date32
            | Timestamp(..)
    )
}

fn sent_values(column: &ArrayRef, kind: &DataType) -> Result<ArrayRef, ArrowError> {
    if column.data_type() == kind {
        return Ok(Arc::clone(column));
    }
    let own = column.data_type();
    if *kind == DataType::Utf8 && own.is_floating() {
        return reals_as_text(column);
    }
    let is_shown = *kind == DataType::Utf8 && own.is_nested();
    if is_shown { shown(column) } else { cast_with_options(column, kind, &exact()) }
}

/// An error in place of NULL where a value does not fit.
fn exact() -> CastOptions<'static> {
    CastOptions { safe: false, ..CastOptions::default() }
}

/// Values as text.
fn shown(column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let options = FormatOptions::new();
    let formatter = ArrayFormatter::try_new(column.as_ref(), &options)?;
    let text = |row: usize| match column.is_null(row) {
        true => Ok(None),
        false => formatter.value(row).try_to_string().map(Some),
    };
    let texts: StringArray = (0..column.len()).map(text).collect::<Result<_, _>>()?;
    Ok(Arc::new(texts))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{
        BinaryArray, BooleanArray, DictionaryArray, Float64Array, Int64Array, NullArray,
        StringViewArray,
    };
    use datafusion::arrow::datatypes::Int32Type;

    use super::*;

    fn batch() -> RecordBatch {
        let texts: DictionaryArray<Int32Type> = ["a", "b"].into_iter().collect();
        let columns: [(&str, ArrayRef); 7] = [
            ("ts", Arc::new(Int64Array::from(vec![Some(i64::MAX), None]))),
            ("real", Arc::new(Float64Array::from(vec![0.5, 2.0]))),
            ("truth", Arc::new(BooleanArray::from(vec![true, false]))),
            ("text", Arc::new(StringViewArray::from(vec!["it's", ""]))),
            ("word", Arc::new(texts)),
            ("blob", Arc::new(BinaryArray::from(vec![&b"\0\xff"[..], b""]))),
            ("nothing", Arc::new(NullArray::new(2))),
        ];
        RecordBatch::try_from_iter(columns).expect("a batch")
    }

    /// The cells of a row: the length of each, and its bytes.
    fn cells(mut row: &[u8]) -> Vec<Option<Vec<u8>>> {
        let mut cells = Vec::new();
        while let Some((length, rest)) = row.split_first_chunk::<4>() {
            let length = usize::try_from(i32::from_be_bytes(*length)).ok();
            let (cell, rest) = rest.split_at(length.unwrap_or(0));
            cells.push(length.map(|_| cell.to_vec()));
            row = rest;
        }
        cells
    }

    #[test]
    fn columns_have_types_of_postgresql() {
        let columns = Columns::new(&batch().schema(), &[]).expect("columns");
        let types: Vec<&str> = columns.fields.iter().map(|field| field.datatype().name()).collect();
        assert_eq!(types, ["int8", "float8", "bool", "text", "text", "bytea", "text"]);
    }

    #[test]
    fn rows_are_text() {
        let batch = batch();
        let columns = Columns::new(&batch.schema(), &[]).expect("columns");
        let mut rows = columns.rows(&batch).expect("rows");
        let mut next = || cells(&rows.next_row().expect("a row").expect("encoded").data);
        let text = |text: &str| Some(text.as_bytes().to_vec());
        let first = ["9223372036854775807", "0.5", "t", "it's", "a", "\\x00ff"];
        assert_eq!(next(), [first.map(text).as_slice(), &[None]].concat());
        let rest = ["2", "f", "", "b", "\\x"];
        assert_eq!(next(), [&[None], rest.map(text).as_slice(), &[None]].concat());
        assert!(rows.next_row().is_none());
    }

    #[test]
    fn rows_are_binary_where_asked() {
        let batch = batch();
        let columns = Columns::new(&batch.schema(), &[1]).expect("columns");
        let mut rows = columns.rows(&batch).expect("rows");
        let row = cells(&rows.next_row().expect("a row").expect("encoded").data);
        assert_eq!(row[0], Some(i64::MAX.to_be_bytes().to_vec()));
        assert_eq!(row[1], Some(0.5_f64.to_be_bytes().to_vec()));
        assert_eq!(row[2..4], [Some(vec![1]), Some(b"it's".to_vec())]);
        assert_eq!(row[5..], [Some(vec![0, 0xff]), None]);
        assert!(Columns::new(&batch.schema(), &[0, 1]).is_err());
    }

    #[test]
    fn a_value_that_does_not_fit_is_an_error() {
        let narrow = Schema::new(vec![Field::new("a", DataType::Int32, true)]);
        let columns = Columns::new(&Arc::new(narrow), &[]).expect("columns");
        let wide: [(&str, ArrayRef); 1] = [("a", Arc::new(Int64Array::from(vec![i64::MAX])))];
        let batch = RecordBatch::try_from_iter(wide).expect("a batch");
        assert!(columns.rows(&batch).is_err());
    }
}
