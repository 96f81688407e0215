//! Table functions, such as `ancestor_slice(id)`.

use std::fmt::Debug;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;

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

/// A function that returns a table.
pub(crate) trait TableFunction: Debug + Send + Sync {
    /// The name, in lower case.
    fn name(&self) -> &str;

    /// The names and types of the arguments, for messages and completion.
    fn arguments(&self) -> &[(&'static str, DataType)];

    /// The columns of the result for `args`. The caller checks the number and types of `args`
    /// against [`arguments`](Self::arguments) before.
    ///
    /// # Errors
    /// When the function cannot be called with these arguments.
    fn schema(&self, args: &[CallArgument]) -> Result<SchemaRef>;

    /// Evaluates many calls at once. `args` has one array for each argument, with one value for
    /// each of the `calls`. `columns` are the positions in the schema of the columns to return, in
    /// order. A NULL argument usually gives no rows.
    ///
    /// # Errors
    /// When a value is invalid, for example an unknown id, or a table cannot be read.
    fn call(&self, args: &[ArrayRef], calls: usize, columns: &[usize]) -> Result<CalledRows>;
}
