//! `first_non_null(x)` and `last_non_null(x)` as window functions: the first or the last value of
//! the frame that is not NULL.
//!
//! DataFusion's own `last_value(x) IGNORE NULLS` searches the whole frame for each row.

use std::collections::VecDeque;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};

/// The end of the frame that a function looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Edge {
    First,
    Last,
}

impl Edge {
    fn function(self) -> &'static str {
        match self {
            Self::First => "first_non_null",
            Self::Last => "last_non_null",
        }
    }
}

/// Whether a function is one of these.
pub(super) fn is_edge(name: &str) -> bool {
    [Edge::First, Edge::Last].iter().any(|edge| edge.function() == name)
}

/// `first_non_null` or `last_non_null`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct EdgeValue {
    edge: Edge,
    signature: Signature,
}

impl EdgeValue {
    pub(super) fn new(edge: Edge) -> Self {
        Self { edge, signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for EdgeValue {
    fn name(&self) -> &str {
        self.edge.function()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [only] => Ok(only.clone()),
            _ => internal_err!("{}() takes one argument", self.edge.function()),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let none = ScalarValue::try_from(args.return_field.data_type())?;
        Ok(Box::new(FrameValues::new(self.edge, false, none)))
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let none = ScalarValue::try_from(args.return_field.data_type())?;
        Ok(Box::new(FrameValues::new(self.edge, true, none)))
    }
}

/// The values of a frame that can become the result.
#[derive(Debug)]
struct FrameValues {
    edge: Edge,
    /// Whether rows leave the frame.
    slides: bool,
    /// NULL of the type of the values.
    none: ScalarValue,
    /// Values other than NULL, with their rows. One is enough for the last value, and for the
    /// first value if no rows leave the frame.
    values: VecDeque<(u64, ScalarValue)>,
    /// The number of rows that entered the frame.
    added: u64,
    /// The number of rows that left it.
    removed: u64,
    /// The size of the values in bytes.
    bytes: usize,
}

impl FrameValues {
    fn new(edge: Edge, slides: bool, none: ScalarValue) -> Self {
        let values = VecDeque::new();
        Self { edge, slides, none, values, added: 0, removed: 0, bytes: 0 }
    }

    fn push(&mut self, row: u64, value: ScalarValue) {
        match self.edge {
            Edge::First if !self.slides && !self.values.is_empty() => return,
            Edge::First => {}
            Edge::Last => {
                self.values.clear();
                self.bytes = 0;
            }
        }
        self.bytes += value.size();
        self.values.push_back((row, value));
    }

    /// Adds the value at a position of a column.
    fn push_at(&mut self, column: &ArrayRef, position: usize) -> Result<()> {
        let value = ScalarValue::try_from_array(column, position)?;
        self.push(self.added + position as u64, value.compacted());
        Ok(())
    }
}

impl Accumulator for FrameValues {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Some(column) = values.first() else { return Ok(()) };
        let nulls = column.logical_nulls();
        let is_valid = |row: &usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(*row));
        if *column.data_type() != DataType::Null {
            match self.edge {
                Edge::First => {
                    let wanted = if self.slides { usize::MAX } else { 1 };
                    for row in (0..column.len()).filter(is_valid).take(wanted) {
                        self.push_at(column, row)?;
                    }
                }
                Edge::Last => {
                    if let Some(row) = (0..column.len()).rfind(is_valid) {
                        self.push_at(column, row)?;
                    }
                }
            }
        }
        self.added += column.len() as u64;
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.removed += values.first().map_or(0, |column| column.len() as u64);
        while let Some((row, value)) = self.values.front()
            && *row < self.removed
        {
            self.bytes = self.bytes.saturating_sub(value.size());
            self.values.pop_front();
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        // For `last_non_null` there is at most one value.
        Ok(self.values.front().map_or_else(|| self.none.clone(), |(_, value)| value.clone()))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.bytes + self.values.capacity() * size_of::<(u64, ScalarValue)>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::Int64Array;

    use super::*;

    fn column(values: &[Option<i64>]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    fn frame(edge: Edge) -> FrameValues {
        FrameValues::new(edge, true, ScalarValue::Int64(None))
    }

    #[test]
    fn nulls_are_skipped_at_both_ends_of_a_moving_frame() {
        let (mut first, mut last) = (frame(Edge::First), frame(Edge::Last));
        let mut found = |added: &[Option<i64>], removed: usize| {
            let mut results = Vec::new();
            for frame in [&mut first, &mut last] {
                frame.update_batch(&[column(added)]).unwrap();
                frame.retract_batch(&[column(&vec![None; removed])]).unwrap();
                results.push(frame.evaluate().unwrap().to_string());
            }
            results.join(" ")
        };
        // The frame is NULL, 1, 2, NULL; then 2, NULL, 3; then NULL; then empty.
        assert_eq!(found(&[None, Some(1), Some(2), None], 0), "1 2");
        assert_eq!(found(&[Some(3)], 2), "2 3");
        assert_eq!(found(&[None], 3), "NULL NULL");
        assert_eq!(found(&[], 1), "NULL NULL");
    }
}
