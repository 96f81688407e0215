//! Columns of which no two rows have one value, as far as plans show: keys of tables, and what is
//! selected of them.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::{Column, JoinType};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{Expr, Join, LogicalPlan};

use crate::catalog::MaterializedTable;
use crate::operators::apply::Apply;
use crate::scan::StoredProvider;

/// How many steps of plans are looked at. Tables of joins of such tables have twice as many each.
const MOST_STEPS: usize = 1_000;

/// Whether the values of a column of a table are different in all rows, and never NULL.
pub(crate) fn is_unique_in(table: &Arc<dyn TableProvider>, column: usize) -> bool {
    is_unique_within(table, column, &mut { MOST_STEPS })
}

/// The same of a column of a plan.
pub(crate) fn is_unique_column(plan: &LogicalPlan, column: &Column) -> bool {
    position(plan, column).is_some_and(|column| is_unique(plan, column, &mut { MOST_STEPS }))
}

/// The same, if no more than `steps` are needed to tell.
fn is_unique_within(table: &Arc<dyn TableProvider>, column: usize, steps: &mut usize) -> bool {
    if let Some(StoredProvider(stored)) = table.downcast_ref::<StoredProvider>() {
        return stored.is_key(column);
    }
    let Some(table) = table.downcast_ref::<MaterializedTable>() else { return false };
    match (table.primary_key(), table.query()) {
        (Some(key), _) => key.column == column,
        (None, Some(query)) => is_unique(query, column, steps),
        (None, None) => false,
    }
}

/// The same of a column of a plan, by its position.
fn is_unique(plan: &LogicalPlan, column: usize, steps: &mut usize) -> bool {
    let Some(left) = steps.checked_sub(1) else { return false };
    *steps = left;
    match plan {
        LogicalPlan::TableScan(scan) => {
            let Ok(table) = source_as_provider(&scan.source) else { return false };
            let column = match &scan.projection {
                Some(projection) => projection.get(column).copied(),
                None => Some(column),
            };
            column.is_some_and(|column| is_unique_within(&table, column, steps))
        }
        LogicalPlan::Projection(step) => {
            let value = step.expr.get(column).cloned().map(Expr::unalias);
            let Some(Expr::Column(value)) = value else { return false };
            let column = position(&step.input, &value);
            column.is_some_and(|column| is_unique(&step.input, column, steps))
        }
        LogicalPlan::SubqueryAlias(step) => is_unique(&step.input, column, steps),
        LogicalPlan::Filter(step) => is_unique(&step.input, column, steps),
        LogicalPlan::Sort(step) => is_unique(&step.input, column, steps),
        LogicalPlan::Limit(step) => is_unique(&step.input, column, steps),
        LogicalPlan::Join(join) => {
            let is_of_left = column < join.left.schema().fields().len();
            is_of_left && keeps_rows_of_left(join, steps) && is_unique(&join.left, column, steps)
        }
        LogicalPlan::Extension(_) => Apply::of(plan).is_some_and(|apply| {
            let is_of_input = column < apply.input().schema().fields().len();
            is_of_input && apply.gives_value() && is_unique(apply.input(), column, steps)
        }),
        _ => false,
    }
}

/// Whether a row of the left side is in one row of a join at most, as it has one partner.
fn keeps_rows_of_left(join: &Join, steps: &mut usize) -> bool {
    match join.join_type {
        JoinType::LeftSemi | JoinType::LeftAnti => true,
        JoinType::Inner | JoinType::Left => join.on.iter().any(|(_, right)| match right {
            Expr::Column(key) => {
                let column = position(&join.right, key);
                column.is_some_and(|column| is_unique(&join.right, column, steps))
            }
            _ => false,
        }),
        _ => false,
    }
}

fn position(plan: &LogicalPlan, column: &Column) -> Option<usize> {
    plan.schema().maybe_index_of_column(column)
}
