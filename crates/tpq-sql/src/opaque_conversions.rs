//! Conversions and divisions of which DataFusion concludes too much.
//!
//! A filter of DataFusion works out the values that its columns can have, and takes an integer
//! division for an exact one: after `dur / 1000 = 3` it holds `dur` for the constant 3000 and leaves
//! it out of ORDER BY. The same goes for `(dur > 5) = 0` and other conversions that are not one to
//! one. And a projection takes the text of the greatest number for the greatest of the texts. Such
//! expressions become calls, of which nothing is concluded.

use std::sync::Arc;

use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, Result, ScalarValue, exec_err};
use datafusion::logical_expr::expr::{Cast, ScalarFunction};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ReturnFieldArgs,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::functions::is_text;
use crate::named_expressions::rewrite_expressions;
use crate::step_rules::StepRule;

/// Makes calls of such expressions, after the other rules: these still see operators.
pub(crate) const OPAQUE_CONVERSIONS: StepRule =
    StepRule { name: "opaque_conversions", rewrite: with_opaque };

fn with_opaque(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let opaque: fn(Expr, &DFSchema) -> Result<Transformed<Expr>> = match &plan {
        LogicalPlan::Filter(_) => opaque_in_filter,
        LogicalPlan::Projection(_) => opaque_in_projection,
        _ => return Ok(Transformed::no(plan)),
    };
    let schema = merge_schema(&plan.inputs());
    rewrite_expressions(plan, |expr| opaque(expr, &schema))
}

/// The functions of these calls, for plans from other processes.
pub(crate) fn functions() -> [Arc<ScalarUDF>; 2] {
    let converted = Converted::to(DataType::Utf8View);
    [Arc::new(ScalarUDF::from(Quotient::default())), Arc::new(ScalarUDF::from(converted))]
}

fn opaque_in_filter(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Divide, right })
            if is_integer(&left, schema) && is_integer(&right, schema) =>
        {
            Ok(Transformed::yes(call(Quotient::default(), vec![*left, *right])))
        }
        Expr::Cast(cast) => {
            let from = cast.expr.get_type(schema)?;
            let target = cast.field.data_type();
            let is_rounded = from.is_floating() && target.is_integer();
            Ok(match from == DataType::Boolean && target.is_numeric() || is_rounded {
                true => Transformed::yes(converted(cast)),
                false => Transformed::no(Expr::Cast(cast)),
            })
        }
        other => Ok(Transformed::no(other)),
    }
}

fn opaque_in_projection(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::Cast(cast) if is_text(cast.field.data_type()) => {
            Ok(match cast.expr.get_type(schema)?.is_numeric() {
                true => Transformed::yes(converted(cast)),
                false => Transformed::no(Expr::Cast(cast)),
            })
        }
        other => Ok(Transformed::no(other)),
    }
}

fn is_integer(expr: &Expr, schema: &DFSchema) -> bool {
    matches!(expr.get_type(schema), Ok(DataType::Int64))
}

fn converted(cast: Cast) -> Expr {
    call(Converted::to(cast.field.data_type().clone()), vec![*cast.expr])
}

fn call(function: impl ScalarUDFImpl + 'static, args: Vec<Expr>) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::from(function)), args))
}

/// `CAST(x AS …)` as the engine has it.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Converted {
    target: DataType,
    signature: Signature,
}

impl Converted {
    fn to(target: DataType) -> Self {
        Self { target, signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Converted {
    fn name(&self) -> &str {
        "__converted"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.target.clone())
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let may_be_null = args.arg_fields.iter().any(|field| field.is_nullable());
        Ok(Arc::new(Field::new(self.name(), self.target.clone(), may_be_null)))
    }

    // The type is that of the call: a plan from another process has the function by its name alone.
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match &args.args[..] {
            [value] => value.cast_to(args.return_field.data_type(), None),
            _ => exec_err!("a conversion takes 1 value"),
        }
    }
}

/// `x / y` for integers, of which `y` is not 0.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Quotient {
    signature: Signature,
}

impl Default for Quotient {
    fn default() -> Self {
        Self { signature: Signature::exact(vec![DataType::Int64; 2], Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for Quotient {
    fn name(&self) -> &str {
        "__quotient"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = &args.args[..] else { return exec_err!("`/` takes 2 operands") };
        Ok(match (left, right) {
            (ColumnarValue::Array(left), ColumnarValue::Array(right)) => {
                ColumnarValue::Array(numeric::div(left, right)?)
            }
            (ColumnarValue::Array(left), ColumnarValue::Scalar(right)) => {
                ColumnarValue::Array(numeric::div(left, &right.to_scalar()?)?)
            }
            (ColumnarValue::Scalar(left), ColumnarValue::Array(right)) => {
                ColumnarValue::Array(numeric::div(&left.to_scalar()?, right)?)
            }
            (ColumnarValue::Scalar(left), ColumnarValue::Scalar(right)) => {
                let quotient = numeric::div(&left.to_scalar()?, &right.to_scalar()?)?;
                ColumnarValue::Scalar(ScalarValue::try_from_array(&quotient, 0)?)
            }
        })
    }
}
