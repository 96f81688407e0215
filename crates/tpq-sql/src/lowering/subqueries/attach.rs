//! Subqueries in the expressions of a step of a plan, as columns of the plan below it.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result, not_impl_err, plan_err};
use datafusion::functions_aggregate::expr_fn::first_value;
use datafusion::logical_expr::expr::Case;
use datafusion::logical_expr::{
    Aggregate, Expr, ExprSchemable, Extension, Filter, LogicalPlan, LogicalPlanBuilder, Projection,
    Sort, Window,
};

use super::bind::{apply, outer_columns};
use super::decorrelate::decorrelate;
use super::{exists_in, is_correlated, lower as lower_plan};
use crate::operators::apply::ApplyKind;

/// Puts what a step's subqueries give below the step, which has the same columns as before.
pub(super) fn lower(node: LogicalPlan) -> Result<LogicalPlan> {
    let inputs = node.inputs();
    let [input] = inputs[..] else {
        return not_impl_err!("a subquery in {}", node.display());
    };
    let input = input.clone();
    let mut input_plan = InputPlan::new(input);
    let plan = match &node {
        LogicalPlan::Projection(step) => {
            let exprs = input_plan.rewrite_all(&step.expr)?;
            LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(input_plan.input))?)
        }
        LogicalPlan::Filter(step) => {
            let predicate = input_plan.rewrite(step.predicate.clone())?;
            LogicalPlan::Filter(Filter::try_new(predicate, Arc::new(input_plan.input))?)
        }
        LogicalPlan::Sort(step) => {
            let mut expr = step.expr.clone();
            for by in &mut expr {
                by.expr = input_plan.rewrite(by.expr.clone())?;
            }
            LogicalPlan::Sort(Sort { expr, input: Arc::new(input_plan.input), fetch: step.fetch })
        }
        LogicalPlan::Aggregate(step) => {
            let groups = input_plan.rewrite_all(&step.group_expr)?;
            let aggregates = input_plan.rewrite_all(&step.aggr_expr)?;
            let input = Arc::new(input_plan.input);
            LogicalPlan::Aggregate(Aggregate::try_new(input, groups, aggregates)?)
        }
        LogicalPlan::Window(step) => {
            let exprs = input_plan.rewrite_all(&step.window_expr)?;
            LogicalPlan::Window(Window::try_new(exprs, Arc::new(input_plan.input))?)
        }
        LogicalPlan::Extension(step) => {
            let exprs = input_plan.rewrite_all(&step.node.expressions())?;
            let node = step.node.with_exprs_and_inputs(exprs, vec![input_plan.input])?;
            LogicalPlan::Extension(Extension { node })
        }
        other => return not_impl_err!("a subquery in {}", other.display()),
    };
    with_columns_of(plan, node.schema())
}

/// The plan with columns for the subqueries of an expression, and the expression without them.
pub(super) fn join_subqueries(plan: LogicalPlan, expr: Expr) -> Result<(LogicalPlan, Expr)> {
    let mut input_plan = InputPlan::new(plan);
    let expr = input_plan.rewrite(expr)?;
    Ok((input_plan.input, expr))
}

/// The columns of a schema out of a plan that has these and others, or has them under names that
/// its rewritten expressions gave them.
fn with_columns_of(plan: LogicalPlan, schema: &DFSchema) -> Result<LogicalPlan> {
    let (columns, wanted) = (plan.schema().columns(), schema.columns());
    if columns == wanted {
        return Ok(plan);
    }
    let has = |column: &Column| {
        plan.schema().index_of_column_by_name(column.relation.as_ref(), &column.name)
    };
    let exprs = wanted.into_iter().enumerate().map(|(index, column)| {
        if has(&column).is_some() {
            return Ok(Expr::Column(column));
        }
        // The results of a window or an aggregate come last, and in the same order.
        let from_end = schema.fields().len() - index;
        let Some(computed) = columns.len().checked_sub(from_end).and_then(|at| columns.get(at))
        else {
            return plan_err!("no column {column} in the inputs of a subquery");
        };
        Ok(Expr::Column(computed.clone()).alias_qualified(column.relation, column.name))
    });
    let exprs = exprs.collect::<Result<Vec<_>>>()?;
    Ok(LogicalPlan::Projection(Projection::try_new(exprs, Arc::new(plan))?))
}

/// The plan below a step, growing by what the step's subqueries give.
struct InputPlan {
    input: LogicalPlan,
    /// Subqueries seen before, the rows they were computed for, and what stands for them.
    known: Vec<(LogicalPlan, Option<Expr>, Expr)>,
    /// The rows for which the expression that is rewritten is evaluated; all without one.
    guard: Option<Expr>,
}

impl InputPlan {
    fn new(input: LogicalPlan) -> Self {
        Self { input, known: Vec::new(), guard: None }
    }

    /// Expressions of the same names, without subqueries.
    fn rewrite_all(&mut self, exprs: &[Expr]) -> Result<Vec<Expr>> {
        let rewritten = exprs.iter().map(|expr| {
            let (relation, name) = expr.qualified_name();
            let rewritten = self.rewrite(expr.clone())?;
            Ok(match rewritten.qualified_name() == (relation.clone(), name.clone()) {
                true => rewritten,
                false => rewritten.unalias().alias_qualified(relation, name),
            })
        });
        rewritten.collect()
    }

    fn rewrite(&mut self, expr: Expr) -> Result<Expr> {
        let expr = expr.transform_down(|expr| match expr {
            Expr::Case(case) if case.expr.is_none() => {
                let case = Expr::Case(self.rewrite_case(case)?);
                Ok(Transformed::new(case, true, TreeNodeRecursion::Jump))
            }
            other => Ok(Transformed::no(other)),
        });
        expr.data()?
            .transform_up(|expr| match expr {
                Expr::ScalarSubquery(subquery) => {
                    let plan = lower_plan(Arc::unwrap_or_clone(subquery.subquery))?;
                    Ok(Transformed::yes(self.value(plan)?))
                }
                Expr::Exists(exists) => {
                    let plan = lower_plan(Arc::unwrap_or_clone(exists.subquery.subquery))?;
                    let answer = self.values_in(exists_in::exists(plan)?)?;
                    Ok(Transformed::yes(if exists.negated { !answer } else { answer }))
                }
                Expr::InSubquery(is_in) => {
                    let plan = lower_plan(Arc::unwrap_or_clone(is_in.subquery.subquery))?;
                    let answer = exists_in::is_in(*is_in.expr, plan, self.input.schema())?;
                    let answer = self.values_in(answer)?;
                    Ok(Transformed::yes(if is_in.negated { !answer } else { answer }))
                }
                other => Ok(Transformed::no(other)),
            })
            .data()
    }

    /// A CASE without subqueries. A subquery in a branch is computed for rows alone that take the
    /// branch.
    fn rewrite_case(&mut self, case: Case) -> Result<Case> {
        let Case { when_then_expr, else_expr, .. } = case;
        let mut branches = Vec::with_capacity(when_then_expr.len());
        let mut is_other: Option<Expr> = None;
        for (when, then) in when_then_expr {
            let when = self.rewrite(*when)?;
            let is_truth = when.get_type(self.input.schema())? == DataType::Boolean;
            let then = self.rewrite_under(is_truth.then(|| when.clone()), *then)?;
            // What is no truth value is compared later, and says nothing yet.
            if is_truth {
                let is_not = when.clone().is_not_true();
                is_other = Some(match is_other {
                    Some(others) => others.and(is_not),
                    None => is_not,
                });
            }
            branches.push((Box::new(when), Box::new(then)));
        }
        let else_expr = match else_expr {
            Some(other) => Some(Box::new(self.rewrite_under(is_other, *other)?)),
            None => None,
        };
        Ok(Case { expr: None, when_then_expr: branches, else_expr })
    }

    /// An expression without subqueries that is evaluated for some rows alone.
    fn rewrite_under(&mut self, guard: Option<Expr>, expr: Expr) -> Result<Expr> {
        let outer = self.guard.clone();
        self.guard = match (outer.clone(), guard) {
            (Some(outer), Some(guard)) => Some(outer.and(guard)),
            (outer, guard) => outer.or(guard),
        };
        let rewritten = self.rewrite(expr);
        self.guard = outer;
        rewritten
    }

    /// An expression with its scalar subqueries, lowered inside, replaced.
    fn values_in(&mut self, expr: Expr) -> Result<Expr> {
        expr.transform_up(|expr| match expr {
            Expr::ScalarSubquery(subquery) => {
                Ok(Transformed::yes(self.value(Arc::unwrap_or_clone(subquery.subquery))?))
            }
            other => Ok(Transformed::no(other)),
        })
        .data()
    }

    /// The value of a scalar subquery on a row of the input.
    fn value(&mut self, plan: LogicalPlan) -> Result<Expr> {
        let mut known = self.known.iter();
        let is_known = |(known, guard, _): &&(LogicalPlan, Option<Expr>, Expr)| {
            *known == plan && (guard.is_none() || *guard == self.guard)
        };
        if let Some((_, _, value)) = known.find(is_known) {
            return Ok(value.clone());
        }
        let value = self.new_value(plan.clone())?;
        self.known.push((plan, self.guard.clone(), value.clone()));
        Ok(value)
    }

    fn new_value(&mut self, plan: LogicalPlan) -> Result<Expr> {
        if !is_correlated(&plan)? {
            return Ok(exists_in::scalar(or_null(first_row(plan)?)?));
        }
        for column in outer_columns(&plan)? {
            if !self.input.schema().has_column(&column)
                && let Some(input) = expose(&self.input, &column)?
            {
                self.input = input;
            }
        }
        let name = self.free_name();
        if let Some(joined) = decorrelate(&plan, &name, self.input.schema())? {
            let (input, value) = joined.join_to(std::mem::take(&mut self.input))?;
            self.input = input;
            return Ok(value);
        }
        let column = Column::new(Some(name), "__value");
        let kind = ApplyKind::Value(column.clone());
        let guard = self.guard.as_ref();
        self.input = apply(std::mem::take(&mut self.input), first_row(plan)?, kind, guard)?;
        Ok(Expr::Column(column))
    }

    /// A table name that no column of the input has.
    fn free_name(&self) -> String {
        let taken = |name: &str| {
            let mut tables = self.input.schema().iter().filter_map(|(table, _)| table);
            tables.any(|table| table.table() == name)
        };
        let mut number = 1;
        loop {
            let name = format!("__subquery_{number}");
            if !taken(&name) {
                return name;
            }
            number += 1;
        }
    }
}

/// The plan's first row: any further ones do not count.
fn first_row(plan: LogicalPlan) -> Result<LogicalPlan> {
    if plan.max_rows().is_some_and(|rows| rows <= 1) {
        return Ok(plan);
    }
    LogicalPlanBuilder::from(plan).limit(0, Some(1))?.build()
}

/// The plan with a NULL in place of no row, where nothing else says that there may be one.
fn or_null(plan: LogicalPlan) -> Result<LogicalPlan> {
    let never_null = plan.schema().fields().iter().all(|field| !field.is_nullable());
    let Some(column) = plan.schema().columns().into_iter().next() else { return Ok(plan) };
    if !never_null || gives_one_row(&plan) {
        return Ok(plan);
    }
    let value = first_value(Expr::Column(column), Vec::new());
    LogicalPlanBuilder::from(plan).aggregate(Vec::<Expr>::new(), vec![value])?.build()
}

fn gives_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::EmptyRelation(empty) => empty.produce_one_row,
        LogicalPlan::Projection(step) => gives_one_row(&step.input),
        LogicalPlan::SubqueryAlias(step) => gives_one_row(&step.input),
        LogicalPlan::Sort(step) => gives_one_row(&step.input),
        _ => false,
    }
}

/// The plan with one more column, which the step above it may read in a subquery though it is not
/// selected: `SELECT a FROM t ORDER BY (SELECT … WHERE x = t.b)`.
fn expose(plan: &LogicalPlan, column: &Column) -> Result<Option<LogicalPlan>> {
    let exposed = |input: &LogicalPlan| match input.schema().has_column(column) {
        true => Ok(Some(input.clone())),
        false => expose(input, column),
    };
    match plan {
        LogicalPlan::Projection(step) => {
            let Some(input) = exposed(&step.input)? else { return Ok(None) };
            let mut exprs = step.expr.clone();
            exprs.push(Expr::Column(column.clone()));
            let Ok(plan) = Projection::try_new(exprs, Arc::new(input)) else { return Ok(None) };
            Ok(Some(LogicalPlan::Projection(plan)))
        }
        // A column that is not grouped by is that of any row of the group.
        LogicalPlan::Aggregate(step) => {
            let Some(input) = exposed(&step.input)? else { return Ok(None) };
            let bare = first_value(Expr::Column(column.clone()), Vec::new());
            let mut aggregates = step.aggr_expr.clone();
            aggregates.push(bare.alias_qualified(column.relation.clone(), column.name.clone()));
            let plan = Aggregate::try_new(Arc::new(input), step.group_expr.clone(), aggregates)?;
            Ok(Some(LogicalPlan::Aggregate(plan)))
        }
        LogicalPlan::Filter(_) | LogicalPlan::Sort(_) | LogicalPlan::Window(_) => {
            let inputs = plan.inputs();
            let [input] = inputs[..] else { return Ok(None) };
            let Some(input) = exposed(input)? else { return Ok(None) };
            let exprs = plan.expressions();
            Ok(Some(plan.with_new_exprs(exprs, vec![input])?))
        }
        _ => Ok(None),
    }
}
