//! Queries over tables without rows: their results, and what they read for them. `counter` is empty,
//! and `slice` has three rows.

use super::{rows, session, trace};
use crate::catalog::Created;
use crate::{Session, SessionOptions, SqlModule};

/// The rows of a statement, with commas between values.
async fn values(session: &Session, sql: &str) -> Vec<String> {
    let table = rows(session, sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let row = |line: &str| {
        let cells = line.trim_matches('|').split('|').map(str::trim);
        cells.collect::<Vec<_>>().join(",")
    };
    table.lines().filter(|line| line.starts_with('|')).skip(1).map(row).collect()
}

#[tokio::test]
async fn rows_are_those_that_sql_gives() {
    let none: &[&str] = &[];
    let expected: [(&str, &[&str]); 17] = [
        ("SELECT count(*), sum(c.value) FROM slice s JOIN counter c USING (ts)", &["0,"]),
        ("SELECT s.id FROM slice s JOIN counter c USING (ts) ORDER BY s.id LIMIT 5", none),
        (
            "SELECT s.id, c.value FROM slice s LEFT JOIN counter c USING (ts) ORDER BY s.id",
            &["0,", "1,", "2,"],
        ),
        ("SELECT s.id, c.value FROM counter c LEFT JOIN slice s USING (ts)", none),
        (
            "SELECT s.id, c.value FROM counter c FULL JOIN slice s USING (ts) ORDER BY s.id",
            &["0,", "1,", "2,"],
        ),
        ("SELECT id FROM slice WHERE ts IN (SELECT ts FROM counter)", none),
        (
            "SELECT id FROM slice WHERE ts NOT IN (SELECT ts FROM counter) ORDER BY id",
            &["0", "1", "2"],
        ),
        ("SELECT ts FROM counter UNION ALL SELECT ts FROM slice WHERE id = 1", &["1010"]),
        ("SELECT ts FROM counter UNION ALL SELECT ts FROM counter", none),
        ("SELECT track_id, count(*) FROM counter GROUP BY track_id", none),
        ("SELECT count(*) FROM (SELECT track_id FROM counter GROUP BY track_id)", &["0"]),
        ("SELECT DISTINCT track_id + 1 FROM counter WHERE value > 3", none),
        ("SELECT row_number() OVER (ORDER BY ts) FROM counter", none),
        ("SELECT (SELECT max(value) FROM counter) AS top, count(*) FROM slice", &[",3"]),
        ("SELECT count(*) FROM slice WHERE NOT EXISTS (SELECT 1 FROM counter)", &["3"]),
        (
            "SELECT (SELECT count(*) FROM counter c JOIN slice s USING (ts)) AS n, \
             (SELECT min(c.value) FROM slice s LEFT JOIN counter c USING (ts)) AS least",
            &["0,"],
        ),
        ("SELECT id FROM slice WHERE ts > (SELECT min(ts) FROM counter)", none),
    ];
    let session = session();
    for (sql, expected) in expected {
        assert_eq!(values(&session, sql).await, expected, "{sql}");
    }
}

/// Readers of a shared query, of which one is joined with an empty table.
#[tokio::test]
async fn shared_queries_have_all_their_readers() {
    let sql = "WITH busy AS (SELECT utid, sum(dur) AS total FROM sched GROUP BY utid) \
               SELECT a.utid, a.total, e.total FROM busy a LEFT JOIN \
               (SELECT b.utid, b.total FROM busy b JOIN counter c ON c.ts = b.utid) e \
               ON e.utid = a.utid ORDER BY a.utid";
    assert_eq!(values(&session(), sql).await, ["0,300000,", "1,375000,"]);
}

#[tokio::test]
async fn tables_that_cannot_add_rows_are_not_read() {
    let text = "CREATE PERFETTO TABLE nothing AS SELECT ts, value FROM counter;\n\
                CREATE PERFETTO TABLE many AS SELECT ts, dur FROM sched;\n\
                CREATE PERFETTO TABLE three AS SELECT ts, dur FROM slice;";
    let module = SqlModule { name: "mine.tables".into(), text: text.into() };
    let options = SessionOptions { modules: vec![module], ..SessionOptions::default() };
    let session = Session::new(std::sync::Arc::new(trace()), &options).unwrap();
    let is_read = |name: &str| match session.catalog().objects().relation(name) {
        Some(Created::Declared(table)) => {
            table.materialized().is_some_and(|table| table.rows_now().is_some())
        }
        _ => false,
    };
    let include = "INCLUDE PERFETTO MODULE mine.tables;";
    let joined = format!("{include} SELECT n.ts FROM nothing n JOIN many m ON m.ts = n.ts");
    assert!(values(&session, &joined).await.is_empty());
    let counted = "SELECT (SELECT count(*) FROM nothing n JOIN many m ON m.ts = n.ts) AS n";
    assert_eq!(values(&session, counted).await, ["0"]);
    assert!(is_read("nothing") && !is_read("many"));
    let sql = "SELECT t.ts, n.value FROM three t LEFT JOIN nothing n ON n.ts = t.ts ORDER BY t.ts";
    assert_eq!(values(&session, sql).await, ["1000,", "1010,", "1020,"]);
    assert_eq!(values(&session, "SELECT count(*) FROM many m, three t").await, ["450000"]);
    assert!(is_read("three") && is_read("many"));
}

/// A module's table is computed when a query needs its rows, so that what is wrong in one shows
/// then.
#[tokio::test]
async fn an_error_of_rows_that_are_not_needed_does_not_show() {
    let text = "CREATE PERFETTO TABLE nothing AS SELECT ts FROM counter;\n\
                CREATE PERFETTO TABLE broken AS SELECT ts, 9223372036854775807 + id AS x FROM slice;";
    let module = SqlModule { name: "mine.tables".into(), text: text.into() };
    let options = SessionOptions { modules: vec![module], ..SessionOptions::default() };
    let session = Session::new(std::sync::Arc::new(trace()), &options).unwrap();
    let joined =
        "INCLUDE PERFETTO MODULE mine.tables; SELECT x FROM nothing JOIN broken USING (ts)";
    assert!(values(&session, joined).await.is_empty());
    let error = rows(&session, "SELECT x FROM broken").await.unwrap_err().to_string();
    assert!(error.contains("integer overflow"), "{error}");
}
