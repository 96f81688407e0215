//! `.open`: other traces in place of those that are open.

use std::path::PathBuf;
use std::sync::Arc;

use tpq::{CancelToken, ImportOptions};

use super::dot::Next;
use super::run_apart::until_interrupted;
use super::{Shell, say};
use crate::layout::counted;
use crate::{health_line, open};

impl Shell {
    /// Opens traces with the options that the shell was started with. When that fails, those that
    /// are open stay open. What statements created belongs to the old traces, and goes with them.
    pub(super) async fn open(&mut self, traces: &[PathBuf]) -> anyhow::Result<Next> {
        anyhow::ensure!(!traces.is_empty(), "which traces? .open TRACE…");
        let how = self.opening.how.clone();
        let cancel = CancelToken::default();
        let options = ImportOptions { cancel, ..self.opening.options.clone() };
        let paths = traces.to_vec();
        let work = async move || open::open(&paths, &how, options).await;
        let opened = until_interrupted(self.interrupts.clone(), work);
        let Some(trace) = opened.await? else { return Ok(Next::Stopped) };
        let how = &self.opening.how;
        if !how.quiet {
            health_line::tell(&trace)?;
        }
        // A query that was left behind may hold it for longer than the process lives.
        self.trace.wait_until_kept();
        self.trace = Arc::new(trace);
        self.last.clear();
        let names: Vec<String> = traces.iter().map(|path| path.display().to_string()).collect();
        let tables = self.trace.tables().iter().filter(|table| table.num_rows() > 0).count();
        let tables = counted(tables as u64, "table has", "tables have");
        say(&format!("opened {}; {tables} rows", names.join(", ")));
        Ok(Next::Prompt)
    }
}
