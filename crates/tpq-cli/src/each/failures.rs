//! Traces that failed, and traces that lost data.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray};
use datafusion::arrow::error::ArrowError;
use tpq::{EachError, EachTrace, TRACE_PATH};

use crate::layout::grouped;
use crate::terminal::Style;

/// The traces without rows, and why.
pub struct Failures {
    quiet: bool,
    failed: Vec<(PathBuf, String)>,
    traces: u64,
    /// The number of traces that lost data.
    damaged: u64,
}

impl Failures {
    pub fn new(quiet: bool) -> Self {
        Self { quiet, failed: Vec::new(), traces: 0, damaged: 0 }
    }

    /// Counts a trace.
    pub fn count(&mut self, trace: &EachTrace) {
        self.traces += 1;
        self.damaged += u64::from(trace.losses > 0);
    }

    /// Counts traces that are not known to have lost data.
    pub fn count_all(&mut self, traces: u64) {
        self.traces += traces;
    }

    /// Reports a failure on stderr, also if the run is quiet, and keeps it.
    pub fn record(&mut self, path: PathBuf, error: &EachError) {
        self.record_text(path, &error.to_string());
    }

    /// The same with the text of the error.
    pub fn record_text(&mut self, path: PathBuf, error: &str) {
        let text = describe(&path, error);
        let style = Style::of_stderr();
        // If stderr is closed, the failure is still in the table.
        let _ = writeln!(std::io::stderr(), "{} {text}", style.yellow("failed:"));
        self.failed.push((path, error.to_owned()));
    }

    pub fn len(&self) -> usize {
        self.failed.len()
    }

    /// The failures as a table: path and error.
    pub fn table(&self) -> Result<RecordBatch, ArrowError> {
        let paths = self.failed.iter().map(|(path, _)| path.to_string_lossy());
        let paths: ArrayRef = Arc::new(StringArray::from_iter_values(paths));
        let errors = self.failed.iter().map(|(_, error)| error);
        let errors: ArrayRef = Arc::new(StringArray::from_iter_values(errors));
        RecordBatch::try_from_iter([(TRACE_PATH, paths), ("error", errors)])
    }

    /// Prints how many traces failed, and how many lost data.
    ///
    /// # Errors
    /// When all traces failed.
    pub fn summarize(&self) -> anyhow::Result<()> {
        let failed = self.failed.len() as u64;
        let all = grouped(self.traces);
        anyhow::ensure!(failed < self.traces || failed == 0, "all {all} traces failed");
        if self.quiet {
            return Ok(());
        }
        if failed > 0 {
            say(&format!("{} of {all} traces failed", grouped(failed)));
        }
        if self.damaged > 0 {
            let damaged = grouped(self.damaged);
            say(&format!("lost data: {damaged} of {all} traces; tpq check TRACE says what"));
        }
        Ok(())
    }
}

/// Prints a line on stderr.
pub fn say(what: &str) {
    // A message that cannot be printed is not an error.
    let _ = writeln!(std::io::stderr(), "{}", Style::of_stderr().dim(what));
}

/// The error that ends the run.
pub fn as_error(path: &Path, error: EachError) -> anyhow::Error {
    match error {
        EachError::Sql(error) => error.into(),
        error if error.is_of_statements() => error.into(),
        error => anyhow::anyhow!("{}", describe(path, &error.to_string())),
    }
}

/// The trace and its error in one line. Errors of an import name the file themselves.
pub fn describe(path: &Path, error: &str) -> String {
    let path = path.display().to_string();
    match error.contains(&path) {
        true => error.to_owned(),
        false => format!("{path}: {error}"),
    }
}
