//! The operators `->` and `->>`, and comparisons of extracted values.

use std::sync::{Arc, LazyLock};

use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr};
use datafusion::logical_expr::{Expr, ExprSchemable, ScalarUDF};
use datafusion::sql::sqlparser::ast::BinaryOperator;

use super::function::Output;
use super::read::{GET, GET_VALUE};
use crate::functions::{COMPARABLE, sqlite_call};

/// Plans the operators on JSON.
///
/// An extracted value is a text in a column, whatever its type is. Compared with a number, it is
/// read as a number; other text is greater than every number, as in SQLite.
#[derive(Debug)]
pub(in super::super) struct JsonOperators;

impl ExprPlanner for JsonOperators {
    fn plan_binary_op(
        &self,
        mut expr: RawBinaryExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawBinaryExpr>> {
        use BinaryOperator::{Arrow, Eq, Gt, GtEq, LongArrow, Lt, LtEq, NotEq};
        let name = match expr.op {
            Arrow => GET,
            LongArrow => GET_VALUE,
            Eq | NotEq | Lt | LtEq | Gt | GtEq => {
                if is_extracted(&expr.left, schema) && is_number(&expr.right, schema) {
                    expr.left = sqlite_call(COMPARABLE, expr.left);
                } else if is_extracted(&expr.right, schema) && is_number(&expr.left, schema) {
                    expr.right = sqlite_call(COMPARABLE, expr.right);
                }
                return Ok(PlannerResult::Original(expr));
            }
            _ => return Ok(PlannerResult::Original(expr)),
        };
        let RawBinaryExpr { left, right, .. } = expr;
        Ok(PlannerResult::Planned(json_call(name, vec![left, right])))
    }
}

/// Whether an expression is a value that was taken out of JSON, of whatever type.
pub(crate) fn is_extracted(expr: &Expr, schema: &DFSchema) -> bool {
    let may_be = matches!(
        expr,
        Expr::Column(_) | Expr::Alias(_) | Expr::ScalarFunction(_) | Expr::ScalarSubquery(_)
    );
    may_be && expr.to_field(schema).is_ok_and(|(_, field)| Output::Extracted.marks(&field))
}

fn is_number(expr: &Expr, schema: &DFSchema) -> bool {
    expr.get_type(schema).is_ok_and(|data_type| data_type.is_numeric())
}

/// Builds a call of one of the functions on JSON; NULL if there is no such function.
pub(in super::super) fn json_call(name: &str, args: Vec<Expr>) -> Expr {
    static FUNCTIONS: LazyLock<Vec<Arc<ScalarUDF>>> = LazyLock::new(|| {
        let functions = super::functions().into_iter();
        functions.map(ScalarUDF::new_from_impl).map(Arc::new).collect()
    });
    match FUNCTIONS.iter().find(|function| function.name() == name) {
        Some(function) => function.call(args),
        None => Expr::Literal(datafusion::common::ScalarValue::Null, None),
    }
}
