//! Virtual tables that answer calls from an index over the rows of a query.
//!
//! `CREATE VIRTUAL TABLE x USING kind((query))` runs the query and builds the index of its kind
//! once. `FROM x(…)` then answers each call from the index.

use std::fmt::Debug;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, RecordBatchOptions,
};
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, SchemaRef};
use datafusion::common::{Column, DFSchema, Result, exec_err, internal_err, plan_err};
use datafusion::logical_expr::{Expr, ExprSchemable, LogicalPlan};

use super::flamegraph::FlamegraphKind;
use super::mipmap::{CounterMipmapKind, SliceMipmapKind};
use super::reserved::Reserved;
use super::table_function::{CallArgument, CalledRows};

/// The kinds of indexes.
const KINDS: [&dyn IndexKind; 3] = [&SliceMipmapKind, &CounterMipmapKind, &FlamegraphKind];

/// The kinds of indexes that a statement can create.
pub(crate) fn index_kinds() -> impl Iterator<Item = &'static dyn IndexKind> {
    KINDS.into_iter()
}

/// A kind of index.
pub(crate) trait IndexKind: Debug + Send + Sync {
    /// The name after USING, in lower case.
    fn name(&self) -> &'static str;

    /// The names and types of the arguments of calls.
    fn arguments(&self) -> &'static [(&'static str, DataType)];

    /// Returns `query` with the columns that the index reads.
    ///
    /// # Errors
    /// When the query does not have these columns.
    fn source(&self, query: LogicalPlan) -> Result<LogicalPlan>;

    /// The columns that a call with `args` returns, for an index over rows with the columns of
    /// `source`. Without `args`, the columns of every call.
    ///
    /// # Errors
    /// When the index cannot be called with these arguments.
    fn schema(&self, source: &SchemaRef, args: &[CallArgument]) -> Result<SchemaRef>;

    /// About how many rows a call returns, if that is known.
    fn rows_per_call(&self) -> Option<usize> {
        None
    }

    /// Builds the index over `rows`, which have the columns of `source`, on up to `threads` threads.
    ///
    /// # Errors
    /// When the rows are invalid, or the session does not have the memory.
    fn build(
        &self,
        source: &SchemaRef,
        rows: &[RecordBatch],
        memory: Reserved,
        threads: usize,
    ) -> Result<Box<dyn Index>>;
}

/// An index over the rows of a query.
pub(crate) trait Index: Debug + Send + Sync {
    /// Evaluates many calls at once, as
    /// [`TableFunction::call`](super::TableFunction::call) does.
    ///
    /// # Errors
    /// When an argument is invalid.
    fn call(&self, args: &[ArrayRef], calls: usize, columns: &[usize]) -> Result<CalledRows>;
}

/// The result of calls: those of `all` columns that are at the positions in `columns`.
pub(super) fn called_rows(
    calls: Vec<u32>,
    schema: &SchemaRef,
    all: &[ArrayRef],
    columns: &[usize],
) -> Result<CalledRows> {
    let schema = Arc::new(schema.project(columns)?);
    let wanted = columns.iter().filter_map(|&column| all.get(column).cloned()).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(calls.len()));
    let rows = RecordBatch::try_new_with_options(schema, wanted, &options)?;
    Ok(CalledRows { calls: calls.into(), rows })
}

/// The column with this name of a query.
///
/// # Errors
/// When the query has no such column.
pub(super) fn named_column(kind: &str, name: &str, schema: &DFSchema) -> Result<Column> {
    match schema.columns().into_iter().find(|column| column.name == name) {
        Some(column) => Ok(column),
        None => plan_err!("{kind}: the query has no column called {name}"),
    }
}

/// A column as numbers of a type, under `name`.
///
/// # Errors
/// When the column does not hold numbers.
pub(super) fn numeric(
    kind: &str,
    column: Column,
    name: &str,
    data_type: &DataType,
    schema: &DFSchema,
) -> Result<Expr> {
    let column = Expr::Column(column);
    let found = column.get_type(schema)?;
    if !(found.is_numeric() || matches!(found, DataType::Null | DataType::Boolean)) {
        return plan_err!("{kind}: {name} must be a number");
    }
    Ok(column.cast_to(data_type, schema)?.alias(name))
}

/// The number of rows, which indexes number with 32 bits.
///
/// # Errors
/// When there are more.
pub(super) fn count_rows(kind: &str, rows: &[RecordBatch]) -> Result<usize> {
    let count = rows.iter().map(RecordBatch::num_rows).sum();
    match u32::try_from(count) {
        Ok(number) if number < u32::MAX => Ok(count),
        _ => exec_err!("{kind}: the query gives more than {} rows", u32::MAX - 1),
    }
}

/// The integers of a column; 0 stands for NULL, as in SQLite's interface for columns.
pub(super) fn integers(rows: &[RecordBatch], column: usize) -> Result<Vec<i64>> {
    let mut values = Vec::with_capacity(rows.iter().map(RecordBatch::num_rows).sum());
    for batch in rows {
        let found = batch.columns().get(column);
        let Some(found) = found.and_then(|column| column.as_primitive_opt::<Int64Type>()) else {
            return internal_err!("column {column} does not hold integers");
        };
        let found: &Int64Array = found;
        match found.null_count() {
            0 => values.extend_from_slice(found.values()),
            _ => values.extend(found.iter().map(Option::unwrap_or_default)),
        }
    }
    Ok(values)
}

/// The reals of a column; 0 stands for NULL.
pub(super) fn reals(rows: &[RecordBatch], column: usize) -> Result<Vec<f64>> {
    let mut values = Vec::with_capacity(rows.iter().map(RecordBatch::num_rows).sum());
    for batch in rows {
        let found = batch.columns().get(column);
        let Some(found) = found.and_then(|column| column.as_primitive_opt::<Float64Type>()) else {
            return internal_err!("column {column} does not hold reals");
        };
        let found: &Float64Array = found;
        values.extend(found.iter().map(Option::unwrap_or_default));
    }
    Ok(values)
}
