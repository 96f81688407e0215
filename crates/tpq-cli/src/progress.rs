//! The progress bar of an import.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tpq::Progress;

/// Imports that end sooner show no progress.
const SHOW_AFTER: Duration = Duration::from_millis(300);
const TEMPLATE: &str =
    "{msg:>10} [{bar:30}] {bytes}/{total_bytes} {binary_bytes_per_sec} {eta} left";

/// A progress bar, if stderr is a terminal and `quiet` is not set.
pub fn bar(quiet: bool) -> Option<Arc<Bar>> {
    let visible = !quiet && std::io::stderr().is_terminal();
    visible.then(|| Arc::new(Bar::new()))
}

/// A progress bar with bytes, rate and time left.
pub struct Bar {
    bar: ProgressBar,
    started: std::time::Instant,
}

impl Bar {
    /// A bar that stays hidden until the import takes a while.
    fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, started: std::time::Instant::now() }
    }

    /// Removes the bar from the screen.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Bar {
    fn advance(&self, done: u64, total: u64) {
        if self.bar.is_hidden() && self.started.elapsed() > SHOW_AFTER {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        if self.bar.length() != Some(total) {
            self.bar.set_length(total);
        }
        self.bar.set_position(done);
    }

    fn stage(&self, name: &'static str) {
        self.bar.set_message(name);
    }
}
