//! `SHOW`, `DESCRIBE`, lines of `EXPLAIN`, and the first rows of a statement.

use super::{rows, session};
use crate::{CancelToken, ResultSet, Session};

/// The number of rows that running for the first `most` rows gives, and whether that was a limit.
async fn first(session: &Session, sql: &str, most: usize) -> (usize, Option<usize>) {
    let statement = session.statements(sql).unwrap().pop().unwrap();
    let result: ResultSet =
        session.run_first(&statement, most, &CancelToken::default()).await.unwrap().unwrap();
    let limit = result.limit();
    let batches = result.collect().await.unwrap();
    (batches.iter().map(|batch| batch.num_rows()).sum(), limit)
}

async fn count(session: &Session, sql: &str) -> Option<u64> {
    let statement = session.statements(sql).unwrap().pop().unwrap();
    session.count_rows(&statement, &CancelToken::default()).await.unwrap()
}

#[tokio::test]
async fn the_first_rows_are_those_of_the_whole() {
    let session = session();
    for sql in [
        "SELECT ts FROM sched",
        "SELECT ts, dur FROM sched ORDER BY dur DESC, ts",
        "SELECT a.ts, b.ts FROM slice a, slice b ORDER BY 1, 2",
        "SELECT cpu, count(*) FROM sched GROUP BY cpu ORDER BY 1",
        "SELECT 1, 1 UNION ALL SELECT 2, 2",
        "SELECT ts FROM sched ORDER BY ts LIMIT 3",
    ] {
        let whole = rows(&session, sql).await.unwrap();
        let all = whole.lines().count() - 4;
        for most in [1, 2, all, all + 1] {
            let (given, limit) = first(&session, sql, most).await;
            assert_eq!((given, limit), (most.min(all), Some(most)), "{sql}");
        }
        let counted = (!sql.contains("slice a, slice b")).then_some(all as u64);
        assert_eq!(count(&session, sql).await, counted, "{sql}");
    }
}

#[tokio::test]
async fn the_first_of_rows_without_end_are_given() {
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    assert_eq!(first(&session(), endless, 4).await, (4, Some(4)));
    assert_eq!(count(&session(), endless).await, None);
}

#[tokio::test]
async fn plans_and_listings_are_given_whole() {
    let session = session();
    let plan = "EXPLAIN SELECT cpu, count(*) FROM sched GROUP BY cpu";
    let (lines, limit) = first(&session, plan, 1).await;
    assert!(lines > 4 && limit.is_none(), "{lines}");
    let (tables, limit) = first(&session, "SHOW TABLES", 1).await;
    assert!(tables > 4 && limit.is_none(), "{tables}");
    assert_eq!(count(&session, plan).await, None);
    assert_eq!(count(&session, "SHOW TABLES").await, None);
    assert_eq!(count(&session, "CREATE TABLE counted AS SELECT 1").await, None);
    assert!(session.describe("counted").is_none(), "counting created it");
}

#[tokio::test]
async fn each_line_of_a_plan_is_a_row() {
    let plan = rows(&session(), "EXPLAIN SELECT dur FROM sched WHERE dur > 3").await.unwrap();
    assert!(!plan.contains("\\n"), "{plan}");
    let of = |kind: &str| plan.lines().filter(|line| line.contains(kind)).count();
    assert!(of("| logical_plan ") > 1 && of("| physical_plan ") > 1, "{plan}");
}

#[tokio::test]
async fn listings_show_all_objects() {
    let session = session();
    let create = "CREATE PERFETTO VIEW mine(a LONG, b STRING) AS SELECT 1 AS a, 'x' AS b;";
    let columns = rows(&session, &format!("{create} DESCRIBE mine")).await.unwrap();
    let expected = "\
+------+--------+-------------+
| name | type   | description |
+------+--------+-------------+
| a    | LONG   |             |
| b    | STRING |             |
+------+--------+-------------+";
    assert_eq!(columns, expected);
    assert_eq!(rows(&session, "SHOW COLUMNS FROM MINE").await.unwrap(), expected);
    assert_eq!(rows(&session, "SHOW COLUMNS IN mine LIKE 'B'").await.unwrap().lines().count(), 5);
    let tables = rows(&session, "SHOW TABLES LIKE 'mi%'").await.unwrap();
    assert!(tables.contains("| mine |"), "{tables}");
    let internal = rows(&session, "SHOW TABLES LIKE '\\_\\_%'").await.unwrap();
    assert_eq!(internal.lines().count(), 4, "{internal}");
    assert!(rows(&session, "SHOW FUNCTIONS LIKE 'abs'").await.unwrap().contains("| abs "));
    let modules = rows(&session, "SHOW MODULES LIKE 'time.conv%'").await.unwrap();
    assert!(modules.contains("| time.conversion | 0 "), "{modules}");
    for (sql, said) in [
        ("DESCRIBE shed", "did you mean `sched`?"),
        ("SHOW TABELS", "did you mean `TABLES`?"),
        ("SHOW TABLES LIKE t", "expected a pattern in single quotes"),
        ("DESCRIBE sched now", "expected the end of the statement"),
    ] {
        let error = rows(&session, sql).await.unwrap_err().report();
        assert!(error.contains(said), "{sql}: {error}");
    }
}
