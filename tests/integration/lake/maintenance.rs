//! `tpq lake`.

use super::{err, lake, out, parquet_files, query, trace};
use crate::command::{Folder, describe};

const SLICES: &str = "SELECT trace_path, id, ts, dur, name FROM lake.slice";

fn run(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(&[&["lake"][..], arguments, &["--lake", "lake"]].concat());
    assert!(output.status.success(), "{arguments:?}: {}", describe(&output));
    err(&output)
}

/// The rows of the slices of all traces, as statements on each trace give them.
fn on_each(folder: &Folder) -> String {
    query(folder, "SELECT id, ts, dur, name, extract_arg(arg_set_id, 'x') AS x FROM slice")
}

#[test]
fn traces_are_listed() {
    let folder = lake();
    let output = folder.run(&["lake", "list", "--lake", "lake", "--where", "dur > 20"]);
    let listed = out(&output);
    let lines: Vec<&str> = listed.lines().collect();
    assert!(lines[0].starts_with("trace_path,trace_uuid,recorded_at,device,dur,size,"), "{listed}");
    assert_eq!(lines.len(), 3, "{listed}");
    assert!(lines[1].starts_with("b.pftrace,") && lines[2].starts_with("c.pftrace,"), "{listed}");
}

#[test]
fn traces_are_deleted() {
    let folder = lake();
    let before = query(&folder, SLICES);
    let told = run(&folder, &["delete", "--where", "device LIKE '%raven'", "--dry-run"]);
    assert!(told.contains("2 traces would be deleted"), "{told}");
    assert_eq!(query(&folder, SLICES), before);
    let told = run(&folder, &["delete", "--where", "device LIKE '%raven'"]);
    assert!(told.contains("deleted: a.pftrace") && told.contains("2 traces deleted"), "{told}");
    let kept: Vec<&str> = before.lines().filter(|row| !row.starts_with(['a', 'b'])).collect();
    assert_eq!(query(&folder, SLICES).lines().collect::<Vec<_>>(), kept);
    // A deleted trace can come back.
    let output = folder.run(&["ingest", "a.pftrace", "b.pftrace", "--lake", "lake"]);
    assert_eq!(err(&output), "2 traces ingested\n");
    assert_eq!(query(&folder, SLICES), before);
}

#[test]
fn old_traces_are_deleted() {
    let folder = lake();
    // A trace of the future, as the others are of a past that grows.
    std::fs::write(folder.path("d.pftrace"), trace(36_500, "raven", &[7])).unwrap();
    let output = folder.run(&["ingest", "d.pftrace", "--lake", "lake"]);
    assert!(output.status.success(), "{}", describe(&output));
    let told = run(&folder, &["retain", "--days", "0"]);
    assert!(told.contains("3 traces deleted"), "{told}");
    assert_eq!(query(&folder, "SELECT trace_path FROM lake.traces"), "trace_path\nd.pftrace\n");
}

#[test]
fn small_files_are_joined() {
    let folder = Folder::of(&[]);
    // Of one device and day, so that there is one partition.
    for (name, durations) in [("a", &[1, 2][..]), ("b", &[30]), ("c", &[4, 5, 6])] {
        let name = format!("{name}.pftrace");
        std::fs::write(folder.path(&name), trace(0, "raven", durations)).unwrap();
        let output = folder.run(&["ingest", &name, "--lake", "lake"]);
        assert!(output.status.success(), "{}", describe(&output));
    }
    let (before, each) = (query(&folder, SLICES), on_each(&folder));
    assert_eq!(parquet_files(&folder.path("lake/slice")).len(), 3);
    let told = run(&folder, &["compact"]);
    assert!(told.contains("became"), "{told}");
    assert_eq!(query(&folder, SLICES), before);
    assert_eq!(on_each(&folder), each);
    // The old files stay until they are of some age.
    assert_eq!(parquet_files(&folder.path("lake/slice")).len(), 4);
    run(&folder, &["vacuum"]);
    assert_eq!(parquet_files(&folder.path("lake/slice")).len(), 4);
    run(&folder, &["vacuum", "--older-than", "0h"]);
    assert_eq!(parquet_files(&folder.path("lake/slice")).len(), 1);
    assert_eq!(parquet_files(&folder.path("lake/traces")).len(), 1);
    assert_eq!((query(&folder, SLICES), on_each(&folder)), (before.clone(), each.clone()));
    // Again, there is nothing to join.
    assert!(run(&folder, &["compact"]).starts_with("0 files became 0"));

    // A trace in a joined file can be deleted, and others join it.
    run(&folder, &["delete", "--where", "trace_path = 'b.pftrace'"]);
    let kept: Vec<&str> = before.lines().filter(|row| !row.starts_with('b')).collect();
    assert_eq!(query(&folder, SLICES).lines().collect::<Vec<_>>(), kept);
    let output = folder.run(&["ingest", "b.pftrace", "--lake", "lake"]);
    assert!(output.status.success(), "{}", describe(&output));
    assert_eq!((query(&folder, SLICES), on_each(&folder)), (before.clone(), each.clone()));
    let output = folder.run(&["ingest", "a.pftrace", "--lake", "lake", "--replace"]);
    assert!(output.status.success(), "{}", describe(&output));
    run(&folder, &["compact"]);
    run(&folder, &["vacuum", "--older-than", "0h"]);
    assert_eq!((query(&folder, SLICES), on_each(&folder)), (before, each));
    assert_eq!(parquet_files(&folder.path("lake/slice")).len(), 1);
}

#[test]
fn files_that_nothing_refers_to_are_removed() {
    let folder = lake();
    let before = query(&folder, SLICES);
    let stray = folder.path("lake/slice/day=2026-03-30/device=brand_raven/0123-1.parquet");
    std::fs::write(&stray, "left by a process that died").unwrap();
    run(&folder, &["vacuum"]);
    assert!(stray.exists(), "it is young");
    let told = run(&folder, &["vacuum", "--older-than", "0h"]);
    assert!(told.starts_with("1 files removed, 27 B"), "{told}");
    assert!(!stray.exists());
    assert_eq!(query(&folder, SLICES), before);
}
