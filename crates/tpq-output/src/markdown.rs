//! A table in Markdown.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use crate::cell::Cells;
use crate::{OutputError, OutputOptions, ResultWriter, Sink};

pub(crate) struct MarkdownWriter {
    sink: Sink,
    null: String,
    has_result_set: bool,
}

impl MarkdownWriter {
    pub(crate) fn new(sink: Sink, options: OutputOptions) -> Self {
        Self { sink, null: options.null.unwrap_or_default(), has_result_set: false }
    }
}

/// Escapes text so that it does not end its cell or row.
fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace("\r\n", "<br>").replace('\n', "<br>")
}

impl ResultWriter for MarkdownWriter {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        let mut out = String::from(if self.has_result_set { "\n|" } else { "|" });
        self.has_result_set = true;
        for field in schema.fields() {
            out.push_str(&format!(" {} |", escape(field.name())));
        }
        out.push_str("\n|");
        for field in schema.fields() {
            out.push_str(if Cells::are_numbers(field.data_type()) { " ---: |" } else { " --- |" });
        }
        out.push('\n');
        Ok(self.sink.write_all(out.as_bytes())?)
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let columns = Cells::of(batch)?;
        let mut out = String::new();
        let mut scratch = String::new();
        for row in 0..batch.num_rows() {
            out.push('|');
            for cells in &columns {
                scratch.clear();
                if cells.is_null(row) {
                    scratch.push_str(&self.null);
                } else {
                    cells.append(row, &mut scratch)?;
                }
                out.push(' ');
                out.push_str(&escape(&scratch));
                out.push_str(" |");
            }
            out.push('\n');
        }
        Ok(self.sink.write_all(out.as_bytes())?)
    }

    fn end(&mut self) -> Result<(), OutputError> {
        Ok(self.sink.flush()?)
    }
}
