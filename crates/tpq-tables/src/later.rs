//! Tables with rows that are loaded when they are first read: those of a trace that is stored
//! elsewhere, with a reader of its own.

use std::error::Error;
use std::sync::{Arc, OnceLock};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};

use crate::column::ColumnBuilder;
use crate::finished::{Columns, StoredColumn, Table};
use crate::{ColumnDecl, ColumnKind, StringId, StringPool, TableDecl, Tables, TraceTables};

/// Loads the rows of tables.
pub trait TableLoader: Send + Sync {
    /// All rows of a table in the order of their ids. Columns are found by their names and have the
    /// types that SQL sees; one that is missing is NULL. Called once for each table, on the thread
    /// that reads it first.
    ///
    /// # Errors
    /// When the rows cannot be loaded.
    fn load(&self, table: &'static TableDecl) -> Result<Vec<RecordBatch>, LoadError>;
}

/// Why rows cannot be loaded, with its causes.
pub type LoadError = Box<dyn Error + Send + Sync>;

/// Columns that are loaded when they are first read.
pub(crate) struct Later {
    loader: Arc<dyn TableLoader>,
    loaded: OnceLock<Result<Columns, Arc<dyn Error + Send + Sync>>>,
}

impl Later {
    fn new(loader: &Arc<dyn TableLoader>) -> Self {
        Self { loader: Arc::clone(loader), loaded: OnceLock::new() }
    }

    /// The columns of a table that has `rows` rows.
    pub(crate) fn columns(
        &self,
        table: &'static TableDecl,
        rows: usize,
    ) -> Result<&Columns, &Arc<dyn Error + Send + Sync>> {
        let load = || -> Result<Columns, LoadError> {
            Ok(columns_of(table, rows, &self.loader.load(table)?)?)
        };
        self.loaded.get_or_init(|| load().map_err(Arc::from)).as_ref()
    }
}

impl TraceTables {
    /// Tables that `loader` loads when they are first read. `rows` gives the number of rows of a
    /// table by its name.
    pub fn loaded_by(loader: &Arc<dyn TableLoader>, rows: impl Fn(&str) -> usize) -> Self {
        let table = |decl: &&'static TableDecl| {
            Arc::new(Table::later(decl, rows(decl.name), Later::new(loader)))
        };
        let strings = Arc::new(StringPool::default().finish());
        Self::new(Tables::DECLS.iter().map(table).collect(), strings)
    }
}

fn columns_of(decl: &TableDecl, rows: usize, batches: &[RecordBatch]) -> Result<Columns, String> {
    let found: usize = batches.iter().map(RecordBatch::num_rows).sum();
    if found != rows {
        return Err(format!("there are {found} rows, and not {rows}"));
    }
    let mut strings = StringPool::default();
    let column = |column: &ColumnDecl| column_of(column, batches, &mut strings);
    let columns = decl.columns.iter().skip(1).map(column).collect::<Result<_, _>>()?;
    Ok(Columns { columns, strings: Arc::new(strings.finish()) })
}

fn column_of(
    decl: &ColumnDecl,
    batches: &[RecordBatch],
    strings: &mut StringPool,
) -> Result<StoredColumn, String> {
    let null =
        |batch: &RecordBatch| arrow_array::new_null_array(&decl.kind.sql_type(), batch.num_rows());
    let array = |batch: &RecordBatch| match batch.column_by_name(decl.name) {
        Some(array) if *array.data_type() == decl.kind.sql_type() => Ok(Arc::clone(array)),
        Some(array) => Err(format!("column {} is of type {}", decl.name, array.data_type())),
        None => Ok(null(batch)),
    };
    let arrays: Vec<ArrayRef> = batches.iter().map(array).collect::<Result<_, _>>()?;
    Ok(match decl.kind {
        ColumnKind::String => {
            let mut builder = ColumnBuilder::<StringId>::default();
            for array in &arrays {
                let texts = array.as_string_view().iter();
                let ids =
                    texts.map(|text| text.map_or(StringId::NULL, |text| strings.intern(text)));
                ids.for_each(|id| builder.push(id));
            }
            builder.finish()
        }
        ColumnKind::Double => {
            let mut builder = ColumnBuilder::<Option<f64>>::default();
            let values = arrays.iter().flat_map(|array| array.as_primitive::<Float64Type>());
            values.for_each(|value| builder.push(value));
            builder.finish()
        }
        _ => {
            let mut builder = ColumnBuilder::<Option<i64>>::default();
            let values = arrays.iter().flat_map(|array| array.as_primitive::<Int64Type>());
            values.for_each(|value| builder.push(value));
            builder.finish()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::SliceRow;

    /// Gives the rows of other tables, a few at a time.
    struct Copying(TraceTables);

    impl TableLoader for Copying {
        fn load(&self, decl: &'static TableDecl) -> Result<Vec<RecordBatch>, LoadError> {
            if decl.name == "thread" {
                return Err("the network is down".into());
            }
            let table = self.0.get(decl.name).ok_or("no table")?;
            let all: Vec<usize> = (0..decl.columns.len()).collect();
            let part = |from: usize| {
                let to = (from + 2).min(table.num_rows());
                Ok(table.read(0, from..to, &all)?)
            };
            (0..table.num_rows()).step_by(2).map(part).collect()
        }
    }

    fn tables() -> TraceTables {
        let mut tables = Tables::default();
        let names = ["a", "b", "a"].map(|name| tables.strings.intern(name));
        for (row, name) in names.into_iter().enumerate() {
            tables.slice.push(SliceRow { ts: row as i64 * 10, name, ..SliceRow::default() });
        }
        tables.finish()
    }

    #[test]
    fn rows_that_are_loaded_are_those_of_the_table() {
        let own = tables();
        let loader: Arc<dyn TableLoader> = Arc::new(Copying(tables()));
        let later =
            TraceTables::loaded_by(&loader, |name| own.get(name).map_or(0, |it| it.num_rows()));
        let (own, later) = (own.get("slice").unwrap(), later.get("slice").unwrap());
        let all: Vec<usize> = (0..own.decl().columns.len()).collect();
        assert_eq!(own.read(0, 0..3, &all).unwrap(), later.read(0, 0..3, &all).unwrap());
        let ts = own.decl().column_index("ts").unwrap();
        assert_eq!(own.chunk_range(0, ts), later.chunk_range(0, ts));
        assert!(later.is_sorted_by(ts));
        let name = own.decl().column_index("name").unwrap();
        assert_eq!(later.string_ids(0, 0..3, name).unwrap(), [1, 2, 1]);
    }

    #[test]
    fn rows_that_cannot_be_loaded_are_an_error() {
        let loader: Arc<dyn TableLoader> = Arc::new(Copying(tables()));
        let later = TraceTables::loaded_by(&loader, |_| 1);
        let thread = later.get("thread").unwrap();
        let error = thread.read(0, 0..1, &[1]).unwrap_err().to_string();
        assert_eq!(error, "table thread: cannot load its rows: the network is down");
        // A number of rows that differs is not believed.
        let error = later.get("slice").unwrap().read(0, 0..1, &[1]).unwrap_err().to_string();
        assert!(error.ends_with("there are 3 rows, and not 1"), "{error}");
    }
}
