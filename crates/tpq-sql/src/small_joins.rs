//! Left joins of small tables with one another, before a large table is joined with them.
//!
//! `sched LEFT JOIN thread USING (utid) LEFT JOIN process USING (upid)` looks up a thread for every
//! row of `sched`, copies the row, looks up a process and copies it again. There are far fewer
//! threads than rows: their processes are looked up first, and each row is copied once. The rows are
//! the same, as a row without a thread has no process either.

use std::sync::Arc;

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinType, NullEquality, Result};
use datafusion::logical_expr::{Expr, Join, LogicalPlan};

use crate::known_rows::rows_of_table;
use crate::step_rules::{StepRule, replaced};
use crate::unique_columns::is_unique_column;

/// The most rows that small tables have together. All of them are joined, however few rows of the
/// large table are left.
const MOST_ROWS: usize = 1 << 14;

/// How many times as many rows the large table has.
const LARGER: usize = 16;

/// Joins small tables first.
pub(crate) const SMALL_JOINS: StepRule =
    StepRule { name: "small_joins", rewrite: |plan| Ok(replaced(in_other_order(&plan)?, plan)) };

/// The rows of a row of left joins in that order; `None` if they are in it.
fn in_other_order(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    let mut found = None;
    while let Some(next) = regrouped(found.as_ref().unwrap_or(plan))? {
        found = Some(next);
    }
    Ok(found)
}

/// `a LEFT JOIN (b LEFT JOIN c)` for `(a LEFT JOIN b) LEFT JOIN c`; `None` for other plans.
fn regrouped(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    let LogicalPlan::Join(outer) = plan else { return Ok(None) };
    let LogicalPlan::Join(inner) = outer.left.as_ref() else { return Ok(None) };
    let (large, first, second) = (&inner.left, &inner.right, &outer.right);
    let is_key_of_first = |(key, _): &(Expr, Expr)| match key {
        Expr::Column(key) => first.schema().has_column(key) && !large.schema().has_column(key),
        _ => false,
    };
    if !outer.on.iter().all(is_key_of_first) || !is_lookup(outer) || !is_lookup(inner) {
        return Ok(None);
    }
    let (Some(first_rows), Some(second_rows)) = (most_rows(first), most_rows(second)) else {
        return Ok(None);
    };
    let small = first_rows.saturating_add(second_rows);
    if small > MOST_ROWS || largest_table(large)? < small.saturating_mul(LARGER) {
        return Ok(None);
    }
    let looked_up = Join::try_new(
        Arc::clone(first),
        Arc::clone(second),
        outer.on.clone(),
        None,
        JoinType::Left,
        outer.join_constraint,
        outer.null_equality,
        false,
    )?;
    // The columns are those of all three in the same order.
    let schema = Arc::clone(&outer.schema);
    let right = Arc::new(LogicalPlan::Join(looked_up));
    Ok(Some(LogicalPlan::Join(Join { right, schema, ..inner.clone() })))
}

/// Whether a join adds the columns of one row at most to each row of its left side, and of none to
/// one with NULL as a key.
fn is_lookup(join: &Join) -> bool {
    let is_unique = |(_, key): &(Expr, Expr)| match key {
        Expr::Column(key) => is_unique_column(&join.right, key),
        _ => false,
    };
    join.join_type == JoinType::Left
        && join.filter.is_none()
        && join.null_equality == NullEquality::NullEqualsNothing
        && join.on.iter().any(is_unique)
}

/// The most rows that a plan gives, if it reads one table and looks up columns of others.
fn most_rows(plan: &LogicalPlan) -> Option<usize> {
    match plan {
        LogicalPlan::TableScan(scan) => rows_of_table(scan),
        LogicalPlan::Projection(step) => most_rows(&step.input),
        LogicalPlan::Filter(step) => most_rows(&step.input),
        LogicalPlan::SubqueryAlias(step) => most_rows(&step.input),
        LogicalPlan::Join(join) if is_lookup(join) => most_rows(&join.left),
        _ => None,
    }
}

/// The number of rows of the largest table that a plan reads.
fn largest_table(plan: &LogicalPlan) -> Result<usize> {
    let mut largest = 0;
    plan.apply(|step| {
        if let LogicalPlan::TableScan(scan) = step {
            largest = largest.max(rows_of_table(scan).unwrap_or(0));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(largest)
}
