//! What operators hold counts against the limit, and sorts end within it.

use std::sync::Arc;

use super::{rows, trace};
use crate::{Session, SessionOptions, SqlErrorKind};

fn session(memory_limit: u64) -> Session {
    let memory_limit = Some(memory_limit);
    let options = SessionOptions { memory_limit, threads: Some(2), ..SessionOptions::default() };
    Session::new(Arc::new(trace()), &options).unwrap()
}

/// Each of two threads sorts several times what it may hold. Whether both find room for a merge is
/// no matter of chance.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sorts_on_several_threads_leave_room_for_their_merges() {
    let session = session(16 << 20);
    let numbers = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 4)";
    let sorted = "SELECT sched_slice.ts, dur, n, end_state, priority FROM sched_slice, n \
                  ORDER BY dur * n % 7, end_state, ts DESC, n";
    let sql =
        format!("{numbers} SELECT count(*) AS rows, max(n) AS n FROM ({sorted} LIMIT 500000)");
    for _ in 0..3 {
        let text = rows(&session, &sql).await.unwrap();
        assert!(text.contains("500000"), "{text}");
    }
}

/// A window over whole partitions holds all of its rows.
#[tokio::test]
async fn windows_count_their_rows() {
    let windowed = "SELECT max(s) AS s FROM (SELECT sum(dur) OVER (PARTITION BY utid) AS s \
                    FROM sched_slice)";
    let error = rows(&session(4 << 20), windowed).await.unwrap_err();
    assert_eq!(error.kind(), SqlErrorKind::OutOfMemory, "{}", error.report());
    assert!(error.report().contains("a window function asked for"), "{}", error.report());
    // What one statement held is there for the next.
    let session = session(64 << 20);
    for _ in 0..10 {
        assert!(rows(&session, windowed).await.is_ok());
    }
}

/// A subquery that is run for each row holds its result.
#[tokio::test]
async fn subqueries_for_rows_count_their_rows() {
    let sql = "SELECT count(*) AS n FROM thread, LATERAL (SELECT ts, dur, thread.utid AS u \
               FROM sched_slice WHERE sched_slice.utid >= thread.utid LIMIT 100000)";
    let error = rows(&session(1 << 20), sql).await.unwrap_err();
    assert_eq!(error.kind(), SqlErrorKind::OutOfMemory, "{}", error.report());
    assert!(error.report().contains("a subquery asked for"), "{}", error.report());
    assert!(rows(&session(64 << 20), sql).await.is_ok());
}
