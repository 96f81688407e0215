//! Statements of clients that may only read.

use futures::TryStreamExt;

use super::session;
use crate::{
    CancelToken, ParameterValue, ParameterValues, Session, SqlError, SqlErrorKind, Statement,
};

fn only(session: &Session, sql: &str) -> Statement {
    session.statements(sql).unwrap().remove(0)
}

async fn read(session: &Session, sql: &str) -> Result<usize, SqlError> {
    let statement = only(session, sql);
    let rows = session.read(&statement, ParameterValues::new(), &CancelToken::default()).await?;
    let Some(rows) = rows else { return Ok(0) };
    let batches: Vec<_> = rows.try_collect().await?;
    Ok(batches.iter().map(|batch| batch.num_rows()).sum())
}

/// The names and types of columns.
async fn columns(session: &Session, sql: &str) -> Option<Vec<(String, String)>> {
    let statement = only(session, sql);
    let columns = session.columns_of(&statement, parameters(), &CancelToken::default()).await;
    let column = |field: &std::sync::Arc<datafusion::arrow::datatypes::Field>| {
        (field.name().clone(), field.data_type().to_string())
    };
    Some(columns.unwrap()?.fields().iter().map(column).collect())
}

fn parameters() -> ParameterValues {
    let values = [ParameterValue::Integer(7), ParameterValue::Text("it's".into())];
    (1..).map(|number: i32| number.to_string()).zip(values).collect()
}

#[tokio::test]
async fn queries_and_listings_are_read() {
    let session = session();
    for (sql, rows) in [
        ("SELECT ts FROM slice", 3),
        ("EXPLAIN SELECT 1", 3),
        ("SHOW COLUMNS FROM trace_bounds", 2),
        ("SUMMARIZE trace_bounds", 2),
        ("INCLUDE PERFETTO MODULE slices.with_context", 0),
        ("SELECT name FROM thread_slice", 3),
    ] {
        let read = read(&session, sql).await.unwrap();
        assert!(read == rows || sql.starts_with("EXPLAIN") && read > 0, "{sql}: {read}");
    }
}

#[tokio::test]
async fn changes_are_refused() {
    let session = session();
    session.run(&only(&session, "CREATE TABLE own AS SELECT 1 AS a")).await.unwrap();
    for sql in [
        "CREATE TABLE a AS SELECT 1",
        "CREATE TABLE a (b INT)",
        "CREATE VIEW a AS SELECT 1",
        "CREATE PERFETTO TABLE a AS SELECT 1",
        "CREATE PERFETTO VIEW a AS SELECT 1",
        "CREATE PERFETTO FUNCTION f() RETURNS INT AS SELECT 1",
        "CREATE PERFETTO MACRO m() RETURNS Expr AS 1",
        "CREATE PERFETTO INDEX i ON slice(ts)",
        "CREATE VIRTUAL TABLE a USING span_join(slice, sched)",
        "CREATE INDEX i ON own(a)",
        "INSERT INTO own VALUES (2)",
        "UPDATE own SET a = 2",
        "DELETE FROM own",
        "DROP TABLE own",
        "DROP VIEW own",
        "DROP PERFETTO TABLE own",
        "ATTACH 'file.csv' AS a",
        "DETACH a",
        "COPY own TO 'file.csv'",
        "SET a = 1",
        "BEGIN",
    ] {
        let error = read(&session, sql).await.unwrap_err();
        let is_refused =
            error.kind() == SqlErrorKind::ReadOnly || error.kind() == SqlErrorKind::Syntax;
        assert!(is_refused, "{sql}: {:?} {error}", error.kind());
    }
    assert_eq!(read(&session, "SELECT * FROM own").await.unwrap(), 1);
    let error = read(&session, "SELECT 1; DROP TABLE own").await;
    assert_eq!(error.unwrap(), 1, "only the first statement was run");
}

#[tokio::test]
async fn a_refused_statement_is_pointed_at() {
    let error = read(&session(), "  DROP TABLE slice").await.unwrap_err();
    assert_eq!(error.to_string(), "DROP is refused: this connection only reads");
    let place = error.location().map(|place| (place.line, place.column, place.width));
    assert_eq!(place, Some((1, 3, 4)));
}

#[tokio::test]
async fn no_file_is_read() {
    let error = read(&session(), "SELECT * FROM read_csv('Cargo.toml')").await.unwrap_err();
    assert!(error.to_string().contains("may not read files"), "{error}");
}

#[tokio::test]
async fn columns_are_known_before_a_query_runs() {
    let session = session();
    let named = |columns: &[(&str, &str)]| {
        let owned = |&(name, kind): &(&str, &str)| (name.to_owned(), kind.to_owned());
        Some(columns.iter().map(owned).collect::<Vec<_>>())
    };
    let found = columns(&session, "SELECT ts, dur / 2.0 AS half FROM slice WHERE dur > $1").await;
    assert_eq!(found, named(&[("ts", "Int64"), ("half", "Float64")]));
    // It has no end, so it must not run.
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
    assert_eq!(columns(&session, endless).await, named(&[("x", "Int64")]));
    assert_eq!(columns(&session, "INCLUDE PERFETTO MODULE slices.with_context").await, None);
}

#[tokio::test]
async fn the_columns_of_a_query_are_those_of_its_rows() {
    let session = session();
    for sql in [
        "SELECT * FROM slice",
        "SELECT * FROM thread",
        "SELECT count(*), sum(dur), avg(dur), group_concat(name) FROM slice",
        "SELECT dur > 5, name = 'app', name LIKE 'a%', dur IS NULL FROM slice",
        "SELECT CASE WHEN dur > 5 THEN 'a' ELSE name END, NULL, 1.5, x'00' FROM slice",
        "SELECT ts FROM slice UNION ALL SELECT 1.5",
        "SELECT $1, $2",
    ] {
        let statement = only(&session, sql);
        let cancel = CancelToken::default();
        let said = session.columns_of(&statement, parameters(), &cancel).await.unwrap().unwrap();
        let rows = session.read(&statement, parameters(), &cancel).await.unwrap().unwrap();
        let types = |schema: &datafusion::arrow::datatypes::SchemaRef| {
            let fields = schema.fields().iter();
            fields.map(|it| (it.name().clone(), it.data_type().clone())).collect::<Vec<_>>()
        };
        assert_eq!(types(&said), types(rows.schema()), "{sql}");
    }
}

#[tokio::test]
async fn parameters_are_those_of_the_statement() {
    let session = session();
    session.set_parameter("1", ParameterValue::Text("of the session".into()));
    let statement = only(&session, "SELECT $1 + 1 AS a, $2 AS b");
    let cancel = CancelToken::default();
    let rows = session.read(&statement, parameters(), &cancel).await.unwrap().unwrap();
    let batches: Vec<_> = rows.try_collect().await.unwrap();
    let shown = datafusion::arrow::util::pretty::pretty_format_batches(&batches).unwrap();
    assert!(shown.to_string().contains("| 8 | it's |"), "{shown}");
    let error = session.read(&statement, ParameterValues::new(), &cancel).await.err().unwrap();
    assert_eq!(error.to_string(), "the parameter `$1` has no value");
}
