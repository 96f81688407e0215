//! Values of samples: integers or reals.

use std::cmp::Ordering;

use datafusion::arrow::array::{ArrayRef, ArrowPrimitiveType, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type};
use datafusion::common::{Result, exec_err};

/// A number that is summed over samples.
pub(super) trait Amount: Copy + Default + PartialEq {
    /// The type of columns of these numbers.
    type Column: ArrowPrimitiveType<Native = Self>;

    /// The sum of two numbers.
    ///
    /// # Errors
    /// When there is no such number.
    fn plus(self, other: Self) -> Result<Self>;

    /// A total order.
    fn compared(&self, other: &Self) -> Ordering;
}

impl Amount for i64 {
    type Column = Int64Type;

    fn plus(self, other: Self) -> Result<Self> {
        match self.checked_add(other) {
            Some(sum) => Ok(sum),
            None => exec_err!("integer overflow in the values of a flamegraph"),
        }
    }

    fn compared(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }
}

impl Amount for f64 {
    type Column = Float64Type;

    fn plus(self, other: Self) -> Result<Self> {
        Ok(self + other)
    }

    fn compared(&self, other: &Self) -> Ordering {
        self.total_cmp(other)
    }
}

/// The type of the sums of a column: integers or reals. `None` for columns without numbers.
pub(super) fn sum_type(data_type: &DataType) -> Option<DataType> {
    match data_type {
        DataType::Null | DataType::Boolean => Some(DataType::Int64),
        data_type if data_type.is_integer() => Some(DataType::Int64),
        data_type if data_type.is_numeric() => Some(DataType::Float64),
        _ => None,
    }
}

/// The numbers of a column; `None` for NULL.
pub(super) fn amounts<A: Amount>(column: &ArrayRef) -> Result<Vec<Option<A>>> {
    let column = cast(column, &<A::Column as ArrowPrimitiveType>::DATA_TYPE)?;
    Ok(column.as_primitive::<A::Column>().iter().collect())
}
