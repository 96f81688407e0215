//! Statements with SQLite's own answers: both run each line of the files next to this one.

mod fixture;
mod precedence;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

pub(super) use fixture::session;

use crate::Session;

/// Read when the tests run, so that a statement more does not build the tests anew.
const FILES: &[&str] = &[
    "literals",
    "operators",
    "affinities",
    "collations",
    "rows",
    "integers",
    "truth",
    "text",
    "json",
    "numbers",
    "aggregates",
    "windows",
    "queries",
    "combined",
    "dates",
];

/// The file of statements that are known to be answered otherwise, with the reason in a comment
/// above.
const DIFFERENT: &str = "different";

#[derive(Clone, Debug)]
enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Real(a), Self::Real(b)) => {
                a == b || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
            }
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::Blob(a), Self::Blob(b)) => a == b,
            _ => false,
        }
    }
}

type Rows = Vec<Vec<Value>>;

fn of_sqlite(database: &Connection, sql: &str) -> Result<Rows, rusqlite::Error> {
    let mut statement = database.prepare(sql)?;
    let columns = statement.column_count();
    let mut rows = statement.query([])?;
    let mut answer = Vec::new();
    while let Some(row) = rows.next()? {
        let value = |column| match row.get_ref(column).unwrap() {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => Value::Integer(value),
            ValueRef::Real(value) => Value::Real(value),
            ValueRef::Text(value) => Value::Text(String::from_utf8_lossy(value).into_owned()),
            ValueRef::Blob(value) => Value::Blob(value.to_vec()),
        };
        answer.push((0..columns).map(value).collect());
    }
    Ok(answer)
}

fn value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Null => Value::Null,
        DataType::Int64 => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        DataType::Float64 => Value::Real(array.as_primitive::<Float64Type>().value(row)),
        DataType::BinaryView => Value::Blob(array.as_binary_view().value(row).to_vec()),
        DataType::Binary => Value::Blob(array.as_binary::<i32>().value(row).to_vec()),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..) => {
            let text = cast(&array.slice(row, 1), &DataType::Utf8).unwrap();
            Value::Text(text.as_string::<i32>().value(0).to_owned())
        }
        // No value of SQLite's: never equal to one.
        other => Value::Text(format!("a column of type {other}")),
    }
}

async fn of_tpq(session: &Session, sql: &str) -> Result<Rows, String> {
    let result = session.query(sql).await.map_err(|error| error.to_string())?;
    let batches: Vec<RecordBatch> = result.collect().await.map_err(|error| error.to_string())?;
    let mut answer = Vec::new();
    for batch in &batches {
        for row in 0..batch.num_rows() {
            answer.push(batch.columns().iter().map(|column| value(column, row)).collect());
        }
    }
    Ok(answer)
}

/// What is different in the answers of a statement; `None` when they are the same.
async fn difference(session: &Session, database: &Connection, sql: &str) -> Option<String> {
    let wanted = match of_sqlite(database, sql) {
        Ok(rows) => rows,
        Err(error) => return Some(format!("SQLite: {error}")),
    };
    let given = match of_tpq(session, sql).await {
        Ok(rows) => rows,
        Err(message) => return Some(format!("error: {message}")),
    };
    let (mut a, mut b) = (wanted.clone(), given.clone());
    if !sql.to_uppercase().contains("ORDER BY") {
        a.sort_by_key(|row| format!("{row:?}"));
        b.sort_by_key(|row| format!("{row:?}"));
    }
    (a != b).then(|| {
        let wrong = a.iter().zip(&b).find(|(a, b)| a != b);
        match wrong.filter(|_| a.len() == b.len()) {
            Some((wanted, given)) => format!("wanted {wanted:?}\n       given  {given:?}"),
            None => format!(
                "wanted {} rows {wanted:?}\n       given {} rows {given:?}",
                a.len(),
                b.len()
            ),
        }
    })
}

/// The statements of a file: one per line.
fn statements(file: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tests/sqlite");
    let text = std::fs::read_to_string(format!("{folder}/{file}.sql")).unwrap();
    let is_statement = |line: &&str| !line.is_empty() && !line.starts_with("--");
    text.lines().filter(is_statement).map(str::to_owned).collect()
}

#[tokio::test]
async fn statements_answer_as_sqlite_does() {
    let (session, database) = (session(), fixture::database());
    let (mut count, mut wrong) = (0, Vec::new());
    for file in FILES {
        for sql in statements(file) {
            count += 1;
            if let Some(difference) = difference(&session, &database, &sql).await {
                wrong.push(format!("{file}: {sql}\n    => {difference}"));
            }
        }
    }
    assert!(count >= 400, "{count} statements are too few to be all");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

#[tokio::test]
async fn known_differences_are_still_there() {
    let (session, database) = (session(), fixture::database());
    for sql in statements(DIFFERENT) {
        let difference = difference(&session, &database, &sql).await;
        assert!(difference.is_some(), "this is no longer different: {sql}");
    }
}
