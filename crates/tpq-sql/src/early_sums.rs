//! Sums below joins with a table that only adds columns to each group.
//!
//! `SELECT id_1, sum(ii.dur), b.ts FROM _interval_intersect!((…, buckets), ()) ii JOIN buckets b ON
//! id_1 = b.id GROUP BY id_1` joins millions of rows with the few rows of `buckets`, and looks for
//! the first `b.ts` of each group. A group has one key, so it has one partner, if the key is unique
//! in `buckets`: the sums can be computed before the join, and the join has a row for each group. A
//! sum of a group without a partner may be out of range: that is no error, as nothing reads it.
//!
//! This is for the rows of a table function. A join with a stored table can be cheaper than its
//! sums, because the scan reads only rows that have a partner.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, JoinType, Result};
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{Aggregate, Expr, ExprSchemable, Join, LogicalPlan, Projection};

use crate::functions::{sum_in_range, wide_sum};
use crate::operators::TableCall;
use crate::step_rules::{StepRule, replaced};
use crate::unique_columns::is_unique_column;

/// Functions with a result that depends on the set of rows alone, not on their order.
const SUMS: [&str; 4] = ["count", "max", "min", "sum"];

/// Puts such sums below the join.
pub(crate) const EARLY_SUMS: StepRule = StepRule { name: "early_sums", rewrite: sums_below };

fn sums_below(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    Ok(replaced(summed_before(&plan)?, plan))
}

/// The groups of a plan, with sums below its join; `None` if it is another plan.
fn summed_before(plan: &LogicalPlan) -> Result<Option<LogicalPlan>> {
    let LogicalPlan::Aggregate(step) = plan else { return Ok(None) };
    let Some(sides) = join_below(&step.input).and_then(|join| Sides::of(join, step)) else {
        return Ok(None);
    };
    let fields = step.schema.fields().iter().skip(step.group_expr.len());
    let values = step.aggr_expr.iter().zip(fields.clone());
    let values = values.map(|(expr, field)| sides.value(expr, field.name()));
    let Some(values) = values.collect::<Option<Vec<_>>>() else { return Ok(None) };
    let sums = values.iter().filter_map(|value| match value {
        Value::Sum(sum) | Value::WideSum(sum) => Some(sum.clone()),
        Value::OfPartner(_) => None,
    });
    let groups = Arc::clone(sides.groups);
    let below = Aggregate::try_new(groups, step.group_expr.clone(), sums.collect())?;
    let sums = below.schema.iter().skip(step.group_expr.len()).map(Column::from);
    let mut sums = sums.collect::<Vec<_>>().into_iter();
    // A sum may have the name of a column of the other side.
    let Ok(joined) = sides.joined(LogicalPlan::Aggregate(below)) else { return Ok(None) };
    let mut columns = step.group_expr.clone();
    for (value, field) in values.into_iter().zip(fields) {
        let column = match value {
            Value::OfPartner(value) => Some(value.alias(field.name())),
            Value::Sum(_) => sums.next().map(Expr::Column),
            Value::WideSum(_) => {
                sums.next().map(|sum| sum_in_range(Expr::Column(sum)).alias(field.name()))
            }
        };
        let Some(column) = column else { return Ok(None) };
        columns.push(column);
    }
    let schema = Arc::clone(&step.schema);
    let columns = Projection::try_new_with_schema(columns, Arc::new(joined), schema)?;
    Ok(Some(LogicalPlan::Projection(columns)))
}

/// The join of which a plan shows columns.
fn join_below(plan: &LogicalPlan) -> Option<&Join> {
    match plan {
        LogicalPlan::Join(join) => Some(join),
        LogicalPlan::Projection(step)
            if step.expr.iter().all(|expr| matches!(expr, Expr::Column(_))) =>
        {
            join_below(&step.input)
        }
        _ => None,
    }
}

/// The sides of a join by the key of the groups.
struct Sides<'a> {
    join: &'a Join,
    /// The side with the key of the groups, as it is in each of its rows.
    groups: &'a Arc<LogicalPlan>,
    /// The side in which that key is unique.
    partners: &'a Arc<LogicalPlan>,
    /// Whether the groups are on the left.
    is_left: bool,
}

impl<'a> Sides<'a> {
    /// The sides of a join below a step that groups by its key; `None` if it is another.
    fn of(join: &'a Join, step: &Aggregate) -> Option<Self> {
        if join.join_type != JoinType::Inner || join.filter.is_some() {
            return None;
        }
        let [Expr::Column(group)] = &step.group_expr[..] else { return None };
        let [(Expr::Column(left), Expr::Column(right))] = &join.on[..] else { return None };
        let (groups, partners, unique, is_left) = if group == left {
            (&join.left, &join.right, right, true)
        } else if group == right {
            (&join.right, &join.left, left, false)
        } else {
            return None;
        };
        let fits = is_called(groups) && is_unique_column(partners, unique);
        fits.then_some(Self { join, groups, partners, is_left })
    }

    /// A result of the groups, which has a name; `None` if it cannot be computed on one side.
    fn value(&self, expr: &Expr, name: &str) -> Option<Value> {
        let Expr::AggregateFunction(AggregateFunction { func, params }) = expr.clone().unalias()
        else {
            return None;
        };
        let is_of = |side: &LogicalPlan, expr: &Expr| {
            expr.column_refs().iter().all(|column| side.schema().has_column(column))
        };
        if expr.is_volatile() {
            return None;
        }
        if SUMS.contains(&func.name()) && params.order_by.is_empty() && is_of(self.groups, expr) {
            if func.name() != "sum" || !self.is_integer(&params.args) {
                return Some(Value::Sum(expr.clone()));
            }
            let sum = (!params.distinct).then(|| wide_sum(params.args, params.filter));
            return sum.map(|sum| Value::WideSum(sum.alias(name)));
        }
        match &params.args[..] {
            [value]
                if func.name() == "first_value"
                    && params.filter.is_none()
                    && is_of(self.partners, value) =>
            {
                Some(Value::OfPartner(value.clone()))
            }
            _ => None,
        }
    }

    /// Whether the only argument of a function of the groups is an integer.
    fn is_integer(&self, args: &[Expr]) -> bool {
        let [argument] = args else { return false };
        matches!(argument.get_type(self.groups.schema()), Ok(DataType::Int64))
    }

    /// The join with other rows on the side of the groups.
    fn joined(&self, groups: LogicalPlan) -> Result<LogicalPlan> {
        let (groups, partners) = (Arc::new(groups), Arc::clone(self.partners));
        let (left, right) = if self.is_left { (groups, partners) } else { (partners, groups) };
        let Join { on, join_constraint, null_equality, .. } = self.join;
        Ok(LogicalPlan::Join(Join::try_new(
            left,
            right,
            on.clone(),
            None,
            JoinType::Inner,
            *join_constraint,
            *null_equality,
            false,
        )?))
    }
}

/// A result of a group.
enum Value {
    /// An aggregate of the rows of the group.
    Sum(Expr),
    /// A sum of integers, as a decimal.
    WideSum(Expr),
    /// A value of the row that all rows of the group are joined with.
    OfPartner(Expr),
}

/// Whether rows come from a table function.
fn is_called(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(step) => is_called(&step.input),
        LogicalPlan::SubqueryAlias(step) => is_called(&step.input),
        LogicalPlan::Extension(step) => step.node.as_any().is::<TableCall>(),
        _ => false,
    }
}
