//! `ORDER BY … LIMIT 5 OFFSET 2` in a subquery, kept apart from an order that is asked for above.
//!
//! DataFusion joins a sort that a limit already fulfils with the sort below the limit. It then takes
//! the limit's count, 5, for the count of that sort, which must give 7 rows: two rows are lost. A
//! limit without a count is no better: another sort moves below it. So a step that sorts cannot
//! move past takes the rows of such a limit.
//!
//! The same step is put over each other limit below a sort or a window. The rows of `LIMIT 3`
//! without an order are the first three of the table, and a sort that moves below it would make
//! them three others.

use std::fmt;
use std::sync::Arc;

use datafusion::common::tree_node::{
    Transformed, TransformedResult, TreeNode, TreeNodeRecursion, TreeNodeRewriter,
};
use datafusion::common::{Result, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{Distribution, OrderingRequirements, PhysicalExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::CardinalityEffect;
use datafusion::physical_plan::limit::{GlobalLimitExec, LimitStream};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties,
    InputDistributionRequirements, PlanProperties,
};

use crate::step_rules::replaced;

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
        let plan = plan.transform_up(|node| Ok(replaced(OffsetExec::in_place_of(&node), node)));
        plan?.data.rewrite(&mut LimitsBelowSorts::default()).data()
    }

    fn name(&self) -> &str {
        "offsets_over_sorts"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Keeps sorts above limits of rows that are in no order.
#[derive(Default)]
struct LimitsBelowSorts {
    /// Whether each step above the current one wants an order.
    above: Vec<bool>,
    /// How many of them do.
    sorts: usize,
}

impl LimitsBelowSorts {
    fn wants_order(node: &Arc<dyn ExecutionPlan>) -> bool {
        node.is::<SortExec>() || node.required_input_ordering().iter().any(Option::is_some)
    }
}

impl TreeNodeRewriter for LimitsBelowSorts {
    type Node = Arc<dyn ExecutionPlan>;

    fn f_down(&mut self, node: Self::Node) -> Result<Transformed<Self::Node>> {
        let wants_order = Self::wants_order(&node);
        self.above.push(wants_order);
        self.sorts += usize::from(wants_order);
        Ok(Transformed::no(node))
    }

    fn f_up(&mut self, node: Self::Node) -> Result<Transformed<Self::Node>> {
        // What a step wants may have changed with its input.
        let wanted_order = self.above.pop().unwrap_or(false);
        self.sorts = self.sorts.saturating_sub(usize::from(wanted_order));
        let limit = node.downcast_ref::<GlobalLimitExec>().filter(|_| self.sorts > 0);
        let Some(limit) = limit.filter(|limit| rows_of_sort(limit.input()).is_none()) else {
            return Ok(Transformed::no(node));
        };
        let fetch = limit.fetch().unwrap_or(usize::MAX);
        Ok(Transformed::yes(OffsetExec::over(Arc::clone(&node), 0, fetch, None)))
    }
}

/// The most rows that a sort, with its columns chosen or not, gives.
fn rows_of_sort(node: &Arc<dyn ExecutionPlan>) -> Option<usize> {
    match node.downcast_ref::<ProjectionExec>() {
        Some(projection) => rows_of_sort(projection.input()),
        None => node.downcast_ref::<SortExec>()?.fetch(),
    }
}

/// The rows of a sort after the first `skip`. It asks for the order of its input, and claims none
/// for its own rows: a step above that needs one sorts them again.
#[derive(Clone, Debug)]
pub(crate) struct OffsetExec {
    input: Arc<dyn ExecutionPlan>,
    skip: usize,
    fetch: usize,
    order: Option<OrderingRequirements>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl OffsetExec {
    /// For a limit that skips rows of a sort which gives no more than the limit lets pass.
    fn in_place_of(node: &Arc<dyn ExecutionPlan>) -> Option<Arc<dyn ExecutionPlan>> {
        let limit = node.downcast_ref::<GlobalLimitExec>()?;
        let (skip, fetch) = (limit.skip(), limit.fetch()?);
        let last = skip.checked_add(fetch)?;
        let is_bounded = rows_of_sort(limit.input()).is_some_and(|rows| rows <= last);
        if skip == 0 || !is_bounded {
            return None;
        }
        let order = limit.input().output_ordering().cloned().map(OrderingRequirements::from);
        Some(Self::over(Arc::clone(limit.input()), skip, fetch, order))
    }

    /// The numbers that the step keeps, as texts.
    pub(crate) fn texts(&self) -> Vec<String> {
        vec![self.skip.to_string(), self.fetch.to_string()]
    }

    /// The step with such numbers, in a plan that is made already; `None` where these are no
    /// numbers. Nothing sorts its input anew.
    pub(crate) fn from_texts(
        input: Arc<dyn ExecutionPlan>,
        texts: &[String],
    ) -> Option<Arc<dyn ExecutionPlan>> {
        let [skip, fetch] = texts else { return None };
        Some(Self::over(input, skip.parse().ok()?, fetch.parse().ok()?, None))
    }

    fn over(
        input: Arc<dyn ExecutionPlan>,
        skip: usize,
        fetch: usize,
        order: Option<OrderingRequirements>,
    ) -> Arc<dyn ExecutionPlan> {
        let mut known = input.equivalence_properties().clone();
        known.clear_orderings();
        let properties = Arc::new(input.properties().as_ref().clone().with_eq_properties(known));
        let metrics = ExecutionPlanMetricsSet::new();
        Arc::new(Self { input, skip, fetch, order, properties, metrics })
    }
}

impl DisplayAs for OffsetExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "OffsetExec: skip={}, fetch={}", self.skip, self.fetch)
    }
}

impl ExecutionPlan for OffsetExec {
    fn name(&self) -> &str {
        "OffsetExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        InputDistributionRequirements::new(vec![Distribution::SinglePartition])
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.order.clone()]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        match children.pop() {
            Some(input) => Ok(Self::over(input, self.skip, self.fetch, self.order.clone())),
            None => internal_err!("OffsetExec without an input"),
        }
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::LowerEqual
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let rows = self.input.execute(partition, context)?;
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        Ok(Box::pin(LimitStream::new(rows, self.skip, Some(self.fetch), metrics)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
