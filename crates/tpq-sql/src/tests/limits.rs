//! Limits below joins and sorts: they take the first rows of a table, whatever is done with these.

use std::sync::Arc;

use super::{rows, session, trace};
use crate::{Session, SessionOptions};

/// The sessions that cut a scan into two parts, and into none.
fn sessions() -> [Session; 2] {
    let options = SessionOptions { threads: Some(1), ..SessionOptions::default() };
    [session(), Session::new(Arc::new(trace()), &options).unwrap()]
}

/// The values of a column of integers, one after the other.
async fn values(session: &Session, sql: &str) -> Vec<i64> {
    let table = rows(session, sql).await.unwrap();
    let cells = table.lines().map(|line| line.trim_matches(['|', ' ']));
    cells.filter_map(|cell| cell.parse().ok()).collect()
}

#[tokio::test]
async fn rows_of_a_limit_are_sorted_after_it() {
    for session in sessions() {
        for (sql, expected) in [
            ("SELECT id FROM (SELECT id, ts FROM sched LIMIT 3) ORDER BY ts DESC", vec![2, 1, 0]),
            ("SELECT id FROM (SELECT id FROM sched LIMIT 3) ORDER BY id DESC LIMIT 2", vec![2, 1]),
            // The rows of the second thread have odd ids.
            (
                "SELECT id FROM (SELECT id FROM sched WHERE utid IN (1, 7) LIMIT 3) \
                 ORDER BY id DESC",
                vec![5, 3, 1],
            ),
            // The last digit of an id is the duration.
            (
                "SELECT id FROM (SELECT id, dur FROM sched WHERE dur > 5 LIMIT 10) \
                 ORDER BY dur DESC, id DESC LIMIT 2",
                vec![19, 9],
            ),
            (
                "SELECT id FROM (SELECT id, dur FROM sched WHERE dur > 5 LIMIT 10) \
                 ORDER BY dur DESC, id DESC",
                vec![19, 9, 18, 8, 27, 17, 7, 26, 16, 6],
            ),
            (
                "SELECT id FROM (SELECT s.id FROM sched s JOIN thread t USING (utid) LIMIT 3) \
                 ORDER BY id DESC",
                vec![2, 1, 0],
            ),
            (
                "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id DESC) AS r FROM \
                 (SELECT id FROM sched LIMIT 3)) ORDER BY r",
                vec![2, 1, 0],
            ),
            (
                "SELECT id FROM (SELECT id FROM sched LIMIT 3 OFFSET 2) ORDER BY id DESC",
                vec![4, 3, 2],
            ),
            ("SELECT max(id) FROM (SELECT id FROM sched WHERE dur > 5 LIMIT 10)", vec![27]),
        ] {
            assert_eq!(values(&session, sql).await, expected, "{sql}");
        }
    }
}

#[tokio::test]
async fn keys_of_a_join_do_not_choose_the_rows_of_a_limit() {
    let joined = |condition: &str, id: i64| {
        format!(
            "SELECT count(*) FROM (SELECT id FROM sched {condition} LIMIT 10) s JOIN \
             (SELECT max(id) - max(id) + {id} AS id FROM sched) t ON t.id = s.id"
        )
    };
    for session in sessions() {
        // The first row of another chunk, and one of the first ten.
        assert_eq!(values(&session, &joined("", 131_072)).await, [0]);
        assert_eq!(values(&session, &joined("", 9)).await, [1]);
        // The first ten are 6 to 9, 16 to 19, 26 and 27.
        assert_eq!(values(&session, &joined("WHERE dur > 5", 131_076)).await, [0]);
        assert_eq!(values(&session, &joined("WHERE dur > 5", 26)).await, [1]);
        assert_eq!(values(&session, &joined("WHERE dur > 5", 28)).await, [0]);
    }
}
