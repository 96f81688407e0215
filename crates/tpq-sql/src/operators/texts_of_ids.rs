//! A step that gives texts in place of their string ids.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{SchemaRef, UInt32Type};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::StreamExt;

use crate::scan::StringIds;

/// A batch with texts in place of their ids in some columns.
///
/// # Errors
/// When a column has no ids, or the schema another type, which is a bug.
pub(super) fn with_texts<'a>(
    batch: &RecordBatch,
    texts: impl IntoIterator<Item = (usize, &'a StringIds)>,
    schema: &SchemaRef,
) -> Result<RecordBatch> {
    let mut columns = batch.columns().to_vec();
    for (column, strings) in texts {
        let texts = match columns[column].as_primitive_opt::<UInt32Type>() {
            Some(ids) => strings.strings(ids.values()),
            None => return internal_err!("column {column} has no string ids"),
        };
        columns[column] = texts;
    }
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

/// Passes rows on with texts in place of their ids.
#[derive(Clone, Debug)]
pub(super) struct TextsOfIdsExec {
    input: Arc<dyn ExecutionPlan>,
    /// The columns of ids.
    texts: Vec<(usize, StringIds)>,
    /// The properties of the same rows with texts.
    properties: Arc<PlanProperties>,
}

impl TextsOfIdsExec {
    /// A step over `input` that gives rows with `properties`.
    pub(super) fn over(
        input: Arc<dyn ExecutionPlan>,
        texts: Vec<(usize, StringIds)>,
        properties: Arc<PlanProperties>,
    ) -> Self {
        Self { input, texts, properties }
    }
}

impl DisplayAs for TextsOfIdsExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        let schema = self.schema();
        let names = self.texts.iter().map(|(column, _)| schema.field(*column).name().as_str());
        write!(f, "TextsOfIdsExec: [{}]", names.collect::<Vec<_>>().join(", "))
    }
}

impl ExecutionPlan for TextsOfIdsExec {
    fn name(&self) -> &str {
        "TextsOfIdsExec"
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
        let Some(input) = children.pop() else {
            return internal_err!("TextsOfIdsExec without its input plan");
        };
        Ok(Arc::new(Self::over(input, self.texts.clone(), Arc::clone(&self.properties))))
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context)?;
        let (texts, schema) = (self.texts.clone(), self.schema());
        let rows = input.map(move |batch| {
            let texts = texts.iter().map(|(column, strings)| (*column, strings));
            with_texts(&batch?, texts, &schema)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows.boxed())))
    }
}
