//! Lakes: imports and queries on executors.

use std::path::PathBuf;
use std::process::{Output, Stdio};
use std::time::Duration;

use nix::sys::signal::Signal;

use super::{Nodes, text, traces};
use crate::command::{Folder, describe, tpq};
use crate::running::Running;

fn ingest(folder: &Folder, lake: &str, more: &[&str]) -> Output {
    let all = folder.path("*.pftrace");
    folder.run(&[&["ingest", all.to_str().unwrap(), "--lake", lake], more].concat())
}

/// The rows of a query of a lake, here or there.
fn rows(folder: &Folder, lake: &str, arguments: &[&str]) -> Output {
    folder.run(&[&["query", "--lake", lake], arguments].concat())
}

/// Runs a query of a lake here and on the executors, and compares.
fn agree(nodes: &Nodes, folder: &Folder, lake: &str, arguments: &[&str]) -> String {
    let here = rows(folder, lake, arguments);
    let there = rows(folder, lake, &[arguments, &["--cluster", &nodes.address]].concat());
    assert!(here.status.success(), "{arguments:?}: {}", describe(&here));
    assert!(there.status.success(), "{arguments:?}: {}", describe(&there));
    assert_eq!(text(&here), text(&there), "{arguments:?}");
    assert!(there.stderr.is_empty(), "{arguments:?}: {}", describe(&there));
    text(&there)
}

#[test]
fn a_lake_that_executors_fill_is_that_of_one_process() {
    let (folder, nodes) = (traces(5), Nodes::start(3));
    std::fs::write(folder.path("9.pftrace"), "no trace at all").unwrap();
    let here = ingest(&folder, "here", &[]);
    assert!(here.status.success(), "{}", describe(&here));
    let there = ingest(&folder, "there", &["--cluster", &nodes.address]);
    assert!(there.status.success(), "{}", describe(&there));
    let told = String::from_utf8_lossy(&there.stderr).into_owned();
    assert!(told.contains("5 traces ingested, 1 failed"), "{told}");
    for sql in [
        "SELECT trace_path, trace_uuid, row_counts FROM lake.traces ORDER BY 1",
        "SELECT trace_path, error FROM lake.failures",
        "SELECT trace_path, id, ts, dur, name FROM lake.slice ORDER BY 1, 2",
    ] {
        let (here, there) =
            (rows(&folder, "here", &["-c", sql]), rows(&folder, "there", &["-c", sql]));
        assert!(here.status.success(), "{}", describe(&here));
        assert_eq!(text(&here), text(&there), "{sql}");
    }
    // Once more, nothing is new.
    let again = ingest(&folder, "there", &["--cluster", &nodes.address]);
    let told = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(told.contains("0 traces ingested, 5 in the lake already, 1 failed"), "{told}");
    let replaced = ingest(&folder, "there", &["--cluster", &nodes.address, "--replace"]);
    let told = String::from_utf8_lossy(&replaced.stderr).into_owned();
    assert!(told.contains("0 traces ingested, 5 replaced"), "{told}");
    // Executors that have read the lake before see the new files.
    let n = "SELECT count(*) AS n FROM slice";
    assert_eq!(agree(&nodes, &folder, "there", &["-c", n]).lines().count(), 6);
}

#[test]
fn queries_of_a_lake_give_the_rows_of_one_process() {
    let (folder, nodes) = (traces(4), Nodes::start(3));
    let made = ingest(&folder, "lake", &[]);
    assert!(made.status.success(), "{}", describe(&made));
    let lake = |arguments: &[&str]| agree(&nodes, &folder, "lake", arguments);
    let slices = "SELECT thread.name AS thread, slice.name, dur FROM slice \
        JOIN thread_track ON slice.track_id = thread_track.id JOIN thread USING (utid) ORDER BY ts";
    assert_eq!(lake(&["-c", slices]).lines().count(), 1 + 4 * 4);
    lake(&["-c", slices, "--where", "trace_path LIKE '%2.pftrace'"]);
    lake(&[
        "-c",
        slices,
        "--then",
        "SELECT name, sum(dur) AS s FROM results GROUP BY 1 ORDER BY 1",
    ]);
    lake(&["-c", "SELECT $x + 1 AS y", "--param", "x=4"]);
    lake(&[
        "-c",
        "INCLUDE PERFETTO MODULE slices.self_dur; SELECT id, self_dur FROM slice_self_dur",
    ]);
    // The catalogue beside the rows of each trace, on the executors as well.
    lake(&[
        "-c",
        slices,
        "--then",
        "SELECT t.trace_path, max(r.dur) AS dur FROM results r JOIN lake.traces t \
         ON r.trace_path = t.trace_path GROUP BY 1 ORDER BY 1",
    ]);
    lake(&[
        "-c",
        "SELECT trace_path, max(dur) AS dur FROM lake.slice GROUP BY trace_path",
        "--then",
        "SELECT sum(dur) AS dur FROM results",
    ]);
    // Over all traces, in stages.
    for sql in [
        "SELECT name, count(*) AS n, sum(dur) AS dur FROM lake.slice GROUP BY name ORDER BY name",
        "SELECT s.trace_path, t.name, count(*) AS n FROM lake.slice s \
         JOIN lake.track t ON s.trace_digest = t.trace_digest AND s.track_id = t.id \
         GROUP BY 1, 2 ORDER BY 1, 2",
        "SELECT count(*) AS n FROM lake.traces",
        "SELECT count(dur) AS n FROM lake.slice WHERE trace_path = 'nothing'",
        "SELECT trace_path, max(dur) AS longest FROM lake.slice WHERE name LIKE 'INNER' \
         GROUP BY trace_path ORDER BY longest DESC LIMIT 2",
    ] {
        lake(&["-c", sql]);
    }
    // Parts of files cannot be sent.
    let joined = folder.run(&["lake", "compact", "--lake", "lake"]);
    assert!(joined.status.success(), "{}", describe(&joined));
    lake(&["-c", slices]);
    let names = "SELECT count(DISTINCT name) AS n FROM lake.slice";
    let there = rows(&folder, "lake", &["-c", names, "--cluster", &nodes.address]);
    assert_eq!(text(&there), "n\n3\n");
    let told = String::from_utf8_lossy(&there.stderr).into_owned();
    assert!(told.contains("the statement runs on this machine"), "{told}");
    // A table of each trace has no rows for a statement over all.
    let wrong = rows(
        &folder,
        "lake",
        &["-c", "SELECT * FROM lake.slice JOIN thread USING (id)", "--cluster", &nodes.address],
    );
    assert_eq!(wrong.status.code(), Some(1), "{}", describe(&wrong));
}

#[test]
fn an_executor_that_is_killed_in_an_ingest_loses_and_doubles_nothing() {
    let (folder, mut nodes) = (traces(24), Nodes::start(3));
    let here = ingest(&folder, "here", &[]);
    assert!(here.status.success(), "{}", describe(&here));
    let mut command = tpq();
    command
        .current_dir(folder.path(""))
        .args(["ingest", "-q", folder.path("*.pftrace").to_str().unwrap(), "--lake", "there"])
        .args(["--cluster", &nodes.address])
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut ingest = Running::start(&mut command);
    let mut killed = nodes.executors.pop().unwrap();
    killed.wait_until("it is at work", |it| it.cpu_time() >= Duration::from_millis(400));
    killed.signal(Signal::SIGKILL);
    assert!(ingest.end().success());
    let sql =
        "SELECT trace_path, count(*) AS n, sum(dur) AS dur FROM lake.slice GROUP BY 1 ORDER BY 1";
    let (here, there) = (rows(&folder, "here", &["-c", sql]), rows(&folder, "there", &["-c", sql]));
    assert_eq!(text(&here).lines().count(), 25);
    assert_eq!(text(&here), text(&there));
}

/// Makes the file of a table of the last trace one that storage fails at: a link to itself. The
/// client looks at the first trace.
fn break_file(folder: &Folder, table: &str) {
    let path = file_of_last(folder, table);
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&path, &path).unwrap();
}

/// The file of a table of the last trace.
fn file_of_last(folder: &Folder, table: &str) -> PathBuf {
    let last = "SELECT trace_digest FROM lake.traces ORDER BY trace_path DESC LIMIT 1";
    let digest = text(&rows(folder, "lake", &["-q", "-c", last]));
    let digest = digest.lines().nth(1).unwrap();
    let mut folders = vec![folder.path(&format!("lake/{table}"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                folders.push(path);
            } else if name.starts_with(digest) {
                return path;
            }
        }
    }
    panic!("no file of {table} for {digest}");
}

#[test]
fn storage_that_fails_ends_a_query_and_leaves_out_no_trace() {
    let nodes = Nodes::start(1);
    // A scan, a table that a function loads, and a scan of all traces.
    for (table, sql) in [
        ("slice", "SELECT sum(dur) AS dur FROM slice"),
        ("args", "SELECT sum(EXTRACT_ARG(arg_set_id, 'debug.size')) AS size FROM slice"),
        ("slice", "SELECT sum(dur) AS dur FROM lake.slice"),
    ] {
        let folder = traces(3);
        let made = ingest(&folder, "lake", &[]);
        assert!(made.status.success(), "{}", describe(&made));
        agree(&nodes, &folder, "lake", &["-c", sql]);
        break_file(&folder, table);
        let there = rows(&folder, "lake", &["-c", sql, "--cluster", &nodes.address]);
        assert_eq!(there.status.code(), Some(1), "{sql}: {}", describe(&there));
        let told = String::from_utf8_lossy(&there.stderr).into_owned();
        assert!(told.contains("Too many levels of symbolic links"), "{sql}: {told}");
        // A trace that is left out is a line of its own.
        assert!(!told.lines().any(|line| line.starts_with("failed: ")), "{sql}: {told}");
        assert_eq!(text(&there), "", "{sql}");
    }
}

#[test]
fn a_trace_with_a_damaged_file_is_left_out() {
    let (folder, nodes) = (traces(3), Nodes::start(1));
    let made = ingest(&folder, "lake", &[]);
    assert!(made.status.success(), "{}", describe(&made));
    let file = file_of_last(&folder, "slice");
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
    let sql = "SELECT count(*) AS n, sum(dur) AS dur FROM slice";
    let there = rows(&folder, "lake", &["-c", sql, "--cluster", &nodes.address]);
    assert!(there.status.success(), "{}", describe(&there));
    // The titles, and two of three traces.
    assert_eq!(text(&there).lines().count(), 3, "{}", describe(&there));
    let told = String::from_utf8_lossy(&there.stderr).into_owned();
    let name = file.file_name().unwrap().to_str().unwrap();
    for part in ["failed: ", "2.pftrace", "table slice of the lake: ", name, "1 of 3 traces"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
