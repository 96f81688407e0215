//! Grouping by small integers and string ids: the same groups as DataFusion finds by hashes.

use std::sync::Arc;

use tpq_tables::table::*;
use tpq_tables::{StringId, Tables};

use super::{SCHED_ROWS, rows};
use crate::{Session, SessionOptions};

/// What is computed of each group.
const FUNCTIONS: [&str; 5] = [
    "count(*), sum(dur), min(dur), max(dur)",
    "avg(dur), total(dur), count(category)",
    "count(*) FILTER (WHERE dur > 5), sum(dur) FILTER (WHERE dur > 5)",
    "min(category), max(category), sum(CASE WHEN dur > 3 THEN dur END)",
    "sum(dur * 2) FILTER (WHERE category IS NULL), max(ts) - min(ts)",
];

/// Slices with five names, of which one is NULL, one is empty, and one is long.
fn session(options: SessionOptions) -> Session {
    let mut tables = Tables::default();
    let texts = ["", "a", "b", "a name that is longer than a view holds", "input"];
    let [empty, a, b, long, input] = texts.map(|text| tables.strings.intern(text));
    let names = [a, StringId::NULL, empty, long, b];
    for row in 0..SCHED_ROWS {
        let category = if row % 3 == 0 { StringId::NULL } else { [input, long][row as usize % 2] };
        tables.slice.push(SliceRow {
            ts: 1_000 + row,
            dur: row % 11 - 1,
            name: names[row as usize % 5],
            category,
            parent_id: (row > 0).then_some((row / 2) as u32),
            ..SliceRow::default()
        });
    }
    tables.trace_bounds.push(TraceBoundsRow { start_ts: 1_000, end_ts: 1_501_000 });
    Session::new(Arc::new(tables.finish()), &options).unwrap()
}

fn two_threads() -> Session {
    session(SessionOptions { threads: Some(2), ..SessionOptions::default() })
}

async fn is_dense(session: &Session, sql: &str) -> bool {
    rows(session, &format!("EXPLAIN {sql}")).await.unwrap().contains("DenseAggregateExec")
}

/// Compares the groups of a key with those of an expression of the same values, which are found by
/// hashes.
async fn compare(
    session: &Session,
    functions: &[&str],
    table: &str,
    keys: [&str; 2],
    condition: &str,
) {
    let [key, same] = keys;
    for functions in functions {
        let by = |key: &str| {
            format!("SELECT {key} AS k, {functions} FROM {table} {condition} GROUP BY {key}")
        };
        let (dense, hashed) = (by(key), by(same));
        assert!(is_dense(session, &dense).await, "{dense}");
        assert!(!is_dense(session, &hashed).await, "{hashed}");
        let in_order = |sql: &str| format!("SELECT * FROM ({sql}) ORDER BY k");
        let found = rows(session, &in_order(&dense)).await.unwrap();
        let expected = rows(session, &in_order(&hashed)).await.unwrap();
        assert_eq!(found, expected, "{dense}");
    }
}

#[tokio::test]
async fn groups_of_texts_are_the_same() {
    let session = two_threads();
    let conditions = [
        "",
        "WHERE dur > 3",
        "WHERE dur % 2 = 0 AND id > 100",
        "WHERE name LIKE '%a%'",
        "WHERE name LIKE '%a%' AND dur % 2 = 0",
        "WHERE name IS NULL",
        "WHERE category = 'input'",
        "WHERE dur < -5",
    ];
    for condition in conditions {
        let functions = if condition.is_empty() { &FUNCTIONS[..] } else { &FUNCTIONS[..2] };
        compare(&session, functions, "slice", ["name", "name || ''"], condition).await;
    }
}

#[tokio::test]
async fn text_and_no_text_are_groups() {
    let session = two_threads();
    let sql = "SELECT name, count(*), sum(dur) FROM slice WHERE id < 15 GROUP BY name";
    assert!(is_dense(&session, sql).await);
    // Rows 0 to 14 have lengths of -1 to 9, then -1 to 2.
    insta::assert_snapshot!(
        rows(&session, &format!("{sql} ORDER BY name")).await.unwrap(),
        @r"
    +-----------------------------------------+----------+----------+
    | name                                    | count(*) | sum(dur) |
    +-----------------------------------------+----------+----------+
    |                                         | 3        | 4        |
    |                                         | 3        | 7        |
    | a                                       | 3        | 12       |
    | a name that is longer than a view holds | 3        | 10       |
    | b                                       | 3        | 13       |
    +-----------------------------------------+----------+----------+
    "
    );
}

#[tokio::test]
async fn groups_of_integers_are_the_same() {
    let session = two_threads();
    let create = "CREATE PERFETTO TABLE keyed AS \
                  SELECT nullif(dur, 3) - 2 AS k, dur, ts, category FROM slice";
    rows(&session, &format!("{create}; SELECT 1")).await.unwrap();
    for condition in ["", "WHERE dur > 3", "WHERE k IS NULL", "WHERE dur < -5"] {
        compare(&session, &FUNCTIONS[..3], "keyed", ["k", "k + 0"], condition).await;
    }
    let joined = "(SELECT e.k, e.dur, e.ts, e.category FROM slice s LEFT JOIN keyed e \
                  ON e.ts = s.ts + 10)";
    compare(&session, &FUNCTIONS[..2], joined, ["k", "k + 0"], "").await;
}

#[tokio::test]
async fn distinct_rows_are_groups_without_functions() {
    let session = two_threads();
    let sql = "SELECT DISTINCT name FROM slice";
    assert!(is_dense(&session, sql).await);
    let found = rows(&session, &format!("{sql} ORDER BY name")).await.unwrap();
    let other = "SELECT DISTINCT name || '' AS name FROM slice ORDER BY 1";
    assert_eq!(found, rows(&session, other).await.unwrap());
}

#[tokio::test]
async fn an_overflow_is_an_error() {
    let session = two_threads();
    let sql = "SELECT name, sum(9223372036854775797 + dur) FROM slice GROUP BY name";
    assert!(is_dense(&session, sql).await);
    let error = rows(&session, sql).await.unwrap_err();
    assert!(error.to_string().contains("integer overflow in sum()"), "{error}");
}

#[tokio::test]
async fn other_groups_are_found_by_hashes() {
    let session = two_threads();
    for sql in [
        // The order of rows matters.
        "SELECT name, group_concat(dur) FROM slice WHERE id < 20 GROUP BY name",
        // A state that grows.
        "SELECT name, sum(DISTINCT dur), count(DISTINCT ts) FROM slice GROUP BY name",
        // The text is read.
        "SELECT name, count(name) FROM slice GROUP BY name",
        "SELECT name, count(*) FILTER (WHERE name > 'a') FROM slice GROUP BY name",
        "SELECT name, count(*) FROM slice WHERE length(name) > 1 GROUP BY name",
        // More than one key, a key for each row, and no key.
        "SELECT name, dur, count(*) FROM slice GROUP BY name, dur",
        "SELECT id, sum(dur) FROM slice GROUP BY id",
        "SELECT ts, sum(dur) FROM slice GROUP BY ts",
        "SELECT count(*), sum(dur) FROM slice WHERE dur > 2",
    ] {
        assert!(!is_dense(&session, sql).await, "{sql}");
        rows(&session, sql).await.unwrap();
    }
    let options = SessionOptions { threads: Some(2), ..SessionOptions::default() };
    let limited = super::session();
    let few = "SELECT name, count(*) FROM slice GROUP BY name";
    assert!(!is_dense(&limited, few).await, "a table of three rows");
    let limited = self::session(SessionOptions { memory_limit: Some(64 << 20), ..options });
    assert!(!is_dense(&limited, few).await, "a limit of memory");
}

#[tokio::test]
async fn first_rows_of_a_name_are_found_by_string_ids() {
    let session = two_threads();
    for place in ["row_number()", "rank()"] {
        for condition in ["", "WHERE dur % 2 = 0 AND ts > 4000", "WHERE name LIKE '%a%'"] {
            let of = |key: &str| {
                format!(
                    "SELECT * FROM (SELECT name, dur, ts, {place} OVER (PARTITION BY {key} \
                     ORDER BY dur DESC, ts) AS place FROM slice {condition}) WHERE place <= 3 \
                     ORDER BY name, place, ts"
                )
            };
            let (quick, slow) = (of("name"), of("name || ''"));
            let explained = rows(&session, &format!("EXPLAIN {quick}")).await.unwrap();
            assert!(explained.contains("ids of name"), "{explained}");
            let found = rows(&session, &quick).await.unwrap();
            assert_eq!(found, rows(&session, &slow).await.unwrap(), "{quick}");
        }
    }
}

#[tokio::test]
async fn names_pass_joins_as_string_ids() {
    let session = two_threads();
    let of = |keys: [&str; 2], condition: &str| {
        let [first, second] = keys;
        format!(
            "SELECT {first} AS a, {second} AS b, count(*) AS n, sum(c.dur + p.dur) AS d \
             FROM slice c JOIN slice p ON c.parent_id = p.id {condition} \
             GROUP BY {first}, {second} ORDER BY 1, 2"
        )
    };
    let keys = [
        (["p.name", "c.name"], ["p.name || ''", "c.name || ''"]),
        (["p.category", "c.dur"], ["p.category || ''", "c.dur + 0"]),
        (["c.name", "c.category"], ["c.name || ''", "c.category || ''"]),
    ];
    for condition in ["", "WHERE c.dur > 3 AND p.dur < 8", "WHERE p.name LIKE '%a%'"] {
        for (keys, computed) in keys {
            let (quick, slow) = (of(keys, condition), of(computed, condition));
            let explained = rows(&session, &format!("EXPLAIN {quick}")).await.unwrap();
            assert!(explained.contains("TextsOfIdsExec"), "{explained}");
            let found = rows(&session, &quick).await.unwrap();
            assert_eq!(found, rows(&session, &slow).await.unwrap(), "{quick}");
        }
        let of = |key: &str| {
            format!(
                "SELECT {key} AS a, count(*) AS n, sum(p.dur) AS d FROM slice c JOIN slice p \
                 ON c.parent_id = p.id {condition} GROUP BY {key} ORDER BY 1"
            )
        };
        let quick = of("c.name");
        assert!(is_dense(&session, &quick).await, "{quick}");
        let found = rows(&session, &quick).await.unwrap();
        assert_eq!(found, rows(&session, &of("c.name || ''")).await.unwrap(), "{quick}");
    }
}

#[tokio::test]
async fn names_pass_outer_joins_from_the_side_that_keeps_its_rows() {
    let session = two_threads();
    let own = |key: &str| {
        format!(
            "SELECT {key} AS a, sum(dur - coalesce((SELECT sum(dur) FROM slice c \
             WHERE c.parent_id = s.id), 0)) AS own FROM slice s GROUP BY {key} ORDER BY 1"
        )
    };
    let joined = |key: &str| {
        format!(
            "SELECT {key} AS a, count(*) AS n, sum(c.dur + s.dur) AS d FROM slice s \
             LEFT JOIN slice c ON c.parent_id = s.id AND c.dur > 3 GROUP BY {key} ORDER BY 1"
        )
    };
    let (name, computed) = ("s.name", "s.name || ''");
    for (quick, slow) in [(own(name), own(computed)), (joined(name), joined(computed))] {
        let explained = rows(&session, &format!("EXPLAIN {quick}")).await.unwrap();
        assert!(explained.contains("ids of name"), "{explained}");
        let found = rows(&session, &quick).await.unwrap();
        assert_eq!(found, rows(&session, &slow).await.unwrap(), "{quick}");
    }
    // The name of a child is NULL where there is none.
    let with_nulls = joined("c.name");
    let explained = rows(&session, &format!("EXPLAIN {with_nulls}")).await.unwrap();
    assert!(!explained.contains("ids of name"), "{explained}");
    let found = rows(&session, &with_nulls).await.unwrap();
    assert_eq!(found, rows(&session, &joined("c.name || ''")).await.unwrap());
}
