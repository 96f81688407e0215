//! `.open`: opens other traces instead of the current ones.

use std::path::PathBuf;
use std::sync::Arc;

use tpq::{CancelToken, ImportOptions};

use super::detached_query::until_interrupted;
use super::dot::Flow;
use super::{Shell, print_note};
use crate::layout::counted;
use crate::{health_line, open};

impl Shell {
    /// Opens traces with the options of the shell. If that fails, the current traces stay open.
    /// Objects that statements created belong to the old traces and are dropped with them;
    /// parameters stay.
    pub(super) async fn open(&mut self, traces: &[PathBuf]) -> anyhow::Result<Flow> {
        anyhow::ensure!(!traces.is_empty(), "which traces? .open TRACE…");
        if let Some(file) = &self.output {
            file.ensure_not_any_of(traces.iter().map(PathBuf::as_path))?;
        }
        let flags = self.settings.flags.clone();
        let cancel = CancelToken::default();
        let options = ImportOptions { cancel, ..self.settings.options.clone() };
        let paths = traces.to_vec();
        let work = async move || open::open(&paths, &flags, options).await;
        let opened = until_interrupted(self.interrupts.clone(), work);
        let Some(trace) = opened.await? else { return Ok(Flow::Interrupted) };
        let flags = &self.settings.flags;
        if !flags.quiet {
            health_line::report(&trace)?;
        }
        // A cancelled query that still runs may hold the trace until the process ends.
        self.trace.wait_until_cached();
        for (name, value) in self.trace.session().parameters() {
            trace.session().set_parameter(&name, value);
        }
        self.trace = Arc::new(trace);
        self.last.clear();
        let names: Vec<String> = traces.iter().map(|path| path.display().to_string()).collect();
        let tables = self.trace.tables().iter().filter(|table| table.num_rows() > 0).count();
        let tables = counted(tables as u64, "table has", "tables have");
        print_note(&format!("opened {}; {tables} rows", names.join(", ")));
        Ok(Flow::Continue)
    }
}
