//! Filters with subqueries: what DataFusion makes semi and anti joins of stays.

use std::sync::Arc;

use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{Expr, Filter, LogicalPlan};

use super::bind::outer_columns;
use super::{attach, has_subquery, is_correlated};

/// Rewrites the subqueries of a filter.
pub(super) fn lower(filter: Filter) -> Result<LogicalPlan> {
    let Filter { predicate, input, .. } = filter;
    let (mut left_alone, mut others) = (Vec::new(), Vec::new());
    for conjunct in split_conjunction_owned(predicate) {
        match semi_join(conjunct, input.schema())? {
            Ok(conjunct) => left_alone.push(conjunct),
            Err(conjunct) => others.push(conjunct),
        }
    }
    let mut plan = Arc::unwrap_or_clone(input);
    if let Some(predicate) = conjunction(left_alone) {
        plan = LogicalPlan::Filter(Filter::try_new(predicate, Arc::new(plan))?);
    }
    match conjunction(others) {
        Some(predicate) => {
            attach::lower(LogicalPlan::Filter(Filter::try_new(predicate, Arc::new(plan))?))
        }
        None => Ok(plan),
    }
}

/// The conjunct, with what is inside its subquery lowered, if DataFusion is to make a join of it
/// or nothing has to be done; as `Err` if not.
fn semi_join(conjunct: Expr, row: &DFSchema) -> Result<Result<Expr, Expr>> {
    if !has_subquery(&conjunct)? {
        return Ok(Ok(conjunct));
    }
    match conjunct {
        Expr::Not(inner) => match *inner {
            Expr::Exists(exists) => {
                semi_join(Expr::Exists(Exists { negated: !exists.negated, ..exists }), row)
            }
            Expr::InSubquery(is_in) => {
                semi_join(Expr::InSubquery(InSubquery { negated: !is_in.negated, ..is_in }), row)
            }
            other => Ok(Err(Expr::Not(Box::new(other)))),
        },
        Expr::Exists(mut exists) => {
            // Without a condition to join on it would be a loop over all pairs of rows.
            let correlated = is_correlated(&exists.subquery.subquery)?;
            if !correlated {
                return Ok(Err(Expr::Exists(exists)));
            }
            let plan = super::lower(exists.subquery.subquery.as_ref().clone())?;
            let fits = can_be_pulled_up(&plan, row)?;
            // Kept in any case: to begin anew at each level would double the work with each.
            exists.subquery = exists.subquery.with_plan(Arc::new(plan));
            Ok(if fits { Ok(Expr::Exists(exists)) } else { Err(Expr::Exists(exists)) })
        }
        Expr::InSubquery(mut is_in) if !has_subquery(&is_in.expr)? => {
            let plan = super::lower(is_in.subquery.subquery.as_ref().clone())?;
            let known = is_in.expr.column_refs().len() == 1 && !is_in.expr.contains_outer();
            let fits = match is_correlated(&plan)? {
                false => true,
                true => !is_in.negated && can_be_pulled_up(&plan, row)?,
            };
            is_in.subquery = is_in.subquery.with_plan(Arc::new(plan));
            Ok(if known && fits {
                Ok(Expr::InSubquery(is_in))
            } else {
                Err(Expr::InSubquery(is_in))
            })
        }
        other => Ok(Err(other)),
    }
}

/// Whether all that depends on the row is conditions that DataFusion can take out of a subquery,
/// to join by.
fn can_be_pulled_up(plan: &LogicalPlan, row: &DFSchema) -> Result<bool> {
    let mut node = plan;
    let mut conditions_only = true;
    while conditions_only && is_correlated(node)? {
        node = match node {
            LogicalPlan::Filter(filter) => {
                conditions_only = !has_subquery(&filter.predicate)?;
                &filter.input
            }
            LogicalPlan::Projection(projection) => {
                conditions_only = !projection.expr.iter().any(Expr::contains_outer);
                &projection.input
            }
            LogicalPlan::SubqueryAlias(alias) => &alias.input,
            _ => return Ok(false),
        };
    }
    let of_row = outer_columns(plan)?.iter().all(|column| row.has_column(column));
    Ok(conditions_only && of_row)
}
