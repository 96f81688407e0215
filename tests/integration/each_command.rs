//! `tpq query --each`: statements that run on each of many traces.

use std::process::Output;

use crate::command::{Folder, describe};

/// A JSON trace with a slice `work` of each duration, in µs.
fn trace(durations: &[u32]) -> Vec<u8> {
    let slice = |(at, dur): (usize, &u32)| {
        let ts = at * 1000;
        format!(r#"{{"ph":"X","ts":{ts},"dur":{dur},"pid":1,"tid":1,"name":"work"}}"#)
    };
    let slices: Vec<String> = durations.iter().enumerate().map(slice).collect();
    format!("[{}]", slices.join(",")).into_bytes()
}

/// Three traces, one of them in a folder, and a file that is none.
fn traces() -> Folder {
    let folder = Folder::of(&[
        ("a.json", &trace(&[1, 2])),
        ("b.json", &trace(&[30])),
        ("broken.json", b"no trace at all"),
    ]);
    std::fs::create_dir(folder.path("sub")).unwrap();
    std::fs::write(folder.path("sub/c.json"), trace(&[4, 5, 6])).unwrap();
    folder
}

/// What was printed, with a word in place of each UUID.
fn out(output: &Output) -> String {
    let is_uuid = |cell: &str| cell.len() == 36 && cell.matches('-').count() == 4;
    let masked = |cell| if is_uuid(cell) { "UUID" } else { cell };
    let text = String::from_utf8_lossy(&output.stdout);
    text.split(',').map(masked).collect::<Vec<_>>().join(",")
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const SUMS: &str = "SELECT count(*) AS n, sum(dur) AS dur FROM slice";

#[test]
fn rows_of_all_traces_are_one_result_in_the_order_of_the_paths() {
    let folder = traces();
    let output = folder.run(&["query", "--each", "**/[abc].json", "-c", SUMS]);
    assert!(output.status.success(), "{}", describe(&output));
    let rows = "trace_path,trace_uuid,n,dur\na.json,UUID,2,3000\nb.json,UUID,1,30000\nsub/c.json,UUID,3,15000\n";
    assert_eq!(out(&output), rows);
    // However many traces are open at a time, and however little memory there is.
    for options in [&["--jobs", "1"][..], &["--jobs", "3"], &["--memory-limit", "16M"]] {
        let arguments = [&["query", "--each", "**/[abc].json", "-c", SUMS][..], options].concat();
        assert_eq!(out(&folder.run(&arguments)), rows, "{options:?}");
    }
}

#[test]
fn a_trace_that_fails_is_reported_and_left_out() {
    let folder = traces();
    let output = folder.run(&["query", "--each", "*.json", "-c", SUMS]);
    assert!(output.status.success(), "{}", describe(&output));
    assert_eq!(
        out(&output),
        "trace_path,trace_uuid,n,dur\na.json,UUID,2,3000\nb.json,UUID,1,30000\n"
    );
    let told = err(&output);
    assert!(told.contains("failed: broken.json"), "{told}");
    assert!(told.contains("1 of 3 traces failed"), "{told}");
    // Also if nothing else is said.
    let quiet = folder.run(&["query", "-q", "--each", "*.json", "-c", SUMS]);
    assert_eq!(err(&quiet).lines().count(), 1, "{}", describe(&quiet));

    let strict = folder.run(&["query", "--each", "--strict", "*.json", "-c", SUMS, "-o", "x.csv"]);
    assert_eq!(strict.status.code(), Some(1), "{}", describe(&strict));
    assert!(err(&strict).contains("error: broken.json"), "{}", describe(&strict));
    assert!(!folder.path("x.csv").exists());
    let all = folder.run(&["query", "--each", "broken.json", "-c", SUMS]);
    assert_eq!(all.status.code(), Some(1), "{}", describe(&all));
    assert!(err(&all).contains("all 1 traces failed"), "{}", describe(&all));
}

#[test]
fn statements_run_over_the_rows_of_all_traces() {
    let folder = traces();
    let then = "SELECT max(dur) AS longest, count(DISTINCT trace_path) AS traces FROM results; \
                SELECT trace_path FROM failures";
    let each = "SELECT name, dur FROM slice";
    let output = folder.run(&["query", "--each", "*.json", "sub/*", "-c", each, "--then", then]);
    assert!(output.status.success(), "{}", describe(&output));
    assert_eq!(out(&output), "longest,traces\n30000,3\n\ntrace_path\nbroken.json\n");
}

/// Threads of two traces with the same utid are two threads.
#[test]
fn ids_are_those_of_their_trace() {
    let folder = traces();
    let each = "SELECT utid, sum(dur) AS dur FROM slice JOIN thread_track ON track_id = \
                thread_track.id GROUP BY utid";
    let then = "SELECT trace_path, sum(dur) AS dur FROM results GROUP BY trace_path ORDER BY 1";
    let output = folder.run(&["query", "--each", "[ab].json", "-c", each, "--then", then]);
    assert_eq!(
        out(&output),
        "trace_path,dur\na.json,3000\nb.json,30000\n",
        "{}",
        describe(&output)
    );
}

#[test]
fn a_wrong_statement_ends_the_run() {
    let folder = traces();
    for (sql, why) in [
        ("SELECT nothing FROM slice", "no column is called `nothing`"),
        ("SELEC 1", "syntax error"),
        ("SELECT 1 AS a; SELECT 2 AS b", "several statements have rows"),
        ("CREATE PERFETTO TABLE t AS SELECT 1 AS a", "no statement has rows"),
    ] {
        let output = folder.run(&["query", "--each", "[ab].json", "-c", sql]);
        assert_eq!(output.status.code(), Some(1), "{sql}: {}", describe(&output));
        assert!(err(&output).contains(why), "{sql}: {}", describe(&output));
        assert_eq!(err(&output).matches(why).count(), 1, "{sql}: {}", describe(&output));
    }
    let none = folder.run(&["query", "--each", "*.none", "-c", SUMS]);
    assert_eq!(none.status.code(), Some(2), "{}", describe(&none));
    assert!(err(&none).contains("no file matches `*.none`"), "{}", describe(&none));
}

#[test]
fn columns_of_other_types_fail_and_those_of_null_do_not() {
    let folder = traces();
    let typed = "SELECT CASE WHEN count(*) = 2 THEN NULL ELSE 1 END AS x FROM slice";
    let output = folder.run(&["query", "--each", "[ab].json", "-c", typed]);
    assert_eq!(out(&output), "trace_path,trace_uuid,x\na.json,UUID,\nb.json,UUID,1\n");
}

#[test]
fn metadata_and_parameters_are_columns_and_values() {
    let folder = traces();
    let output = folder.run(&[
        "query",
        "--each",
        "a.json",
        "--metadata",
        "trace_type,none",
        "--param",
        "n=1",
        "-c",
        "SELECT dur FROM slice WHERE dur > $n * 1000",
    ]);
    let rows = "trace_path,trace_uuid,trace_type,none,dur\na.json,UUID,json,,2000\n";
    assert_eq!(out(&output), rows, "{}", describe(&output));
}

#[test]
fn several_files_without_the_flag_are_merged_and_that_is_said() {
    let folder = traces();
    let output = folder.run(&["query", "a.json", "b.json", "-c", SUMS]);
    assert_eq!(out(&output), "n,dur\n3,33000\n", "{}", describe(&output));
    let told = "merging 2 files onto one timeline; --each runs the statements on each file";
    assert!(err(&output).contains(told), "{}", describe(&output));
}

/// Two hundred traces, of which some are slow: the rows say which.
#[test]
fn planted_slow_traces_are_found() {
    let folder = Folder::of(&[]);
    let name = |at: u32| format!("run{at:03}.json");
    for at in 0..200 {
        let slow = if at % 40 == 7 { 900 } else { 10 };
        std::fs::write(folder.path(&name(at)), trace(&[10, slow, 10])).unwrap();
    }
    let then = "SELECT trace_path FROM results WHERE longest > 100000 ORDER BY trace_path";
    let sql = "SELECT max(dur) AS longest FROM slice";
    let output = folder.run(&["query", "--each", "run*.json", "-c", sql, "--then", then]);
    let expected: Vec<String> = [7, 47, 87, 127, 167].map(name).to_vec();
    let found = out(&output);
    assert_eq!(found.lines().skip(1).collect::<Vec<_>>(), expected, "{}", describe(&output));
}
