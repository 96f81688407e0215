//! Aggregates over different orders in one SELECT, as `group_concat(a ORDER BY x)` and
//! `group_concat(b ORDER BY y)`. DataFusion sorts the rows once for all texts, so these sort their
//! own rows.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, SortExpr};

use crate::functions::sorting_text;

/// Replaces the aggregates that cannot share an order.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let lowered = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Aggregate(aggregate) if has_several_orders(&aggregate) => {
            replaced(aggregate).map(Transformed::yes)
        }
        other => Ok(Transformed::no(other)),
    })?;
    Ok(lowered.data)
}

fn call(expr: &Expr) -> Option<&AggregateFunction> {
    match expr {
        Expr::Alias(alias) => call(&alias.expr),
        Expr::AggregateFunction(call) => Some(call),
        _ => None,
    }
}

fn has_several_orders(aggregate: &Aggregate) -> bool {
    let calls = aggregate.aggr_expr.iter().filter_map(call);
    let mut orders: Vec<&[SortExpr]> =
        calls.map(|call| &call.params.order_by[..]).filter(|order| !order.is_empty()).collect();
    orders.dedup();
    orders.len() > 1
}

fn replaced(aggregate: Aggregate) -> Result<LogicalPlan> {
    let preserver = NamePreserver::new_for_projection();
    let sorting = sorting_text();
    let replace = |expr: Expr| {
        let saved = preserver.save(&expr);
        let expr = match expr {
            Expr::AggregateFunction(mut call)
                if call.func.name() == "string_agg" && !call.params.order_by.is_empty() =>
            {
                call.func = Arc::clone(&sorting);
                Expr::AggregateFunction(call)
            }
            other => other,
        };
        saved.restore(expr)
    };
    let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
    let aggr_expr = aggr_expr.into_iter().map(replace).collect();
    Aggregate::try_new(input, group_expr, aggr_expr).map(LogicalPlan::Aggregate)
}
