//! Statements as Perfetto's library writes them.

use super::{rows, session};

/// Runs statements; the only value of the last one.
async fn value(sql: &str) -> String {
    let table = rows(&session(), sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    table.lines().nth(3).unwrap_or_default().trim_matches(['|', ' ']).to_owned()
}

/// Each text in double quotes is a name that is not found.
#[tokio::test]
async fn a_statement_may_have_hundreds_of_texts_in_double_quotes() {
    let case = |n: usize| format!("WHEN $x GLOB \"*.{n}: *$*\" THEN \"number {n}\"");
    let cases: Vec<String> = (0..150).map(case).collect();
    let function = format!(
        "CREATE PERFETTO FUNCTION which(x STRING) RETURNS STRING AS SELECT CASE {} END;",
        cases.join(" ")
    );
    assert_eq!(value(&format!("{function} SELECT which('a.149: b$c')")).await, "number 149");
    // A name in double quotes that a column has stays one.
    let worker = "SELECT name = \"app\" OR \"name\" = \"worker\" FROM thread WHERE utid = 1";
    assert_eq!(value(worker).await, "1");
}

/// half(10) is 6, and half(6) is 4.
#[tokio::test]
async fn the_value_of_a_function_limits_rows() {
    let functions = "CREATE PERFETTO FUNCTION half(x LONG) RETURNS LONG AS SELECT $x / 2 + 1; \
                     CREATE PERFETTO FUNCTION first(n LONG) RETURNS TABLE(v LONG) AS \
                     SELECT value AS v FROM generate_series(0, 9) LIMIT half($n) - 1;";
    assert_eq!(value(&format!("{functions} SELECT count(*) FROM first(half(10))")).await, "3");
}

#[tokio::test]
async fn errors_on_what_is_not_supported_are_short() {
    let sql = "CREATE PERFETTO FUNCTION last(n LONG) RETURNS LONG AS \
               SELECT max(value) FROM (SELECT value FROM generate_series(0, 9) LIMIT $n); \
               SELECT last(n) FROM (SELECT 2 AS n UNION ALL SELECT 3)";
    let error = rows(&session(), sql).await.unwrap_err().to_string();
    assert!(error.contains("LIMIT") && !error.contains('{'), "{error}");
}
