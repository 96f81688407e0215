//! Subqueries that depend on the row they are in, and those in places where DataFusion does not
//! expect them.
//!
//! All kinds are made scalar subqueries first (`exists_in`), which then become a column of a plan
//! put below the step they were in (`attach`): by a join where the subquery depends on the row
//! by equalities only (`decorrelate`), else by running it for each row (`bind`). What DataFusion
//! does well itself is left to it: scalar subqueries that depend on nothing, and EXISTS and IN
//! that filter rows.
//!
//! ```text
//! Projection: s.name, (SELECT max(b) FROM t WHERE t.a = s.a)
//!   s
//! becomes
//! Projection: s.name, __subquery_1.v0
//!   RightJoin: s.a = __subquery_1.k0
//!     SubqueryAlias: __subquery_1
//!       Aggregate: groupBy=[t.a AS k0], aggr=[max(b) AS v0]
//!     s
//! ```

mod attach;
mod bind;
mod decorrelate;
mod exists_in;
mod filters;
mod lateral;
mod limits;
mod pull_up;
mod values;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Rewrites the subqueries that DataFusion cannot run.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.transform_up(|node| Ok(Transformed::yes(lower_node(node)?))).data()
}

/// Rewrites the subqueries in the expressions of one step; the steps below it are done.
fn lower_node(node: LogicalPlan) -> Result<LogicalPlan> {
    let node = match node {
        LogicalPlan::Join(join) => lateral::lower(join)?,
        node => node,
    };
    if !has_subqueries(&node)? {
        return Ok(node);
    }
    match node {
        LogicalPlan::Filter(filter) => filters::lower(filter),
        LogicalPlan::Join(join) => lateral::lower_condition(join),
        LogicalPlan::Limit(limit) => limits::lower(limit),
        LogicalPlan::Values(values) => values::lower(values),
        node => attach::lower(node),
    }
}

fn has_subqueries(node: &LogicalPlan) -> Result<bool> {
    let mut found = false;
    node.apply_expressions(|expr| {
        found |= has_subquery(expr)?;
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

fn has_subquery(expr: &Expr) -> Result<bool> {
    expr.exists(|expr| {
        Ok(matches!(expr, Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_)))
    })
}

/// Whether anything in a plan is a column of a query around it.
fn is_correlated(plan: &LogicalPlan) -> Result<bool> {
    plan.exists(|node| Ok(node.contains_outer_reference()))
}
