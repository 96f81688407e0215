//! Left joins of a large table with small ones: their rows, and the order of the joins. `sched` has
//! 75,000 rows of the thread with `utid` 0 and as many of that with `utid` 1, both of one process.

use super::plans::plan;
use super::{rows, session};

/// The values of the only row of a statement.
async fn row(sql: &str) -> Vec<String> {
    let table = rows(&session(), sql).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let line = table.lines().nth(3).unwrap_or_default();
    line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
}

/// Whether the large table is below only one of two joins.
async fn is_joined_last(sql: &str) -> bool {
    let text = plan(&format!("EXPLAIN {sql}")).await;
    let lines: Vec<&str> = text.lines().collect();
    let joins = lines.iter().enumerate().filter(|(_, line)| line.contains("HashJoinExec"));
    let joins: Vec<usize> = joins.map(|(at, _)| at).collect();
    let [_, second] = joins[..] else { panic!("two joins are expected: {text}") };
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut below =
        lines[second + 1..].iter().take_while(|line| indent(line) > indent(lines[second]));
    !below.any(|line| line.contains("DataSourceExec: sched_slice"))
}

#[tokio::test]
async fn small_tables_are_joined_first() {
    let sql = "SELECT count(*) AS n, sum(p.pid) AS pids, count(t.name) AS names, min(p.name) AS app \
               FROM sched s LEFT JOIN thread t USING (utid) LEFT JOIN process p USING (upid)";
    assert_eq!(row(sql).await, ["150000", "15000000", "150000", "app"]);
    assert!(is_joined_last(sql).await);
}

#[tokio::test]
async fn rows_without_a_partner_have_none_in_later_tables() {
    let sql = "SELECT count(*) AS n, count(t.utid) AS threads, count(p.pid) AS processes \
               FROM sched s LEFT JOIN (SELECT utid, upid FROM thread WHERE tid = 101) t \
               ON t.utid = s.utid LEFT JOIN process p ON p.upid = t.upid";
    assert_eq!(row(sql).await, ["150000", "75000", "75000"]);
    assert!(is_joined_last(sql).await);
    // Here a row without a thread has the process without a parent: the first joins come first.
    let sql = "SELECT count(*) AS n, count(p.pid) AS processes \
               FROM sched s LEFT JOIN (SELECT utid, upid FROM thread WHERE tid = 5) t \
               ON t.utid = s.utid LEFT JOIN process p ON p.parent_upid IS t.upid";
    assert_eq!(row(sql).await, ["150000", "150000"]);
}

#[tokio::test]
async fn conditions_of_other_tables_and_several_partners_keep_their_order() {
    // The process is that of a column of `sched`.
    let sql = "SELECT count(t.name) AS names, count(p.pid) AS processes FROM sched s \
               LEFT JOIN thread t USING (utid) LEFT JOIN process p ON p.id = s.utid";
    assert_eq!(row(sql).await, ["150000", "75000"]);
    assert!(!is_joined_last(sql).await);
    // Each process has two threads.
    let sql = "SELECT count(*) AS n, sum(o.tid) AS tids FROM sched s \
               LEFT JOIN thread t USING (utid) LEFT JOIN thread o ON o.upid = t.upid";
    assert_eq!(row(sql).await, ["300000", "30150000"]);
    assert!(!is_joined_last(sql).await);
}
