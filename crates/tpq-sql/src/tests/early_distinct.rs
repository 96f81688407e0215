//! DISTINCT on joins: a large table with few values gives the join its distinct rows.

use super::plans::plan;
use super::{rows, session};

/// Statements with DISTINCT, and what gives the same rows without.
const STATEMENTS: [(&str, &str); 4] = [
    (
        "SELECT DISTINCT ucpu, c.cpu FROM sched JOIN cpu c USING (ucpu) ORDER BY ucpu",
        "SELECT ucpu, c.cpu FROM sched JOIN cpu c USING (ucpu) GROUP BY 1, 2 \
         HAVING count(*) > 0 ORDER BY ucpu",
    ),
    (
        "SELECT DISTINCT t.name, s.ucpu * 2 AS twice FROM sched s JOIN thread t USING (utid) \
         ORDER BY 1, 2",
        "SELECT t.name, s.ucpu * 2 AS twice FROM sched s JOIN thread t USING (utid) \
         GROUP BY 1, 2 HAVING count(*) > 0 ORDER BY 1, 2",
    ),
    (
        "SELECT DISTINCT c.cpu, s.utid FROM cpu c LEFT JOIN sched s ON s.ucpu = c.ucpu AND \
         s.utid = 1 ORDER BY 1, 2",
        "SELECT c.cpu, s.utid FROM cpu c LEFT JOIN sched s ON s.ucpu = c.ucpu AND s.utid = 1 \
         GROUP BY 1, 2 HAVING count(*) > 0 ORDER BY 1, 2",
    ),
    (
        "SELECT DISTINCT a.utid, b.ucpu FROM sched a JOIN sched b ON b.id = a.id + 1 \
         ORDER BY 1, 2",
        "SELECT a.utid, b.ucpu FROM sched a JOIN sched b ON b.id = a.id + 1 GROUP BY 1, 2 \
         HAVING count(*) > 0 ORDER BY 1, 2",
    ),
];

#[tokio::test]
async fn rows_are_the_same() {
    let session = session();
    for (distinct, grouped) in STATEMENTS {
        let found = rows(&session, distinct).await.unwrap();
        assert_eq!(found, rows(&session, grouped).await.unwrap(), "{distinct}");
    }
    let found = rows(&session, STATEMENTS[0].0).await.unwrap();
    assert!(found.contains("| 0    | 0   |") && found.contains("| 1    | 1   |"), "{found}");
}

#[tokio::test]
async fn the_join_reads_distinct_rows() {
    let analyzed = plan(&format!("EXPLAIN ANALYZE {}", STATEMENTS[0].0)).await;
    // Of 150,000: two for each CPU at most, as the scan has two parts.
    let join = analyzed.lines().find(|line| line.contains("HashJoinExec")).unwrap();
    let rows = |count: usize| format!("input_rows={count},");
    assert!((2..=4).any(|count| join.contains(&rows(count))), "{analyzed}");
    let (join, scan) = (analyzed.find("HashJoinExec"), analyzed.find("DataSourceExec: sched"));
    let between = analyzed.get(join.unwrap()..scan.unwrap()).unwrap();
    assert!(between.contains("AggregateExec"), "{analyzed}");
}

#[tokio::test]
async fn rows_that_are_counted_or_many_stay() {
    for sql in [
        "SELECT ucpu, group_concat(dur) FROM sched JOIN cpu USING (ucpu) GROUP BY 1",
        "SELECT DISTINCT s.ts, c.cpu FROM sched s JOIN cpu c USING (ucpu)",
        "SELECT DISTINCT s.end_state, c.cpu FROM sched s JOIN cpu c USING (ucpu)",
        "SELECT DISTINCT c.cpu, random() FROM sched s JOIN cpu c USING (ucpu)",
    ] {
        let plan = plan(&format!("EXPLAIN {sql}")).await;
        let below = plan.find("HashJoinExec").map(|join| plan.get(join..).unwrap());
        assert!(!below.unwrap().contains("AggregateExec"), "{plan}");
    }
}

#[tokio::test]
async fn a_scan_gives_each_value_once() {
    let analyzed = plan("EXPLAIN ANALYZE SELECT DISTINCT ucpu FROM sched").await;
    let scan = analyzed.lines().find(|line| line.contains("DataSourceExec: sched")).unwrap();
    // The first chunk of each of two parts has both CPUs; the other eight of ten are not read.
    assert!(scan.contains(", distinct") && scan.contains("chunks_skipped=8"), "{scan}");
    let found = rows(&session(), "SELECT DISTINCT ucpu FROM sched ORDER BY ucpu").await.unwrap();
    assert!(found.contains("| 0    |") && found.contains("| 1    |"), "{found}");
    assert_eq!(found.lines().filter(|line| line.starts_with('|')).count(), 3, "{found}");
    let sql = "SELECT count(*) AS n, sum(dur) AS total FROM (SELECT DISTINCT dur FROM sched)";
    let found = rows(&session(), sql).await.unwrap();
    assert!(found.contains("| 10 | 45    |"), "{found}");
    for sql in [
        "SELECT DISTINCT ts FROM sched",
        "SELECT DISTINCT ucpu FROM sched WHERE dur > 3",
        "SELECT DISTINCT end_state FROM sched",
        "SELECT ucpu, count(*) FROM sched GROUP BY ucpu",
    ] {
        let plan = plan(&format!("EXPLAIN {sql}")).await;
        assert!(!plan.contains(", distinct"), "{plan}");
    }
}
