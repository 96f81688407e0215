//! Aggregates of columns of a query around: `(SELECT count(s.id) FROM thread)` in a query of
//! `slice AS s`.
//!
//! By the rules of SQL such an aggregate is one of the query around, which then has one row.
//! DataFusion would compute it over the rows of the subquery, so it is refused.

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{Expr, LogicalPlan};

use crate::errors::{SqlError, SqlErrorKind};

/// The aggregate that stands for a column which is not grouped by. No statement of SQLite has it.
const OF_ONE_ROW: &str = "first_value";

/// Refuses aggregates in subqueries that have columns of a query around alone.
pub(super) fn refuse(plan: &LogicalPlan) -> Result<()> {
    let in_expression = |expr: &Expr| -> Result<TreeNodeRecursion> {
        expr.apply(|part| {
            match part {
                Expr::ScalarSubquery(query) => in_subquery(&query.subquery)?,
                Expr::Exists(exists) => in_subquery(&exists.subquery.subquery)?,
                Expr::InSubquery(search) => in_subquery(&search.subquery.subquery)?,
                _ => {}
            }
            Ok(TreeNodeRecursion::Continue)
        })
    };
    plan.apply_with_subqueries(|node| node.apply_expressions(in_expression)).map(|_| ())
}

/// Checks the steps of a subquery. Subqueries within it are checked for themselves.
fn in_subquery(plan: &LogicalPlan) -> Result<()> {
    let in_step = |node: &LogicalPlan| -> Result<TreeNodeRecursion> {
        if let LogicalPlan::Aggregate(aggregate) = node {
            aggregate.aggr_expr.iter().try_for_each(in_aggregate)?;
        }
        Ok(TreeNodeRecursion::Continue)
    };
    plan.apply(in_step).map(|_| ())
}

fn in_aggregate(expr: &Expr) -> Result<()> {
    let in_part = |part: &Expr| -> Result<TreeNodeRecursion> {
        if let Expr::AggregateFunction(call) = part
            && call.func.name() != OF_ONE_ROW
            && let Some(column) = column_around(call)?
        {
            return Err(refusal(&column));
        }
        Ok(TreeNodeRecursion::Continue)
    };
    expr.apply(in_part).map(|_| ())
}

/// The column of a query around that an aggregate has, if it has no columns but those.
fn column_around(call: &AggregateFunction) -> Result<Option<String>> {
    let (mut around, mut has_own) = (None, false);
    for argument in &call.params.args {
        argument.apply(|part| {
            match part {
                Expr::OuterReferenceColumn(_, column) => {
                    around.get_or_insert_with(|| column.flat_name());
                }
                // A subquery may have columns of the rows that are aggregated.
                Expr::Column(_)
                | Expr::ScalarSubquery(_)
                | Expr::Exists(_)
                | Expr::InSubquery(_) => has_own = true,
                _ => {}
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    Ok(around.filter(|_| !has_own))
}

fn refusal(column: &str) -> DataFusionError {
    let message = format!(
        "an aggregate in a subquery of `{column}` alone, a column of the query around, is one of \
         that query: not supported"
    );
    let hint = "write it in the query around, or as an aggregate of a column of the subquery's own \
                tables";
    let error = SqlError::new(SqlErrorKind::Unsupported, message).hint(Some(hint.to_owned()));
    DataFusionError::External(error.into())
}
