//! Single rows of stored tables, read where they are.

use std::sync::{Arc, OnceLock};

use datafusion::arrow::array::RecordBatch;
use datafusion::common::{Result, internal_err};
use datafusion::error::DataFusionError;
use tpq_tables::{CHUNK_ROWS, Table, TraceTables};

use super::value::{Column, Value};

/// Some columns of a table.
pub(super) struct StoredRows {
    table: Arc<Table>,
    /// The positions of the columns in the table.
    columns: Vec<usize>,
}

impl StoredRows {
    /// The columns `names` of a table; `None` if the trace has no such table.
    pub(super) fn new(tables: &TraceTables, table: &str, names: &[&str]) -> Option<Self> {
        let table = Arc::clone(tables.get(table)?);
        let columns: Option<Vec<usize>> =
            names.iter().map(|name| table.decl().column_index(name)).collect();
        Some(Self { columns: columns?, table })
    }

    pub(super) fn count(&self) -> usize {
        self.table.num_rows()
    }

    /// Reads the rows from `start` to `end`, but only those in the chunk of `start`. Returns their
    /// values and their number.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub(super) fn read(&self, start: usize, end: usize) -> Result<(Vec<Column>, usize)> {
        let chunk = start / CHUNK_ROWS;
        let first = start % CHUNK_ROWS;
        let last = (first + end.saturating_sub(start)).min(self.chunk_rows(chunk));
        if first >= last {
            return internal_err!("{} has no row {start}", self.table.decl().name);
        }
        let batch: RecordBatch = self
            .table
            .read(chunk, first..last, &self.columns)
            .map_err(|error| DataFusionError::External(Box::new(error)))?;
        let columns = batch.columns().iter().map(Column::from_array);
        Ok((columns.collect::<Result<_>>()?, last - first))
    }

    fn chunk_rows(&self, chunk: usize) -> usize {
        if chunk < self.table.num_chunks() { self.table.chunk_rows(chunk) } else { 0 }
    }

    /// The values of the row with an id; `None` if there is no such row.
    ///
    /// # Errors
    /// When the table cannot be read.
    pub(super) fn row(&self, id: i64) -> Result<Option<Vec<Value<'static>>>> {
        self.table.ensure_made().map_err(|error| DataFusionError::External(Box::new(error)))?;
        let Some(row) = usize::try_from(id).ok().filter(|row| *row < self.count()) else {
            return Ok(None);
        };
        let (columns, _) = self.read(row, row + 1)?;
        Ok(Some(columns.iter().map(|column| column.value(0).into_owned()).collect()))
    }

    /// Visits all rows: the id, the columns of its chunk, and the position in them.
    ///
    /// # Errors
    /// When the table cannot be read, or when `visit` returns an error.
    pub(super) fn each(
        &self,
        mut visit: impl FnMut(usize, &[Column], usize) -> Result<()>,
    ) -> Result<()> {
        // The number of rows of a table that cannot be made is not known.
        self.table.ensure_made().map_err(|error| DataFusionError::External(Box::new(error)))?;
        let mut start = 0;
        while start < self.count() {
            let (columns, count) = self.read(start, self.count())?;
            for row in 0..count {
                visit(start + row, &columns, row)?;
            }
            start += count;
        }
        Ok(())
    }
}

/// A value that is made of the tables on first use.
pub(super) struct Lazy<T>(OnceLock<T>);

impl<T> Default for Lazy<T> {
    fn default() -> Self {
        Self(OnceLock::new())
    }
}

impl<T> Lazy<T> {
    /// Returns the value; makes it on the first call.
    ///
    /// # Errors
    /// When `make` returns an error. The next call tries again.
    pub(super) fn get(&self, make: impl FnOnce() -> Result<T>) -> Result<&T> {
        if let Some(value) = self.0.get() {
            return Ok(value);
        }
        let value = make()?;
        Ok(self.0.get_or_init(|| value))
    }
}
