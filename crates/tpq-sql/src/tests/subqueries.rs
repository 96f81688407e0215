//! Subqueries of every shape, against rows worked out by hand and against SQLite on the same
//! tables.

use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::common::ScalarValue;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};
use tpq_tables::table::*;
use tpq_tables::{ArgSetNumber, StringId, Tables};

use super::rows;
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
            arg_set_id: (row % 4 == 0).then_some(ArgSetNumber(row / 4)),
            ..SliceRow::default()
        });
    }
    let options = SessionOptions { threads: Some(2), ..SessionOptions::default() };
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

/// Queries with rows in any order.
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
    "SELECT id, (SELECT coalesce(p.name, s.name, 'x') FROM slice p WHERE p.id = s.parent_id) FROM slice s",
    "SELECT id, (SELECT coalesce(s.dur, 0) + t.id FROM slice s WHERE s.track_id = t.id ORDER BY s.ts DESC LIMIT 1) FROM thread t",
    "SELECT id, (SELECT 5 + t.id FROM slice s WHERE s.track_id = t.id) FROM thread t",
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
    "SELECT id, (SELECT max(dur) + t.id FROM slice) FROM thread t",
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
    "SELECT id FROM thread WHERE id < (SELECT id FROM slice WHERE id > 99)",
    "VALUES ((SELECT max(id) FROM process))",
    "VALUES ((SELECT max(id) FROM process), 'a'), (7, 'b')",
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
    "SELECT id, (SELECT string_agg(x.name, '-') FROM (SELECT name FROM slice s WHERE s.track_id = t.id AND dur = 3) x) FROM thread t",
    "WITH RECURSIVE up(id, parent) AS (SELECT id, parent_id FROM slice UNION ALL
       SELECT u.id, s.parent_id FROM up u JOIN slice s ON s.id = u.parent)
       SELECT id, (SELECT count(*) FROM up WHERE up.id = slice.id AND parent IS NOT NULL) FROM slice",
    "SELECT a.id, (SELECT count(*) FROM slice WHERE slice.track_id = a.track_id) FROM (SELECT * FROM slice WHERE dur > 0) a",
    // The same subquery twice.
    "SELECT id, (SELECT max(dur) FROM slice s WHERE s.track_id = t.id), (SELECT max(dur) FROM slice s WHERE s.track_id = t.id) + 1,
       (SELECT min(dur) FROM slice s WHERE s.track_id = t.id) FROM thread t",
];

/// Queries with an order of their own.
const IN_ORDER: &[&str] = &[
    "SELECT tid FROM thread ORDER BY id DESC LIMIT (SELECT count(*) - 1 FROM process)",
    "SELECT tid FROM thread ORDER BY id LIMIT (SELECT -1) OFFSET (SELECT 2)",
    "SELECT name FROM thread ORDER BY tid DESC LIMIT 2 OFFSET (SELECT 1)",
    "SELECT id FROM thread t ORDER BY (SELECT count(*) FROM slice s WHERE s.track_id = t.id), id",
    "SELECT tid FROM thread t ORDER BY (SELECT name FROM process p WHERE p.id = t.upid) DESC, id",
    "SELECT tid AS x FROM thread t ORDER BY (SELECT count(*) FROM slice s WHERE s.id < t.id) DESC",
    "SELECT id FROM slice s ORDER BY (SELECT max(id) FROM process) - id",
    "SELECT tid, (SELECT count(*) FROM slice s WHERE s.track_id = t.id) AS n FROM thread t ORDER BY n DESC, tid",
    "SELECT upid, count(*) FROM thread t GROUP BY upid
       ORDER BY (SELECT pid FROM process p WHERE p.id = t.upid) DESC",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
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

/// The rows of a statement, each as its values with blanks between.
async fn lines(session: &Session, sql: &str) -> Vec<String> {
    let rows = answer(session, sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    rows.into_iter().map(|row| row.join(" ")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subqueries_are_what_they_say() {
    let session = session();
    // Tracks 0, 1 and 2 have four slices each; 3 and 4 have none.
    let joined = "SELECT id, (SELECT max(dur) FROM slice s WHERE s.track_id = t.id),
        (SELECT count(*) FROM slice s WHERE s.track_id = t.id) FROM thread t ORDER BY id";
    assert_eq!(lines(&session, joined).await, ["0 2 4", "1 3 4", "2 3 4", "3 NULL 0", "4 NULL 0"]);
    let run = "SELECT id, (SELECT count(*) FROM slice b WHERE b.ts < a.ts) FROM slice a
        WHERE id % 5 = 0 ORDER BY id";
    assert_eq!(lines(&session, run).await, ["0 0", "5 5", "10 10"]);
    // Threads are of the processes 0, 0, 1, NULL and NULL: 2 is not among them, but may be.
    let among = "SELECT id, id IN (SELECT upid FROM thread), id NOT IN (SELECT upid FROM thread)
        FROM process ORDER BY id";
    assert_eq!(lines(&session, among).await, ["0 1 0", "1 1 0", "2 NULL NULL"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_may_depend_on_those_before_them() {
    let session = session();
    // The durations of the slices 0, 3, 6, 9 on track 0 are -1, 0, 1, 2; those of 1, 4, 7, 10 are
    // 1, 2, 3, -1, and those of 2, 5, 8, 11 are 3, -1, 0, 1.
    let longest = "SELECT t.id, b.id FROM thread t,
        LATERAL (SELECT id FROM slice s WHERE s.track_id = t.id ORDER BY dur DESC LIMIT 2) b
        ORDER BY t.id, b.id";
    assert_eq!(lines(&session, longest).await, ["0 6", "0 9", "1 4", "1 7", "2 2", "2 11"]);
    let outer = "SELECT t.id, b.id FROM thread t LEFT JOIN
        LATERAL (SELECT id FROM slice s WHERE s.track_id = t.id ORDER BY dur DESC LIMIT 1) b
        ON b.id > 2 ORDER BY t.id";
    assert_eq!(lines(&session, outer).await, ["0 9", "1 7", "2 NULL", "3 NULL", "4 NULL"]);
    let joined = "SELECT t.id, count(b.id) FROM thread t LEFT JOIN
        LATERAL (SELECT * FROM slice s WHERE s.track_id = t.id AND s.dur > 1) b ON true
        GROUP BY t.id ORDER BY t.id";
    assert_eq!(lines(&session, joined).await, ["0 1", "1 2", "2 1", "3 0", "4 0"]);
    assert!(!rows(&session, &format!("EXPLAIN {joined}")).await.unwrap().contains("Apply"));
}

#[tokio::test]
async fn an_aggregate_of_a_column_around_is_refused() {
    let session = session();
    for sql in [
        "SELECT (SELECT count(s.id) FROM thread) FROM slice s",
        "SELECT id FROM slice s WHERE EXISTS (SELECT 1 FROM thread HAVING max(s.dur + 1) > 2)",
        "SELECT (SELECT (SELECT sum(s.id)) FROM thread) FROM slice s",
    ] {
        let error = answer(&session, sql).await.unwrap_err();
        assert!(error.contains("is one of that query: not supported"), "{sql}: {error}");
    }
    // These are aggregates of the subquery: they have a column of its own, or none at all.
    let own = "SELECT (SELECT count(*) + count(1) + count(s.id + t.id) FROM thread t) \
               = (SELECT 3 * count(*) FROM thread) FROM slice s WHERE s.id = 0";
    assert_eq!(answer(&session, own).await.unwrap(), [["1"]]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subqueries_are_joins_where_they_can_be() {
    let session = session();
    let explain = async |sql: &str| rows(&session, &format!("EXPLAIN {sql}")).await.unwrap();
    for sql in [
        "SELECT (SELECT max(dur) FROM slice s WHERE s.track_id = t.id) FROM thread t",
        "SELECT (SELECT name FROM slice s WHERE s.name IS t.name ORDER BY dur LIMIT 1) FROM thread t",
        "SELECT EXISTS (SELECT 1 FROM slice s WHERE s.track_id = t.id) FROM thread t",
        "SELECT upid IN (SELECT id FROM process) FROM thread t",
        "SELECT (SELECT coalesce(p.name, t.name) FROM process p WHERE p.id = t.upid) FROM thread t",
    ] {
        let plan = explain(sql).await;
        assert!(plan.contains("Right Join") && !plan.contains("Apply"), "{sql}\n{plan}");
    }
    // What is looked up by the key of a table needs no grouping.
    let key =
        explain("SELECT (SELECT name FROM process p WHERE p.id = t.upid) FROM thread t").await;
    assert!(key.contains("Right Join") && !key.contains("Aggregate"), "{key}");
    let semi =
        "SELECT id FROM thread t WHERE EXISTS (SELECT 1 FROM slice s WHERE s.track_id = t.id)";
    assert!(explain(semi).await.contains("LeftSemi Join"));
    let limited = "SELECT (SELECT max(ts) FROM slice b WHERE b.ts < a.ts) FROM slice a LIMIT 3";
    let plan = explain(limited).await;
    assert!(plan.contains("Apply") && plan.contains("fetch=3"), "{plan}");
    // A value that reads one side of a join is computed there and is a key of the join.
    let keyed = "SELECT a.id, b.id FROM slice a JOIN slice b
        ON b.id = (SELECT max(c.id) FROM slice c WHERE c.ts < a.ts AND c.track_id > 0)";
    let plan = explain(keyed).await;
    assert!(plan.contains("Apply") && !plan.contains("Cross Join"), "{plan}");
    // Slices start at 100, 110…, on the tracks 0, 1, 2, 0…: slice 2 finds slice 1, slices 3 and 4
    // find slice 2.
    let found = lines(&session, &format!("{keyed} ORDER BY a.id LIMIT 4")).await;
    assert_eq!(found, ["2 1", "3 2", "4 2", "5 4"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_read_only_the_chunks_that_matter() {
    // Of ten chunks each run reads one; three rows need three runs.
    let sql = "EXPLAIN ANALYZE SELECT (SELECT max(dur) FROM sched b WHERE b.id < a.id + 100
        AND b.id > a.id) FROM sched a WHERE id < 3";
    let plan = rows(&super::session(), sql).await.unwrap();
    assert!(plan.contains("chunks_skipped=27") && plan.contains("runs=3"), "{plan}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_parts_of_a_union_stay_in_order() {
    let session = session();
    // Slice 0 is called draw, slice 1 wait.
    let texts = "SELECT (SELECT group_concat(v, '|') FROM (SELECT name AS v FROM slice
        WHERE id = t.id + 1 UNION ALL SELECT name FROM slice WHERE id = t.id))
        FROM thread t WHERE t.id = 0";
    let numbers =
        "SELECT group_concat(n || ':' || v, ' ') FROM (SELECT row_number() OVER () AS n, v
        FROM (SELECT id AS v FROM slice WHERE id = 5 UNION ALL
        SELECT id FROM slice WHERE id < 2))";
    for _ in 0..20 {
        assert_eq!(lines(&session, texts).await, ["wait|draw"]);
        assert_eq!(lines(&session, numbers).await, ["1:5 2:0 3:1"]);
    }
}

/// A subquery in a branch of CASE is run for the rows that take the branch, and once for all others.
#[tokio::test]
async fn branches_that_are_not_taken_are_not_run() {
    let next = "(SELECT n.ts FROM sched n WHERE n.ts > s.ts AND n.ucpu = s.ucpu \
                ORDER BY n.ts LIMIT 1)";
    // The next row of the same CPU is the one after the next, 20 ns later.
    let expected = 1_090 + 501_090 + 1_001_090;
    for branch in [
        format!("iif(s.id % 50000 = 7, {next}, 0)"),
        format!("CASE WHEN s.id % 50000 != 7 THEN 0 ELSE ifnull({next}, 0) END"),
        format!("CASE WHEN s.dur >= 0 THEN CASE WHEN s.id % 50000 = 7 THEN {next} END ELSE 0 END"),
    ] {
        let session = super::session();
        let sql = format!("SELECT sum({branch}) AS total FROM sched s");
        let found = rows(&session, &sql).await.unwrap();
        assert!(found.contains(&format!("| {expected} |")), "{branch}: {found}");
        let analyzed = rows(&session, &format!("EXPLAIN ANALYZE {sql}")).await.unwrap();
        assert!(analyzed.contains("runs=4"), "{branch}: {analyzed}");
    }
}

/// The same subquery in another place is not that of the guarded one.
#[tokio::test]
async fn a_guarded_subquery_is_not_taken_for_the_same_without_a_guard() {
    let next = "(SELECT n.ts FROM sched n WHERE n.ts > s.ts ORDER BY n.ts LIMIT 1)";
    let sql = format!(
        "SELECT CASE WHEN s.id = 0 THEN {next} END AS a, {next} AS b FROM sched s \
         WHERE s.id < 2 ORDER BY s.id"
    );
    let found = rows(&super::session(), &sql).await.unwrap();
    assert!(found.contains("| 1010 | 1010 |") && found.contains("|      | 1020 |"), "{found}");
}
