//! The import of everything, for tables that the first import or the cache entry left out.

use std::sync::Arc;

use tpq_sql::is_cancelled_here;
use tpq_tables::{TableMaker, TableMaking, TraceTables};

use crate::cache::{Key, WeakEntryWrites};
use crate::traces::{Stamps, Traces};
use crate::{CancelToken, ImportOptions, ImportSummary, TableCache};

/// Imports traces again.
#[derive(Clone)]
pub(crate) struct ImportAgain {
    traces: Traces,
    /// The files when the first import began.
    stamps: Option<Stamps>,
    options: ImportOptions,
    /// The cache entry that gets all tables, if there is to be one.
    entry: Option<(TableCache, Key)>,
    writes: WeakEntryWrites,
}

impl ImportAgain {
    /// Of the same traces, with the options of the first import.
    pub(crate) fn new(
        traces: &Traces,
        stamps: Option<Stamps>,
        options: &ImportOptions,
        entry: Option<(TableCache, Key)>,
        writes: WeakEntryWrites,
    ) -> Self {
        // What the first import warned of need not be repeated.
        let options = ImportOptions { progress: None, on_warning: None, ..options.clone() };
        Self { traces: traces.clone(), stamps, options, entry, writes }
    }

    fn import(&self) -> Result<Arc<TraceTables>, String> {
        let _span = self.options.span("import again");
        if let Some(tables) = self.stored_meanwhile() {
            return Ok(tables);
        }
        // Another file in its place may be a pipe, which nothing may write to.
        self.check_unchanged()?;
        let imported = self.traces.import(&self.options);
        // Checked again, because the trace may change during the import.
        self.check_unchanged()?;
        let (tables, summary) =
            imported.map_err(|error| format!("the trace cannot be imported again: {error}"))?;
        let tables = Arc::new(tables);
        self.store(&tables, &summary);
        Ok(tables)
    }

    /// # Errors
    /// When the trace may be another than when it was first imported.
    fn check_unchanged(&self) -> Result<(), String> {
        match self.stamps.is_some() && Stamps::of(&self.traces) == self.stamps {
            true => Ok(()),
            false => Err("the trace is no longer the one that was imported".to_owned()),
        }
    }

    /// All tables, if another process has stored them since.
    fn stored_meanwhile(&self) -> Option<Arc<TraceTables>> {
        let (cache, key) = self.entry.as_ref()?;
        let found = cache.find(key, &self.traces, &self.options)?;
        let is_same = self.check_unchanged().is_ok();
        (is_same && found.left_out.is_empty()).then(|| Arc::new(found.tables))
    }

    /// Stores all tables in place of the entry that leaves some out.
    fn store(&self, tables: &Arc<TraceTables>, summary: &ImportSummary) {
        if let (Some((cache, key)), Some(writes)) = (&self.entry, self.writes.upgrade()) {
            cache.store(key, &self.traces, Arc::clone(tables), summary, &writes);
        }
    }
}

impl TableMaker for ImportAgain {
    fn start(&self) -> TableMaking {
        // The token of the first import is cancelled once the trace is open. The token of a
        // statement does not apply: other statements read the tables as well.
        let cancel = CancelToken::default();
        let options = ImportOptions { cancel: cancel.clone(), ..self.options.clone() };
        let again = Self { options, ..self.clone() };
        TableMaking {
            work: Box::new(move || again.import()),
            cancel: Box::new(move || cancel.cancel()),
        }
    }

    fn is_reader_cancelled(&self) -> bool {
        is_cancelled_here()
    }
}
