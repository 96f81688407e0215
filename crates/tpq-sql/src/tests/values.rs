//! What statements answer.

use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use tpq_tables::Tables;

use super::{rows, session, trace};
use crate::{Engine, Session, SessionOptions};

/// The only value of a statement that gives an integer.
async fn integer(session: &Session, sql: &str) -> i64 {
    let batches = session.query(sql).await.unwrap().collect().await.unwrap();
    batches[0].column(0).as_primitive::<Int64Type>().value(0)
}

#[tokio::test]
async fn every_view_has_the_columns_it_declares() {
    let empty = Arc::new(Tables::default().finish());
    let session = Session::new(empty, &SessionOptions::default()).unwrap();
    for name in session.table_names() {
        let declared = session.describe(&name).unwrap().columns;
        let declared: Vec<&str> = declared.iter().map(|column| column.name.as_str()).collect();
        let result = session.query(&format!("SELECT * FROM {name}")).await.unwrap();
        let columns: Vec<&str> =
            result.schema().fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(columns, declared, "{name}");
    }
}

#[tokio::test]
async fn columns_are_called_what_the_statement_calls_them() {
    let session = session();
    let names = async |sql: &str| {
        let result = session.query(sql).await.unwrap();
        let fields = result.schema().fields().clone();
        fields.iter().map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        names("SELECT count( * ), 1, 1, max(dur)/2 AS Half FROM slice").await,
        ["count( * )", "1", "1", "Half"]
    );
    assert_eq!(names("SELECT s.name, Dur AS \"The Dur\" FROM slice s").await, ["name", "The Dur"]);
    assert_eq!(names("WITH a AS (SELECT max(ts) FROM slice) SELECT * FROM a").await, ["max(ts)"]);
}

/// As where a trace is opened while its engine is made.
#[tokio::test]
async fn a_session_on_an_engine_has_all_functions() {
    let options = SessionOptions::default();
    let engine = Engine::new(&options).unwrap();
    let made = Session::on_engine(engine, Arc::new(trace()), &options).unwrap();
    assert_eq!(made.functions(), session().functions());
    assert_eq!(integer(&made, "SELECT trace_end()").await, 1_501_000);
    assert_eq!(integer(&made, "SELECT CAST('7 apples' AS INT)").await, 7);
    assert_eq!(integer(&made, "SELECT count(*) FROM slice WHERE name GLOB 'w*'").await, 1);
}

#[tokio::test]
async fn sqlite_habits_work() {
    let session = session();
    let answers = [
        ("SELECT count(*) FROM slice WHERE name LIKE 'APP'", 2),
        ("SELECT count(*) FROM slice WHERE name GLOB 'w*'", 1),
        ("SELECT count(*) FROM slice WHERE name NOT GLOB '[a-b]*'", 1),
        ("SELECT count(*) FROM slice WHERE parent_id IS NULL", 3),
        ("SELECT count(*) FROM slice WHERE arg_set_id ISNULL AND name NOTNULL", 3),
        ("SELECT count(*) FROM slice WHERE name IS 'app'", 2),
        ("SELECT CAST(9000000000 AS INT)", 9_000_000_000),
        ("SELECT Count(DISTINCT Name) FROM SLICE", 2),
        ("SELECT trace_end() - trace_start() - trace_dur()", 0),
        (
            "WITH r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) FROM r",
            15,
        ),
        ("SELECT coalesce(1 / 0, 7 % 0, -1)", -1),
        ("SELECT row_number() OVER (ORDER BY ts) - 5 FROM slice LIMIT 1", -4),
    ];
    for (sql, answer) in answers {
        assert_eq!(integer(&session, sql).await, answer, "{sql}");
    }
}

#[tokio::test]
async fn rows_come_in_the_order_of_the_table() {
    let session = session();
    let sql = "SELECT id FROM sched WHERE dur = 3";
    let batches = session.query(sql).await.unwrap().collect().await.unwrap();
    let ids = batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values());
    assert!(ids.is_sorted());
    assert_eq!(integer(&session, "SELECT id FROM sched WHERE dur = 3 LIMIT 1").await, 3);
    let last = "SELECT id FROM sched ORDER BY ts DESC LIMIT 1";
    assert_eq!(integer(&session, last).await, super::SCHED_ROWS - 1);
}

#[tokio::test]
async fn views_are_made_of_what_is_stored() {
    let session = session();
    let tracks = "SELECT (SELECT count(*) FROM thread_track), (SELECT count(*) FROM counter_track)";
    insta::assert_snapshot!(rows(&session, tracks).await.unwrap());
    assert_eq!(integer(&session, "SELECT max(ts_end - ts) FROM sched WHERE cpu = 1").await, 9);
    assert_eq!(integer(&session, "SELECT count(*) FROM instant").await, 1);
}

/// Whatever is selected, filtered by and ordered by: the columns of a filter and of what lies above
/// it are not those of the table.
#[tokio::test]
async fn any_columns_may_be_selected_filtered_and_ordered_by() {
    let session = session();
    let columns = ["ts", "dur", "name", "id", "track_id"];
    let lists = columns.iter().flat_map(|a| {
        let others = columns.iter().filter(move |b| *b != a);
        let pairs = others.map(move |b| format!("{a}, {b}"));
        pairs.chain([(*a).to_owned(), format!("{a} AS one"), format!("{a} AS one, dur + 1 AS two")])
    });
    for list in lists {
        for filter in ["dur < 0", "ts > 1000", "name = 'app'", "id >= 0 AND dur > 0"] {
            for order in columns {
                let sql =
                    format!("SELECT {list} FROM slice AS s WHERE {filter} ORDER BY s.{order}");
                let whole = format!("SELECT count(*) FROM slice WHERE {filter}");
                let result =
                    session.query(&sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
                let batches =
                    result.collect().await.unwrap_or_else(|error| panic!("{sql}: {error}"));
                let count: usize = batches.iter().map(|batch| batch.num_rows()).sum();
                assert_eq!(count as i64, integer(&session, &whole).await, "{sql}");
            }
        }
    }
    let sql = "SELECT name, dur FROM slice WHERE dur < 100 ORDER BY ts DESC";
    insta::assert_snapshot!(rows(&session, sql).await.unwrap(), @r"
    +--------+-----+
    | name   | dur |
    +--------+-----+
    | app    | -1  |
    | worker | 0   |
    | app    | 50  |
    +--------+-----+
    ");
}
