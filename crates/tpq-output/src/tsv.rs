//! Tab-separated values. Tabs, line breaks and backslashes in text are written as `\t`, `\n`, `\r`
//! and `\\`, so that every row is one line and every tab a separator.

use std::borrow::Cow;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use crate::cell::Cells;
use crate::{OutputError, OutputOptions, ResultWriter, Sink};

pub(crate) struct TsvWriter {
    sink: Sink,
    null: String,
    header: bool,
    /// Whether a result set was already written: a blank line separates it from the next one.
    has_result_set: bool,
}

impl TsvWriter {
    pub(crate) fn new(sink: Sink, options: OutputOptions) -> Self {
        let null = options.null.unwrap_or_default();
        Self { sink, null, header: options.header, has_result_set: false }
    }
}

fn field(text: &str) -> Cow<'_, str> {
    if !text.contains(['\t', '\n', '\r', '\\']) {
        return Cow::Borrowed(text);
    }
    let text = text.replace('\\', "\\\\").replace('\t', "\\t");
    Cow::Owned(text.replace('\n', "\\n").replace('\r', "\\r"))
}

impl ResultWriter for TsvWriter {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        if self.has_result_set {
            self.sink.write_all(b"\n")?;
        }
        self.has_result_set = true;
        if self.header {
            let names: Vec<_> = schema.fields().iter().map(|column| field(column.name())).collect();
            self.sink.write_all(format!("{}\n", names.join("\t")).as_bytes())?;
        }
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let columns = Cells::of(batch)?;
        let mut out = String::new();
        let mut scratch = String::new();
        for row in 0..batch.num_rows() {
            for (index, cells) in columns.iter().enumerate() {
                if index > 0 {
                    out.push('\t');
                }
                if cells.is_null(row) {
                    out.push_str(&self.null);
                } else {
                    scratch.clear();
                    cells.append(row, &mut scratch)?;
                    out.push_str(&field(&scratch));
                }
            }
            out.push('\n');
        }
        Ok(self.sink.write_all(out.as_bytes())?)
    }

    fn end(&mut self) -> Result<(), OutputError> {
        Ok(self.sink.flush()?)
    }
}
