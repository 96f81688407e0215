//! Input at the prompt, here from a pipe, and statements without a prompt.

use insta::assert_snapshot;

use crate::command::{Folder, describe, fed, feed, run, tpq};

const SCHED: &str = "testdata/sched.pftrace";

/// Runs a script in the shell, without times.
fn shell(script: &str) -> String {
    describe(&fed(&[SCHED], &format!(".timer off\n{script}")))
}

#[test]
fn words_and_backslashes_are_commands() {
    let help = shell("help\n");
    assert_snapshot!("shell_help", help);
    for word in ["help;", "\\?", ".help", "HELP ;"] {
        assert_eq!(shell(&format!("{word}\n")), help, "{word}");
    }
    for word in ["exit", "exit;", "quit", "QUIT ;", "\\q", ".quit", ".exit"] {
        assert_eq!(shell(&format!("{word}\nSELECT 1;\n")), "exit code: 0\n", "{word}");
    }
    assert_eq!(shell("\\dt *bounds\n"), shell(".tables *bounds\n"));
    assert_eq!(shell("\\d cpu\n"), shell(".schema cpu\n"));
    assert_snapshot!(shell("\\zz\n.nothing\n"), @r"
    exit code: 1
    ----- stderr
    error: no command is called \zz; .help lists them
    error: no command is called .nothing; .help lists them
    ");
}

#[test]
fn show_and_describe_are_statements() {
    let csv = |sql| describe(&run(&["query", SCHED, "-c", sql]));
    assert_snapshot!(csv("SHOW TABLES LIKE '%bound%'"), @r"
    exit code: 0
    ----- stdout
    name,description
    trace_bounds,The start and end of the trace; always one row.
    ");
    assert_snapshot!(csv("DESCRIBE trace_bounds"), @r"
    exit code: 0
    ----- stdout
    name,type,description
    start_ts,TIMESTAMP,First timestamp of the trace in ns.
    end_ts,TIMESTAMP,Last timestamp of the trace in ns.
    ");
    assert_eq!(csv("SHOW COLUMNS FROM trace_bounds"), csv("desc trace_bounds;"));
    assert_eq!(csv("SHOW COLUMNS IN sched LIKE 'ts'").lines().count(), 4);
    assert_snapshot!(csv("SHOW FUNCTIONS LIKE 'abs%'"), @r"
    exit code: 0
    ----- stdout
    name,kind,arguments
    abs,scalar,
    abs_time_str,scalar,
    ");
    assert_snapshot!(csv("SHOW MODULES LIKE 'time.%'; "), @r"
    exit code: 0
    ----- stdout
    name,included
    time.conversion,0
    ");
    assert_snapshot!(csv("DESCRIBE shed"), @r"
    exit code: 1
    ----- stderr
    error: no table or view is called `shed`
    line 1, column 10:
      DESCRIBE shed
               ^^^^
    did you mean `sched`?
    ");
    assert_snapshot!(csv("SHOW TABELS"), @r"
    exit code: 1
    ----- stderr
    error: syntax error: expected TABLES or COLUMNS or FUNCTIONS or MODULES, found TABELS
    line 1, column 6:
      SHOW TABELS
           ^^^^^^
    did you mean `TABLES`?
    ");
}

#[test]
fn a_limit_shows_the_first_rows_and_counts_the_others() {
    let script = ".limit 2\nSELECT ts FROM sched ORDER BY ts;\nSHOW MODULES;\n.limit off\n\
                  SELECT count(*) FROM (SELECT * FROM sched);\n.limit 8\nSELECT ts FROM sched;\n\
                  .limit -1\n";
    let text = shell(script);
    // On a busy machine the others are not counted in time.
    let counted = text.contains("2 of 8 rows; .limit off shows all\n");
    let uncounted = text.contains("the first 2 rows; .limit off shows all\n");
    assert!(counted || uncounted, "{text}");
    assert!(text.contains("\n8 rows\n"), "{text}");
    assert!(text.contains("`-1` is not a limit"), "{text}");
    // A listing is whole.
    assert!(text.contains("time.conversion"), "{text}");
}

/// A query that would never end gives its first rows.
#[test]
fn hidden_rows_are_not_computed() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                   SELECT i FROM n;";
    let text = shell(&format!(".limit 3\n.mode csv\n{endless}\n"));
    assert!(text.contains("i\n1\n2\n3\n"), "{text}");
    assert!(text.contains("the first 3 rows; .limit off shows all"), "{text}");
}

#[test]
fn a_statement_without_output_prints_nothing() {
    let script = "CREATE TABLE t(a INT);\nINCLUDE PERFETTO MODULE time.conversion;\n\
                  SELECT 1 AS suppress_query_output;\n";
    assert_eq!(shell(script), "exit code: 0\n");
}

#[test]
fn parameters_are_set_and_listed() {
    let script = ".mode csv\n.param set n 5\n.param set $text it's\nSELECT $n + 1 AS n, :text AS t;\n\
                  .param\n.param unset n\n.param list\nSELECT $n;\n.param put n 5\n";
    assert_snapshot!(shell(script), @r"
    exit code: 1
    ----- stdout
    n,t
    6,it's
    n     5
    text  'it''s'
    text  'it''s'
    ----- stderr
    1 row
    error: the parameter `$n` has no value
    line 1, column 8:
      SELECT $n;
             ^^
    give one with --param n=VALUE, or with .param set n VALUE in the shell
    error: write .param set NAME VALUE, unset NAME, list or clear
    ");
}

#[test]
fn functions_are_listed_with_kinds_and_arguments() {
    let text = shell(".functions pragma*\n");
    assert!(text.ends_with("\npragma_table_info  table      (table)\n"), "{text}");
}

#[test]
fn plans_are_lines() {
    let text = shell("EXPLAIN SELECT cpu, count(*) FROM sched GROUP BY cpu;\n");
    assert!(text.contains("\nphysical_plan\n  "), "{text}");
    assert!(!text.contains("\\n"), "{text}");
    let csv = run(&["query", SCHED, "-c", "EXPLAIN SELECT dur FROM sched WHERE dur > 5"]);
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert!(
        csv.lines()
            .skip(1)
            .all(|line| line.starts_with("logical_plan,") || line.starts_with("physical_plan,")),
        "{csv}"
    );
    assert!(csv.lines().count() > 3, "{csv}");
    let figures = shell("EXPLAIN ANALYZE SELECT count(*) FROM sched WHERE dur > 5;\n");
    assert!(figures.contains("output_rows="), "{figures}");
    assert!(figures.contains("elapsed_compute="), "{figures}");
}

#[test]
fn the_timer_shows_rows_time_and_memory() {
    let output = fed(&[SCHED], ".timer on\nSELECT 1;\n");
    let text = String::from_utf8(output.stderr).unwrap();
    let time = text.strip_prefix("1 row in ").and_then(|rest| rest.split_once([',', '\n']));
    let number = time.and_then(|(time, _)| time.split_once(' '));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = |(number, unit): (&str, &str)| {
        let decimals = if unit == "ms" { 1 } else { 3 };
        let is_number = number
            .split_once('.')
            .is_some_and(|(whole, rest)| digits(whole) && digits(rest) && rest.len() == decimals);
        is_number && ["ms", "s"].contains(&unit)
    };
    assert!(number.is_some_and(is_time), "{text}");
    if cfg!(target_os = "linux") {
        assert!(text.contains("s, memory at most "), "{text}");
    }
}

#[test]
fn other_traces_open_and_the_old_stay_when_that_fails() {
    let script = "SELECT count(*) AS old FROM sched;\n\
                  .open testdata/nothing.pftrace\n\
                  SELECT count(*) AS still FROM sched;\n\
                  .open testdata/track_events.pftrace\n\
                  SELECT count(*) > 0 AS slices FROM slice;\n\
                  SELECT count(*) AS none FROM sched;\n.open\n";
    assert_snapshot!("open", shell(script));
}

/// A file of `.output` opens once it is complete.
#[test]
fn the_file_of_output_does_not_open_before_it_is_complete() {
    let folder = Folder::of(&[("folder/other", b""), ("old.json", b"[]")]);
    // An array of objects is a trace as well.
    let slice = "SELECT 'X' AS ph, 'work' AS name, 1 AS ts, 2 AS dur, 1 AS pid, 1 AS tid;";
    let script = format!(
        ".timer off\n.mode csv\n.output new.json\n{slice}\n.open new.json\n\
         .open folder/../new.json\n.output old.json\n.open old.json\n.output\n\
         SELECT count(*) AS n FROM sched;\n.open new.json\nSELECT name FROM slice;\n"
    );
    let trace = format!("{}/{SCHED}", crate::ROOT);
    let output = feed(tpq().arg(&trace).current_dir(folder.path("")), &script);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    for name in ["new.json", "folder/../new.json", "old.json"] {
        let error = format!("error: {name} is the file of .output and not complete");
        assert!(errors.contains(&error), "{errors}");
    }
    assert_eq!(errors.matches("error: ").count(), 3, "{errors}");
    // The traces stay open until `new.json` does.
    assert_eq!(String::from_utf8_lossy(&output.stdout), "n\n8\nname\nwork\n", "{errors}");
}

#[test]
fn files_hold_commands_and_statements() {
    let folder = Folder::of(&[
        ("outer file.sql", b".mode csv\nSELECT 1 AS one,\n 2 AS two;\n.read inner.sql\nSELECT 4"),
        ("inner.sql", b"-- within\nSELECT 3 AS three;\n"),
        ("itself.sql", b".read itself.sql\n"),
    ]);
    let trace = format!("{}/{SCHED}", crate::ROOT);
    let run =
        |script: &str| describe(&feed(tpq().arg(&trace).current_dir(folder.path("")), script));
    let text = run(".timer off\n.read 'outer file.sql'\n");
    assert_snapshot!("read", text);
    assert_eq!(run(".timer off\n.read outer file.sql\n"), text);
    assert_eq!(run(".timer off\n\\i outer\\ file.sql\n"), text);
    let text = run(".read itself.sql\n");
    assert!(text.contains(".read is nested 16 files deep"), "{text}");
}

#[test]
fn statements_come_from_a_pipe() {
    let sql = "SELECT count(*) AS n FROM sched";
    let expected = describe(&run(&["query", SCHED, "-c", sql]));
    assert!(expected.starts_with("exit code: 0"), "{expected}");
    assert_eq!(describe(&fed(&["query", SCHED], sql)), expected);
    assert_eq!(describe(&fed(&["query", SCHED, "-f", "-"], sql)), expected);
    assert_eq!(fed(&["query", SCHED], " \n").status.code(), Some(2));
    let both = describe(&fed(&["query", "-"], sql));
    assert!(both.contains("stdin is the trace"), "{both}");
    // The last statement of a script for the shell needs no semicolon, either.
    assert!(describe(&fed(&[SCHED], "SELECT 42")).contains("42"));
}

#[test]
fn the_word_query_can_be_left_out() {
    let sql = "SELECT count(*) AS n FROM sched";
    for rest in [&["-c", sql][..], &["-c", sql, "--format", "json"], &["-c", sql, "--null", "x"]] {
        let short = describe(&run(&[&[SCHED], rest].concat()));
        assert_eq!(short, describe(&run(&[&["query", SCHED], rest].concat())));
        assert!(short.starts_with("exit code: 0"), "{short}");
    }
    let folder = Folder::of(&[("q.sql", sql.as_bytes())]);
    let file = folder.path("q.sql").display().to_string();
    assert!(describe(&run(&[SCHED, "-f", &file])).contains("n\n8\n"));
}

/// Runs the binary with settings and a startup file of its own.
fn at_home(config: &str, rc: &str, arguments: &[&str], stdin: &str) -> String {
    let files = [("config/tpq/config.toml", config.as_bytes()), ("home/.tpqrc", rc.as_bytes())];
    let folder = Folder::of(&files);
    let mut command = tpq();
    command
        .args(arguments)
        .env("XDG_CONFIG_HOME", folder.path("config"))
        .env("HOME", folder.path("home"));
    let text = describe(&feed(&mut command, stdin));
    text.replace(&folder.path("").display().to_string(), "FOLDER/").replace("//", "/")
}

#[test]
fn settings_hold_for_the_shell() {
    let config = "mode = \"csv\"\ntimer = false\n";
    let text = at_home(config, "", &[SCHED], "SELECT 1 AS one;\n");
    // The mode is that of a terminal.
    let table = "┌─────┐\n│ one │\n╞═════╡\n│   1 │\n└─────┘\n";
    assert_eq!(text, format!("exit code: 0\n----- stdout\n{table}----- stderr\n1 row\n"));
}

#[test]
fn settings_that_are_wrong_are_an_error() {
    let query = ["query", SCHED, "-c", "SELECT 1"];
    let text = at_home("timer = true\ncolour = 1\n", "", &query, "");
    let expected = "error: FOLDER/config/tpq/config.toml: line 2: no setting is called `colour`; \
                    there are memory_limit, threads, cache_dir, cache_size, pager, timer, mode and \
                    limit\n";
    assert_eq!(text, format!("exit code: 1\n----- stderr\n{expected}"));
    // A command that opens no trace needs no settings.
    assert!(at_home("colour = 1\n", "", &["--version"], "").starts_with("exit code: 0"));
    assert!(at_home("colour = 1\n", "", &["completions", "bash"], "").starts_with("exit code: 0"));
}

#[test]
fn the_startup_file_runs_in_the_shell_alone() {
    let rc = ".timer off\n.mode csv\nCREATE PERFETTO VIEW mine AS SELECT 7 AS seven;\n";
    let text = at_home("", rc, &[SCHED], "SELECT * FROM mine;\n");
    assert!(text.contains("seven\n7\n"), "{text}");
    let query = at_home("", rc, &["query", SCHED, "-c", "SELECT * FROM mine"], "");
    assert!(query.contains("no table or view is called `mine`"), "{query}");
    // An error is printed, and the next statement runs.
    let text = at_home("", ".timer off\nSELECT nothing;\n", &[SCHED], "SELECT 42;\n");
    assert!(text.starts_with("exit code: 0\n") && text.contains("42"), "{text}");
    assert!(text.contains("home/.tpqrc:"), "{text}");
}

#[test]
fn manual_pages() {
    let page = |arguments: &[&str]| {
        let output = run(arguments);
        assert!(output.status.success(), "{}", describe(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let tpq = page(&["man"]);
    assert!(tpq.contains(".TH tpq 1"), "{tpq}");
    for command in ["shell", "query", "export", "info", "check", "clocks", "merge"] {
        assert!(tpq.contains(&format!("tpq\\-{command}(1)")), "{command}: {tpq}");
        let text = page(&["man", command]);
        assert!(text.contains(&format!(".TH tpq-{command} 1")), "{text}");
        assert!(text.contains("SYNOPSIS"), "{text}");
    }
    assert_eq!(run(&["man", "nothing"]).status.code(), Some(2));
}
