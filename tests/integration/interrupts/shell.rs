//! Ctrl-C at the prompt and in queries of the shell.

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use super::ENDLESS_JOIN;
use super::terminal::Terminal;
use crate::command::Folder;

/// A second, and what a busy machine adds to it.
const SOON: Duration = Duration::from_secs(8);

/// An expression that takes DataFusion seconds for each row, while the lists take no time.
const LONG_STEP: &str = "CAST(array_has_all(range(0, 60000 + a.id % 3), range(0, 60000)) AS INT)";

/// Ctrl-C stops a statement soon, and the shell goes on.
fn stops(statement: &str) {
    let mut shell = Terminal::shell();
    // All rows are wanted, which a terminal would not show.
    shell.type_keys(".limit off\r");
    shell.wait_for_prompt();
    shell.run_long(statement);
    shell.press_ctrl_c();
    let taken = shell.wait_for("cancelled after");
    assert!(taken < SOON, "{taken:?}");
    shell.wait_for("so far");
    shell.wait_for_prompt();
    shell.answers();
    shell.type_keys(".quit\r");
    assert_eq!(shell.end().code(), Some(0));
}

#[test]
fn a_cross_join_stops() {
    stops(&format!("SELECT sum(a.ts % 7 + b.ts + d.ts) {ENDLESS_JOIN};"));
}

#[test]
fn a_cross_join_with_a_condition_stops() {
    stops(&format!("SELECT count(*) {ENDLESS_JOIN} WHERE a.ts + b.ts = c.ts - d.ts - 1;"));
}

#[test]
fn an_endless_recursion_stops() {
    let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)";
    stops(&format!("{numbers} SELECT count(*) FROM n;"));
}

#[test]
fn a_big_sort_stops() {
    stops(
        "SELECT a.ts FROM slice a, slice b WHERE b.id < 2000 ORDER BY a.dur * b.dur, b.ts, a.id;",
    );
}

#[test]
fn a_window_over_a_cross_join_stops() {
    stops(
        "SELECT max(x) FROM (SELECT sum(a.ts) OVER (ORDER BY b.ts) AS x \
         FROM slice a, slice b WHERE b.id < 2000);",
    );
}

/// A function of ours that has much to do for each value.
#[test]
fn a_long_comparison_stops() {
    let text = |fill| format!("lpad('x', 60000 + a.id % 3, '{fill}')");
    let distance = format!("levenshtein({}, {})", text("ab"), text("ba"));
    stops(&format!("SELECT sum({distance}) FROM slice a;"));
}

/// A function of ours that has much to do for each row.
#[test]
fn nested_replacements_stop() {
    let text = "replace(replace(hex(zeroblob(200000 + a.id)), '0', '0101'), '1', '1010')";
    stops(&format!("SELECT sum(length(replace({text}, '0', '01'))) FROM slice a, slice b;"));
}

/// A function of DataFusion's, which has no place to stop at.
#[test]
fn a_long_step_of_the_engine_is_left_behind() {
    stops(&format!("SELECT sum({LONG_STEP}) FROM slice a WHERE a.id < 8;"));
}

#[test]
fn a_correlated_subquery_stops() {
    let inner = "SELECT count(*) FROM slice b, slice c WHERE b.ts + c.ts < a.ts";
    stops(&format!("SELECT ts, ({inner}) FROM slice a;"));
}

/// The table of a cancelled statement does not exist.
#[test]
fn a_table_that_is_being_created_stops() {
    let mut shell = Terminal::shell();
    shell.run_long(&format!(
        "CREATE TABLE big AS SELECT sum(a.ts) AS s {ENDLESS_JOIN} WHERE a.ts <> d.ts;"
    ));
    shell.press_ctrl_c();
    shell.wait_for("cancelled after");
    shell.wait_for_prompt();
    shell.type_keys("SELECT * FROM big;\r");
    shell.wait_for("no table or view is called `big`");
}

/// After one Ctrl-C the prompt waits for a step of the engine; it returns sooner only for a second
/// one. A machine may be too busy to show that at once, so there are several attempts.
#[test]
fn a_second_ctrl_c_leaves_the_query_behind() {
    /// The prompt is never back sooner after one Ctrl-C, see `CANCEL_TIMEOUT` in
    /// `detached_query.rs`.
    const FIRST_ALONE: Duration = Duration::from_millis(700);
    let mut seen = Vec::new();
    // From one Ctrl-C to the next, ms: two that come together count as one.
    for between in [50, 20, 100, 200, 50, 300, 100, 400] {
        let mut shell = Terminal::shell();
        shell.run_long(&format!("SELECT sum({LONG_STEP}) FROM slice a WHERE a.id < 8;"));
        let begin = Instant::now();
        shell.press_ctrl_c_and_wait();
        std::thread::sleep(Duration::from_millis(between));
        shell.press_ctrl_c();
        shell.wait_for("cancelled after");
        let taken = begin.elapsed();
        shell.wait_for("ends in the background");
        shell.wait_for_prompt();
        if taken < FIRST_ALONE {
            shell.answers();
            return;
        }
        seen.push(taken);
    }
    panic!("the second Ctrl-C changed nothing: {seen:?}");
}

/// Later statements of a file may depend on an earlier one.
#[test]
fn ctrl_c_stops_a_file_of_statements() {
    let sql = format!("SELECT sum(a.ts) {ENDLESS_JOIN} WHERE a.ts <> d.ts;\nSELECT 31000 + 31;\n");
    let inner = Folder::of(&[("inner.sql", sql.as_bytes())]);
    let outer = format!(".read {}\nSELECT 32000 + 31;\n", inner.path("inner.sql").display());
    let outer_folder = Folder::of(&[("outer.sql", outer.as_bytes())]);
    for file in [inner.path("inner.sql"), outer_folder.path("outer.sql")] {
        let mut shell = Terminal::shell();
        shell.run_long(&format!(".read {}", file.display()));
        shell.press_ctrl_c();
        shell.wait_for("cancelled after");
        shell.wait_for_prompt();
        shell.answers();
        assert!(!shell.has_shown("31031") && !shell.has_shown("32031"), "{}", file.display());
    }
}

/// A pager that cannot be run keeps no result from the screen.
#[test]
fn a_result_is_printed_where_there_is_no_such_pager() {
    let mut shell = Terminal::shell();
    for command in [".limit off\r", ".pager no-such-program-at-all\r"] {
        shell.type_keys(command);
        shell.wait_for_prompt();
    }
    // More rows than the terminal has lines.
    shell.type_keys("SELECT 700000 + id AS n FROM slice WHERE id < 60 ORDER BY n;\r");
    shell.wait_for("700001");
    shell.wait_for("700059");
    shell.wait_for_prompt();
    shell.answers();
}

#[test]
fn ctrl_c_at_the_prompt_drops_the_line() {
    let mut shell = Terminal::shell();
    shell.type_keys("SELECT nonsense");
    shell.wait_for("nonsense");
    shell.press_ctrl_c();
    shell.wait_for_prompt();
    shell.answers();
}

#[test]
fn a_ctrl_c_that_is_over_stops_no_later_statement() {
    let mut shell = Terminal::shell();
    shell.interrupt_line();
    shell.answers();
}

#[test]
fn typed_ahead_input_is_run() {
    let mut shell = Terminal::shell();
    let numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000)";
    shell.type_keys(&format!("{numbers} SELECT count(*) FROM n;\r"));
    // Most probably the query runs by now; the answers are the same if it does not.
    std::thread::sleep(Duration::from_millis(200));
    shell.type_keys("SELECT 41000 + 1000 + 42;\nSELECT 31000 + 1000 + 31;\n");
    shell.wait_for("20000");
    shell.wait_for("42042");
    shell.wait_for("32031");
}

#[test]
fn other_signals_end_the_shell_and_restore_the_terminal() {
    for (signal, code) in [(Signal::SIGTERM, 143), (Signal::SIGHUP, 129)] {
        let mut shell = Terminal::shell();
        shell.signal(signal);
        // The marks around pasted text are off again.
        shell.wait_for("\x1b[?2004l");
        assert_eq!(shell.end().code(), Some(code));
        let mut shell = Terminal::shell();
        shell.run_long(&format!("SELECT sum(a.ts) {ENDLESS_JOIN} WHERE a.ts <> d.ts;"));
        shell.signal(signal);
        assert_eq!(shell.end().code(), Some(code));
    }
}
