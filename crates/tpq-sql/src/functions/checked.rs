//! `+`, `-` and `*` on integers, with an error where the result is out of range. DataFusion's
//! operators wrap around, and SQLite's give a real, for which a column of integers has no room.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Datum, Scalar};
use datafusion::arrow::compute::cast;
use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::error::ArrowError;
use datafusion::common::{Result, ScalarValue, exec_datafusion_err, exec_err};
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    ColumnarValue, Expr, Operator, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
    binary_expr, cast as cast_expr,
};

use super::equal_by_name::equal_by_name;
use super::per_row::short_name;

/// `x + y`
pub(crate) const ADD: &str = "__add";
/// `x - y`
pub(crate) const SUBTRACT: &str = "__subtract";
/// `x * y`
pub(crate) const MULTIPLY: &str = "__multiply";

type Kernel = fn(&dyn Datum, &dyn Datum) -> Result<ArrayRef, ArrowError>;

/// An operator on two integers, by arrow's kernel that reports overflow.
#[derive(Debug)]
pub(super) struct CheckedOperator {
    name: &'static str,
    sign: char,
    operator: Operator,
    kernel: Kernel,
    signature: Signature,
}

pub(super) fn checked_operators() -> [CheckedOperator; 3] {
    let operator = |name, sign, operator, kernel| {
        // Any types: those of some operands are only known after planning.
        let signature = Signature::any(2, Volatility::Immutable);
        CheckedOperator { name, sign, operator, kernel, signature }
    };
    [
        operator(ADD, '+', Operator::Plus, numeric::add as Kernel),
        operator(SUBTRACT, '-', Operator::Minus, numeric::sub),
        operator(MULTIPLY, '*', Operator::Multiply, numeric::mul),
    ]
}

equal_by_name!(CheckedOperator);

impl ScalarUDFImpl for CheckedOperator {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        short_name(self.name, args)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(if types.iter().all(is_integer) { DataType::Int64 } else { DataType::Float64 })
    }

    /// Replaces the call by DataFusion's operator if an operand is not an integer after all.
    fn simplify(&self, args: Vec<Expr>, info: &SimplifyContext) -> Result<ExprSimplifyResult> {
        let types = args.iter().map(|arg| info.get_data_type(arg)).collect::<Result<Vec<_>>>()?;
        let [left, right] = &args[..] else { return Ok(ExprSimplifyResult::Original(args)) };
        if types.iter().all(is_integer) || !types.iter().all(DataType::is_numeric) {
            return Ok(ExprSimplifyResult::Original(args));
        }
        let real = |expr: &Expr| cast_expr(expr.clone(), DataType::Float64);
        Ok(ExprSimplifyResult::Simplified(binary_expr(real(left), self.operator, real(right))))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = &args.args[..] else {
            return exec_err!("{} takes 2 arguments", self.name);
        };
        let integers = is_integer(&left.data_type()) && is_integer(&right.data_type());
        let to = if integers { DataType::Int64 } else { DataType::Float64 };
        let (left_side, right_side) = (operand(left, &to)?, operand(right, &to)?);
        let result = (self.kernel)(&*left_side, &*right_side).map_err(|error| match error {
            ArrowError::ArithmeticOverflow(values) => exec_datafusion_err!(
                "integer overflow in `{}`: {}; write CAST(x AS REAL) for one of the operands",
                self.sign,
                values.trim_start_matches("Overflow happened on: ")
            ),
            other => other.into(),
        })?;
        let constant =
            matches!((left, right), (ColumnarValue::Scalar(_), ColumnarValue::Scalar(_)));
        match constant {
            true => Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?)),
            false => Ok(ColumnarValue::Array(result)),
        }
    }
}

fn is_integer(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Null | DataType::Boolean) || data_type.is_integer()
}

/// An operand for the kernels: one value for each row, or one for all rows.
fn operand(value: &ColumnarValue, to: &DataType) -> Result<Box<dyn Datum>> {
    let converted = |array: &ArrayRef| match array.data_type() == to {
        true => Ok(Arc::clone(array)),
        false => cast(array, to),
    };
    Ok(match value {
        ColumnarValue::Array(array) => Box::new(converted(array)?),
        ColumnarValue::Scalar(scalar) => Box::new(Scalar::new(converted(&scalar.to_array()?)?)),
    })
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::Int64Array;
    use datafusion::arrow::datatypes::Field;
    use datafusion::config::ConfigOptions;

    use super::*;

    fn run(name: &str, left: ColumnarValue, right: ColumnarValue) -> Result<ColumnarValue> {
        let operator = checked_operators().into_iter().find(|it| it.name == name).unwrap();
        operator.invoke_with_args(ScalarFunctionArgs {
            args: vec![left, right],
            arg_fields: vec![],
            number_rows: 2,
            return_field: Arc::new(Field::new("", DataType::Int64, true)),
            config_options: Arc::new(ConfigOptions::new()),
        })
    }

    fn scalar(value: i64) -> ColumnarValue {
        ColumnarValue::Scalar(ScalarValue::Int64(Some(value)))
    }

    fn column(values: Vec<Option<i64>>) -> ColumnarValue {
        ColumnarValue::Array(Arc::new(Int64Array::from(values)))
    }

    #[test]
    fn results_in_range_are_those_of_the_operator() {
        let sum = run(ADD, column(vec![Some(1), None]), scalar(2)).unwrap();
        let ColumnarValue::Array(sum) = sum else { panic!("a column became a constant") };
        assert_eq!(*sum, *(Arc::new(Int64Array::from(vec![Some(3), None])) as ArrayRef));
        let ColumnarValue::Scalar(product) = run(MULTIPLY, scalar(-3), scalar(7)).unwrap() else {
            panic!("a constant became a column")
        };
        assert_eq!(product, ScalarValue::Int64(Some(-21)));
    }

    #[test]
    fn overflow_is_an_error_that_names_the_operands() {
        let error = run(SUBTRACT, column(vec![Some(0), Some(i64::MIN)]), scalar(1)).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("integer overflow in `-`"), "{message}");
        assert!(message.contains("-9223372036854775808 - 1"), "{message}");
        assert!(run(MULTIPLY, scalar(i64::MAX), scalar(2)).is_err());
        assert!(run(ADD, scalar(i64::MAX), scalar(1)).is_err());
    }
}
