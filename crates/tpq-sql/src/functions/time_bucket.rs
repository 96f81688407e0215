//! `time_bucket(width, ts[, origin])`, also called `date_bin`: the start of the interval that a
//! time lies in, in ns. The width is a number of ns, or an `INTERVAL` without months.
//!
//! DataFusion's own `date_bin` takes values of its time types, and still gets these.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    DataType, Field, FieldRef, Int64Type, IntervalMonthDayNano, IntervalMonthDayNanoType,
    IntervalUnit,
};
use datafusion::common::{Result, exec_err, plan_err};
use datafusion::functions::datetime::date_bin;
use datafusion::logical_expr::sort_properties::{ExprProperties, SortProperties};
use datafusion::logical_expr::type_coercion::functions::fields_with_udf;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::per_row::short_name;

const DAY: i64 = 24 * 60 * 60 * 1_000_000_000;

/// `time_bucket` or `date_bin`.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct TimeBucket {
    name: &'static str,
    signature: Signature,
}

pub(super) fn functions() -> [TimeBucket; 2] {
    ["time_bucket", "date_bin"]
        .map(|name| TimeBucket { name, signature: Signature::user_defined(Volatility::Immutable) })
}

/// Whether a type is that of times in ns.
fn is_number(data_type: &DataType) -> bool {
    data_type.is_numeric() || matches!(data_type, DataType::Null | DataType::Boolean)
}

impl ScalarUDFImpl for TimeBucket {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        short_name(self.name, args)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        let wrong = || plan_err!("{}() takes a width, a time and optionally an origin", self.name);
        let [width, times @ ..] = types else { return wrong() };
        if times.is_empty() || times.len() > 2 {
            return wrong();
        }
        if times.iter().all(is_number) {
            let width = match width {
                DataType::Interval(_) => DataType::Interval(IntervalUnit::MonthDayNano),
                number if is_number(number) => DataType::Int64,
                _ => return wrong(),
            };
            let times = times.iter().map(|_| DataType::Int64);
            return Ok(std::iter::once(width).chain(times).collect());
        }
        let field = |data_type: &DataType| -> FieldRef {
            Arc::new(Field::new("argument", data_type.clone(), true))
        };
        let fields: Vec<FieldRef> = types.iter().map(field).collect();
        let fields = fields_with_udf(&fields, date_bin().as_ref())?;
        Ok(fields.iter().map(|field| field.data_type().clone()).collect())
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types.get(1) {
            Some(DataType::Int64) => Ok(DataType::Int64),
            _ => date_bin().return_type(types),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if *args.return_field.data_type() != DataType::Int64 {
            return date_bin().invoke_with_args(args);
        }
        let mut arrays = Vec::with_capacity(args.args.len());
        for arg in &args.args {
            arrays.push(arg.to_array(args.number_rows)?);
        }
        let [width, times @ ..] = &arrays[..] else {
            return exec_err!("{}() takes a width and a time", self.name);
        };
        let integers =
            |times: &ArrayRef| -> Result<ArrayRef> { Ok(cast(times, &DataType::Int64)?) };
        let times = times.iter().map(integers).collect::<Result<Vec<_>>>()?;
        let [ts, origin @ ..] = &times[..] else {
            return exec_err!("{}() takes a time", self.name);
        };
        let (widths, ts) = (widths(width)?, ts.as_primitive::<Int64Type>());
        let origin = origin.first().map(|origin| origin.as_primitive::<Int64Type>());
        let mut starts = Vec::with_capacity(ts.len());
        for (row, (ts, width)) in ts.iter().zip(&widths).enumerate() {
            let origin = match origin {
                Some(origin) => origin.is_valid(row).then(|| origin.value(row)),
                None => Some(0),
            };
            starts.push(match (width, ts, origin) {
                (Some(width), Some(ts), Some(origin)) => self.start(width, ts, origin)?,
                _ => None,
            });
        }
        Ok(ColumnarValue::Array(Arc::new(Int64Array::from(starts))))
    }

    fn output_ordering(&self, inputs: &[ExprProperties]) -> Result<SortProperties> {
        date_bin().output_ordering(inputs)
    }
}

impl TimeBucket {
    /// The start of the interval of `ts`; `None` if it is not a 64-bit integer.
    fn start(&self, width: i64, ts: i64, origin: i64) -> Result<Option<i64>> {
        if width <= 0 {
            return exec_err!("{}() takes a width of at least 1 ns", self.name);
        }
        let (width, origin) = (i128::from(width), i128::from(origin));
        let intervals = (i128::from(ts) - origin).div_euclid(width);
        Ok(i64::try_from(origin + intervals * width).ok())
    }
}

/// The widths in ns.
fn widths(array: &ArrayRef) -> Result<Int64Array> {
    let Some(intervals) = array.as_primitive_opt::<IntervalMonthDayNanoType>() else {
        return Ok(cast(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone());
    };
    let ns = |interval: IntervalMonthDayNano| {
        let days = i64::from(interval.days).checked_mul(DAY);
        match days.and_then(|days| days.checked_add(interval.nanoseconds)) {
            Some(ns) if interval.months == 0 => Ok(ns),
            _ => exec_err!("a width in months or years has no fixed length in ns"),
        }
    };
    intervals.try_unary(ns)
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::IntervalMonthDayNanoArray;

    use super::*;

    #[test]
    fn intervals_begin_at_multiples_of_the_width_from_the_origin() {
        let [bucket, _] = functions();
        let start = |width, ts, origin| bucket.start(width, ts, origin).unwrap();
        assert_eq!(start(10, 1_234, 0), Some(1_230));
        assert_eq!(start(10, 1_234, 5), Some(1_225));
        assert_eq!(start(10, 1_235, 5), Some(1_235));
        assert_eq!(start(10, -1, 0), Some(-10));
        assert_eq!(start(10, 3, 1_000), Some(0));
        assert_eq!(start(3, i64::MIN, 0), None);
        assert!(bucket.start(0, 1, 0).is_err());
    }

    #[test]
    fn widths_are_numbers_or_intervals() {
        let interval = |months, days, ns| {
            let interval = IntervalMonthDayNano::new(months, days, ns);
            widths(&(Arc::new(IntervalMonthDayNanoArray::from(vec![interval])) as ArrayRef))
        };
        assert_eq!(interval(0, 0, 5).unwrap().value(0), 5);
        assert_eq!(interval(0, 1, 5).unwrap().value(0), 86_400_000_000_005);
        assert!(interval(1, 0, 0).is_err());
        let numbers: ArrayRef = Arc::new(Int64Array::from(vec![7]));
        assert_eq!(widths(&numbers).unwrap().value(0), 7);
    }
}
