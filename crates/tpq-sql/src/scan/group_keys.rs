//! What a step that groups rows asks of a scan: the bounds of a column of integers, and string ids
//! in place of text.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;

use super::StoredTable;
use super::source::ChunkSource;

/// The strings that the ids of a scan stand for.
#[derive(Clone)]
pub(crate) struct StringIds(pub(super) Arc<StoredTable>);

impl StringIds {
    /// The number of strings, including NULL, which has id 0.
    pub(crate) fn count(&self) -> usize {
        self.0.table().string_count().unwrap_or_default()
    }

    /// The strings with these ids.
    pub(crate) fn strings(&self, ids: &[u32]) -> ArrayRef {
        self.0.table().strings(ids)
    }
}

impl fmt::Debug for StringIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StringIds({:?})", self.0)
    }
}

/// The number of rows of the table that a scan reads; `None` if the scan is not of a table of tpq.
pub(crate) fn table_rows(scan: &DataSourceExec) -> Option<usize> {
    Some(scan.data_source().downcast_ref::<ChunkSource>()?.stored().rows())
}

/// The least and greatest value of a column of integers; `None` if they are not known.
pub(crate) fn integer_bounds(scan: &DataSourceExec, column: usize) -> Option<(i64, i64)> {
    let source = scan.data_source().downcast_ref::<ChunkSource>()?;
    let column = source.table_column(column)?;
    let table = source.stored();
    if table.table().schema().field(column).data_type() != &DataType::Int64 {
        return None;
    }
    let statistics = table.statistics_of(&[column]);
    let statistics = statistics.column_statistics.first()?;
    match (statistics.min_value.get_value()?, statistics.max_value.get_value()?) {
        (ScalarValue::Int64(Some(low)), ScalarValue::Int64(Some(high))) => Some((*low, *high)),
        _ => None,
    }
}

/// The scan with string ids in place of the text of a column, as integers of 32 bits; `None` if the
/// column has none, or if filters of the scan need the text.
pub(crate) fn with_string_ids(
    scan: &DataSourceExec,
    column: usize,
) -> Option<(Arc<dyn ExecutionPlan>, StringIds)> {
    let source = scan.data_source().downcast_ref::<ChunkSource>()?;
    let strings = StringIds(Arc::clone(source.stored()));
    let scan: Arc<dyn ExecutionPlan> =
        DataSourceExec::from_data_source(source.with_string_ids(column)?);
    Some((scan, strings))
}
