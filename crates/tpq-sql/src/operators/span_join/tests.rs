use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringViewArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::logical_expr::{LogicalPlanBuilder, col};
use datafusion::prelude::{SessionConfig, SessionContext};

use super::side::Segment;
use super::*;
use crate::operators::TraceQueryPlanner;

/// Partition, `ts`, `dur` and what the other column says.
type Span = (Option<i64>, Option<i64>, Option<i64>, String);

fn spans(rows: &[(i64, i64, i64, &str)]) -> Vec<Span> {
    let span = |&(part, ts, dur, label): &(i64, i64, i64, &str)| {
        (Some(part), Some(ts), Some(dur), label.to_owned())
    };
    rows.iter().map(span).collect()
}

fn context(batch_size: usize) -> SessionContext {
    let config = SessionConfig::new().with_batch_size(batch_size).with_target_partitions(2);
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_default_features()
        .with_query_planner(Arc::new(TraceQueryPlanner))
        .build();
    SessionContext::new_with_state(state)
}

/// A table with the columns `ts`, `dur`, `part` and `label`, in this order of rows.
fn table(context: &SessionContext, label: &str, rows: &[Span], partitioned: bool) -> SpanTable {
    let integers = |of: fn(&Span) -> Option<i64>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<Int64Array>())
    };
    let labels: ArrayRef =
        Arc::new(rows.iter().map(|row| Some(&row.3)).collect::<StringViewArray>());
    let mut columns = vec![
        (label, labels, true),
        ("ts", integers(|row| row.1), true),
        ("dur", integers(|row| row.2), true),
    ];
    if partitioned {
        columns.push(("part", integers(|row| row.0), true));
    }
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    let plan = context.read_batch(batch).unwrap().into_unoptimized_plan();
    let partition = partitioned.then(|| "part".to_owned());
    SpanTable { name: format!("table_{label}"), plan, partition }
}

/// The rows of a join, a line each; `-` is NULL.
async fn joined(
    kind: SpanJoinKind,
    (left, left_partitioned): (&[Span], bool),
    (right, right_partitioned): (&[Span], bool),
    batch_size: usize,
) -> Result<Vec<String>> {
    let context = context(batch_size);
    let left = table(&context, "a", left, left_partitioned);
    let right = table(&context, "b", right, right_partitioned);
    let plan = SpanJoin::try_new(left, right, kind)?;
    let batches = context.execute_logical_plan(plan).await?.collect().await?;
    let mut lines = Vec::new();
    for batch in &batches {
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().map(|column| match column.is_null(row) {
                true => "-".to_owned(),
                false => array_value_to_string(column, row).unwrap(),
            });
            lines.push(cells.collect::<Vec<_>>().join(" "));
        }
    }
    Ok(lines)
}

async fn plain(kind: SpanJoinKind, left: &[Span], right: &[Span]) -> Vec<String> {
    joined(kind, (left, false), (right, false), 8192).await.unwrap()
}

#[tokio::test]
async fn pieces_of_two_tables() {
    let left = spans(&[(0, 0, 10, "x"), (0, 10, 10, "y"), (0, 30, 10, "z")]);
    let right = spans(&[(0, 5, 7, "p"), (0, 35, 15, "q")]);
    let inner = plain(SpanJoinKind::Inner, &left, &right).await;
    assert_eq!(inner, ["5 5 x p", "10 2 y p", "35 5 z q"]);
    let outer_left = plain(SpanJoinKind::Left, &left, &right).await;
    let pieces = ["0 5 x -", "5 5 x p", "10 2 y p", "12 8 y -", "30 5 z -", "35 5 z q"];
    assert_eq!(outer_left, pieces);
    let outer = plain(SpanJoinKind::Outer, &left, &right).await;
    assert_eq!(outer, [pieces.as_slice(), &["40 10 - q"]].concat());
}

#[tokio::test]
async fn rows_need_no_order() {
    let left = spans(&[(0, 30, 10, "z"), (0, 0, 10, "x")]);
    let right = spans(&[(0, 35, 15, "q"), (0, 5, 7, "p")]);
    assert_eq!(plain(SpanJoinKind::Inner, &left, &right).await, ["5 5 x p", "35 5 z q"]);
}

#[tokio::test]
async fn a_table_without_rows_covers_nothing() {
    let left = spans(&[(0, 0, 10, "x")]);
    assert_eq!(plain(SpanJoinKind::Inner, &left, &[]).await, [""; 0]);
    assert_eq!(plain(SpanJoinKind::Left, &left, &[]).await, ["0 10 x -"]);
    assert_eq!(plain(SpanJoinKind::Left, &[], &left).await, [""; 0]);
    assert_eq!(plain(SpanJoinKind::Outer, &[], &left).await, ["0 10 - x"]);
}

#[tokio::test]
async fn moments_and_spans_without_end_meet_what_is_there_when_they_begin() {
    let right = spans(&[(0, 0, 10, "p"), (0, 10, 10, "q")]);
    // A moment where one span ends and the next begins is in the next.
    let left = spans(&[(0, 10, 0, "moment")]);
    assert_eq!(plain(SpanJoinKind::Inner, &left, &right).await, ["10 0 moment q"]);
    assert_eq!(plain(SpanJoinKind::Inner, &right, &left).await, ["10 0 q moment"]);
    let left = spans(&[(0, 5, -1, "open")]);
    assert_eq!(plain(SpanJoinKind::Inner, &left, &right).await, ["5 -1 open p"]);
    // Two moments at the same time meet; what is around an open span is not covered by it.
    let moment = spans(&[(0, 5, 0, "m")]);
    assert_eq!(plain(SpanJoinKind::Inner, &moment, &moment).await, ["5 0 m m"]);
    let covered = plain(SpanJoinKind::Left, &right, &left).await;
    assert_eq!(covered, ["0 5 p -", "5 -1 p open", "5 5 p -", "10 10 q -"]);
}

#[tokio::test]
async fn a_table_without_durations_holds_moments() {
    let context = context(8192);
    let rows = spans(&[(0, 5, 3, "m")]);
    let only = |names: &[&str], label| {
        let SpanTable { plan, .. } = table(&context, label, &rows, false);
        let columns = names.iter().map(|name| col(*name));
        let plan = LogicalPlanBuilder::from(plan).project(columns).unwrap().build().unwrap();
        SpanTable { name: format!("table_{label}"), plan, partition: None }
    };
    let spans = table(&context, "b", &spans(&[(0, 0, 10, "p")]), false);
    let plan = SpanJoin::try_new(only(&["ts", "a"], "a"), spans, SpanJoinKind::Inner).unwrap();
    let batches = context.execute_logical_plan(plan).await.unwrap().collect().await.unwrap();
    assert_eq!(batches[0].column(1).as_primitive::<Int64Type>().value(0), 0);
    let neither =
        SpanJoin::try_new(only(&["ts", "a"], "a"), only(&["ts", "b"], "b"), SpanJoinKind::Inner);
    assert_eq!(
        neither.unwrap_err().strip_backtrace(),
        "Error during planning: SPAN_JOIN: neither table_a nor table_b has a column called dur"
    );
}

#[tokio::test]
async fn null_durations_are_moments() {
    let left = [(None, Some(5), None, "m".to_owned())];
    let right = spans(&[(0, 0, 10, "p")]);
    assert_eq!(plain(SpanJoinKind::Inner, &left, &right).await, ["5 0 m p"]);
}

#[tokio::test]
async fn partitions_join_with_their_own() {
    let left = spans(&[(1, 0, 10, "x1"), (2, 0, 10, "x2"), (4, 0, 10, "x4")]);
    let mut right = spans(&[(2, 5, 10, "p2"), (3, 0, 10, "p3"), (4, 20, 5, "p4")]);
    // Rows without partition are in none.
    right.push((None, Some(0), Some(100), "none".to_owned()));
    let join = |kind| joined(kind, (&left, true), (&right, true), 8192);
    assert_eq!(join(SpanJoinKind::Inner).await.unwrap(), ["5 5 2 x2 p2"]);
    let pieces = ["0 10 1 x1 -", "0 5 2 x2 -", "5 5 2 x2 p2", "0 10 4 x4 -"];
    assert_eq!(join(SpanJoinKind::Left).await.unwrap(), pieces);
    let pieces = [
        "0 10 1 x1 -",
        "0 5 2 x2 -",
        "5 5 2 x2 p2",
        "10 5 2 - p2",
        "0 10 3 - p3",
        "0 10 4 x4 -",
        "20 5 4 - p4",
    ];
    assert_eq!(join(SpanJoinKind::Outer).await.unwrap(), pieces);
}

#[tokio::test]
async fn a_table_without_partitions_joins_with_each() {
    let with = spans(&[(1, 0, 10, "x1"), (2, 8, 10, "x2")]);
    let without = spans(&[(0, 5, 5, "p"), (0, 15, 5, "q")]);
    let join = |kind, swap: bool| {
        let (left, right) = ((&with[..], true), (&without[..], false));
        if swap { joined(kind, right, left, 8192) } else { joined(kind, left, right, 8192) }
    };
    let inner = ["5 5 1 x1 p", "8 2 2 x2 p", "15 3 2 x2 q"];
    assert_eq!(join(SpanJoinKind::Inner, false).await.unwrap(), inner);
    assert_eq!(
        join(SpanJoinKind::Inner, true).await.unwrap(),
        ["5 5 1 p x1", "8 2 2 p x2", "15 3 2 q x2"]
    );
    assert_eq!(
        join(SpanJoinKind::Left, false).await.unwrap(),
        ["0 5 1 x1 -", "5 5 1 x1 p", "8 2 2 x2 p", "10 5 2 x2 -", "15 3 2 x2 q"]
    );
    // In each partition there is, all of the other table is covered.
    assert_eq!(
        join(SpanJoinKind::Left, true).await.unwrap(),
        ["5 5 1 p x1", "15 5 1 q -", "5 3 2 p -", "8 2 2 p x2", "15 3 2 q x2", "18 2 2 q -"]
    );
    let empty: &[Span] = &[];
    let none = joined(SpanJoinKind::Left, (&without, false), (empty, true), 8192).await.unwrap();
    assert_eq!(none, [""; 0]);
}

/// The idle thread runs on all CPUs at the same time, so tables of what threads did have such
/// spans. Each is joined while it is the one the sweep is at.
#[tokio::test]
async fn overlapping_spans_of_a_table_come_one_after_the_other() {
    let left = spans(&[(0, 0, 10, "x"), (0, 5, 10, "y")]);
    let right = spans(&[(0, 2, 4, "p"), (0, 12, 1, "q")]);
    for partitioned in [false, true] {
        let (left, right) = ((&left[..], partitioned), (&right[..], partitioned));
        let rows = joined(SpanJoinKind::Inner, left, right, 8192).await.unwrap();
        assert_eq!(rows.len(), 2, "{rows:?}");
    }
    let rows = joined(SpanJoinKind::Left, (&left, false), (&right, true), 8192).await.unwrap();
    assert!(rows.iter().any(|row| row.ends_with("y q")), "{rows:?}");
}

#[tokio::test]
async fn tables_that_cannot_be_joined() {
    let context = context(8192);
    let rows = spans(&[(0, 0, 10, "x")]);
    let message = |left: SpanTable, right: SpanTable| {
        SpanJoin::try_new(left, right, SpanJoinKind::Left).unwrap_err().strip_backtrace()
    };
    let a = table(&context, "a", &rows, true);
    assert_eq!(
        message(a.clone(), a.clone()),
        "Error during planning: SPAN_LEFT_JOIN: table_a and table_a both have a column called a; \
         leave it out of one, or rename it"
    );
    let by_label = SpanTable { partition: Some("b".into()), ..table(&context, "b", &rows, true) };
    assert_eq!(
        message(a.clone(), by_label.clone()),
        "Error during planning: SPAN_LEFT_JOIN: table_a is partitioned by part, table_b by b; \
         use one name for both"
    );
    assert_eq!(
        message(table(&context, "a", &rows, false), by_label),
        "Error during planning: SPAN_LEFT_JOIN: b of table_b must be an integer"
    );
    let missing = SpanTable { partition: Some("cpu".into()), ..a.clone() };
    assert_eq!(
        message(missing, a),
        "Error during planning: SPAN_LEFT_JOIN: table_a is partitioned by cpu, table_a by part; \
         use one name for both"
    );
}

#[tokio::test]
async fn only_the_columns_asked_for_are_read() -> Result<()> {
    let context = context(8192);
    let rows = spans(&[(0, 0, 10, "x")]);
    let left = table(&context, "a", &rows, true);
    let right = table(&context, "b", &rows, true);
    let plan = SpanJoin::try_new(left, right, SpanJoinKind::Inner)?;
    let frame = context.execute_logical_plan(plan).await?.select_columns(&["b", "ts"])?;
    let optimized = frame.clone().into_optimized_plan()?.to_string();
    assert!(optimized.contains("projection=[ts, dur, part]"), "{optimized}");
    let batches = frame.collect().await?;
    assert_eq!(batches[0].column(1).as_primitive::<Int64Type>().value(0), 0);
    assert_eq!(batches[0].num_columns(), 2);
    Ok(())
}

/// The same rows by looking at each pair of segments.
fn naive(
    kind: SpanJoinKind,
    (left, left_partitioned): (&[Span], bool),
    (right, right_partitioned): (&[Span], bool),
) -> Vec<String> {
    let of = |rows: &[Span]| rows.iter().filter_map(|row| row.0).collect::<Vec<_>>();
    let mut partitions: Vec<i64> = match (left_partitioned, right_partitioned) {
        (true, true) => [of(left), of(right)].concat(),
        (true, false) => of(left),
        (false, true) => of(right),
        (false, false) => vec![0],
    };
    partitions.sort_unstable();
    partitions.dedup();
    let any = left_partitioned || right_partitioned;
    let mut lines = Vec::new();
    for partition in partitions {
        let left = segments(left, left_partitioned, partition, kind == SpanJoinKind::Outer);
        let right = segments(right, right_partitioned, partition, kind != SpanJoinKind::Inner);
        for (a, left_label) in &left {
            for (b, right_label) in &right {
                let both = a.is_span() && b.is_span();
                let meet = both && a.start() == b.start()
                    || a.start() >= b.start() && a.start() < b.end()
                    || b.start() >= a.start() && b.start() < a.end();
                if !meet || !a.is_span() && !b.is_span() {
                    continue;
                }
                let ts = a.start().max(b.start());
                let dur = a.counted_end().min(b.counted_end()) - ts;
                let partition = if any { format!(" {partition}") } else { String::new() };
                lines.push(format!("{ts} {dur}{partition} {left_label} {right_label}"));
            }
        }
    }
    lines.sort();
    lines
}

fn segments(
    rows: &[Span],
    partitioned: bool,
    partition: i64,
    gaps: bool,
) -> Vec<(Segment, String)> {
    let mut segments = Vec::new();
    let mut from = i64::MIN;
    for (of, ts, dur, label) in rows {
        if partitioned && *of != Some(partition) {
            continue;
        }
        let (ts, dur) = (ts.unwrap(), dur.unwrap());
        if gaps && from < ts {
            segments.push((Segment::Gap { from, to: ts, last: false }, "-".to_owned()));
        }
        let span = Segment::Span { ts, dur, location: (0, 0) };
        from = span.end();
        segments.push((span, label.clone()));
    }
    if gaps {
        segments.push((Segment::Gap { from, to: i64::MAX, last: true }, "-".to_owned()));
    }
    segments
}

/// Numbers that are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        i64::try_from(self.0 % end).unwrap()
    }
}

/// Moments are at even or at odd times: how often two of the same time meet is left open.
fn any_spans(numbers: &mut Numbers, partitioned: bool, moments_at: i64) -> Vec<Span> {
    let mut rows = Vec::new();
    for partition in 0..if partitioned { 4 } else { 1 } {
        let mut ts = numbers.below(4);
        for _ in 0..numbers.below(7) {
            let dur = match numbers.below(5) {
                0 => 0,
                1 => -1,
                other => other,
            };
            let dur = if dur <= 0 && ts % 2 != moments_at { 1 } else { dur };
            let label = format!("{partition}_{ts}_{}", rows.len());
            rows.push((Some(partition), Some(ts), Some(dur), label));
            // Sometimes the next begins where this one ends, but not two at the same time.
            ts += dur.max(0) + numbers.below(3) + i64::from(dur <= 0);
        }
    }
    rows
}

#[tokio::test]
async fn rows_are_those_of_looking_at_each_pair() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for round in 0..240 {
        let kind = [SpanJoinKind::Inner, SpanJoinKind::Left, SpanJoinKind::Outer][round % 3];
        let (of_left, of_right) = (round / 3 % 2 == 0, round / 6 % 2 == 0);
        let left = any_spans(&mut numbers, of_left, 0);
        let right = any_spans(&mut numbers, of_right, 1);
        let batch_size = [1, 3, 8192][round / 12 % 3];
        let (left, right) = ((&left[..], of_left), (&right[..], of_right));
        let found = joined(kind, left, right, batch_size).await.unwrap();
        let mut sorted = found.clone();
        sorted.sort();
        assert_eq!(sorted, naive(kind, left, right), "{kind:?} {left:?} {right:?}");
        // In the order of partition and time.
        let key = |line: &String| {
            let mut cells = line.split(' ').map(|cell| cell.parse::<i64>().unwrap_or(0));
            let (ts, _, third) = (cells.next(), cells.next(), cells.next());
            (if of_left || of_right { third } else { None }, ts)
        };
        assert!(found.is_sorted_by_key(key), "{found:?}");
    }
}
