//! The values that a subplan is run with.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::scalar_subquery::ScalarSubqueryExpr;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};

/// Holds the values that a subplan's parameters have in the run that is going on.
#[derive(Clone, Debug, Default)]
pub(super) struct ParameterSlot(Arc<RwLock<Vec<ScalarValue>>>);

impl ParameterSlot {
    pub(super) fn set(&self, values: Vec<ScalarValue>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = values;
    }

    fn get(&self, index: usize) -> Option<ScalarValue> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(index).cloned()
    }

    /// The plan with calls of a function that reads this slot in place of `$1.1`, `$2.2`…
    ///
    /// It is done after optimisation, which would evaluate the function there and then, and which
    /// leaves `$1.1` alone.
    pub(super) fn read_by(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        plan.transform_up_with_subqueries(|node| {
            node.map_expressions(|expr| {
                expr.transform(|expr| {
                    Ok(self.call(&expr).map_or(Transformed::no(expr), Transformed::yes))
                })
            })
        })
        .data()
    }

    fn call(&self, expr: &Expr) -> Option<Expr> {
        let Expr::Placeholder(placeholder) = expr else { return None };
        let index = placeholder
            .id
            .strip_prefix('$')?
            .split('.')
            .next()?
            .parse::<usize>()
            .ok()?
            .checked_sub(1)?;
        let function = Parameter {
            slot: self.clone(),
            index,
            name: placeholder.id.clone(),
            data_type: placeholder.field.as_ref()?.data_type().clone(),
            signature: Signature::exact(Vec::new(), Volatility::Stable),
        };
        let function = Arc::new(ScalarUDF::new_from_impl(function));
        Some(Expr::ScalarFunction(ScalarFunction::new_udf(function, Vec::new())))
    }
}

/// The function that returns a parameter.
#[derive(Debug)]
struct Parameter {
    slot: ParameterSlot,
    index: usize,
    name: String,
    data_type: DataType,
    signature: Signature,
}

impl PartialEq for Parameter {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slot.0, &other.slot.0) && self.index == other.index
    }
}

impl Eq for Parameter {}

impl Hash for Parameter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.slot.0).hash(state);
        self.index.hash(state);
    }
}

impl ScalarUDFImpl for Parameter {
    fn name(&self) -> &str {
        &self.name
    }

    // Columns are named after the placeholder; they keep their name.
    fn schema_name(&self, _: &[Expr]) -> Result<String> {
        Ok(self.name.clone())
    }

    fn display_name(&self, _: &[Expr]) -> Result<String> {
        Ok(self.name.clone())
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.data_type.clone())
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match self.slot.get(self.index) {
            // Texts come in several types.
            Some(value) if value.data_type() != self.data_type => {
                ColumnarValue::Scalar(value).cast_to(&self.data_type, None)
            }
            Some(value) => Ok(ColumnarValue::Scalar(value)),
            None => internal_err!("{} was read before it had a value", self.name),
        }
    }
}

/// Whether an expression is a parameter or the result of a subquery: the same for all rows, and
/// known when the plan runs.
pub(crate) fn is_known_when_run(expr: &Arc<dyn PhysicalExpr>) -> bool {
    let call = expr.downcast_ref::<ScalarFunctionExpr>();
    call.is_some_and(|call| call.fun().inner().is::<Parameter>()) || expr.is::<ScalarSubqueryExpr>()
}

/// The predicate with the values that its parameters and subqueries have at this moment, for
/// code that inspects the predicate itself rather than evaluates it.
///
/// # Errors
/// When a value is asked for before there is one.
pub(crate) fn with_known_values(predicate: Arc<dyn PhysicalExpr>) -> Result<Arc<dyn PhysicalExpr>> {
    let no_columns = Arc::new(Schema::empty());
    let one_row = RecordBatchOptions::new().with_row_count(Some(1));
    let row = RecordBatch::try_new_with_options(no_columns, Vec::new(), &one_row)?;
    let known = predicate.transform_up(|expr| {
        if !is_known_when_run(&expr) {
            return Ok(Transformed::no(expr));
        }
        match expr.evaluate(&row)? {
            ColumnarValue::Scalar(value) => {
                let value: Arc<dyn PhysicalExpr> = Arc::new(Literal::new(value));
                Ok(Transformed::yes(value))
            }
            ColumnarValue::Array(_) => Ok(Transformed::no(expr)),
        }
    });
    known.data()
}
