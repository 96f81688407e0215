//! Queries that a statement reads several times: their rows, and how often they are computed.
//!
//! The thread with `utid` 0 has 75,000 rows of `sched` with `dur` 0, 2, 4, 6, 8 in turn, 300,000
//! in all; that with `utid` 1 has as many with 1, 3, 5, 7, 9, and 375,000 in all.

use super::plans::plan;
use super::{rows, session};
use crate::SqlErrorKind;

const BUSY: &str = "busy AS (SELECT utid, sum(dur) AS total FROM sched GROUP BY utid)";

/// The values of a statement, those of a row after one another.
async fn values(sql: &str) -> Vec<i64> {
    let table = rows(&session(), sql).await.unwrap();
    table.split(['|', '\n']).filter_map(|cell| cell.trim().parse().ok()).collect()
}

/// How often the plan of a statement reads `sched`, and how many steps read shared plans.
async fn reads(sql: &str) -> (usize, usize) {
    let text = plan(&format!("EXPLAIN {sql}")).await;
    let count = |what: &str| text.matches(what).count();
    (count("DataSourceExec: sched_slice"), count("SharedReadExec"))
}

#[tokio::test]
async fn a_query_that_is_read_twice_is_computed_once() {
    let sql = format!(
        "WITH {BUSY} SELECT a.utid, a.total + b.total AS twice \
         FROM busy a JOIN busy b ON a.utid = b.utid ORDER BY a.utid"
    );
    assert_eq!(values(&sql).await, [0, 600_000, 1, 750_000]);
    assert_eq!(reads(&sql).await, (1, 2));
    let text = plan(&format!("EXPLAIN ANALYZE {sql}")).await;
    assert_eq!(text.matches("started=1").count(), 1, "{text}");
    assert_eq!(text.matches("started=0").count(), 1, "{text}");
}

#[tokio::test]
async fn so_is_a_view() {
    let session = session();
    let view = "CREATE PERFETTO VIEW busy AS \
                SELECT utid, sum(dur) AS total FROM sched GROUP BY utid";
    rows(&session, &format!("{view}; SELECT 1 AS one")).await.unwrap();
    let sql = "SELECT a.total - (SELECT min(total) FROM busy) AS more FROM busy a ORDER BY more";
    let table = rows(&session, sql).await.unwrap();
    assert!(table.contains("| 0     |") && table.contains("| 75000 |"), "{table}");
    let plan = rows(&session, &format!("EXPLAIN {sql}")).await.unwrap();
    assert_eq!(plan.matches("DataSourceExec: sched_slice").count(), 1, "{plan}");
}

/// Each level reads the one below twice: without sharing, 128 times in all.
#[tokio::test]
async fn levels_of_queries_take_no_more_than_one() {
    let mut sql = "WITH a0 AS (SELECT utid, sum(dur) AS d FROM sched GROUP BY utid)".to_owned();
    for level in 1..=7 {
        let below = level - 1;
        sql.push_str(&format!(
            ", a{level} AS (SELECT x.utid, x.d + y.d AS d \
             FROM a{below} x JOIN a{below} y ON x.utid = y.utid)"
        ));
    }
    sql.push_str(" SELECT sum(d) AS d FROM a7");
    assert_eq!(values(&sql).await, [675_000 * 128]);
    assert_eq!(reads(&sql).await.0, 1);
}

#[tokio::test]
async fn a_query_for_each_row_reads_the_rows_that_are_there() {
    let sql = format!(
        "WITH {BUSY} SELECT a.utid, (SELECT count(*) FROM busy b WHERE b.total < a.total) AS less \
         FROM busy a ORDER BY a.utid"
    );
    assert_eq!(values(&sql).await, [0, 0, 1, 1]);
    assert_eq!(reads(&sql).await.0, 1);
}

#[tokio::test]
async fn so_does_each_round_of_a_recursion() {
    let sql = format!(
        "WITH RECURSIVE {BUSY}, n(i) AS (SELECT 0 UNION ALL \
         SELECT n.i + 1 FROM n JOIN busy ON busy.utid = n.i) SELECT max(i) AS i FROM n"
    );
    assert_eq!(values(&sql).await, [2]);
    assert_eq!(reads(&sql).await, (1, 1));
    let text = plan(&format!("EXPLAIN {sql}")).await;
    assert!(text.contains("run once [") && text.contains("AggregateExec"), "{text}");
}

#[tokio::test]
async fn a_recursion_is_shared_if_it_ends() {
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) \
               SELECT count(*) AS n, sum(a.i) AS i FROM n a JOIN n b ON a.i = b.i";
    assert_eq!(values(sql).await, [100, 5_050]);
    let text = plan(&format!("EXPLAIN {sql}")).await;
    assert_eq!(text.matches("RecursiveQueryExec").count(), 1, "{text}");
    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                   SELECT (SELECT max(i) FROM (SELECT i FROM n LIMIT 5)) AS a, \
                   (SELECT max(i) FROM (SELECT i FROM n LIMIT 7)) AS b";
    assert_eq!(values(endless).await, [5, 7]);
}

#[tokio::test]
async fn readers_have_filters_of_their_own() {
    let sql = "WITH numbered AS (SELECT dur, row_number() OVER (ORDER BY ts) AS n FROM sched) \
               SELECT (SELECT sum(dur) FROM numbered WHERE n <= 10) AS of_ten, \
               (SELECT max(n) FROM numbered WHERE n <= 20) AS of_twenty";
    assert_eq!(values(sql).await, [45, 20]);
    assert_eq!(reads(sql).await, (1, 2));
}

/// A filter that passes below the window reads one partition of it.
#[tokio::test]
async fn readers_that_need_little_compute_it_themselves() {
    let sql = "WITH numbered AS \
               (SELECT utid, row_number() OVER (PARTITION BY utid ORDER BY dur, ts) AS n FROM sched) \
               SELECT max(n) AS n FROM numbered WHERE utid = 0 \
               UNION ALL SELECT max(n) FROM numbered WHERE utid = 1";
    assert_eq!(values(sql).await, [75_000, 75_000]);
    assert_eq!(reads(sql).await, (2, 0));
    let joined = "WITH named AS (SELECT s.id, t.tid FROM sched s JOIN thread t USING (utid)) \
                  SELECT a.tid, b.tid FROM named a JOIN named b ON b.id = a.id + 1 WHERE a.id = 4";
    assert_eq!(values(joined).await, [100, 101]);
    assert_eq!(reads(joined).await, (2, 0));
}

#[tokio::test]
async fn rows_stay_in_the_order_of_the_query() {
    let sql = "WITH numbered AS (SELECT row_number() OVER (ORDER BY ts DESC) AS n FROM sched) \
               SELECT n FROM numbered WHERE (SELECT max(n) FROM numbered) = 150000 LIMIT 3";
    assert_eq!(values(sql).await, [1, 2, 3]);
    assert_eq!(reads(sql).await, (1, 2));
}

#[tokio::test]
async fn what_differs_each_time_is_not_shared() {
    let random = "WITH r AS (SELECT utid, sum(random()) AS s FROM sched GROUP BY utid) \
                  SELECT a.s, b.s FROM r a JOIN r b USING (utid)";
    assert_eq!(reads(random).await, (2, 0));
}

#[tokio::test]
async fn an_error_reaches_whoever_reads() {
    let sql = "WITH big AS \
               (SELECT utid, sum(9223372036854775807 - 0 * dur) AS total FROM sched GROUP BY utid) \
               SELECT a.total, b.total FROM big a JOIN big b ON a.utid = b.utid";
    let error = rows(&session(), sql).await.unwrap_err();
    assert_eq!(error.kind(), SqlErrorKind::Execution);
    assert!(error.report().contains("integer overflow in sum()"), "{}", error.report());
}
