//! Columns of a flamegraph with the merged values of the frames of each node.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, StringViewBuilder,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use rustc_hash::FxHashSet;

use super::amount::{Amount, amounts, sum_type};
use super::config::AggregateKind;
use super::frames::Groups;
use crate::functions::reserved::Reserved;
use crate::functions::steps::Steps;
use crate::memory::LONGEST_VALUE;

/// The frames of each node, each once and in order.
pub(super) struct Members {
    groups: Groups,
    nodes: u32,
}

impl Members {
    /// Groups pairs of a node and a frame.
    pub(super) fn new(nodes: u32, pairs: &mut Vec<(u32, u32)>) -> Self {
        pairs.sort_unstable();
        pairs.dedup();
        let groups = Groups::from_pairs(nodes as usize, || pairs.iter().copied());
        Self { groups, nodes }
    }

    /// The frames of each node, by number.
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.nodes).map(move |node| self.groups.of(node))
    }
}

/// The type of the result for a column; `None` if the column cannot be aggregated so.
pub(super) fn aggregate_type(kind: AggregateKind, column: &DataType) -> Option<DataType> {
    match kind {
        AggregateKind::Sum => sum_type(column),
        AggregateKind::OneOrSummary | AggregateKind::Concatenation => Some(DataType::Utf8View),
    }
}

/// The value of each node. NULLs are left out; without other values the result is NULL.
pub(super) fn aggregate(
    kind: AggregateKind,
    column: &ArrayRef,
    members: &Members,
    memory: &Reserved,
) -> Result<ArrayRef> {
    match kind {
        AggregateKind::Sum if sum_type(column.data_type()) == Some(DataType::Float64) => {
            Ok(Arc::new(Float64Array::from(sums::<f64>(column, members)?)))
        }
        AggregateKind::Sum => Ok(Arc::new(Int64Array::from(sums::<i64>(column, members)?))),
        AggregateKind::OneOrSummary => texts(column, members, memory, summary),
        AggregateKind::Concatenation => texts(column, members, memory, |values| values.join(",")),
    }
}

fn sums<A: Amount>(column: &ArrayRef, members: &Members) -> Result<Vec<Option<A>>> {
    let values = amounts::<A>(column)?;
    let mut steps = Steps::default();
    let sum = |frames: &[u32]| -> Result<Option<A>> {
        steps.take(frames.len() + 1)?;
        let mut found = frames.iter().filter_map(|&frame| values[frame as usize]);
        let Some(first) = found.next() else { return Ok(None) };
        found.try_fold(first, Amount::plus).map(Some)
    };
    members.iter().map(sum).collect()
}

/// One value, or one of several and how many others there are.
fn summary(values: &[&str]) -> String {
    match values {
        [only] => (*only).to_owned(),
        [first, others @ ..] => format!("{first} and {} others", others.len()),
        [] => String::new(),
    }
}

/// Texts made of the different values of each node, in the order of the frames.
fn texts(
    column: &ArrayRef,
    members: &Members,
    memory: &Reserved,
    text: impl Fn(&[&str]) -> String,
) -> Result<ArrayRef> {
    let column = cast(column, &DataType::Utf8View)?;
    let column = column.as_string_view();
    let mut steps = Steps::default();
    let mut builder = StringViewBuilder::with_capacity(members.nodes as usize);
    let (mut seen, mut values) = (FxHashSet::default(), Vec::new());
    let mut bytes = 0usize;
    for frames in members.iter() {
        seen.clear();
        values.clear();
        for &frame in frames.iter().filter(|&&frame| column.is_valid(frame as usize)) {
            steps.take(1)?;
            let value = column.value(frame as usize);
            if seen.insert(value) {
                values.push(value);
                bytes = bytes.saturating_add(value.len() + 1);
            }
        }
        memory.at_least(bytes)?;
        if bytes > LONGEST_VALUE {
            return exec_err!("the texts of a flamegraph have more than {LONGEST_VALUE} bytes");
        }
        match values.is_empty() {
            true => builder.append_null(),
            false => builder.append_value(text(&values)),
        }
    }
    Ok(Arc::new(builder.finish()))
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::StringViewArray;

    use super::*;

    fn members() -> Members {
        // Node 1 has no frames; frame 2 is in node 0 twice.
        Members::new(3, &mut vec![(0, 2), (2, 1), (0, 0), (0, 2), (2, 3)])
    }

    #[test]
    fn sums_leave_out_nulls() {
        let column: ArrayRef = Arc::new(Int64Array::from(vec![Some(1), None, Some(4), None]));
        let found = sums::<i64>(&column, &members()).expect("the sums are small");
        assert_eq!(found, [Some(5), None, None]);
        let column: ArrayRef = Arc::new(Int64Array::from(vec![i64::MAX, 0, 1, 0]));
        assert!(sums::<i64>(&column, &members()).is_err());
    }

    #[test]
    fn different_values_are_summarized() {
        let values = vec![Some("b"), Some("x"), Some("a"), Some("x")];
        let column: ArrayRef = Arc::new(StringViewArray::from(values));
        let text = |kind| {
            let found = aggregate(kind, &column, &members(), &Reserved::default());
            let found = found.expect("the texts are short");
            found.as_string_view().iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>()
        };
        let some = |text: &str| Some(text.to_owned());
        let summaries = [some("b and 1 others"), None, some("x")];
        assert_eq!(text(AggregateKind::OneOrSummary), summaries);
        assert_eq!(text(AggregateKind::Concatenation), [some("b,a"), None, some("x")]);
    }
}
