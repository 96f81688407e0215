//! `lag`, `lead`, `nth_value` and `ntile` with a number that is not a constant: DataFusion's own
//! take literals alone.

use std::sync::{Arc, LazyLock};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use datafusion::arrow::compute::{cast, take};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type, Int64Type};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::logical_expr::function::{PartitionEvaluatorArgs, WindowUDFFieldArgs};
use datafusion::logical_expr::{
    PartitionEvaluator, Signature, Volatility, WindowUDF, WindowUDFImpl,
};

/// Which function it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Lag,
    Lead,
    NthValue,
    Ntile,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Lag, Self::Lead, Self::NthValue, Self::Ntile];

    fn name(self) -> &'static str {
        match self {
            Self::Lag => "__lag_by",
            Self::Lead => "__lead_by",
            Self::NthValue => "__nth_value_by",
            Self::Ntile => "__ntile_by",
        }
    }

    /// The name in statements.
    fn written(self) -> &'static str {
        match self {
            Self::Lag => "lag",
            Self::Lead => "lead",
            Self::NthValue => "nth_value",
            Self::Ntile => "ntile",
        }
    }
}

static FUNCTIONS: LazyLock<Vec<Arc<WindowUDF>>> = LazyLock::new(|| {
    let function = |kind| Arc::new(WindowUDF::new_from_impl(OfNumber::new(kind)));
    Kind::ALL.map(function).to_vec()
});

pub(super) fn functions() -> Vec<Arc<WindowUDF>> {
    FUNCTIONS.clone()
}

/// The function for calls of the function `name` with a number that is not a constant: the last of
/// its arguments.
pub(crate) fn of_number(name: &str) -> Option<Arc<WindowUDF>> {
    let at = Kind::ALL.iter().position(|kind| kind.written() == name)?;
    FUNCTIONS.get(at).cloned()
}

/// The window function.
#[derive(Debug, PartialEq, Eq, Hash)]
struct OfNumber {
    kind: Kind,
    signature: Signature,
}

impl OfNumber {
    fn new(kind: Kind) -> Self {
        let arguments = if kind == Kind::Ntile { 1 } else { 2 };
        Self { kind, signature: Signature::any(arguments, Volatility::Immutable) }
    }
}

impl WindowUDFImpl for OfNumber {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn partition_evaluator(
        &self,
        _: PartitionEvaluatorArgs,
    ) -> Result<Box<dyn PartitionEvaluator>> {
        Ok(Box::new(Evaluator { kind: self.kind, row: 0 }))
    }

    fn field(&self, field_args: WindowUDFFieldArgs) -> Result<FieldRef> {
        let first = field_args.get_input_field(0);
        let data_type = match (self.kind, first) {
            (Kind::Ntile, _) | (_, None) => DataType::Int64,
            (_, Some(value)) => value.data_type().clone(),
        };
        Ok(Arc::new(Field::new(field_args.name(), data_type, true)))
    }
}

/// Computes the values of a partition.
#[derive(Debug)]
struct Evaluator {
    kind: Kind,
    /// The row that the next frame is of.
    row: usize,
}

impl PartitionEvaluator for Evaluator {
    fn uses_window_frame(&self) -> bool {
        self.kind == Kind::NthValue
    }

    fn evaluate_all(&mut self, values: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        match (self.kind, values) {
            (Kind::Ntile, [count, ..]) => tiles(count, rows),
            (Kind::Lag, [values, steps, ..]) => {
                let steps = integers(steps)?;
                steps.iter().flatten().try_for_each(check_lag)?;
                moved(values, &steps, i64::checked_sub)
            }
            (Kind::Lead, [values, steps, ..]) => moved(values, &integers(steps)?, i64::checked_add),
            _ => internal_err!("{}() without its arguments", self.kind.written()),
        }
    }

    fn evaluate(
        &mut self,
        values: &[ArrayRef],
        range: &std::ops::Range<usize>,
    ) -> Result<ScalarValue> {
        let [values, numbers, ..] = values else {
            return internal_err!("nth_value() without its arguments");
        };
        let row = self.row;
        self.row += 1;
        let number = integers(&numbers.slice(row, 1))?;
        let number = number.is_valid(0).then(|| number.value(0)).filter(|number| *number > 0);
        let Some(number) = number else {
            return exec_err!("the second argument of nth_value() is an integer of 1 or more");
        };
        let at = usize::try_from(number - 1).ok().and_then(|steps| range.start.checked_add(steps));
        match at.filter(|at| *at < range.end) {
            Some(at) => ScalarValue::try_from_array(values, at),
            None => ScalarValue::try_from(values.data_type()),
        }
    }
}

/// Refuses an offset of `lag` to a row further ahead than the next one. Whether SQLite has read such
/// a row already depends on the other windows of the query.
pub(crate) fn check_lag(offset: i64) -> Result<()> {
    match offset < -1 {
        true => exec_err!(
            "the offset of lag() is {offset}: write lead() with {} for a row after the current one",
            offset.unsigned_abs()
        ),
        false => Ok(()),
    }
}

/// The values of rows that are some steps away; NULL where there is no such row.
fn moved(
    values: &ArrayRef,
    steps: &Int64Array,
    step: fn(i64, i64) -> Option<i64>,
) -> Result<ArrayRef> {
    let rows = 0..values.len() as i64;
    let moved = |(row, steps): (i64, Option<i64>)| step(row, steps?).filter(|at| rows.contains(at));
    let places: Int64Array = (0..).zip(steps).map(moved).collect();
    Ok(take(values, &places, None)?)
}

/// The parts, from 1, that rows are in: as many as the number of the first row.
fn tiles(count: &ArrayRef, rows: usize) -> Result<ArrayRef> {
    if rows == 0 {
        return Ok(Arc::new(Int64Array::from(Vec::<i64>::new())));
    }
    // As in SQLite, a fraction does not count here.
    let count = cast(&count.slice(0, 1), &DataType::Int64)?;
    let count = count.as_primitive::<Int64Type>();
    let count = count.is_valid(0).then(|| count.value(0)).filter(|count| *count > 0);
    let Some(count) = count.and_then(|count| usize::try_from(count).ok()) else {
        return exec_err!("the argument of ntile() is an integer of 1 or more");
    };
    // The first parts are larger by one row.
    let (size, larger) = (rows / count, rows % count);
    let in_larger = larger * (size + 1);
    let tile = |row: usize| match row < in_larger {
        true => row / (size + 1) + 1,
        false => larger + (row - in_larger) / size.max(1) + 1,
    };
    Ok(Arc::new(Int64Array::from_iter_values((0..rows).map(|row| tile(row) as i64))))
}

/// Numbers as integers; NULL for those that are none.
fn integers(numbers: &ArrayRef) -> Result<Int64Array> {
    if *numbers.data_type() == DataType::Float64 {
        let whole = |number: f64| {
            let integer = number as i64;
            (integer as f64 == number).then_some(integer)
        };
        let numbers = numbers.as_primitive::<Float64Type>();
        return Ok(numbers.iter().map(|number| number.and_then(whole)).collect());
    }
    Ok(cast(numbers, &DataType::Int64)?.as_primitive::<Int64Type>().clone())
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::Float64Array;
    use datafusion::error::DataFusionError;

    use super::*;

    #[test]
    fn values_of_rows_before_and_after_are_found_by_integers() {
        let values: ArrayRef = Arc::new(Int64Array::from(vec![10, 11, 12, 13]));
        let steps: ArrayRef =
            Arc::new(Float64Array::from(vec![Some(0.0), Some(2.0), Some(1.5), None]));
        let steps = integers(&steps).unwrap();
        let moved = |step| {
            let moved = moved(&values, &steps, step).unwrap();
            moved.as_primitive::<Int64Type>().iter().collect::<Vec<_>>()
        };
        assert_eq!(moved(i64::checked_sub), [Some(10), None, None, None]);
        assert_eq!(moved(i64::checked_add), [Some(10), Some(13), None, None]);
    }

    #[test]
    fn lag_looks_ahead_by_one_row_at_most() {
        let lag = |offset: i64| {
            let values: ArrayRef = Arc::new(Int64Array::from(vec![10, 11, 12]));
            let offsets: ArrayRef = Arc::new(Int64Array::from(vec![1, offset, 0]));
            let lag = Evaluator { kind: Kind::Lag, row: 0 }.evaluate_all(&[values, offsets], 3)?;
            Ok::<_, DataFusionError>(lag.as_primitive::<Int64Type>().iter().collect::<Vec<_>>())
        };
        assert_eq!(lag(-1).unwrap(), [None, Some(12), Some(12)]);
        let error = lag(-2).unwrap_err().to_string();
        assert!(error.contains("write lead() with 2 for a row after the current one"), "{error}");
    }

    #[test]
    fn the_first_tiles_are_larger() {
        let tiles = |count: i64, rows| {
            let count: ArrayRef = Arc::new(Int64Array::from(vec![count; rows]));
            tiles(&count, rows).map(|tiles| tiles.as_primitive::<Int64Type>().values().to_vec())
        };
        assert_eq!(tiles(3, 8).unwrap(), [1, 1, 1, 2, 2, 2, 3, 3]);
        assert_eq!(tiles(3, 2).unwrap(), [1, 2]);
        assert_eq!(tiles(1, 2).unwrap(), [1, 1]);
        assert!(tiles(0, 2).is_err());
        let count: ArrayRef = Arc::new(Float64Array::from(vec![2.9; 3]));
        let halves = super::tiles(&count, 3).unwrap();
        assert_eq!(halves.as_primitive::<Int64Type>().values(), &[1, 1, 2]);
    }
}
