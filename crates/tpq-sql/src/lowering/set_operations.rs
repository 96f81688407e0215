//! INTERSECT and EXCEPT of columns of different types: no text is equal to a number, as in SQLite,
//! where the columns of a compound SELECT have no affinity.
//!
//! DataFusion joins the rows of the two sides by their columns, which it converts to one type.

use datafusion::common::tree_node::Transformed;
use datafusion::common::{DFSchema, NullEquality, Result};
use datafusion::logical_expr::{Expr, ExprSchemable, Join, JoinType, LogicalPlan};

use super::value_class::Class;
use crate::perfetto_sql::{Affinity, Comparison, Side, affinity_in, convert};

/// Converts the columns that such joins compare.
pub(super) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    let lowered = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Join(join) if compares_rows(&join) => Ok(comparable(join)),
        other => Ok(Transformed::no(other)),
    });
    Ok(lowered?.data)
}

/// Whether a join is an INTERSECT or an EXCEPT, to which two NULLs are the same.
fn compares_rows(join: &Join) -> bool {
    matches!(join.join_type, JoinType::LeftSemi | JoinType::LeftAnti)
        && join.null_equality == NullEquality::NullEqualsNull
}

fn comparable(mut join: Join) -> Transformed<LogicalPlan> {
    let mut changed = false;
    for (left, right) in &mut join.on {
        let schemas = (join.left.schema(), join.right.schema());
        let (Some(of_left), Some(of_right)) = (class(left, schemas.0), class(right, schemas.1))
        else {
            continue;
        };
        if of_left != of_right {
            let left = side(left, &join.left);
            let right = side(right, &join.right);
            if let (Some(left), Some(right)) = (left, right) {
                convert(left, right, Comparison::Equality);
                changed = true;
            }
        }
    }
    Transformed::new_transformed(LogicalPlan::Join(join), changed)
}

fn class(expr: &Expr, schema: &DFSchema) -> Option<Class> {
    Class::of(&expr.get_type(schema).ok()?)
}

fn side<'a>(expr: &'a mut Expr, input: &LogicalPlan) -> Option<Side<'a>> {
    let data_type = expr.get_type(input.schema()).ok()?;
    let affinity = match affinity_in(expr, &[input], input.schema()) {
        Affinity::Mixed => Affinity::Mixed,
        Affinity::OfType | Affinity::Absent => Affinity::Absent,
    };
    Some(Side { expr, data_type, affinity })
}
