//! Sums of the rows of a table function, below a join with a table that adds columns.

use super::plans::plan;
use super::{rows, session};

/// Half of the 150,000 rows of `sched`, 10 ns apart, start in one of the first three buckets.
const BUCKETS: &str = "
    CREATE TABLE buckets (id INTEGER PRIMARY KEY, ts INTEGER, dur INTEGER);
    INSERT INTO buckets (id, ts, dur) VALUES
    (0, 1000, 250000), (1, 251000, 250000), (2, 501000, 250000), (3, 9000000, 10);
    CREATE TABLE other (id INTEGER, ts INTEGER, dur INTEGER);
    INSERT INTO other (id, ts, dur) VALUES (0, 1, 2), (0, 3, 4), (1, 5, 6);";

const INTERSECTION: &str = "
    (SELECT c0 AS dur, c1 AS id_1 FROM __intrinsic_table_ptr(__intrinsic_interval_intersect(
      (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM sched),
      (SELECT __intrinsic_interval_tree_intervals_agg(id, ts, dur) FROM buckets), '()'))
     WHERE __intrinsic_table_ptr_bind(c0, 'dur') AND __intrinsic_table_ptr_bind(c1, 'id_1')) ii";

/// The rows of a bucket have durations from 0 to 9 ns, again and again: 25,000 of them have 112,500.
const SUMS: &str = "SELECT id_1, sum(ii.dur) AS total, count(*) AS n, b.ts, b.dur AS width";

fn in_buckets(select: &str, by: &str) -> String {
    format!("{BUCKETS} {select} FROM {INTERSECTION} JOIN {by} GROUP BY id_1 ORDER BY id_1")
}

/// Whether the sums of a statement are below its join.
async fn is_early(select: &str, by: &str) -> bool {
    let plan = plan(&in_buckets(&format!("EXPLAIN {select}"), by)).await;
    let below = plan.find("HashJoinExec").and_then(|join| plan.get(join..));
    let below = below.unwrap_or_else(|| panic!("no join in {plan}"));
    let called = below.find("TableCallExec").unwrap_or_else(|| panic!("no call in {plan}"));
    below.get(..called).is_some_and(|between| between.contains("AggregateExec"))
}

#[tokio::test]
async fn sums_have_the_columns_of_their_bucket() {
    let by = "buckets b ON id_1 = b.id";
    let found = rows(&session(), &in_buckets(SUMS, by)).await.unwrap();
    let lines: Vec<&str> = found.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    let expected = [
        "0 112500 25000 1000 250000",
        "1 112500 25000 251000 250000",
        "2 112500 25000 501000 250000",
    ];
    let words =
        |line: &&str| line.replace('|', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(lines.iter().map(words).collect::<Vec<_>>(), expected, "{found}");
    assert!(is_early(SUMS, by).await);
    assert!(is_early(SUMS, "buckets b ON b.id = id_1").await);
}

#[tokio::test]
async fn a_group_without_a_partner_has_no_row() {
    let sql = in_buckets(SUMS, "(SELECT * FROM buckets WHERE id % 2 = 0) b ON id_1 = b.id");
    let found = rows(&session(), &sql).await.unwrap();
    assert!(found.contains("| 0 ") && !found.contains("| 1 ") && found.contains("| 2 "), "{found}");
}

#[tokio::test]
async fn other_sums_stay_above_the_join() {
    let by = "buckets b ON id_1 = b.id";
    // A key that is there twice, values of both sides, and a list in the order of the rows.
    assert!(!is_early("SELECT id_1, sum(ii.dur) AS total", "other b ON id_1 = b.id").await);
    assert!(!is_early("SELECT id_1, sum(ii.dur + b.ts) AS total", by).await);
    assert!(!is_early("SELECT id_1, group_concat(ii.dur) AS list", by).await);
    assert!(!is_early("SELECT id_1, sum(ii.dur) AS total, max(b.ts) AS ts", by).await);
    let sql = in_buckets("SELECT id_1, sum(ii.dur) AS total", "other b ON id_1 = b.id");
    let found = rows(&session(), &sql).await.unwrap();
    // Bucket 0 has two partners.
    assert!(found.contains("225000") && found.contains("112500"), "{found}");
}

#[tokio::test]
async fn only_sums_that_are_read_are_in_range() {
    let of_values = |values: &str| {
        format!(
            "CREATE TABLE named (id INTEGER PRIMARY KEY, name TEXT);
             INSERT INTO named (id, name) VALUES (1, 'one'), (2, 'two');
             SELECT j.value, sum(CASE WHEN j.value = 2 THEN 7 ELSE 9223372036854775807 END) AS s, \
             n.name FROM json_each('{values}') j JOIN named n ON j.value = n.id GROUP BY j.value"
        )
    };
    // The rows of 40 have no partner.
    let found = rows(&session(), &of_values("[2, 40, 40, 2]")).await.unwrap();
    assert!(found.contains("| 2     | 14 | two  |") && !found.contains("40"), "{found}");
    let plan = plan(&of_values("[2, 40, 40, 2]").replace("SELECT j", "EXPLAIN SELECT j")).await;
    assert!(plan.contains("__sum_in_range"), "{plan}");
    let error = rows(&session(), &of_values("[2, 1, 1, 2]")).await.unwrap_err();
    assert!(error.to_string().contains("integer overflow in sum()"), "{error}");
}
