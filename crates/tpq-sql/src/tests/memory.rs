//! Statements that would take more memory than they may.

use std::sync::Arc;

use super::{rows, trace};
use crate::{Session, SessionOptions, SqlErrorKind};

fn session(memory_limit: Option<u64>) -> Session {
    let options = SessionOptions { memory_limit, threads: Some(2), ..SessionOptions::default() };
    Session::new(Arc::new(trace()), &options).unwrap()
}

async fn error(session: &Session, sql: &str) -> (SqlErrorKind, String) {
    let error = rows(session, sql).await.unwrap_err();
    (error.kind(), error.report())
}

#[tokio::test]
async fn no_function_makes_a_value_of_more_than_a_billion_bytes() {
    let session = session(None);
    for call in [
        "zeroblob(2000000000)",
        "printf('%2000000000d', 1)",
        "printf('%.*f', 2000000000, 1.5)",
        "printf('%.2000000000c', 'x')",
        "printf('%.9999999999999999999d')",
        "printf('%.*d', 1000000000000000000)",
        "repeat('ab', 1000000000)",
        "repeat('ab', 9223372036854775807)",
        "lpad('a', 2000000000)",
        "rpad('a', 9223372036854775807, 'xyz')",
        "replace(zeroblob(100000), x'00', zeroblob(100000))",
        "replace(repeat('a', 100000), 'a', repeat('b', 100000))",
        "regexp_replace(repeat('a', 100000), 'a', repeat('b', 100000), 'g')",
        "regexp_replace(repeat('A', 100000), 'a', repeat('b', 100000), 'gi')",
        "regexp_replace_simple(repeat('a', 100000), 'a', repeat('b', 100000))",
        "array_repeat(1, 10000000000)",
        "range(1, 10000000000)",
        "range(to_timestamp(0), to_timestamp(4000000000), INTERVAL '1 millisecond')",
        "array_resize(make_array(1), 10000000000, 0)",
    ] {
        let (kind, report) = error(&session, &format!("SELECT {call} AS x")).await;
        assert_eq!(kind, SqlErrorKind::Execution, "{call}: {report}");
        assert!(report.contains("1000000000 bytes"), "{call}: {report}");
    }
    // For the rows of a batch, not for each row.
    let sql = "SELECT max(length(repeat('x', ts % 3 + 1000000))) AS x FROM sched_slice";
    let (_, report) = error(&session, sql).await;
    assert!(report.contains("one batch of rows"), "{report}");
}

#[tokio::test]
async fn a_value_may_have_a_part_of_the_limit() {
    let session = session(Some(64 << 20));
    let sql = "WITH RECURSIVE t(s) AS (SELECT 'x' UNION ALL SELECT s || s FROM t) \
               SELECT max(length(s)) FROM t";
    let (kind, report) = error(&session, sql).await;
    assert_eq!(kind, SqlErrorKind::OutOfMemory, "{report}");
    assert!(report.contains("concat() makes a value"), "{report}");
    for call in ["hex(zeroblob(10000000))", "quote(zeroblob(10000000))", "zeroblob(20000000)"] {
        let (kind, report) = error(&session, &format!("SELECT {call} AS x")).await;
        assert_eq!(kind, SqlErrorKind::OutOfMemory, "{call}: {report}");
    }
    assert!(rows(&session, "SELECT length(zeroblob(10000000)) AS x").await.is_ok());
}

#[tokio::test]
async fn kept_tables_count_against_the_limit_until_they_are_dropped() {
    let session = session(Some(64 << 20));
    let large = "CREATE TABLE large AS SELECT a.ts, b.dur FROM sched_slice a, sched_slice b";
    let (kind, report) = error(&session, &format!("{large}; SELECT 1")).await;
    assert_eq!(kind, SqlErrorKind::OutOfMemory, "{report}");
    assert!(report.contains("keeping the rows of `large`"), "{report}");
    // Each has 150,000 rows of 3 columns, which is 3.6 MB.
    let keep = |at: usize| {
        format!("CREATE TABLE kept{at} AS SELECT ts, dur, id FROM sched_slice; SELECT 1")
    };
    let mut kept = 0;
    while rows(&session, &keep(kept)).await.is_ok() {
        kept += 1;
        assert!(kept < 30, "{kept} tables are more than the limit has room for");
    }
    assert!(kept >= 5, "{kept} tables are fewer than the limit has room for");
    assert!(rows(&session, "DROP TABLE kept0; DROP TABLE kept1; SELECT 1").await.is_ok());
    assert!(rows(&session, &keep(kept)).await.is_ok());
}

#[tokio::test]
async fn a_table_larger_than_half_of_the_limit_takes_more_rows() {
    let session = session(Some(64 << 20));
    let rows_of = "SELECT ts, dur, id FROM sched_slice";
    // Each time 3.6 MB more: 43 MB in all.
    let mut sql = format!("CREATE TABLE t AS {rows_of};");
    sql.push_str(&format!("INSERT INTO t {rows_of};").repeat(11));
    sql.push_str("INSERT INTO t VALUES (1, 2, 3); SELECT count(*) AS n FROM t");
    let table = rows(&session, &sql).await.unwrap();
    assert!(table.contains("1800001"), "{table}");
}

#[tokio::test]
async fn a_long_constant_is_there_once_for_all_rows() {
    let session = session(None);
    let text = "x".repeat(300_000);
    let blob = "00".repeat(300_000);
    for value in
        ["zeroblob(300000)", "printf('%300000d', 1)", &format!("'{text}'"), &format!("x'{blob}'")]
    {
        let sql = format!("SELECT {value} AS long FROM sched_slice");
        let batches = session.query(&sql).await.unwrap().collect().await.unwrap();
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 150_000);
        let largest = batches.iter().map(|batch| batch.get_array_memory_size()).max().unwrap();
        assert!(largest < 2_000_000, "{largest} bytes for {}", &value[..12]);
    }
}

#[tokio::test]
async fn a_plan_holds_no_long_values() {
    let session = session(None);
    for (call, length) in [
        ("zeroblob(100000)", "100000"),
        ("repeat('a', 100000)", "100000"),
        ("lpad('a', 100000)", "100000"),
        ("hex(zeroblob(100000))", "200000"),
        ("concat(repeat('a', 60000), repeat('b', 60000))", "120000"),
        ("array_to_string(array_repeat('a', 100000), '')", "100000"),
    ] {
        let plan = rows(&session, &format!("EXPLAIN SELECT {call} AS x")).await.unwrap();
        assert!(plan.len() < 20_000, "{call}: {} bytes", plan.len());
        // The value is the same as that of a literal.
        let table = rows(&session, &format!("SELECT length({call}) AS x")).await.unwrap();
        assert!(table.contains(length), "{call}: {table}");
    }
}

#[tokio::test]
async fn texts_are_split_by_parts_of_themselves() {
    let sql = "SELECT count(*) AS n FROM (SELECT string_to_array(s, substr(s, 1, 1)) AS parts \
               FROM (SELECT 'text' || ts AS s FROM sched_slice)) WHERE array_length(parts) > 1";
    let table = rows(&session(None), sql).await.unwrap();
    assert!(table.contains("150000"), "{table}");
}

#[tokio::test]
async fn an_out_of_memory_error_names_the_consumer() {
    let sql = "SELECT count(*) FROM sched_slice a JOIN sched_slice b ON a.ts = b.ts + b.dur";
    let (kind, report) = error(&session(Some(1 << 20)), sql).await;
    assert_eq!(kind, SqlErrorKind::OutOfMemory, "{report}");
    assert!(report.contains("the statement needs more memory than it may use: "), "{report}");
}
