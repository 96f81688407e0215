//! Expressions of a step of a plan, rewritten while its columns keep their names.
//!
//! A column without an alias is named after its expression. What changes within gets the old name
//! as an alias, so that the steps above find the column.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Rewrites each expression of a step from the inside out.
pub(crate) fn rewrite_expressions(
    step: LogicalPlan,
    mut rewrite: impl FnMut(Expr) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let preserver = NamePreserver::new(&step);
    step.map_expressions(|expr| {
        let saved = preserver.save(&expr);
        let rewritten = expr.transform_up(&mut rewrite)?;
        Ok(match rewritten.transformed {
            true => rewritten.update_data(|expr| saved.restore(expr)),
            false => rewritten,
        })
    })
}
