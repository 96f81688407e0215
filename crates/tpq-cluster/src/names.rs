//! The names of traces as the input of a plan: a table with one column, in partitions.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, internal_datafusion_err};
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_plan::ExecutionPlan;

/// The least number of partitions that a list is cut into, where it has as many names. Executors
/// with more cores than this would have nothing to do.
const LEAST_PARTITIONS: usize = 64;

/// The most names of a partition. It is what runs again when an executor is lost.
const MOST_NAMES: usize = 256;

static SCHEMA: LazyLock<SchemaRef> =
    LazyLock::new(|| Arc::new(Schema::new(vec![Field::new("trace", DataType::Utf8, false)])));

/// A plan that gives the names in their order, in neighbouring partitions.
///
/// # Errors
/// Only on a bug: the columns fit the schema.
pub(crate) fn scan(names: &[String]) -> Result<Arc<dyn ExecutionPlan>> {
    let partitions = partitions(names.len());
    let size = names.len().div_ceil(partitions).max(1);
    let batch = |names: &[String]| -> Result<Vec<RecordBatch>> {
        let column: ArrayRef = Arc::new(StringArray::from_iter_values(names));
        Ok(vec![RecordBatch::try_new(Arc::clone(&SCHEMA), vec![column])?])
    };
    let mut batches = names.chunks(size).map(batch).collect::<Result<Vec<_>>>()?;
    if batches.is_empty() {
        batches.push(Vec::new());
    }
    let source = MemorySourceConfig::try_new(&batches, Arc::clone(&SCHEMA), None)?;
    Ok(DataSourceExec::from_data_source(source))
}

fn partitions(names: usize) -> usize {
    names.min(LEAST_PARTITIONS).max(names.div_ceil(MOST_NAMES)).max(1)
}

/// The names of a batch.
///
/// # Errors
/// When the batch is not one of names.
pub(crate) fn of(batch: &RecordBatch) -> Result<Vec<String>> {
    let column = batch.columns().first().and_then(|column| column.as_string_opt::<i32>());
    let column =
        column.ok_or_else(|| internal_datafusion_err!("a list of traces without names"))?;
    Ok(column.iter().flatten().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_make_many_partitions() {
        assert_eq!(
            [0, 1, 5, 64, 65, 10_000, 1_000_000].map(partitions),
            [1, 1, 5, 64, 64, 64, 3907]
        );
    }

    #[test]
    fn partitions_are_neighbours() {
        let names: Vec<String> = (0..130).map(|it| it.to_string()).collect();
        let plan = scan(&names).unwrap();
        // 130 names in partitions of three.
        assert_eq!(plan.properties().partitioning.partition_count(), 44);
        assert_eq!(scan(&[]).unwrap().properties().partitioning.partition_count(), 1);
    }
}
