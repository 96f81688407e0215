//! `ORDER BY … LIMIT 5 OFFSET 2` in a subquery, kept apart from an order that is asked for above.
//!
//! DataFusion joins a sort that a limit already fulfils with the sort below the limit. It then takes
//! the limit's count, 5, for the count of that sort, which must give 7 rows: two rows are lost. A
//! limit over a sort of 7 rows needs no count of its own, so it loses the count before that rule.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;

/// The rules with this one before them.
pub(crate) fn before(
    mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    rules.insert(0, Arc::new(OffsetsOverSorts));
    rules
}

#[derive(Debug)]
struct OffsetsOverSorts;

impl PhysicalOptimizerRule for OffsetsOverSorts {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| match without_count(&node) {
            Some(limit) => Ok(Transformed::yes(limit)),
            None => Ok(Transformed::no(node)),
        })
        .data()
    }

    fn name(&self) -> &str {
        "offsets_over_sorts"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The same limit without its count, if it skips rows of a sort that gives no more than the limit
/// lets pass.
fn without_count(node: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
    let limit = node.downcast_ref::<GlobalLimitExec>()?;
    let last = limit.skip().checked_add(limit.fetch()?)?;
    let is_bounded = rows_of_sort(limit.input()).is_some_and(|rows| rows <= last);
    if limit.skip() == 0 || !is_bounded {
        return None;
    }
    Some(Arc::new(GlobalLimitExec::new(Arc::clone(limit.input()), limit.skip(), None)))
}

/// The most rows that a sort, with its columns chosen or not, gives.
fn rows_of_sort(node: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    match node.downcast_ref::<ProjectionExec>() {
        Some(projection) => rows_of_sort(projection.input()),
        None => node.downcast_ref::<SortExec>()?.fetch(),
    }
}
