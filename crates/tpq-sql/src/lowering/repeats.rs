//! What a rewrite writes more than once. Where that happens within each other, the size doubles with
//! each level, so that a short statement could take all memory.

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::operators::apply::Apply;
use crate::perfetto_sql::too_large;

/// The most parts that the copies of an expression have together.
const MOST_PARTS: usize = 1 << 14;

/// An expression of so many parts may be written any number of times.
const FEW_PARTS: usize = 16;

/// The most steps of the plans that are written twice.
const MOST_STEPS: usize = 1 << 12;

/// Checks an expression that is written `times` times.
///
/// # Errors
/// When all of its copies are too large.
pub(super) fn check_expression(expr: &Expr, times: usize) -> Result<()> {
    if times < 2 {
        return Ok(());
    }
    let most = (MOST_PARTS / times).max(FEW_PARTS);
    let mut parts = 0_usize;
    expr.apply(|_| {
        parts += 1;
        Ok(if parts > most { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    if parts > most {
        let message = format!("an expression is compared with {times} others, and is too large");
        let hint = "compute it in a subquery, and compare the column of that";
        return Err(DataFusionError::External(too_large(message, hint).into()));
    }
    Ok(())
}

/// Checks plans that are written twice, and the plans in expressions that are.
///
/// # Errors
/// When they are too large.
pub(super) fn check_plans(plans: &[&LogicalPlan], exprs: &[Expr]) -> Result<()> {
    let mut left = MOST_STEPS;
    let mut fits = true;
    for plan in plans {
        fits = fits && takes(plan, &mut left)?;
    }
    for expr in exprs {
        expr.apply(|part| {
            let subquery = match part {
                Expr::ScalarSubquery(subquery) => subquery,
                Expr::Exists(exists) => &exists.subquery,
                Expr::InSubquery(search) => &search.subquery,
                _ => return Ok(TreeNodeRecursion::Continue),
            };
            fits = fits && takes(&subquery.subquery, &mut left)?;
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    if !fits {
        let message = "a FULL JOIN by a subquery that reads both tables is planned twice, and is \
                       too large"
            .to_owned();
        let hint = "keep the tables that it joins with CREATE TABLE";
        return Err(DataFusionError::External(too_large(message, hint).into()));
    }
    Ok(())
}

/// Takes the steps of a plan, of its subqueries and of what it runs for each row off those that are
/// left; whether so many are left.
fn takes(plan: &LogicalPlan, left: &mut usize) -> Result<bool> {
    let mut fits = true;
    plan.apply_with_subqueries(|step| {
        fits = match (left.checked_sub(1), Apply::of(step)) {
            (None, _) => false,
            (Some(rest), None) => {
                *left = rest;
                true
            }
            (Some(rest), Some(apply)) => {
                *left = rest;
                takes(apply.subplan(), left)?
            }
        };
        Ok(if fits { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    })?;
    Ok(fits)
}
