//! A progress line for a statement that takes long: the rows so far and the time.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tpq_output::{OutputError, ResultWriter};

use crate::layout::grouped;

/// Statements that end sooner show no progress.
const SHOW_AFTER: Duration = Duration::from_secs(1);
/// The interval between redraws.
const REDRAW_INTERVAL: Duration = Duration::from_millis(200);

/// A line on stderr that its own thread updates, independent of the statement. Dropping it removes
/// the line.
pub struct QueryProgress {
    rows: Arc<AtomicU64>,
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl QueryProgress {
    /// Starts the timer. Shows nothing if stderr is not a terminal or `quiet` is set.
    pub fn start(quiet: bool) -> Self {
        let rows = Arc::new(AtomicU64::new(0));
        let mut progress = Self { rows: Arc::clone(&rows), thread: None };
        if quiet || !std::io::stderr().is_terminal() {
            return progress;
        }
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new().name("progress".into());
        let thread = thread.spawn(move || show(&rows, &stopped));
        progress.thread = thread.ok().map(|thread| (stop, thread));
        progress
    }

    /// Removes the line from the screen.
    pub fn stop(&mut self) {
        if let Some((stop, thread)) = self.thread.take() {
            drop(stop);
            // A failure to draw the line is not an error.
            let _ = thread.join();
        }
    }

    /// Wraps a writer to count its rows. If `prints` is set, the writer prints rows on the terminal
    /// as they arrive, so the line is removed before the first row.
    pub fn counted<'a>(
        &'a mut self,
        writer: &'a mut dyn ResultWriter,
        prints: bool,
    ) -> impl ResultWriter + 'a {
        Counted { progress: self, writer, prints }
    }
}

impl Drop for QueryProgress {
    fn drop(&mut self) {
        self.stop();
    }
}

fn show(rows: &AtomicU64, stopped: &Receiver<()>) {
    let started = Instant::now();
    let continues_after = |wait| stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
    if !continues_after(SHOW_AFTER) {
        return;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{msg}") {
        bar.set_style(style);
    }
    loop {
        bar.set_message(line(rows.load(Ordering::Relaxed), started.elapsed()));
        bar.tick();
        if !continues_after(REDRAW_INTERVAL) {
            break;
        }
    }
    bar.finish_and_clear();
}

fn line(rows: u64, elapsed: Duration) -> String {
    let rows = if rows == 0 { "no rows".to_owned() } else { format!("{} rows", grouped(rows)) };
    format!("{rows} so far, {:.1} s; Ctrl-C cancels", elapsed.as_secs_f64())
}

struct Counted<'a> {
    progress: &'a mut QueryProgress,
    writer: &'a mut dyn ResultWriter,
    prints: bool,
}

impl ResultWriter for Counted<'_> {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        self.writer.begin(schema)
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        if self.prints {
            self.progress.stop();
        }
        self.progress.rows.fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
        self.writer.write(batch)
    }

    fn end(&mut self) -> Result<(), OutputError> {
        self.progress.stop();
        self.writer.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_has_rows_and_time() {
        let text = line(1_234_567, Duration::from_millis(3_400));
        assert_eq!(text, "1,234,567 rows so far, 3.4 s; Ctrl-C cancels");
        assert!(line(0, SHOW_AFTER).starts_with("no rows so far"));
    }
}
