//! The tables and views of the trace, as the catalogs of database protocols describe them.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use datafusion::arrow::datatypes::{Schema, SchemaRef};
use tpq_sql::{CancelToken, ParameterValues};

use crate::loader::LoadedTrace;

/// The name that clients know as the database, and that of the schema with all tables.
pub(crate) const DATABASE: &str = "tpq";
pub(crate) const SCHEMA: &str = "public";
/// Prefix of names that are not for users.
const INTERNAL_PREFIX: &str = "__";

/// What there is to select from.
pub(crate) struct Relations {
    /// Replaced when another trace is loaded; catalogs do not keep it.
    trace: Weak<dyn LoadedTrace>,
    /// The views that every trace has.
    views: HashSet<String>,
    /// The columns of what the trace has from the start. Statements change only what statements
    /// created.
    columns: Mutex<HashMap<String, SchemaRef>>,
}

impl Relations {
    fn new(trace: &Arc<dyn LoadedTrace>) -> Self {
        let views = trace.session().built_in_views().into_iter().collect();
        Self { trace: Arc::downgrade(trace), views, columns: Mutex::default() }
    }

    /// Those of a trace that has gone.
    #[cfg(test)]
    pub(crate) fn of_nothing() -> Self {
        struct Gone;
        impl LoadedTrace for Gone {
            fn session(&self) -> &tpq_sql::Session {
                unreachable!("no value of this type exists")
            }

            fn table_names(&self) -> Vec<String> {
                Vec::new()
            }

            fn name(&self) -> &str {
                ""
            }
        }
        Self { trace: Weak::<Gone>::new(), views: HashSet::new(), columns: Mutex::default() }
    }

    /// The names, in alphabetical order.
    pub(crate) fn names(&self) -> Vec<String> {
        let Some(trace) = self.trace.upgrade() else { return Vec::new() };
        let mut names = trace.session().table_names();
        names.retain(|name| !name.starts_with(INTERNAL_PREFIX));
        names
    }

    /// Whether a name is that of a view that every trace has.
    pub(crate) fn is_view(&self, name: &str) -> bool {
        self.views.contains(name)
    }

    /// The columns of a table or view. What cannot be planned has none, so that the list of all
    /// tables does not fail.
    pub(crate) async fn columns(&self, name: &str) -> SchemaRef {
        if let Some(known) = self.known().get(name) {
            return Arc::clone(known);
        }
        let Some(trace) = self.trace.upgrade() else { return Arc::new(Schema::empty()) };
        let session = trace.session();
        let sql = format!("SELECT * FROM \"{}\"", name.replace('"', "\"\""));
        let (mut columns, cancel) = (None, CancelToken::default());
        for statement in session.statements(&sql).unwrap_or_default() {
            let found = session.columns_of(&statement, ParameterValues::new(), &cancel);
            columns = found.await.ok().flatten();
        }
        let columns = columns.unwrap_or_else(|| Arc::new(Schema::empty()));
        if session.is_built_in(name) {
            self.known().insert(name.to_owned(), Arc::clone(&columns));
        }
        columns
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, SchemaRef>> {
        self.columns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Relations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relations").finish_non_exhaustive()
    }
}

/// The relations of the current trace, made when they are first asked for.
#[derive(Default)]
pub(crate) struct CurrentRelations(Mutex<Option<Arc<Relations>>>);

impl CurrentRelations {
    /// The relations of a trace.
    pub(crate) fn of(&self, trace: &Arc<dyn LoadedTrace>) -> Arc<Relations> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*current
            && std::ptr::addr_eq(known.trace.as_ptr(), Arc::as_ptr(trace))
        {
            return Arc::clone(known);
        }
        let relations = Arc::new(Relations::new(trace));
        *current = Some(Arc::clone(&relations));
        relations
    }
}
