//! Names and types as SQLite and PerfettoSQL take them: the case of columns, numbers of rows,
//! declared types, functions of the old form.

use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};

use super::session;
use crate::Session;

/// The titles of the last statement, and its rows, a line each.
async fn result(session: &Session, sql: &str) -> (Vec<String>, Vec<String>) {
    let result = session.query(sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let names = result.schema().fields().iter().map(|field| field.name().clone()).collect();
    let batches = result.collect().await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let options = FormatOptions::default().with_null("NULL");
    let mut lines = Vec::new();
    for batch in &batches {
        let columns = batch.columns().iter();
        let cells: Vec<_> =
            columns.map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
        for row in 0..batch.num_rows() {
            let cells: Vec<String> = cells.iter().map(|cell| cell.value(row).to_string()).collect();
            lines.push(cells.join(" "));
        }
    }
    (names, lines)
}

async fn rows(session: &Session, sql: &str) -> Vec<String> {
    result(session, sql).await.1
}

async fn message(session: &Session, sql: &str) -> String {
    match session.query(sql).await {
        Ok(result) => result.collect().await.map(|_| ()).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn columns_keep_their_case_through_subqueries_ctes_tables_and_views() {
    let session = session();
    for sql in [
        "SELECT 1 AS parentId",
        "SELECT * FROM (SELECT 1 AS parentId)",
        "WITH t AS (SELECT 1 AS parentId) SELECT * FROM t",
        "SELECT t.* FROM (SELECT 1 AS \"parentId\") t",
        "CREATE PERFETTO TABLE made AS SELECT 1 AS parentId; SELECT * FROM made",
        "CREATE PERFETTO VIEW seen AS SELECT parentid AS parentId FROM made; SELECT * FROM seen",
        "SELECT * FROM (SELECT 2 AS parentId UNION ALL SELECT 1 AS other) LIMIT 1",
    ] {
        assert_eq!(result(&session, sql).await.0, ["parentId"], "{sql}");
    }
    // A name is the same in any case.
    assert_eq!(rows(&session, "SELECT PARENTID FROM made WHERE parentid = 1").await, ["1"]);
}

#[tokio::test]
async fn a_column_is_named_as_its_table_has_it() {
    let session = session();
    for (sql, names) in [
        ("SELECT ID, Name, SLICE.DUR FROM Slice", vec!["id", "name", "dur"]),
        ("SELECT (id), ((Slice.TS)) FROM slice", vec!["id", "ts"]),
        ("SELECT [A.b], \"C\" FROM (SELECT 1 AS [A.b], 2 AS c)", vec!["A.b", "c"]),
        (
            "WITH t AS (SELECT 1 AS Key) SELECT key, T.KEY AS k, +key FROM t",
            vec!["Key", "k", "+key"],
        ),
        ("SELECT s.ID, T.Name FROM slice s JOIN thread T USING (id)", vec!["id", "name"]),
    ] {
        assert_eq!(result(&session, sql).await.0, names, "{sql}");
    }
    // Brackets do not hide a column from the query around.
    assert_eq!(rows(&session, "SELECT max(id) FROM (SELECT (id) FROM slice)").await, ["2"]);
}

#[tokio::test]
async fn rows_of_created_tables_have_numbers() {
    let session = session();
    let create = "CREATE PERFETTO TABLE letters AS \
                  SELECT column1 AS letter FROM (VALUES ('c'), ('a'), ('b'));";
    for (sql, expected) in [
        ("SELECT _auto_id, letter FROM letters ORDER BY 1", &["0 c", "1 a", "2 b"][..]),
        ("SELECT l._auto_id AS id FROM letters l WHERE letter = 'b'", &["2"]),
        (
            "SELECT a.letter, b.letter FROM letters a JOIN letters b \
             ON a._auto_id = b._auto_id + 1 ORDER BY a._auto_id",
            &["a c", "b a"],
        ),
        // It is not one of the columns of `*`.
        ("SELECT * FROM letters WHERE _auto_id = 1", &["a"]),
        ("SELECT * FROM letters ORDER BY letter", &["a", "b", "c"]),
    ] {
        assert_eq!(rows(&session, &format!("{create} {sql}")).await, expected, "{sql}");
        session.query("DROP TABLE letters; SELECT 1").await.unwrap();
    }
}

#[tokio::test]
async fn values_of_a_declared_type_are_converted() {
    let session = session();
    let function = |returns: &str, body: &str| {
        format!("CREATE OR REPLACE PERFETTO FUNCTION f(x STRING) RETURNS {returns} AS {body};")
    };
    let numbers = function("LONG", "SELECT CASE $x WHEN 'a' THEN '17' WHEN 'b' THEN NULL END");
    assert_eq!(rows(&session, &format!("{numbers} SELECT f('a'), f('b')")).await, ["17 NULL"]);
    let reals = function("LONG", "SELECT CASE $x WHEN 'a' THEN 2 WHEN 'b' THEN 3.5 END");
    assert_eq!(rows(&session, &format!("{reals} SELECT f('a')")).await, ["2"]);
    let error = message(&session, "SELECT f('b')").await;
    assert!(error.contains("LONG, but a row has the value 3.5"), "{error}");
    let table = "CREATE PERFETTO TABLE t(a LONG, b DOUBLE) AS SELECT 4.0 AS a, '0.5' AS b";
    // A real stays one where a number is declared; a time is an integer.
    assert_eq!(rows(&session, &format!("{table}; SELECT a, b FROM t")).await, ["4.0 0.5"]);
    let time = "CREATE PERFETTO TABLE times(ts TIMESTAMP) AS SELECT 4.0 AS ts";
    assert_eq!(rows(&session, &format!("{time}; SELECT ts FROM times")).await, ["4"]);
}

#[tokio::test]
async fn functions_are_created_in_the_old_form() {
    let session = session();
    let create = "SELECT CREATE_FUNCTION('OLD(x LONG)', 'LONG', 'SELECT $x + 1')";
    assert_eq!(rows(&session, &format!("{create}; SELECT old(1)")).await, ["2"]);
    let create = "SELECT CREATE_VIEW_FUNCTION('ROWS_OF(x LONG)', 'a LONG, b STRING', \
                  'SELECT $x AS a, ''text'' AS b')";
    assert_eq!(rows(&session, &format!("{create}; SELECT * FROM rows_of(3)")).await, ["3 text"]);
}

#[tokio::test]
async fn sums_and_products_out_of_range_are_errors() {
    let session = session();
    let values = "FROM (VALUES (9223372036854775807, 1), (1, 1), (5, 2)) AS t(x, g)";
    for (sql, expected) in [
        (format!("SELECT x + 1 {values}"), "integer overflow in `+`"),
        (format!("SELECT x * 2 {values}"), "integer overflow in `*`"),
        (format!("SELECT -2 - x {values}"), "integer overflow in `-`"),
        (format!("SELECT sum(x) {values}"), "integer overflow in sum()"),
        (format!("SELECT g, sum(x) {values} GROUP BY g"), "integer overflow in sum()"),
        (format!("SELECT sum(DISTINCT x) {values}"), "integer overflow in sum()"),
    ] {
        let error = message(&session, &sql).await;
        assert!(error.contains(expected), "{sql}: {error}");
    }
    let sums = format!("SELECT sum(x) FILTER (WHERE g = 2), total(x) > 9.2e18 {values}");
    assert_eq!(rows(&session, &sums).await, ["5 1"]);
    let windows = format!("SELECT sum(g) OVER (ORDER BY g ROWS 1 PRECEDING) {values}");
    assert_eq!(rows(&session, &windows).await, ["1", "2", "3"]);
}

/// The engine finds the column of a filter by its name; here two columns of a join have one.
#[tokio::test]
async fn filters_of_joins_apply_to_their_own_column() {
    let session = session();
    let sql = "CREATE PERFETTO TABLE s AS SELECT column1 AS id, column2 AS utid \
                 FROM (VALUES (1, 1), (2, 2));
               CREATE PERFETTO TABLE k AS SELECT column1 AS utid, column2 AS x FROM (VALUES (1, 7));
               SELECT count(f.n), count(*) FROM thread t LEFT JOIN (
                 SELECT t.utid, coalesce(group_concat(k.x ORDER BY s.id), '') AS n FROM thread t
                 LEFT JOIN s ON s.utid = t.utid LEFT JOIN k ON k.utid = s.utid GROUP BY t.utid
               ) f ON f.utid = t.utid";
    let threads = rows(&session, "SELECT count(*) FROM thread").await.remove(0);
    assert_eq!(rows(&session, sql).await, [format!("{threads} {threads}")]);
}

/// An argument that is a table is not repeated in each row of the result.
#[tokio::test]
async fn results_of_table_operators_take_linear_memory() {
    let session = session();
    let sql = "SELECT count(*), sum(r) FROM (SELECT c0, c1 IS NULL AS r \
               FROM __intrinsic_table_ptr(__intrinsic_bfs(
                 (SELECT __intrinsic_graph_agg(value, value + 1) FROM generate_series(0, 20000)),
                 (SELECT __intrinsic_array_agg(value) FROM generate_series(0, 0))))
               WHERE __intrinsic_table_ptr_bind(c0, 'node_id')
                 AND __intrinsic_table_ptr_bind(c1, 'parent_node_id'))";
    assert_eq!(rows(&session, sql).await, ["20002 1"]);
}

/// A subquery grouped by a key of a table and another column has several rows for each key.
#[tokio::test]
async fn groups_of_groups_are_by_the_columns_that_are_named() {
    let session = session();
    let groups = "SELECT t.utid, s.cpu, max(s.dur) AS x FROM thread t JOIN sched s USING (utid) \
                  GROUP BY t.utid, s.cpu";
    let threads = rows(&session, "SELECT count(DISTINCT utid) FROM sched").await;
    let outer = format!("SELECT count(*) FROM (SELECT utid, max(x) FROM ({groups}) GROUP BY utid)");
    assert_eq!(rows(&session, &outer).await, threads);
    let outer = format!(
        "WITH g AS ({groups}) SELECT count(*) FROM (SELECT utid, max(x) FROM g GROUP BY utid)"
    );
    assert_eq!(rows(&session, &outer).await, threads);
}

/// The type of a CASE is that of all its branches, also in a table.
#[tokio::test]
async fn tables_keep_reals_of_branches_behind_integers() {
    let session = session();
    let tables = "CREATE PERFETTO TABLE a AS SELECT 1 = 0 AS o, 34.5 AS v; \
                  CREATE PERFETTO TABLE e AS SELECT iif(o, 0, v) AS z FROM a;";
    assert_eq!(rows(&session, &format!("{tables} SELECT z, z + 1 FROM e")).await, ["34.5 35.5"]);
    let union = "CREATE PERFETTO TABLE u AS SELECT NULL AS x UNION ALL SELECT 5;";
    assert_eq!(rows(&session, &format!("{union} SELECT sum(x) FROM u")).await, ["5"]);
    let nested = "SELECT z * 2 FROM (SELECT iif(0, 1, 2.5) AS z)";
    assert_eq!(rows(&session, nested).await, ["5.0"]);
}

/// An alias with the name of a column does not stand for the column in GROUP BY.
#[tokio::test]
async fn columns_of_tables_come_before_aliases_in_group_by() {
    let session = session();
    let sql = "WITH f AS (SELECT column1 AS id FROM (VALUES (1), (2))), \
               t AS (SELECT column1 AS frame_id, column2 AS tag FROM (VALUES (1, 'a'), (2, 'b'))) \
               SELECT f.id AS frame_id, group_concat(tag) FROM f LEFT JOIN t ON t.frame_id = f.id \
               GROUP BY frame_id ORDER BY 1";
    assert_eq!(rows(&session, sql).await, ["1 a", "2 b"]);
    // The window is of one row of each group.
    let sql = "SELECT g, first_value(v) OVER (PARTITION BY g ORDER BY ts) AS v \
               FROM (SELECT column1 AS g, column2 AS v, column3 AS ts \
                     FROM (VALUES (1, 'a', 10), (2, 'b', 20))) GROUP BY g ORDER BY g";
    assert_eq!(rows(&session, sql).await, ["1 a", "2 b"]);
}

/// Of several columns with one name the first is meant by it.
#[tokio::test]
async fn columns_of_one_name_are_kept() {
    let session = session();
    let create = "CREATE PERFETTO TABLE made AS \
                  SELECT column1 AS id, column2 AS v FROM (VALUES (10, 'a'), (20, 'b')); ";
    let numbered = format!("{create} SELECT _auto_id AS id, * FROM made ORDER BY v");
    let (names, lines) = result(&session, &numbered).await;
    assert_eq!(names, ["id", "id", "v"]);
    assert_eq!(lines, ["0 10 a", "1 20 b"]);
    let pair = "WITH x AS (SELECT 1 AS k, 2 AS d), y AS (SELECT 3 AS k)";
    for (sql, names, line) in [
        ("SELECT x.d AS k, x.* FROM x", &["k", "k", "d"][..], "2 1 2"),
        ("SELECT d AS k, * EXCLUDE (d) FROM x", &["k", "k"], "2 1"),
        ("SELECT d AS k, * REPLACE (5 AS k) FROM x", &["k", "k", "d"], "2 5 2"),
        ("SELECT *, * FROM x", &["k", "d", "k", "d"], "1 2 1 2"),
        ("SELECT k FROM (SELECT x.d AS k, x.* FROM x)", &["k"], "2"),
        ("SELECT k FROM (SELECT x.*, x.d AS k FROM x)", &["k"], "1"),
        ("SELECT k FROM (SELECT 7 AS k, * FROM x, y)", &["k"], "7"),
    ] {
        let (found, lines) = result(&session, &format!("{pair} {sql}")).await;
        assert_eq!(found, names, "{sql}");
        assert_eq!(lines, [line], "{sql}");
    }
    let view = format!("CREATE PERFETTO VIEW seen AS {pair} SELECT x.*, y.* FROM x, y;");
    let (names, lines) = result(&session, &format!("{view} SELECT * FROM seen")).await;
    assert_eq!(names, ["k", "d", "k:1"]);
    assert_eq!(lines, ["1 2 3"]);
    assert_eq!(rows(&session, "SELECT k FROM seen").await, ["1"]);
}

/// A name in double quotes that no column has is a text, as it is written.
#[tokio::test]
async fn functions_in_from_are_called_with_texts_in_double_quotes() {
    let session = session();
    let create = "CREATE PERFETTO FUNCTION f(x STRING) RETURNS TABLE(a STRING) AS SELECT $x AS a;";
    assert_eq!(rows(&session, &format!("{create} SELECT * FROM f(\"Text\")")).await, ["Text"]);
    let sql = "SELECT t.utid, c.a FROM thread t, f(\"Text\") c ORDER BY 1";
    assert_eq!(rows(&session, sql).await, ["0 Text", "1 Text"]);
    let sql = "SELECT t.utid, c.a FROM thread t JOIN f(\"name\") c ORDER BY 1";
    assert_eq!(rows(&session, sql).await, ["0 app", "1 worker"]);
    let error = message(&session, "SELECT * FROM f(nope)").await;
    assert!(error.contains("no column is called `nope`"), "{error}");
}

/// Calls are arguments like others.
#[tokio::test]
async fn functions_in_from_are_called_with_values_of_functions() {
    let session = session();
    let create = "CREATE PERFETTO FUNCTION successor(x LONG) RETURNS LONG AS SELECT $x + 1; \
                  CREATE PERFETTO FUNCTION tid_of(x LONG) RETURNS LONG AS \
                  SELECT min(tid) FROM thread WHERE utid = $x; \
                  CREATE PERFETTO FUNCTION tens(x LONG) RETURNS TABLE(a LONG) AS \
                  SELECT $x * 10 AS a; \
                  CREATE PERFETTO FUNCTION below(x LONG) RETURNS TABLE(a LONG) AS \
                  SELECT count(*) AS a FROM thread WHERE tid < $x;";
    session.query(&format!("{create} SELECT 1")).await.unwrap();
    for (sql, expected) in [
        (
            "SELECT t.utid, c.a FROM thread t, tens(successor(t.utid)) c ORDER BY 1",
            &["0 10", "1 20"][..],
        ),
        (
            "SELECT t.utid, c.a FROM thread t, tens(tid_of(t.utid)) c ORDER BY 1",
            &["0 1000", "1 1010"],
        ),
        (
            "SELECT t.utid, c.a FROM thread t LEFT JOIN below(successor(successor(t.tid))) c ORDER BY 1",
            &["0 2", "1 2"],
        ),
        (
            "SELECT t.utid, (SELECT a FROM tens(successor(t.utid))) FROM thread t ORDER BY 1",
            &["0 10", "1 20"],
        ),
        (
            "SELECT t.utid, c.value FROM thread t, generate_series(1, successor(t.utid)) c ORDER BY 1, 2",
            &["0 1", "1 1", "1 2"],
        ),
        ("SELECT a FROM tens(successor(4))", &["50"]),
        ("SELECT a FROM below(tid_of(1))", &["1"]),
        ("SELECT value FROM generate_series(successor(4), 6) ORDER BY 1", &["5", "6"]),
    ] {
        assert_eq!(rows(&session, sql).await, expected, "{sql}");
    }
}

/// A column of UNION that begins with NULL has the type of the other queries.
#[tokio::test]
async fn functions_are_called_with_unions_that_begin_with_null() {
    let session = session();
    let union = "FROM (SELECT NULL AS v UNION ALL SELECT 1) t ORDER BY 1";
    let create = "CREATE PERFETTO FUNCTION last_before(x LONG) RETURNS LONG AS \
                  SELECT max(utid) FROM thread WHERE utid < $x LIMIT 1;";
    let sql = format!("{create} SELECT last_before((SELECT t.v)) {union}");
    assert_eq!(rows(&session, &sql).await, ["NULL", "0"]);
    let create = "CREATE PERFETTO FUNCTION greatest_of(x LONG) RETURNS LONG AS \
                  SELECT max(a) FROM (SELECT NULL AS a UNION ALL SELECT $x LIMIT 3);";
    let sql = format!("{create} SELECT greatest_of(v) {union}");
    assert_eq!(rows(&session, &sql).await, ["NULL", "1"]);
}

/// A table has the rows of its query in their order, also where that is one of a subquery.
#[tokio::test]
async fn tables_keep_the_order_of_a_union_in_a_subquery() {
    let session = session();
    let sql = "CREATE TABLE ordered AS SELECT * FROM ( \
               SELECT column1 AS a FROM (VALUES (3), (1)) UNION ALL SELECT 2 ORDER BY a); \
               SELECT _auto_id, a FROM ordered ORDER BY 1";
    assert_eq!(rows(&session, sql).await, ["0 1", "1 2", "2 3"]);
}

/// A view and the body of a function are texts: a table of the user's own takes the place of a
/// built-in one in them, also after they were used.
#[tokio::test]
async fn views_and_functions_read_what_takes_the_name_of_a_built_in() {
    let session = session();
    let create =
        "CREATE PERFETTO VIEW counted AS SELECT count(*) AS n, sum(abs(dur)) AS a FROM slice;
        CREATE PERFETTO FUNCTION counts() RETURNS LONG AS SELECT count(*) FROM slice";
    let read = "SELECT n, a, counts() FROM counted";
    for (change, expected) in [
        (create, "3 51 3"),
        ("CREATE TABLE slice AS SELECT -7 AS dur", "1 7 1"),
        ("CREATE PERFETTO FUNCTION abs(x LONG) RETURNS LONG AS SELECT $x * 2", "1 -14 1"),
        ("DROP TABLE slice", "3 98 3"),
    ] {
        assert_eq!(rows(&session, &format!("{change}; {read}")).await, [expected], "{change}");
    }
}
