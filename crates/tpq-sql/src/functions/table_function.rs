//! Table functions, such as `ancestor_slice(id)`.

use std::fmt::Debug;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::{Result, internal_err};
use futures::future::{BoxFuture, ready};

/// An argument of a table function, as far as it is known during planning.
#[derive(Clone, Debug)]
pub(crate) struct CallArgument {
    /// The type of the value; `Null` for a column with a type that is not known yet.
    pub data_type: DataType,
    /// The value, if the argument is a text literal.
    pub text: Option<Arc<str>>,
}

/// The results of many calls of a table function.
pub(crate) struct CalledRows {
    /// The call that each row belongs to, counted from 0; never decreasing.
    pub calls: UInt32Array,
    /// The rows, with the requested columns.
    pub rows: RecordBatch,
}

/// The rows of some of many calls, or of a part of one call.
pub(crate) struct CallPart {
    pub called: CalledRows,
    /// The number of calls, counted from the first, that have no rows after this part.
    pub complete: usize,
}

/// The results of many calls, part after part.
pub(crate) type CallParts = Box<dyn Iterator<Item = Result<CallPart>> + Send>;

/// The calls that a [`RowParts`] has rows for.
pub(crate) struct PendingCalls {
    /// The call that the next row belongs to, counted from 0. The calls before have no more rows.
    pub call: usize,
    /// The number of calls.
    pub count: usize,
    /// The positions in the schema of the columns to return, in order.
    pub columns: Vec<usize>,
}

impl PendingCalls {
    /// Whether no call has more rows.
    pub(crate) fn are_complete(&self) -> bool {
        self.call >= self.count
    }
}

/// The rows of many calls, part after part.
pub(crate) trait RowParts: Send {
    /// The next part, of a bounded size. Moves `calls` on to the first call that may have more rows.
    ///
    /// # Errors
    /// As [`TableFunction::call`]. No part follows an error.
    fn next_part(&mut self, calls: &mut PendingCalls) -> Result<CalledRows>;
}

/// A function that returns a table.
pub(crate) trait TableFunction: Debug + Send + Sync + 'static {
    /// The name, in lower case.
    fn name(&self) -> &str;

    /// The names and types of the arguments, for messages and completion.
    fn arguments(&self) -> &[(&'static str, DataType)];

    /// The least number of arguments. The arguments after these are optional.
    fn least_arguments(&self) -> usize {
        self.arguments().len()
    }

    /// The function that a call with `args` calls, if that is another one: where the types of columns
    /// depend on the values of literals.
    fn for_call(&self, _args: &[CallArgument]) -> Option<Arc<dyn TableFunction>> {
        None
    }

    /// The columns of the result for `args`. The caller checks the number and types of `args`
    /// against [`arguments`](Self::arguments) before.
    ///
    /// # Errors
    /// When the function cannot be called with these arguments.
    fn schema(&self, args: &[CallArgument]) -> Result<SchemaRef>;

    /// About how many rows a call returns, if that is known: the planner then joins them by a hash
    /// table of these rows.
    fn rows_per_call(&self) -> Option<usize> {
        None
    }

    /// Prepares for the calls of a statement, before it runs: builds an index that takes a query.
    ///
    /// # Errors
    /// When that fails.
    fn prepare<'a>(&'a self, _session: &'a dyn Session) -> BoxFuture<'a, Result<()>> {
        Box::pin(ready(Ok(())))
    }

    /// Evaluates many calls at once. `args` has one array for each argument, with one value for
    /// each of the `calls`. `columns` are the positions in the schema of the columns to return, in
    /// order. A NULL argument usually gives no rows.
    ///
    /// A function with results of any length implements [`begin`](Self::begin) in place of this.
    ///
    /// # Errors
    /// When a value is invalid, for example an unknown id, or a table cannot be read.
    fn call(&self, _args: &[ArrayRef], _calls: usize, _columns: &[usize]) -> Result<CalledRows> {
        internal_err!("{}() gives its rows in parts", self.name())
    }

    /// Begins many calls that return their rows in parts of a bounded size. `None` for a function
    /// that returns all rows at once.
    ///
    /// # Errors
    /// When an argument is invalid.
    fn begin(self: Arc<Self>, _args: &[ArrayRef]) -> Result<Option<Box<dyn RowParts>>> {
        Ok(None)
    }

    /// Evaluates many calls, in one part or in many.
    ///
    /// # Errors
    /// When an argument is invalid.
    fn call_in_parts(
        self: Arc<Self>,
        args: Vec<ArrayRef>,
        calls: usize,
        columns: Vec<usize>,
    ) -> Result<CallParts> {
        if let Some(rows) = Arc::clone(&self).begin(&args)? {
            return Ok(all_parts(rows, PendingCalls { call: 0, count: calls, columns }));
        }
        Ok(Box::new(std::iter::once_with(move || {
            let called = self.call(&args, calls, &columns)?;
            Ok(CallPart { called, complete: calls })
        })))
    }
}

/// The parts until all calls are complete, or one fails.
fn all_parts(mut rows: Box<dyn RowParts>, mut calls: PendingCalls) -> CallParts {
    let mut has_ended = false;
    Box::new(std::iter::from_fn(move || {
        if has_ended {
            return None;
        }
        let called = rows.next_part(&mut calls);
        has_ended = called.is_err() || calls.are_complete();
        Some(called.map(|called| CallPart { called, complete: calls.call }))
    }))
}
