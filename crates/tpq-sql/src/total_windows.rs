//! Windows over all rows of a large table.
//!
//! For a selected area, Perfetto's UI asks for `dur * 1.0 / sum(dur) OVER ()` of millions of rows.
//! DataFusion puts all columns of all rows into one batch for that, on one thread. The sum is the
//! same for all rows, so the table is read twice: once for the sum, and once for the rows, to which
//! the sum is joined.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, JoinConstraint, JoinType, NullEquality, Result};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::expr::{AggregateFunction, WindowFunction};
use datafusion::logical_expr::{
    Aggregate, Expr, Join, LogicalPlan, Projection, TableScan, Window, WindowFunctionDefinition,
};

use crate::catalog::MaterializedTable;
use crate::scan::StoredProvider;
use crate::step_rules::{StepRule, replaced};

/// The least rows of a table for which this is worth a second read.
const LEAST_ROWS: usize = 100_000;
/// Functions with results that do not depend on the order of the rows.
const TOTALS: [&str; 4] = ["count", "max", "min", "sum"];

/// Joins such results instead of computing windows.
pub(crate) const TOTAL_WINDOWS: StepRule =
    StepRule { name: "total_windows", rewrite: totals_joined };

fn totals_joined(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    Ok(replaced(joined_totals(&plan)?, plan))
}

/// The rows of a plan with windows, joined with the results of these; `None` if it is another.
fn joined_totals(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    let LogicalPlan::Window(step) = plan else { return Ok(None) };
    let Some(totals) = totals(step) else { return Ok(None) };
    if !reads_one_large_table(&step.input)? {
        return Ok(None);
    }
    let totals = Aggregate::try_new(Arc::clone(&step.input), Vec::new(), totals)?;
    let names: Vec<Column> = totals.schema.iter().map(Column::from).collect();
    let joined = Join::try_new(
        Arc::new(LogicalPlan::Aggregate(totals)),
        Arc::clone(&step.input),
        Vec::new(),
        None,
        JoinType::Inner,
        JoinConstraint::On,
        NullEquality::NullEqualsNothing,
        false,
    );
    // A column of the table can have the name of a result.
    let Ok(joined) = joined else { return Ok(None) };
    let before = step.input.schema().iter().map(|column| Expr::Column(Column::from(column)));
    let windows = step.schema.fields().iter().skip(step.input.schema().fields().len());
    let windows = names.into_iter().zip(windows);
    let windows = windows.map(|(name, field)| Expr::Column(name).alias(field.name()));
    let columns = before.chain(windows).collect();
    let (joined, schema) = (LogicalPlan::Join(joined), Arc::clone(&step.schema));
    let columns = Projection::try_new_with_schema(columns, Arc::new(joined), schema)?;
    Ok(Some(LogicalPlan::Projection(columns)))
}

/// The windows as aggregates of all rows; `None` if one is of fewer rows, or may depend on the order
/// of the rows.
fn totals(step: &Window) -> Option<Vec<Expr>> {
    let fields = step.schema.fields().iter().skip(step.input.schema().fields().len());
    let totals = step.window_expr.iter().zip(fields).enumerate().map(|(at, (expr, field))| {
        let Expr::WindowFunction(function) = expr.clone().unalias() else { return None };
        let WindowFunction { fun, params } = *function;
        let WindowFunctionDefinition::AggregateUDF(fun) = fun else { return None };
        let frame = &params.window_frame;
        let is_of_all = params.partition_by.is_empty()
            && params.order_by.is_empty()
            && frame.start_bound.is_unbounded()
            && frame.end_bound.is_unbounded();
        let is_plain = !params.distinct && params.filter.is_none();
        let is_known = TOTALS.contains(&fun.name()) && params.null_treatment.is_none();
        if !(is_of_all && is_plain && is_known) || field.data_type().is_floating() {
            return None;
        }
        let total = AggregateFunction::new_udf(fun, params.args, false, None, Vec::new(), None);
        let total = Expr::AggregateFunction(total);
        is_repeatable(&total).then(|| total.alias(format!("__total_{at}")))
    });
    totals.collect()
}

/// Whether an expression has one value for a row, however often it is computed.
fn is_repeatable(expr: &Expr) -> bool {
    let is_other = |expr: &Expr| {
        Ok(matches!(
            expr,
            Expr::ScalarSubquery(_)
                | Expr::Exists(_)
                | Expr::InSubquery(_)
                | Expr::SetComparison(_)
                | Expr::OuterReferenceColumn(..)
        ))
    };
    !expr.is_volatile() && !expr.exists(is_other).unwrap_or(true)
}

/// Whether a plan has the rows of one large table in memory, which no statement changes, joined with
/// small tables at most, and gives the same rows when it runs again.
fn reads_one_large_table(plan: &LogicalPlan) -> Result<bool> {
    let (mut in_memory, mut others) = (0, 0);
    let is_other = plan.exists(|step| {
        let is_known = match step {
            LogicalPlan::TableScan(scan) => {
                match rows_of(scan) {
                    Some((rows, is_kept)) if rows >= LEAST_ROWS => {
                        *(if is_kept { &mut in_memory } else { &mut others }) += 1;
                    }
                    Some(_) => {}
                    None => others += 1,
                }
                scan.fetch.is_none()
            }
            LogicalPlan::Join(join) => matches!(join.join_type, JoinType::Inner | JoinType::Left),
            LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_) | LogicalPlan::Filter(_) => {
                true
            }
            _ => false,
        };
        Ok(!is_known || !step.expressions().iter().all(is_repeatable))
    })?;
    Ok(!is_other && in_memory == 1 && others == 0)
}

/// The number of rows of a table, and whether they are kept in memory as the result of a query;
/// `None` if that is not known.
fn rows_of(scan: &TableScan) -> Option<(usize, bool)> {
    let table = source_as_provider(&scan.source).ok()?;
    if let Some(StoredProvider(table)) = table.downcast_ref::<StoredProvider>() {
        return Some((table.rows(), false));
    }
    let table = table.downcast_ref::<MaterializedTable>()?;
    Some((table.rows_now()?, table.query().is_some()))
}
