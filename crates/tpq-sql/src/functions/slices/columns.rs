//! Contiguous columns of a stored table, for access by row number.

use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, UInt32Array, new_empty_array};
use datafusion::arrow::compute::{concat, take};
use datafusion::arrow::datatypes::{Int64Type, SchemaRef};
use datafusion::common::{Result, internal_err};
use datafusion::error::DataFusionError;
use tpq_tables::Table;

/// The columns of a table. Each column is loaded on first use.
pub(in crate::functions) struct StoredColumns {
    table: Arc<Table>,
    columns: Vec<OnceLock<ArrayRef>>,
}

impl StoredColumns {
    pub(in crate::functions) fn new(table: &Arc<Table>) -> Self {
        let columns = table.decl().columns.iter().map(|_| OnceLock::new()).collect();
        Self { table: Arc::clone(table), columns }
    }

    pub(in crate::functions) fn schema(&self) -> &SchemaRef {
        self.table.schema()
    }

    /// The values at `rows` of the column at a position.
    pub(in crate::functions) fn take(&self, column: usize, rows: &UInt32Array) -> Result<ArrayRef> {
        let Some(cell) = self.columns.get(column) else {
            return internal_err!("{} has no column {column}", self.table.decl().name);
        };
        let values = match cell.get() {
            Some(values) => values,
            None => {
                let values = load_column(&self.table, column)?;
                cell.get_or_init(|| values)
            }
        };
        Ok(take(values, rows, None)?)
    }
}

/// Reads a column as one array.
fn load_column(table: &Table, column: usize) -> Result<ArrayRef> {
    // The number of rows of a table that cannot be made is not known.
    table.ensure_made().map_err(|error| DataFusionError::External(Box::new(error)))?;
    let chunks = (0..table.num_chunks()).map(|chunk| {
        let batch = table.read(chunk, 0..table.chunk_rows(chunk), &[column]);
        batch
            .map(|batch| Arc::clone(batch.column(0)))
            .map_err(|error| DataFusionError::External(Box::new(error)))
    });
    let chunks = chunks.collect::<Result<Vec<_>>>()?;
    let chunks: Vec<&dyn Array> = chunks.iter().map(AsRef::as_ref).collect();
    if chunks.is_empty() {
        return Ok(new_empty_array(table.schema().field(column).data_type()));
    }
    Ok(concat(&chunks)?)
}

/// All values of the integer columns `names`, in that order; -1 stands for NULL.
pub(in crate::functions) fn integers<const N: usize>(
    table: &Table,
    names: [&str; N],
) -> Result<[Vec<i64>; N]> {
    let mut values = [const { Vec::new() }; N];
    for (name, values) in names.iter().zip(&mut values) {
        let Some(column) = table.decl().column_index(name) else {
            return internal_err!("{} has no column {name}", table.decl().name);
        };
        let column = load_column(table, column)?;
        let Some(column) = column.as_primitive_opt::<Int64Type>() else {
            return internal_err!("{name} is not a column of integers");
        };
        values.extend(column.iter().map(|value| value.unwrap_or(-1)));
    }
    Ok(values)
}
