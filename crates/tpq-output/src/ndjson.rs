//! JSON with one object per line.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use crate::cell::Cells;
use crate::json::{append_object, keys};
use crate::{OutputError, ResultWriter, Sink};

pub(crate) struct NdjsonWriter {
    sink: Sink,
    keys: Vec<String>,
}

impl NdjsonWriter {
    pub(crate) fn new(sink: Sink) -> Self {
        Self { sink, keys: Vec::new() }
    }
}

impl ResultWriter for NdjsonWriter {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        self.keys = keys(schema);
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let columns = Cells::of(batch)?;
        let mut out = String::new();
        for row in 0..batch.num_rows() {
            append_object(&self.keys, &columns, row, &mut out)?;
            out.push('\n');
        }
        Ok(self.sink.write_all(out.as_bytes())?)
    }

    fn end(&mut self) -> Result<(), OutputError> {
        Ok(self.sink.flush()?)
    }
}
