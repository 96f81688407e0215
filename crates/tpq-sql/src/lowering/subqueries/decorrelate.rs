//! Subqueries that depend on the row by equalities only, as joins.
//!
//! `(SELECT max(b) FROM t WHERE t.a = s.a)` is computed once for all values of `a`, grouped by
//! them, and each row of `s` is joined with its group.

use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::functions::expr_fn::coalesce;
use datafusion::functions_aggregate::first_last::first_value_udaf;
use datafusion::logical_expr::expr::{AggregateFunction, Sort};
use datafusion::logical_expr::{
    Aggregate, Expr, FetchType, JoinType, LogicalPlan, LogicalPlanBuilder, SkipType, lit, when,
};

use super::bind::outward;
use super::pull_up::{Pulled, pull_up};

/// A lowered scalar subquery: a plan to be joined, and its value on the joined row.
pub(super) struct JoinableSubquery {
    plan: LogicalPlan,
    on: Vec<Expr>,
    value: Expr,
}

impl JoinableSubquery {
    /// The rows of `input`, each with the columns of the one row of this plan that it fits, and
    /// the expression that gives the value.
    pub(super) fn join_to(self, input: LogicalPlan) -> Result<(LogicalPlan, Expr)> {
        // The rows of the right input stay in order.
        let plan = LogicalPlanBuilder::from(self.plan)
            .join_on(input, JoinType::Right, self.on)?
            .build()?;
        Ok((plan, self.value))
    }
}

/// The join for a scalar subquery of rows with the columns of `row`, under the name `table`;
/// `None` where it depends on the row in other ways.
pub(super) fn decorrelate(
    plan: &LogicalPlan,
    table: &str,
    row: &DFSchema,
) -> Result<Option<JoinableSubquery>> {
    let Some(column) = plan.schema().columns().into_iter().next() else { return Ok(None) };
    let mut top = Top { value: Expr::Column(column), order: Vec::new(), guards: Vec::new() };
    let Some(base) = top.descend(plan)? else { return Ok(None) };
    let joined = match base {
        LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty() => {
            top.of_aggregate(aggregate, table)?
        }
        base => top.of_first_row(base, table)?,
    };
    let Some((pulled, value)) = joined else { return Ok(None) };
    let (Some(on), value) = (pulled.conditions(row)?, outward(value, row)?) else {
        return Ok(None);
    };
    // There is nothing to join by where only the value depends on the row. What is still of a
    // query around is of one further out.
    if on.is_empty() || value.contains_outer() {
        return Ok(None);
    }
    Ok(Some(JoinableSubquery { plan: pulled.plan, on, value }))
}

/// The steps at the top of a subquery, applied to its rows.
struct Top {
    /// The value, of the columns of the step reached.
    value: Expr,
    /// Which row is the first.
    order: Vec<Sort>,
    /// Without these there is no row.
    guards: Vec<Expr>,
}

impl Top {
    /// Goes down to the step that decides which rows there are.
    fn descend<'a>(&mut self, plan: &'a LogicalPlan) -> Result<Option<&'a LogicalPlan>> {
        let mut node = plan;
        loop {
            node = match node {
                LogicalPlan::Projection(step) => {
                    self.substitute(&step.schema, |index| {
                        step.expr.get(index).cloned().map(Expr::unalias)
                    })?;
                    &step.input
                }
                LogicalPlan::SubqueryAlias(step) if self.order.is_empty() => {
                    let columns = step.input.schema().columns();
                    self.substitute(&step.schema, |index| {
                        columns.get(index).cloned().map(Expr::Column)
                    })?;
                    &step.input
                }
                LogicalPlan::Limit(step) => {
                    let first = matches!(step.get_skip_type()?, SkipType::Literal(0));
                    let some =
                        matches!(step.get_fetch_type()?, FetchType::Literal(None | Some(1..)));
                    if !first || !some || !self.guards.is_empty() {
                        return Ok(None);
                    }
                    &step.input
                }
                LogicalPlan::Sort(step) if self.order.is_empty() && step.fetch.is_none() => {
                    self.order.clone_from(&step.expr);
                    &step.input
                }
                LogicalPlan::Filter(step) if is_over_one_row(&step.input) => {
                    self.guards.push(step.predicate.clone());
                    &step.input
                }
                other => return Ok(Some(other)),
            };
        }
    }

    /// Puts what a step computes in place of its columns.
    fn substitute(
        &mut self,
        schema: &DFSchema,
        computed: impl Fn(usize) -> Option<Expr>,
    ) -> Result<()> {
        let replace = |expr: Expr| {
            let replaced = expr.transform(|expr| {
                let Expr::Column(column) = &expr else { return Ok(Transformed::no(expr)) };
                let computed = schema.maybe_index_of_column(column).and_then(&computed);
                Ok(computed.map_or(Transformed::no(expr), |by| Transformed {
                    tnr: TreeNodeRecursion::Jump,
                    ..Transformed::yes(by)
                }))
            });
            replaced.data()
        };
        self.value = replace(std::mem::take(&mut self.value))?;
        for guard in &mut self.guards {
            *guard = replace(std::mem::take(guard))?;
        }
        for by in &mut self.order {
            by.expr = replace(std::mem::take(&mut by.expr))?;
        }
        Ok(())
    }

    /// The value where it is computed of all rows: there is one even where no row fits.
    fn of_aggregate(self, aggregate: &Aggregate, table: &str) -> Result<Option<(Pulled, Expr)>> {
        if aggregate.aggr_expr.iter().any(Expr::contains_outer) {
            return Ok(None);
        }
        let Some(pulled) = pull_up(&aggregate.input)? else { return Ok(None) };
        let input = Arc::new(pulled.plan.clone());
        let grouped = Aggregate::try_new(input, pulled.key_columns(), aggregate.aggr_expr.clone())?;
        let names = |index| format!("v{index}");
        let values: Vec<Expr> = aggregate.schema.columns().into_iter().map(Expr::Column).collect();
        let pulled = pulled.select_as(table, LogicalPlan::Aggregate(grouped), values, names)?;
        let mut top = self;
        let mut on_nothing = Vec::new();
        for (index, expr) in aggregate.aggr_expr.iter().enumerate() {
            let column = Expr::Column(Column::new(Some(table), names(index)));
            on_nothing.push(or_default(column, expr, aggregate.schema.field(index).data_type())?);
        }
        top.substitute(&aggregate.schema, |index| on_nothing.get(index).cloned())?;
        let mut value = top.value;
        for guard in top.guards {
            value = when(guard, value).end()?;
        }
        Ok(Some((pulled, value)))
    }

    /// The value where it is that of the first row that fits.
    fn of_first_row(self, base: &LogicalPlan, table: &str) -> Result<Option<(Pulled, Expr)>> {
        let outer = |by: &Sort| by.expr.contains_outer();
        if self.order.iter().any(outer) || !self.guards.is_empty() {
            return Ok(None);
        }
        let Some(pulled) = pull_up(base)? else { return Ok(None) };
        let (mut inside, value) = in_two(self.value, table)?;
        let mut plan = pulled.plan.clone();
        if !pulled.keys_are_unique() {
            let order = match self.order.is_empty() {
                true => by_id(&plan),
                false => self.order,
            };
            let name = |index| format!("__first_{index}");
            let first = |(index, value): (usize, Expr)| {
                let udaf = first_value_udaf();
                let call =
                    AggregateFunction::new_udf(udaf, vec![value], false, None, order.clone(), None);
                Expr::AggregateFunction(call).alias(name(index))
            };
            let first: Vec<Expr> = inside.into_iter().enumerate().map(first).collect();
            inside = (0..first.len()).map(|index| Expr::Column(name(index).into())).collect();
            let grouped = Aggregate::try_new(Arc::new(plan), pulled.key_columns(), first)?;
            plan = LogicalPlan::Aggregate(grouped);
        }
        let pulled = pulled.select_as(table, plan, inside, |index| format!("v{index}"))?;
        Ok(Some((pulled, value)))
    }
}

/// The expressions to compute of a matching row, and the value over them, as the columns `v0`,
/// `v1`… of the table it becomes, and of the row around it.
fn in_two(value: Expr, table: &str) -> Result<(Vec<Expr>, Expr)> {
    let column = |index| Expr::Column(Column::new(Some(table), format!("v{index}")));
    if !value.contains_outer() {
        return Ok((vec![value], column(0)));
    }
    let mut inside: Vec<Column> = value.column_refs().into_iter().cloned().collect();
    inside.sort();
    let outside = value.transform(|expr| {
        let Expr::Column(read) = &expr else { return Ok(Transformed::no(expr)) };
        let at = inside.iter().position(|inside| inside == read);
        Ok(at.map_or(Transformed::no(expr), |at| Transformed::yes(column(at))))
    });
    // Without a row that fits there is no value, whatever the row around it has.
    let fits = column(inside.len()).is_not_null();
    let value = when(fits, outside.data()?).end()?;
    let inside = inside.into_iter().map(Expr::Column).chain([lit(true)]);
    Ok((inside.collect(), value))
}

/// Whether a plan gives one row, whatever it reads; then a filter above it decides only whether
/// there is a value.
fn is_over_one_row(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        LogicalPlan::Projection(step) => is_over_one_row(&step.input),
        LogicalPlan::SubqueryAlias(step) => is_over_one_row(&step.input),
        LogicalPlan::Filter(step) => is_over_one_row(&step.input),
        _ => false,
    }
}

/// An aggregate's column of a joined row, which has no group where nothing fits.
fn or_default(
    column: Expr,
    aggregate: &Expr,
    data_type: &datafusion::arrow::datatypes::DataType,
) -> Result<Expr> {
    let mut aggregate = aggregate;
    while let Expr::Alias(alias) = aggregate {
        aggregate = &alias.expr;
    }
    let default = match aggregate {
        Expr::AggregateFunction(call) => call.func.default_value(data_type)?,
        _ => ScalarValue::Null,
    };
    Ok(if default.is_null() { column } else { coalesce(vec![column, lit(default)]) })
}

/// The order of a table, where the rows are those of one.
fn by_id(plan: &LogicalPlan) -> Vec<Sort> {
    let ids: Vec<Column> =
        plan.schema().columns().into_iter().filter(|column| column.name == "id").collect();
    match <[Column; 1]>::try_from(ids) {
        Ok([id]) => vec![Expr::Column(id).sort(true, true)],
        Err(_) => Vec::new(),
    }
}
