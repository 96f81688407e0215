//! The tables, views, functions and macros that statements created.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::datasource::provider_as_source;
use datafusion::logical_expr::TableSource;

use super::definition::Definition;
use super::function::SqlFunction;
use super::materialized::MaterializedTable;
use super::relation::{Relation, RelationColumn};
use crate::errors::SqlError;
use crate::functions::TableFunction;
use crate::perfetto_sql::{Macro, Planner};

/// A table, view or virtual table that a statement created.
#[derive(Clone)]
pub(crate) enum Created {
    /// A table or view from a declaration; statements cannot change its rows.
    Declared(Arc<Definition>),
    /// A table from `CREATE TABLE`; statements can change its rows.
    Own(Arc<MaterializedTable>),
    /// A table that the program gave the session; statements only read it.
    Given(Arc<dyn TableProvider>),
}

impl Created {
    pub(super) fn source(&self, planner: &Planner) -> Result<Arc<dyn TableSource>, SqlError> {
        match self {
            Self::Declared(definition) => definition.source(planner),
            Self::Own(table) => Ok(provider_as_source(Arc::clone(table) as _)),
            Self::Given(table) => Ok(provider_as_source(Arc::clone(table))),
        }
    }

    /// Whether this is the same object, of which the rows may be others.
    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Declared(one), Self::Declared(other)) => Arc::ptr_eq(one, other),
            (Self::Own(one), Self::Own(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// The columns as they are written, where that is known.
    pub(crate) fn written_columns(&self) -> Option<Vec<String>> {
        match self {
            Self::Declared(definition) => definition.written_columns(),
            Self::Own(_) | Self::Given(_) => None,
        }
    }

    /// Whether the rows are kept, so that they have numbers.
    pub(crate) fn has_numbers(&self) -> bool {
        match self {
            Self::Declared(definition) => definition.is_table(),
            Self::Own(_) => true,
            Self::Given(_) => false,
        }
    }

    /// The source with the column `_auto_id`; `None` for views.
    pub(super) fn numbered(
        &self,
        planner: &Planner,
    ) -> Result<Option<Arc<dyn TableSource>>, SqlError> {
        let table = match self {
            Self::Declared(definition) => definition.numbered(planner)?,
            Self::Own(table) => Some(Arc::new(MaterializedTable::numbered(Arc::clone(table)))),
            Self::Given(_) => None,
        };
        Ok(table.map(|table| provider_as_source(table)))
    }

    /// The table function that this is; `None` for tables and views.
    pub(super) fn function(
        &self,
        planner: &Planner,
    ) -> Result<Option<Arc<dyn TableFunction>>, SqlError> {
        match self {
            Self::Declared(definition) => definition.function(planner),
            Self::Own(_) | Self::Given(_) => Ok(None),
        }
    }

    pub(super) fn relation(&self, name: &str, planner: &Planner) -> Result<Relation, SqlError> {
        match self {
            Self::Declared(definition) => definition.planned_relation(planner),
            Self::Own(_) | Self::Given(_) => {
                let schema = self.source(planner)?.schema();
                let columns = RelationColumn::from_schema(&schema);
                Ok(Relation { name: name.to_owned(), doc: String::new(), columns })
            }
        }
    }
}

/// The objects that statements created, by names in lower case.
#[derive(Default)]
pub(crate) struct Objects {
    relations: BTreeMap<String, Created>,
    functions: BTreeMap<String, Arc<SqlFunction>>,
    macros: BTreeMap<String, Arc<Macro>>,
    /// The modules that were included.
    included: HashSet<String>,
    /// The relations that are attached files.
    attached: HashSet<String>,
    /// How often a relation or a function was replaced or dropped.
    changes: u64,
}

impl Objects {
    pub(crate) fn relation(&self, name: &str) -> Option<Created> {
        self.relations.get(name).cloned()
    }

    /// How often a name got another meaning: plans that were made before may read what is gone.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    fn note_change(&mut self, is_change: bool) {
        self.changes += u64::from(is_change);
    }

    pub(super) fn relation_names(&self) -> BTreeSet<String> {
        self.relations.keys().cloned().collect()
    }

    pub(crate) fn function(&self, name: &str) -> Option<Arc<SqlFunction>> {
        self.functions.get(name).cloned()
    }

    /// All functions, in alphabetical order.
    pub(crate) fn functions(&self) -> Vec<Arc<SqlFunction>> {
        self.functions.values().cloned().collect()
    }

    pub(super) fn function_names(&self) -> Vec<String> {
        self.functions.keys().cloned().collect()
    }

    /// Restores a function after its replacement failed.
    pub(crate) fn restore_function(&mut self, function: Arc<SqlFunction>) {
        self.functions.insert(function.name().to_owned(), function);
        self.note_change(true);
    }

    pub(crate) fn has_macro(&self, name: &str) -> bool {
        self.macros.contains_key(name)
    }

    pub(super) fn find_macro(&self, name: &str) -> Option<Arc<Macro>> {
        self.macros.get(name).cloned()
    }

    pub(super) fn macro_names(&self) -> Vec<String> {
        self.macros.keys().cloned().collect()
    }

    /// Marks a module as included; returns whether it was not included before.
    pub(crate) fn include(&mut self, module: &str) -> bool {
        self.included.insert(module.to_owned())
    }

    /// Marks a module as not included, after including it failed.
    pub(crate) fn forget(&mut self, module: &str) {
        self.included.remove(module);
    }

    /// The modules that were included, in alphabetical order.
    pub(crate) fn included(&self) -> BTreeSet<String> {
        self.included.iter().cloned().collect()
    }

    /// Adds a relation. `is_built_in` states that another one has the name where no statement gave
    /// it to any.
    pub(super) fn add_relation(&mut self, name: &str, relation: Created, is_built_in: bool) {
        self.attached.remove(name);
        let before = self.relations.insert(name.to_owned(), relation.clone());
        self.note_change(match before {
            Some(before) => !before.is_same(&relation),
            None => is_built_in,
        });
    }

    /// The same for a function.
    pub(super) fn add_function(&mut self, function: SqlFunction, is_built_in: bool) {
        let before = self.functions.insert(function.name().to_owned(), Arc::new(function));
        self.note_change(before.is_some() || is_built_in);
    }

    pub(crate) fn add_macro(&mut self, made: Macro) {
        self.macros.insert(made.declaration.creation.name.text.clone(), Arc::new(made));
    }

    /// Marks a relation as an attached file.
    pub(crate) fn attach(&mut self, name: &str) {
        self.attached.insert(name.to_owned());
    }

    /// Drops an attached file; returns whether there was one with this name.
    pub(crate) fn detach(&mut self, name: &str) -> bool {
        self.attached.contains(name) && self.drop_relation(name)
    }

    /// Drops a table or view; returns whether there was one with this name.
    pub(crate) fn drop_relation(&mut self, name: &str) -> bool {
        self.attached.remove(name);
        let found = self.relations.remove(name).is_some();
        self.note_change(found);
        found
    }

    /// Drops a function; returns whether there was one with this name.
    pub(crate) fn drop_function(&mut self, name: &str) -> bool {
        let found = self.functions.remove(name).is_some();
        self.note_change(found);
        found
    }

    /// Drops a macro; returns whether there was one with this name.
    pub(crate) fn drop_macro(&mut self, name: &str) -> bool {
        self.macros.remove(name).is_some()
    }
}
