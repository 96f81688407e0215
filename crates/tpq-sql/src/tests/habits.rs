//! What users of DuckDB, SQLite and Postgres write: catalogs, SUMMARIZE, options of `*`, series,
//! parameters and lists of functions.

use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

use super::session;
use crate::{ParameterValue, Session};

/// The rows of the last of several statements, a line each; NULL and empty texts are `-`.
async fn lines(session: &Session, sql: &str) -> Vec<String> {
    let result = session.query(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let batches = result.collect().await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let options = FormatOptions::default();
    let mut lines = Vec::new();
    for batch in &batches {
        let cells: Vec<_> = batch
            .columns()
            .iter()
            .map(|column| ArrayFormatter::try_new(column, &options).unwrap())
            .collect();
        for row in 0..batch.num_rows() {
            let cells = cells.iter().map(|cell| cell.value(row).to_string());
            let cells = cells.map(|cell| if cell.is_empty() { "-".to_owned() } else { cell });
            lines.push(cells.collect::<Vec<_>>().join(" "));
        }
    }
    lines
}

async fn error(session: &Session, sql: &str) -> String {
    match session.query(sql).await {
        Ok(result) => result.collect().await.map(|_| ()).unwrap_err().report(),
        Err(error) => error.report(),
    }
}

/// Runs statements that give no rows.
async fn run(session: &Session, sql: &str) {
    for statement in session.statements(sql).unwrap() {
        let result = session.run(&statement).await.map(|result| result.is_none());
        assert!(result.unwrap_or_else(|error| panic!("{sql}: {error:?}")), "{sql}");
    }
}

#[tokio::test]
async fn series_are_tables() {
    let session = session();
    for (sql, expected) in [
        ("SELECT value FROM generate_series(1, 5, 2)", &["1", "3", "5"][..]),
        ("SELECT * FROM generate_series(5, 1, -2)", &["5", "3", "1"]),
        ("SELECT value FROM range(1, 5, 2)", &["1", "3"]),
        ("SELECT value FROM range(3)", &["0", "1", "2"]),
        ("SELECT value FROM generate_series(2, 1)", &[]),
        ("SELECT value FROM generate_series(NULL, 3)", &[]),
        ("SELECT x, t.x * 2 FROM generate_series(1, 2) t(x)", &["1 2", "2 4"]),
        (
            "SELECT a.value, b.value FROM range(2) a, range(2) b ORDER BY 1, 2",
            &["0 0", "0 1", "1 0", "1 1"],
        ),
        ("SELECT sum(value), count(*) FROM generate_series(1, 100000)", &["5000050000 100000"]),
        // Durations are 50, 0 and -1.
        (
            "SELECT s.ts, g.value FROM slice s, generate_series(0, s.dur / 25) g ORDER BY 1, 2",
            &["1000 0", "1000 1", "1000 2", "1010 0", "1020 0"],
        ),
        (
            "SELECT s.ts, g.value FROM slice s LEFT JOIN generate_series(1, s.dur / 25) g \
             ORDER BY 1, 2",
            &["1000 1", "1000 2", "1010 -", "1020 -"],
        ),
    ] {
        assert_eq!(lines(&session, sql).await, expected, "{sql}");
    }
}

/// No more rows are made than are asked for.
#[tokio::test]
async fn a_limit_ends_a_series_of_any_length() {
    let session = session();
    let sql = "SELECT value FROM generate_series(1, 9223372036854775807) LIMIT 2";
    assert_eq!(lines(&session, sql).await, ["1", "2"]);
    let sql = "SELECT max(value) FROM (SELECT value FROM range(0, 9000000000000000000, 3) LIMIT 4)";
    assert_eq!(lines(&session, sql).await, ["9"]);
    let sql = "SELECT s.ts FROM slice s, range(s.ts, 9000000000000000000) LIMIT 1";
    assert_eq!(lines(&session, sql).await, ["1000"]);
}

#[tokio::test]
async fn wrong_series_are_errors() {
    let session = session();
    let sql = "SELECT * FROM generate_series(1, 5, 0)";
    assert!(error(&session, sql).await.contains("generate_series(): step must not be 0"));
    let sql = "SELECT * FROM generate_series(1)";
    let wanted = "generate_series() takes 2 to 3 arguments, 1 were given";
    assert!(error(&session, sql).await.contains(wanted));
    let sql = "SELECT * FROM range('a', 'b')";
    assert!(error(&session, sql).await.contains("range(): start must be an integer"));
}

#[tokio::test]
async fn stars_without_some_columns() {
    let session = session();
    for (sql, expected) in [
        ("SELECT * EXCLUDE (b) FROM t", &["1 3"][..]),
        ("SELECT * EXCLUDE B FROM t", &["1 3"]),
        ("SELECT * EXCEPT (A, c), 7 FROM t", &["2 7"]),
        ("SELECT t.* EXCLUDE (a, b) FROM t", &["3"]),
        ("SELECT * REPLACE (a + 10 AS a, 'x' AS B) FROM t", &["11 x 3"]),
        ("SELECT t.* REPLACE (t.b * 2 AS b) FROM t", &["1 4 3"]),
        ("SELECT * EXCLUDE (a) REPLACE (b > 1 AS b) FROM t", &["1 3"]),
        ("SELECT x.* EXCLUDE (c), y.a FROM t x JOIN t y ON x.a = y.a", &["1 2 1"]),
        ("SELECT a FROM t EXCEPT SELECT 1", &[]),
        ("FROM t", &["1 2 3"]),
        ("FROM t WHERE a = 2", &[]),
    ] {
        let sql = format!("CREATE OR REPLACE PERFETTO VIEW t AS SELECT 1 a, 2 b, 3 c; {sql}");
        assert_eq!(lines(&session, &sql).await, expected, "{sql}");
    }
    let missing = error(&session, "SELECT * EXCLUDE (d) FROM t").await;
    assert!(missing.contains("no column is called `d`"), "{missing}");
    // A value for no column is not ignored.
    let missing = error(&session, "SELECT * REPLACE (1 AS d) FROM t").await;
    assert!(missing.contains("no column is called `d`"), "{missing}");
}

#[tokio::test]
async fn a_view_can_name_its_columns() {
    let session = session();
    for (view, expected) in [
        ("v(a, \"B c\") AS SELECT 1, 2 -- a comment", "1 2"),
        ("v(a, b) AS WITH t(x) AS (VALUES (3)) SELECT x, x + 1 FROM t ORDER BY 1", "3 4"),
        ("v(a, b) AS VALUES (5, 6)", "5 6"),
    ] {
        let sql = format!("CREATE OR REPLACE VIEW {view}\n; SELECT v.a, * EXCLUDE (a) FROM v");
        assert_eq!(lines(&session, &sql).await, [expected], "{sql}");
    }
    let columns = "CREATE VIEW w(a, \"B c\") AS SELECT 1, 2; SELECT \"b C\" FROM w";
    assert_eq!(lines(&session, columns).await, ["2"]);
    let few = error(&session, "CREATE VIEW few(a) AS SELECT 1, 2; SELECT * FROM few").await;
    assert!(few.contains("columns"), "{few}");
}

#[tokio::test]
async fn sqlite_master_lists_tables_and_views() {
    let session = session();
    run(
        &session,
        "CREATE VIEW names AS SELECT name FROM sqlite_schema; CREATE TABLE own(a INT, b TEXT); \
         CREATE PERFETTO TABLE kept AS SELECT 1 AS a;",
    )
    .await;
    let sql = "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master \
               WHERE name IN ('own', 'kept', 'names') ORDER BY name";
    let expected = [
        "table kept kept 0 CREATE PERFETTO TABLE kept AS SELECT 1 AS a",
        "view names names 0 CREATE VIEW names AS SELECT name FROM sqlite_schema",
        "table own own 0 CREATE TABLE own(a LONG, b STRING)",
    ];
    assert_eq!(lines(&session, sql).await, expected);
    let sql = "SELECT count(*) FROM main.sqlite_master WHERE name = 'slice' AND type = 'view'";
    assert_eq!(lines(&session, sql).await, ["1"]);
    // A view of the list is never out of date.
    let sql = "CREATE TABLE later(a INT); SELECT * FROM names WHERE name = 'later'";
    assert_eq!(lines(&session, sql).await, ["later"]);
    let columns = lines(&session, "DESCRIBE sqlite_master").await;
    assert_eq!(columns.first().map(String::as_str), Some("type STRING -"));
}

#[tokio::test]
async fn the_information_schema_lists_columns() {
    let session = session();
    run(&session, "CREATE TABLE own(a INT, b TEXT)").await;
    for (sql, expected) in [
        (
            "SELECT schema_name FROM information_schema.schemata",
            &["main", "information_schema"][..],
        ),
        (
            "SELECT table_schema, table_type FROM information_schema.tables \
             WHERE table_name IN ('own', 'slice') ORDER BY table_name",
            &["main BASE TABLE", "main VIEW"],
        ),
        (
            "SELECT column_name, ordinal_position, data_type, is_nullable, column_default \
             FROM INFORMATION_SCHEMA.columns c WHERE c.table_name = 'own'",
            &["a 1 LONG YES -", "b 2 STRING YES -"],
        ),
        (
            "SELECT is_nullable, data_type FROM information_schema.columns \
             WHERE table_name = 'sched_slice' AND column_name = 'ts'",
            &["NO TIMESTAMP"],
        ),
        (
            "SELECT count(*) FROM information_schema.tables WHERE substr(table_name, 1, 2) = '__'",
            &["0"],
        ),
    ] {
        assert_eq!(lines(&session, sql).await, expected, "{sql}");
    }
    let missing = error(&session, "SELECT * FROM information_schema.tabels").await;
    assert!(
        missing.contains("no table or view is called `information_schema.tabels`"),
        "{missing}"
    );
}

#[tokio::test]
async fn columns_of_a_table_are_rows() {
    let session = session();
    run(&session, "CREATE TABLE own(a INT, b TEXT)").await;
    let expected = ["0 a LONG 0 - 0", "1 b STRING 0 - 0"];
    for sql in [
        "PRAGMA table_info(own)",
        "pragma TABLE_INFO('OWN')",
        "PRAGMA table_info = own",
        "SELECT * FROM pragma_table_info('own')",
    ] {
        assert_eq!(lines(&session, sql).await, expected, "{sql}");
    }
    for (sql, expected) in [
        (
            "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c \
             WHERE m.name = 'own' ORDER BY c.cid",
            &["own a", "own b"][..],
        ),
        ("SELECT * FROM pragma_table_info('nothing')", &[]),
        ("SELECT * FROM pragma_table_info(NULL)", &[]),
        (
            "SELECT name, \"notnull\", pk FROM pragma_table_info('sched_slice') WHERE cid < 2",
            &["id 1 1", "ts 1 0"],
        ),
        (
            "SELECT name, col_type, nullable, sorted FROM perfetto_table_info('sched_slice') \
             WHERE name IN ('id', 'ts', 'end_state')",
            &["id id 0 1", "ts int64 0 1", "end_state string 1 0"],
        ),
        ("DESCRIBE SELECT 1 AS a, 'x' AS b", &["a LONG", "b STRING"]),
    ] {
        assert_eq!(lines(&session, sql).await, expected, "{sql}");
    }
    let missing = error(&session, "PRAGMA table_info(slcie)").await;
    assert!(missing.contains("did you mean `slice`?"), "{missing}");
    let other = error(&session, "PRAGMA page_size").await;
    assert!(other.contains("only PRAGMA table_info(x) is supported"), "{other}");
}

#[tokio::test]
async fn modules_are_rows() {
    let session = session();
    for (sql, expected) in [
        (
            "SELECT package, object_type, description, exposed, return_type, return_description, \
             args, cols FROM __intrinsic_stdlib_objects WHERE name = 'time_from_ns'",
            &["time FUNCTION Converts nanoseconds to a time. 1 TIMESTAMP Time in ns. \
               [{\"name\":\"nanos\",\"type\":\"LONG\",\"description\":\"Number of nanoseconds.\"}] []"]
                [..],
        ),
        (
            "SELECT object_type, name FROM stdlib_objects WHERE module = 'time.conversion' \
             AND object_type <> 'FUNCTION'",
            &["MODULE time.conversion"],
        ),
        (
            "SELECT package, object_type FROM stdlib_objects WHERE module = 'prelude.slice' \
             AND name IN ('prelude.slice', 'slice')",
            &["prelude MODULE", "prelude VIEW"],
        ),
        (
            "SELECT count(*) FROM stdlib_objects WHERE name IS NULL OR description IS NULL \
             OR return_type IS NULL OR args NOT LIKE '[%]' OR cols NOT LIKE '[%]'",
            &["0"],
        ),
        (
            "SELECT max(name) FROM stdlib_objects WHERE NOT exposed AND substr(name, 1, 1) <> '_'",
            &["-"],
        ),
    ] {
        assert_eq!(lines(&session, sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn a_summary_has_a_row_for_each_column() {
    let session = session();
    // Quartiles of 1, 2 and 3 are interpolated between the values.
    let values = "(VALUES (1, 'x'), (2, NULL), (3, 'y'), (NULL, 'y'))";
    let sql = format!("SUMMARIZE SELECT column1 AS A, column2 AS b FROM {values}");
    let expected = ["A LONG 1 3 3 2.0 1.0 1.25 2.0 2.75 4 25.0", "b STRING x y 2 - - - - - 4 25.0"];
    assert_eq!(lines(&session, &sql).await, expected);
    let sql = "SUMMARIZE SELECT 1.5 AS a WHERE 0";
    assert_eq!(lines(&session, sql).await, ["a DOUBLE - - 0 - - - - - 0 -"]);
    let slices = lines(&session, "SUMMARIZE slice").await;
    assert!(slices.iter().any(|line| line.starts_with("dur LONG -1 50 3 ")), "{slices:?}");
    assert_eq!(lines(&session, "SUMMARIZE range(10)").await.len(), 1);
    assert!(error(&session, "SUMMARIZE slcie").await.contains("did you mean `slice`?"));
    assert!(error(&session, "SUMMARIZE").await.contains("expected a table or a query"));
}

#[tokio::test]
async fn parameters_stand_for_values() {
    let session = session();
    for (name, text) in [
        ("N", "2"),
        ("negative", "-5"),
        ("real", "0.5"),
        ("nothing", "null"),
        ("text", "x'; DROP TABLE slice; --"),
        ("step", "5"),
    ] {
        session.set_parameter(name, ParameterValue::from_text(text));
    }
    for (sql, expected) in [
        ("SELECT $n + 1, :N, $n", "3 2 2"),
        ("SELECT 3 - $negative, abs($negative), -$negative", "8 5 5"),
        ("SELECT $real * 2, $nothing IS NULL", "1.0 1"),
        ("SELECT $text", "x'; DROP TABLE slice; --"),
        ("SELECT count(*) FROM (SELECT * FROM slice LIMIT $n)", "2"),
        ("SELECT CASE WHEN $n IN (1, :n) THEN 'in' END", "in"),
        // An argument has the name before a parameter.
        (
            "CREATE PERFETTO FUNCTION plus(n LONG) RETURNS LONG AS SELECT $n + $step; \
             SELECT plus(10)",
            "15",
        ),
        ("CREATE PERFETTO MACRO twice(n Expr) RETURNS Expr AS $n * $step; SELECT twice!($n)", "10"),
    ] {
        assert_eq!(lines(&session, sql).await, [expected], "{sql}");
    }
    assert!(session.remove_parameter("n") && !session.remove_parameter("n"));
    let missing = error(&session, "SELECT 1,\n  $n").await;
    let expected = "the parameter `$n` has no value\nline 2, column 3:\n    $n\n    ^^\n\
                    give one with --param n=VALUE, or with .param set n VALUE in the shell";
    assert_eq!(missing, expected);
    let names: Vec<_> = session.parameters().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["negative", "nothing", "real", "step", "text"]);
}

#[tokio::test]
async fn functions_have_kinds_and_arguments() {
    let session = session();
    let has = |name: &str, kind: &str| {
        session.functions().iter().any(|found| found.name == name && found.kind == kind)
    };
    for (name, kind) in [
        ("abs", "scalar"),
        ("count", "aggregate"),
        ("lag", "window"),
        ("range", "table"),
        ("range", "scalar"),
        ("read_csv", "table"),
    ] {
        assert!(has(name, kind), "{name}");
    }
    assert!(session.functions().iter().all(|function| !function.name.starts_with("__")));
    run(&session, "CREATE PERFETTO FUNCTION f(a LONG, b STRING) RETURNS LONG AS SELECT 1").await;
    for (sql, expected) in [
        ("SHOW FUNCTIONS LIKE 'f'", "f scalar a LONG, b STRING"),
        ("SHOW FUNCTIONS LIKE 'ancestor_slice'", "ancestor_slice table id"),
        ("SHOW FUNCTIONS LIKE 'pragma_table_info'", "pragma_table_info table table"),
    ] {
        assert_eq!(lines(&session, sql).await, [expected], "{sql}");
    }
    let series = lines(&session, "SHOW FUNCTIONS LIKE 'generate_series'").await;
    assert!(series.contains(&"generate_series table start, stop[, step]".to_owned()), "{series:?}");
}

#[tokio::test]
async fn a_missing_function_gets_the_nearest_of_all_kinds() {
    let session = session();
    for (sql, name, near) in [
        ("SELECT lenght('a')", "lenght", "length"),
        ("SELECT cuont(*) FROM slice", "cuont", "count"),
        ("SELECT stdddev(dur) FROM slice", "stdddev", "stddev"),
        ("SELECT row_nmber() OVER (ORDER BY ts) FROM slice", "row_nmber", "row_number"),
        ("SELECT cuont(*) OVER () FROM slice", "cuont", "count"),
        ("SELECT * FROM genrate_series(1, 2)", "genrate_series", "generate_series"),
        ("SELECT * FROM raed_csv('a.csv')", "raed_csv", "read_csv"),
    ] {
        let report = error(&session, sql).await;
        let first = format!("no function is called `{name}`\nline 1, column ");
        assert!(report.starts_with(&first), "{sql}: {report}");
        assert!(report.ends_with(&format!("did you mean `{near}`?")), "{sql}: {report}");
    }
}

#[tokio::test]
async fn output_can_be_suppressed() {
    let session = session();
    let suppressed = session.query("SELECT 1 AS suppress_query_output").await.unwrap();
    assert!(suppressed.is_suppressed());
    let shown = session.query("SELECT 1 AS suppress_query_output, 2").await.unwrap();
    assert!(!shown.is_suppressed());
}
