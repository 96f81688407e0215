//! `intervals.*`

use super::{empty, lines};

/// Rows of a query on a table `t` of intervals: `id`, `ts`, `dur`, `k`.
fn of(module: &str, intervals: &str, sql: &str) -> Vec<String> {
    let table = format!(
        "CREATE PERFETTO TABLE t AS SELECT column1 AS id, column2 AS ts, column3 AS dur, \
         column4 AS k FROM (VALUES {intervals});"
    );
    lines(&empty(), module, &format!("{table} {sql}"))
}

const OVERLAPPING: &str = "(1, 0, 10, 'a'), (2, 5, 10, 'b'), (3, 15, 2, 'a'), (4, 30, -1, 'a')";

#[test]
fn how_many_overlap() {
    let sql = "SELECT ts, value FROM intervals_overlap_count!(t, ts, dur) ORDER BY ts";
    // At 15 one ends and another begins. The last one never ends.
    assert_eq!(
        of("intervals.overlap", OVERLAPPING, sql),
        ["0 1", "5 2", "10 1", "15 1", "17 0", "30 1"]
    );
    let sql = "SELECT group_name, ts, value FROM intervals_overlap_count_by_group!(t, ts, dur, k) \
        ORDER BY group_name, ts";
    assert_eq!(
        of("intervals.overlap", OVERLAPPING, sql),
        ["a 0 1", "a 10 0", "a 15 1", "a 17 0", "a 30 1", "b 5 1", "b 15 0"]
    );
}

#[test]
fn whether_any_overlap() {
    let sql = "SELECT _intervals_overlap_in_table!(t)";
    assert_eq!(of("intervals.overlap", OVERLAPPING, sql), ["1"]);
    assert_eq!(of("intervals.overlap", "(1, 0, 5, 0), (2, 5, 5, 0)", sql), ["0"]);
}

#[test]
fn overlapping_ones_become_one() {
    let merged = |epsilon: u64| {
        let sql = format!("SELECT * FROM interval_merge_overlapping!(t, {epsilon}) ORDER BY ts");
        // The second lies in the first, the third touches it, the fourth is 3 away.
        let intervals = "(1, 0, 10, 0), (2, 2, 3, 0), (3, 10, 5, 0), (4, 18, 2, 0)";
        of("intervals.overlap", intervals, &sql)
    };
    assert_eq!(merged(0), ["0 15", "18 2"]);
    assert_eq!(merged(2), ["0 15", "18 2"]);
    assert_eq!(merged(3), ["0 20"]);
}

#[test]
fn starts_with_ends() {
    // Both starts at 5 take the end at 7; an end at the start itself is not after it; nothing ends
    // after 20.
    let sql = "SELECT s.* FROM _create_intervals!(t, (SELECT column1 AS at \
        FROM (VALUES (5), (7), (9), (12))), ts, at) s ORDER BY ts, dur";
    let starts = "(1, 1, 0, 0), (2, 5, 0, 0), (3, 5, 0, 0), (4, 9, 0, 0), (5, 20, 0, 0)";
    assert_eq!(of("intervals.create_intervals", starts, sql), ["1 4", "5 2", "5 2", "9 3"]);
}

/// The trace is a moment at 1,000 ns.
#[test]
fn gaps() {
    let sql = "SELECT k, ts, dur, id FROM intervals_fill_gaps!((k), (id), t) ORDER BY k, ts";
    // An interval within another leaves no gap after it.
    let intervals = "(1, 1000, 10, 'a'), (2, 1002, 3, 'a'), (3, 1020, 5, 'a'), (4, 1010, 5, 'b')";
    assert_eq!(
        of("intervals.fill_gaps", intervals, sql),
        [
            "a 1000 10 1",
            "a 1002 3 2",
            "a 1010 10 NULL",
            "a 1020 5 3",
            "b 1000 10 NULL",
            "b 1010 5 4",
        ]
    );
}

#[test]
fn parts_within_one_interval() {
    let sql = "SELECT * FROM _interval_intersect_single!(5, 10, t) ORDER BY id";
    // The first and second lie in it in part, the third as a whole; the fourth only touches it;
    // the fifth is a moment at its beginning, the sixth one at its end.
    let intervals = "(1, 0, 7, 0), (2, 10, 10, 0), (3, 6, 1, 0), (4, 15, 5, 0), (5, 5, 0, 0), \
        (6, 15, 0, 0)";
    assert_eq!(of("intervals.intersect", intervals, sql), ["1 5 2", "2 10 5", "3 6 1", "5 5 0"]);
}

#[test]
fn overlaps_of_several_tables() {
    let sql = "SELECT * FROM _interval_intersect!((t, \
        (SELECT id + 10 AS id, ts + 3 AS ts, dur, k FROM t)), (k)) ORDER BY ts, id_0";
    // Each with itself three later; across the two of `a`, from 20 to 23 nothing.
    let intervals = "(1, 0, 10, 'a'), (2, 12, 8, 'a'), (3, 0, 100, 'b')";
    assert_eq!(
        of("intervals.intersect", intervals, sql),
        ["3 7 1 11 a", "3 97 3 13 b", "12 1 2 11 a", "15 5 2 12 a"]
    );
    let sql = "SELECT * FROM _interval_intersect_with_col_names!(t, id, ts, dur, \
        (SELECT 7 AS which, 4 AS began, 2 AS lasted, k FROM t WHERE k = 'b'), \
        which, began, lasted, (k))";
    assert_eq!(of("intervals.intersect", intervals, sql), ["4 2 3 7 b"]);
}

#[test]
fn overlaps_within_a_table() {
    let sql = "SELECT * FROM interval_self_intersect!(t) ORDER BY group_id, interval_ends_at_ts";
    let intervals = "(1, 0, 10, 0), (2, 5, 10, 0)";
    // 0 to 5, 5 to 10 with both, 10 to 15 where the first has ended, and the end at 15.
    assert_eq!(
        of("intervals.intersect", intervals, sql).len(),
        6,
        "three pieces with four intervals, and two ends"
    );
    let sql = "SELECT ts, dur, cnt, sum_value, max_value \
        FROM _interval_self_intersect_agg!(t, k, ()) WHERE dur > 0 ORDER BY ts";
    let intervals = "(1, 0, 10, 1.5), (2, 5, 10, 2.0)";
    assert_eq!(
        of("intervals.self_intersect", intervals, sql),
        ["0 5 1 1.5 1.5", "5 5 2 3.5 2.0", "10 5 1 2.0 2.0"]
    );
    let sql = "SELECT ts, dur, cnt FROM _interval_self_intersect_count!(t, ()) \
        WHERE dur > 0 ORDER BY ts";
    assert_eq!(of("intervals.self_intersect", intervals, sql), ["0 5 1", "5 5 2", "10 5 1"]);
}

/// Root 1 from 0 to 100 has 2, from 10 to 40, with 3 in it, from 20 to 40; and 4 right after it.
/// Root 9 has nothing in it.
#[test]
fn the_innermost_at_any_time() {
    let roots = "(SELECT id, ts, dur FROM t WHERE k IN (0, 9))";
    let children = "(SELECT 1 AS root_id, id, CASE WHEN id = 3 THEN 2 ELSE 1 END AS parent_id, \
        ts, dur FROM t WHERE k = 1)";
    let sql = format!(
        "SELECT * FROM _intervals_flatten!(_intervals_merge_root_and_children!({roots}, \
         {children})) ORDER BY root_id, ts"
    );
    let intervals = "(1, 0, 100, 0), (2, 10, 30, 1), (3, 20, 20, 1), (4, 40, 10, 1), (9, 5, 6, 9)";
    assert_eq!(
        of("intervals.overlap", intervals, &sql),
        ["1 1 0 10", "1 2 10 10", "1 3 20 20", "1 4 40 10", "1 1 50 50", "9 9 5 6"]
    );
    // Only what lies in a root of the same kind counts.
    let sql = "SELECT id, parent_id, ts, dur, root_id, k \
        FROM _intervals_merge_root_and_children_by_intersection!( \
        (SELECT * FROM t WHERE id = 1), (SELECT *, NULL AS parent_id FROM t WHERE id > 1), k)";
    let intervals = "(1, 0, 10, 'a'), (2, 5, 10, 'a'), (3, 5, 2, 'b')";
    assert_eq!(of("intervals.overlap", intervals, sql), ["2 1 5 5 1 a"]);
}

/// Buckets of 5 from 100 on. `a` has most of the first one, `b` of the three after it, and nothing
/// is in the one from 120 on. From 125 on, `a` has more than `b` again. The other partition has one
/// interval without a duration.
#[test]
fn groups_that_dominate_buckets() {
    let intervals = "(1, 100, 7, 'a'), (2, 107, 3, 'b'), (3, 112, 5, 'b'), (5, 130, 3, 'b'), \
        (6, 133, 2, 'a'), (7, 128, 9, 'a'), (10, 150, 0, 'c')";
    let tables = "CREATE PERFETTO TABLE s AS SELECT id, ts, dur, k AS group_hash, id / 10 AS p \
        FROM t; CREATE PERFETTO TABLE b AS SELECT * FROM _mipmap_buckets_table!(s, p, 5);";
    let rows = |sql: &str| of("intervals.mipmap", intervals, &format!("{tables} {sql}"));
    let sql = "SELECT id, p, bucket_index, ts, dur FROM b WHERE bucket_index IN (0, 7) ORDER BY id";
    assert_eq!(rows(sql), ["1 0 0 100 5", "8 0 7 135 5", "9 1 0 150 5"]);
    let sql = "SELECT p, id, ts, dur, group_hash FROM _mipmap_merged!(s, b, p, 5) ORDER BY ts";
    assert_eq!(rows(sql), ["0 1 100 5 a", "0 2 105 15 b", "0 6 125 15 a", "1 10 150 5 c"]);
}
