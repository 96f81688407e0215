//! Values of subplans that no step reads, as those of columns of a view that are not selected.

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, LogicalPlan};

use super::Apply;
use crate::step_rules::StepRule;

/// Takes out an [`Apply`] below a step that does not read its value. After the rules of DataFusion,
/// which reduce the steps above it to the columns that are read.
pub(crate) const UNUSED_VALUES: StepRule =
    StepRule { name: "unused_values", rewrite: without_unused };

fn without_unused(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    match needed(&plan) {
        Some(input) => plan.map_children(|_| Ok(Transformed::yes(input.clone()))),
        None => Ok(Transformed::no(plan)),
    }
}

/// The input of a step without the values that the step does not read; `None` if it reads all.
fn needed(plan: &LogicalPlan) -> Option<LogicalPlan> {
    let mut input = match plan {
        LogicalPlan::Projection(step) => step.input.as_ref(),
        LogicalPlan::Aggregate(step) => step.input.as_ref(),
        _ => return None,
    };
    Apply::of(input)?;
    let exprs = plan.expressions();
    let mut has_unused = false;
    while let Some(apply) = Apply::of(input).filter(|apply| apply.gives_value()) {
        let value = apply.columns().pop()?;
        if exprs.iter().any(|expr| reads(expr, &value)) {
            break;
        }
        has_unused = true;
        input = apply.input();
    }
    has_unused.then(|| input.clone())
}

/// Whether an expression may have a column in it.
fn reads(expr: &Expr, column: &Column) -> bool {
    let mut found = expr.column_refs().into_iter().filter(|found| found.name == column.name);
    found.any(|found| found.relation.is_none() || found.relation == column.relation)
}
