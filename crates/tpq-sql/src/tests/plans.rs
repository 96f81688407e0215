//! What the plans must not lose: pruning, order, projection, statistics.

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;

use super::{rows, session};

/// The physical plan of a statement, or what it says after having run.
pub(super) async fn plan(sql: &str) -> String {
    let batches = session().query(sql).await.unwrap().collect().await.unwrap();
    let mut text = String::new();
    for batch in &batches {
        let kinds = batch.column(0).as_string::<i32>();
        let plans = batch.column(1).as_string::<i32>();
        for (kind, plan) in kinds.iter().zip(plans.iter()) {
            if matches!(kind, Some("physical_plan" | "Plan with Metrics")) {
                text.push_str(plan.unwrap());
                text.push('\n');
            }
        }
    }
    text
}

#[tokio::test]
async fn plans_use_what_the_tables_know() {
    let statements = [
        // Statistics answer.
        "SELECT count(*), min(ts), max(ts) FROM sched",
        // No column but the one asked for is read, and `cpu` is `ucpu` on one machine.
        "SELECT cpu, sum(dur) FROM sched GROUP BY cpu",
        "SELECT * FROM sched WHERE cpu = 1 AND ts > 5000",
        // In order already.
        "SELECT ts, dur FROM sched ORDER BY ts, id",
        "SELECT ts, lead(ts) OVER (ORDER BY ts) FROM sched",
        // Read backwards.
        "SELECT * FROM sched ORDER BY ts DESC LIMIT 10",
        // The first rows are the table's first.
        "SELECT dur FROM sched WHERE dur > 3 LIMIT 5",
        // The small side is the hash table, and its keys prune the large side.
        "SELECT t.name, count(*) FROM sched JOIN thread t USING (utid) GROUP BY 1",
        // The id decides the other columns.
        "SELECT name, dur FROM slice GROUP BY id",
    ];
    let mut plans = String::new();
    for sql in statements {
        plans.push_str(&format!("{sql}\n{}\n", plan(&format!("EXPLAIN {sql}")).await));
    }
    insta::assert_snapshot!(plans);
}

#[tokio::test]
async fn rows_are_left_out_before_they_are_joined() {
    let of = |key: &str, names: &str| {
        format!(
            "SELECT count(*) AS n, sum(s.id), sum(p.pid) FROM sched s LEFT JOIN thread t \
             USING (utid) LEFT JOIN process p USING (upid) \
             WHERE {key} {names} (SELECT utid FROM thread WHERE tid = 101)"
        )
    };
    let session = session();
    for names in ["NOT IN", "IN"] {
        let found = rows(&session, &of("s.utid", names)).await.unwrap();
        assert_eq!(found, rows(&session, &of("s.utid + 0", names)).await.unwrap());
        assert!(found.contains("| 75000 "), "{found}");
    }
    let explained = plan(&format!("EXPLAIN {}", of("s.utid", "NOT IN"))).await;
    let joins: Vec<&str> = explained.lines().filter(|line| line.contains("HashJoinExec")).collect();
    let is_anti: Vec<bool> = joins.iter().map(|join| join.contains("Anti")).collect();
    assert_eq!(is_anti, [false, false, true], "{explained}");
}

#[tokio::test]
async fn values_that_no_step_reads_are_not_computed() {
    let with_next = "(SELECT o.id, o.dur, (SELECT i.ts FROM sched i WHERE i.ts > o.ts AND \
                     i.utid = o.utid ORDER BY i.ts LIMIT 1) AS next FROM sched o)";
    let computes = async |query: &str| {
        let sql = format!("EXPLAIN {}", query.replace("with_next", with_next));
        plan(&sql).await.contains("ApplyExec")
    };
    assert!(computes("SELECT id, next FROM with_next WHERE dur = 3").await);
    assert!(computes("SELECT id FROM with_next WHERE next > 5").await);
    assert!(!computes("SELECT id FROM with_next WHERE dur = 3").await);
    assert!(!computes("SELECT dur, sum(id) FROM with_next GROUP BY dur").await);
}

/// How many chunks a statement skipped.
async fn skipped(sql: &str) -> usize {
    let text = plan(&format!("EXPLAIN ANALYZE {sql}")).await;
    let counts = text.split("chunks_skipped=").skip(1);
    counts.map(|rest| rest.split([',', ']']).next().unwrap().trim().parse::<usize>().unwrap()).sum()
}

#[tokio::test]
async fn chunks_that_cannot_match_are_not_read() {
    // Of ten.
    assert_eq!(skipped("SELECT dur FROM sched WHERE ts < 2000").await, 9);
    assert_eq!(skipped("SELECT dur FROM sched WHERE id = 149999").await, 9);
    assert_eq!(skipped("SELECT dur FROM sched WHERE ts < 0").await, 10);
    assert_eq!(skipped("SELECT dur FROM sched WHERE dur >= 0").await, 0);
}

#[tokio::test]
async fn the_text_of_a_plan_that_ran_is_without_rows() {
    let sql = "SELECT array_length((SELECT array_agg(dur) FROM sched))";
    let text = plan(&format!("EXPLAIN ANALYZE {sql}")).await;
    assert!(text.contains("array_length(scalar_subquery(<rows>)"), "{text}");
}

#[tokio::test]
async fn columns_that_an_id_decides_are_not_grouped_by_beside_a_table_function() {
    let sql = "SELECT s.id, count(*) FROM slice s, ancestor_slice(s.id) a GROUP BY s.id";
    let text = plan(&format!("EXPLAIN {sql}")).await;
    let groups: Vec<&str> = text.split("gby=[").skip(1).collect();
    assert!(!groups.is_empty(), "{text}");
    for group in groups {
        let (keys, _) = group.split_once(']').unwrap();
        assert_eq!(keys.split(',').count(), 1, "{text}");
    }
}

/// The window makes a projection above another one, and the filter a constant, which the join
/// forgets between the two.
#[tokio::test]
async fn an_outer_join_with_windows_over_one_value_can_be_planned() {
    let sql = "WITH r AS (SELECT ts AS a, lead(ts) OVER (ORDER BY ts) AS b FROM sched WHERE cpu = 1) \
        SELECT count(*), count(r.a) FROM sched AS s \
        LEFT JOIN r ON s.dur < 0 AND s.ts > r.a AND s.ts <= coalesce(r.b, 9223372036854775807)";
    let batches = session().query(sql).await.unwrap().collect().await.unwrap();
    let all = session().query("SELECT count(*) FROM sched").await.unwrap().collect().await.unwrap();
    assert_eq!(batches[0].column(0), all[0].column(0));
    assert_eq!(batches[0].column(1).as_primitive::<Int64Type>().value(0), 0);
}
