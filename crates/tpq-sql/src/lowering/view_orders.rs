//! The order of a view, or of a subquery, where a statement shows its rows and asks for no other.
//!
//! SQL says that it is lost; SQLite keeps it. The keys of the order become columns of the steps
//! above it, and the statement is ordered by them.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, Result, TableReference};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{
    Aggregate, Expr, Limit, LogicalPlan, LogicalPlanBuilder, Projection, SortExpr, SubqueryAlias,
};

/// The columns that hold keys are called this, with a number.
const KEY: &str = "__view_order_";

/// Aggregates with a result that shows the order of their input.
const SHOW_ORDER: [&str; 2] = ["array_agg", "string_agg"];

/// Orders the rows of a statement, and of aggregates that show it, by the order below.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Aggregate(aggregate) if aggregate.aggr_expr.iter().any(shows_order) => {
            collected(aggregate)
        }
        other => Ok(Transformed::no(other)),
    })?;
    without_lost_orders(shown(plan.data)?)
}

/// The plan without the orders of views and subqueries that nothing shows. DataFusion's planner
/// would remove all of them, before their rows are known to be shown.
fn without_lost_orders(plan: LogicalPlan) -> Result<LogicalPlan> {
    let plan = plan.transform_down_with_subqueries(|node| match node {
        LogicalPlan::SubqueryAlias(alias) => {
            let (input, name) = (Arc::unwrap_or_clone(alias.input), alias.alias);
            let input = unordered(input)?;
            let alias = SubqueryAlias::try_new(Arc::new(input.data), name)?;
            Ok(Transformed::new(LogicalPlan::SubqueryAlias(alias), true, input.tnr))
        }
        other => Ok(Transformed::no(other)),
    })?;
    Ok(plan.data)
}

/// The rows of a relation without the orders that no limit takes rows by.
fn unordered(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    plan.transform_down(|node| match node {
        LogicalPlan::Limit(_) => Ok(Transformed::new(node, false, TreeNodeRecursion::Jump)),
        LogicalPlan::Sort(sort) if sort.fetch.is_none() => {
            Ok(Transformed::yes(Arc::unwrap_or_clone(sort.input)))
        }
        other => Ok(Transformed::no(other)),
    })
    .map(|changed| Transformed::new(changed.data, changed.transformed, TreeNodeRecursion::Continue))
}

/// Whether an aggregate shows the order of its input, and asks for none.
fn shows_order(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => shows_order(&alias.expr),
        Expr::AggregateFunction(call) => {
            SHOW_ORDER.contains(&call.func.name())
                && call.params.order_by.is_empty()
                && !call.params.distinct
        }
        _ => false,
    }
}

/// The aggregate with calls that ask for the order of its input, if that has one.
fn collected(aggregate: Aggregate) -> Result<Transformed<LogicalPlan>> {
    let Some(Ordered { rows, keys, is_below: true }) = ordered(&aggregate.input)? else {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    };
    let preserver = NamePreserver::new_for_projection();
    let ask = |expr: Expr| {
        if !shows_order(&expr) {
            return Ok(expr);
        }
        let saved = preserver.save(&expr);
        let asking = expr.transform_down(|part| match part {
            Expr::AggregateFunction(mut call) => {
                call.params.order_by.clone_from(&keys);
                let call = Expr::AggregateFunction(call);
                Ok(Transformed::new(call, true, TreeNodeRecursion::Stop))
            }
            other => Ok(Transformed::no(other)),
        })?;
        Ok(saved.restore(asking.data))
    };
    let Aggregate { group_expr, aggr_expr, .. } = aggregate;
    let aggr_expr = aggr_expr.into_iter().map(ask).collect::<Result<Vec<_>>>()?;
    let aggregate = Aggregate::try_new(Arc::new(rows), group_expr, aggr_expr)?;
    Ok(Transformed::yes(LogicalPlan::Aggregate(aggregate)))
}

fn shown(plan: LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Limit(limit) => {
            let input = shown(Arc::unwrap_or_clone(limit.input))?;
            Ok(LogicalPlan::Limit(Limit { input: Arc::new(input), ..limit }))
        }
        LogicalPlan::Projection(_) | LogicalPlan::Filter(_) | LogicalPlan::SubqueryAlias(_) => {
            let Some(Ordered { rows, keys, is_below: true }) = ordered(&plan)? else {
                return Ok(plan);
            };
            let columns: Vec<Expr> =
                plan.schema().columns().into_iter().map(Expr::Column).collect();
            LogicalPlanBuilder::from(rows).sort(keys)?.project(columns)?.build()
        }
        other => Ok(other),
    }
}

/// Rows with the keys of their order as last columns.
struct Ordered {
    rows: LogicalPlan,
    keys: Vec<SortExpr>,
    /// Whether the order is that of a view or subquery, and not of the statement itself.
    is_below: bool,
}

impl Ordered {
    /// The rows as those of a table.
    fn named(self, name: TableReference) -> Result<Self> {
        let rows = SubqueryAlias::try_new(Arc::new(self.rows), name.clone())?;
        let keys = self.keys.into_iter().map(|key| {
            let column = match &key.expr {
                Expr::Column(column) => Column::new(Some(name.clone()), column.name.clone()),
                other => Column::new_unqualified(other.schema_name().to_string()),
            };
            key.with_expr(Expr::Column(column))
        });
        let keys = keys.collect();
        Ok(Self { rows: LogicalPlan::SubqueryAlias(rows), keys, is_below: true })
    }
}

/// The rows of a plan with their order; `None` where there is none.
fn ordered(plan: &LogicalPlan) -> Result<Option<Ordered>> {
    match plan {
        LogicalPlan::Sort(sort) => {
            let mut columns: Vec<Expr> =
                sort.input.schema().columns().into_iter().map(Expr::Column).collect();
            let mut keys = Vec::new();
            // The rows of a view in a view may have keys.
            let fields = sort.input.schema().fields().iter();
            let first = fields.filter(|field| field.name().starts_with(KEY)).count();
            for (index, key) in (first..).zip(&sort.expr) {
                let name = format!("{KEY}{index}");
                columns.push(key.expr.clone().alias(&name));
                keys.push(key.with_expr(Expr::Column(Column::new_unqualified(name))));
            }
            let rows =
                LogicalPlanBuilder::from(Arc::clone(&sort.input)).project(columns)?.build()?;
            Ok(Some(Ordered { rows, keys, is_below: false }))
        }
        LogicalPlan::Limit(limit) => {
            let Some(Ordered { rows, keys, is_below }) = ordered(&limit.input)? else {
                return Ok(None);
            };
            // The limit takes the first rows of the order.
            let sorted = LogicalPlanBuilder::from(rows).sort(keys.clone())?.build()?;
            let rows = LogicalPlan::Limit(Limit { input: Arc::new(sorted), ..limit.clone() });
            Ok(Some(Ordered { rows, keys, is_below }))
        }
        LogicalPlan::Projection(projection) => {
            let Some(Ordered { rows, keys, is_below }) = ordered(&projection.input)? else {
                return Ok(None);
            };
            let carried = keys.iter().map(|key| key.expr.clone());
            let columns = projection.expr.iter().cloned().chain(carried).collect();
            let rows = LogicalPlan::Projection(Projection::try_new(columns, Arc::new(rows))?);
            Ok(Some(Ordered { rows, keys, is_below }))
        }
        LogicalPlan::Filter(filter) => {
            let Some(Ordered { rows, keys, is_below }) = ordered(&filter.input)? else {
                return Ok(None);
            };
            let rows = LogicalPlanBuilder::from(rows).filter(filter.predicate.clone())?.build()?;
            Ok(Some(Ordered { rows, keys, is_below }))
        }
        LogicalPlan::SubqueryAlias(alias) => {
            let ordered = ordered(&alias.input)?;
            ordered.map(|ordered| ordered.named(alias.alias.clone())).transpose()
        }
        LogicalPlan::TableScan(scan) if scan.projection.is_none() && scan.filters.is_empty() => {
            let Some(view) = scan.source.get_logical_plan() else { return Ok(None) };
            let ordered = ordered(&view)?;
            ordered.map(|ordered| ordered.named(scan.table_name.clone())).transpose()
        }
        _ => Ok(None),
    }
}
