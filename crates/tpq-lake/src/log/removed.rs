//! When files were taken out of a table.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int64Type};
use delta_kernel::engine::arrow_data::ArrowEngineData;
use delta_kernel::snapshot::SnapshotRef;
use delta_kernel::{Engine, KernelError};

/// The time of each removal that the log of a table still has, in milliseconds since 1970, by path.
/// These are entries that a checkpoint would keep: the latest of each file.
pub(super) fn times(
    snapshot: &SnapshotRef,
    engine: &dyn Engine,
) -> Result<HashMap<String, i64>, KernelError> {
    let writer = Arc::clone(snapshot).create_checkpoint_writer(engine)?;
    let mut times = HashMap::new();
    for entries in writer.checkpoint_data(engine)? {
        let entries = entries?.apply_selection_vector()?;
        let entries = ArrowEngineData::try_from_engine_data(entries)?;
        add_times(entries.record_batch(), &mut times)?;
    }
    Ok(times)
}

/// Adds the times of removals among entries of a log.
fn add_times(entries: &RecordBatch, times: &mut HashMap<String, i64>) -> Result<(), KernelError> {
    let removals = entries.column_by_name("remove");
    let Some(removals) = removals.and_then(|column| column.as_struct_opt()) else { return Ok(()) };
    let columns = (removals.column_by_name("path"), removals.column_by_name("deletionTimestamp"));
    let (Some(paths), Some(at)) = columns else { return Ok(()) };
    let (paths, at) = (cast(paths, &DataType::Utf8View)?, cast(at, &DataType::Int64)?);
    let (paths, at) = (paths.as_string_view(), at.as_primitive::<Int64Type>());
    for row in 0..removals.len() {
        if removals.is_valid(row) && paths.is_valid(row) && at.is_valid(row) {
            times.insert(paths.value(row).to_owned(), at.value(row));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::log::{ColumnType, LogChange};
    use crate::runtime;
    use crate::test_lake::{file, in_log, ingest, lake};
    use crate::write::milliseconds;

    #[tokio::test]
    async fn a_log_says_when_files_were_taken_out() {
        let (_folder, lake) = lake(&["device"]).await;
        for digest in ["aa", "bb"] {
            ingest(&lake, digest, "x y", 1).await;
        }
        let (path, log) = (file(&lake, "aa").await.path, lake.log("slice"));
        let before = milliseconds();
        let removed = path.clone();
        let (times, again) = runtime::blocking(move || {
            let removals = || log.removals(&log.state()?.unwrap());
            assert!(removals()?.is_empty());
            let remove = HashSet::from([removed]);
            log.apply(&LogChange { remove, ..LogChange::default() })?;
            let times = removals()?;
            // More commits than a checkpoint waits for.
            for number in 0..25 {
                let columns = vec![(format!("test{number}"), ColumnType::Text)];
                log.apply(&LogChange { columns, ..LogChange::default() })?;
            }
            Ok((times, removals()?))
        })
        .await
        .unwrap();
        assert_eq!(times.keys().collect::<Vec<_>>(), [&path]);
        assert!(times[&path] >= before && times[&path] <= milliseconds());
        assert_eq!(again, times);
        assert_eq!(in_log(&lake).await.len(), 1);
    }
}
