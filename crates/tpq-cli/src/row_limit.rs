//! How many rows of a result a terminal shows, and how many there are beyond those.

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use tokio::sync::oneshot;
use tpq::{CancelToken, ResultSet, SqlError, Statement, Trace};
use tpq_output::{OutputError, ResultWriter};

use crate::layout::grouped;
use crate::{results, runtime, terminal};

/// Lines of a table that are no rows, the line below it, and the next prompt.
const OTHER_LINES: usize = 7;
/// The rows on a screen that is hardly there.
const LEAST_ROWS: usize = 5;
/// How long to count the rows that are not shown.
const PATIENCE: Duration = Duration::from_millis(400);

/// How many rows of a result are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum RowLimit {
    /// As many as the terminal has room for; all where stdout is no terminal.
    #[default]
    Screen,
    /// As many as this.
    Rows(usize),
    /// All.
    Off,
}

impl RowLimit {
    /// The number of rows, `None` for all.
    pub fn rows(self) -> Option<usize> {
        match self {
            Self::Screen => {
                let height = usize::from(terminal::height()?);
                Some(height.saturating_sub(OTHER_LINES).max(LEAST_ROWS))
            }
            Self::Rows(rows) => Some(rows),
            Self::Off => None,
        }
    }

    /// The limit where stdout is a terminal: what is piped is never cut.
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
            Err(_) => Err(format!("`{text}` is no limit; write a number of rows, screen or off")),
        }
    }
}

/// What was written of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The rows that were written.
    pub rows: usize,
    /// Whether there are more.
    pub is_cut: bool,
}

/// Runs a statement and writes its result, no more than the first `most` rows of it.
///
/// # Errors
/// When the statement fails, or its rows cannot be written.
pub async fn run(
    trace: &Trace,
    statement: &Statement,
    writer: &mut dyn ResultWriter,
    most: Option<usize>,
) -> anyhow::Result<Shown> {
    let planning = trace.span("plan");
    let result = start(trace, statement, most, &CancelToken::default()).await?;
    drop(planning);
    let Some(result) = result else { return Ok(Shown::NOTHING) };
    let mut first = FirstRows::new(writer, most.filter(|_| result.limit().is_some()));
    results::execute(trace, result, &mut first).await?;
    Ok(first.shown())
}

/// Starts a statement of which no more than the first `most` rows are written. One row more is
/// computed, which tells whether there are more.
///
/// # Errors
/// When the statement fails, or was cancelled.
pub async fn start(
    trace: &Trace,
    statement: &Statement,
    most: Option<usize>,
    cancel: &CancelToken,
) -> Result<Option<ResultSet>, SqlError> {
    match most {
        Some(most) => trace.session().run_first(statement, most.saturating_add(1), cancel).await,
        None => trace.session().run_cancellable(statement, cancel).await,
    }
}

/// How many rows a statement gives, where that can be told in less than half a second.
pub async fn count(trace: &Arc<Trace>, statement: &Statement) -> Option<u64> {
    let cancel = CancelToken::default();
    let (sender, counted) = oneshot::channel();
    let work = {
        let (trace, statement, cancel) = (Arc::clone(trace), statement.clone(), cancel.clone());
        move || {
            let Ok(runtime) = runtime::build(Some(1)) else { return };
            let count = runtime.block_on(trace.session().count_rows(&statement, &cancel));
            runtime.shutdown_background();
            // The receiver is gone where this took too long.
            let _ = sender.send(count.ok().flatten());
        }
    };
    // On a thread of its own: what cannot be stopped in time is left behind.
    std::thread::Builder::new().name("count".into()).spawn(work).ok()?;
    let count = tokio::time::timeout(PATIENCE, counted).await;
    cancel.cancel();
    count.ok()?.ok()?
}

impl Shown {
    /// Of a statement without rows.
    pub const NOTHING: Self = Self { rows: 0, is_cut: false };

    /// How many rows were shown, of how many.
    pub fn words(self, all: Option<u64>) -> String {
        let rows = grouped(self.rows as u64);
        match (self.is_cut, all) {
            (true, Some(all)) => format!("{rows} of {} rows", grouped(all)),
            (true, None) => format!("the first {rows} rows of more"),
            (false, _) => format!("{rows} {}", if self.rows == 1 { "row" } else { "rows" }),
        }
    }
}

/// Writes the first rows of a result alone.
pub struct FirstRows<'a> {
    writer: &'a mut dyn ResultWriter,
    most: Option<usize>,
    shown: Shown,
}

impl<'a> FirstRows<'a> {
    /// Writes no more than `most` rows; all if not given.
    pub fn new(writer: &'a mut dyn ResultWriter, most: Option<usize>) -> Self {
        Self { writer, most, shown: Shown::NOTHING }
    }

    /// Writes all rows from now on.
    pub fn lift(&mut self) {
        self.most = None;
    }

    /// What was written so far.
    pub fn shown(&self) -> Shown {
        self.shown
    }
}

impl ResultWriter for FirstRows<'_> {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        self.writer.begin(schema)
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let left = self.most.map_or(usize::MAX, |most| most - self.shown.rows);
        let rows = batch.num_rows().min(left);
        self.shown.is_cut |= rows < batch.num_rows();
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
    fn what_was_shown_is_told() {
        let cut = Shown { rows: 40, is_cut: true };
        assert_eq!(cut.words(Some(6_812_345)), "40 of 6,812,345 rows");
        assert_eq!(cut.words(None), "the first 40 rows of more");
        assert_eq!(Shown { rows: 1, is_cut: false }.words(None), "1 row");
    }
}
