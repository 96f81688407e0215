//! Plans as rows of text: one row for each line, where DataFusion has one for each plan.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;

use crate::planning_checks::CHECK;

/// Whether a plan gives the text of another plan.
pub(crate) fn explains(plan: &LogicalPlan) -> bool {
    matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_))
}

/// The rows of a plan that [`explains`] another, with each line of text in a row of its own.
pub(crate) fn in_lines(plans: SendableRecordBatchStream) -> SendableRecordBatchStream {
    let schema = plans.schema();
    let lines = plans.map(|batch| lines_of(&batch?));
    Box::pin(RecordBatchStreamAdapter::new(schema, lines))
}

fn lines_of(batch: &RecordBatch) -> Result<RecordBatch, DataFusionError> {
    let texts = |column: usize| batch.columns().get(column)?.as_string_opt::<i32>();
    let (Some(kinds), Some(plans)) = (texts(0), texts(1)) else { return Ok(batch.clone()) };
    let (mut kind_of_line, mut lines) = (Vec::new(), Vec::new());
    for (kind, plan) in kinds.iter().zip(plans) {
        // With VERBOSE, a stage for each rule: these change no plan.
        if kind.is_some_and(|kind| kind.ends_with(CHECK)) {
            continue;
        }
        for line in plan.unwrap_or_default().lines() {
            kind_of_line.push(kind);
            lines.push(line);
        }
    }
    let columns: Vec<ArrayRef> =
        vec![Arc::new(StringArray::from(kind_of_line)), Arc::new(StringArray::from(lines))];
    Ok(RecordBatch::try_new(batch.schema(), columns)?)
}
