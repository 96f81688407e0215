//! The progress line of a run over many traces.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const TEMPLATE: &str = "{pos}/{len} traces [{bar:30}] {per_sec} {eta} left{msg}";

/// A line on stderr with the traces done, their rate and the failures.
pub struct EachProgress(Option<ProgressBar>);

impl EachProgress {
    /// Shows the line, if stderr is a terminal and `quiet` is not set.
    pub fn start(traces: usize, quiet: bool) -> Self {
        if quiet || !std::io::stderr().is_terminal() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(Some(traces as u64), ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self(Some(bar))
    }

    /// A trace is done; `failed` traces have failed so far.
    pub fn advance(&self, failed: usize) {
        let Some(bar) = &self.0 else { return };
        if failed > 0 {
            bar.set_message(format!(", {failed} failed"));
        }
        bar.inc(1);
    }

    /// Prints something above the line.
    pub fn above(&self, print: impl FnOnce()) {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Drop for EachProgress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
