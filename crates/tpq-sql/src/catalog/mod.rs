//! The catalog: resolves names to tables, views, functions and macros.
//!
//! A name is looked up first among the objects that statements created, then among the prelude's
//! views, then among the stored tables. So a view can extend the stored table that has the same
//! name. `__stored_NAME` is always the stored table.

mod definition;
mod function;
mod index_table;
mod kept_plan;
mod materialized;
mod objects;
mod relation;
mod system;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};

use datafusion::catalog::TableProvider;
use datafusion::common::Result;
use datafusion::datasource::provider_as_source;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SessionContext;
use datafusion::logical_expr::TableSource;
use tpq_tables::TraceTables;

pub(crate) use definition::{Definition, converted, convertible, type_name};
pub(crate) use function::SqlFunction;
pub(crate) use materialized::{AUTO_ID, MaterializedTable};
pub(crate) use objects::{Created, Objects};
pub use relation::{Relation, RelationColumn};
pub(crate) use system::pragma_rows;
pub use system::read_built_in_modules;
use system::{Directory, INFORMATION_SCHEMA, SystemTable};

use crate::errors::{NoSuchTable, SqlError};
use crate::functions::{self, TableFunction};
use crate::modules::{Modules, SqlModule};
use crate::perfetto_sql::{Macro, Macros, Planner};
use crate::scan::{StoredProvider, StoredTable};
use crate::views::{Prelude, UnfilledTable};

/// Prefix that distinguishes a stored table from a view of the same name.
pub(crate) const STORED: &str = "__stored_";

/// Prefix of a table that a statement created, with the column `_auto_id`.
pub(crate) const NUMBERED: &str = "__numbered_";

/// Prefix of the stored tables in Perfetto's trace processor.
pub(crate) const INTRINSIC: &str = "__intrinsic_";

/// The tables of a schema, by name.
type SchemaTables = BTreeMap<String, Arc<dyn TableSource>>;

/// Everything that a statement can name.
pub(crate) struct Catalog {
    stored: BTreeMap<String, Arc<dyn TableSource>>,
    /// The tables of further schemas, by the names of schemas.
    schemas: RwLock<BTreeMap<String, SchemaTables>>,
    tables: Arc<TraceTables>,
    prelude: Prelude,
    functions: BTreeMap<String, Arc<dyn TableFunction>>,
    modules: RwLock<Arc<Modules>>,
    /// The kinds of packets in the trace.
    packets: Vec<String>,
    objects: RwLock<Objects>,
    /// The way to this catalog for tables about it.
    directory: Directory,
}

impl Catalog {
    /// The catalog of the session with this context.
    pub(crate) fn new(
        tables: Arc<TraceTables>,
        scans: HashMap<String, Arc<dyn TableProvider>>,
        modules: Modules,
        packets: Vec<String>,
        context: SessionContext,
    ) -> Arc<Self> {
        Arc::new_cyclic(|own: &Weak<Self>| {
            let directory = Directory::new(Weak::clone(own), context);
            Self::with_directory(tables, scans, modules, packets, directory)
        })
    }

    fn with_directory(
        tables: Arc<TraceTables>,
        mut scans: HashMap<String, Arc<dyn TableProvider>>,
        modules: Modules,
        packets: Vec<String>,
        directory: Directory,
    ) -> Self {
        let source = |table: &Arc<tpq_tables::Table>| {
            let name = table.decl().name.to_owned();
            let own = || {
                let stored = Arc::new(StoredTable::new(Arc::clone(table) as _));
                Arc::new(StoredProvider(stored)) as Arc<dyn TableProvider>
            };
            let provider = scans.remove(&name).unwrap_or_else(own);
            (name, provider_as_source(provider))
        };
        let stored = tables.iter().map(source).collect();
        let functions = functions::table(&tables).into_iter().chain(system::functions(&directory));
        let functions = functions.map(|function| (function.name().to_owned(), function)).collect();
        let (prelude, objects) = (Prelude::default(), RwLock::default());
        let modules = RwLock::new(Arc::new(modules));
        let schemas = RwLock::default();
        Self { stored, schemas, tables, prelude, functions, modules, packets, objects, directory }
    }

    /// Adds the tables of a schema, in place of those that it had.
    pub(crate) fn add_schema(&self, name: &str, tables: HashMap<String, Arc<dyn TableProvider>>) {
        let tables = tables
            .into_iter()
            .map(|(name, table)| (name.to_lowercase(), provider_as_source(table)))
            .collect();
        let mut schemas = self.schemas.write().unwrap_or_else(PoisonError::into_inner);
        schemas.insert(name.to_lowercase(), tables);
    }

    /// The table of an added schema; `None` if there is no such schema.
    fn source_in_added(&self, schema: &str, name: &str) -> Option<Result<Arc<dyn TableSource>>> {
        let schemas = self.schemas.read().unwrap_or_else(PoisonError::into_inner);
        let tables = schemas.get(&schema.to_lowercase())?;
        let table = tables.get(&name.to_lowercase()).cloned();
        Some(table.ok_or_else(|| as_external(NoSuchTable(format!("{schema}.{name}")))))
    }

    /// The objects that statements created.
    pub(crate) fn objects(&self) -> RwLockReadGuard<'_, Objects> {
        self.objects.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The objects that statements created, for changes. Do not hold the guard while planning:
    /// planning reads the objects.
    pub(crate) fn objects_mut(&self) -> RwLockWriteGuard<'_, Objects> {
        self.objects.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a table or view that a statement created. One with the name of a built-in table or view
    /// is read in its place.
    pub(crate) fn add_relation(&self, name: &str, relation: Created) {
        let is_built_in = self.is_built_in(name)
            || SystemTable::find(name).is_some()
            || UnfilledTable::find(name).is_some()
            || name.strip_prefix(INTRINSIC).is_some_and(|name| self.stored.contains_key(name));
        self.objects_mut().add_relation(name, relation, is_built_in);
    }

    /// Adds a function that a statement created. `is_built_in` states whether another function has
    /// the name, which is called no more.
    pub(crate) fn add_function(&self, function: SqlFunction, is_built_in: bool) {
        let is_built_in = is_built_in || self.functions.contains_key(function.name());
        self.objects_mut().add_function(function, is_built_in);
    }

    /// The modules that a statement can include.
    pub(crate) fn modules(&self) -> Arc<Modules> {
        Arc::clone(&self.modules.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds modules. One of the same name is replaced, and its next INCLUDE runs it again.
    pub(crate) fn add_modules(&self, modules: &[SqlModule]) {
        let mut current = self.modules.write().unwrap_or_else(PoisonError::into_inner);
        *current = Arc::new(current.with(modules));
        drop(current);
        let mut objects = self.objects_mut();
        modules.iter().for_each(|module| objects.forget(&module.name));
    }

    /// Drops everything that statements created.
    pub(crate) fn drop_created(&self) {
        // Tables are freed after the guard is.
        let created = std::mem::take(&mut *self.objects_mut());
        drop(created);
    }

    /// The names of all tables and views, in alphabetical order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: BTreeSet<String> = self.objects().relation_names();
        names.extend(Prelude::names().map(str::to_owned));
        names.extend(self.stored.keys().cloned());
        names.into_iter().collect()
    }

    /// The names of all functions that statements created, and of all table functions.
    pub(crate) fn function_names(&self) -> Vec<String> {
        let created = self.objects().function_names();
        created.into_iter().chain(self.functions.keys().cloned()).collect()
    }

    /// Returns the table or view that a name refers to in a statement.
    pub(crate) fn source(&self, name: &str, planner: &Planner) -> Result<Arc<dyn TableSource>> {
        let name = name.to_lowercase();
        if let Some(stored) = name.strip_prefix(STORED) {
            return self.stored(stored).ok_or_else(|| as_external(NoSuchTable(name.clone())));
        }
        if let Some(numbered) = name.strip_prefix(NUMBERED) {
            let created = self.objects().relation(numbered);
            let source = created.map(|created| created.numbered(planner)).transpose();
            return match source.map_err(as_external)?.flatten() {
                Some(source) => Ok(source),
                None => Err(as_external(NoSuchTable(name.clone()))),
            };
        }
        let created = self.objects().relation(&name);
        if let Some(created) = created {
            return created.source(planner).map_err(as_external);
        }
        if let Some(view) = self.prelude.view(&name).map_err(as_external)? {
            return view.source_once(planner).map_err(as_external);
        }
        let intrinsic = || self.stored(name.strip_prefix(INTRINSIC)?);
        if let Some(source) = self.stored(&name).or_else(intrinsic) {
            return Ok(source);
        }
        if let Some(table) = SystemTable::find(&name) {
            return Ok(table.source(&self.directory));
        }
        match UnfilledTable::find(&name) {
            Some(table) => table.source(&self.packets).map_err(as_external),
            None => Err(as_external(NoSuchTable(name.clone()))),
        }
    }

    /// The same for a name after a schema, which is ignored unless it is `information_schema` or
    /// was added.
    pub(crate) fn source_in(
        &self,
        schema: &str,
        name: &str,
        planner: &Planner,
    ) -> Result<Arc<dyn TableSource>> {
        if let Some(found) = self.source_in_added(schema, name) {
            return found;
        }
        if !schema.eq_ignore_ascii_case(INFORMATION_SCHEMA) {
            return self.source(name, planner);
        }
        match SystemTable::in_information_schema(&name.to_lowercase()) {
            Some(table) => Ok(table.source(&self.directory)),
            None => Err(as_external(NoSuchTable(format!("{INFORMATION_SCHEMA}.{name}")))),
        }
    }

    fn stored(&self, name: &str) -> Option<Arc<dyn TableSource>> {
        self.stored.get(name).cloned()
    }

    /// Whether a stored table or a view of the prelude has this name, in lower case.
    pub(crate) fn is_built_in(&self, name: &str) -> bool {
        self.stored.contains_key(name) || Prelude::names().any(|view| view == name)
    }

    /// The table function that `CREATE VIRTUAL TABLE` created with this name, in lower case.
    pub(crate) fn virtual_function(
        &self,
        name: &str,
        planner: &Planner,
    ) -> Result<Option<Arc<dyn TableFunction>>> {
        let created = self.objects().relation(name);
        created.map_or(Ok(None), |created| created.function(planner)).map_err(as_external)
    }

    /// The table function with this name, in lower case.
    pub(crate) fn table_function(&self, name: &str) -> Option<&Arc<dyn TableFunction>> {
        self.functions.get(name)
    }

    /// The built-in table functions, in alphabetical order.
    pub(crate) fn table_functions(&self) -> impl Iterator<Item = &Arc<dyn TableFunction>> {
        self.functions.values()
    }

    /// Describes a table or view; `None` if there is none with this name.
    pub(crate) fn relation(
        &self,
        name: &str,
        planner: &Planner,
    ) -> Result<Option<Relation>, SqlError> {
        let name = name.to_lowercase();
        let created = self.objects().relation(&name);
        if let Some(created) = created {
            return created.relation(&name, planner).map(Some);
        }
        if let Some(view) = self.prelude.view(&name)? {
            return Ok(Some(view.relation()));
        }
        let Some(table) = self.tables.get(&name) else {
            let system = SystemTable::find(&name).map(|table| table.relation(&name));
            return Ok(system.or_else(|| UnfilledTable::find(&name).map(|table| table.relation())));
        };
        let column = |column: &tpq_tables::ColumnDecl| RelationColumn {
            name: column.name.to_owned(),
            kind: column.kind.label(),
            doc: tidy(column.doc),
        };
        let decl = table.decl();
        let columns = decl.columns.iter().map(column).collect();
        Ok(Some(Relation { name, doc: tidy(decl.doc), columns }))
    }
}

impl Macros for Catalog {
    fn find(&self, name: &str) -> Option<Arc<Macro>> {
        let created = self.objects().find_macro(name);
        let has_name = |found: &&Arc<Macro>| found.declaration.creation.name.text == name;
        created.or_else(|| self.prelude.macros().iter().find(has_name).cloned())
    }

    fn names(&self) -> Vec<String> {
        let prelude = self.prelude.macros().iter();
        let prelude = prelude.map(|it| it.declaration.creation.name.text.clone());
        prelude.chain(self.objects().macro_names()).collect()
    }

    fn module_of(&self, name: &str) -> Option<String> {
        self.modules().module_of(name)
    }
}

/// Removes the blanks at the ends of each line of a doc comment.
fn tidy(doc: &str) -> String {
    doc.lines().map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn as_external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
