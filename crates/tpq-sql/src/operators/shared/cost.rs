//! Whether a query is worth sharing.

use datafusion::common::{Column, Result};
use datafusion::logical_expr::utils::split_conjunction;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Distinct, Expr, Extension, Join, JoinType, LogicalPlan, Operator, Window,
};

use super::super::subplans::each_part;
use super::independent::is_independent;
use super::query::{SharedQuery, query_of};
use super::readers::Reader;

/// What the most expensive step of a plan costs; steps that look at one row at a time cost nothing
/// here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cost {
    /// About what keeping its rows does: a join by equal values, a sort.
    Streaming,
    /// Far more: groups, windows, recursion, a join by other conditions, the steps of tpq.
    Whole,
}

impl Cost {
    /// How many times a query has to run for it to be shared.
    fn least_runs(self) -> usize {
        match self {
            Self::Streaming => 4,
            Self::Whole => 2,
        }
    }

    fn of_step(step: &LogicalPlan) -> Option<Self> {
        match step {
            LogicalPlan::Aggregate(_)
            | LogicalPlan::Window(_)
            | LogicalPlan::Distinct(_)
            | LogicalPlan::RecursiveQuery(_)
            | LogicalPlan::Extension(_) => Some(Self::Whole),
            LogicalPlan::Sort(_) => Some(Self::Streaming),
            LogicalPlan::Join(join) => Self::of_join(join),
            _ => None,
        }
    }

    /// All pairs of rows may be more than can be kept, and a condition above the join may choose
    /// few of them.
    fn of_join(join: &Join) -> Option<Self> {
        let by_keys = |filter: &Expr| split_conjunction(filter).into_iter().any(compares_columns);
        match &join.filter {
            _ if !join.on.is_empty() => Some(Self::Streaming),
            Some(filter) if by_keys(filter) => Some(Self::Streaming),
            Some(_) => Some(Self::Whole),
            None => None,
        }
    }
}

/// Whether a condition is an equality of values that both depend on the row.
fn compares_columns(condition: &Expr) -> bool {
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => {
            !left.column_refs().is_empty() && !right.column_refs().is_empty()
        }
        _ => false,
    }
}

/// What a plan costs; `None` for one that only filters and computes rows of tables.
pub(super) fn cost_of(plan: &LogicalPlan) -> Result<Option<Cost>> {
    let mut cost = Cost::of_step(plan);
    each_part(plan, false, &mut |part, _| {
        cost = cost.max(cost_of(part)?);
        Ok(())
    })?;
    Ok(cost)
}

/// The same without what is in queries that could be shared themselves.
pub(super) fn own_cost_of(plan: &LogicalPlan) -> Result<Option<Cost>> {
    if let LogicalPlan::SubqueryAlias(alias) = plan
        && cost_of(&alias.input)?.is_some()
        && is_independent(&alias.input)?
    {
        return Ok(None);
    }
    let mut cost = Cost::of_step(plan);
    each_part(plan, false, &mut |part, _| {
        cost = cost.max(own_cost_of(part)?);
        Ok(())
    })?;
    Ok(cost)
}

/// Whether computing a query once and keeping its rows is cheaper than each reader computing the
/// part of it that it needs.
pub(super) fn is_worth_sharing(query: &SharedQuery, readers: &[Reader]) -> bool {
    let whole = readers.iter().filter(|reader| !needs_little(query, reader));
    let runs: usize = whole.map(|reader| if reader.is_repeated { 2 } else { 1 }).sum();
    runs >= query.cost.least_runs()
}

/// Whether a reader computes a small part of the query when it has the query to itself.
fn needs_little(query: &SharedQuery, reader: &Reader) -> bool {
    // A step that needs all rows does not end early.
    if reader.is_limited && reader.filters.is_empty() && query.cost == Cost::Streaming {
        return true;
    }
    reader.filters.iter().any(|filter| {
        chooses_few(filter)
            && filter.column_refs().iter().all(|column| {
                query.position(&column.name).is_some_and(|at| is_filtered_below(&query.plan, at))
            })
    })
}

/// Whether few rows can be expected to fulfil a condition.
fn chooses_few(condition: &Expr) -> bool {
    match condition {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::And => chooses_few(left) || chooses_few(right),
            Operator::Or => chooses_few(left) && chooses_few(right),
            Operator::Eq | Operator::IsNotDistinctFrom => {
                left.column_refs().is_empty() || right.column_refs().is_empty()
            }
            _ => false,
        },
        Expr::InList(list) => !list.negated,
        Expr::Like(like) => !like.negated,
        // Such as GLOB, and a list of values.
        Expr::ScalarFunction(_) => true,
        _ => false,
    }
}

/// Whether a condition on a column of a plan is one on the tables that it reads: then it passes
/// below all steps that are expensive.
fn is_filtered_below(plan: &LogicalPlan, column: usize) -> bool {
    match plan {
        LogicalPlan::Projection(step) => {
            step.expr.get(column).is_some_and(|expr| are_filtered_below(&step.input, expr))
        }
        LogicalPlan::SubqueryAlias(step) => is_filtered_below(&step.input, column),
        LogicalPlan::Filter(step) => is_filtered_below(&step.input, column),
        LogicalPlan::Sort(step) => step.fetch.is_none() && is_filtered_below(&step.input, column),
        LogicalPlan::Distinct(Distinct::All(input)) => is_filtered_below(input, column),
        LogicalPlan::Union(step) => {
            step.inputs.iter().all(|input| is_filtered_below(input, column))
        }
        LogicalPlan::Aggregate(step) => is_filtered_below_groups(step, column),
        LogicalPlan::Window(step) => is_filtered_below_window(step, column),
        LogicalPlan::Join(step) => is_filtered_below_join(step, column),
        LogicalPlan::TableScan(scan) => match query_of(scan) {
            Some(query) => is_filtered_below(&query.plan, column),
            None => true,
        },
        LogicalPlan::Extension(step) => is_filtered_below_own(step, column),
        LogicalPlan::EmptyRelation(_) | LogicalPlan::Values(_) => true,
        _ => false,
    }
}

/// The same of all columns in an expression on the rows of a plan.
fn are_filtered_below(plan: &LogicalPlan, expr: &Expr) -> bool {
    let schema = plan.schema();
    expr.column_refs().into_iter().all(|column| {
        schema.maybe_index_of_column(column).is_some_and(|at| is_filtered_below(plan, at))
    })
}

fn is_filtered_below_groups(step: &Aggregate, column: usize) -> bool {
    match step.group_expr.get(column) {
        Some(Expr::GroupingSet(_)) | None => false,
        Some(by) => are_filtered_below(&step.input, by),
    }
}

/// A window keeps whole partitions, so that a condition may only choose among these.
fn is_filtered_below_window(step: &Window, column: usize) -> bool {
    let Some(by) = step.input.schema().columns().into_iter().nth(column).map(Expr::Column) else {
        return false;
    };
    let is_partitioned = |function: &Expr| match function.clone().unalias() {
        Expr::WindowFunction(function) => function.params.partition_by.contains(&by),
        _ => false,
    };
    step.window_expr.iter().all(is_partitioned) && is_filtered_below(&step.input, column)
}

/// A step of tpq says which conditions DataFusion may push into all of its inputs.
fn is_filtered_below_own(step: &Extension, column: usize) -> bool {
    let Some((table, field)) = step.node.schema().iter().nth(column) else { return false };
    if step.node.prevent_predicate_push_down_columns().contains(field.name()) {
        return false;
    }
    let column = Column::from((table, field));
    let inputs = step.node.inputs();
    !inputs.is_empty()
        && inputs.into_iter().all(|input| {
            let at = input.schema().maybe_index_of_column(&column);
            at.is_some_and(|at| is_filtered_below(input, at))
        })
}

/// A join keeps rows without a match of one side or both, which no condition on the other takes
/// away.
fn is_filtered_below_join(step: &Join, column: usize) -> bool {
    let of_left = step.left.schema().fields().len();
    match (column.checked_sub(of_left), step.join_type) {
        (None, JoinType::Inner | JoinType::Left | JoinType::LeftSemi | JoinType::LeftAnti) => {
            is_filtered_below(&step.left, column)
        }
        (Some(column), JoinType::Inner | JoinType::Right) => is_filtered_below(&step.right, column),
        _ => false,
    }
}
