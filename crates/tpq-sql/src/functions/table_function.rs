//! Table functions, such as `ancestor_slice(id)`.

use std::fmt::Debug;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::Result;
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
    /// # Errors
    /// When a value is invalid, for example an unknown id, or a table cannot be read.
    fn call(&self, args: &[ArrayRef], calls: usize, columns: &[usize]) -> Result<CalledRows>;

    /// Evaluates the same calls as [`call`](Self::call), in parts of a bounded size. A function
    /// with results of any length implements this; others return all rows in one part.
    fn call_in_parts(
        self: Arc<Self>,
        args: Vec<ArrayRef>,
        calls: usize,
        columns: Vec<usize>,
    ) -> CallParts {
        Box::new(std::iter::once_with(move || {
            let called = self.call(&args, calls, &columns)?;
            Ok(CallPart { called, complete: calls })
        }))
    }
}
