//! Aggregation before joins: the same groups as those of the joined rows.

use std::sync::Arc;

use tpq_tables::table::*;
use tpq_tables::{StringId, Tables};

use super::{SCHED_ROWS, rows};
use crate::{Session, SessionOptions};

/// Six threads, of which two have one name and two have none; rows of `sched` of these and of a
/// thread that is not there; slices on the tracks of four threads.
fn session(options: SessionOptions) -> Session {
    let mut tables = Tables::default();
    let texts = ["app", "worker", "", "S", "R"];
    let [app, worker, empty, sleeping, runnable] = texts.map(|text| tables.strings.intern(text));
    tables.process.push(ProcessRow { pid: 100, name: app, ..ProcessRow::default() });
    for (tid, name) in (100..).zip([app, app, StringId::NULL, worker, empty, StringId::NULL]) {
        tables.thread.push(ThreadRow { tid, name, upid: Some(0), ..ThreadRow::default() });
    }
    for row in 0..SCHED_ROWS {
        tables.sched_slice.push(SchedSliceRow {
            ts: 1_000 + row * 10,
            dur: row % 10,
            utid: (row % 7) as u32,
            end_state: [sleeping, runnable, StringId::NULL][row as usize % 3],
            priority: 120,
            ucpu: 0,
        });
    }
    for utid in 0..4 {
        tables.track.push(TrackRow { name: app, utid: Some(utid), ..TrackRow::default() });
    }
    for row in 0..SCHED_ROWS {
        let (ts, dur, track_id) = (1_000 + row * 10, row % 9, (row % 4) as u32);
        tables.slice.push(SliceRow { ts, dur, track_id, name: app, ..SliceRow::default() });
    }
    tables.trace_bounds.push(TraceBoundsRow { start_ts: 1_000, end_ts: 1_501_000 });
    Session::new(Arc::new(tables.finish()), &options).unwrap()
}

fn two_threads() -> Session {
    session(SessionOptions { threads: Some(2), ..SessionOptions::default() })
}

async fn is_early(session: &Session, sql: &str) -> bool {
    rows(session, &format!("EXPLAIN {sql}")).await.unwrap().contains("PartialReduce")
}

/// Rows of `sched` with their threads, joined by `key`.
fn joined(columns: &str, key: &str, rest: &str) -> String {
    format!("SELECT {columns} FROM sched s JOIN thread t ON {key} = t.utid {rest}")
}

/// The same by a key that is computed, so that rows are not grouped before.
async fn compare(session: &Session, columns: &str, rest: &str, expects_early: bool) {
    let [quick, slow] = ["s.utid", "s.utid + 0"].map(|key| joined(columns, key, rest));
    assert!(!is_early(session, &slow).await, "{slow}");
    if expects_early {
        assert!(is_early(session, &quick).await, "{quick}");
    }
    let in_order = |sql: &str| format!("SELECT * FROM ({sql}) ORDER BY 1, 2, 3");
    let found = rows(session, &in_order(&quick)).await.unwrap();
    assert_eq!(found, rows(session, &in_order(&slow)).await.unwrap(), "{quick}");
}

#[tokio::test]
async fn groups_are_those_of_joined_rows() {
    let session = two_threads();
    let functions = [
        "count(*) AS n, sum(s.dur) AS d, min(s.dur) AS a, max(s.dur) AS b",
        "count(s.end_state) AS n, min(s.end_state) AS a, max(s.ts) AS b",
        "count(*) FILTER (WHERE s.dur > 5) AS n, sum(s.dur) FILTER (WHERE s.dur > 6) AS d",
    ];
    let others = [
        "WHERE t.name = 'app'",
        "WHERE t.name IS NULL",
        "WHERE s.dur < -5",
        "WHERE s.utid = 6",
        "WHERE s.utid IN (1, 2) AND t.tid > 101",
        "WHERE s.end_state IS NULL",
    ];
    for group in ["t.name", "t.name, t.tid", "s.utid, t.name"] {
        let grouped = |condition: &str| format!("{condition} GROUP BY {group}");
        for functions in functions {
            let columns = format!("{group}, {functions}");
            for condition in ["", "WHERE s.dur > 3"] {
                compare(&session, &columns, &grouped(condition), true).await;
            }
        }
        let columns = format!("{group}, {}", functions[0]);
        for condition in others {
            compare(&session, &columns, &grouped(condition), false).await;
        }
    }
}

#[tokio::test]
async fn a_thread_without_a_name_is_a_group() {
    let session = two_threads();
    let columns = "t.name, count(*) AS n, sum(s.dur) AS dur";
    let sql = joined(columns, "s.utid", "WHERE s.id < 14 GROUP BY t.name ORDER BY t.name");
    // Two rows of each thread, and two of the one that is not there.
    insta::assert_snapshot!(
        rows(&session, &sql).await.unwrap(),
        @r"
    +--------+---+-----+
    | name   | n | dur |
    +--------+---+-----+
    |        | 4 | 18  |
    |        | 2 | 5   |
    | app    | 4 | 16  |
    | worker | 2 | 3   |
    +--------+---+-----+
    "
    );
}

#[tokio::test]
async fn a_chain_of_joins_is_passed() {
    let session = two_threads();
    let by = |key: &str| {
        format!(
            "SELECT t.name, count(*) AS n, sum(slice.dur) AS d FROM slice JOIN thread_track \
             ON {key} = thread_track.id JOIN thread t USING (utid) GROUP BY t.name ORDER BY 1, 2"
        )
    };
    let (quick, slow) = (by("slice.track_id"), by("slice.track_id + 0"));
    assert!(is_early(&session, &quick).await, "{quick}");
    assert!(!is_early(&session, &slow).await, "{slow}");
    let explained = rows(&session, &format!("EXPLAIN {quick}")).await.unwrap();
    assert!(explained.contains("gby=[track_id]"), "{explained}");
    let found = rows(&session, &quick).await.unwrap();
    assert_eq!(found, rows(&session, &slow).await.unwrap());
    assert!(found.contains("| worker | 37500 |"), "{found}");
}

#[tokio::test]
async fn rows_that_a_join_repeats_count_as_often() {
    let session = two_threads();
    let create =
        "CREATE PERFETTO TABLE marks AS SELECT utid % 3 AS utid, utid % 2 AS mark FROM thread";
    let by = |key: &str| {
        format!(
            "SELECT m.mark, count(*) AS n, sum(s.dur) AS d FROM sched s JOIN marks m \
             ON {key} = m.utid GROUP BY m.mark ORDER BY 1, 2"
        )
    };
    let (quick, slow) = (by("s.utid"), by("s.utid + 0"));
    rows(&session, &format!("{create}; SELECT 1")).await.unwrap();
    assert!(is_early(&session, &quick).await, "{quick}");
    let found = rows(&session, &quick).await.unwrap();
    assert_eq!(found, rows(&session, &slow).await.unwrap());
}

#[tokio::test]
async fn a_sum_of_rows_without_a_partner_does_not_overflow() {
    let session = two_threads();
    // Only the rows of the thread that is not there are too many for a sum.
    let create = "CREATE PERFETTO TABLE huge AS \
                  SELECT utid, CASE utid WHEN 6 THEN 9000000000000000000 ELSE 1 END AS big \
                  FROM sched";
    let sql = "SELECT t.name, sum(h.big) AS s FROM huge h JOIN thread t USING (utid) \
               GROUP BY t.name ORDER BY 1, 2";
    rows(&session, &format!("{create}; SELECT 1")).await.unwrap();
    assert!(!is_early(&session, sql).await);
    // Of 150,000 rows, 21,429 are of each of the first four threads, and 21,428 of the others.
    let found = rows(&session, sql).await.unwrap();
    assert!(found.contains("| app    | 42858 |"), "{found}");
}

#[tokio::test]
async fn other_aggregates_stay_above_their_join() {
    let session = two_threads();
    for (columns, rest) in [
        // The order of rows matters, or each value counts once.
        ("t.name, group_concat(s.dur)", "WHERE s.id < 20 GROUP BY t.name"),
        ("t.name, sum(DISTINCT s.dur), count(DISTINCT s.ts)", "GROUP BY t.name"),
        // What is summed up or tested comes from the small side, or from both.
        ("t.name, sum(t.tid)", "GROUP BY t.name"),
        ("t.name, count(*) FILTER (WHERE s.dur > t.tid)", "GROUP BY t.name"),
        // Groups are no columns of the small side.
        ("s.dur, count(*)", "GROUP BY s.dur"),
        ("t.name, s.ucpu, count(*)", "GROUP BY t.name, s.ucpu"),
        // The condition is one of both sides.
        ("t.name, count(*)", "AND s.dur < t.tid GROUP BY t.name"),
        // An argument may fail.
        ("t.name, sum(s.dur + 1)", "GROUP BY t.name"),
    ] {
        let sql = joined(columns, "s.utid", rest);
        assert!(!is_early(&session, &sql).await, "{sql}");
        rows(&session, &sql).await.unwrap();
    }
    let sql =
        "SELECT t.name, count(*) FROM sched s LEFT JOIN thread t USING (utid) GROUP BY t.name";
    assert!(!is_early(&session, sql).await);
    let sql = joined("t.name, count(*)", "s.utid", "GROUP BY t.name");
    assert!(is_early(&session, &sql).await);
    let options = SessionOptions { threads: Some(2), ..SessionOptions::default() };
    let limited = self::session(SessionOptions { memory_limit: Some(64 << 20), ..options });
    assert!(!is_early(&limited, &sql).await);
}
