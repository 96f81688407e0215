//! Flamegraphs of a few frames, worked out by hand.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringViewArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::Result;
use datafusion::logical_expr::lit;

use super::config::{Config, literal_config};
use super::{Flamegraph, NAME};
use crate::functions::flamegraph::frames::Frames;
use crate::functions::reserved::Reserved;

/// A frame: id, caller, name, samples that end in it, mapping.
type Frame = (i64, Option<i64>, &'static str, i64, &'static str);

/// ```text
/// main(1) 1 ─┬─ read(2) 2 ─── alloc(3) 4
///            ├─ alloc(4) 8 ── read(5) 16 ── alloc(6) 32
///            └─ read(7) 64
/// idle(8) 0
/// ```
const FRAMES: [Frame; 8] = [
    (1, None, "main", 1, "app"),
    (2, Some(1), "read", 2, "libc"),
    (3, Some(2), "alloc", 4, "libc"),
    (4, Some(1), "alloc", 8, "libc"),
    (5, Some(4), "read", 16, "app"),
    (6, Some(5), "alloc", 32, "libc"),
    (7, Some(1), "read", 64, "app"),
    (8, None, "idle", 0, "app"),
];

fn flamegraph(frames: &[Frame]) -> Result<Flamegraph> {
    let integers = |values: Vec<Option<i64>>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
    let texts = |values: Vec<&str>| -> ArrayRef { Arc::new(StringViewArray::from(values)) };
    let batch = RecordBatch::try_from_iter([
        ("id", integers(frames.iter().map(|frame| Some(frame.0)).collect())),
        ("parent_id", integers(frames.iter().map(|frame| frame.1).collect())),
        ("name", texts(frames.iter().map(|frame| frame.2).collect())),
        ("value", integers(frames.iter().map(|frame| Some(frame.3)).collect())),
        ("mapping", texts(frames.iter().map(|frame| frame.4).collect())),
    ])?;
    let memory = Reserved::default();
    let frames = Frames::read(NAME, &batch.schema(), &[batch], &memory)?;
    Ok(Flamegraph { frames, memory })
}

/// The flamegraph of [`FRAMES`] with a configuration after `value`.
fn drawn(config: &[&str]) -> RecordBatch {
    let texts: Vec<_> = ["value", "value"].iter().chain(config).map(|text| lit(*text)).collect();
    let config = literal_config(&texts).expect("the arguments are literals");
    let config = Config::parse(&config).expect("the configuration is right");
    let flamegraph = flamegraph(&FRAMES).expect("the frames are a forest");
    flamegraph.draw(&config, &Reserved::default()).expect("the sums are small")
}

/// The boxes: depth, name, own samples, all samples, and the start.
fn boxes(config: &[&str]) -> Vec<String> {
    let rows = drawn(config);
    let names = ["depth", "name", "self_value", "cumulative_value", "x_start"];
    let cell = |row: usize, name: &str| {
        let column = rows.column_by_name(name).expect("the column exists");
        array_value_to_string(column, row).expect("the value can be shown")
    };
    let line = |row| names.map(|name| cell(row, name)).join(" ");
    (0..rows.num_rows()).map(line).collect()
}

#[test]
fn frames_with_the_same_callers_are_merged() {
    // Both reads that main calls are one box, of 2 + 4 + 64. idle has no samples.
    let expected = [
        "1 main 1 127 0",
        "2 read 66 70 0",
        "2 alloc 8 56 70",
        "3 alloc 4 4 0",
        "3 read 16 48 70",
        "4 alloc 32 32 70",
    ];
    assert_eq!(boxes(&["view", "TOP_DOWN"]), expected);
    let rows = drawn(&[]);
    let column = |name| {
        let column = rows.column_by_name(name).expect("the column exists");
        column.as_primitive::<Int64Type>().iter().collect::<Vec<_>>()
    };
    assert_eq!(column("_tree_id"), [1, 2, 3, 4, 5, 6].map(Some));
    let parents = [None, Some(1), Some(1), Some(2), Some(3), Some(5)];
    assert_eq!(column("_tree_parent_id"), parents);
    let of_parents = [None, Some(127), Some(127), Some(70), Some(56), Some(48)];
    assert_eq!(column("parent_cumulative_value"), of_parents);
    assert_eq!(column("x_end"), [127, 70, 126, 4, 118, 102].map(Some));
}

#[test]
fn callers_hang_from_the_frames_that_samples_end_in() {
    // Samples that end in read: 2 + 16 + 64. Of these, main calls it for 66, alloc for 16.
    let expected = [
        "-1 read 82 82 0",
        "-1 alloc 44 44 82",
        "-1 main 1 1 126",
        "-2 main 0 66 0",
        "-2 alloc 0 16 66",
        "-2 read 0 36 82",
        "-2 main 0 8 118",
        "-3 main 0 16 66",
        "-3 alloc 0 32 82",
        "-3 main 0 4 114",
        "-4 main 0 32 82",
    ];
    assert_eq!(boxes(&["view", "BOTTOM_UP"]), expected);
}

#[test]
fn a_view_can_begin_with_frames() {
    // The outermost alloc frames are 3 and 4; 6 lies in 4.
    let expected = ["1 alloc 12 60 0", "2 read 16 48 0", "3 alloc 32 32 0"];
    assert_eq!(boxes(&["view", "FROM_FRAME", "view_pattern", "^ALLOC$", "i"]), expected);
    assert!(boxes(&["view", "FROM_FRAME", "view_pattern", "^ALLOC$", ""]).is_empty());
}

#[test]
fn a_pivot_shows_callers_too() {
    // Frame 3 with 4 samples is called by read and main, frame 4 with 56 by main alone.
    let expected = [
        "1 alloc 12 60 0",
        "-1 alloc 12 60 0",
        "2 read 16 48 0",
        "-2 main 0 56 0",
        "-2 read 0 4 56",
        "3 alloc 32 32 0",
        "-3 main 0 4 56",
    ];
    assert_eq!(boxes(&["view", "PIVOT", "view_pattern", "alloc", ""]), expected);
}

#[test]
fn filters_keep_and_drop_samples() {
    // Samples with a frame read: 2, 4, 16, 32 and 64.
    let expected = [
        "1 main 0 118 0",
        "2 read 66 70 0",
        "2 alloc 0 48 70",
        "3 alloc 4 4 0",
        "3 read 16 48 70",
        "4 alloc 32 32 70",
    ];
    assert_eq!(boxes(&["filter", "SHOW_STACK", "read", ""]), expected);
    // And with a frame alloc: 4, 16 and 32.
    let expected = [
        "1 main 0 52 0",
        "2 alloc 0 48 0",
        "2 read 0 4 48",
        "3 read 16 48 0",
        "3 alloc 4 4 48",
        "4 alloc 32 32 0",
    ];
    let both = ["filter", "SHOW_STACK", "read", "", "filter", "SHOW_STACK", "alloc", ""];
    assert_eq!(boxes(&both), expected);
    // Without a frame alloc: 1, 2 and 64.
    let expected = ["1 main 1 67 0", "2 read 66 66 0"];
    assert_eq!(boxes(&["filter", "HIDE_STACK", "alloc", ""]), expected);
}

#[test]
fn samples_of_hidden_frames_are_those_of_their_callers() {
    // main has 1 + 2 + 64; the alloc frames 3 and 4 are merged, with the 16 of read.
    let expected = ["1 main 67 127 0", "2 alloc 28 60 0", "3 alloc 32 32 0"];
    assert_eq!(boxes(&["filter", "HIDE_FRAME", "read", ""]), expected);
    // Samples of main have no caller. Filters of stacks see hidden frames.
    let expected = [
        "1 read 66 70 0",
        "1 alloc 8 56 70",
        "2 alloc 4 4 0",
        "2 read 16 48 70",
        "3 alloc 32 32 70",
    ];
    let hidden = ["filter", "HIDE_FRAME", "main", "", "filter", "SHOW_STACK", "main", ""];
    assert_eq!(boxes(&hidden), expected);
}

#[test]
fn frames_of_different_groups_stay_apart() {
    // Of the frames read that main calls, 2 is in libc and 7 in app.
    let config = [
        "grouping",
        "mapping",
        "aggregate",
        "SUM",
        "value",
        "sum",
        "aggregate",
        "CONCAT_WITH_COMMA",
        "mapping",
        "all",
    ];
    let rows = drawn(&config);
    let texts = |name| {
        let column = rows.column_by_name(name).expect("the column exists");
        column.as_string_view().iter().flatten().collect::<Vec<_>>()
    };
    assert_eq!(texts("name"), ["main", "read", "alloc", "read", "read", "alloc", "alloc"]);
    assert_eq!(texts("mapping"), ["app", "app", "libc", "libc", "app", "libc", "libc"]);
    assert_eq!(texts("all"), texts("mapping"));
    let sums = rows.column_by_name("sum").expect("the column exists");
    assert_eq!(sums.as_primitive::<Int64Type>().values(), &[1, 64, 8, 2, 16, 4, 32]);
}

#[test]
fn the_super_root_holds_all_roots() {
    assert_eq!(boxes(&["find", "SUPER_ROOT"]), ["0  0 127 0"]);
    let pattern = ["view", "PIVOT", "view_pattern", "alloc", "", "find", "SUPER_ROOT"];
    assert_eq!(boxes(&pattern), ["0  0 60 0"]);
    let nothing = ["filter", "HIDE_STACK", "", "", "find", "SUPER_ROOT", "view", "BOTTOM_UP"];
    assert_eq!(boxes(&nothing), ["0  0 0 0"]);
}

#[test]
fn frames_must_be_a_forest() {
    let error = |frames: &[Frame]| flamegraph(frames).map(|_| ()).expect_err("wrong").to_string();
    let cycle = [(1, Some(2), "a", 1, ""), (2, Some(1), "b", 1, "")];
    assert!(error(&cycle).contains("some frames are their own callers"));
    let twice = [(1, None, "a", 1, ""), (1, None, "b", 1, "")];
    assert!(error(&twice).contains("two frames have the id 1"));
}
