use datafusion::arrow::array::{ArrayRef, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::super::joiner::Sources;
use super::*;
use crate::Committed;
use crate::test_lake::{file, in_catalog, in_log, ingest, lake};

/// The limits without a memory limit.
fn limits() -> JoinLimits {
    JoinLimits::within(None)
}

async fn join_all(lake: &Lake, groups: Vec<Group>) -> Vec<Joined> {
    let mut joined = Vec::new();
    for group in groups {
        joined.push(lake.join_group(group, &limits(), None).await.unwrap());
    }
    joined
}

/// The groups of files of slices that are to be joined.
async fn groups_of_slices(lake: &Lake) -> Vec<Group> {
    groups(&lake.catalog().await.unwrap(), "slice", &limits())
}

#[tokio::test]
async fn traces_that_are_committed_meanwhile_do_not_end_a_compaction() {
    let (_folder, lake) = lake(&[]).await;
    for (digest, slices) in [("aa", 1), ("bb", 2), ("cc", 3)] {
        assert_eq!(ingest(&lake, digest, "x", slices).await, Committed::Added);
    }
    let joined = join_all(&lake, groups_of_slices(&lake).await).await;
    ingest(&lake, "dd", "x", 4).await;
    let done = lake.commit_joined(joined).await.unwrap();
    lake.reconcile(None).await.unwrap();
    assert_eq!(done, Compacted { before: 3, after: 1 });
    for (digest, slices, first) in [("aa", 1, 0), ("bb", 2, 1), ("cc", 3, 2)] {
        let file = file(&lake, digest).await;
        assert_eq!(file.rows, slices);
        assert_eq!(file.row_groups, Some(RowGroups { first, count: 1, all: 3 }));
    }
    assert_eq!(file(&lake, "dd").await.row_groups, None);
    assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
    assert_eq!(in_log(&lake).await.len(), 2);
}

#[tokio::test]
async fn traces_that_are_replaced_or_deleted_meanwhile_keep_their_files() {
    let (_folder, lake) = lake(&["device"]).await;
    for (digest, device) in [("aa", "x"), ("bb", "x"), ("cc", "y"), ("dd", "y"), ("ee", "z")] {
        ingest(&lake, digest, device, 1).await;
    }
    ingest(&lake, "ff", "z", 1).await;
    let joined = join_all(&lake, groups_of_slices(&lake).await).await;
    assert_eq!(joined.len(), 3);
    assert_eq!(ingest(&lake, "aa", "x", 5).await, Committed::Replaced);
    let deleted = lake.delete(&HashSet::from(["cc".to_owned()])).await.unwrap();
    assert_eq!(deleted.len(), 1);
    let done = lake.commit_joined(joined).await.unwrap();
    lake.reconcile(None).await.unwrap();
    // The group of `z` alone is as it was.
    assert_eq!(done, Compacted { before: 2, after: 1 });
    assert_eq!(file(&lake, "aa").await.rows, 5);
    for digest in ["aa", "bb", "dd"] {
        assert_eq!(file(&lake, digest).await.row_groups, None, "{digest}");
    }
    assert_eq!(file(&lake, "ee").await.path, file(&lake, "ff").await.path);
    assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
    assert_eq!(in_log(&lake).await.len(), 4);
}

#[tokio::test]
async fn files_with_rows_of_several_partitions_are_divided() {
    let (_folder, lake) = lake(&["device"]).await;
    for (digest, device) in [("aa", "r 1"), ("bb", "r_1"), ("cc", "r 1"), ("dd", "r_1")] {
        ingest(&lake, digest, device, 1).await;
    }
    // As earlier versions joined them.
    let mut all = groups_of_slices(&lake).await;
    let mut mixed = all.pop().unwrap();
    mixed.parts.extend(all.pop().unwrap().parts);
    let joined = join_all(&lake, vec![mixed]).await;
    lake.commit_joined(joined).await.unwrap();
    assert_eq!(in_catalog(&lake).await.len(), 1);
    assert_eq!(lake.compact().await.unwrap(), Compacted { before: 1, after: 2 });
    assert_eq!(file(&lake, "aa").await.path, file(&lake, "cc").await.path);
    assert_eq!(file(&lake, "bb").await.path, file(&lake, "dd").await.path);
    assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
    assert_eq!(in_log(&lake).await.len(), 2);
    assert_eq!(lake.compact().await.unwrap(), Compacted::default());
}

#[tokio::test]
async fn a_file_is_read_once_for_all_of_its_traces() {
    let (folder, lake) = lake(&[]).await;
    for digest in ["aa", "bb", "cc"] {
        ingest(&lake, digest, "x", 1).await;
    }
    lake.compact().await.unwrap();
    let catalog = lake.catalog().await.unwrap();
    let path = file(&lake, "aa").await.path;
    let of_file = HashSet::from([("slice", path.as_str())]);
    let group = groups_of(&catalog, &of_file).pop().unwrap();
    assert_eq!(group.parts.len(), 3);
    let mut sources = Sources::of(&group, &limits());
    let mut next = |at: usize| sources.next(&lake, "slice", &group.parts[at].file).unwrap();
    let first = next(0).metadata;
    std::fs::remove_file(folder.path().join("slice").join(&path)).unwrap();
    for at in [1, 2] {
        assert!(Arc::ptr_eq(&first, &next(at).metadata));
    }
    // Nothing of it stays in memory.
    assert_eq!(Arc::strong_count(&first), 1);
}

/// The columns of the slices of a trace, as its file has them.
async fn rows_of(lake: &Lake, digest: &str) -> Vec<ArrayRef> {
    let file = file(lake, digest).await;
    let path = lake.store().path("slice", &file.path).unwrap();
    let bytes = lake.store().read(&path).await.unwrap();
    let builder = ParquetRecordBatchReaderBuilder::try_new(bytes).unwrap();
    let own = match file.row_groups {
        Some(own) => own.first..own.first + own.count,
        None => 0..builder.metadata().num_row_groups(),
    };
    let reader = builder.with_row_groups(own.collect()).build().unwrap();
    let rows: Vec<RecordBatch> = reader.collect::<Result<_, _>>().unwrap();
    concat_batches(&rows[0].schema(), &rows).unwrap().columns().to_vec()
}

#[tokio::test]
async fn files_are_joined_in_windows_within_little_memory() {
    let (_folder, lake) = lake(&[]).await;
    // Each file is larger than a window.
    let all = [("aa", 6000), ("bb", 1), ("cc", 5000), ("dd", 7000)];
    for (digest, slices) in all {
        ingest(&lake, digest, "x", slices).await;
    }
    let windowed = JoinLimits { window: 64, kept: 0, ..limits() };
    assert!(file(&lake, "cc").await.bytes > 10 * windowed.window);
    let mut before = Vec::new();
    for (digest, _) in all {
        before.push(rows_of(&lake, digest).await);
    }
    // Of several files, and then of one with rows of several traces.
    for _ in 0..2 {
        let catalog = lake.catalog().await.unwrap();
        let paths = in_catalog(&lake).await;
        let paths = paths.iter().map(|path| ("slice", path.as_str())).collect();
        let mut groups = groups_of(&catalog, &paths);
        let mut group = groups.pop().unwrap();
        group.parts.extend(groups.into_iter().flat_map(|other| other.parts));
        group.parts.sort_by(|a, b| a.digest.cmp(&b.digest));
        let joined = lake.join_group(group, &windowed, None).await.unwrap();
        lake.commit_joined(vec![joined]).await.unwrap();
        assert_eq!(in_catalog(&lake).await.len(), 1);
        for ((digest, slices), before) in all.iter().zip(&before) {
            assert_eq!(file(&lake, digest).await.rows, *slices as u64);
            assert_eq!(rows_of(&lake, digest).await, *before);
        }
    }
}

#[tokio::test]
async fn a_compaction_that_does_not_fit_its_memory_changes_nothing() {
    let (_folder, lake) = lake(&[]).await;
    for digest in ["aa", "bb"] {
        ingest(&lake, digest, "x", 1).await;
    }
    let version = lake.catalog().await.unwrap().version();
    let small = lake.clone().with_memory_limit(Some(1000));
    let refused = small.compact().await.unwrap_err();
    assert!(matches!(refused, LakeError::Memory { limit: 1000, .. }), "{refused:?}");
    let text = refused.to_string();
    assert!(text.starts_with("the catalogue of 2 traces, and its changes: this takes"), "{text}");
    assert!(text.ends_with("raise --memory-limit"), "{text}");
    assert_eq!(lake.catalog().await.unwrap().version(), version);
    assert_eq!(in_log(&lake).await.len(), 2);
    // The catalogue fits, and the directories of the files do not.
    let tight = JoinLimits::within(Some(1000));
    let group = groups_of_slices(&lake).await.pop().unwrap();
    let refused = lake.join_group(group, &tight, None).await.err().unwrap();
    assert!(refused.to_string().contains("of a joined file of table slice"), "{refused}");
    let enough = lake.clone().with_memory_limit(Some(16 << 20));
    assert_eq!(enough.compact().await.unwrap(), Compacted { before: 2, after: 1 });
    assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
}

#[tokio::test]
async fn files_with_little_memory_have_fewer_traces() {
    let (_folder, lake) = lake(&[]).await;
    for trace in 0..20 {
        ingest(&lake, &format!("{trace:02}"), "x", 1).await;
    }
    let lake = lake.with_memory_limit(Some(16 << 20));
    // 16 in the first file, and the others in a second one.
    assert_eq!(lake.compact().await.unwrap(), Compacted { before: 20, after: 2 });
    assert_eq!(file(&lake, "00").await.path, file(&lake, "15").await.path);
    assert_eq!(file(&lake, "16").await.path, file(&lake, "19").await.path);
    assert_eq!(lake.compact().await.unwrap(), Compacted::default());
}

#[tokio::test]
async fn what_was_joined_before_an_error_is_committed() {
    let (folder, lake) = lake(&["device"]).await;
    for (digest, device) in [("aa", "x"), ("bb", "x"), ("cc", "y"), ("dd", "y")] {
        ingest(&lake, digest, device, 1).await;
    }
    std::fs::remove_file(folder.path().join("slice").join(file(&lake, "cc").await.path)).unwrap();
    let error = lake.compact().await.unwrap_err();
    assert!(matches!(error, LakeError::Store(_)), "{error:?}");
    assert_eq!(file(&lake, "aa").await.path, file(&lake, "bb").await.path);
    assert_eq!(file(&lake, "cc").await.row_groups, None);
    assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
}

#[tokio::test]
async fn a_file_without_some_rows_of_its_trace_is_not_joined() {
    let (_folder, lake) = lake(&[]).await;
    for digest in ["aa", "bb"] {
        ingest(&lake, digest, "x", 3).await;
    }
    let mut group = groups_of_slices(&lake).await.pop().unwrap();
    group.parts[1].file.rows = 4;
    let refused = lake.join_group(group, &limits(), None).await.err().unwrap();
    assert!(refused.to_string().ends_with("has 3 rows of a trace in place of 4"), "{refused}");
    assert_eq!(lake.compact().await.unwrap(), Compacted { before: 2, after: 1 });
}

#[tokio::test]
async fn rows_that_a_dead_process_has_left_in_a_joined_file_are_left_out() {
    for compacts in [false, true] {
        let (_folder, lake) = lake(&[]).await;
        for (digest, slices) in [("aa", 1), ("bb", 2), ("cc", 3)] {
            ingest(&lake, digest, "x", slices).await;
        }
        lake.compact().await.unwrap();
        let joined = file(&lake, "aa").await.path;
        // A process deletes a trace, and dies before it writes the file without its rows.
        let catalog = lake.catalog().await.unwrap();
        let deleted = HashSet::from(["bb".to_owned()]);
        assert!(lake.change_catalog(&catalog, &deleted, Vec::new()).await.unwrap());
        assert_eq!(in_log(&lake).await, BTreeSet::from([joined.clone()]));
        if compacts {
            lake.compact().await.unwrap();
        } else {
            lake.vacuum(Duration::from_secs(3600)).await.unwrap();
        }
        for (digest, slices, first) in [("aa", 1, 0), ("cc", 3, 1)] {
            let file = file(&lake, digest).await;
            assert_ne!(file.path, joined);
            assert_eq!(file.rows, slices);
            assert_eq!(file.row_groups, Some(RowGroups { first, count: 1, all: 2 }));
        }
        assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
        assert_eq!(lake.compact().await.unwrap(), Compacted::default());
    }
}

#[tokio::test]
async fn work_is_committed_as_soon_as_it_is_due() {
    let waiting = JoinLimits { waiting: 1, ..limits() };
    for (limits, commits) in [(limits(), 1), (waiting, 3)] {
        let (_folder, lake) = lake(&["device"]).await;
        for (digest, device) in [("aa", "x"), ("bb", "x"), ("cc", "y"), ("dd", "y")] {
            ingest(&lake, digest, device, 1).await;
        }
        ingest(&lake, "ee", "z", 1).await;
        ingest(&lake, "ff", "z", 1).await;
        let before = lake.catalog().await.unwrap().version();
        let done = lake.compact_within(&limits).await.unwrap();
        assert_eq!(done, Compacted { before: 6, after: 3 });
        assert_eq!(lake.catalog().await.unwrap().version() - before, commits);
        assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
    }
}

#[tokio::test]
async fn the_groups_of_a_file_with_two_partitions_are_committed_together() {
    let (_folder, lake) = lake(&["device"]).await;
    for (digest, device) in [("aa", "r 1"), ("bb", "r_1"), ("cc", "r 1"), ("dd", "r_1")] {
        ingest(&lake, digest, device, 1).await;
    }
    let mut all = groups_of_slices(&lake).await;
    assert!(!has_divided_file(&all));
    // As earlier versions joined them.
    let mut mixed = all.pop().unwrap();
    mixed.parts.extend(all.pop().unwrap().parts);
    let joined = join_all(&lake, vec![mixed]).await;
    lake.commit_joined(joined).await.unwrap();
    assert!(has_divided_file(&groups_of_slices(&lake).await));
    let waiting = JoinLimits { waiting: 1, ..limits() };
    let done = lake.compact_within(&waiting).await.unwrap();
    assert_eq!(done, Compacted { before: 1, after: 2 });
    assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
    assert_eq!(in_log(&lake).await.len(), 2);
}

#[tokio::test]
async fn files_that_a_vacuum_may_have_removed_are_not_committed() {
    let (folder, lake) = lake(&[]).await;
    for digest in ["aa", "bb"] {
        ingest(&lake, digest, "x", 1).await;
    }
    let before = in_catalog(&lake).await;
    let group = groups_of_slices(&lake).await.pop().unwrap();
    let vacuum = lake.last_vacuum().await.unwrap();
    let joined = lake.join_group(group, &limits(), vacuum).await.unwrap();
    let path = folder.path().join("slice").join(&joined.parts[0].1.path);
    assert!(path.exists());
    // Times of files are not exact.
    std::thread::sleep(Duration::from_millis(50));
    lake.vacuum(Duration::ZERO).await.unwrap();
    assert!(!path.exists());
    let done = lake.commit_joined(vec![joined]).await.unwrap();
    assert_eq!(done, Compacted::default());
    assert_eq!(in_catalog(&lake).await, before);
    assert_eq!(in_log(&lake).await, before);
    // A file that is written behind the vacuum is committed.
    assert_eq!(lake.compact().await.unwrap(), Compacted { before: 2, after: 1 });
    // A vacuum that leaves all files of running work disturbs none.
    let vacuum = lake.last_vacuum().await.unwrap();
    lake.vacuum(Duration::from_secs(24 * 3600)).await.unwrap();
    assert_eq!(lake.last_vacuum().await.unwrap(), vacuum);
}
