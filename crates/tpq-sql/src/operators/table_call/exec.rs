//! Calls the function for some hundred input rows at a time.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch, RecordBatchOptions, UInt32Array};
use datafusion::arrow::compute::{filter, filter_record_batch, take};
use datafusion::arrow::datatypes::{Schema, SchemaRef, UInt32Type};
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, Statistics, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::equivalence::ProjectionMapping;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::projection::{ProjectionExec, ProjectionExpr};
use datafusion::physical_plan::statistics::{ChildStats, StatisticsArgs};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, PlanProperties,
};
use futures::{StreamExt, stream};

use crate::cancel::{self, CancelToken};
use crate::functions::{CallPart, CallParts, CalledRows, TableFunction};
use crate::narrow_filters::moved;

/// How many calls are made at once: enough for the work to be on columns, and few enough for
/// what they give to be small even where each gives hundreds of rows.
const CALLS: usize = 512;

/// Returns each input row joined to each row of its call.
#[derive(Clone, Debug)]
pub(in crate::operators) struct TableCallExec {
    input: Arc<dyn ExecutionPlan>,
    caller: Arc<Caller>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

/// The step for a batch.
#[derive(Debug)]
struct Caller {
    function: Arc<dyn TableFunction>,
    args: Vec<Arc<dyn PhysicalExpr>>,
    condition: Option<Arc<dyn PhysicalExpr>>,
    keep_unmatched: bool,
    /// How many columns the input has.
    before: usize,
    /// Which columns come out, of those of the input followed by the function's.
    output: Vec<usize>,
    schema: SchemaRef,
}

impl TableCallExec {
    pub(super) fn try_new(
        input: Arc<dyn ExecutionPlan>,
        function: Arc<dyn TableFunction>,
        args: Vec<Arc<dyn PhysicalExpr>>,
        condition: Option<Arc<dyn PhysicalExpr>>,
        keep_unmatched: bool,
        schema: SchemaRef,
    ) -> Result<Self> {
        let before = input.schema().fields().len();
        let output = (0..schema.fields().len()).collect();
        let caller = Caller { function, args, condition, keep_unmatched, before, output, schema };
        Self::over(input, Arc::new(caller))
    }

    fn over(input: Arc<dyn ExecutionPlan>, caller: Arc<Caller>) -> Result<Self> {
        let properties = Arc::new(properties(&input, &caller)?);
        Ok(Self { input, caller, properties, metrics: ExecutionPlanMetricsSet::new() })
    }
}

/// Rows come in the order of the input, each as often as the function says.
fn properties(input: &Arc<dyn ExecutionPlan>, caller: &Caller) -> Result<PlanProperties> {
    let schema = input.schema();
    let kept = caller.output.iter().zip(caller.schema.fields());
    let kept = kept.filter(|&(&from, _)| from < caller.before).map(|(&from, field)| {
        let column: Arc<dyn PhysicalExpr> = Arc::new(Column::new(schema.field(from).name(), from));
        (column, field.name().clone())
    });
    // The mapping numbers what it is given; the columns of the input come first.
    let leading = caller.output.iter().take_while(|&&from| from < caller.before).count();
    let mapping = ProjectionMapping::try_new(kept.take(leading), &schema)?;
    let equivalences = input.equivalence_properties().project(&mapping, Arc::clone(&caller.schema));
    // A row may come out more than once, so nothing is a key any more.
    let equivalences: EquivalenceProperties = equivalences.with_constraints(Default::default());
    let partitioning = input.output_partitioning().project(&mapping, &equivalences);
    let (emission, bounds) = (input.pipeline_behavior(), input.boundedness());
    Ok(PlanProperties::new(equivalences, partitioning, emission, bounds))
}

impl DisplayAs for TableCallExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let args: Vec<String> = self.caller.args.iter().map(ToString::to_string).collect();
        write!(f, "TableCallExec: {}({})", self.caller.function.name(), args.join(", "))
    }
}

impl ExecutionPlan for TableCallExec {
    fn name(&self) -> &'static str {
        "TableCallExec"
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
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for expr in self.caller.args.iter().chain(&self.caller.condition) {
            if f(expr)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        options: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let Some(input) = children.into_iter().next() else {
            return internal_err!("a call of a table function without input");
        };
        Ok(match options.children_properties {
            ChildrenPropertiesMode::Keep => {
                let metrics = ExecutionPlanMetricsSet::new();
                Arc::new(Self { input, metrics, ..Self::clone(&self) })
            }
            ChildrenPropertiesMode::Recompute => {
                Arc::new(Self::over(input, Arc::clone(&self.caller))?)
            }
        })
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mode = ChildrenPropertiesMode::Recompute;
        self.replace_children(children, ReplaceChildrenOptions::new(mode))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let cancel = CancelToken::of(context.session_config().options());
        let input = self.input.execute(partition, context)?;
        let caller = Arc::clone(&self.caller);
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let called = input.flat_map(move |batch| match batch {
            Ok(batch) => stream::iter(call_in_parts(&caller, batch, &cancel)).left_stream(),
            Err(error) => stream::iter([Err(error)]).right_stream(),
        });
        let called = called.inspect(move |batch| {
            if let Ok(batch) = batch {
                metrics.record_output(batch.num_rows());
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.caller.schema), called)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn child_stats_requests(&self, partition: Option<usize>) -> Vec<ChildStats> {
        vec![ChildStats::At(partition)]
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        _: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema());
        let calls = inputs.first().and_then(|input| input.num_rows.get_value().copied());
        if let (Some(calls), Some(rows)) = (calls, self.caller.function.rows_per_call()) {
            statistics.num_rows = Precision::Inexact(calls.saturating_mul(rows));
        }
        Ok(Arc::new(statistics))
    }

    /// Columns that are not asked for are never made.
    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExec,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        if self.caller.condition.is_some() {
            return Ok(None);
        }
        let chosen = projection.expr().iter().map(|item| {
            let column = item.expr.downcast_ref::<Column>()?;
            self.caller.output.get(column.index()).copied()
        });
        let Some(output) = chosen.collect::<Option<Vec<usize>>>() else {
            return self.with_used_columns(projection);
        };
        let caller = Caller {
            function: Arc::clone(&self.caller.function),
            args: self.caller.args.clone(),
            condition: None,
            keep_unmatched: self.caller.keep_unmatched,
            before: self.caller.before,
            output,
            schema: projection.schema(),
        };
        let exec = Self::over(Arc::clone(&self.input), Arc::new(caller))?;
        Ok(Some(Arc::new(exec)))
    }
}

impl TableCallExec {
    /// The projection over a call that makes only the columns it uses; `None` where it uses all.
    /// An argument can be a table, which would be repeated in each row.
    fn with_used_columns(
        &self,
        projection: &ProjectionExec,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let mut used = BTreeSet::new();
        for item in projection.expr() {
            used.extend(collect_columns(&item.expr).iter().map(Column::index));
        }
        let used: Vec<usize> = used.into_iter().collect();
        if used.len() == self.caller.output.len() {
            return Ok(None);
        }
        let caller = Caller {
            function: Arc::clone(&self.caller.function),
            args: self.caller.args.clone(),
            condition: None,
            keep_unmatched: self.caller.keep_unmatched,
            before: self.caller.before,
            output: used.iter().map(|&index| self.caller.output[index]).collect(),
            schema: Arc::new(self.caller.schema.project(&used)?),
        };
        let exec = Self::over(Arc::clone(&self.input), Arc::new(caller))?;
        let exprs = projection.expr().iter().map(|item| {
            let expr = moved(Arc::clone(&item.expr), &used)?;
            Ok(ProjectionExpr { expr, alias: item.alias.clone() })
        });
        let exprs = exprs.collect::<Result<Vec<_>>>()?;
        Ok(Some(Arc::new(ProjectionExec::try_new(exprs, Arc::new(exec))?)))
    }
}

/// The rows for a batch, part after part.
fn call_in_parts(
    caller: &Arc<Caller>,
    batch: RecordBatch,
    cancel: &CancelToken,
) -> impl Iterator<Item = Result<RecordBatch>> + use<> {
    let (caller, cancel) = (Arc::clone(caller), cancel.clone());
    (0..batch.num_rows()).step_by(CALLS).flat_map(move |start| {
        let rows = CALLS.min(batch.num_rows() - start);
        Calls {
            caller: Arc::clone(&caller),
            batch: batch.slice(start, rows),
            cancel: cancel.clone(),
            parts: None,
            unmatched: Unmatched::default(),
            has_ended: false,
        }
    })
}

/// The rows of a few hundred calls, part after part.
struct Calls {
    caller: Arc<Caller>,
    batch: RecordBatch,
    cancel: CancelToken,
    /// `None` before the first part is asked for.
    parts: Option<CallParts>,
    unmatched: Unmatched,
    has_ended: bool,
}

impl Iterator for Calls {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_ended {
            return None;
        }
        let part = cancel::under(self.cancel.clone(), || self.next_part()).transpose();
        // Nothing follows an error.
        self.has_ended = !matches!(part, Some(Ok(_)));
        part
    }
}

impl Calls {
    fn next_part(&mut self) -> Result<Option<RecordBatch>> {
        // A function may have rows without end.
        self.cancel.check()?;
        if self.parts.is_none() {
            self.parts = Some(self.caller.call(&self.batch)?);
        }
        let Some(part) = self.parts.as_mut().and_then(Iterator::next) else { return Ok(None) };
        self.caller.join_part(&self.batch, part?, &mut self.unmatched).map(Some)
    }
}

impl Caller {
    /// Starts the calls for the rows of a batch.
    fn call(&self, batch: &RecordBatch) -> Result<CallParts> {
        let rows = batch.num_rows();
        let args = self.args.iter().map(|arg| arg.evaluate(batch)?.into_array(rows));
        let args = args.collect::<Result<Vec<_>>>()?;
        let wanted: Vec<usize> =
            self.output.iter().filter_map(|from| from.checked_sub(self.before)).collect();
        Arc::clone(&self.function).call_in_parts(args, rows, wanted)
    }

    /// The rows of the input joined to those of a part.
    fn join_part(
        &self,
        batch: &RecordBatch,
        part: CallPart,
        unmatched: &mut Unmatched,
    ) -> Result<RecordBatch> {
        let CallPart { mut called, complete } = part;
        if let Some(condition) = &self.condition {
            let joined = self.join_rows(batch, &called.calls, &called.rows, None)?;
            let mask = condition.evaluate(&joined)?.into_array(joined.num_rows())?;
            let mask = mask.as_boolean();
            called.rows = filter_record_batch(&called.rows, mask)?;
            called.calls = filter(&called.calls, mask)?.as_primitive::<UInt32Type>().clone();
        }
        if !self.keep_unmatched {
            return self.join_rows(batch, &called.calls, &called.rows, None);
        }
        let (calls, which) = unmatched.added_to(&called, complete);
        self.join_rows(batch, &calls, &called.rows, Some(&which))
    }

    /// Rows of the input joined to those of the function: `which` of them, or all.
    fn join_rows(
        &self,
        batch: &RecordBatch,
        calls: &UInt32Array,
        rows: &RecordBatch,
        which: Option<&UInt32Array>,
    ) -> Result<RecordBatch> {
        let mut given = rows.columns().iter();
        let columns = self.output.iter().map(|&from| {
            if from < self.before {
                return Ok(take(batch.column(from), calls, None)?);
            }
            match (given.next(), which) {
                (Some(column), Some(which)) => Ok(take(column, which, None)?),
                (Some(column), None) => Ok(Arc::clone(column)),
                (None, _) => internal_err!("{}() left a column out", self.function.name()),
            }
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(calls.len()));
        let schema: Arc<Schema> = Arc::clone(&self.schema);
        Ok(RecordBatch::try_new_with_options(schema, columns, &options)?)
    }
}

/// Finds the calls without rows.
#[derive(Default)]
struct Unmatched {
    /// The first call that may have more rows.
    next: u32,
    /// Whether that call has rows in the parts so far.
    is_matched: bool,
}

impl Unmatched {
    /// The calls of a part, with the calls that have no rows among them, and which row each has, if
    /// any. The first `complete` calls have no rows in later parts.
    fn added_to(&mut self, called: &CalledRows, complete: usize) -> (UInt32Array, UInt32Array) {
        let mut all = Vec::with_capacity(called.calls.len());
        let mut which = Vec::with_capacity(called.calls.len());
        for (row, call) in (0u32..).zip(called.calls.values().iter().copied()) {
            for empty in self.skip_to(call) {
                all.push(empty);
                which.push(None);
            }
            self.is_matched = true;
            all.push(call);
            which.push(Some(row));
        }
        for empty in self.skip_to(u32::try_from(complete).unwrap_or(u32::MAX)) {
            all.push(empty);
            which.push(None);
        }
        (all.into(), which.into())
    }

    /// Goes on to a call; returns the calls before it that have no rows.
    fn skip_to(&mut self, call: u32) -> std::ops::Range<u32> {
        if call <= self.next {
            return call..call;
        }
        let first = self.next + u32::from(self.is_matched);
        self.next = call;
        self.is_matched = false;
        first..call
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::datatypes::Schema;

    use super::*;

    fn part(calls: &[u32]) -> CalledRows {
        let options = RecordBatchOptions::new().with_row_count(Some(calls.len()));
        let schema = Arc::new(Schema::empty());
        let rows = RecordBatch::try_new_with_options(schema, vec![], &options).unwrap();
        CalledRows { calls: calls.to_vec().into(), rows }
    }

    #[test]
    fn calls_without_rows_are_found_across_parts() {
        let mut unmatched = Unmatched::default();
        // Of five calls, 0 and 3 have no rows, and the rows of 2 are in two parts.
        let (calls, which) = unmatched.added_to(&part(&[1, 2]), 2);
        assert_eq!(calls.values(), &[0, 1, 2]);
        assert_eq!(which.iter().collect::<Vec<_>>(), [None, Some(0), Some(1)]);
        let (calls, which) = unmatched.added_to(&part(&[2]), 3);
        assert_eq!(calls.values(), &[2]);
        assert_eq!(which.iter().collect::<Vec<_>>(), [Some(0)]);
        let (calls, which) = unmatched.added_to(&part(&[4]), 5);
        assert_eq!(calls.values(), &[3, 4]);
        assert_eq!(which.iter().collect::<Vec<_>>(), [None, Some(0)]);
        let (calls, _) = unmatched.added_to(&part(&[]), 5);
        assert!(calls.is_empty());
    }
}
