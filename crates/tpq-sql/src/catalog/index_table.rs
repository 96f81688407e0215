//! Table functions from `CREATE VIRTUAL TABLE`: the index over the rows of a query, with its name.

use std::fmt;
use std::sync::OnceLock;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::LogicalPlan;
use futures::future::BoxFuture;

use super::materialized::{MaterializedTable, rows_of};
use crate::cancel::{self, CancelToken};
use crate::functions::{CallArgument, CalledRows, Index, IndexKind, Reserved, TableFunction};

/// An index that is built before the first call.
pub(super) struct IndexTable {
    name: String,
    kind: &'static dyn IndexKind,
    query: LogicalPlan,
    /// The columns of the query, with the types of tables.
    source: SchemaRef,
    index: OnceLock<Box<dyn Index>>,
    /// Locked while the query runs, so that the query runs only once.
    building: futures::lock::Mutex<()>,
}

impl IndexTable {
    /// An index over the rows of `query`.
    ///
    /// # Errors
    /// When the query does not have the columns that the index reads.
    pub(super) fn try_new(
        name: &str,
        kind: &'static dyn IndexKind,
        query: LogicalPlan,
    ) -> Result<Self> {
        let query = kind.source(query)?;
        let source = MaterializedTable::from_query(name, query.clone()).columns();
        let (index, building) = (OnceLock::new(), futures::lock::Mutex::new(()));
        Ok(Self { name: name.to_owned(), kind, query, source, index, building })
    }

    /// The columns that every call returns.
    ///
    /// # Errors
    /// Never, unless the kind has a bug.
    pub(super) fn columns(&self) -> Result<SchemaRef> {
        self.kind.schema(&self.source, &[])
    }

    async fn build(&self, session: &dyn Session) -> Result<()> {
        if self.index.get().is_some() {
            return Ok(());
        }
        let _building = self.building.lock().await;
        if self.index.get().is_some() {
            return Ok(());
        }
        let (rows, _reserved) = rows_of(&self.name, &self.query, session).await?;
        let config = session.config_options();
        let memory = Reserved::new(&self.name, config);
        let threads = config.execution.target_partitions;
        let built = cancel::under(CancelToken::of(config), || {
            self.kind.build(&self.source, &rows, memory, threads)
        });
        _ = self.index.set(built?);
        Ok(())
    }
}

impl fmt::Debug for IndexTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IndexTable({})", self.name)
    }
}

impl TableFunction for IndexTable {
    fn name(&self) -> &str {
        &self.name
    }

    fn arguments(&self) -> &[(&'static str, DataType)] {
        self.kind.arguments()
    }

    fn schema(&self, args: &[CallArgument]) -> Result<SchemaRef> {
        self.kind.schema(&self.source, args)
    }

    fn rows_per_call(&self) -> Option<usize> {
        self.kind.rows_per_call()
    }

    fn prepare<'a>(&'a self, session: &'a dyn Session) -> BoxFuture<'a, Result<()>> {
        Box::pin(self.build(session))
    }

    fn call(&self, args: &[ArrayRef], calls: usize, columns: &[usize]) -> Result<CalledRows> {
        match self.index.get() {
            Some(index) => index.call(args, calls, columns),
            None => internal_err!("{} is called before its index is built", self.name),
        }
    }
}
