//! Finds the rows of arg sets.

use datafusion::common::Result;
use tpq_tables::TraceTables;

use super::super::stored_rows::{Lazy, StoredRows};
use super::super::value::{Column, Value};
use crate::cancel::check;

/// One argument.
pub(in super::super) struct Arg<'a> {
    pub key: &'a str,
    /// The type of the value, as in the column `value_type`.
    pub kind: &'a str,
    pub value: Value<'a>,
}

/// Neighbouring rows of an arg set.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Run {
    set: i64,
    start: usize,
    end: usize,
}

/// The args of a trace by arg set. The index is built on first use.
pub(in super::super) struct ArgSets {
    ids: Option<StoredRows>,
    args: Option<StoredRows>,
    /// The rows of all sets, sorted by set.
    runs: Lazy<Vec<Run>>,
}

impl ArgSets {
    pub(super) fn new(tables: &TraceTables) -> Self {
        let values = ["key", "value_type", "int_value", "string_value", "real_value"];
        Self {
            ids: StoredRows::new(tables, "args", &["arg_set_id"]),
            args: StoredRows::new(tables, "args", &values),
            runs: Lazy::default(),
        }
    }

    fn runs(&self) -> Result<&Vec<Run>> {
        self.runs.get(|| {
            let mut runs: Vec<Run> = Vec::new();
            let Some(ids) = &self.ids else { return Ok(runs) };
            ids.each(|row, columns, at| {
                let Value::Integer(set) = columns[0].value(at) else { return Ok(()) };
                match runs.last_mut() {
                    Some(run) if run.set == set && run.end == row => run.end = row + 1,
                    _ => {
                        check()?;
                        runs.push(Run { set, start: row, end: row + 1 });
                    }
                }
                Ok(())
            })?;
            runs.sort_unstable();
            Ok(runs)
        })
    }

    /// Visits the args of a set, in the order of the table.
    ///
    /// # Errors
    /// When the table cannot be read, or when the statement is cancelled.
    pub(in super::super) fn each(&self, set: i64, mut visit: impl FnMut(&Arg)) -> Result<()> {
        let Some(args) = &self.args else { return Ok(()) };
        let runs = self.runs()?;
        let first = runs.partition_point(|run| run.set < set);
        for run in runs[first..].iter().take_while(|run| run.set == set) {
            let mut start = run.start;
            while start < run.end {
                check()?;
                let (columns, count) = args.read(start, run.end)?;
                (0..count).for_each(|row| visit_row(&columns, row, &mut visit));
                start += count;
            }
        }
        Ok(())
    }
}

fn visit_row(columns: &[Column], row: usize, visit: &mut impl FnMut(&Arg)) {
    let [key, kind, values @ ..] = columns else { return };
    let (Value::Text(key), Value::Text(kind)) = (key.value(row), kind.value(row)) else { return };
    let values = values.iter().map(|column| column.value(row));
    let value = values.into_iter().find(|value| !value.is_null()).unwrap_or(Value::Null);
    visit(&Arg { key: &key, kind: &kind, value });
}
