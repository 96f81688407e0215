//! Temporary files of queries: without a name, so that none is left, however tpq ends.

use std::process::Stdio;

use nix::sys::signal::Signal;

use crate::command::{Folder, tpq};
use crate::running::Running;

/// A sort that memory has no room for.
const BIG_SORT: &str = "SELECT a.ts, b.ts, a.dur FROM slice a, slice b \
                        ORDER BY a.dur * b.dur % 1009, b.ts, a.ts";

/// Starts the sort, with as many threads as there are cores if no number is given.
fn big_sort(folder: &Folder, threads: Option<&str>) -> Running {
    let mut command = tpq();
    command.args(["query", super::trace(), "--memory-limit", "64M", "-c", BIG_SORT]);
    if let Some(threads) = threads {
        command.args(["--threads", threads]);
    }
    let command = command.env("TMPDIR", folder.path("tmp"));
    Running::start(command.stdout(Stdio::null()).stderr(Stdio::piped()))
}

/// Runs the sort until it has spilled, and sends a signal. Gives how many files have a name then,
/// and after the end.
fn left_files(signal: Signal, threads: Option<&str>) -> (usize, usize) {
    let folder = Folder::of(&[("tmp/other", b"")]);
    let tmp = folder.path("tmp").canonicalize().unwrap();
    let mut tpq = big_sort(&folder, threads);
    let count = || std::fs::read_dir(&tmp).unwrap().count() - 1;
    // A file with a name is not among the unfinished ones, but is one too many.
    tpq.wait_until("something is spilled", |tpq| tpq.unfinished_bytes(&tmp) > 0 || count() > 0);
    let meanwhile = count();
    tpq.signal(signal);
    tpq.end();
    (meanwhile, count())
}

#[test]
fn a_query_that_spills_leaves_no_file() {
    for (signal, threads) in
        [(Signal::SIGKILL, None), (Signal::SIGTERM, Some("2")), (Signal::SIGINT, Some("2"))]
    {
        assert_eq!(left_files(signal, threads), (0, 0), "{signal}, {threads:?}");
    }
}
