//! Subqueries in FROM that depend on the tables before them, and subqueries in the condition of a
//! join.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::logical_expr::utils::{conjunction, split_conjunction_owned};
use datafusion::logical_expr::{
    Expr, Filter, Join, JoinType, LogicalPlan, LogicalPlanBuilder, Projection, Subquery,
    SubqueryAlias, lit,
};

use super::bind::{apply, inward, outer_columns};
use super::pull_up::pull_up;
use super::{attach, has_subquery, is_correlated, lower_node};
use crate::lowering::repeats::check_plans;
use crate::operators::apply::ApplyKind;

/// Rewrites a join with a right side that may depend on the row of the left side.
pub(super) fn lower(join: Join) -> Result<LogicalPlan> {
    let Some(right) = without_subquery(&join.right)? else { return Ok(LogicalPlan::Join(join)) };
    if !is_correlated(&right)? {
        let right = Arc::new(right);
        return Ok(LogicalPlan::Join(Join { right, ..join }));
    }
    let outer = match join.join_type {
        JoinType::Inner => false,
        JoinType::Left => true,
        _ => return Ok(LogicalPlan::Join(join)),
    };
    let wanted = join.schema.columns();
    let Join { left, on, filter, .. } = join;
    let equalities = on.into_iter().map(|(left, right)| left.eq(right));
    let conditions: Vec<Expr> =
        equalities.chain(filter.into_iter().flat_map(split_conjunction_owned)).collect();
    let right = under_conditions(right, conditions, left.schema())?;
    select(join_rows(Arc::unwrap_or_clone(left), right, outer)?, wanted)
}

/// The plan of the right side of a lateral join, `None` where it is not marked as one.
fn without_subquery(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    match plan {
        LogicalPlan::Subquery(Subquery { subquery, .. }) => Ok(Some(subquery.as_ref().clone())),
        LogicalPlan::SubqueryAlias(SubqueryAlias { input, alias, .. }) => {
            let Some(input) = without_subquery(input)? else { return Ok(None) };
            let plan = SubqueryAlias::try_new(Arc::new(input), alias.clone())?;
            Ok(Some(LogicalPlan::SubqueryAlias(plan)))
        }
        _ => Ok(None),
    }
}

/// The right side with the conditions of the join as a filter, which depends on the left row.
fn under_conditions(
    right: LogicalPlan,
    conditions: Vec<Expr>,
    left: &DFSchema,
) -> Result<LogicalPlan> {
    let conditions = conditions
        .into_iter()
        .map(|condition| inward(condition, left))
        .collect::<Result<Vec<_>>>()?;
    match conjunction(conditions) {
        Some(predicate) => {
            let filter = Filter::try_new(predicate, Arc::new(right))?;
            lower_node(LogicalPlan::Filter(filter))
        }
        None => Ok(right),
    }
}

/// The rows of the left side, each with the rows of the right side that depend on it.
fn join_rows(left: LogicalPlan, right: LogicalPlan, outer: bool) -> Result<LogicalPlan> {
    if let Some(pulled) = pull_up(&right)?
        && let Some(on) = pulled.conditions(left.schema())?
    {
        let kind = if outer { JoinType::Left } else { JoinType::Inner };
        return LogicalPlanBuilder::from(left).join_on(pulled.plan, kind, on)?.build();
    }
    apply(left, right, ApplyKind::Rows { outer }, None)
}

/// Rewrites a join with subqueries in its condition.
pub(super) fn lower_condition(join: Join) -> Result<LogicalPlan> {
    let on = join.on.iter().map(|(left, right)| left.clone().eq(right.clone()));
    let filter = join.filter.clone().into_iter().flat_map(split_conjunction_owned);
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for condition in on.chain(filter) {
        let to = if has_subquery(&condition)? { &mut with } else { &mut without };
        to.push(condition);
    }
    match join.join_type {
        JoinType::Inner => {
            let right = Arc::unwrap_or_clone(join.right);
            let joined = LogicalPlanBuilder::from(Arc::unwrap_or_clone(join.left))
                .join_on(right, JoinType::Inner, without)?
                .build()?;
            let Some(predicate) = conjunction(with) else { return Ok(joined) };
            lower_node(LogicalPlan::Filter(Filter::try_new(predicate, Arc::new(joined))?))
        }
        // A right join is a left join the other way around.
        JoinType::Right => {
            let wanted = join.schema.columns();
            let plan = OuterJoin { left: join.right, right: join.left, with, without, full: false };
            select(plan.lower()?, wanted)
        }
        JoinType::Left | JoinType::Full => {
            let wanted = join.schema.columns();
            let full = join.join_type == JoinType::Full;
            let plan = OuterJoin { left: join.left, right: join.right, with, without, full };
            select(plan.lower()?, wanted)
        }
        _ => Ok(LogicalPlan::Join(join)),
    }
}

fn select(plan: LogicalPlan, columns: Vec<Column>) -> Result<LogicalPlan> {
    if plan.schema().columns() == columns {
        return Ok(plan);
    }
    let exprs = columns.into_iter().map(Expr::Column).collect();
    Ok(LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(plan))?))
}

/// A left join, or a full one, with its conditions: those with subqueries, and the others.
struct OuterJoin {
    left: Arc<LogicalPlan>,
    right: Arc<LogicalPlan>,
    with: Vec<Expr>,
    without: Vec<Expr>,
    full: bool,
}

impl OuterJoin {
    /// The join keeps rows that do not fulfil a condition: its subqueries are computed before it,
    /// on the side with the columns that they read, or all of the right side is for each left row.
    fn lower(self) -> Result<LogicalPlan> {
        let (mut left, mut right) = (self.left.as_ref().clone(), self.right.as_ref().clone());
        let mut conditions = self.without.clone();
        for condition in &self.with {
            let columns = columns_of_subqueries(condition)?;
            let all_in =
                |plan: &LogicalPlan| columns.iter().all(|column| plan.schema().has_column(column));
            let side = match (all_in(&left), all_in(&right)) {
                (true, _) => &mut left,
                (_, true) => &mut right,
                _ => return self.lower_by_rows(),
            };
            let (plan, condition) =
                attach::join_subqueries(std::mem::take(side), condition.clone())?;
            *side = plan;
            conditions.push(condition);
        }
        let kind = if self.full { JoinType::Full } else { JoinType::Left };
        LogicalPlanBuilder::from(left).join_on(right, kind, conditions)?.build()
    }

    fn lower_by_rows(self) -> Result<LogicalPlan> {
        let (left, right) = (self.left.as_ref().clone(), self.right.as_ref().clone());
        let mut conditions: Vec<Expr> = self.with.into_iter().chain(self.without).collect();
        if self.full {
            // Once: to begin anew in each of the two plans would double the work with each level.
            let lowered = conditions.into_iter().map(with_lowered_subqueries);
            conditions = lowered.collect::<Result<_>>()?;
            check_plans(&[&left, &right], &conditions)?;
        }
        let joined = rows_for_each(left.clone(), right.clone(), conditions.clone())?;
        match self.full {
            true => with_unmatched(joined, left, right, conditions),
            false => Ok(joined),
        }
    }
}

/// An expression with what is inside its subqueries lowered.
fn with_lowered_subqueries(expr: Expr) -> Result<Expr> {
    let lowered = |subquery: &Subquery| -> Result<Subquery> {
        let plan = super::lower(subquery.subquery.as_ref().clone())?;
        Ok(subquery.with_plan(Arc::new(plan)))
    };
    expr.transform_up(|part| {
        Ok(Transformed::yes(match part {
            Expr::ScalarSubquery(subquery) => Expr::ScalarSubquery(lowered(&subquery)?),
            Expr::Exists(mut exists) => {
                exists.subquery = lowered(&exists.subquery)?;
                Expr::Exists(exists)
            }
            Expr::InSubquery(mut search) => {
                search.subquery = lowered(&search.subquery)?;
                Expr::InSubquery(search)
            }
            other => return Ok(Transformed::no(other)),
        }))
    })
    .data()
}

/// The rows of the left side, each with the rows of the right side that fulfil the conditions with
/// it, or with NULLs.
fn rows_for_each(
    left: LogicalPlan,
    right: LogicalPlan,
    conditions: Vec<Expr>,
) -> Result<LogicalPlan> {
    let right = under_conditions(right, conditions, left.schema())?;
    apply(left, right, ApplyKind::Rows { outer: true }, None)
}

/// The rows of a left join, and those of its right side that fulfil the conditions with no row of
/// the left side.
fn with_unmatched(
    joined: LogicalPlan,
    left: LogicalPlan,
    right: LogicalPlan,
    conditions: Vec<Expr>,
) -> Result<LogicalPlan> {
    let wanted = joined.schema().columns();
    let name = |at: usize| format!("__full_{at}");
    let of_left: Vec<_> = left.schema().fields().iter().map(|it| it.data_type().clone()).collect();
    let is_found = Column::from_name("__is_found");
    let mut columns: Vec<Expr> = left.schema().columns().into_iter().map(Expr::Column).collect();
    columns.push(lit(true).alias(&is_found.name));
    let left = LogicalPlanBuilder::from(left).project(columns)?.build()?;
    let rows = rows_for_each(right, left, conditions)?;
    let unmatched = wanted.iter().enumerate().map(|(at, column)| {
        let value = match of_left.get(at) {
            Some(data_type) => lit(ScalarValue::try_new_null(data_type)?),
            None => Expr::Column(column.clone()),
        };
        Ok(value.alias(name(at)))
    });
    let unmatched = unmatched.collect::<Result<Vec<Expr>>>()?;
    let rows = LogicalPlanBuilder::from(rows).filter(Expr::Column(is_found).is_null())?;
    let unmatched = rows.project(unmatched)?.build()?;
    // A union has columns without tables.
    let joined_columns = wanted.iter().cloned().enumerate();
    let joined_columns = joined_columns.map(|(at, column)| Expr::Column(column).alias(name(at)));
    let all = LogicalPlanBuilder::from(joined).project(joined_columns)?.union(unmatched)?;
    let columns = wanted.into_iter().enumerate().map(|(at, column)| {
        let value = Expr::Column(Column::from_name(name(at)));
        value.alias_qualified(column.relation, column.name)
    });
    all.project(columns)?.build()
}

/// The columns of the row around the subqueries in an expression that these read.
fn columns_of_subqueries(expr: &Expr) -> Result<Vec<Column>> {
    let mut columns = Vec::new();
    expr.apply(|expr| {
        let subquery = match expr {
            Expr::ScalarSubquery(subquery) => subquery,
            Expr::Exists(exists) => &exists.subquery,
            Expr::InSubquery(is_in) => {
                columns.extend(is_in.expr.column_refs().into_iter().cloned());
                &is_in.subquery
            }
            _ => return Ok(TreeNodeRecursion::Continue),
        };
        columns.extend(outer_columns(&subquery.subquery)?);
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(columns)
}
