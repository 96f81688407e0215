//! The value in the first row of an order, as a window function: what `arg_max(value, key) OVER (…)`
//! and others like it are planned as.

use std::cmp::Ordering;
use std::collections::VecDeque;

use datafusion::arrow::array::{Array, ArrayRef};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, SortExpr, Volatility};

/// The aggregate. Its arguments are the value, and the keys of the order.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct BestRow {
    name: String,
    /// Whether the order by a key is descending.
    descending: Vec<bool>,
    signature: Signature,
}

impl BestRow {
    pub(super) fn new(order: &[SortExpr]) -> Self {
        let descending: Vec<bool> = order.iter().map(|sort| !sort.asc).collect();
        // Calls with other orders and the same arguments have other names.
        let name = descending.iter().fold("__value_in_first_row".to_owned(), |name, descending| {
            name + if *descending { "_desc" } else { "_asc" }
        });
        Self { name, descending, signature: Signature::variadic_any(Volatility::Immutable) }
    }

    fn candidates(&self, args: &AccumulatorArgs, slides: bool) -> Result<Box<dyn Accumulator>> {
        let none = ScalarValue::try_from(args.return_field.data_type())?;
        Ok(Box::new(Candidates::new(self.descending.clone(), slides, none)))
    }
}

impl AggregateUDFImpl for BestRow {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types.first() {
            Some(value) => Ok(value.clone()),
            None => internal_err!("{} without a value", self.name),
        }
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.candidates(&args, false)
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.candidates(&args, true)
    }
}

/// A row that is first, or will be when rows before it leave the frame.
#[derive(Debug)]
struct Candidate {
    row: u64,
    value: ScalarValue,
    keys: Vec<ScalarValue>,
}

impl Candidate {
    fn bytes(&self) -> usize {
        let keys: usize = self.keys.iter().map(ScalarValue::size).sum();
        self.value.size() + keys
    }
}

/// The rows of a frame that no later row is before.
#[derive(Debug)]
struct Candidates {
    descending: Vec<bool>,
    /// Whether rows leave the frame.
    slides: bool,
    /// NULL of the type of the values.
    none: ScalarValue,
    /// In the order of the rows, which is that of their keys as well.
    rows: VecDeque<Candidate>,
    /// The number of rows that entered the frame.
    added: u64,
    /// The number of rows that left it.
    removed: u64,
    /// The size of the values and keys in bytes.
    bytes: usize,
}

impl Candidates {
    fn new(descending: Vec<bool>, slides: bool, none: ScalarValue) -> Self {
        let rows = VecDeque::new();
        Self { descending, slides, none, rows, added: 0, removed: 0, bytes: 0 }
    }

    /// Compares the keys of two rows. NULL is last in both directions.
    fn order(&self, a: &[ScalarValue], b: &[ScalarValue]) -> Ordering {
        let keys = a.iter().zip(b).zip(&self.descending);
        let orders = keys.map(|((a, b), descending)| match (a.is_null(), b.is_null()) {
            (false, false) => {
                let order = a.partial_cmp(b).unwrap_or(Ordering::Equal);
                if *descending { order.reverse() } else { order }
            }
            (a, b) => a.cmp(&b),
        });
        orders.fold(Ordering::Equal, Ordering::then)
    }

    fn add(&mut self, candidate: Candidate) {
        while let Some(last) = self.rows.back()
            && self.order(&candidate.keys, &last.keys) == Ordering::Less
        {
            self.bytes = self.bytes.saturating_sub(last.bytes());
            self.rows.pop_back();
        }
        if self.slides || self.rows.is_empty() {
            self.bytes += candidate.bytes();
            self.rows.push_back(candidate);
        }
    }
}

impl Accumulator for Candidates {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let Some((column, keys)) = values.split_first() else { return Ok(()) };
        for position in 0..column.len() {
            let scalar = |column: &ArrayRef| -> Result<ScalarValue> {
                Ok(ScalarValue::try_from_array(column, position)?.compacted())
            };
            let keys = keys.iter().map(scalar).collect::<Result<Vec<_>>>()?;
            self.add(Candidate { row: self.added, value: scalar(column)?, keys });
            self.added += 1;
        }
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.removed += values.first().map_or(0, |column| column.len() as u64);
        while let Some(first) = self.rows.front()
            && first.row < self.removed
        {
            self.bytes = self.bytes.saturating_sub(first.bytes());
            self.rows.pop_front();
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(self.rows.front().map_or_else(|| self.none.clone(), |first| first.value.clone()))
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        internal_err!("the value in the first row is only a window function")
    }

    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        internal_err!("the value in the first row is only a window function")
    }

    fn size(&self) -> usize {
        size_of_val(self) + self.bytes + self.rows.capacity() * size_of::<Candidate>()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{Int64Array, StringArray};

    use super::*;

    /// Values and keys as columns.
    fn columns(rows: &[(&str, Option<i64>)]) -> Vec<ArrayRef> {
        let values = StringArray::from_iter_values(rows.iter().map(|(value, _)| value));
        let keys = Int64Array::from_iter(rows.iter().map(|(_, key)| *key));
        vec![Arc::new(values), Arc::new(keys)]
    }

    fn candidates(descending: bool, slides: bool) -> Candidates {
        Candidates::new(vec![descending], slides, ScalarValue::Utf8(None))
    }

    #[test]
    fn the_first_row_of_a_moving_frame_is_known() {
        let mut greatest = candidates(true, true);
        let mut next = |added: &[(&str, Option<i64>)], removed: usize| {
            greatest.update_batch(&columns(added)).unwrap();
            greatest.retract_batch(&columns(&vec![("", None); removed])).unwrap();
            greatest.evaluate().unwrap().to_string()
        };
        // Of two rows with one key, the first is taken.
        assert_eq!(next(&[("a", Some(5)), ("b", Some(9)), ("c", Some(9))], 0), "b");
        assert_eq!(next(&[("d", Some(7))], 2), "c");
        assert_eq!(next(&[("e", None)], 1), "d");
        assert_eq!(next(&[], 1), "e");
        assert_eq!(next(&[], 1), "NULL");
    }

    #[test]
    fn a_growing_frame_keeps_one_row() {
        let mut least = candidates(false, false);
        let rows = [("a", None), ("b", Some(3)), ("c", Some(1)), ("d", Some(1)), ("e", Some(2))];
        least.update_batch(&columns(&rows)).unwrap();
        assert_eq!(least.evaluate().unwrap().to_string(), "c");
        assert_eq!(least.rows.len(), 1);
    }
}
