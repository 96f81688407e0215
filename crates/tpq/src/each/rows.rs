//! Rows of a trace that are kept until the traces before it are read, and the columns that the rows
//! of all traces share.

use std::fs::File;
use std::io::{BufReader, BufWriter, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, new_null_array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::reader::StreamReader;
use datafusion::arrow::ipc::writer::StreamWriter;

use super::EachError;

/// The size in bytes of the rows of a trace that stay in memory. What is more goes to a temporary
/// file.
const MOST_IN_MEMORY: usize = 16 << 20;

/// The rows of one trace.
pub struct KeptRows {
    schema: SchemaRef,
    rows: usize,
    batches: Vec<RecordBatch>,
    /// The size of the batches in memory, in bytes.
    bytes: usize,
    /// The rows before those in memory. The file has no name, so that it ends with the process.
    file: Option<StreamWriter<BufWriter<File>>>,
}

impl KeptRows {
    pub(super) fn new(schema: SchemaRef) -> Self {
        Self { schema, rows: 0, batches: Vec::new(), bytes: 0, file: None }
    }

    pub(super) fn push(&mut self, batch: &RecordBatch) -> Result<(), EachError> {
        self.rows += batch.num_rows();
        self.bytes += batch.get_array_memory_size();
        self.batches.push(batch.clone());
        if self.bytes > MOST_IN_MEMORY {
            self.spill()?;
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<(), EachError> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => {
                let file = BufWriter::new(tempfile::tempfile()?);
                StreamWriter::try_new(file, &self.schema)?
            }
        };
        for batch in self.batches.drain(..) {
            file.write(&batch)?;
        }
        self.bytes = 0;
        self.file = Some(file);
        Ok(())
    }

    /// The columns: those of the trace, and then those of the statement.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.rows
    }

    /// The rows, in the order of the statement.
    ///
    /// # Errors
    /// When the temporary file cannot be read.
    pub fn into_batches(
        self,
    ) -> Result<impl Iterator<Item = Result<RecordBatch, EachError>>, EachError> {
        let spilled = match self.file {
            Some(mut writer) => {
                writer.finish()?;
                let mut file = writer.into_inner()?.into_inner().map_err(ArrowError::from)?;
                file.seek(SeekFrom::Start(0))?;
                Some(StreamReader::try_new(BufReader::new(file), None)?)
            }
            None => None,
        };
        let spilled = spilled.into_iter().flatten().map(|batch| Ok(batch?));
        Ok(spilled.chain(self.batches.into_iter().map(Ok)))
    }
}

/// The columns of the relation of all traces: those of the first trace with rows.
pub struct SharedColumns {
    schema: SchemaRef,
    /// Whether a column was NULL in the whole first trace.
    is_untyped: Vec<bool>,
    /// The first trace.
    of: PathBuf,
}

impl SharedColumns {
    /// The columns of the first trace. A column that is NULL in the whole trace is text.
    pub fn of(path: &Path, rows: &KeptRows) -> Self {
        let fields = rows.schema.fields().iter().map(|field| match field.data_type() {
            DataType::Null => field.as_ref().clone().with_data_type(DataType::Utf8View),
            _ => field.as_ref().clone(),
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let types = rows.schema.fields().iter().map(|field| field.data_type());
        let is_untyped = types.map(|data_type| *data_type == DataType::Null).collect();
        Self { schema, is_untyped, of: path.to_owned() }
    }

    /// The columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Checks that rows have these columns.
    ///
    /// # Errors
    /// When a column has another name or type. No value is converted to another type, except to
    /// text where the first trace had only NULL.
    pub fn check(&self, rows: &KeptRows) -> Result<(), EachError> {
        let expected = self.schema.fields();
        let found = rows.schema.fields();
        for at in 0..expected.len().max(found.len()) {
            let (expected, found) = (expected.get(at), found.get(at));
            let fits = expected.zip(found).is_some_and(|(expected, found)| {
                let is_any = self.is_untyped[at] || *found.data_type() == DataType::Null;
                let has_type = is_any || expected.data_type() == found.data_type();
                expected.name() == found.name() && has_type
            });
            if !fits {
                return Err(EachError::Columns {
                    number: at + 1,
                    found: describe(found.map(AsRef::as_ref)),
                    expected: describe(expected.map(AsRef::as_ref)),
                    of: self.of.clone(),
                });
            }
        }
        Ok(())
    }

    /// The rows of a batch, with the types of the relation.
    ///
    /// # Errors
    /// When the batch does not have these columns.
    pub fn convert(&self, batch: &RecordBatch) -> Result<RecordBatch, EachError> {
        let columns = self.schema.fields().iter().zip(batch.columns());
        let columns = columns.map(|(field, column)| -> Result<ArrayRef, EachError> {
            Ok(match column.data_type() {
                DataType::Null => new_null_array(field.data_type(), batch.num_rows()),
                _ => cast(column, field.data_type())?,
            })
        });
        let columns = columns.collect::<Result<Vec<_>, _>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

fn describe(field: Option<&Field>) -> String {
    field.map_or_else(
        || "no column".to_owned(),
        |field| format!("{} {}", field.name(), field.data_type()),
    )
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{AsArray, Int64Array};
    use datafusion::arrow::datatypes::Int64Type;

    use super::*;

    fn integers(values: std::ops::Range<i64>) -> RecordBatch {
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        RecordBatch::try_from_iter([("n", column)]).unwrap()
    }

    #[test]
    fn rows_beyond_the_memory_come_back_in_order() {
        let first = integers(0..1_500_000);
        let mut kept = KeptRows::new(first.schema());
        for start in [0, 1_500_000, 3_000_000] {
            kept.push(&integers(start..start + 1_500_000)).unwrap();
        }
        assert!(kept.file.is_some());
        assert_eq!(kept.row_count(), 4_500_000);
        let mut expected = 0;
        for batch in kept.into_batches().unwrap() {
            for value in batch.unwrap().column(0).as_primitive::<Int64Type>().values() {
                assert_eq!(*value, expected);
                expected += 1;
            }
        }
        assert_eq!(expected, 4_500_000);
    }

    fn integers_named_x() -> RecordBatch {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
        RecordBatch::try_from_iter([("x", column)]).unwrap()
    }

    #[test]
    fn columns_of_other_types_are_refused() {
        let kept = |field: Field| KeptRows::new(Arc::new(Schema::new(vec![field])));
        let shared =
            SharedColumns::of(Path::new("a"), &kept(Field::new("x", DataType::Int64, true)));
        assert!(shared.check(&kept(Field::new("x", DataType::Int64, true))).is_ok());
        assert!(shared.check(&kept(Field::new("x", DataType::Null, true))).is_ok());
        let untyped =
            SharedColumns::of(Path::new("a"), &kept(Field::new("x", DataType::Null, true)));
        assert!(untyped.check(&kept(Field::new("x", DataType::Float64, true))).is_ok());
        let texts = untyped.convert(&integers_named_x()).unwrap();
        assert_eq!(texts.column(0).as_string_view().value(1), "8");
        let real = shared.check(&kept(Field::new("x", DataType::Float64, true))).unwrap_err();
        assert_eq!(
            real.to_string(),
            "column 1 is `x Float64`, but `x Int64` in a; name columns with AS and give them a \
             type with CAST"
        );
        let other = shared.check(&kept(Field::new("y", DataType::Int64, true))).unwrap_err();
        assert!(other.to_string().starts_with("column 1 is `y Int64`, but `x Int64` in a"));
    }
}
