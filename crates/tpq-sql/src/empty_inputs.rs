//! Steps of a plan that give no rows because they read tables without rows.
//!
//! Most tables are empty: a trace of a Linux machine has no startups of apps, and a query about them
//! joins a dozen tables to find none. Steps that can give no rows are left out before the physical
//! plan is made, which takes half of the time that such a statement takes. Tables that a query fills
//! when they are first read are read here one by one, as the rows of one often show that others are
//! not needed.
//!
//! Only steps that read rows and change nothing are looked into. Those with steps of tpq's own below
//! them stay, as a shared plan waits for each of its readers. So do plans that are explained.

use std::borrow::Cow;
use std::sync::Arc;

use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinType, Result};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{EmptyRelation, Expr, LogicalPlan};

use crate::catalog::MaterializedTable;
use crate::known_rows::rows_of_table;

/// An optimised plan without steps that give no rows. Reads the tables of the plan that were not
/// read so far and are needed.
///
/// # Errors
/// When the query of a table fails.
pub(crate) async fn without_empty_inputs<'a>(
    plan: &'a LogicalPlan,
    session: &dyn Session,
) -> Result<Cow<'a, LogicalPlan>> {
    let mut plan = Cow::Borrowed(plan);
    if matches!(*plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_)) {
        return Ok(plan);
    }
    loop {
        if reads_empty_table(&plan)? {
            plan = Cow::Owned(pruned(plan.into_owned())?.data);
        }
        let Some(table) = unread_table(&plan)? else { return Ok(plan) };
        if let Some(table) = table.downcast_ref::<MaterializedTable>() {
            table.rows(session).await?;
        }
    }
}

/// The first table of a plan, or of a subquery in it, that was not read so far.
fn unread_table(plan: &LogicalPlan) -> Result<Option<Arc<dyn TableProvider>>> {
    let is_unread = |table: &Arc<dyn TableProvider>| {
        let table = table.downcast_ref::<MaterializedTable>();
        table.is_some_and(|table| table.rows_now().is_none())
    };
    let mut found = None;
    plan.apply_with_subqueries(|step| {
        let LogicalPlan::TableScan(scan) = step else { return Ok(TreeNodeRecursion::Continue) };
        found = source_as_provider(&scan.source).ok().filter(is_unread);
        Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

/// Whether a step reads rows and changes nothing.
fn is_looked_into(step: &LogicalPlan) -> bool {
    matches!(
        step,
        LogicalPlan::Projection(_)
            | LogicalPlan::Filter(_)
            | LogicalPlan::Window(_)
            | LogicalPlan::Aggregate(_)
            | LogicalPlan::Sort(_)
            | LogicalPlan::Limit(_)
            | LogicalPlan::Distinct(_)
            | LogicalPlan::SubqueryAlias(_)
            | LogicalPlan::Subquery(_)
            | LogicalPlan::Join(_)
            | LogicalPlan::Union(_)
    )
}

/// Whether a plan reads a table that is known to be empty, where it is looked into.
fn reads_empty_table(plan: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    plan.apply_with_subqueries(|step| {
        Ok(match step {
            LogicalPlan::TableScan(scan) if rows_of_table(scan) == Some(0) => {
                found = true;
                TreeNodeRecursion::Stop
            }
            step if is_looked_into(step) => TreeNodeRecursion::Continue,
            _ => TreeNodeRecursion::Jump,
        })
    })?;
    Ok(found)
}

/// The plan with no rows in place of steps that give none: those of subqueries first, then inputs.
fn pruned(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    if !matches!(plan, LogicalPlan::TableScan(_)) && !is_looked_into(&plan) {
        return Ok(Transformed::no(plan));
    }
    let plan = plan.map_subqueries(pruned)?;
    plan.transform_data(|step| step.map_children(pruned))?.transform_data(|step| {
        if !gives_no_rows(&step) || has_own_steps(&step)? {
            return Ok(Transformed::no(step));
        }
        let schema = Arc::clone(step.schema());
        let none = EmptyRelation { produce_one_row: false, schema };
        Ok(Transformed::yes(LogicalPlan::EmptyRelation(none)))
    })
}

/// Whether a step gives no rows, as far as the steps right below it show.
fn gives_no_rows(step: &LogicalPlan) -> bool {
    let is_none = |input: &LogicalPlan| match input {
        LogicalPlan::EmptyRelation(relation) => !relation.produce_one_row,
        _ => false,
    };
    match step {
        LogicalPlan::TableScan(scan) => rows_of_table(scan) == Some(0),
        LogicalPlan::Projection(step) => is_none(&step.input),
        LogicalPlan::Filter(step) => is_none(&step.input),
        LogicalPlan::Window(step) => is_none(&step.input),
        LogicalPlan::Sort(step) => is_none(&step.input),
        LogicalPlan::Limit(step) => is_none(&step.input),
        LogicalPlan::Distinct(step) => is_none(step.input()),
        LogicalPlan::SubqueryAlias(step) => is_none(&step.input),
        // Without GROUP BY, and in some grouping sets, no rows are a group.
        LogicalPlan::Aggregate(step) => {
            let is_set = |group: &Expr| matches!(group, Expr::GroupingSet(_));
            is_none(&step.input)
                && !step.group_expr.is_empty()
                && !step.group_expr.iter().any(is_set)
        }
        LogicalPlan::Union(step) => step.inputs.iter().all(|input| is_none(input)),
        LogicalPlan::Join(join) => match join.join_type {
            JoinType::Inner | JoinType::LeftSemi | JoinType::RightSemi => {
                is_none(&join.left) || is_none(&join.right)
            }
            JoinType::Left | JoinType::LeftAnti | JoinType::LeftMark => is_none(&join.left),
            JoinType::Right | JoinType::RightAnti | JoinType::RightMark => is_none(&join.right),
            JoinType::Full => is_none(&join.left) && is_none(&join.right),
        },
        _ => false,
    }
}

/// Whether a step of tpq's own is below a step, or in a subquery of its expressions.
fn has_own_steps(step: &LogicalPlan) -> Result<bool> {
    let mut has = false;
    step.apply_with_subqueries(|step| {
        has = matches!(step, LogicalPlan::Extension(_));
        Ok(if has { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(has)
}
