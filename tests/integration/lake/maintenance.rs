//! `tpq lake`.

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;

use serde_json::Value;

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
fn small_files_are_joined_within_little_memory() {
    let folder = Folder::of(&[]);
    for number in 1..=20 {
        let name = format!("{number:02}.pftrace");
        std::fs::write(folder.path(&name), trace(0, "raven", &[number])).unwrap();
    }
    let output = folder.run(&["ingest", "*.pftrace", "--lake", "lake", "--memory-limit", "16M"]);
    assert!(output.status.success(), "{}", describe(&output));
    let (before, each) = (query(&folder, SLICES), on_each(&folder));
    assert_eq!(before.lines().count(), 21, "{before}");
    let files = || {
        run(&folder, &["vacuum", "--older-than", "0h"]);
        parquet_files(&folder.path("lake/slice")).len()
    };
    assert_eq!(files(), 20);
    // The least memory is for files of 16 traces.
    run(&folder, &["compact", "--memory-limit", "16M"]);
    assert_eq!(files(), 2);
    assert_eq!((query(&folder, SLICES), on_each(&folder)), (before.clone(), each.clone()));
    // Without a limit, these are joined as well.
    run(&folder, &["compact"]);
    assert_eq!(files(), 1);
    assert_eq!((query(&folder, SLICES), on_each(&folder)), (before, each));
    let output = folder.run(&["lake", "compact", "--lake", "lake", "--memory-limit", "8M"]);
    assert_eq!(output.status.code(), Some(2), "{}", describe(&output));
    assert!(err(&output).contains("too low; the least is 16M"), "{}", err(&output));
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

/// The files of a table by its log: the device and the number of rows of each.
fn in_log(folder: &Folder, table: &str) -> BTreeMap<String, (String, u64)> {
    let log = folder.path(&format!("lake/{table}/_delta_log"));
    let mut commits: Vec<_> =
        std::fs::read_dir(log).unwrap().map(|entry| entry.unwrap().path()).collect();
    commits.retain(|path| path.extension().is_some_and(|it| it == "json"));
    commits.sort();
    let mut files = BTreeMap::new();
    for commit in commits {
        for line in std::fs::read_to_string(commit).unwrap().lines() {
            let action: Value = serde_json::from_str(line).unwrap();
            let path = |action: &Value| action["path"].as_str().unwrap().to_owned();
            if let Some(add) = action.get("add") {
                let stats: Value = serde_json::from_str(add["stats"].as_str().unwrap()).unwrap();
                let device = add["partitionValues"]["device"].as_str().unwrap().to_owned();
                files.insert(path(add), (device, stats["numRecords"].as_u64().unwrap()));
            }
            if let Some(remove) = action.get("remove") {
                files.remove(&path(remove));
            }
        }
    }
    files
}

#[test]
fn rows_of_two_partitions_with_one_folder_are_not_joined() {
    // Both are `brand_r_1` as the name of a folder.
    let folder = Folder::of(&[
        ("a.pftrace", &trace(0, "r 1", &[1, 2])),
        ("b.pftrace", &trace(0, "r_1", &[3])),
        ("c.pftrace", &trace(0, "r 1", &[4])),
        ("d.pftrace", &trace(0, "r_1", &[5, 6, 7])),
    ]);
    let output = folder.run(&["ingest", ".", "--lake", "lake", "--partition", "device"]);
    assert!(output.status.success(), "{}", describe(&output));
    let before = query(&folder, SLICES);
    assert_eq!(in_log(&folder, "slice").len(), 4);
    run(&folder, &["compact"]);
    assert_eq!(query(&folder, SLICES), before);
    let mut devices: Vec<_> = in_log(&folder, "slice").into_values().collect();
    devices.sort();
    assert_eq!(devices, [("brand/r 1".to_owned(), 3), ("brand/r_1".to_owned(), 4)]);
    // A deletion keeps them apart.
    run(&folder, &["delete", "--where", "trace_path = './d.pftrace'"]);
    let mut devices: Vec<_> = in_log(&folder, "slice").into_values().collect();
    devices.sort();
    assert_eq!(devices, [("brand/r 1".to_owned(), 3), ("brand/r_1".to_owned(), 1)]);
}

#[test]
fn files_that_were_being_written_are_removed() {
    let folder = lake();
    let before = query(&folder, SLICES);
    let partition = "lake/slice/day=2026-03-30/device=brand_raven";
    // What `object_store` writes before it names a file.
    let partial = [
        format!("{partition}/0123-1.parquet#1"),
        "lake/slice/_delta_log/00000000000000000009.json#12".to_owned(),
        "lake/traces/traces-1.parquet#2".to_owned(),
    ];
    for path in &partial {
        std::fs::write(folder.path(path), "half a file").unwrap();
    }
    let links = ["notes#x", "notes#1"].map(|name| folder.path(&format!("{partition}/{name}")));
    for link in &links {
        symlink(folder.path("a.pftrace"), link).unwrap();
    }
    run(&folder, &["vacuum"]);
    assert!(partial.iter().all(|path| folder.path(path).exists()), "they are young");
    let told = run(&folder, &["vacuum", "--older-than", "0h"]);
    assert!(told.starts_with("3 files removed, 33 B"), "{told}");
    assert!(!partial.iter().any(|path| folder.path(path).exists()));
    assert!(links.iter().all(|link| link.is_symlink()) && folder.path("a.pftrace").exists());
    assert_eq!(query(&folder, SLICES), before);
}

#[test]
fn nothing_behind_a_link_is_removed() {
    let folder = lake();
    let before = query(&folder, SLICES);
    std::fs::create_dir(folder.path("elsewhere")).unwrap();
    // A file that nothing refers to, and one that looks half written.
    let others = ["elsewhere/notes.parquet", "elsewhere/notes.parquet#1"];
    for path in others {
        std::fs::write(folder.path(path), "not of the lake").unwrap();
    }
    let partition = "lake/slice/day=2026-03-30/device=brand_raven";
    let links = [
        ("elsewhere", "lake/slice/elsewhere"),
        ("elsewhere/notes.parquet", "lake/slice/notes.parquet"),
        // Its files are in use under another name.
        (partition, "lake/slice/again"),
    ];
    for (original, link) in links {
        symlink(folder.path(original), folder.path(link)).unwrap();
    }
    let vacuum = || run(&folder, &["vacuum", "--older-than", "0h"]);
    let told = vacuum();
    assert!(told.starts_with("0 files removed, 0 B"), "{told}");
    assert!(others.iter().all(|path| folder.path(path).exists()));
    assert!(links.iter().all(|(_, link)| folder.path(link).is_symlink()));
    assert_eq!(query(&folder, SLICES), before);
    // The folder of a table may be a link itself.
    std::fs::rename(folder.path("lake/slice"), folder.path("moved")).unwrap();
    symlink(folder.path("moved"), folder.path("lake/slice")).unwrap();
    let strays = ["moved/stray.parquet", "moved/stray.parquet#1"];
    for path in strays {
        std::fs::write(folder.path(path), "in the folder of a table").unwrap();
    }
    let told = vacuum();
    assert!(told.starts_with("0 files removed, 0 B"), "{told}");
    assert!(strays.iter().all(|path| folder.path(path).exists()));
    assert_eq!(query(&folder, SLICES), before);
}

#[test]
fn a_deletion_has_happened_where_logs_cannot_be_changed() {
    let folder = lake();
    std::fs::write(folder.path("lake/slice/_delta_log/00000000000000000000.json"), "damage")
        .unwrap();
    let told = run(&folder, &["delete", "--where", "trace_path = 'a.pftrace'"]);
    assert!(told.contains("warning: the lake is changed, but logs"), "{told}");
    assert!(told.contains("deleted: a.pftrace") && told.contains("1 traces deleted"), "{told}");
    let paths = "SELECT trace_path FROM lake.traces";
    assert_eq!(query(&folder, paths), "trace_path\nb.pftrace\nc.pftrace\n");
}
