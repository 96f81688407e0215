//! Comma-separated values, RFC 4180 with plain line feeds.

use std::borrow::Cow;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use crate::cell::Cells;
use crate::{OutputError, OutputOptions, ResultWriter, Sink};

/// The approximate size of writes to the sink, in bytes.
const WRITE_BYTES: usize = 64 * 1024;

pub(crate) struct CsvWriter {
    sink: Sink,
    null: String,
    header: bool,
    /// Whether a result set was already written: a blank line separates it from the next one.
    has_result_set: bool,
    columns: usize,
}

impl CsvWriter {
    pub(crate) fn new(sink: Sink, options: OutputOptions) -> Self {
        let null = options.null.unwrap_or_default();
        Self { sink, null, header: options.header, has_result_set: false, columns: 0 }
    }

    /// Text as a field. Text is quoted if it would otherwise read as NULL, or if its line would
    /// look like the blank line between result sets.
    fn field<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let alone = self.columns == 1 && text.trim_matches([' ', '\t']).is_empty();
        if alone || text == self.null || text.contains([',', '"', '\n', '\r']) {
            return Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")));
        }
        Cow::Borrowed(text)
    }
}

impl ResultWriter for CsvWriter {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        self.columns = schema.fields().len();
        if self.has_result_set {
            self.sink.write_all(b"\n")?;
        }
        self.has_result_set = true;
        if self.header {
            let names: Vec<_> =
                schema.fields().iter().map(|field| self.field(field.name())).collect();
            self.sink.write_all(format!("{}\n", names.join(",")).as_bytes())?;
        }
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let columns = Cells::of(batch)?;
        let mut out = String::with_capacity(WRITE_BYTES + 1024);
        let mut scratch = String::new();
        for row in 0..batch.num_rows() {
            for (index, cells) in columns.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                if cells.is_null(row) {
                    // NULL is not quoted, which distinguishes it from text. The exception is a NULL
                    // that would leave the whole line empty.
                    let blank = self.columns == 1 && self.null.is_empty();
                    out.push_str(if blank { "\"\"" } else { &self.null });
                } else if cells.is_number() {
                    cells.append(row, &mut out)?;
                } else if let Some(text) = cells.text(row) {
                    out.push_str(&self.field(text));
                } else {
                    scratch.clear();
                    cells.append(row, &mut scratch)?;
                    out.push_str(&self.field(&scratch));
                }
            }
            out.push('\n');
            if out.len() >= WRITE_BYTES {
                self.sink.write_all(out.as_bytes())?;
                out.clear();
            }
        }
        self.sink.write_all(out.as_bytes())?;
        Ok(())
    }

    fn end(&mut self) -> Result<(), OutputError> {
        Ok(self.sink.flush()?)
    }
}
