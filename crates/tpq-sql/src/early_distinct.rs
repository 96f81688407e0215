//! Distinct rows of joins with large tables of which few columns are read.
//!
//! `SELECT DISTINCT ucpu, cpu.machine_id FROM sched JOIN cpu USING (ucpu)` joins millions of rows to
//! keep as many as there are CPUs. A DISTINCT does not depend on how often a row occurs, so the
//! table gives its own distinct rows to the join, if the bounds of its columns show that they are
//! few.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{Aggregate, Expr, LogicalPlan, TableScan};

use crate::scan::StoredProvider;
use crate::step_rules::StepRule;

/// Tables with fewer rows stay as they are.
const LEAST_ROWS: usize = 100_000;
/// The least number of rows for each combination of values, on average.
const ROWS_OF_EACH: usize = 16;

/// Puts a DISTINCT on such tables. After the other rules, which find the columns that are read.
pub(crate) const EARLY_DISTINCT: StepRule =
    StepRule { name: "early_distinct", rewrite: with_distinct_inputs };

fn with_distinct_inputs(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    // DISTINCT is an aggregate without functions by now.
    let is_distinct = matches!(&plan, LogicalPlan::Aggregate(step) if step.aggr_expr.is_empty());
    if !is_distinct || is_volatile(&plan) {
        return Ok(Transformed::no(plan));
    }
    plan.map_children(|input| with_distinct(input, false))
}

/// The plan with distinct rows of its tables, where their number does not matter.
fn with_distinct(plan: LogicalPlan, is_joined: bool) -> Result<Transformed<LogicalPlan>> {
    match plan {
        LogicalPlan::TableScan(scan) if is_joined && has_few_rows(&scan) => {
            let scan = LogicalPlan::TableScan(scan);
            let columns = scan.schema().columns().into_iter().map(Expr::Column).collect();
            let distinct = Aggregate::try_new(Arc::new(scan), columns, Vec::new())?;
            Ok(Transformed::yes(LogicalPlan::Aggregate(distinct)))
        }
        LogicalPlan::Join(_) | LogicalPlan::Projection(_) | LogicalPlan::SubqueryAlias(_)
            if !is_volatile(&plan) =>
        {
            let is_joined = is_joined || matches!(plan, LogicalPlan::Join(_));
            plan.map_children(|input| with_distinct(input, is_joined))
        }
        plan => Ok(Transformed::no(plan)),
    }
}

/// Whether a step may give other values for a row that comes again.
fn is_volatile(plan: &LogicalPlan) -> bool {
    plan.expressions().iter().any(Expr::is_volatile)
}

/// Whether the columns that are read have few combinations of values, compared with the rows.
fn has_few_rows(scan: &TableScan) -> bool {
    let Some(columns) = scan.projection.as_ref().filter(|columns| !columns.is_empty()) else {
        return false;
    };
    if scan.fetch.is_some() || !scan.filters.is_empty() {
        return false;
    }
    let Ok(provider) = source_as_provider(&scan.source) else { return false };
    let Some(StoredProvider(table)) = provider.downcast_ref::<StoredProvider>() else {
        return false;
    };
    let rows = table.rows();
    let least = |combinations: usize| combinations.saturating_mul(ROWS_OF_EACH);
    rows >= LEAST_ROWS && table.combinations(columns).is_some_and(|found| least(found) <= rows)
}
