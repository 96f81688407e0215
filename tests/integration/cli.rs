//! Output and exit status of the command line.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use insta::assert_snapshot;

use crate::command::{Folder, describe, fed, run, tpq};

const SCHED: &str = "testdata/sched.pftrace";
const FIRST_ROWS: &str = "SELECT ts, dur, cpu, thread.name, end_state FROM sched \
                          JOIN thread USING (utid) ORDER BY ts LIMIT 3";

/// Runs the binary and describes the run.
fn snapshot(arguments: &[&str]) -> String {
    describe(&run(arguments))
}

#[test]
fn help() {
    assert_snapshot!(snapshot(&["--help"]));
}

#[test]
fn query_help() {
    assert_snapshot!(snapshot(&["query", "--help"]));
}

/// The help names the least, and so does the error.
#[test]
fn a_memory_limit_below_the_least_is_bad_usage() {
    let output = run(&["query", SCHED, "--memory-limit", "8M", "-c", "SELECT 1"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("too low; the least is 16M"), "{error}");
}

#[test]
fn version() {
    let output = run(&["--version"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.trim(), format!("tpq {}", env!("CARGO_PKG_VERSION")));
}

#[test]
fn query_in_every_format_of_text() {
    for format in ["table", "csv", "tsv", "json", "ndjson", "markdown"] {
        let text = snapshot(&["query", SCHED, "-c", FIRST_ROWS, "--format", format]);
        assert_snapshot!(format!("query_{format}"), text);
    }
}

#[test]
fn csv_is_what_a_pipe_gets() {
    let piped = run(&["query", SCHED, "-c", FIRST_ROWS]);
    let csv = run(&["query", SCHED, "-c", FIRST_ROWS, "--format", "csv"]);
    assert_eq!(describe(&piped), describe(&csv));
}

#[test]
fn arrow_and_parquet_hold_the_rows() {
    for (format, magic) in [("arrow", &b"ARROW1"[..]), ("parquet", b"PAR1")] {
        let output = run(&["query", SCHED, "-c", FIRST_ROWS, "--format", format]);
        assert!(output.status.success(), "{format}: {}", describe(&output));
        assert!(output.stdout.starts_with(magic), "{format} begins otherwise");
        assert!(output.stderr.is_empty());
    }
}

#[test]
fn several_statements_print_several_result_sets() {
    let sql = "SELECT 1 AS one; SELECT 2 AS two";
    assert_snapshot!(snapshot(&["query", SCHED, "-c", sql, "--format", "csv"]));
}

#[test]
fn null_and_header_can_be_chosen() {
    let sql = "SELECT NULL AS nothing, '' AS empty, 'a,b' AS quoted";
    let arguments =
        ["query", SCHED, "-c", sql, "--format", "csv", "--null", "[NULL]", "--no-header"];
    assert_snapshot!(snapshot(&arguments));
}

#[test]
fn statements_come_from_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "-- how many\nSELECT count(*) AS n FROM sched;\n").unwrap();
    let path = file.path().to_str().unwrap();
    assert_snapshot!(snapshot(&["query", SCHED, "-f", path, "--format", "csv"]));
}

#[test]
fn parameters_are_values_and_never_sql() {
    let sql = "SELECT $a + 1 AS sum, :b AS text, $c IS NULL AS nothing";
    let arguments = ["query", SCHED, "-c", sql, "--param", "a=41", "--param", "b=x'; --"];
    let given = [&arguments[..], &["--param", "$c=NULL"]].concat();
    assert_snapshot!(snapshot(&given), @r"
    exit code: 0
    ----- stdout
    sum,text,nothing
    42,x'; --,1
    ");
    assert_snapshot!(snapshot(&arguments), @r"
    exit code: 1
    ----- stderr
    error: the parameter `$c` has no value
    line 1, column 35:
      SELECT $a + 1 AS sum, :b AS text, $c IS NULL AS nothing
                                        ^^
    give one with --param c=VALUE, or with .param set c VALUE in the shell
    ");
    let wrong = run(&["query", SCHED, "-c", "SELECT 1", "--param", "a"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", describe(&wrong));
}

#[test]
fn files_join_with_a_trace() {
    let trace = std::path::Path::new(crate::ROOT).join(SCHED);
    let folder = Folder::of(&[("labels.csv", &b"Name,Label\napp,first\nworker,second\n"[..])]);
    let sql = "ATTACH 'labels.csv' AS l; SELECT DISTINCT label FROM thread JOIN l USING (name) \
               WHERE name = 'app'; SELECT count(*) AS n FROM 'labels.csv'";
    assert_snapshot!(folder.tell(&["query", trace.to_str().unwrap(), "-c", sql]), @r"
    exit code: 0
    ----- stdout
    label
    first

    n
    2
    ");
}

#[test]
fn a_statement_without_output_prints_nothing() {
    let sql = "CREATE PERFETTO TABLE t AS SELECT 1 AS a; INCLUDE PERFETTO MODULE time.conversion; \
               SELECT 2 AS suppress_query_output; SELECT a FROM t; CREATE TABLE u(a INT)";
    assert_snapshot!(snapshot(&["query", SCHED, "-c", sql]), @r"
    exit code: 0
    ----- stdout
    a
    1
    ");
}

#[test]
fn bad_sql_is_located() {
    assert_snapshot!("bad_syntax", snapshot(&["query", SCHED, "-c", "SELECT FROM WHERE"]));
    assert_snapshot!("unknown_table", snapshot(&["query", SCHED, "-c", "SELECT * FROM shed"]));
    assert_snapshot!(
        "unknown_column",
        snapshot(&["query", SCHED, "-c", "SELECT duration FROM sched"])
    );
}

#[test]
fn a_missing_file_a_directory_and_no_trace() {
    assert_snapshot!("missing_file", snapshot(&["query", "no/such.pftrace", "-c", "SELECT 1"]));
    assert_snapshot!("directory", snapshot(&["query", "testdata", "-c", "SELECT 1"]));
    assert_snapshot!("no_trace", snapshot(&["query", "testdata/README.md", "-c", "SELECT 1"]));
}

#[test]
fn bad_usage_is_exit_code_2() {
    for arguments in [
        &["query"][..],
        &["query", SCHED],
        &["query", SCHED, "-c", "SELECT 1", "--format", "papyrus"],
        &["query", SCHED, "--no-such-option"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", describe(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn info() {
    let mut settings = insta::Settings::clone_current();
    // How many stats there can be is no fact about the trace.
    settings.add_filter(r"stats +\d+ +rows", "stats [several] rows");
    settings.bind(|| assert_snapshot!(snapshot(&["info", SCHED])));
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let sql = "SELECT a.name, b.name FROM stats a, stats b";
    let mut child = tpq()
        .args(["query", SCHED, "-c", sql])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(!line.is_empty());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", describe(&output));
    assert!(output.stderr.is_empty(), "{}", describe(&output));
}

/// A table for a file or a pipe is whole, however long it is: each 10,000 rows are a table of their
/// own, as wide as these need.
#[test]
fn a_long_result_is_written_as_several_tables() {
    const ROWS: u64 = 25_000;
    // The ids of the 8 rows are the digits of a number.
    let number = "a.id + 8 * b.id + 64 * c.id + 512 * d.id + 4096 * e.id";
    let sql = format!(
        "SELECT {number} AS heading FROM sched a, sched b, sched c, sched d, sched e \
         WHERE {number} < {ROWS}"
    );
    let folder = Folder::of(&[]);
    let trace = format!("{}/{SCHED}", crate::ROOT);
    let written = folder.run(&["query", &trace, "-c", &sql, "-o", "x.txt"]);
    assert!(written.status.success(), "{}", describe(&written));
    let piped = folder.run(&["query", &trace, "-c", &sql, "--format", "table"]);
    assert!(piped.status.success(), "{}", describe(&piped));
    for text in [folder.read("x.txt"), piped.stdout] {
        let text = String::from_utf8(text).unwrap();
        let cell = |line: &str| line.trim_matches(['│', ' ']).to_owned();
        let mut rows: Vec<u64> = text.lines().flat_map(|line| cell(line).parse::<u64>()).collect();
        rows.sort_unstable();
        assert!(rows.into_iter().eq(0..ROWS));
        assert_eq!(text.lines().filter(|line| cell(line) == "heading").count(), 3);
        assert!(!text.contains("not shown"));
    }
}

/// A script on stdin learns from the exit status that one of its statements failed; those after it
/// run all the same.
#[test]
fn a_script_for_the_shell_fails_when_a_statement_does() {
    let run = |script: &str| {
        let output = fed(&[SCHED, "-q"], script);
        (output.status.code(), String::from_utf8(output.stdout).unwrap().contains("42"))
    };
    assert_eq!(run("SELECT nothing;\nSELECT 42;\n"), (Some(1), true));
    assert_eq!(run("SELECT 42;\n"), (Some(0), true));
}
