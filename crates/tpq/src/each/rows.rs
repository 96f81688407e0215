//! Rows of a trace that are kept until the traces before it are read, and the columns that the rows
//! of all traces share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, new_null_array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::EachError;

/// The size in bytes of the rows of a trace that stay in memory. What is more goes to a temporary
/// file.
pub(super) const MOST_IN_MEMORY: usize = 16 << 20;

/// The rows of one trace: the columns of the trace, and then those of the statement.
pub type KeptRows = tpq_sql::KeptRows<EachError>;

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
        let fields = rows.schema().fields().iter().map(|field| match field.data_type() {
            DataType::Null => field.as_ref().clone().with_data_type(DataType::Utf8View),
            _ => field.as_ref().clone(),
        });
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let types = rows.schema().fields().iter().map(|field| field.data_type());
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
        let found = rows.schema().fields();
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

    use super::*;

    fn integers_named_x() -> RecordBatch {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![7, 8]));
        RecordBatch::try_from_iter([("x", column)]).unwrap()
    }

    #[test]
    fn columns_of_other_types_are_refused() {
        let kept = |field: Field| KeptRows::new(Arc::new(Schema::new(vec![field])), MOST_IN_MEMORY);
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
