//! Semi and anti joins below left joins.
//!
//! `sched LEFT JOIN thread … WHERE utid NOT IN (SELECT …)` leaves out rows of `sched`. DataFusion
//! does so after the join, for which it reads and copies all of them. A left join keeps every row of
//! its left side, so rows can as well be left out before.

use std::sync::Arc;

use datafusion::common::{Column, JoinType, Result};
use datafusion::logical_expr::{Expr, Join, LogicalPlan, Projection, SubqueryAlias};

use crate::step_rules::{StepRule, replaced};

/// Moves joins that only leave out rows of their left side, if they compare columns.
pub(crate) const EARLY_SEMI_JOINS: StepRule =
    StepRule { name: "early_semi_joins", rewrite: |plan| Ok(replaced(moved(&plan)?, plan)) };

/// The rows of a semi or anti join that is below left joins; `None` if it is not to be moved.
fn moved(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    let LogicalPlan::Join(join) = plan else { return Ok(None) };
    let leaves_out = matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti);
    if !leaves_out || join.filter.is_some() || join.null_aware || join.on.is_empty() {
        return Ok(None);
    }
    let column = |(left, _): &(Expr, Expr)| match left {
        Expr::Column(column) => Some(column.clone()),
        _ => None,
    };
    match join.on.iter().map(column).collect::<Option<Vec<_>>>() {
        Some(keys) => moved_into(&join.left, &keys, join),
        None => Ok(None),
    }
}

/// The rows of `plan` that a semi join on `keys` leaves, with this join below the left joins of the
/// plan; `None` if it has none.
fn moved_into(plan: &LogicalPlan, keys: &[Column], semi: &Join) -> Result<Option<LogicalPlan>> {
    match plan {
        LogicalPlan::Projection(step) => {
            let below = keys.iter().map(|key| {
                let index = step.schema.maybe_index_of_column(key)?;
                match step.expr.get(index)?.clone().unalias() {
                    Expr::Column(column) => Some(column),
                    _ => None,
                }
            });
            let Some(below) = below.collect::<Option<Vec<_>>>() else { return Ok(None) };
            let Some(input) = moved_into(&step.input, &below, semi)? else { return Ok(None) };
            Ok(Some(LogicalPlan::Projection(Projection::try_new_with_schema(
                step.expr.clone(),
                Arc::new(input),
                Arc::clone(&step.schema),
            )?)))
        }
        LogicalPlan::SubqueryAlias(step) => {
            let below = keys.iter().map(|key| {
                let index = step.schema.maybe_index_of_column(key)?;
                Some(Column::from(step.input.schema().qualified_field(index)))
            });
            let Some(below) = below.collect::<Option<Vec<_>>>() else { return Ok(None) };
            let Some(input) = moved_into(&step.input, &below, semi)? else { return Ok(None) };
            let alias = SubqueryAlias::try_new(Arc::new(input), step.alias.clone())?;
            Ok(Some(LogicalPlan::SubqueryAlias(alias)))
        }
        LogicalPlan::Join(step) if step.join_type == JoinType::Left => {
            let (left, right) = (step.left.schema(), step.right.schema());
            if !keys.iter().all(|key| left.has_column(key) && !right.has_column(key)) {
                return Ok(None);
            }
            let left = match moved_into(&step.left, keys, semi)? {
                Some(left) => left,
                None => over(&step.left, keys, semi)?,
            };
            Ok(Some(LogicalPlan::Join(Join { left: Arc::new(left), ..step.clone() })))
        }
        _ => Ok(None),
    }
}

/// The semi join on `keys` of another plan.
fn over(plan: &Arc<LogicalPlan>, keys: &[Column], semi: &Join) -> Result<LogicalPlan> {
    let left = keys.iter().cloned().map(Expr::Column);
    let on = left.zip(semi.on.iter().map(|(_, right)| right.clone())).collect();
    Ok(LogicalPlan::Join(Join::try_new(
        Arc::clone(plan),
        Arc::clone(&semi.right),
        on,
        None,
        semi.join_type,
        semi.join_constraint,
        semi.null_equality,
        false,
    )?))
}
