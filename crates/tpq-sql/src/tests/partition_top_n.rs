//! The first rows of each partition: the same with and without looking for them before sorting.

use super::plans::plan;
use super::{rows, session};

/// Sums over the rows with a `place` within bounds, which distinguish different rows.
fn first(place: &str, over: &str, bounds: &str) -> String {
    let sums = "count(*), sum(id), sum(id * (id % 1009)), sum(place)";
    let places = format!("SELECT *, {place} OVER ({over}) AS place FROM sched");
    format!("SELECT {sums} FROM ({places}) WHERE {bounds}")
}

async fn drops_early(sql: &str) -> bool {
    plan(&format!("EXPLAIN {sql}")).await.contains("PartitionTopNExec")
}

#[tokio::test]
async fn the_same_rows_are_first_however_they_are_found() {
    let session = session();
    let orders = [
        "PARTITION BY utid ORDER BY ts DESC",
        "PARTITION BY end_state, ucpu ORDER BY dur DESC, ts",
        "PARTITION BY nullif(utid, 1) ORDER BY nullif(dur, 9), ts",
        "PARTITION BY utid ORDER BY nullif(dur, 9) DESC, ts DESC",
        "PARTITION BY dur % 3 ORDER BY CAST(dur AS REAL) / 3 DESC, -ts",
        "PARTITION BY id ORDER BY ts",
    ];
    for over in orders {
        for place in ["row_number()", "rank()"] {
            let quick = first(place, over, "place <= 3");
            assert!(drops_early(&quick).await, "{quick}");
            let slow = first(place, over, "place + 0 <= 3");
            assert!(!drops_early(&slow).await, "{slow}");
            let quick = rows(&session, &quick).await.unwrap();
            assert_eq!(quick, rows(&session, &slow).await.unwrap(), "{place} {over}");
        }
    }
}

#[tokio::test]
async fn equal_rows_have_one_rank() {
    let session = session();
    let over = "PARTITION BY utid ORDER BY dur DESC";
    let [quick, slow] = ["place = 1", "place + 0 = 1"].map(|bounds| first("rank()", over, bounds));
    assert!(drops_early(&quick).await);
    assert_eq!(rows(&session, &quick).await.unwrap(), rows(&session, &slow).await.unwrap());
}

#[tokio::test]
async fn rows_are_dropped_only_where_no_query_reads_them() {
    let over = "PARTITION BY utid ORDER BY ts";
    for bounds in ["place < 4", "3 >= place", "4 > place AND dur > 2", "place = 2"] {
        assert!(drops_early(&first("row_number()", over, bounds)).await, "{bounds}");
    }
    for bounds in ["place > 4", "place <= 3 OR dur > 2", "place <= dur", "place <= 1000", "id <= 3"]
    {
        assert!(!drops_early(&first("row_number()", over, bounds)).await, "{bounds}");
    }
    for place in ["ntile(3)", "count(*)", "sum(dur)", "lead(dur)"] {
        assert!(!drops_early(&first(place, over, "place <= 3")).await, "{place}");
    }
    // The values that another function takes from the rows behind would change.
    let both = "SELECT ts, next FROM (SELECT ts, row_number() OVER w AS place, lead(ts) OVER w AS next \
                FROM sched WINDOW w AS (PARTITION BY utid ORDER BY dur)) WHERE place <= 3";
    assert!(!drops_early(both).await);
    // Window functions have -0 and 0 apart, which groups do not.
    let signs = "PARTITION BY round((dur - 4) / 10.0) ORDER BY ts";
    assert!(!drops_early(&first("row_number()", signs, "place <= 3")).await);
    // Each time it is asked for, the order is another.
    let random = "PARTITION BY utid ORDER BY random()";
    assert!(!drops_early(&first("row_number()", random, "place <= 3")).await);
    // No partition: DataFusion itself sorts no more than it needs.
    assert!(!drops_early(&first("row_number()", "ORDER BY dur", "place <= 3")).await);
}
