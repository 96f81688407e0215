//! Runs the query for one level after the other.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{Int64Type, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, Partitioning, PhysicalExpr};
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::{StreamExt, TryStreamExt, stream};

use super::ScanKind;
use super::levels::Levels;
use super::step::{Step, StepRows, all_rows};
use crate::cancel::{self, CancelToken};
use crate::functions::Graph;
use crate::memory::{Memory, bytes_of};

/// Bytes of an edge: its ids, and its part of the graph while that is made.
const EDGE_BYTES: usize = 64;

/// The physical operator of a [`GraphScan`](super::GraphScan).
#[derive(Clone, Debug)]
pub(super) struct GraphScanExec {
    kind: ScanKind,
    /// The edges, and the initial rows.
    inputs: [Arc<dyn ExecutionPlan>; 2],
    step: Arc<Step>,
    schema: SchemaRef,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl GraphScanExec {
    pub(super) fn new(
        kind: ScanKind,
        inputs: [Arc<dyn ExecutionPlan>; 2],
        step: Step,
        schema: SchemaRef,
    ) -> Self {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let (step, properties) = (Arc::new(step), Arc::new(properties));
        let metrics = ExecutionPlanMetricsSet::new();
        Self { kind, inputs, step, schema, properties, metrics }
    }
}

impl DisplayAs for GraphScanExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let step = DisplayableExecutionPlan::new(self.step.plan().as_ref());
        let step = step.indent(false).to_string();
        let steps: Vec<&str> = step.lines().map(str::trim).collect();
        write!(f, "GraphScanExec: {:?}, run [{}]", self.kind, steps.join(" <- "))
    }
}

impl ExecutionPlan for GraphScanExec {
    fn name(&self) -> &str {
        "GraphScanExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.inputs.iter().collect()
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false; 2]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Ok(inputs) = <[Arc<dyn ExecutionPlan>; 2]>::try_from(children) else {
            return internal_err!("GraphScanExec takes edges and initial rows");
        };
        let metrics = ExecutionPlanMetricsSet::new();
        Ok(Arc::new(Self { inputs, metrics, ..Self::clone(&self) }))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let [edges, init] = &self.inputs;
        let (edges, init) = (all_rows(edges, &context)?, all_rows(init, &context)?);
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let run = Run {
            kind: self.kind,
            step: Arc::clone(&self.step),
            schema: Arc::clone(&self.schema),
            cancel: CancelToken::of(context.session_config().options()),
            levels: MetricBuilder::new(&self.metrics).counter("levels", partition),
            context,
        };
        let rows = stream::once(Running::start(run, edges, init))
            .map_ok(|running| stream::try_unfold(running, Running::next_batch))
            .try_flatten()
            .inspect_ok(move |batch: &RecordBatch| metrics.record_output(batch.num_rows()));
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), rows)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// The settings of an execution.
struct Run {
    kind: ScanKind,
    step: Arc<Step>,
    schema: SchemaRef,
    cancel: CancelToken,
    /// The number of levels so far.
    levels: Count,
    context: Arc<TaskContext>,
}

impl Run {
    /// A batch with the types of the result.
    fn typed(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = batch.columns().iter().zip(self.schema.fields());
        let columns = columns.map(|(column, field)| cast(column, field.data_type()));
        let columns = columns.collect::<std::result::Result<Vec<_>, _>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }
}

/// An execution.
struct Running {
    run: Run,
    levels: Levels,
    /// Initial rows of the result.
    initial: VecDeque<RecordBatch>,
    /// Memory for the initial rows.
    held: Option<MemoryReservation>,
    current: Option<Level>,
}

/// The level that is being computed.
struct Level {
    rows: SendableRecordBatchStream,
    /// Keeps the memory for the rows of `$table`.
    _table: Arc<StepRows>,
}

impl Running {
    /// Reads the edges and the initial rows.
    async fn start(
        run: Run,
        edges: SendableRecordBatchStream,
        init: SendableRecordBatchStream,
    ) -> Result<Self> {
        let held = Memory::of(run.context.session_config().options());
        let held = held.map(|memory| memory.consumer("GraphScanExec"));
        let graph = graph_of(edges, &run.cancel, held.as_ref()).await?;
        let held_init = held.as_ref().map(MemoryReservation::new_empty);
        let init = collect(&run, init, held_init.as_ref()).await?;
        let (cancel, schema) = (run.cancel.clone(), Arc::clone(&run.schema));
        let (levels, initial) = cancel::under(cancel, || -> Result<_> {
            let mut levels = Levels::new(run.kind, graph, &init, held, schema)?;
            let initial = init.iter().map(|batch| levels.start(batch));
            let initial = initial.collect::<Result<VecDeque<_>>>()?;
            Ok((levels, initial))
        })?;
        Ok(Self { run, levels, initial, held: held_init, current: None })
    }

    /// The next batch of the result.
    async fn next_batch(mut self) -> Result<Option<(RecordBatch, Self)>> {
        if let Some(batch) = self.initial.pop_front() {
            return Ok(Some((batch, self)));
        }
        self.held = None;
        loop {
            let Some(level) = &mut self.current else {
                if !self.begin_level()? {
                    return Ok(None);
                }
                continue;
            };
            let Some(batch) = level.rows.next().await.transpose()? else {
                self.current = None;
                continue;
            };
            let batch = self.run.typed(&batch)?;
            let cancel = self.run.cancel.clone();
            cancel::under(cancel, || self.levels.follow(&batch))?;
            if batch.num_rows() > 0 {
                return Ok(Some((batch, self)));
            }
        }
    }

    /// Starts the query for the next level, if there is one.
    fn begin_level(&mut self) -> Result<bool> {
        self.run.cancel.check()?;
        let Some(table) = self.levels.next_rows()? else { return Ok(false) };
        self.run.levels.add(1);
        let table = Arc::new(table);
        let rows = self.run.step.run(&table, &self.run.context)?;
        self.current = Some(Level { rows, _table: table });
        Ok(true)
    }
}

/// The graph with the edges of a stream. Edges from or to NULL are left out.
async fn graph_of(
    mut edges: SendableRecordBatchStream,
    cancel: &CancelToken,
    held: Option<&MemoryReservation>,
) -> Result<Graph> {
    let (mut sources, mut targets) = (Vec::new(), Vec::new());
    while let Some(batch) = edges.next().await.transpose()? {
        cancel.check()?;
        if let Some(held) = held {
            held.try_grow(batch.num_rows().saturating_mul(EDGE_BYTES))?;
        }
        let ids = |index: usize| batch.columns().get(index)?.as_primitive_opt::<Int64Type>();
        let (Some(from), Some(to)) = (ids(0), ids(1)) else {
            return internal_err!("the graph of a scan has columns of other types");
        };
        for (from, to) in from.iter().zip(to) {
            if let (Some(from), Some(to)) = (from, to) {
                sources.push(from);
                targets.push(to);
            }
        }
    }
    if u32::try_from(sources.len()).is_err() {
        return exec_err!("graph scan: more than {} edges", u32::MAX);
    }
    Ok(Graph::from_edges(&sources, &targets))
}

/// The initial rows, with memory for them in `held`.
async fn collect(
    run: &Run,
    mut init: SendableRecordBatchStream,
    held: Option<&MemoryReservation>,
) -> Result<Vec<RecordBatch>> {
    let mut batches = Vec::new();
    while let Some(batch) = init.next().await.transpose()? {
        run.cancel.check()?;
        if let Some(held) = held {
            held.try_grow(bytes_of(&batch))?;
        }
        batches.push(run.typed(&batch)?);
    }
    Ok(batches)
}
