//! EXISTS and IN as scalar subqueries, so that they can stand anywhere.

use std::sync::Arc;

use datafusion::common::{DFSchema, Result, ScalarValue, plan_err};
use datafusion::functions_aggregate::expr_fn::count;
use datafusion::logical_expr::{
    Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Subquery, col, lit, when,
};

use super::bind::inward;

/// A subquery of one value.
pub(super) fn scalar(plan: LogicalPlan) -> Expr {
    let outer_ref_columns = plan.all_out_ref_exprs();
    let spans = Default::default();
    Expr::ScalarSubquery(Subquery { subquery: Arc::new(plan), outer_ref_columns, spans })
}

/// Whether a plan has rows, as `(SELECT count(*) FROM plan) > 0`.
pub(super) fn exists(plan: LogicalPlan) -> Result<Expr> {
    let counted = LogicalPlanBuilder::from(bare(plan))
        .aggregate(Vec::<Expr>::new(), vec![count(lit(1_i64))])?
        .build()?;
    Ok(scalar(counted).gt(lit(0_i64)))
}

/// The plan without the steps that do not change whether it has rows.
fn bare(plan: LogicalPlan) -> LogicalPlan {
    match plan {
        LogicalPlan::Projection(projection) => bare(Arc::unwrap_or_clone(projection.input)),
        LogicalPlan::Sort(sort) if sort.fetch.is_none() => bare(Arc::unwrap_or_clone(sort.input)),
        plan => plan,
    }
}

/// Whether `value`, of a row of the query around it, is among the values of a plan: NULL where it
/// is not but could be, since it or one of them is NULL. Among no values there is nothing, not
/// even NULL.
pub(super) fn is_in(value: Expr, plan: LogicalPlan, row: &DFSchema) -> Result<Expr> {
    let Some(column) = plan.schema().columns().into_iter().next() else {
        return plan_err!("a subquery after IN has no column");
    };
    let never_null = !value.nullable(row)? && !plan.schema().field(0).is_nullable();
    let equal = Expr::Column(column.clone()).eq(inward(value.clone(), row)?);
    let found = exists(LogicalPlanBuilder::from(plan.clone()).filter(equal)?.build()?)?;
    if never_null {
        return Ok(found);
    }
    let (empty, without_null, with_null) = (lit(0_i64), lit(1_i64), lit(2_i64));
    let rows = count(lit(1_i64));
    let values = count(Expr::Column(column));
    let state = LogicalPlanBuilder::from(plan)
        .aggregate(Vec::<Expr>::new(), vec![rows.clone().alias("rows"), values.alias("values")])?
        .project(vec![
            when(col("rows").eq(lit(0_i64)), empty.clone())
                .when(col("rows").eq(col("values")), without_null)
                .otherwise(with_null.clone())?
                .alias("state"),
        ])?
        .build()?;
    let state = scalar(state);
    when(found, lit(true))
        .when(state.clone().eq(empty), lit(false))
        .when(value.is_null().or(state.eq(with_null)), lit(ScalarValue::Boolean(None)))
        .otherwise(lit(false))
}
