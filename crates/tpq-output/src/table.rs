//! A table with borders, for terminals.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{FieldRef, SchemaRef};

use crate::cell::Cells;
use crate::plan::{PlanText, is_plan};
use crate::{OutputError, OutputOptions, ResultWriter, Sink};

/// The number of rows that share column widths. More rows begin a new table, because a table is in
/// memory until its widths are known.
const MAX_TABLE_ROWS: usize = 10_000;
/// Longer texts are cut, so that they do not push other columns off the screen.
const MAX_CELL_CHARS: usize = 200;

pub(crate) struct TableWriter {
    sink: Sink,
    null: String,
    header: bool,
    max_rows: usize,
    titles: Vec<Cell>,
    /// The rows that are not written yet.
    table: Table,
    /// Replaces the table if the rows are the lines of plans.
    plan: Option<PlanText>,
    shown: usize,
    hidden: usize,
}

impl TableWriter {
    pub(crate) fn new(sink: Sink, options: OutputOptions) -> Self {
        Self {
            sink,
            null: options.null.unwrap_or_else(|| "NULL".to_owned()),
            header: options.header,
            max_rows: options.max_rows.unwrap_or(usize::MAX),
            titles: Vec::new(),
            table: Table::new(),
            plan: None,
            shown: 0,
            hidden: 0,
        }
    }

    /// Begins a table without rows.
    fn begin_table(&mut self) {
        self.table = Table::new();
        self.table.load_preset(presets::UTF8_FULL_CONDENSED);
        self.table.set_content_arrangement(ContentArrangement::Disabled);
        if self.header {
            self.table.set_header(self.titles.iter().cloned());
        }
    }

    /// Writes the rows so far.
    fn end_table(&mut self) -> Result<(), OutputError> {
        Ok(writeln!(self.sink, "{}", std::mem::take(&mut self.table))?)
    }
}

/// Makes line breaks and other control characters visible.
fn printable(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(MAX_CELL_CHARS)
        .flat_map(|c| match c {
            '\n' | '\r' | '\t' => c.escape_default().collect::<Vec<_>>(),
            c if c.is_control() => vec!['\u{fffd}'],
            c => vec![c],
        })
        .collect();
    if text.chars().nth(MAX_CELL_CHARS).is_some() {
        out.push('…');
    }
    out
}

fn alignment(is_number: bool) -> CellAlignment {
    if is_number { CellAlignment::Right } else { CellAlignment::Left }
}

impl ResultWriter for TableWriter {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        (self.shown, self.hidden) = (0, 0);
        self.plan = is_plan(schema).then(PlanText::default);
        let title = |field: &FieldRef| {
            let is_number = Cells::are_numbers(field.data_type());
            Cell::new(printable(field.name())).set_alignment(alignment(is_number))
        };
        self.titles = schema.fields().iter().map(title).collect();
        self.begin_table();
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        if let Some(plan) = &mut self.plan {
            return plan.add(batch);
        }
        let columns = Cells::of(batch)?;
        let take = batch.num_rows().min(self.max_rows - self.shown);
        for row in 0..take {
            if self.table.row_count() == MAX_TABLE_ROWS {
                self.end_table()?;
                self.begin_table();
            }
            let cell = |cells: &Cells| -> Result<Cell, OutputError> {
                let mut text = String::new();
                if cells.is_null(row) {
                    text.push_str(&self.null);
                } else {
                    cells.append(row, &mut text)?;
                }
                Ok(Cell::new(printable(&text)).set_alignment(alignment(cells.is_number())))
            };
            self.table.add_row(columns.iter().map(cell).collect::<Result<Vec<_>, _>>()?);
        }
        self.shown += take;
        self.hidden += batch.num_rows() - take;
        Ok(())
    }

    fn end(&mut self) -> Result<(), OutputError> {
        if let Some(plan) = self.plan.take() {
            return plan.write(&mut self.sink);
        }
        self.end_table()?;
        if self.hidden > 0 {
            let rows = if self.hidden == 1 { "row" } else { "rows" };
            writeln!(self.sink, "({} more {rows} not shown)", self.hidden)?;
        }
        Ok(self.sink.flush()?)
    }
}
