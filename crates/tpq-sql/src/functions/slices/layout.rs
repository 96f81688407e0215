//! `experimental_slice_layout(track_ids)`: rows for the slices of several tracks that are drawn as
//! one.
//!
//! A slice without parent and all its descendants make a box: as high as they are deep, from the
//! first start to the last end. The highest boxes are placed first, those of one height by time;
//! each at the lowest position where it overlaps no other.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::{Result, exec_err, internal_err};
use rustc_hash::FxHashMap;

use super::index::{Nesting, SliceIndex};
use crate::functions::index_kind::called_rows;
use crate::functions::steps::Steps;
use crate::functions::{CallArgument, CalledRows, TableFunction};

const NAME: &str = "experimental_slice_layout";

static SCHEMA: LazyLock<SchemaRef> = LazyLock::new(|| {
    let fields = ["id", "layout_depth"].map(|name| Field::new(name, DataType::Int64, false));
    Arc::new(Schema::new(fields.to_vec()))
});

/// The table function.
pub(super) struct SliceLayout {
    slices: Arc<SliceIndex>,
}

impl SliceLayout {
    pub(super) fn new(slices: Arc<SliceIndex>) -> Self {
        Self { slices }
    }
}

impl fmt::Debug for SliceLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAME)
    }
}

impl TableFunction for SliceLayout {
    fn name(&self) -> &str {
        NAME
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        &[("track_ids", DataType::Utf8View)]
    }

    fn schema(&self, _: &[CallArgument]) -> Result<SchemaRef> {
        Ok(Arc::clone(&SCHEMA))
    }

    fn call(&self, args: &[ArrayRef], _: usize, columns: &[usize]) -> Result<CalledRows> {
        let Some(tracks) = args.first() else { return internal_err!("{NAME}() without tracks") };
        let tracks = cast(tracks, &DataType::Utf8View)?;
        let nesting = self.slices.nesting()?;
        let (mut calls, mut ids, mut depths) = (Vec::new(), Vec::new(), Vec::new());
        for (call, tracks) in (0u32..).zip(tracks.as_string_view()) {
            let Some(tracks) = tracks else { continue };
            for (row, depth) in layout(nesting, &track_ids(tracks)?)? {
                calls.push(call);
                ids.push(i64::from(row));
                depths.push(depth as i64);
            }
        }
        let all: [ArrayRef; 2] =
            [Arc::new(Int64Array::from(ids)), Arc::new(Int64Array::from(depths))];
        called_rows(calls, &SCHEMA, &all, columns)
    }
}

/// The ids in `10,11,12`, each once.
fn track_ids(text: &str) -> Result<Vec<i64>> {
    let mut ids = Vec::new();
    for id in text.split(',').map(str::trim).filter(|id| !id.is_empty()) {
        match id.parse() {
            Ok(id) => ids.push(id),
            Err(_) => return exec_err!("{NAME}(): '{id}' is not the id of a track"),
        }
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// A slice without parent and its descendants.
struct SliceBox {
    /// The slice without parent.
    root: u32,
    start: i64,
    end: i64,
    /// The depth of the root.
    depth: i64,
    height: usize,
    /// The row of the layout that the root is in.
    position: usize,
}

impl SliceBox {
    fn new(root: u32, nesting: &Nesting) -> Self {
        let (start, end) = nesting.span(root);
        Self { root, start, end, depth: nesting.depth(root), height: 1, position: 0 }
    }

    /// How far a slice is below the root.
    fn offset(&self, slice: u32, nesting: &Nesting) -> usize {
        usize::try_from(nesting.depth(slice).saturating_sub(self.depth)).unwrap_or(0)
    }

    fn add(&mut self, slice: u32, nesting: &Nesting) {
        let (start, end) = nesting.span(slice);
        self.start = self.start.min(start);
        self.end = self.end.max(end);
        self.height = self.height.max(self.offset(slice, nesting) + 1);
    }
}

/// The row of the layout of each slice of the tracks, by the rows of the slices.
fn layout(nesting: &Nesting, tracks: &[i64]) -> Result<Vec<(u32, usize)>> {
    let mut steps = Steps::default();
    let mut slices: Vec<u32> =
        tracks.iter().flat_map(|&track| nesting.of_track(track)).copied().collect();
    slices.sort_unstable();
    let mut boxes: Vec<SliceBox> = Vec::new();
    // The box of each slice.
    let mut box_of: FxHashMap<u32, usize> = FxHashMap::default();
    for &slice in &slices {
        steps.take(1)?;
        let number = box_number(slice, nesting, &mut boxes, &mut box_of, &mut steps)?;
        boxes[number].add(slice, nesting);
    }
    place(&mut boxes, &mut steps)?;
    let placed = slices.iter().filter_map(|slice| {
        let number = box_of.get(slice)?;
        let found = boxes.get(*number)?;
        Some((*slice, found.position + found.offset(*slice, nesting)))
    });
    Ok(placed.collect())
}

/// The number of the box of a slice; adds the box if needed.
fn box_number(
    slice: u32,
    nesting: &Nesting,
    boxes: &mut Vec<SliceBox>,
    box_of: &mut FxHashMap<u32, usize>,
    steps: &mut Steps,
) -> Result<usize> {
    let mut path = Vec::new();
    let mut at = slice;
    let number = loop {
        if let Some(&number) = box_of.get(&at) {
            break number;
        }
        path.push(at);
        match nesting.parent(at) {
            // The number of slices limits the search, in case the parents form a cycle.
            Some(parent) if path.len() < nesting.len() => at = parent,
            _ => {
                boxes.push(SliceBox::new(at, nesting));
                break boxes.len() - 1;
            }
        }
    };
    steps.take(path.len())?;
    box_of.extend(path.into_iter().map(|slice| (slice, number)));
    Ok(number)
}

/// Sets the position of each box.
fn place(boxes: &mut [SliceBox], steps: &mut Steps) -> Result<()> {
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    let key = |found: &SliceBox| (Reverse(found.height), found.start, found.root);
    order.sort_unstable_by_key(|&number| key(&boxes[number]));
    let mut rows: Vec<LayoutRow> = Vec::new();
    for number in order {
        let found = &mut boxes[number];
        let (mut position, mut row) = (0, 0);
        // Looks for `height` free rows, one above the other. Rows that do not exist are free.
        while row < rows.len() && row - position < found.height {
            steps.take(1)?;
            let is_free = rows[row].is_free(found.start, found.end);
            row += 1;
            if !is_free {
                position = row;
            }
        }
        found.position = position;
        let top = position + found.height;
        if rows.len() < top {
            rows.resize_with(top, LayoutRow::default);
        }
        for row in &mut rows[position..top] {
            row.add(found.start, found.end);
        }
    }
    Ok(())
}

/// The spans in one row of a layout: no two overlap.
#[derive(Default)]
struct LayoutRow(BTreeMap<i64, i64>);

impl LayoutRow {
    /// Whether `[start, end)` overlaps no span. A moment overlaps the spans that it is within.
    fn is_free(&self, start: i64, end: i64) -> bool {
        self.0.range(..end).next_back().is_none_or(|(_, &last)| last <= start)
    }

    fn add(&mut self, start: i64, end: i64) {
        let last = self.0.entry(start).or_insert(end);
        *last = end.max(*last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The positions of boxes of start, end and height.
    fn positions(boxes: &[(i64, i64, usize)]) -> Vec<usize> {
        let made = (0u32..).zip(boxes).map(|(root, &(start, end, height))| SliceBox {
            root,
            start,
            end,
            depth: 0,
            height,
            position: 0,
        });
        let mut made: Vec<SliceBox> = made.collect();
        place(&mut made, &mut Steps::default()).expect("is not cancelled");
        made.iter().map(|found| found.position).collect()
    }

    #[test]
    fn the_highest_boxes_are_the_lowest() {
        // The second is the highest and takes rows 0 to 2. The first overlaps it.
        assert_eq!(positions(&[(0, 10, 1), (5, 20, 3), (10, 12, 2), (20, 30, 2)]), [3, 0, 3, 0]);
    }

    #[test]
    fn a_box_needs_rows_that_are_neighbours() {
        // The first takes rows 0 and 1, the second rows 2 and 3. From 12 on, rows 0 and 1 are free.
        let boxes = [(0, 10, 2), (5, 20, 2), (12, 15, 2), (9, 11, 1), (30, 31, 1)];
        assert_eq!(positions(&boxes), [0, 2, 0, 4, 0]);
        // Of the rows of the first, 0 and 1 are taken again by the third. Row 2 is free for the
        // last, but the row above it is not.
        let boxes = [(0, 4, 3), (2, 10, 3), (5, 20, 2), (6, 8, 2)];
        assert_eq!(positions(&boxes), [0, 3, 0, 6]);
    }

    #[test]
    fn moments_overlap_only_what_they_are_within() {
        assert_eq!(positions(&[(5, 5, 1), (5, 5, 1), (5, 9, 1), (7, 7, 1)]), [0, 0, 0, 1]);
        assert_eq!(positions(&[(0, i64::MAX, 1), (50, 51, 1)]), [0, 1]);
    }

    #[test]
    fn tracks_are_listed_with_commas() {
        assert_eq!(track_ids("12, 10,12,").expect("are numbers"), [10, 12]);
        assert!(track_ids("").expect("are numbers").is_empty());
        assert!(track_ids("1,x").is_err());
    }
}
