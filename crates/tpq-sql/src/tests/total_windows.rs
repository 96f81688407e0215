//! Windows over all rows of a large table: their results are joined to the rows.

use super::plans::plan;
use super::{rows, session};

/// A copy of the 150,000 rows of `sched`, which have durations from 0 to 9 ns, again and again.
const KEPT: &str = "
    CREATE PERFETTO TABLE kept AS SELECT id, ts, dur, utid FROM sched;
    CREATE PERFETTO TABLE few AS SELECT id, ts, dur, utid FROM sched WHERE id < 10;";

/// Whether a statement computes a window.
async fn has_window(sql: &str) -> bool {
    plan(&format!("{KEPT} EXPLAIN {sql}")).await.contains("WindowAggExec")
}

#[tokio::test]
async fn each_row_has_the_total() {
    let share = "SELECT kept.id, t.tid, kept.dur * 1.0 / sum(kept.dur) OVER () AS share, \
                 count(*) OVER () AS n, max(kept.ts) OVER () AS last \
                 FROM kept JOIN thread t USING (utid) LEFT JOIN process p USING (upid)";
    assert!(!has_window(share).await);
    // 15,000 times 45 ns.
    let sql = format!("{KEPT} SELECT * FROM ({share}) WHERE id IN (7, 149999) ORDER BY id");
    let found = rows(&session(), &sql).await.unwrap();
    let words = |line: &str| {
        line.replace('|', " ").split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    let lines: Vec<String> =
        found.lines().filter(|line| line.starts_with("| ")).skip(1).map(words).collect();
    let (seventh, last) = (7.0 / 675_000.0, 9.0 / 675_000.0);
    let expected = [
        format!("7 101 {seventh:?} 150000 1500990"),
        format!("149999 101 {last:?} 150000 1500990"),
    ];
    let number = |line: &String| {
        line.split(' ').map(|word| word.parse::<f64>().unwrap()).collect::<Vec<_>>()
    };
    let found: Vec<Vec<f64>> = lines.iter().map(number).collect();
    assert_eq!(found, expected.iter().map(number).collect::<Vec<_>>());
}

#[tokio::test]
async fn rows_stay_in_their_order() {
    let sql = format!(
        "{KEPT} SELECT count(*) AS moved FROM (SELECT id, total, row_number() OVER () - 1 AS \
         number FROM (SELECT id, sum(dur) OVER () AS total FROM kept)) \
         WHERE id <> number OR total <> 675000"
    );
    let found = rows(&session(), &sql).await.unwrap();
    assert!(found.contains("| 0     |"), "{found}");
}

#[tokio::test]
async fn other_windows_stay() {
    for sql in [
        // Few rows, and rows that are no table in memory.
        "SELECT id, sum(dur) OVER () AS total FROM few",
        "SELECT id, sum(dur) OVER () AS total FROM sched",
        // Some of the rows, and reals, which depend on the order of the rows.
        "SELECT id, sum(dur) OVER (PARTITION BY utid) AS total FROM kept",
        "SELECT id, sum(dur) OVER (ORDER BY ts) AS total FROM kept",
        "SELECT id, sum(dur * 0.5) OVER () AS total FROM kept",
        "SELECT id, sum(dur) OVER () AS total FROM (SELECT * FROM kept LIMIT 200000)",
        "SELECT id, sum(dur + random() % 2) OVER () AS total FROM kept",
    ] {
        assert!(has_window(sql).await, "{sql}");
    }
}
