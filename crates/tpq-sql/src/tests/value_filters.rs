//! Filters on values of integers that scans apply themselves: the rows are those that a filter
//! above the scan gives, and the plan has no such filter.

use super::plans::plan;
use super::{rows, session};

/// Conditions on an integer column, and the same in a form that no scan applies.
const CONDITIONS: [(&str, &str); 15] = [
    ("utid = 1", "utid + 0 = 1"),
    ("1 = utid", "utid + 0 = 1"),
    ("utid IN (1, 7)", "utid + 0 IN (1, 7)"),
    ("utid = 7 OR 1 = utid OR utid = 7", "utid + 0 IN (1, 7)"),
    ("(dur = 3 OR dur = 5 OR dur = NULL) AND utid = 1", "dur + 0 IN (3, 5) AND utid + 0 = 1"),
    ("utid = 1 OR dur = 3", "utid + 0 = 1 OR dur + 0 = 3"),
    ("utid = 1 AND dur = 3", "utid + 0 = 1 AND dur + 0 = 3"),
    ("dur = 3 AND ts > 900000", "dur + 0 = 3 AND ts > 900000"),
    ("dur IN (0, 9, 4, 17)", "dur + 0 IN (0, 9, 4, 17)"),
    ("dur = 300", "dur + 0 = 300"),
    ("dur = NULL", "dur + 0 = NULL"),
    ("dur IN (3, NULL)", "dur + 0 IN (3, NULL)"),
    ("id IN (0, 16383, 16384, 149999)", "id + 0 IN (0, 16383, 16384, 149999)"),
    ("ts = (SELECT max(ts) FROM sched)", "ts + 0 = (SELECT max(ts) FROM sched)"),
    ("utid = 1 AND end_state = 'R'", "utid + 0 = 1 AND end_state || '' = 'R'"),
];

#[tokio::test]
async fn rows_are_those_of_a_filter_above_the_scan() {
    let session = session();
    for statement in [
        "CREATE PERFETTO TABLE copy AS SELECT id, ts, dur, utid, end_state FROM sched",
        "CREATE PERFETTO TABLE few AS SELECT id, ts, nullif(dur, 5) AS dur, utid, end_state \
         FROM sched WHERE id < 20000",
    ] {
        for statement in session.statements(statement).unwrap() {
            session.run(&statement).await.unwrap();
        }
    }
    for table in ["sched", "copy", "few"] {
        for (condition, other) in CONDITIONS {
            for columns in ["count(*), sum(id), sum(ts), min(end_state)", "count(*)"] {
                let of =
                    |condition: &str| format!("SELECT {columns} FROM {table} WHERE {condition}");
                let found = rows(&session, &of(condition)).await.unwrap();
                let expected = rows(&session, &of(other)).await.unwrap();
                assert_eq!(found, expected, "{table}: {condition}");
            }
        }
    }
}

#[tokio::test]
async fn order_and_limits_hold() {
    let session = session();
    for (order, limit) in [("ts", 7), ("ts DESC", 7), ("id DESC", 20_000)] {
        let of = |condition: &str| {
            format!(
                "SELECT id, ts, dur FROM sched WHERE {condition} ORDER BY {order} LIMIT {limit}"
            )
        };
        let found = rows(&session, &of("dur = 3")).await.unwrap();
        assert_eq!(found, rows(&session, &of("dur + 0 = 3")).await.unwrap(), "{order}");
    }
    // The limit counts rows before the filter.
    let within = "SELECT count(*) AS n FROM (SELECT id FROM sched LIMIT 5) WHERE id = 100000";
    assert!(rows(&session, within).await.unwrap().contains("| 0 |"));
    let within = "SELECT count(*) AS n FROM (SELECT id FROM sched LIMIT 5) WHERE id > 100000";
    assert!(rows(&session, within).await.unwrap().contains("| 0 |"));
}

/// A join gives the scan the keys of its small side.
#[tokio::test]
async fn joins_read_rows_with_their_keys() {
    let session = session();
    let of = |key: &str| {
        format!(
            "SELECT count(*), sum(s.ts), sum(s.dur) FROM thread t JOIN sched s ON s.utid = {key} \
             WHERE t.tid = 101"
        )
    };
    let found = rows(&session, &of("t.utid")).await.unwrap();
    assert_eq!(found, rows(&session, &of("t.utid + 0")).await.unwrap());
    // Every second row: the scan gives the join what it needs.
    let analyzed = plan(&format!("EXPLAIN ANALYZE {}", of("t.utid"))).await;
    assert!(analyzed.contains(", input_rows=75.00 K"), "{analyzed}");
}

#[tokio::test]
async fn the_plan_has_no_filter_above_the_scan() {
    let plan = plan("EXPLAIN SELECT ts FROM sched WHERE utid = 1 AND ucpu = 0").await;
    assert!(!plan.contains("FilterExec"), "{plan}");
    assert!(plan.contains("where utid@"), "{plan}");
}

/// The optimizer writes a short list as alternatives.
#[tokio::test]
async fn a_short_list_is_no_filter_above_the_scan() {
    for condition in ["utid IN (0, 1)", "utid = 0 OR utid = 1"] {
        let plan = plan(&format!("EXPLAIN SELECT ts FROM sched WHERE {condition}")).await;
        assert!(!plan.contains("FilterExec"), "{plan}");
        assert!(plan.contains("where utid@"), "{plan}");
    }
}

/// Subqueries that run for each row read the rows of their parameter alone.
#[tokio::test]
async fn parameters_are_values() {
    let session = session();
    let of = |column: &str| {
        format!(
            "SELECT o.id, (SELECT i.ts FROM sched i WHERE i.ts > o.ts AND {column} = o.utid \
             ORDER BY i.ts LIMIT 1) AS next FROM sched o WHERE o.id % 30000 = 7"
        )
    };
    let found = rows(&session, &of("i.utid")).await.unwrap();
    assert_eq!(found, rows(&session, &of("i.utid + 0")).await.unwrap());
    // The next row of the same thread is the one after the next.
    assert!(found.contains("| 30007  | 301090  |"), "{found}");
}

/// Subqueries of a row are run for the rows alone that a join keeps.
#[tokio::test]
async fn keys_of_a_join_reach_scans_below_subqueries() {
    let session = session();
    let of = |key: &str| {
        format!(
            "SELECT count(*) AS n, sum(s.ts), min(s.name), max(s.name) FROM \
             (SELECT id AS wanted FROM sched WHERE id IN (7, 30000, 100001, 100002)) w JOIN \
             (SELECT o.id, o.ts, (SELECT t.name FROM thread t WHERE t.utid <= o.utid \
              ORDER BY t.utid DESC LIMIT 1) AS name FROM sched o) s ON s.id = {key}"
        )
    };
    let found = rows(&session, &of("w.wanted")).await.unwrap();
    assert_eq!(found, rows(&session, &of("w.wanted + 0")).await.unwrap());
    // 1,070 + 301,000 + 1,001,010 + 1,001,020.
    assert!(found.contains("| 4 ") && found.contains("| 2304100 "), "{found}");
    assert!(found.contains("app") && found.contains("worker"), "{found}");
    let analyzed = plan(&format!("EXPLAIN ANALYZE {}", of("w.wanted"))).await;
    assert!(analyzed.contains("ApplyExec"), "{analyzed}");
    assert!(analyzed.contains(", input_rows=4,"), "{analyzed}");
}

/// The rows of a mipmap are joined with the table by their ids: the scan reads these alone.
#[tokio::test]
async fn a_mipmap_is_the_small_side_of_a_join() {
    let session = session();
    let create = "CREATE VIRTUAL TABLE seen USING __intrinsic_slice_mipmap((\
                  SELECT id, ts, dur, ucpu AS depth FROM sched))";
    for statement in session.statements(create).unwrap() {
        session.run(&statement).await.unwrap();
    }
    // Ten windows of each of two CPUs.
    let of = |key: &str| {
        format!(
            "SELECT count(*), sum(s.ts), sum(z.count) FROM seen(1000, 1501000, 150000) z \
             JOIN sched s ON s.id = {key}"
        )
    };
    let found = rows(&session, &of("z.id")).await.unwrap();
    assert_eq!(found, rows(&session, &of("z.id + 0")).await.unwrap());
    assert!(found.contains("| 20 ") && found.contains("| 150000 "), "{found}");
    let analyzed = rows(&session, &format!("EXPLAIN ANALYZE {}", of("z.id"))).await.unwrap();
    assert!(analyzed.contains("HashJoinExec: mode=CollectLeft"), "{analyzed}");
    assert!(analyzed.contains(", input_rows=20,"), "{analyzed}");
}
