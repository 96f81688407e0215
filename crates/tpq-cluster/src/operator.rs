//! The step of a plan that does work on each trace.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, RecordBatch, RecordBatchOptions, StringArray, new_null_array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, exec_err, internal_err};
use datafusion::error::DataFusionError;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use tpq_lake::is_of_storage;
use tpq_sql::CancelToken;

use crate::kept_rows::{KeptRows, MOST_IN_MEMORY};
use crate::names;
use crate::task_error::message;
use crate::work::{FAILURE, SharedWorker, Task, TraceWork};

/// Marks a column that was NULL in the whole trace that the columns were found with.
const UNTYPED: &str = "tpq.untyped";

/// Gives the rows of some work on each trace that its input names, in the order of the names.
///
/// It is no leaf, because Ballista restricts a task to some partitions of the leaves that it
/// knows; the partitions of a leaf of tpq's own would all run in every task.
#[derive(Clone, Debug)]
pub struct TraceWorkExec {
    names: Arc<dyn ExecutionPlan>,
    work: TraceWork,
    schema: SchemaRef,
    worker: SharedWorker,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl TraceWorkExec {
    /// Work on the traces `names`, with rows of `schema`, which is that of
    /// [`TraceWorker::columns`](crate::TraceWorker::columns) made portable.
    ///
    /// # Errors
    /// Only on a bug.
    pub fn on(
        names: &[String],
        work: TraceWork,
        schema: SchemaRef,
        worker: SharedWorker,
    ) -> Result<Self> {
        Ok(Self::over(names::scan(names)?, work, schema, worker))
    }

    pub(crate) fn over(
        names: Arc<dyn ExecutionPlan>,
        work: TraceWork,
        schema: SchemaRef,
        worker: SharedWorker,
    ) -> Self {
        let count = names.properties().partitioning.partition_count();
        let properties = PlanProperties::new(
            EquivalenceProperties::new(Arc::clone(&schema)),
            Partitioning::UnknownPartitioning(count),
            EmissionType::Incremental,
            Boundedness::Bounded,
        );
        let metrics = ExecutionPlanMetricsSet::new();
        Self { names, work, schema, worker, properties: Arc::new(properties), metrics }
    }

    pub(crate) fn work(&self) -> &TraceWork {
        &self.work
    }
}

impl DisplayAs for TraceWorkExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let place = self.work.lake.as_deref().unwrap_or("files");
        write!(f, "TraceWorkExec: {} on {place}", self.work.task.name())
    }
}

impl ExecutionPlan for TraceWorkExec {
    fn name(&self) -> &'static str {
        "TraceWorkExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![false]
    }

    /// The partitions are those of the names: a step that deals them out would move whole traces.
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.names]
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
        let Some(names) = children.pop() else {
            return internal_err!("TraceWorkExec without the names of traces");
        };
        let (schema, worker) = (Arc::clone(&self.schema), Arc::clone(&self.worker));
        Ok(Arc::new(Self::over(names, self.work.clone(), schema, worker)))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let of_trace = OfTrace {
            work: self.work.clone(),
            worker: Arc::clone(&self.worker),
            schema: Arc::clone(&self.schema),
            cancel: CancelToken::of(context.session_config().options()),
        };
        let names = self.names.execute(partition, context)?;
        let names = names.and_then(|batch| async move { names::of(&batch) });
        // What the worker is given at a time.
        let units: BoxStream<'static, Result<Vec<String>>> = match &self.work.task {
            Task::Ingest { .. } => stream::once(names.try_concat()).boxed(),
            Task::Statement { .. } => {
                let single = |names: Vec<String>| {
                    names.into_iter().map(|name| Ok::<_, DataFusionError>(vec![name]))
                };
                names.map_ok(move |names| stream::iter(single(names))).try_flatten().boxed()
            }
        };
        let rows = units.and_then(move |names| {
            let of_trace = of_trace.clone();
            async move { of_trace.rows(names).await }
        });
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let counted = rows.try_flatten().inspect(move |batch| {
            if let Ok(batch) = batch {
                metrics.record_output(batch.num_rows());
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), counted)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }
}

/// The work on one trace.
#[derive(Clone)]
struct OfTrace {
    work: TraceWork,
    worker: SharedWorker,
    schema: SchemaRef,
    cancel: CancelToken,
}

impl OfTrace {
    async fn rows(self, names: Vec<String>) -> Result<SendableRecordBatchStream> {
        let ([name], Task::Statement { .. }) = (names.as_slice(), &self.work.task) else {
            return self.stream(&names).await;
        };
        if !self.work.keeps_failures {
            let name = name.clone();
            let rows = self.stream(&names).await;
            let rows = rows.map_err(|error| of_trace(&name, error))?;
            let schema = rows.schema();
            let rows = rows.map_err(move |error| of_trace(&name, error));
            return Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)));
        }
        let schema = Arc::clone(&self.schema);
        match self.kept(&names).await {
            Ok(kept) => {
                let rows = stream::iter(kept.into_batches().map_err(external)?);
                let rows = rows.map(|batch| batch.map_err(external));
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
            }
            Err(error) if self.cancel.is_cancelled() || is_of_storage(&error) => Err(error),
            Err(error) => {
                let row = failure_row(&schema, name, &error);
                let row = stream::iter([row]);
                Ok(Box::pin(RecordBatchStreamAdapter::new(schema, row)))
            }
        }
    }

    /// All rows of a trace, as the rows of one that fails halfway must not be seen.
    async fn kept(&self, names: &[String]) -> Result<KeptRows> {
        let mut kept = KeptRows::new(Arc::clone(&self.schema), MOST_IN_MEMORY);
        let mut rows = self.stream(names).await?;
        while let Some(batch) = rows.next().await {
            kept.push(batch?).map_err(external)?;
        }
        Ok(kept)
    }

    async fn stream(&self, names: &[String]) -> Result<SendableRecordBatchStream> {
        self.ensure_wanted()?;
        let rows = self.worker.run(&self.work, names, &self.cancel).await?;
        check_columns(&self.schema, &rows.schema(), self.work.keeps_failures)?;
        let (schema, of_trace) = (Arc::clone(&self.schema), self.clone());
        let converted = rows.map(move |batch| {
            of_trace.ensure_wanted()?;
            convert(&batch?, &of_trace.schema)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, converted)))
    }

    fn ensure_wanted(&self) -> Result<()> {
        match self.cancel.is_cancelled() {
            true => exec_err!("the query was cancelled"),
            false => Ok(()),
        }
    }
}

/// An error with the name of its trace, if it lacks that. An error of the storage stays one below
/// the name, so that the task is tried again.
fn of_trace(name: &str, error: DataFusionError) -> DataFusionError {
    match message(&error).contains(name) {
        true => error,
        false => error.context(format!("trace {name}")),
    }
}

fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// The row of a trace that failed.
fn failure_row(schema: &SchemaRef, name: &str, error: &DataFusionError) -> Result<RecordBatch> {
    let text = |text: &str| -> ArrayRef { Arc::new(StringArray::from(vec![text])) };
    let mut columns: Vec<ArrayRef> =
        schema.fields().iter().map(|field| new_null_array(field.data_type(), 1)).collect();
    if let [first, .., last] = columns.as_mut_slice() {
        *first = text(name);
        *last = text(&message(error));
    }
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// The columns as they travel: text and bytes that own what they hold, as a view would take the
/// texts of its whole trace along, and text in place of a column that is NULL throughout. The
/// column [`FAILURE`] follows where failures are kept.
pub fn portable_schema(schema: &Schema, keeps_failures: bool) -> SchemaRef {
    let failure = keeps_failures.then(|| Field::new(FAILURE, DataType::Utf8, true));
    let fields = schema.fields().iter().map(|field| {
        let name = field.name().clone();
        let portable = Field::new(name, portable(field.data_type()), true);
        match field.data_type() {
            DataType::Null => portable.with_metadata([(UNTYPED.to_owned(), String::new())].into()),
            _ => portable,
        }
    });
    Arc::new(Schema::new(fields.chain(failure).collect::<Vec<_>>()))
}

fn portable(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Null | DataType::Utf8View | DataType::LargeUtf8 => DataType::Utf8,
        DataType::BinaryView | DataType::LargeBinary => DataType::Binary,
        DataType::Dictionary(_, values) => portable(values),
        other => other.clone(),
    }
}

/// Checks that the columns of a trace are those of the plan. No value is converted to another
/// type, except to text where the plan's columns come from a trace with only NULL.
fn check_columns(expected: &Schema, found: &Schema, keeps_failures: bool) -> Result<()> {
    let (expected, found) = (expected.fields(), found.fields());
    let expected = &expected[..expected.len().saturating_sub(usize::from(keeps_failures))];
    for at in 0..expected.len().max(found.len()) {
        let (expected, found) = (expected.get(at), found.get(at));
        let fits = expected.zip(found).is_some_and(|(expected, found)| {
            let is_any =
                expected.metadata().contains_key(UNTYPED) || *found.data_type() == DataType::Null;
            let has_type = is_any || *expected.data_type() == portable(found.data_type());
            expected.name() == found.name() && has_type
        });
        if !fits {
            let (found, expected) = (describe(found), describe(expected));
            return exec_err!(
                "column {} is {found}, but {expected} in the first trace; name \
                 columns with AS and give them a type with CAST",
                at + 1
            );
        }
    }
    Ok(())
}

fn describe(field: Option<&Arc<Field>>) -> String {
    field.map_or_else(
        || "no column".to_owned(),
        |field| format!("`{} {}`", field.name(), portable(field.data_type())),
    )
}

/// A batch of a trace with the columns of the plan.
fn convert(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let columns = schema.fields().iter().zip(batch.columns());
    let columns = columns.map(|(field, column)| -> Result<ArrayRef> {
        Ok(match column.data_type() {
            DataType::Null => new_null_array(field.data_type(), batch.num_rows()),
            _ => cast(column, field.data_type())?,
        })
    });
    let mut columns = columns.collect::<Result<Vec<_>>>()?;
    if let Some(failure) = schema.fields().get(columns.len()) {
        columns.push(new_null_array(failure.data_type(), batch.num_rows()));
    }
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)?)
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::{AsArray, Int64Array, StringViewArray};

    use super::*;

    #[test]
    fn columns_travel_without_views() {
        let schema = Schema::new(vec![
            Field::new("ts", DataType::Int64, false),
            Field::new("name", DataType::Utf8View, true),
            Field::new("nothing", DataType::Null, true),
        ]);
        let portable = portable_schema(&schema, false);
        let types: Vec<_> =
            portable.fields().iter().map(|field| field.data_type().clone()).collect();
        assert_eq!(types, [DataType::Int64, DataType::Utf8, DataType::Utf8]);
        let columns: Vec<ArrayRef> = vec![
            Arc::new(Int64Array::from(vec![1, 2])),
            Arc::new(StringViewArray::from(vec!["a", "b"])),
            new_null_array(&DataType::Null, 2),
        ];
        let batch = RecordBatch::try_new(Arc::new(schema), columns).unwrap();
        check_columns(&portable, &batch.schema(), false).unwrap();
        let converted = convert(&batch, &portable).unwrap();
        assert_eq!(converted.column(1).as_string::<i32>().value(1), "b");
        assert_eq!(converted.column(2).null_count(), 2);
        let with_failures = portable_schema(&batch.schema(), true);
        check_columns(&with_failures, &batch.schema(), true).unwrap();
        let converted = convert(&batch, &with_failures).unwrap();
        assert_eq!(converted.column(3).null_count(), 2);
    }

    #[test]
    fn other_columns_are_refused() {
        let schema = |name: &str, data_type| Schema::new(vec![Field::new(name, data_type, true)]);
        let expected = portable_schema(&schema("n", DataType::Int64), false);
        let refused =
            check_columns(&expected, &schema("n", DataType::Utf8View), false).unwrap_err();
        let text = refused.strip_backtrace();
        assert!(text.contains("column 1 is `n Utf8`, but `n Int64` in the first"), "{text}");
        assert!(check_columns(&expected, &schema("m", DataType::Int64), false).is_err());
        assert!(check_columns(&expected, &schema("n", DataType::Null), false).is_ok());
        let untyped = portable_schema(&schema("n", DataType::Null), false);
        assert!(check_columns(&untyped, &schema("n", DataType::Float64), false).is_ok());
    }
}
