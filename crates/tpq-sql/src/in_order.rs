//! Rows in the order of the table, where a statement asks for no other.
//!
//! SQL leaves that order open, but people expect `… WHERE dur > 1000 LIMIT 10` to show the first
//! ten rows, and the same ten each time. A scan splits itself into runs of neighbouring rows, so
//! taking the parts one after the other gives the table's order, while all of them still work at
//! the same time. DataFusion would take whichever part has a batch ready.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::vec::IntoIter;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNodeRecursion};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::limit::LimitStream;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::{
    RecordBatchReceiverStreamBuilder, RecordBatchStreamAdapter,
};
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;

use crate::functions;
use crate::step_rules::PhysicalStepRule;

/// How many batches a part may be ahead of the part that is due, where there are few parts.
const BATCHES_AHEAD: usize = 16;

/// How many batches all parts may be ahead, where there are many.
const ALL_AHEAD: usize = 64;

/// How many parts run at a time: each holds batches, and UNION ALL has as many parts as queries.
/// The parts of a join wait for each other, so all of them must run. They are neighbours, and no
/// more of them than cores.
const PARTS_AHEAD: usize = 1024;

/// The aggregates of DataFusion that give rows, or texts of them, in order.
const COLLECTING: [&str; 4] = ["array_agg", "first_value", "last_value", "string_agg"];

/// Streams one after the other, while all of them run, or as many of them as may.
pub(crate) fn in_order(
    schema: SchemaRef,
    mut parts: Vec<SendableRecordBatchStream>,
) -> SendableRecordBatchStream {
    if parts.len() == 1
        && let Some(only) = parts.pop()
    {
        return only;
    }
    // The properties of a column can become more exact between planning and execution.
    let schema = parts.first().map_or(schema, |part| part.schema());
    let ahead = (ALL_AHEAD / parts.len().max(1)).clamp(1, BATCHES_AHEAD);
    let start = move |part| spawned(part, ahead);
    let mut waiting = parts.into_iter();
    let running: VecDeque<_> = waiting.by_ref().take(PARTS_AHEAD).map(start).collect();
    let next = move |(mut running, mut waiting): (
        VecDeque<SendableRecordBatchStream>,
        IntoIter<_>,
    )| async move {
        loop {
            if let Some(batch) = running.front_mut()?.next().await {
                return Some((batch, (running, waiting)));
            }
            running.pop_front();
            running.extend(waiting.next().map(start));
        }
    };
    let chained = futures::stream::unfold((running, waiting), next);
    Box::pin(RecordBatchStreamAdapter::new(schema, chained))
}

/// A stream that runs in a task of its own, up to `ahead` batches ahead of its reader. DataFusion's
/// own function spawns in runtimes of several threads only, but the parts of a join wait for each
/// other in any runtime.
fn spawned(mut part: SendableRecordBatchStream, ahead: usize) -> SendableRecordBatchStream {
    let mut builder = RecordBatchReceiverStreamBuilder::new(part.schema(), ahead);
    let batches = builder.tx();
    builder.spawn(async move {
        while let Some(batch) = part.next().await {
            if batches.send(batch).await.is_err() {
                break;
            }
        }
        Ok(())
    });
    builder.build()
}

/// Adds [`InOrderExec`] where a LIMIT takes the first rows of several parts, and where rows are
/// numbered or collected.
pub(crate) const LIMIT_IN_ORDER: PhysicalStepRule =
    PhysicalStepRule { name: "limit_in_order", rewrite: merged_in_order };

fn merged_in_order(node: Arc<dyn ExecutionPlan>) -> Result<Transformed<Arc<dyn ExecutionPlan>>> {
    if let Some(coalesce) = node.downcast_ref::<CoalescePartitionsExec>() {
        let is_wanted = coalesce.fetch().is_some() || depends_on_order(coalesce.input());
        return Ok(match is_wanted {
            true => Transformed::yes(InOrderExec::in_place_of(coalesce)),
            false => Transformed::no(node),
        });
    }
    let children = node.children();
    if let [child] = children[..]
        && depends_on_order(&node)
        && let Some(coalesce) = child.downcast_ref::<CoalescePartitionsExec>()
    {
        let input = InOrderExec::in_place_of(coalesce);
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        return node.replace_children(vec![input], options).map(Transformed::yes);
    }
    Ok(Transformed::no(node))
}

/// Whether the results of a step depend on the order of its rows: windows number rows, and some
/// aggregates collect them.
fn depends_on_order(plan: &Arc<dyn ExecutionPlan>) -> bool {
    if plan.is::<WindowAggExec>() || plan.is::<BoundedWindowAggExec>() {
        return true;
    }
    let Some(aggregate) = plan.downcast_ref::<AggregateExec>() else { return false };
    aggregate.aggr_expr().iter().any(|function| {
        let function = function.fun();
        functions::collects_rows(function) || COLLECTING.contains(&function.name())
    })
}

/// The first rows of all parts of a plan, or all of them, the first part's first.
#[derive(Debug)]
struct InOrderExec {
    input: Arc<dyn ExecutionPlan>,
    fetch: Option<usize>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl InOrderExec {
    fn in_place_of(coalesce: &CoalescePartitionsExec) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self {
            properties: Arc::clone(coalesce.properties()),
            input: Arc::clone(coalesce.input()),
            fetch: coalesce.fetch(),
            metrics: ExecutionPlanMetricsSet::new(),
        })
    }
}

impl DisplayAs for InOrderExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        match self.fetch {
            Some(fetch) => write!(f, "InOrderExec: fetch={fetch}"),
            None => write!(f, "InOrderExec"),
        }
    }
}

impl ExecutionPlan for InOrderExec {
    fn name(&self) -> &str {
        "InOrderExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
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
        let input = children.pop().ok_or_else(|| {
            DataFusionError::Internal("InOrderExec without the plan it takes rows from".into())
        })?;
        Ok(Arc::new(Self {
            input,
            fetch: self.fetch,
            properties: Arc::clone(&self.properties),
            metrics: ExecutionPlanMetricsSet::new(),
        }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let count = self.input.properties().partitioning.partition_count();
        let parts: Result<Vec<_>> =
            (0..count).map(|part| self.input.execute(part, Arc::clone(&context))).collect();
        let rows = in_order(self.schema(), parts?);
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        Ok(Box::pin(LimitStream::new(rows, 0, self.fetch, metrics)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}
