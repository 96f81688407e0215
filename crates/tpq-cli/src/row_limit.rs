//! The number of rows of a result that a terminal shows, and the number of rows in total.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use futures::StreamExt;
use tokio::sync::oneshot;
use tpq::{CancelToken, ResultSet, Session, SqlError, Statement, Trace};
use tpq_output::{OutputError, ResultWriter};

use crate::layout::grouped;
use crate::{results, runtime, terminal};

/// The lines of a table that are not rows, the line below the table, and the next prompt.
const OTHER_LINES: usize = 7;
/// The minimum number of rows, for very small screens.
const MIN_ROWS: usize = 5;
/// Time limit for counting the rows that are not shown.
const COUNT_TIMEOUT: Duration = Duration::from_millis(400);

/// How many rows of a result to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RowLimit {
    /// As many as fit on the terminal; all if stdout is not a terminal.
    #[default]
    Screen,
    /// This number of rows.
    Rows(usize),
    /// All rows.
    Off,
}

impl RowLimit {
    /// The number of rows, `None` for all.
    pub fn rows(self) -> Option<usize> {
        match self {
            Self::Screen => {
                let height = usize::from(terminal::height()?);
                Some(height.saturating_sub(OTHER_LINES).max(MIN_ROWS))
            }
            Self::Rows(rows) => Some(rows),
            Self::Off => None,
        }
    }

    /// The limit if stdout is a terminal, otherwise none: piped results are never cut.
    pub fn on_terminal(self) -> Option<usize> {
        terminal::height().and_then(|_| self.rows())
    }
}

impl FromStr for RowLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(0) => Ok(Self::Off),
            Ok(rows) => Ok(Self::Rows(rows)),
            Err(_) if text.eq_ignore_ascii_case("off") => Ok(Self::Off),
            Err(_) if text.eq_ignore_ascii_case("screen") => Ok(Self::Screen),
            Err(_) => {
                Err(format!("`{text}` is not a limit; write a number of rows, screen or off"))
            }
        }
    }
}

/// The part of a result that was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShownRows {
    /// The number of rows that were written.
    pub rows: usize,
    /// Whether there are more rows.
    pub is_truncated: bool,
}

/// Runs a statement and writes at most `max_rows` rows of its result.
///
/// # Errors
/// When the statement fails, or its rows cannot be written.
pub async fn run(
    trace: &Trace,
    statement: &Statement,
    writer: &mut dyn ResultWriter,
    max_rows: Option<usize>,
) -> anyhow::Result<ShownRows> {
    let planning = trace.span("plan");
    let result = start(trace.session(), statement, max_rows, &CancelToken::default()).await?;
    drop(planning);
    let Some(result) = result else { return Ok(ShownRows::NONE) };
    if result.is_suppressed() {
        return run_silently(result).await;
    }
    let mut first = LimitedWriter::new(writer, max_rows.filter(|_| result.limit().is_some()));
    results::execute(trace, result, &mut first).await?;
    Ok(first.shown())
}

/// Runs a statement to its end without its rows.
async fn run_silently(mut result: ResultSet) -> anyhow::Result<ShownRows> {
    while let Some(batch) = result.next().await {
        batch?;
    }
    Ok(ShownRows::NONE)
}

/// Starts a statement of which at most `max_rows` rows are written. It computes one more row, which
/// shows whether there are more.
///
/// # Errors
/// When the statement fails, or was cancelled.
pub async fn start(
    session: &Session,
    statement: &Statement,
    max_rows: Option<usize>,
    cancel: &CancelToken,
) -> Result<Option<ResultSet>, SqlError> {
    match max_rows {
        Some(max_rows) => session.run_first(statement, max_rows.saturating_add(1), cancel).await,
        None => session.run_cancellable(statement, cancel).await,
    }
}

/// The number of rows of a statement, if it can be counted in less than half a second.
pub async fn count(trace: &Arc<Trace>, statement: &Statement) -> Option<u64> {
    let cancel = CancelToken::default();
    let (sender, counted) = oneshot::channel();
    let work = {
        let (trace, statement, cancel) = (Arc::clone(trace), statement.clone(), cancel.clone());
        move || {
            let Ok(runtime) = runtime::build(Some(1)) else { return };
            let count = runtime.block_on(trace.session().count_rows(&statement, &cancel));
            runtime.shutdown_background();
            // The receiver is gone if this took too long.
            let _ = sender.send(count.ok().flatten());
        }
    };
    // A separate thread, so that a count that does not stop in time can be abandoned.
    std::thread::Builder::new().name("count".into()).spawn(work).ok()?;
    let count = tokio::time::timeout(COUNT_TIMEOUT, counted).await;
    cancel.cancel();
    count.ok()?.ok()?
}

impl ShownRows {
    /// The result of a statement without rows.
    pub const NONE: Self = Self { rows: 0, is_truncated: false };

    /// Describes how many rows were shown, and of how many.
    pub fn describe(self, all: Option<u64>) -> String {
        let rows = grouped(self.rows as u64);
        match (self.is_truncated, all) {
            (true, Some(all)) => format!("{rows} of {} rows", grouped(all)),
            (true, None) => format!("the first {rows} rows"),
            (false, _) => format!("{rows} {}", if self.rows == 1 { "row" } else { "rows" }),
        }
    }
}

/// Writes only the first rows of a result.
pub struct LimitedWriter<'a> {
    writer: &'a mut dyn ResultWriter,
    max_rows: Option<usize>,
    shown: ShownRows,
}

impl<'a> LimitedWriter<'a> {
    /// Writes at most `max_rows` rows; all if `None`.
    pub fn new(writer: &'a mut dyn ResultWriter, max_rows: Option<usize>) -> Self {
        Self { writer, max_rows, shown: ShownRows::NONE }
    }

    /// Writes all rows from now on.
    pub fn remove_limit(&mut self) {
        self.max_rows = None;
    }

    /// The rows written so far.
    pub fn shown(&self) -> ShownRows {
        self.shown
    }
}

impl ResultWriter for LimitedWriter<'_> {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        self.writer.begin(schema)
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let left = self.max_rows.map_or(usize::MAX, |max_rows| max_rows - self.shown.rows);
        let rows = batch.num_rows().min(left);
        self.shown.is_truncated |= rows < batch.num_rows();
        self.shown.rows += rows;
        if rows == 0 {
            return Ok(());
        }
        self.writer.write(&batch.slice(0, rows))
    }

    fn end(&mut self) -> Result<(), OutputError> {
        self.writer.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_numbers_or_words() {
        assert_eq!("25".parse(), Ok(RowLimit::Rows(25)));
        assert_eq!("0".parse(), Ok(RowLimit::Off));
        assert_eq!("OFF".parse(), Ok(RowLimit::Off));
        assert_eq!("screen".parse(), Ok(RowLimit::Screen));
        assert!("-3".parse::<RowLimit>().is_err());
    }

    #[test]
    fn shown_rows_are_described() {
        let cut = ShownRows { rows: 40, is_truncated: true };
        assert_eq!(cut.describe(Some(6_812_345)), "40 of 6,812,345 rows");
        assert_eq!(cut.describe(None), "the first 40 rows");
        assert_eq!(ShownRows { rows: 1, is_truncated: false }.describe(None), "1 row");
    }
}
