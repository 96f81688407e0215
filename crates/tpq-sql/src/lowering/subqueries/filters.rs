//! Filters with subqueries: what DataFusion makes semi and anti joins of stays.

use std::sync::Arc;

use datafusion::common::{Column, DFSchema, Result};
use datafusion::logical_expr::expr::{Exists, InSubquery};
use datafusion::logical_expr::utils::{conjunction, split_conjunction, split_conjunction_owned};
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
    let of_row = outer_columns(plan)?.iter().all(|column| row.has_column(column));
    let Some(columns) = columns_of_conditions(plan)?.filter(|_| of_row) else { return Ok(false) };
    // All columns get one table, so that those of one name would be taken for each other.
    Ok(columns
        .iter()
        .all(|column| columns.iter().all(|other| other == column || other.name != column.name)))
}

/// The columns of a plan that the conditions on the row around it read, of which DataFusion adds
/// those that are not selected; `None` where it cannot, or where more than conditions depends on
/// the row.
fn columns_of_conditions(plan: &LogicalPlan) -> Result<Option<Vec<Column>>> {
    if !is_correlated(plan)? {
        return Ok(Some(Vec::new()));
    }
    match plan {
        LogicalPlan::Filter(filter) => {
            if has_subquery(&filter.predicate)? {
                return Ok(None);
            }
            let Some(mut columns) = columns_of_conditions(&filter.input)? else { return Ok(None) };
            let conditions = split_conjunction(&filter.predicate);
            let on_row = conditions.into_iter().filter(|condition| condition.contains_outer());
            columns.extend(on_row.flat_map(Expr::column_refs).cloned());
            Ok(Some(columns))
        }
        LogicalPlan::Projection(projection) => {
            if projection.expr.iter().any(Expr::contains_outer) {
                return Ok(None);
            }
            let columns = columns_of_conditions(&projection.input)?;
            // Another column of the name would make the added one ambiguous.
            let is_other = |column: &Column, expr: &Expr| {
                expr.qualified_name().1 == column.name
                    && !matches!(expr, Expr::Column(own) if own == column)
            };
            let is_clear = |columns: &Vec<Column>| {
                let mut names = columns.iter();
                names.all(|column| !projection.expr.iter().any(|expr| is_other(column, expr)))
            };
            Ok(columns.filter(is_clear))
        }
        // Nothing is added below the name of a table.
        LogicalPlan::SubqueryAlias(table) => {
            let columns = columns_of_conditions(&table.input)?.unwrap_or_default();
            let schema = table.input.schema();
            if columns.is_empty() || !columns.iter().all(|column| schema.has_column(column)) {
                return Ok(None);
            }
            let named = columns.into_iter();
            let named = named.map(|column| Column::new(Some(table.alias.clone()), column.name));
            Ok(Some(named.collect()))
        }
        _ => Ok(None),
    }
}
