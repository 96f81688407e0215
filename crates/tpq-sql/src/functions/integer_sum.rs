//! `sum(x)` of integers, with an error where the sum is out of range, as in SQLite. DataFusion's
//! own wraps around.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::compute::{not, nullif, prep_null_mask_filter};
use datafusion::arrow::datatypes::{DataType, FieldRef, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err};
use datafusion::functions_aggregate::sum::Sum;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDFImpl, EmitTo, GroupsAccumulator, ReversedUDAF, SetMonotonicity,
    Signature, StatisticsArgs,
};

/// `sum`: DataFusion's for reals, and checked for integers.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct CheckedSum {
    inner: Sum,
}

fn overflow<T>() -> Result<T> {
    exec_err!("integer overflow in sum(): write total(x) or sum(CAST(x AS REAL)) for a real")
}

/// The sum as an integer of 64 bits.
///
/// # Errors
/// When it is out of range.
pub(super) fn in_range(sum: i128) -> Result<i64> {
    match i64::try_from(sum) {
        Ok(sum) => Ok(sum),
        Err(_) => overflow(),
    }
}

fn of_integers(args: &AccumulatorArgs) -> bool {
    *args.return_field.data_type() == DataType::Int64
}

impl AggregateUDFImpl for CheckedSum {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        self.inner.state_fields(args)
    }

    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if !of_integers(&args) {
            return self.inner.accumulator(args);
        }
        if args.is_distinct {
            return Ok(Box::new(DistinctIntegerSum(self.inner.accumulator(args)?)));
        }
        Ok(Box::new(IntegerSum::default()))
    }

    fn create_sliding_accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if of_integers(&args) && !args.is_distinct {
            return Ok(Box::new(IntegerSum::default()));
        }
        self.inner.create_sliding_accumulator(args)
    }

    fn groups_accumulator_supported(&self, args: AccumulatorArgs) -> bool {
        self.inner.groups_accumulator_supported(args)
    }

    fn create_groups_accumulator(
        &self,
        args: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        if of_integers(&args) {
            return Ok(Box::new(IntegerSums::default()));
        }
        self.inner.create_groups_accumulator(args)
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        self.inner.reverse_expr()
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.inner.order_sensitivity()
    }

    fn set_monotonicity(&self, data_type: &DataType) -> SetMonotonicity {
        self.inner.set_monotonicity(data_type)
    }

    fn value_from_stats(&self, args: &StatisticsArgs) -> Option<ScalarValue> {
        self.inner.value_from_stats(args)
    }
}

/// The sum of one group, or of a frame that moves. A sum of 64-bit integers fits in 128 bits.
#[derive(Debug, Default)]
struct IntegerSum {
    sum: i128,
    values: u64,
}

impl IntegerSum {
    fn total(values: &ArrayRef) -> (i128, u64) {
        let values = values.as_primitive::<Int64Type>();
        let count = (values.len() - values.null_count()) as u64;
        let sum = match values.null_count() {
            0 => values.values().iter().map(|value| i128::from(*value)).sum(),
            _ => values.iter().flatten().map(i128::from).sum(),
        };
        (sum, count)
    }
}

impl Accumulator for IntegerSum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let (sum, count) = Self::total(&values[0]);
        self.sum += sum;
        self.values += count;
        Ok(())
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let (sum, count) = Self::total(&values[0]);
        self.sum -= sum;
        self.values -= count;
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        match self.values {
            0 => Ok(ScalarValue::Int64(None)),
            _ => Ok(ScalarValue::Int64(Some(in_range(self.sum)?))),
        }
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }

    fn size(&self) -> usize {
        size_of_val(self)
    }
}

/// The sum of different values: DataFusion's accumulator collects them, this one adds them up.
#[derive(Debug)]
struct DistinctIntegerSum(Box<dyn Accumulator>);

impl Accumulator for DistinctIntegerSum {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.0.update_batch(values)
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let state = self.0.state()?;
        let Some(ScalarValue::List(values)) = state.first() else { return self.0.evaluate() };
        let mut sum = IntegerSum::default();
        sum.update_batch(&[Arc::clone(values.values())])?;
        sum.evaluate()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        self.0.state()
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.0.merge_batch(states)
    }

    fn size(&self) -> usize {
        self.0.size()
    }
}

/// The sums of many groups; an overflow in any of them ends the statement.
#[derive(Debug, Default)]
struct IntegerSums {
    sums: Vec<i64>,
    /// Whether a group has a value: the sum of no values is NULL.
    present: Vec<bool>,
}

impl IntegerSums {
    fn add(&mut self, group: usize, value: i64) -> bool {
        let (sum, overflows) = self.sums[group].overflowing_add(value);
        self.sums[group] = sum;
        self.present[group] = true;
        overflows
    }
}

impl GroupsAccumulator for IntegerSums {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.sums.resize(count, 0);
        self.present.resize(count, false);
        let values = values[0].as_primitive::<Int64Type>();
        let mut overflowed = false;
        if values.null_count() == 0 && filter.is_none() {
            for (&group, &value) in groups.iter().zip(values.values()) {
                overflowed |= self.add(group, value);
            }
        } else {
            let passes = |row: usize| filter.is_none_or(|it| it.is_valid(row) && it.value(row));
            for (row, (&group, value)) in groups.iter().zip(values).enumerate() {
                if let Some(value) = value.filter(|_| passes(row)) {
                    overflowed |= self.add(group, value);
                }
            }
        }
        if overflowed { overflow() } else { Ok(()) }
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let sums = emit.take_needed(&mut self.sums);
        let present = NullBuffer::from(emit.take_needed(&mut self.present));
        Ok(Arc::new(Int64Array::new(sums.into(), Some(present))))
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit)?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.update_batch(states, groups, None, count)
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let Some(filter) = filter else { return Ok(vec![Arc::clone(&values[0])]) };
        Ok(vec![nullif(&values[0], &not(&prep_null_mask_filter(filter))?)?])
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<i64>() + self.present.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(values: &[i64]) -> ArrayRef {
        Arc::new(Int64Array::from(values.to_vec()))
    }

    #[test]
    fn a_sum_of_one_group_may_leave_the_range_and_return() {
        let mut sum = IntegerSum::default();
        sum.update_batch(&[column(&[i64::MAX, 5])]).unwrap();
        assert!(sum.evaluate().is_err());
        sum.retract_batch(&[column(&[i64::MAX])]).unwrap();
        assert_eq!(sum.evaluate().unwrap(), ScalarValue::Int64(Some(5)));
        sum.retract_batch(&[column(&[5])]).unwrap();
        assert_eq!(sum.evaluate().unwrap(), ScalarValue::Int64(None));
    }

    #[test]
    fn an_overflow_in_any_group_is_an_error() {
        let mut sums = IntegerSums::default();
        let groups = [0, 1, 0];
        sums.update_batch(&[column(&[i64::MAX, 1, -1])], &groups, None, 2).unwrap();
        let error = sums.update_batch(&[column(&[2])], &[0], None, 2).unwrap_err();
        assert!(error.to_string().contains("integer overflow in sum()"), "{error}");
    }
}
