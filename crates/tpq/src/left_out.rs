//! The import of everything, for tables that the first import left out.

use tpq_tables::{TableMaker, TraceTables};

use crate::traces::{Stamps, Traces};
use crate::{CancelToken, ImportOptions};

/// Imports traces again.
pub(crate) struct ImportAgain {
    traces: Traces,
    /// The files when the first import began.
    stamps: Option<Stamps>,
    options: ImportOptions,
}

impl ImportAgain {
    /// Of the same traces, with the options of the first import.
    pub(crate) fn new(traces: Traces, stamps: Option<Stamps>, options: &ImportOptions) -> Self {
        // The token of the first import is cancelled once the trace is open. The token of a
        // statement does not apply: other statements read the tables as well.
        let cancel = CancelToken::default();
        // What the first import warned of need not be repeated.
        let options = ImportOptions { cancel, progress: None, on_warning: None, ..options.clone() };
        Self { traces, stamps, options }
    }
}

impl TableMaker for ImportAgain {
    fn make(&self) -> Result<TraceTables, String> {
        let _span = self.options.span("import again");
        let imported = self.traces.import(&self.options);
        // Checked after the import, because the trace may change during it.
        if self.stamps.is_none() || Stamps::of(&self.traces) != self.stamps {
            return Err("the trace is no longer the one that was imported".to_owned());
        }
        match imported {
            Ok((tables, _)) => Ok(tables),
            Err(error) => Err(format!("the trace cannot be imported again: {error}")),
        }
    }
}
