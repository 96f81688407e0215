//! The numbers of rows of tables, as far as they are known without reading any.

use datafusion::datasource::empty::EmptyTable;
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::TableScan;

use crate::catalog::MaterializedTable;
use crate::scan::StoredProvider;

/// The number of rows of the table that a scan reads; `None` if the table is of another kind, was
/// left out, or has a query that did not run yet.
pub(crate) fn rows_of_table(scan: &TableScan) -> Option<usize> {
    let table = source_as_provider(&scan.source).ok()?;
    if let Some(StoredProvider(stored)) = table.downcast_ref::<StoredProvider>() {
        return stored.known_rows();
    }
    if table.is::<EmptyTable>() {
        return Some(0);
    }
    table.downcast_ref::<MaterializedTable>()?.rows_now()
}
