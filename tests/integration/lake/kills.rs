//! Processes that are killed while they change a lake: it has whole traces only, and the next run
//! completes it.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tpq_testkit::random::Random;

use super::{err, out, parquet_files, query, trace};
use crate::command::{Folder, describe, tpq};

/// The number of kills without `TPQ_LAKE_KILLS`.
const KILLS: usize = 4;
const TRACES: usize = 24;

fn kills() -> usize {
    std::env::var("TPQ_LAKE_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(KILLS)
}

/// Traces of some partitions, each with another number of slices.
fn traces() -> Folder {
    let folder = Folder::of(&[]);
    for number in 0..TRACES {
        let durations: Vec<u64> = (1..=1 + number as u64).collect();
        let device = ["raven", "oriole"][number % 2];
        let bytes = trace(number as u64 % 3, device, &durations);
        std::fs::create_dir_all(folder.path("runs")).unwrap();
        std::fs::write(folder.path(&format!("runs/{number:02}.pftrace")), bytes).unwrap();
    }
    folder
}

/// Starts a command and kills it after a time. Returns whether it was still running.
fn kill_after(folder: &Folder, arguments: &[&str], time: Duration) -> bool {
    let mut command = tpq();
    command.current_dir(folder.path("")).args(arguments);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(time);
    let is_running = child.try_wait().unwrap().is_none();
    let _ = child.kill();
    child.wait().unwrap();
    is_running
}

/// The number of slices of each trace, by both ways to read them, which must agree.
fn slices(folder: &Folder) -> BTreeMap<String, usize> {
    let listed = folder.run(&["lake", "list", "--lake", "lake"]);
    if err(&listed).contains("there is no lake") {
        return BTreeMap::new();
    }
    assert!(listed.status.success(), "{}", describe(&listed));
    let all = "SELECT trace_path, count(*) FROM lake.slice GROUP BY 1 ORDER BY 1";
    let rows = query(folder, all);
    let row = |row: &str| {
        let (path, count) = row.split_once(',').unwrap();
        (path.to_owned(), count.parse().unwrap())
    };
    let counts: BTreeMap<String, usize> = rows.lines().skip(1).map(row).collect();
    assert_eq!(counts.len(), out(&listed).lines().count() - 1, "{}", describe(&listed));
    if !counts.is_empty() {
        let each = query(folder, "SELECT count(*), count(DISTINCT track_id) FROM slice");
        for row in each.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            assert_eq!(counts[cells[0]].to_string(), cells[2], "{row}");
            assert_eq!(cells[3], "1", "{row}");
        }
    }
    counts
}

/// That each trace has all of its slices.
fn check_whole(counts: &BTreeMap<String, usize>) {
    for (path, count) in counts {
        let number: usize = path[5..7].parse().unwrap();
        assert_eq!(*count, number + 1, "{path}");
    }
}

const INGEST: [&str; 6] = ["ingest", "runs", "--lake", "lake", "--jobs", "2"];

#[test]
fn an_ingest_that_is_killed_leaves_whole_traces() {
    let started = Instant::now();
    let whole = traces();
    let output = whole.run(&INGEST);
    assert!(output.status.success(), "{}", describe(&output));
    let time = started.elapsed();
    let mut random = Random::new(7);
    let mut at_work = 0;
    for kill in 0..kills() {
        let folder = traces();
        let most = usize::try_from(time.as_millis()).unwrap().max(2);
        let moment = Duration::from_millis(random.below(most) as u64);
        at_work += usize::from(kill_after(&folder, &INGEST, moment));
        check_whole(&slices(&folder));
        // A second one, which finds what the first has left.
        if kill % 2 == 1 {
            let moment = Duration::from_millis(random.below(most) as u64);
            kill_after(&folder, &INGEST, moment);
            check_whole(&slices(&folder));
        }
        let output = folder.run(&INGEST);
        assert!(output.status.success(), "after {moment:?}: {}", describe(&output));
        let counts = slices(&folder);
        assert_eq!(counts.len(), TRACES, "after {moment:?}");
        check_whole(&counts);
        // What was left is removed, and nothing else.
        let vacuum = folder.run(&["lake", "vacuum", "--lake", "lake", "--older-than", "0h"]);
        assert!(vacuum.status.success(), "{}", describe(&vacuum));
        assert_eq!(parquet_files(&folder.path("lake/slice")).len(), TRACES, "after {moment:?}");
        assert_eq!(slices(&folder), counts);
    }
    eprintln!("{at_work} of {} kills at work", kills());
}

#[test]
fn a_compaction_that_is_killed_loses_nothing() {
    let mut random = Random::new(8);
    let folder = traces();
    let output = folder.run(&INGEST);
    assert!(output.status.success(), "{}", describe(&output));
    let before = slices(&folder);
    let compact = ["lake", "compact", "--lake", "lake"];
    let mut at_work = 0;
    for _ in 0..kills() {
        let moment = Duration::from_millis(random.below(700) as u64);
        at_work += usize::from(kill_after(&folder, &compact, moment));
        assert_eq!(slices(&folder), before, "after {moment:?}");
        // So that there are small files again.
        let again = folder.run(&["ingest", "runs/03.pftrace", "--lake", "lake", "--replace"]);
        assert!(again.status.success(), "{}", describe(&again));
        assert_eq!(slices(&folder), before, "after {moment:?}");
    }
    let output = folder.run(&compact);
    assert!(output.status.success(), "{}", describe(&output));
    let vacuum = folder.run(&["lake", "vacuum", "--lake", "lake", "--older-than", "0h"]);
    assert!(vacuum.status.success(), "{}", describe(&vacuum));
    assert_eq!(slices(&folder), before);
    // One for each day and device.
    assert_eq!(parquet_files(&folder.path("lake/slice")).len(), 6);
    eprintln!("{at_work} of {} kills at work", kills());
}
