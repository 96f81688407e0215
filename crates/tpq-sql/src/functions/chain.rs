//! Long chains of operators as one call, so that a long chain does not become a deep plan.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, BooleanArray, Datum, Scalar};
use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::compute::{and_kleene, cast};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, exec_err, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::conversion::as_real;
use super::per_row::short_name;

/// A chain of AND: whether all arguments, which are conditions, are true.
pub(crate) const ALL_TRUE: &str = "__all_true";

/// A chain of arithmetic, from left to right: the first argument is a text of the operators `+`,
/// `-` and `*`, and the others are the operands.
pub(crate) const ARITHMETIC: &str = "__arithmetic";

/// See [`ALL_TRUE`].
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct AllTrue {
    signature: Signature,
}

impl Default for AllTrue {
    fn default() -> Self {
        Self { signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for AllTrue {
    fn name(&self) -> &str {
        ALL_TRUE
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        short_name(self.name(), args)
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args.args.iter().all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let mut all = BooleanArray::from(vec![true; rows]);
        for arg in &args.args {
            if let ColumnarValue::Scalar(ScalarValue::Boolean(Some(true))) = arg {
                continue;
            }
            let condition = cast(&arg.to_array(rows)?, &DataType::Boolean)?;
            all = and_kleene(&all, condition.as_boolean())?;
        }
        value(Arc::new(all), constant)
    }
}

/// See [`ARITHMETIC`].
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Arithmetic {
    signature: Signature,
}

impl Default for Arithmetic {
    fn default() -> Self {
        Self { signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

/// The number type for an operand: integer or real.
fn number_type(operand: &DataType) -> DataType {
    match operand {
        DataType::Boolean | DataType::Null => DataType::Int64,
        integer if integer.is_integer() => DataType::Int64,
        _ => DataType::Float64,
    }
}

impl ScalarUDFImpl for Arithmetic {
    fn name(&self) -> &str {
        ARITHMETIC
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        short_name(self.name(), args)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        let Some(operands) = types.get(1..).filter(|operands| !operands.is_empty()) else {
            return plan_err!("{ARITHMETIC}() takes operators and operands");
        };
        let real = operands.iter().any(|operand| number_type(operand) == DataType::Float64);
        Ok(if real { DataType::Float64 } else { DataType::Int64 })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some((ColumnarValue::Scalar(operators), operands)) = args.args.split_first() else {
            return exec_err!("{ARITHMETIC}() takes operators and operands");
        };
        let operators = operators.try_as_str().flatten().unwrap_or_default().bytes();
        let mut operands = operands.iter().map(|operand| number(operand, &args));
        let Some(first) = operands.next() else {
            return exec_err!("{ARITHMETIC}() takes operators and operands");
        };
        let mut result = first?;
        for (operator, operand) in operators.zip(operands) {
            result = result.apply(operator, &operand?)?;
        }
        let array = cast(&result.array, args.return_field.data_type())?;
        if result.constant {
            return value(array, true);
        }
        Ok(ColumnarValue::Array(array))
    }
}

/// An operand: one number for each row, or one for all rows.
struct Number {
    array: ArrayRef,
    constant: bool,
}

fn number(operand: &ColumnarValue, args: &ScalarFunctionArgs) -> Result<Number> {
    let constant = matches!(operand, ColumnarValue::Scalar(_));
    let rows = if constant { 1 } else { args.number_rows };
    let array = operand.to_array(rows)?;
    let array = match array.data_type() {
        text if super::is_text(text) || text.is_binary() => as_real(array, &args.config_options)?,
        other => cast(&array, &number_type(other))?,
    };
    Ok(Number { array, constant })
}

impl Number {
    fn apply(self, operator: u8, other: &Self) -> Result<Self> {
        let types = [self.array.data_type(), other.array.data_type()];
        let real = types.contains(&&DataType::Float64);
        let shared = if real { DataType::Float64 } else { DataType::Int64 };
        let (left, right) = (cast(&self.array, &shared)?, cast(&other.array, &shared)?);
        let (left, right) = (datum(left, self.constant), datum(right, other.constant));
        let array = match operator {
            b'+' => numeric::add(&*left, &*right),
            b'-' => numeric::sub(&*left, &*right),
            _ => numeric::mul(&*left, &*right),
        }
        .map_err(|_| exec_datafusion_err!("integer overflow: add CAST(x AS REAL)"))?;
        Ok(Self { array, constant: self.constant && other.constant })
    }
}

fn datum(array: ArrayRef, constant: bool) -> Box<dyn Datum> {
    if constant { Box::new(Scalar::new(array)) } else { Box::new(array) }
}

fn value(array: ArrayRef, constant: bool) -> Result<ColumnarValue> {
    Ok(match constant {
        true => ColumnarValue::Scalar(ScalarValue::try_from_array(&array, 0)?),
        false => ColumnarValue::Array(array),
    })
}
