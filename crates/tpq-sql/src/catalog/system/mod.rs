//! Tables about the session itself, as in SQLite, DuckDB and Perfetto: `sqlite_master`,
//! `information_schema`, `stdlib_objects`, and functions that list the columns of a table.
//!
//! Their rows are made when a statement reads them, so that a view of them is never out of date.

mod columns;
mod information_schema;
mod library;
mod master;
mod rows;
mod table_info;

use std::fmt;
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::memory::MemorySourceConfig;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{Result, internal_err};
use datafusion::datasource::provider_as_source;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::{Expr, TableSource, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::{Catalog, Relation, RelationColumn};
use crate::files::FileAccess;
use crate::functions::TableFunction;
use crate::perfetto_sql::Planner;
use crate::stack::with_room_to_plan;

pub use library::read_built_in_modules;
pub(crate) use table_info::pragma_rows;

/// The schema of the tables that describe others.
pub(super) const INFORMATION_SCHEMA: &str = "information_schema";

/// The catalog of a session, for tables and functions of the catalog itself.
#[derive(Clone)]
pub(crate) struct Directory {
    catalog: Weak<Catalog>,
    context: SessionContext,
}

impl Directory {
    pub(super) fn new(catalog: Weak<Catalog>, context: SessionContext) -> Self {
        Self { catalog, context }
    }

    /// Runs `read` on the catalog, with a planner for views that are not planned yet. Files are not
    /// opened for that.
    fn read<T>(&self, read: impl FnOnce(&Catalog, &Planner) -> T) -> Result<T> {
        let Some(catalog) = self.catalog.upgrade() else {
            return internal_err!("the catalog is read after its session");
        };
        let mut state = self.context.state();
        state.config_mut().options_mut().extensions.insert(FileAccess::default());
        Ok(with_room_to_plan(|| read(&catalog, &Planner::new(&state, &catalog))))
    }
}

impl fmt::Debug for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Directory")
    }
}

/// A table about the session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SystemTable {
    Master,
    Schemata,
    Tables,
    Columns,
    Library,
}

impl SystemTable {
    /// The table with this name, in lower case, outside of `information_schema`.
    pub(super) fn find(name: &str) -> Option<Self> {
        match name {
            "sqlite_master" | "sqlite_schema" => Some(Self::Master),
            "stdlib_objects" | "__intrinsic_stdlib_objects" => Some(Self::Library),
            _ => None,
        }
    }

    /// The table with this name, in lower case, in `information_schema`.
    pub(super) fn in_information_schema(name: &str) -> Option<Self> {
        match name {
            "schemata" => Some(Self::Schemata),
            "tables" => Some(Self::Tables),
            "columns" => Some(Self::Columns),
            _ => None,
        }
    }

    fn schema(self) -> SchemaRef {
        match self {
            Self::Master => master::schema(),
            Self::Schemata => information_schema::schemata_schema(),
            Self::Tables => information_schema::tables_schema(),
            Self::Columns => information_schema::columns_schema(),
            Self::Library => library::schema(),
        }
    }

    fn rows(self, catalog: &Catalog, planner: &Planner, threads: usize) -> Result<RecordBatch> {
        match self {
            Self::Master => master::rows(catalog),
            Self::Schemata => information_schema::schemata(),
            Self::Tables => information_schema::tables(catalog, planner),
            Self::Columns => information_schema::columns(catalog, planner),
            Self::Library => library::rows(catalog, threads),
        }
    }

    fn doc(self) -> &'static str {
        match self {
            Self::Master => "Tables and views, as SQLite lists them.",
            Self::Schemata => "Schemas: one for all tables and views, and one for these tables.",
            Self::Tables => "Tables and views.",
            Self::Columns => "Columns of all tables and views.",
            Self::Library => "Modules, and the objects that they and the prelude create.",
        }
    }

    /// The description for `.schema`.
    pub(super) fn relation(self, name: &str) -> Relation {
        let columns = RelationColumn::from_schema(&self.schema());
        Relation { name: name.to_owned(), doc: self.doc().to_owned(), columns }
    }

    /// The source that plans read from.
    pub(super) fn source(self, directory: &Directory) -> Arc<dyn TableSource> {
        let directory = directory.clone();
        provider_as_source(Arc::new(SystemProvider { table: self, directory }))
    }
}

/// The functions on tables of this family.
pub(super) fn functions(directory: &Directory) -> Vec<Arc<dyn TableFunction>> {
    table_info::functions(directory)
}

/// A table about the session, for the planner.
#[derive(Debug)]
struct SystemProvider {
    table: SystemTable,
    directory: Directory,
}

#[async_trait]
impl TableProvider for SystemProvider {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let threads = session.config().target_partitions();
        let rows =
            |catalog: &Catalog, planner: &Planner| self.table.rows(catalog, planner, threads);
        let rows = self.directory.read(rows)??;
        let schema = self.table.schema();
        let scan = MemorySourceConfig::try_new_exec(&[vec![rows]], schema, projection.cloned())?;
        Ok(scan)
    }
}
