//! From the plan of a statement as written to one that DataFusion can run.
//!
//! SQL on traces lets subqueries, and table functions, depend on the rows around them in any way;
//! DataFusion takes few of these. Each kind is rewritten in a file of its own, on the plan that
//! was made of the syntax tree and before anything else looks at it.

mod comparisons;
mod frames;
mod in_lists;
mod keys;
mod ordered_aggregates;
mod outer_aggregates;
mod repeats;
mod set_operations;
mod sql_functions;
mod subqueries;
mod table_calls;
mod value_class;
mod values_in_joins;
mod view_orders;
mod window_keys;
mod zeros;

use datafusion::common::Result;
use datafusion::logical_expr::{Expr, LogicalPlan};

pub(crate) use sql_functions::{SqlCall, SqlCallSource, inline_calls};
pub(crate) use table_calls::CallSource;

/// Rewrites a plan into one that DataFusion can optimise and run.
pub(crate) fn lower(plan: LogicalPlan) -> Result<LogicalPlan> {
    outer_aggregates::refuse(&plan)?;
    let plan = view_orders::lower(plan)?;
    let plan = inline_calls(plan)?;
    let plan = comparisons::lower(plan)?;
    let plan = frames::lower(plan)?;
    let plan = in_lists::lower(plan)?;
    let plan = set_operations::lower(plan)?;
    let plan = zeros::lower(plan)?;
    let plan = window_keys::lower(plan)?;
    let plan = table_calls::lower(plan)?;
    // Before subqueries become steps of their own, where they are not found any more.
    let plan = ordered_aggregates::lower(plan)?;
    let plan = subqueries::lower(plan)?;
    let plan = values_in_joins::lower(plan)?;
    keys::lower(plan)
}

/// Whether an expression is the result of a query in it.
fn is_subquery(expr: &Expr) -> bool {
    matches!(expr, Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_))
}
