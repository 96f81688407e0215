//! Limits that take their rows before filters of other steps leave out any.
//!
//! A join, the first rows of a sort, and a least or greatest value tell the scans below them which
//! rows they do not want, while they run. Below `(SELECT … WHERE dur > 5 LIMIT 10)` that is wrong:
//! the limit would take ten of the other rows. DataFusion keeps such filters above a limit, but not
//! above a filter, a join or a merge of parts that has a limit of its own. So these get a limit of
//! the same count over them, which no filter passes.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRewriter};
use datafusion::config::ConfigOptions;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::HashJoinExec;
use datafusion::physical_plan::limit::LocalLimitExec;
use datafusion::physical_plan::sorts::sort::SortExec;

/// The rule of DataFusion that gives such filters to the steps below.
const PUSHES_FILTERS: &str = "FilterPushdown(Post)";

/// The rules with this one before that rule.
pub(crate) fn before(
    mut rules: Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>>,
) -> Vec<Arc<dyn PhysicalOptimizerRule + Send + Sync>> {
    let pushes = rules.iter().rposition(|rule| rule.name() == PUSHES_FILTERS);
    rules.insert(pushes.unwrap_or(rules.len()), Arc::new(LimitBarriers));
    rules
}

#[derive(Debug)]
struct LimitBarriers;

impl PhysicalOptimizerRule for LimitBarriers {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.rewrite(&mut Barriers { senders: 0 }).data()
    }

    fn name(&self) -> &str {
        "limit_barriers"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

struct Barriers {
    /// How many steps above the current one send filters down.
    senders: usize,
}

impl TreeNodeRewriter for Barriers {
    type Node = Arc<dyn ExecutionPlan>;

    fn f_down(&mut self, node: Self::Node) -> Result<Transformed<Self::Node>> {
        self.senders += usize::from(sends_filters(&node));
        Ok(Transformed::no(node))
    }

    fn f_up(&mut self, node: Self::Node) -> Result<Transformed<Self::Node>> {
        self.senders = self.senders.saturating_sub(usize::from(sends_filters(&node)));
        match limit_of(&node).filter(|_| self.senders > 0) {
            Some(limit) => Ok(Transformed::yes(Arc::new(LocalLimitExec::new(node, limit)) as _)),
            None => Ok(Transformed::no(node)),
        }
    }
}

fn sends_filters(node: &Arc<dyn ExecutionPlan>) -> bool {
    let is_top = node.downcast_ref::<SortExec>().is_some_and(|sort| sort.fetch().is_some());
    is_top || node.is::<HashJoinExec>() || node.is::<AggregateExec>()
}

/// The limit of a step that lets filters pass nevertheless.
fn limit_of(node: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    let lets_pass =
        node.is::<FilterExec>() || node.is::<CoalescePartitionsExec>() || node.is::<HashJoinExec>();
    node.fetch().filter(|_| lets_pass)
}
