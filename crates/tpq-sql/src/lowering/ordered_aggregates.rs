//! Texts of aggregates in an order, as `group_concat(a ORDER BY x)`, and with separators that are no
//! literals. DataFusion sorts all rows once for all aggregates, which therefore have the same order,
//! and keeps an accumulator for each group. tpq's own aggregate has one for all groups, and sorts
//! the rows of each.

use datafusion::common::Result;
use datafusion::common::tree_node::Transformed;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan};

use crate::functions::sorting_text;

/// Replaces the aggregates of texts that DataFusion's own does not take, or does slowly.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let lowered = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Aggregate(aggregate) if aggregate.aggr_expr.iter().any(is_replaced) => {
            replaced(aggregate).map(Transformed::yes)
        }
        other => Ok(Transformed::no(other)),
    })?;
    Ok(lowered.data)
}

fn is_replaced(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => is_replaced(&alias.expr),
        Expr::AggregateFunction(call) => is_sorted_or_separated(call),
        _ => false,
    }
}

fn is_sorted_or_separated(call: &AggregateFunction) -> bool {
    let separator = call.params.args.get(1);
    call.func.name() == "string_agg"
        && (!call.params.order_by.is_empty()
            || separator.is_some_and(|separator| !matches!(separator, Expr::Literal(..))))
}

fn replaced(aggregate: Aggregate) -> Result<LogicalPlan> {
    let preserver = NamePreserver::new_for_projection();
    let replace = |expr: Expr| {
        let saved = preserver.save(&expr);
        saved.restore(sorting(expr))
    };
    let Aggregate { input, group_expr, aggr_expr, .. } = aggregate;
    let aggr_expr = aggr_expr.into_iter().map(replace).collect();
    Aggregate::try_new(input, group_expr, aggr_expr).map(LogicalPlan::Aggregate)
}

/// A call of tpq's own aggregate, where it is necessary.
fn sorting(expr: Expr) -> Expr {
    match expr {
        Expr::Alias(mut alias) => {
            alias.expr = Box::new(sorting(*alias.expr));
            Expr::Alias(alias)
        }
        Expr::AggregateFunction(mut call) if is_sorted_or_separated(&call) => {
            call.func = sorting_text();
            Expr::AggregateFunction(call)
        }
        other => other,
    }
}
