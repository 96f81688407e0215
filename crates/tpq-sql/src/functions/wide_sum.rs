//! Sums of integers that are computed before it is known which of them are read: below a join that
//! leaves out groups. They are decimals, so that an overflow is an error only where a sum is read.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Decimal128Array, Int64Array,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::{DataType, Decimal128Type, Int64Type};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::expr::{AggregateFunction, ScalarFunction};
use datafusion::logical_expr::function::AccumulatorArgs;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, EmitTo, Expr, GroupsAccumulator,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::integer_sum::in_range;

/// The digits of a decimal. The sum of 2^63 integers of 64 bits has as many.
const DIGITS: u8 = 38;
/// The digits after the point.
const SCALE: i8 = 0;
const WIDE: DataType = DataType::Decimal128(DIGITS, SCALE);

/// The sum of integers of each group as a decimal, which [`sum_in_range`] reads.
pub(crate) fn wide_sum(args: Vec<Expr>, filter: Option<Box<Expr>>) -> Expr {
    static FUNCTION: LazyLock<Arc<AggregateUDF>> = LazyLock::new(|| {
        let signature = Signature::exact(vec![DataType::Int64], Volatility::Immutable);
        Arc::new(AggregateUDF::new_from_impl(WideSum { signature }))
    });
    let function = Arc::clone(&FUNCTION);
    let call = AggregateFunction::new_udf(function, args, false, filter, Vec::new(), None);
    Expr::AggregateFunction(call)
}

/// The integer that a [`wide_sum`] is; an error if it is out of range.
pub(crate) fn sum_in_range(sum: Expr) -> Expr {
    static FUNCTION: LazyLock<Arc<ScalarUDF>> = LazyLock::new(|| {
        let signature = Signature::exact(vec![WIDE], Volatility::Immutable);
        Arc::new(ScalarUDF::new_from_impl(SumInRange { signature }))
    });
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::clone(&FUNCTION), vec![sum]))
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct WideSum {
    signature: Signature,
}

impl AggregateUDFImpl for WideSum {
    fn name(&self) -> &str {
        "__wide_sum"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(WIDE)
    }

    fn accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        internal_err!("sums below a join are those of groups")
    }

    fn groups_accumulator_supported(&self, _: AccumulatorArgs) -> bool {
        true
    }

    fn create_groups_accumulator(&self, _: AccumulatorArgs) -> Result<Box<dyn GroupsAccumulator>> {
        Ok(Box::new(WideSums::default()))
    }
}

/// The sums of many groups.
#[derive(Debug, Default)]
struct WideSums {
    sums: Vec<i128>,
    /// Whether a group has a value: the sum of no values is NULL.
    present: Vec<bool>,
}

impl WideSums {
    fn make_room(&mut self, count: usize) {
        self.sums.resize(count, 0);
        self.present.resize(count, false);
    }

    fn add(&mut self, group: usize, value: i128) {
        self.sums[group] = self.sums[group].wrapping_add(value);
        self.present[group] = true;
    }
}

impl GroupsAccumulator for WideSums {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        count: usize,
    ) -> Result<()> {
        self.make_room(count);
        let values = values[0].as_primitive::<Int64Type>();
        if values.null_count() == 0 && filter.is_none() {
            for (&group, &value) in groups.iter().zip(values.values()) {
                self.add(group, i128::from(value));
            }
            return Ok(());
        }
        let passes = |row: usize| filter.is_none_or(|it| it.is_valid(row) && it.value(row));
        for (row, (&group, value)) in groups.iter().zip(values).enumerate() {
            if let Some(value) = value.filter(|_| passes(row)) {
                self.add(group, i128::from(value));
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let sums = emit.take_needed(&mut self.sums);
        let present = NullBuffer::from(emit.take_needed(&mut self.present));
        let sums = Decimal128Array::new(sums.into(), Some(present));
        Ok(Arc::new(sums.with_precision_and_scale(DIGITS, SCALE)?))
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        Ok(vec![self.evaluate(emit)?])
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], count: usize) -> Result<()> {
        self.make_room(count);
        let sums = states[0].as_primitive::<Decimal128Type>();
        for (&group, sum) in groups.iter().zip(sums) {
            if let Some(sum) = sum {
                self.add(group, sum);
            }
        }
        Ok(())
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let rows = values[0].len();
        let groups: Vec<usize> = (0..rows).collect();
        let mut sums = Self::default();
        sums.update_batch(values, &groups, filter, rows)?;
        sums.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.sums.capacity() * size_of::<i128>() + self.present.capacity()
    }
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct SumInRange {
    signature: Signature,
}

impl ScalarUDFImpl for SumInRange {
    fn name(&self) -> &str {
        "__sum_in_range"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [sums] = &args.args[..] else { return internal_err!("one sum is expected") };
        let sums = sums.to_array(args.number_rows)?;
        let Some(decimals) = sums.as_primitive_opt::<Decimal128Type>() else {
            return internal_err!("a sum is expected, this is {}", sums.data_type());
        };
        let integers = decimals.iter().map(|sum| sum.map(in_range).transpose());
        let integers: Int64Array = integers.collect::<Result<_>>()?;
        Ok(ColumnarValue::Array(Arc::new(integers)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(array: &ArrayRef) -> Vec<Option<i128>> {
        array.as_primitive::<Decimal128Type>().iter().collect()
    }

    #[test]
    fn sums_may_leave_the_range_of_integers() {
        let twice = 2 * i128::from(i64::MAX);
        let values = |values: &[Option<i64>]| -> Vec<ArrayRef> {
            vec![Arc::new(Int64Array::from(values.to_vec()))]
        };
        let mut all = WideSums::default();
        let rows = values(&[Some(i64::MAX), None, Some(i64::MAX), Some(-1)]);
        all.update_batch(&rows, &[0, 1, 0, 2], None, 3).unwrap();
        let states = all.state(EmitTo::All).unwrap();
        assert_eq!(sums(&states[0]), [Some(twice), None, Some(-1)]);
        assert_eq!(states[0].data_type(), &WIDE);

        // Groups 0 and 2 of the state are one group, a filter leaves out a row.
        all.merge_batch(&states, &[0, 1, 0], 2).unwrap();
        let filter = BooleanArray::from(vec![Some(true), Some(false), None]);
        let more = values(&[Some(5), Some(6), Some(7)]);
        all.update_batch(&more, &[0, 0, 1], Some(&filter), 2).unwrap();
        assert_eq!(sums(&all.evaluate(EmitTo::All).unwrap()), [Some(twice + 4), None]);
        let states = all.convert_to_state(&more, Some(&filter)).unwrap();
        assert_eq!(sums(&states[0]), [Some(5), None, None]);
    }
}
