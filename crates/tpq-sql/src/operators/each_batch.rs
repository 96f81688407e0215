//! A step that does something with each batch of its input and passes it on.
//!
//! Rows, columns, order and partitions stay as they are. Rules put such a step next to others that
//! do not check, count or copy what tpq needs them to.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use datafusion::arrow::array::RecordBatch;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Result, internal_err};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::coop::make_cooperative;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::stream::iter;
use futures::{Stream, StreamExt};

use crate::cancel::{CancelToken, under};

/// The step for the batches of one partition: called with each batch, and with `None` after the
/// last, it gives batches to pass on.
pub(super) type Each = Box<dyn FnMut(Option<RecordBatch>) -> Result<Vec<RecordBatch>> + Send>;

/// Makes what happens to the batches of a partition, before its input begins.
type Begin = dyn Fn(&TaskContext, usize) -> Each + Send + Sync;

/// Passes batches on, and yields to the runtime after some.
pub(super) struct EachBatchExec {
    name: &'static str,
    input: Arc<dyn ExecutionPlan>,
    begin: Arc<Begin>,
}

impl EachBatchExec {
    /// A step over `input`, with the name that `EXPLAIN` shows.
    pub(super) fn over(
        input: Arc<dyn ExecutionPlan>,
        name: &'static str,
        begin: impl Fn(&TaskContext, usize) -> Each + Send + Sync + 'static,
    ) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self { name, input, begin: Arc::new(begin) })
    }
}

impl fmt::Debug for EachBatchExec {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct(self.name).field("input", &self.input).finish()
    }
}

impl DisplayAs for EachBatchExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl ExecutionPlan for EachBatchExec {
    fn name(&self) -> &str {
        self.name
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
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
            Some(input) => {
                Ok(Arc::new(Self { name: self.name, input, begin: Arc::clone(&self.begin) }))
            }
            None => internal_err!("{} without an input", self.name),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let mut each = (self.begin)(&context, partition);
        let token = CancelToken::of(context.session_config().options());
        let input = self.input.execute(partition, context)?;
        let schema = input.schema();
        let input = UnderToken { input, token };
        let steps = input.map(Some).chain(iter([None]));
        let batches = steps.map(move |batch| match batch.transpose().and_then(&mut each) {
            Ok(batches) => batches.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        });
        let batches = batches.map(iter);
        Ok(make_cooperative(Box::pin(RecordBatchStreamAdapter::new(schema, batches.flatten()))))
    }
}

/// A stream that runs under the token of its statement, for filters that look at it.
struct UnderToken {
    input: SendableRecordBatchStream,
    token: CancelToken,
}

impl Stream for UnderToken {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let token = self.token.clone();
        under(token, || self.input.poll_next_unpin(cx))
    }
}
