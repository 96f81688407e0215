//! Filters on text that scans apply: the same rows as filters above the scans give.

use std::sync::Arc;

use tpq_tables::table::*;
use tpq_tables::{StringId, Tables};

use super::{SCHED_ROWS, rows};
use crate::{Session, SessionOptions};

/// Slices with names that occur in some chunks only, and without names.
fn session() -> Session {
    let mut tables = Tables::default();
    for row in 0..SCHED_ROWS {
        let name = match row % 5 {
            4 => StringId::NULL,
            _ => tables.strings.intern(&format!("Name {}", row / 700)),
        };
        let (ts, dur) = (1_000 + row, row % 10);
        tables.slice.push(SliceRow { ts, dur, name, ..SliceRow::default() });
    }
    tables.trace_bounds.push(TraceBoundsRow { start_ts: 1_000, end_ts: 1_501_000 });
    let options = SessionOptions { threads: Some(2), ..SessionOptions::default() };
    Session::new(Arc::new(tables.finish()), &options).unwrap()
}

#[tokio::test]
async fn rows_are_those_of_a_filter_above_the_scan() {
    let session = session();
    let filters = ["LIKE 'nAme 1%'", "NOT LIKE '%9%'", "GLOB '*2'", "IN ('Name 3', 'Name 170')"];
    for filter in filters {
        for rest in ["", "AND id > 120000", "AND dur = 3", "AND ts IN (1003, 130000) OR id = 7"] {
            let sums = "SELECT count(*), sum(id), count(name), max(name) FROM slice";
            let of = |name: &str| format!("{sums} WHERE {name} {filter} {rest}");
            let found = rows(&session, &of("name")).await.unwrap();
            let expected = rows(&session, &of("(name || '')")).await.unwrap();
            assert_eq!(found, expected, "{filter} {rest}");
        }
        for order in ["id", "id DESC", "ts DESC, id DESC"] {
            let of = |name: &str| {
                format!("SELECT id, name FROM slice WHERE {name} {filter} ORDER BY {order} LIMIT 9")
            };
            let found = rows(&session, &of("name")).await.unwrap();
            let expected = rows(&session, &of("(name || '')")).await.unwrap();
            assert_eq!(found, expected, "{filter} {order}");
        }
    }
}

#[tokio::test]
async fn a_column_that_only_the_filter_reads_is_not_given() {
    let session = session();
    let sql = "SELECT count(*) AS n FROM slice WHERE name LIKE 'name 1'";
    let explained = rows(&session, &format!("EXPLAIN {sql}")).await.unwrap();
    assert!(!explained.contains("ProjectionExec: expr=[]"), "{explained}");
    // Of 700 rows, each fifth is without a name.
    let found = rows(&session, sql).await.unwrap();
    assert!(found.contains("| 560 |"), "{found}");
}

#[tokio::test]
async fn a_text_is_found_in_letters_of_both_cases() {
    let mut tables = Tables::default();
    // The long s and the sign of Kelvin are letters of another case to s and k.
    let texts = ["task", "TASK 1", "a multiTask", "tas k", "", "ta\u{17f}\u{212a}", "\u{dc} tAsk"];
    let names = texts.map(|text| tables.strings.intern(text));
    for name in names.into_iter().chain([StringId::NULL, names[0]]) {
        tables.slice.push(SliceRow { name, ..SliceRow::default() });
    }
    let session = Session::new(Arc::new(tables.finish()), &SessionOptions::default()).unwrap();
    let of = |name: &str, filter: &str| {
        format!("SELECT group_concat(id) FROM slice WHERE {name} {filter}")
    };
    for filter in ["LIKE '%task%'", "LIKE '%TaSk%'", "LIKE '% %'", "LIKE '%a%k%'", "LIKE '%%'"] {
        for filter in [filter.to_owned(), format!("NOT {filter}")] {
            let found = rows(&session, &of("name", &filter)).await.unwrap();
            let expected = rows(&session, &of("(name || '')", &filter)).await.unwrap();
            assert_eq!(found, expected, "{filter}");
        }
    }
    let found = rows(&session, &of("name", "LIKE '%task%'")).await.unwrap();
    assert!(found.contains("| 0,1,2,"), "{found}");
}
