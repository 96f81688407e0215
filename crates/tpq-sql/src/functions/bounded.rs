//! Size checks for DataFusion's functions with results that can be much longer than their
//! arguments. The check runs before the function.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    DataType, FieldRef, Int64Type, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit,
    TimeUnit, TimestampMicrosecondType,
};
use datafusion::common::Result;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Documentation, Expr, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature,
};

use super::budget::Budget;

/// Computes an upper bound, in bytes, of the results for a number of rows.
type Size = fn(&[ColumnarValue], usize) -> Result<usize>;

/// The functions with checks, and the upper bounds of their results.
const FUNCTIONS: &[(&str, Size)] = &[
    ("array_repeat", repeated),
    ("array_resize", resized),
    ("encode", linear),
    ("generate_series", series),
    ("initcap", linear),
    ("make_array", linear),
    ("overlay", linear),
    ("range", series),
    ("string_to_array", parts),
    ("array_append", linear),
    ("array_concat", linear),
    ("array_prepend", linear),
    ("array_to_string", parts),
    ("translate", linear),
];

/// Wraps a registered function with a size check; `None` if it needs none.
pub(crate) fn bounded(function: &Arc<ScalarUDF>) -> Option<ScalarUDF> {
    let (_, size) = FUNCTIONS.iter().find(|(name, _)| *name == function.name())?;
    Some(ScalarUDF::new_from_impl(Bounded { function: Arc::clone(function), size: *size }))
}

/// A function with a size check before each call.
#[derive(Debug)]
struct Bounded {
    function: Arc<ScalarUDF>,
    size: Size,
}

impl PartialEq for Bounded {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function
    }
}

impl Eq for Bounded {}

impl Hash for Bounded {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.function.hash(state);
    }
}

impl ScalarUDFImpl for Bounded {
    fn name(&self) -> &str {
        self.function.name()
    }

    fn aliases(&self) -> &[String] {
        self.function.aliases()
    }

    fn signature(&self) -> &Signature {
        self.function.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.function.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.function.return_field_from_args(args)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.function.coerce_types(types)
    }

    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.function.simplify(args, info)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.function.documentation()
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let mut budget = Budget::new(self.function.name(), &args.config_options).for_rows(rows);
        budget.reserve_batch((self.size)(&args.args, rows)?)?;
        self.function.invoke_with_args(args)
    }
}

/// Four times the size of the arguments: a character can become one of four bytes, and a byte can
/// become two digits.
fn linear(args: &[ColumnarValue], rows: usize) -> Result<usize> {
    let sizes = args.iter().map(|arg| bytes_of(arg, rows)).collect::<Result<Vec<_>>>()?;
    Ok(sizes.into_iter().fold(0, usize::saturating_add).saturating_mul(4))
}

/// The bound for splitting and joining: each byte can become an element, and each element can get
/// a separator.
fn parts(args: &[ColumnarValue], rows: usize) -> Result<usize> {
    const ELEMENT: usize = 16;
    let separators = args.get(1..).unwrap_or_default().iter().map(longest);
    let separator = separators.collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or(0);
    let each = separator.saturating_mul(4).max(ELEMENT);
    Ok(linear(args.get(..1).unwrap_or_default(), rows)?.saturating_mul(each / 4))
}

/// The length in bytes of the longest text of an argument.
fn longest(arg: &ColumnarValue) -> Result<usize> {
    let array = match arg {
        ColumnarValue::Array(array) => Arc::clone(array),
        ColumnarValue::Scalar(_) => arg.to_array(1)?,
    };
    let texts = cast(&array, &DataType::Utf8View)?;
    let lengths = texts.as_string_view().iter().flatten().map(str::len);
    Ok(lengths.max().unwrap_or(0))
}

/// The size of the first argument, repeated as often as the second says.
fn repeated(args: &[ColumnarValue], rows: usize) -> Result<usize> {
    let [element, count, ..] = args else { return Ok(0) };
    let counts = integers(count, rows)?;
    let each = bytes_of(element, rows)?.div_ceil(rows.max(1)).max(8);
    let all = counts.iter().map(|count| usize::try_from(*count).unwrap_or(0));
    Ok(all.fold(0, usize::saturating_add).saturating_mul(each))
}

/// The size of an array with as many elements as the second argument says.
fn resized(args: &[ColumnarValue], rows: usize) -> Result<usize> {
    let [array, count, ..] = args else { return Ok(0) };
    let filler_size = args.get(2).map_or(Ok(0), |filler| bytes_of(filler, 1))?.max(8);
    let all = integers(count, rows)?.into_iter().map(|count| usize::try_from(count).unwrap_or(0));
    let all = all.fold(0, usize::saturating_add).saturating_mul(filler_size);
    Ok(all.saturating_add(bytes_of(array, rows)?))
}

/// The size of the integers from the first argument to the second, in steps of the third.
fn series(args: &[ColumnarValue], rows: usize) -> Result<usize> {
    let is_integer = |arg: &ColumnarValue| arg.data_type().is_integer();
    if !args.iter().all(is_integer) {
        return dates(args, rows);
    }
    let columns = args.iter().map(|arg| integers(arg, rows)).collect::<Result<Vec<_>>>()?;
    let mut size = 0_usize;
    for row in 0..rows {
        let at = |column: usize| columns.get(column).and_then(|values| values.get(row)).copied();
        let (start, stop) = match columns.len() {
            1 => (0, at(0)),
            _ => (at(0).unwrap_or(0), at(1)),
        };
        let step = at(2).unwrap_or(1).unsigned_abs().max(1);
        let count = stop.unwrap_or(start).abs_diff(start) / step + 1;
        size = size.saturating_add(usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(8));
    }
    Ok(size)
}

/// The size of the timestamps from the first argument to the second, in steps of the third.
fn dates(args: &[ColumnarValue], rows: usize) -> Result<usize> {
    const MICROSECONDS: DataType = DataType::Timestamp(TimeUnit::Microsecond, None);
    const STEPS: DataType = DataType::Interval(IntervalUnit::MonthDayNano);
    let [start, stop, step] = args else { return linear(args, rows) };
    let as_type = |arg: &ColumnarValue, to| cast(&arg.to_array(rows)?, to).map_err(Into::into);
    let timestamps = |arg| -> Result<ArrayRef> { as_type(arg, &MICROSECONDS) };
    let (starts, stops, steps) = (timestamps(start)?, timestamps(stop)?, as_type(step, &STEPS)?);
    let timestamps = |array: &ArrayRef| array.as_primitive::<TimestampMicrosecondType>().clone();
    let (starts, stops) = (timestamps(&starts), timestamps(&stops));
    let steps = steps.as_primitive::<IntervalMonthDayNanoType>();
    let mut size = 0_usize;
    for ((start, stop), step) in starts.iter().zip(&stops).zip(steps) {
        let (Some(start), Some(stop), Some(step)) = (start, stop, step) else { continue };
        let distance = u128::from(start.abs_diff(stop)) * 1_000;
        let count = usize::try_from(distance / min_nanoseconds(step) + 1).unwrap_or(usize::MAX);
        size = size.saturating_add(count.saturating_mul(8));
    }
    Ok(size)
}

/// The shortest length of a step in ns, with months of 28 days.
fn min_nanoseconds(step: IntervalMonthDayNano) -> u128 {
    const DAY: i128 = 86_400_000_000_000;
    let days = i128::from(step.months) * 28 + i128::from(step.days);
    (days * DAY + i128::from(step.nanoseconds)).unsigned_abs().max(1)
}

fn integers(arg: &ColumnarValue, rows: usize) -> Result<Vec<i64>> {
    let array = cast(&arg.to_array(rows)?, &DataType::Int64)?;
    Ok(array.as_primitive::<Int64Type>().iter().map(|value| value.unwrap_or(0)).collect())
}

/// The size in bytes of an argument in all rows. A scalar counts once for each row.
fn bytes_of(arg: &ColumnarValue, rows: usize) -> Result<usize> {
    Ok(match arg {
        ColumnarValue::Array(array) => array_bytes(array),
        ColumnarValue::Scalar(_) => array_bytes(&arg.to_array(1)?).saturating_mul(rows),
    })
}

fn array_bytes(array: &ArrayRef) -> usize {
    let views = |views: &[u128]| -> usize {
        // The first 32 bits of a view are the length of its text.
        views.iter().map(|view| (*view & u128::from(u32::MAX)) as usize).sum()
    };
    match array.data_type() {
        DataType::Utf8View => views(array.as_string_view().views()),
        DataType::BinaryView => views(array.as_binary_view().views()),
        _ => {
            let all = array.get_array_memory_size();
            array.to_data().get_slice_memory_size().unwrap_or(all)
        }
    }
}
