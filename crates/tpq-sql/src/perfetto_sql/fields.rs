//! Fields of columns: `s.ts` where a subquery has a column `s`, and the query around it a table
//! `s`.
//!
//! DataFusion takes the column, and says only when a plan is run that it has no fields. It is asked
//! here, so that the table can get another name.

use std::ops::ControlFlow;

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};
use datafusion::sql::parser::Statement as Tree;
use datafusion::sql::sqlparser::ast::Expr as SqlExpr;

use super::walk::walk_expressions;

/// The function that reads a field.
const GET_FIELD: &str = "get_field";

/// Whether a statement has subqueries in expressions, which read tables around them.
pub(super) fn may_be_mistaken(tree: &Tree) -> bool {
    let is_query = |expr: &SqlExpr| match expr {
        SqlExpr::Subquery(_) | SqlExpr::Exists { .. } | SqlExpr::InSubquery { .. } => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    };
    match tree {
        Tree::Statement(statement) => walk_expressions(&**statement, is_query).is_break(),
        Tree::Explain(explain) => may_be_mistaken(&explain.statement),
        _ => false,
    }
}

/// Checks that the columns of a plan have the fields that are read.
///
/// # Errors
/// When a column has no fields.
pub(super) fn check(plan: &LogicalPlan) -> Result<()> {
    plan.apply_with_subqueries(|step| {
        let mut reads = Vec::new();
        step.apply_expressions(|expr| {
            expr.apply(|part| {
                if matches!(part, Expr::ScalarFunction(call) if call.name() == GET_FIELD) {
                    reads.push(part.clone());
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })?;
        if !reads.is_empty() {
            let schema = merge_schema(&step.inputs());
            for read in &reads {
                match read.get_type(&schema) {
                    Err(error) if is_about_fields(&error) => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

/// Whether an error says that a column has no fields.
pub(super) fn is_about_fields(error: &DataFusionError) -> bool {
    match error.find_root() {
        DataFusionError::Execution(message) => message.starts_with("Cannot access field"),
        // Of a column of a query between the two.
        DataFusionError::NotImplemented(message) => message.starts_with("Nested identifiers"),
        _ => false,
    }
}
