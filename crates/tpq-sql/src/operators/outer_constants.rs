//! Columns of one value, which an outer join fills with NULL as well.
//!
//! In `LEFT JOIN (SELECT …, 5 AS k …)` the column `k` is 5 or NULL. DataFusion holds it for the
//! constant that it was before the join, and leaves it out of ORDER BY and PARTITION BY. So a step
//! between that side and the join forgets that columns are constant. It costs nothing when it runs.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::common::{JoinType, Result, Statistics, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::equivalence::{EquivalenceClass, EquivalenceGroup};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{
    CardinalityEffect, ChildrenPropertiesMode, ReplaceChildrenOptions,
};
use datafusion::physical_plan::filter_pushdown::{
    ChildPushdownResult, FilterDescription, FilterPushdownPhase, FilterPushdownPropagation,
};
use datafusion::physical_plan::joins::{HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};

use crate::step_rules::PhysicalStepRule;

/// Puts [`ForgetConstantsExec`] below outer joins.
pub(crate) const OUTER_CONSTANTS: PhysicalStepRule =
    PhysicalStepRule { name: "outer_constants", rewrite: without_constants };

fn without_constants(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    let Some((left, right)) = filled_sides(&node) else { return Ok(Transformed::no(node)) };
    let mut changed = false;
    let mut inputs = Vec::new();
    for (input, is_filled) in node.children().into_iter().zip([left, right]) {
        let forgets = is_filled && !input.equivalence_properties().constants().is_empty();
        inputs.push(match forgets {
            true => ForgetConstantsExec::over(Arc::clone(input))?,
            false => Arc::clone(input),
        });
        changed |= forgets;
    }
    match changed {
        true => {
            let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
            node.replace_children(inputs, options).map(Transformed::yes)
        }
        false => Ok(Transformed::no(node)),
    }
}

/// For a join, whether it fills rows of its left and of its right side with NULL.
fn filled_sides(node: &Arc<dyn ExecutionPlan>) -> Option<(bool, bool)> {
    let join_type = if let Some(join) = node.downcast_ref::<HashJoinExec>() {
        *join.join_type()
    } else if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>() {
        *join.join_type()
    } else {
        node.downcast_ref::<SortMergeJoinExec>()?.join_type()
    };
    match join_type {
        JoinType::Left => Some((false, true)),
        JoinType::Right => Some((true, false)),
        JoinType::Full => Some((true, true)),
        _ => None,
    }
}

/// Gives the rows of its input, of which no column is known to be constant.
#[derive(Clone, Debug)]
pub(super) struct ForgetConstantsExec {
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
}

impl ForgetConstantsExec {
    /// The rows of `input`, with what is known of them and their order.
    pub(super) fn over(input: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let known = input.equivalence_properties();
        let mut kept = EquivalenceProperties::new(input.schema());
        // An expression of columns may be another value than NULL for columns that are NULL.
        let equal = known.eq_group().iter().map(|class| {
            let columns = class.iter().filter(|expr| expr.is::<Column>());
            EquivalenceClass::new(columns.cloned())
        });
        kept.add_equivalence_group(EquivalenceGroup::new(equal))?;
        kept.add_orderings(known.oeq_class().iter().cloned());
        let kept = kept.with_constraints(known.constraints().clone());
        let properties = input.properties().as_ref().clone().with_eq_properties(kept);
        Ok(Arc::new(Self { input, properties: Arc::new(properties) }))
    }
}

impl DisplayAs for ForgetConstantsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("ForgetConstantsExec")
    }
}

impl ExecutionPlan for ForgetConstantsExec {
    fn name(&self) -> &str {
        "ForgetConstantsExec"
    }

    fn schema(&self) -> SchemaRef {
        self.input.schema()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
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
            Some(input) => Self::over(input),
            None => internal_err!("ForgetConstantsExec without an input"),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        match inputs {
            [input] => Ok(Arc::clone(input)),
            _ => internal_err!("ForgetConstantsExec without statistics of its input"),
        }
    }

    fn supports_limit_pushdown(&self) -> bool {
        true
    }

    fn cardinality_effect(&self) -> CardinalityEffect {
        CardinalityEffect::Equal
    }

    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExec,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        // The input may return the projection that it is given, as another projection does. So it
        // is given one of itself: one of this step would be swapped with this step again.
        let exprs = projection.expr().to_vec();
        let projection = ProjectionExec::try_new(exprs, Arc::clone(&self.input))?;
        self.input.try_swapping_with_projection(&projection)?.map(Self::over).transpose()
    }

    fn gather_filters_for_pushdown(
        &self,
        _: FilterPushdownPhase,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterDescription> {
        FilterDescription::from_children(filters, &self.children())
    }

    fn handle_child_pushdown_result(
        &self,
        _: FilterPushdownPhase,
        result: ChildPushdownResult,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        Ok(FilterPushdownPropagation::if_all(result))
    }
}
