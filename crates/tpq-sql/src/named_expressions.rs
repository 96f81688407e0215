//! Expressions of a step of a plan, rewritten while its columns keep their names.
//!
//! A column without an alias is named after its expression. What changes within gets the old name
//! as an alias, so that the steps above find the column.

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Whether a part of an expression of a step is of a kind. Most steps have none of the kinds that
/// are rewritten, and looking takes less than merging the columns of their inputs does.
pub(crate) fn has_part(step: &LogicalPlan, is_kind: impl Fn(&Expr) -> bool) -> Result<bool> {
    let mut found = false;
    step.apply_expressions(|expr| {
        found = found || expr.exists(|part| Ok(is_kind(part)))?;
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(found)
}

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
