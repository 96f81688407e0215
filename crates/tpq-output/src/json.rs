//! JSON: one array of objects per result set.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use std::fmt::Write as _;

use crate::cell::Cells;
use crate::names::unique_names;
use crate::{OutputError, ResultWriter, Sink};

pub(crate) struct JsonWriter {
    sink: Sink,
    keys: Vec<String>,
    has_row: bool,
}

impl JsonWriter {
    pub(crate) fn new(sink: Sink) -> Self {
        Self { sink, keys: Vec::new(), has_row: false }
    }
}

/// The names of the columns as JSON keys, each with its colon.
pub(crate) fn keys(schema: &SchemaRef) -> Vec<String> {
    let key = |name: &String| {
        let mut key = String::new();
        append_text(name.clone(), &mut key);
        key.push(':');
        key
    };
    unique_names(schema).iter().map(key).collect()
}

/// Appends one row as an object.
pub(crate) fn append_object(
    keys: &[String],
    columns: &[Cells],
    row: usize,
    out: &mut String,
) -> Result<(), OutputError> {
    out.push('{');
    for (index, (key, cells)) in keys.iter().zip(columns).enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(key);
        if cells.is_null(row) || cells.is_unrepresentable_in_json(row) {
            out.push_str("null");
        } else if cells.is_number() {
            cells.append(row, out)?;
        } else {
            let mut text = String::new();
            cells.append(row, &mut text)?;
            append_text(text, out);
        }
    }
    out.push('}');
    Ok(())
}

/// Appends a text, quoted and escaped.
fn append_text(text: String, out: &mut String) {
    // Writing to a `String` does not fail.
    let _ = write!(out, "{}", serde_json::Value::from(text));
}

impl ResultWriter for JsonWriter {
    fn begin(&mut self, schema: &SchemaRef) -> Result<(), OutputError> {
        self.keys = keys(schema);
        self.has_row = false;
        Ok(self.sink.write_all(b"[")?)
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let columns = Cells::of(batch)?;
        let mut out = String::new();
        for row in 0..batch.num_rows() {
            out.push_str(if self.has_row { ",\n" } else { "\n" });
            self.has_row = true;
            append_object(&self.keys, &columns, row, &mut out)?;
        }
        Ok(self.sink.write_all(out.as_bytes())?)
    }

    fn end(&mut self) -> Result<(), OutputError> {
        self.sink.write_all(if self.has_row { b"\n]\n" } else { b"]\n" })?;
        Ok(self.sink.flush()?)
    }
}
