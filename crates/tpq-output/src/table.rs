//! A table with borders, for people.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use crate::cell::Cells;
use crate::{OutputError, OutputOptions, ResultWriter, Sink};

/// Rows shown when the caller does not say how many: more than one reads, less than hurts.
const DEFAULT_ROWS: usize = 10_000;
/// Longer texts are cut, so that one does not push the others off the screen.
const CELL_CHARS: usize = 200;

pub(crate) struct TableWriter {
    sink: Sink,
    null: String,
    header: bool,
    max_rows: usize,
    table: Table,
    shown: usize,
    left_out: usize,
}

impl TableWriter {
    pub(crate) fn new(sink: Sink, options: OutputOptions) -> Self {
        Self {
            sink,
            null: options.null.unwrap_or_else(|| "NULL".to_owned()),
            header: options.header,
            max_rows: options.max_rows.unwrap_or(DEFAULT_ROWS),
            table: Table::new(),
            shown: 0,
            left_out: 0,
        }
    }
}

/// Line breaks and other characters that move the cursor, made visible.
fn printable(text: &str) -> String {
    let mut out: String = text
        .chars()
        .take(CELL_CHARS)
        .flat_map(|c| match c {
            '\n' | '\r' | '\t' => c.escape_default().collect::<Vec<_>>(),
            c if c.is_control() => vec!['\u{fffd}'],
            c => vec![c],
        })
        .collect();
    if text.chars().nth(CELL_CHARS).is_some() {
        out.push('…');
    }
    out
}

fn alignment(is_number: bool) -> CellAlignment {
    if is_number { CellAlignment::Right } else { CellAlignment::Left }
}

impl ResultWriter for TableWriter {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        self.table = Table::new();
        self.table.load_style(presets::UTF8_FULL_CONDENSED);
        self.table.set_content_arrangement(ContentArrangement::Disabled);
        (self.shown, self.left_out) = (0, 0);
        if self.header {
            let title = |field: &std::sync::Arc<datafusion::arrow::datatypes::Field>| {
                let is_number = Cells::are_numbers(field.data_type());
                Cell::new(printable(field.name())).set_alignment(alignment(is_number))
            };
            self.table.set_header(schema.fields().iter().map(title));
        }
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let columns = Cells::of(batch)?;
        let take = batch.num_rows().min(self.max_rows - self.shown);
        for row in 0..take {
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
        self.left_out += batch.num_rows() - take;
        Ok(())
    }

    fn end(&mut self) -> Result<(), OutputError> {
        let table = std::mem::take(&mut self.table);
        writeln!(self.sink, "{table}")?;
        if self.left_out > 0 {
            let rows = if self.left_out == 1 { "row" } else { "rows" };
            writeln!(self.sink, "({} more {rows} not shown)", self.left_out)?;
        }
        Ok(self.sink.flush()?)
    }
}
