//! Functions whose value is a table, as `ancestor_slice(id)`.

use std::fmt::Debug;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::Result;

/// What a table function is called with, as far as planning knows it.
#[derive(Clone, Debug)]
pub(crate) struct CallArgument {
    /// The type of the value; `Null` where it is a column, whose type is not known yet.
    pub data_type: DataType,
    /// The value, where it is text that is written in the statement.
    pub text: Option<Arc<str>>,
}

/// The rows of many calls of a function.
pub(crate) struct CalledRows {
    /// Which call each row is of, counted from 0; never decreasing.
    pub calls: UInt32Array,
    /// The rows, in those of the function's columns that were asked for.
    pub rows: RecordBatch,
}

/// A function whose value is a table.
pub(crate) trait TableFunction: Debug + Send + Sync {
    /// Its name, in lower case.
    fn name(&self) -> &str;

    /// The names and types of its arguments, for messages and completion.
    fn arguments(&self) -> &[(&'static str, DataType)];

    /// The columns it gives when called with `args`, whose number and types were checked against
    /// [`arguments`](Self::arguments) before.
    ///
    /// # Errors
    /// When it cannot be called with these.
    fn schema(&self, args: &[CallArgument]) -> Result<SchemaRef>;

    /// The rows of many calls at once: `args` has one array for each argument, with one value for
    /// each of the `calls`; `columns` are the positions in the schema of what is to be given, in
    /// that order. A NULL argument usually gives no rows.
    ///
    /// # Errors
    /// When the values are out of reach, or the tables it reads cannot be read.
    fn call(&self, args: &[ArrayRef], calls: usize, columns: &[usize]) -> Result<CalledRows>;
}
