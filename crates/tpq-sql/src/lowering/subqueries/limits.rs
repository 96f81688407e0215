//! LIMIT and OFFSET that a subquery gives.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::functions_window::expr_fn::row_number;
use datafusion::logical_expr::{
    Expr, ExprFunctionExt, Filter, Limit, LogicalPlan, LogicalPlanBuilder, Projection, Sort, lit,
    when,
};

use super::lower_node;

/// Name of the column of row numbers while they distinguish rows.
const NUMBER: &str = "__row_number";

/// Rewrites a limit as a filter on the numbers of the rows, since DataFusion wants to know before
/// it runs how many there are to be.
pub(super) fn lower(limit: Limit) -> Result<LogicalPlan> {
    let skip = limit.skip.map_or(lit(0_i64), |skip| *skip);
    let number = Expr::Column(NUMBER.into());
    let mut wanted = number.clone().gt(skip.clone());
    if let Some(fetch) = limit.fetch {
        // A negative limit is none.
        let skip = when(skip.clone().gt(lit(0_i64)), skip).otherwise(lit(0_i64))?;
        wanted = wanted.and(fetch.as_ref().clone().lt(lit(0_i64)).or(number.lt_eq(skip + *fetch)));
    }
    under_projections(Arc::unwrap_or_clone(limit.input), wanted)
}

fn under_projections(plan: LogicalPlan, wanted: Expr) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Projection(step) => {
            let input = under_projections(Arc::unwrap_or_clone(step.input), wanted)?;
            Ok(LogicalPlan::Projection(Projection::try_new(step.expr, Arc::new(input))?))
        }
        LogicalPlan::Sort(step) => {
            let number = row_number().order_by(step.expr.clone()).build()?;
            let input = numbered(Arc::unwrap_or_clone(step.input), number, wanted)?;
            let input = Arc::new(input);
            Ok(LogicalPlan::Sort(Sort { input, ..step }))
        }
        other => numbered(other, row_number(), wanted),
    }
}

/// The rows of a plan with row numbers in the range.
fn numbered(plan: LogicalPlan, number: Expr, wanted: Expr) -> Result<LogicalPlan> {
    let columns: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    let name = number.schema_name().to_string();
    let all = columns.iter().cloned().chain([Expr::Column(name.into()).alias(NUMBER)]);
    let numbered =
        LogicalPlanBuilder::from(plan).window(vec![number])?.project(all.collect::<Vec<_>>())?;
    let filter = Filter::try_new(wanted, Arc::new(numbered.build()?))?;
    let filtered = lower_node(LogicalPlan::Filter(filter))?;
    LogicalPlanBuilder::from(filtered).project(columns)?.build()
}
