//! Which name stands for what.
//!
//! A name is first looked for among the views, then among the stored tables, so that a view can
//! extend the stored table of its own name; `__stored_NAME` is always the stored table.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::datasource::{ViewTable, provider_as_source};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::TableSource;
use tpq_tables::TraceTables;

use crate::errors::{NoSuchTable, SqlError};
use crate::functions::{self, TableFunction};
use crate::perfetto_sql::Planner;
use crate::scan::{StoredProvider, StoredTable};
use crate::views::{Prelude, View};

/// Before the name of a stored table, tells it from a view of the same name.
const STORED: &str = "__stored_";

/// A table or view, as `.schema` shows it.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its name.
    pub name: String,
    /// What a row is.
    pub doc: String,
    /// The columns, in order.
    pub columns: Vec<RelationColumn>,
}

/// A column of a [`Relation`].
#[derive(Clone, Debug)]
pub struct RelationColumn {
    /// Its name.
    pub name: String,
    /// What it holds: `TIMESTAMP`, `JOINID(thread.id)`, `STRING`…
    pub kind: String,
    /// What it means.
    pub doc: String,
}

/// Everything a statement can select from.
pub(crate) struct Catalog {
    stored: BTreeMap<String, Arc<dyn TableSource>>,
    tables: Arc<TraceTables>,
    prelude: Prelude,
    functions: BTreeMap<String, Arc<dyn TableFunction>>,
}

impl Catalog {
    pub(crate) fn new(tables: Arc<TraceTables>) -> Self {
        let source = |table: &Arc<tpq_tables::Table>| {
            let stored = Arc::new(StoredTable::new(Arc::clone(table)));
            (table.decl().name.to_owned(), provider_as_source(Arc::new(StoredProvider(stored))))
        };
        let stored = tables.iter().map(source).collect();
        let functions = functions::table(&tables).into_iter();
        let functions = functions.map(|function| (function.name().to_owned(), function)).collect();
        Self { stored, tables, prelude: Prelude::default(), functions }
    }

    /// The names of all tables and views, in alphabetical order.
    pub(crate) fn names(&self) -> Vec<String> {
        let views = Prelude::names().map(str::to_owned);
        let mut names: Vec<String> = self.stored.keys().cloned().chain(views).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// What a name stands for in a statement.
    pub(crate) fn source(&self, name: &str, planner: &Planner) -> Result<Arc<dyn TableSource>> {
        let name = name.to_lowercase();
        let stored = match name.strip_prefix(STORED) {
            Some(stored) => self.stored.get(stored),
            None => match self.prelude.view(&name).map_err(as_external)? {
                Some(view) => return view_source(view, planner),
                None => self.stored.get(&name),
            },
        };
        stored.cloned().ok_or_else(|| as_external(NoSuchTable(name)))
    }

    /// The table function of that name, in lower case.
    pub(crate) fn table_function(&self, name: &str) -> Option<&Arc<dyn TableFunction>> {
        self.functions.get(name)
    }

    /// What is known of a table or view.
    pub(crate) fn relation(&self, name: &str) -> Result<Option<Relation>, SqlError> {
        let name = name.to_lowercase();
        if let Some(view) = self.prelude.view(&name)? {
            let column = |column: &crate::views::ViewColumn| RelationColumn {
                name: column.name.clone(),
                kind: column.kind.clone(),
                doc: column.doc.clone(),
            };
            let columns = view.columns.iter().map(column).collect();
            return Ok(Some(Relation { name, doc: view.doc.clone(), columns }));
        }
        let Some(table) = self.tables.get(&name) else { return Ok(None) };
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

/// Doc comments as text: without the blank before each line.
fn tidy(doc: &str) -> String {
    doc.lines().map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn as_external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// The plan of a view, made when it is first used; DataFusion puts it in place of the name.
fn view_source(view: &View, planner: &Planner) -> Result<Arc<dyn TableSource>> {
    if let Some(source) = view.source.get() {
        return Ok(Arc::clone(source));
    }
    let planned = planner.plan(&view.query).map_err(as_external)?;
    let table = ViewTable::new(planned.plan, Some(view.query.text().to_owned()));
    Ok(Arc::clone(view.source.get_or_init(|| provider_as_source(Arc::new(table)))))
}
