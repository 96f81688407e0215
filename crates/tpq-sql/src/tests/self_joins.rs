//! Joins of a table with itself by its id: one scan gives both sides.

use datafusion::arrow::array::AsArray;

use super::{rows, session};
use crate::Session;

/// A session with tables made of `sched`.
async fn session_with_tables() -> Session {
    let session = session();
    for statement in [
        "CREATE PERFETTO TABLE selected AS SELECT id, ts, dur, utid FROM sched WHERE dur >= 0 \
         ORDER BY id",
        "CREATE PERFETTO TABLE named AS SELECT s.id, s.ts, s.dur, t.name FROM sched s \
         LEFT JOIN thread t USING (utid)",
        "CREATE PERFETTO TABLE of_threads AS SELECT utid AS id, ts, dur FROM sched WHERE id < 20",
        "CREATE PERFETTO TABLE twice AS SELECT id, ts, dur FROM sched WHERE id < 20 UNION ALL \
         SELECT id, ts, dur FROM sched WHERE id < 5",
        "CREATE PERFETTO TABLE joined AS SELECT p.id, t.utid, p.pid AS ts, 1 AS dur FROM process p \
         JOIN thread t ON t.upid = p.upid",
        "CREATE TABLE own (id INTEGER PRIMARY KEY, ts INTEGER, dur INTEGER)",
        "INSERT INTO own VALUES (3, 10, 20), (5, 20, 30)",
    ] {
        for statement in session.statements(statement).unwrap() {
            session.run(&statement).await.unwrap();
        }
    }
    session
}

/// The intervals of a table clipped to a time, joined with the table.
fn clipped(table: &str, key: &str) -> String {
    format!(
        "SELECT count(*) AS n, sum(ii.dur) AS dur, sum(s.ts) AS ts FROM (\
         SELECT id, max(ts, 5000) AS ts, min(ts + dur, 9000) - max(ts, 5000) AS dur FROM {table} \
         WHERE ts < 9000 AND ts + dur > 5000) ii JOIN {table} AS s ON s.id = {key}"
    )
}

async fn joins(session: &Session, sql: &str) -> bool {
    let batches = session.query(&format!("EXPLAIN {sql}")).await.unwrap().collect().await.unwrap();
    let mut lines = batches.iter().flat_map(|batch| batch.column(1).as_string::<i32>().iter());
    lines.any(|line| line.is_some_and(|line| line.contains("JoinExec")))
}

#[tokio::test]
async fn rows_are_those_of_the_join() {
    let session = session_with_tables().await;
    for table in ["selected", "named", "sched", "of_threads", "twice", "joined", "own"] {
        let found = rows(&session, &clipped(table, "ii.id")).await.unwrap();
        let joined = rows(&session, &clipped(table, "ii.id + 0")).await.unwrap();
        assert_eq!(found, joined, "{table}");
    }
    // Rows 401 to 799 start within the time, at 5,010 to 8,990, and last for 0 to 9 ns.
    let found = rows(&session, &clipped("selected", "ii.id")).await.unwrap();
    assert!(found.contains("| 399 | 1800 | 2793000 |"), "{found}");
}

#[tokio::test]
async fn a_table_is_read_once_if_its_ids_differ() {
    let session = session_with_tables().await;
    for (table, is_joined) in [
        ("selected", false),
        ("named", false),
        ("sched", false),
        ("own", false),
        ("of_threads", true),
        ("twice", true),
        ("joined", true),
    ] {
        assert_eq!(joins(&session, &clipped(table, "ii.id")).await, is_joined, "{table}");
    }
    // Other columns, and other joins, are no row that meets itself.
    assert!(joins(&session, &clipped("selected", "ii.ts")).await);
    let left = clipped("selected", "ii.id").replace("JOIN", "LEFT JOIN");
    assert!(joins(&session, &left).await);
}

#[tokio::test]
async fn plans_that_double_with_each_step_are_left_alone() {
    let session = session_with_tables().await;
    let mut doubled = "SELECT id, ts FROM selected".to_owned();
    for _ in 0..24 {
        doubled = format!("SELECT id, ts + ts AS ts FROM ({doubled})");
    }
    let sql = format!("SELECT sum(b.ts > a.ts) FROM selected a JOIN ({doubled}) b ON a.id = b.id");
    assert!(joins(&session, &sql).await);

    // Each table is a join of the one before it with itself.
    let mut sql = "CREATE PERFETTO TABLE t0 AS SELECT id, ts FROM sched WHERE id < 5".to_owned();
    for table in 1..=24 {
        for statement in session.statements(&sql).unwrap() {
            session.run(&statement).await.unwrap();
        }
        let before = table - 1;
        let found = rows(&session, &format!("SELECT count(*) AS n FROM t{before}")).await.unwrap();
        assert!(found.contains("| 5 |"), "{found}");
        sql = format!(
            "CREATE PERFETTO TABLE t{table} AS SELECT a.id, b.ts FROM t{before} a \
             JOIN t{before} b USING (id)"
        );
    }
    let sql = "SELECT count(*) AS n FROM t23 a JOIN t23 b ON a.id = b.id";
    assert!(rows(&session, sql).await.unwrap().contains("| 5 |"));
}
