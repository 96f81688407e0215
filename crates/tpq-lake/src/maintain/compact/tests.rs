use super::*;
use crate::Committed;
use crate::test_lake::{file, in_catalog, in_log, ingest, lake};

async fn join_all(lake: &Lake, groups: Vec<Group>) -> Vec<Joined> {
    let mut joined = Vec::new();
    for group in groups {
        joined.push(lake.join_group(group).await.unwrap());
    }
    joined
}

#[tokio::test]
async fn traces_that_are_committed_meanwhile_do_not_end_a_compaction() {
    let (_folder, lake) = lake(&[]).await;
    for (digest, slices) in [("aa", 1), ("bb", 2), ("cc", 3)] {
        assert_eq!(ingest(&lake, digest, "x", slices).await, Committed::Added);
    }
    let joined = join_all(&lake, groups(&lake.catalog().await.unwrap())).await;
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
    let joined = join_all(&lake, groups(&lake.catalog().await.unwrap())).await;
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
    let catalog = lake.catalog().await.unwrap();
    let mut all = groups(&catalog);
    let mut mixed = all.pop().unwrap();
    mixed.parts.extend(all.pop().unwrap().parts);
    let joined = join_all(&lake, vec![mixed]).await;
    lake.commit_joined(joined).await.unwrap();
    assert_eq!(in_catalog(&lake).await.len(), 1);
    assert_eq!(lake.compact().await.unwrap(), Compacted { before: 2, after: 2 });
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
    let mut sources = Sources::of(&group);
    let first = sources.next(&lake, "slice", &path).await.unwrap();
    std::fs::remove_file(folder.path().join("slice").join(&path)).unwrap();
    for _ in 0..2 {
        assert!(Arc::ptr_eq(&first, &sources.next(&lake, "slice", &path).await.unwrap()));
    }
    // Nothing of it stays in memory.
    assert_eq!(Arc::strong_count(&first), 1);
}
