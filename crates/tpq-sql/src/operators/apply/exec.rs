//! Running a subplan for the rows of another plan.
//!
//! A run costs what it takes to start the subplan's operators, 60 to 80 µs without optimisation
//! for an aggregate over a filter over a scan, and what they read. Scans prune their chunks by the
//! parameters' values, so `WHERE id = $1` reads one chunk however many there are: a thousand runs
//! are a tenth of a second. The values a run gave are kept, so that a combination of parameters is
//! not run again.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, RecordBatch, UInt32Array, new_empty_array, new_null_array,
};
use datafusion::arrow::compute::{cast, concat, concat_batches, take};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::row::{RowConverter, SortField};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{ColumnStatistics, Result, ScalarValue, Statistics, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::error::DataFusionError;
use datafusion::execution::memory_pool::MemoryReservation;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use datafusion::physical_plan::execution_plan::reset_plan_states;
use datafusion::physical_plan::filter_pushdown::{
    ChildFilterDescription, ChildPushdownResult, FilterDescription, FilterPushdownPhase,
    FilterPushdownPropagation,
};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::lock::Mutex;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use rustc_hash::FxHashMap;

use super::ApplyKind;
use super::parameter::ParameterSlot;
use crate::in_order::in_order;
use crate::memory::{Memory, bytes_of};

/// How many values, or rows, are kept for parameters that come again.
const MAX_CACHED_ROWS: usize = 1 << 16;

/// A combination of parameters, as the row format has it.
type Key = Box<[u8]>;

/// A plan and the parameters it is run with.
#[derive(Debug)]
pub(super) struct Subplan {
    plan: Arc<dyn ExecutionPlan>,
    slot: ParameterSlot,
    /// Held while the plan runs: there is one slot, and rows come from several partitions.
    known: Mutex<Known>,
}

/// The results of earlier runs.
#[derive(Debug, Default)]
struct Known {
    results: FxHashMap<Key, RecordBatch>,
    rows: usize,
    /// Memory for the results.
    held: Option<MemoryReservation>,
}

impl Subplan {
    pub(super) fn new(plan: Arc<dyn ExecutionPlan>, slot: ParameterSlot) -> Self {
        Self { plan, slot, known: Mutex::default() }
    }

    /// The rows the plan gives for a combination of parameters, which `row` of `params` has.
    async fn result(
        &self,
        (key, row): &(Key, usize),
        params: &[ArrayRef],
        context: &Arc<TaskContext>,
        runs: &Count,
    ) -> Result<RecordBatch> {
        let mut known = self.known.lock().await;
        if let Some(result) = known.results.get(key) {
            return Ok(result.clone());
        }
        let values = params.iter().map(|param| ScalarValue::try_from_array(param, *row));
        self.slot.set(values.collect::<Result<_>>()?);
        runs.add(1);
        let (result, held) = match self.run(context).await {
            // Results that are kept for later may leave no room.
            Err(error) if !known.results.is_empty() && is_out_of_memory(&error) => {
                *known = Known::default();
                self.run(context).await?
            }
            outcome => outcome?,
        };
        if known.rows >= MAX_CACHED_ROWS {
            *known = Known::default();
        }
        match (&known.held, held) {
            (Some(all), Some(held)) => all.grow(held.free()),
            (_, held) => known.held = held,
        }
        known.rows += result.num_rows().max(1);
        known.results.insert(key.clone(), result.clone());
        Ok(result)
    }

    /// The result of the subplan, and the memory that is reserved for it.
    async fn run(
        &self,
        context: &Arc<TaskContext>,
    ) -> Result<(RecordBatch, Option<MemoryReservation>)> {
        let memory = Memory::of(context.session_config().options());
        let held = memory.map(|memory| memory.consumer("ApplyExec"));
        let plan = reset_plan_states(Arc::clone(&self.plan))?;
        let parts = 0..plan.output_partitioning().partition_count();
        let parts: Result<Vec<_>> =
            parts.map(|part| plan.execute(part, Arc::clone(context))).collect();
        let mut rows = in_order(plan.schema(), parts?);
        let mut batches: Vec<RecordBatch> = Vec::new();
        while let Some(batch) = rows.next().await.transpose()? {
            if let Some(held) = &held {
                // Twice, as several batches become one.
                held.try_grow(2 * bytes_of(&batch))?;
            }
            batches.push(batch);
        }
        let result = match &batches[..] {
            [only] => only.clone(),
            _ => concat_batches(&plan.schema(), &batches)?,
        };
        if let Some(held) = &held {
            held.resize(held.size() / 2);
        }
        Ok((result, held))
    }
}

fn is_out_of_memory(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::ResourcesExhausted(_))
}

/// Which rows of a batch have the same parameters.
struct Keys {
    /// Each combination, and a row that has it.
    distinct: Vec<(Key, usize)>,
    /// For each row, which of them it has.
    of_rows: Vec<u32>,
}

impl Keys {
    fn of(params: &[ArrayRef], rows: usize) -> Result<Self> {
        if params.is_empty() {
            let distinct = if rows == 0 { Vec::new() } else { vec![(Key::default(), 0)] };
            return Ok(Self { distinct, of_rows: vec![0; rows] });
        }
        let fields = params.iter().map(|param| SortField::new(param.data_type().clone()));
        let encoded = RowConverter::new(fields.collect())?.convert_columns(params)?;
        let mut seen: FxHashMap<&[u8], u32> = FxHashMap::default();
        let mut keys = Self { distinct: Vec::new(), of_rows: Vec::with_capacity(rows) };
        for (row, key) in encoded.iter().enumerate() {
            let next = keys.distinct.len() as u32;
            let index = *seen.entry(key.data()).or_insert(next);
            if index == next {
                keys.distinct.push((key.data().into(), row));
            }
            keys.of_rows.push(index);
        }
        Ok(keys)
    }

    fn of_row(&self, row: usize) -> Option<&(Key, usize)> {
        self.distinct.get(*self.of_rows.get(row)? as usize)
    }
}

/// The parts of the outer run that a run of the subplan needs.
#[derive(Clone)]
struct Run {
    context: Arc<TaskContext>,
    runs: Count,
}

/// A batch of the input and how far it was gone through.
struct Rest {
    batch: RecordBatch,
    params: Vec<ArrayRef>,
    keys: Keys,
    /// The first row that is not done.
    row: usize,
}

/// The physical operator of an [`Apply`](super::Apply).
#[derive(Clone, Debug)]
pub(in crate::operators) struct ApplyExec {
    input: Arc<dyn ExecutionPlan>,
    subplan: Arc<Subplan>,
    params: Vec<Arc<dyn PhysicalExpr>>,
    kind: ApplyKind,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl ApplyExec {
    pub(super) fn new(
        input: Arc<dyn ExecutionPlan>,
        subplan: Arc<Subplan>,
        params: Vec<Arc<dyn PhysicalExpr>>,
        kind: ApplyKind,
        schema: SchemaRef,
    ) -> Result<Self> {
        // The columns of the input come first and its rows in their order, so it keeps it, and what
        // is known of the columns: the order may follow from one of them being constant.
        let known = input.equivalence_properties();
        let orders = known.oeq_class().clone();
        let mut equivalences = EquivalenceProperties::new_with_orderings(schema, orders);
        equivalences.add_equivalence_group(known.eq_group().clone())?;
        let properties = PlanProperties::new(
            equivalences,
            input.output_partitioning().clone(),
            input.pipeline_behavior(),
            input.boundedness(),
        );
        let metrics = ExecutionPlanMetricsSet::new();
        Ok(Self { input, subplan, params, kind, properties: Arc::new(properties), metrics })
    }

    /// The batches that one batch of the input becomes.
    fn apply(
        self: Arc<Self>,
        batch: RecordBatch,
        run: Run,
    ) -> Result<BoxStream<'static, Result<RecordBatch>>> {
        let rows = batch.num_rows();
        let params = self.params.iter().map(|param| param.evaluate(&batch)?.into_array(rows));
        let params = params.collect::<Result<Vec<_>>>()?;
        let keys = Keys::of(&params, rows)?;
        let rest = Rest { batch, params, keys, row: 0 };
        Ok(match self.kind {
            ApplyKind::Value(_) => {
                stream::once(async move { self.with_value(rest, &run).await }).boxed()
            }
            ApplyKind::Rows { outer } => stream::try_unfold(rest, move |rest| {
                let (this, run) = (Arc::clone(&self), run.clone());
                async move { this.with_rows(rest, outer, &run).await }
            })
            .boxed(),
        })
    }

    /// The batch with the first value of each row's result.
    async fn with_value(&self, rest: Rest, run: &Run) -> Result<RecordBatch> {
        let Rest { batch, params, keys, .. } = rest;
        let schema = self.schema();
        let wanted = schema.field(batch.num_columns()).data_type();
        let mut values = Vec::with_capacity(keys.distinct.len());
        for key in &keys.distinct {
            let result = self.subplan.result(key, &params, &run.context, &run.runs).await?;
            values.push(match result.num_rows() {
                0 => ScalarValue::try_from(wanted)?,
                _ => ScalarValue::try_from_array(result.column(0), 0)?.cast_to(wanted)?,
            });
        }
        let values = match values.is_empty() {
            true => new_empty_array(wanted),
            false => ScalarValue::iter_to_array(values)?,
        };
        let value = take(&values, &UInt32Array::from(keys.of_rows), None)?;
        let columns = batch.columns().iter().cloned().chain([value]).collect();
        Ok(RecordBatch::try_new(schema, columns)?)
    }

    /// The next rows of the batch, each with the rows of its result: enough of them to fill a
    /// batch, so that no more results are in memory at a time.
    async fn with_rows(
        &self,
        mut rest: Rest,
        outer: bool,
        run: &Run,
    ) -> Result<Option<(RecordBatch, Rest)>> {
        let schema = self.subplan.plan.schema();
        let full = run.context.session_config().batch_size();
        let mut taken: Vec<u32> = Vec::new();
        let mut parts: Vec<Vec<ArrayRef>> = Vec::new();
        while taken.len() < full
            && let Some(key) = rest.keys.of_row(rest.row)
        {
            let result = self.subplan.result(key, &rest.params, &run.context, &run.runs).await?;
            let (part, count) = match result.num_rows() {
                0 if outer => {
                    let nulls = schema.fields().iter();
                    (nulls.map(|field| new_null_array(field.data_type(), 1)).collect(), 1)
                }
                count => (result.columns().to_vec(), count),
            };
            taken.extend(std::iter::repeat_n(rest.row as u32, count));
            parts.push(part);
            rest.row += 1;
        }
        if parts.is_empty() {
            return Ok(None);
        }
        let batch = self.join_rows(&rest.batch, taken, &parts)?;
        Ok(Some((batch, rest)))
    }

    /// The rows `taken` from the batch with all `parts`, one after the other.
    fn join_rows(
        &self,
        batch: &RecordBatch,
        taken: Vec<u32>,
        parts: &[Vec<ArrayRef>],
    ) -> Result<RecordBatch> {
        let schema = self.schema();
        let taken = UInt32Array::from(taken);
        let mut columns = Vec::with_capacity(schema.fields().len());
        for column in batch.columns() {
            columns.push(take(column, &taken, None)?);
        }
        for (index, field) in schema.fields().iter().skip(batch.num_columns()).enumerate() {
            let arrays: Vec<_> =
                parts.iter().filter_map(|part| part.get(index)).map(AsRef::as_ref).collect();
            let column = match arrays.is_empty() {
                true => new_empty_array(field.data_type()),
                false => concat(&arrays)?,
            };
            columns.push(cast(&column, field.data_type())?);
        }
        Ok(RecordBatch::try_new(schema, columns)?)
    }
}

impl DisplayAs for ApplyExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "ApplyExec: ")?;
        for (index, param) in self.params.iter().enumerate() {
            write!(f, "${}={param}, ", index + 1)?;
        }
        let subplan = self.subplan.plan.as_ref();
        let subplan = match self.metrics.clone_inner().iter().next() {
            Some(_) => DisplayableExecutionPlan::with_metrics(subplan),
            None => DisplayableExecutionPlan::new(subplan),
        };
        let subplan = subplan.indent(false).to_string();
        let steps: Vec<&str> = subplan.lines().map(str::trim).collect();
        write!(f, "run [{}]", steps.join(" <- "))
    }
}

impl ExecutionPlan for ApplyExec {
    fn name(&self) -> &str {
        "ApplyExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for param in &self.params {
            if visit(param)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Ok([input]) = <[_; 1]>::try_from(children) else {
            return internal_err!("ApplyExec takes one input");
        };
        Ok(Arc::new(Self::new(
            input,
            Arc::clone(&self.subplan),
            self.params.clone(),
            self.kind.clone(),
            self.schema(),
        )?))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, Arc::clone(&context))?;
        let runs = MetricBuilder::new(&self.metrics).counter("runs", partition);
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let this = Arc::new(self.clone());
        let run = Run { context, runs };
        let output = input
            .map(move |batch| Arc::clone(&this).apply(batch?, run.clone()))
            .try_flatten()
            .inspect_ok(move |batch: &RecordBatch| metrics.record_output(batch.num_rows()));
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), output)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    /// Filters of columns of the input leave out rows before the subplan is run for them.
    fn gather_filters_for_pushdown(
        &self,
        _: FilterPushdownPhase,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        _: &ConfigOptions,
    ) -> Result<FilterDescription> {
        let columns = (0..self.input.schema().fields().len()).collect();
        let child = &self.input;
        let child =
            ChildFilterDescription::from_child_with_allowed_indices(&filters, columns, child)?;
        Ok(FilterDescription::new().with_child(child))
    }

    fn handle_child_pushdown_result(
        &self,
        _: FilterPushdownPhase,
        result: ChildPushdownResult,
        _: &ConfigOptions,
    ) -> Result<FilterPushdownPropagation<Arc<dyn ExecutionPlan>>> {
        Ok(FilterPushdownPropagation::if_all(result))
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let ([input], ApplyKind::Value(_)) = (inputs, &self.kind) else {
            return Ok(Arc::new(Statistics::new_unknown(&self.schema())));
        };
        let mut statistics = input.as_ref().clone();
        statistics.column_statistics.push(ColumnStatistics::new_unknown());
        statistics.total_byte_size = Precision::Absent;
        Ok(Arc::new(statistics))
    }
}
