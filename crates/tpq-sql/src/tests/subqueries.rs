//! Subqueries of every shape, against rows worked out by hand and against SQLite on the same
//! tables.

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::common::ScalarValue;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};
use tpq_tables::table::*;
use tpq_tables::{StringId, Tables};

use crate::{Session, SessionOptions};

/// The tables, as they are put into SQLite.
const TABLES: [&str; 3] = ["process", "thread", "slice"];

/// Three processes, of which one has no threads; five threads, of which two have no process; and
/// twelve slices on three tracks.
fn session() -> Session {
    let mut tables = Tables::default();
    let [app, system, worker, draw, wait] =
        ["app", "system", "worker", "draw", "wait"].map(|text| tables.strings.intern(text));
    for (pid, name) in [(100, app), (200, system), (300, StringId::NULL)] {
        tables.process.push(ProcessRow { pid, name, ..ProcessRow::default() });
    }
    let threads = [
        (100, app, Some(0)),
        (101, worker, Some(0)),
        (200, system, Some(1)),
        (300, worker, None),
        (301, StringId::NULL, None),
    ];
    for (tid, name, upid) in threads {
        tables.thread.push(ThreadRow { tid, name, upid, ..ThreadRow::default() });
    }
    for row in 0..12_u32 {
        let name = [draw, wait, StringId::NULL, app][row as usize % 4];
        tables.slice.push(SliceRow {
            ts: 100 + i64::from(row) * 10,
            dur: i64::from(row * 7 % 5) - 1,
            track_id: row % 3,
            name,
            depth: row % 2,
            parent_id: (row % 2 == 1).then(|| row - 1),
            arg_set_id: (row % 4 == 0).then_some(row / 4),
            ..SliceRow::default()
        });
    }
    let options = SessionOptions { threads: Some(2), memory_limit: None };
    Session::new(Arc::new(tables.finish()), &options).unwrap()
}

fn text_of(value: ScalarValue) -> String {
    if value.is_null() {
        return "NULL".to_owned();
    }
    match value {
        ScalarValue::Boolean(Some(truth)) => i64::from(truth).to_string(),
        ScalarValue::Float64(Some(number)) => format!("{number:?}"),
        other => other.to_string(),
    }
}

/// The rows as tpq answers.
async fn answer(session: &Session, sql: &str) -> Result<Vec<Vec<String>>, String> {
    let failed = |error: crate::SqlError| error.to_string();
    let batches = session.query(sql).await.map_err(failed)?.collect().await.map_err(failed)?;
    let mut rows = Vec::new();
    for batch in batches {
        for row in 0..batch.num_rows() {
            let value =
                |column: &ArrayRef| text_of(ScalarValue::try_from_array(column, row).unwrap());
            rows.push(batch.columns().iter().map(value).collect());
        }
    }
    Ok(rows)
}

fn sqlite_answer(sqlite: &Connection, sql: &str) -> Result<Vec<Vec<String>>, rusqlite::Error> {
    let mut statement = sqlite.prepare(sql)?;
    let columns = statement.column_count();
    let rows = statement.query_map([], |row| {
        let text = |index| {
            Ok(match row.get_ref(index)? {
                ValueRef::Null => "NULL".to_owned(),
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => format!("{number:?}"),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                ValueRef::Blob(_) => "BLOB".to_owned(),
            })
        };
        (0..columns).map(text).collect()
    })?;
    rows.collect()
}

/// SQLite with the tables of a session.
async fn sqlite_of(session: &Session) -> Connection {
    let sqlite = Connection::open_in_memory().unwrap();
    for table in TABLES {
        let columns: Vec<String> = session
            .describe(table)
            .unwrap()
            .columns
            .into_iter()
            .map(|column| column.name)
            .collect();
        sqlite.execute_batch(&format!("CREATE TABLE {table}({})", columns.join(", "))).unwrap();
        let marks = vec!["?"; columns.len()].join(", ");
        let insert = format!("INSERT INTO {table} VALUES ({marks})");
        let result = session.query(&format!("SELECT * FROM {table} ORDER BY id")).await.unwrap();
        for batch in result.collect().await.unwrap() {
            for row in 0..batch.num_rows() {
                let value =
                    |column: &ArrayRef| match ScalarValue::try_from_array(column, row).unwrap() {
                        ScalarValue::Int64(Some(number)) => Value::Integer(number),
                        ScalarValue::Boolean(Some(truth)) => Value::Integer(truth.into()),
                        other if other.is_null() => Value::Null,
                        other => Value::Text(other.to_string()),
                    };
                let values = batch.columns().iter().map(value);
                sqlite.execute(&insert, params_from_iter(values)).unwrap();
            }
        }
    }
    sqlite
}

/// Queries whose rows may come in any order.
const QUERIES: &[&str] = &[
    // Values that are not aggregated.
    "SELECT id, (SELECT name FROM process p WHERE p.id = t.upid) FROM thread t",
    "SELECT id, (SELECT dur FROM slice s WHERE s.track_id = t.id ORDER BY dur LIMIT 1) FROM thread t",
    "SELECT id, (SELECT id FROM slice s WHERE s.track_id = t.id ORDER BY dur DESC, id LIMIT 1) FROM thread t",
    "SELECT id, (SELECT id FROM slice s WHERE s.track_id = t.id) FROM thread t",
    "SELECT id, (SELECT dur + 1 FROM slice s WHERE s.track_id = t.id ORDER BY ts DESC LIMIT 1) * 2 FROM thread t",
    "SELECT id, (SELECT id FROM slice s WHERE s.track_id = t.id ORDER BY ts LIMIT 1 OFFSET 1) FROM thread t",
    "SELECT id, (SELECT p.dur FROM slice p WHERE p.id = s.parent_id) FROM slice s",
    "SELECT id, (SELECT p.dur + s.dur FROM slice p WHERE p.id = s.parent_id) FROM slice s",
    // Aggregates.
    "SELECT id, (SELECT count(*) FROM slice s WHERE s.track_id = t.id) FROM thread t",
    "SELECT id, (SELECT sum(dur) FROM slice s WHERE s.track_id = t.id) FROM thread t",
    "SELECT id, (SELECT max(ts) - min(ts) FROM slice s WHERE s.track_id = t.id) FROM thread t",
    "SELECT id, (SELECT count(*) + 1 FROM slice s WHERE s.track_id = t.id AND s.dur > 1) FROM thread t",
    "SELECT id, (SELECT max(dur) + t.id FROM slice s WHERE s.track_id = t.id) FROM thread t",
    "SELECT id, (SELECT count(*) FROM slice s WHERE s.track_id = t.id + 1) FROM thread t",
    "SELECT id, (SELECT count(*) FROM slice s WHERE s.track_id + 1 = t.id) FROM thread t",
    "SELECT id, (SELECT count(*) FROM slice s WHERE s.track_id = t.id AND s.depth = t.upid) FROM thread t",
    "SELECT id, (SELECT count(*) FROM slice s WHERE s.track_id = t.id AND s.track_id = t.upid) FROM thread t",
    "SELECT id, (SELECT count(*) FROM slice s WHERE s.track_id = t.id HAVING count(*) > 3) FROM thread t",
    "SELECT id FROM thread t WHERE (SELECT count(*) FROM slice s WHERE s.track_id = t.id) = 0",
    "SELECT id FROM thread t WHERE (SELECT max(dur) FROM slice s WHERE s.track_id = t.id) > 2",
    // Other conditions than equality.
    "SELECT id, (SELECT count(*) FROM slice b WHERE b.ts < a.ts) FROM slice a",
    "SELECT id, (SELECT max(ts) FROM slice b WHERE b.ts < a.ts AND b.track_id = a.track_id) FROM slice a",
    "SELECT id, (SELECT count(*) FROM slice b WHERE b.ts BETWEEN a.ts AND a.ts + 25) FROM slice a",
    "SELECT id, (SELECT count(*) FROM slice b WHERE b.name IS a.name) FROM slice a",
    "SELECT id, (SELECT count(*) FROM slice b WHERE b.name IS NOT a.name) FROM slice a",
    "SELECT id, (SELECT count(*) FROM slice b WHERE b.id = a.id OR b.id = a.parent_id) FROM slice a",
    "SELECT id, (SELECT name FROM slice b WHERE b.ts > a.ts ORDER BY ts LIMIT 1) FROM slice a",
    "SELECT id, (SELECT a.dur + a.id) FROM slice a",
    "SELECT id FROM slice a WHERE dur = (SELECT max(dur) FROM slice b WHERE b.ts <= a.ts)",
    // Two and three levels deep.
    "SELECT id, (SELECT count(*) FROM thread t WHERE t.upid = p.id AND t.id IN
       (SELECT s.track_id FROM slice s WHERE s.dur > p.id)) FROM process p",
    "SELECT id, (SELECT sum((SELECT count(*) FROM slice s WHERE s.track_id = t.id))
       FROM thread t WHERE t.upid = p.id) FROM process p",
    "SELECT id, (SELECT (SELECT count(*) FROM slice s WHERE s.id < p.id + t.id)
       FROM thread t WHERE t.upid = p.id ORDER BY t.id DESC LIMIT 1) FROM process p",
    "SELECT id, (SELECT (SELECT (SELECT p.pid + t.tid + s.id FROM slice s WHERE s.id = t.id)
       FROM thread t WHERE t.upid = p.id LIMIT 1)) FROM process p",
    "SELECT id FROM process p WHERE EXISTS (SELECT 1 FROM thread t WHERE t.upid = p.id AND EXISTS
       (SELECT 1 FROM slice s WHERE s.track_id = t.id AND s.dur > 2))",
    // In other places than the select list and WHERE.
    "SELECT sum((SELECT count(*) FROM slice s WHERE s.track_id = t.id)) FROM thread t",
    "SELECT upid, max((SELECT max(ts) FROM slice s WHERE s.track_id = t.id)) FROM thread t GROUP BY upid",
    "SELECT (SELECT count(*) FROM slice s WHERE s.track_id = t.id) AS n, count(*) FROM thread t GROUP BY n",
    "SELECT (SELECT count(*) FROM slice s WHERE s.track_id = t.id), count(*) FROM thread t GROUP BY 1",
    "SELECT upid, count(*) FROM thread t GROUP BY upid
       HAVING (SELECT count(*) FROM slice s WHERE s.track_id = t.upid) > 0",
    "SELECT upid, count(*) FROM thread t GROUP BY upid
       HAVING count(*) > (SELECT count(*) FROM process p WHERE p.id = t.upid)",
    "SELECT id, sum((SELECT dur FROM slice s WHERE s.id = t.id)) OVER (ORDER BY id) FROM thread t",
    "SELECT id, row_number() OVER (PARTITION BY (SELECT name FROM process p WHERE p.id = t.upid) ORDER BY id) FROM thread t",
    "SELECT id, CASE WHEN EXISTS (SELECT 1 FROM slice s WHERE s.track_id = t.id)
       THEN (SELECT max(dur) FROM slice s WHERE s.track_id = t.id) ELSE -5 END FROM thread t",
    "SELECT t.id, s.id FROM thread t JOIN slice s
       ON s.id = (SELECT min(x.id) FROM slice x WHERE x.track_id = t.id)",
    "SELECT t.id, s.id FROM thread t LEFT JOIN slice s
       ON s.id = (SELECT min(x.id) FROM slice x WHERE x.track_id = t.id)",
    "SELECT t.id, s.id FROM thread t LEFT JOIN slice s
       ON s.track_id = t.id AND s.dur = (SELECT max(x.dur) FROM slice x WHERE x.track_id = s.track_id)",
    "SELECT t.id, s.id FROM thread t LEFT JOIN slice s
       ON s.track_id = t.id AND s.ts = (SELECT min(x.ts) FROM slice x WHERE x.track_id = t.id AND x.dur > s.depth)",
    "SELECT count(*) FILTER (WHERE EXISTS (SELECT 1 FROM slice s WHERE s.track_id = t.id)) FROM thread t",
    "SELECT id, coalesce((SELECT name FROM process p WHERE p.id = t.upid), 'none') || '!' FROM thread t",
    // EXISTS and IN.
    "SELECT id, EXISTS (SELECT 1 FROM slice s WHERE s.track_id = t.id) FROM thread t",
    "SELECT id, NOT EXISTS (SELECT * FROM slice s WHERE s.track_id = t.id AND s.dur > 2) FROM thread t",
    "SELECT id, EXISTS (SELECT 1 FROM slice) AND EXISTS (SELECT 1 FROM slice WHERE id > 99) FROM thread",
    "SELECT id FROM thread WHERE EXISTS (SELECT 1 FROM slice WHERE dur > 2)",
    "SELECT id FROM thread WHERE NOT EXISTS (SELECT 1 FROM slice WHERE dur > 2)",
    "SELECT id FROM thread t WHERE NOT EXISTS (SELECT 1 FROM slice s WHERE s.track_id = t.id)",
    "SELECT id FROM slice a WHERE EXISTS (SELECT 1 FROM slice b WHERE b.ts > a.ts AND b.dur < a.dur)",
    "SELECT id FROM slice a WHERE NOT EXISTS (SELECT 1 FROM slice b WHERE b.ts > a.ts AND b.dur < a.dur)",
    "SELECT id FROM thread t WHERE id = 4 OR EXISTS (SELECT 1 FROM slice s WHERE s.track_id = t.id)",
    "SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM slice s WHERE s.track_id = t.id LIMIT 1)",
    "SELECT id, upid IN (SELECT id FROM process) FROM thread",
    "SELECT id, upid NOT IN (SELECT id FROM process WHERE id > 0) FROM thread",
    "SELECT id, id IN (SELECT upid FROM thread) FROM process",
    "SELECT id, id NOT IN (SELECT upid FROM thread) FROM process",
    "SELECT id, id IN (SELECT upid FROM thread WHERE upid IS NOT NULL) FROM process",
    "SELECT id, upid IN (SELECT id FROM process WHERE id > 99) FROM thread",
    "SELECT id, upid NOT IN (SELECT id FROM process WHERE id > 99) FROM thread",
    "SELECT id, upid IN (SELECT s.depth FROM slice s WHERE s.track_id = t.id) FROM thread t",
    "SELECT id, upid NOT IN (SELECT s.parent_id FROM slice s WHERE s.id < t.id) FROM thread t",
    "SELECT id FROM process WHERE id NOT IN (SELECT upid FROM thread)",
    "SELECT id FROM process WHERE id NOT IN (SELECT upid FROM thread WHERE upid IS NOT NULL)",
    "SELECT id FROM thread WHERE upid NOT IN (SELECT id FROM process WHERE id > 0)",
    "SELECT id FROM thread WHERE upid NOT IN (SELECT id FROM process WHERE id > 99)",
    "SELECT id FROM thread WHERE upid IN (SELECT id FROM process WHERE pid > 100)",
    "SELECT id FROM thread WHERE upid + 1 IN (SELECT id FROM process) OR name = 'worker'",
    "SELECT id FROM thread t WHERE upid IN (SELECT depth FROM slice s WHERE s.track_id = t.id)",
    "SELECT id FROM thread t WHERE upid NOT IN (SELECT depth FROM slice s WHERE s.track_id = t.id AND s.dur > 2)",
    "SELECT id FROM thread WHERE NOT (upid IN (SELECT id FROM process WHERE id > 0))",
    "SELECT id FROM thread WHERE (upid IN (SELECT id FROM process WHERE id > 0)) IS NULL",
    "SELECT id FROM thread WHERE 1 IN (SELECT id FROM process)",
    // Nothing of the row around.
    "SELECT id, (SELECT max(ts) FROM slice) FROM thread",
    "SELECT id, (SELECT name FROM process) FROM thread",
    "SELECT id, (SELECT id FROM slice WHERE id > 99) FROM thread",
    "SELECT id FROM thread WHERE id > (SELECT id FROM process ORDER BY id DESC)",
    "SELECT sum(id + (SELECT max(id) FROM process)) FROM thread",
    "SELECT count(*) FROM thread GROUP BY (SELECT id FROM process WHERE id = 1)",
    "SELECT id, sum(id) OVER (ORDER BY id + (SELECT max(id) FROM process)) FROM thread",
    "SELECT t.id, p.id FROM thread t LEFT JOIN process p ON p.id = (SELECT max(id) FROM process)",
    "SELECT id FROM thread LIMIT (SELECT 5 + 5)",
    "VALUES ((SELECT max(id) FROM process))",
    // Over more than a table.
    "WITH long AS (SELECT * FROM slice WHERE dur > 0)
       SELECT id, (SELECT count(*) FROM long WHERE long.track_id = t.id) FROM thread t",
    "SELECT id, (SELECT count(*) FROM slice a JOIN slice b ON a.id = b.parent_id WHERE a.track_id = t.id) FROM thread t",
    "SELECT id, (SELECT sum(x) FROM (SELECT id AS x FROM slice WHERE id < t.id
       UNION ALL SELECT tid FROM thread u WHERE u.id = t.id)) FROM thread t",
    "SELECT id, (SELECT max(n) FROM (SELECT count(*) AS n FROM slice s WHERE s.track_id = t.id GROUP BY s.depth)) FROM thread t",
    "SELECT id, (SELECT count(*) FROM (SELECT DISTINCT depth FROM slice s WHERE s.track_id = t.id)) FROM thread t",
    "SELECT id, (SELECT count(*) FROM (SELECT * FROM slice s WHERE s.track_id = t.id LIMIT 2)) FROM thread t",
    "SELECT id, (SELECT name FROM slice s WHERE s.track_id = t.id GROUP BY name ORDER BY count(*) DESC, name LIMIT 1) FROM thread t",
    "SELECT id, (SELECT max(r) FROM (SELECT row_number() OVER (ORDER BY ts) AS r, track_id FROM slice) w WHERE w.track_id = t.id) FROM thread t",
    "SELECT id, (SELECT group_concat(x.id, '-') FROM (SELECT id FROM slice s WHERE s.track_id = t.id) x) FROM thread t",
    "WITH RECURSIVE up(id, parent) AS (SELECT id, parent_id FROM slice UNION ALL
       SELECT u.id, s.parent_id FROM up u JOIN slice s ON s.id = u.parent)
       SELECT id, (SELECT count(*) FROM up WHERE up.id = slice.id AND parent IS NOT NULL) FROM slice",
    "SELECT a.id, (SELECT count(*) FROM slice WHERE slice.track_id = a.track_id) FROM (SELECT * FROM slice WHERE dur > 0) a",
    // The same subquery twice.
    "SELECT id, (SELECT max(dur) FROM slice s WHERE s.track_id = t.id), (SELECT max(dur) FROM slice s WHERE s.track_id = t.id) + 1,
       (SELECT min(dur) FROM slice s WHERE s.track_id = t.id) FROM thread t",
];

/// Queries whose order is theirs.
const IN_ORDER: &[&str] = &[
    "SELECT id FROM thread t ORDER BY (SELECT count(*) FROM slice s WHERE s.track_id = t.id), id",
    "SELECT tid FROM thread t ORDER BY (SELECT name FROM process p WHERE p.id = t.upid) DESC, id",
    "SELECT tid AS x FROM thread t ORDER BY (SELECT count(*) FROM slice s WHERE s.id < t.id) DESC",
    "SELECT id FROM slice s ORDER BY (SELECT max(id) FROM process) - id",
    "SELECT tid, (SELECT count(*) FROM slice s WHERE s.track_id = t.id) AS n FROM thread t ORDER BY n DESC, tid",
    "SELECT upid, count(*) FROM thread t GROUP BY upid
       ORDER BY (SELECT pid FROM process p WHERE p.id = t.upid) DESC",
];

#[tokio::test]
async fn any_subquery_gives_what_sqlite_gives() {
    let session = session();
    let sqlite = sqlite_of(&session).await;
    let mut wrong = Vec::new();
    for (queries, ordered) in [(QUERIES, false), (IN_ORDER, true)] {
        for sql in queries {
            let mut wanted = sqlite_answer(&sqlite, sql).unwrap_or_else(|e| panic!("{sql}: {e}"));
            match answer(&session, sql).await {
                Ok(mut given) => {
                    if !ordered {
                        wanted.sort();
                        given.sort();
                    }
                    if given != wanted {
                        wrong.push(format!("{sql}\n  gives {given:?}\n  not   {wanted:?}"));
                    }
                }
                Err(error) => wrong.push(format!("{sql}\n  fails: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
