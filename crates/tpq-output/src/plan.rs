//! The text of plans: unchanged lines, because a table would cut long lines.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;

use crate::cell::Cells;
use crate::{OutputError, Sink};

/// Whether these are the columns of `EXPLAIN`.
pub(crate) fn is_plan(schema: &SchemaRef) -> bool {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    names.eq(["plan_type", "plan"])
}

/// Collects plans: the kind of each plan, then its lines.
#[derive(Default)]
pub(crate) struct PlanText {
    kind: String,
    text: String,
}

impl PlanText {
    /// Adds the lines in a batch.
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<(), OutputError> {
        let columns = Cells::of(batch)?;
        let [kinds, lines] = columns.as_slice() else { return Ok(()) };
        for row in 0..batch.num_rows() {
            let mut kind = String::new();
            kinds.append(row, &mut kind)?;
            if kind != self.kind {
                self.text.push_str(&kind);
                self.text.push('\n');
                self.kind = kind;
            }
            self.text.push_str("  ");
            lines.append(row, &mut self.text)?;
            self.text.push('\n');
        }
        Ok(())
    }

    /// Writes the collected plans.
    pub(crate) fn write(&self, sink: &mut Sink) -> Result<(), OutputError> {
        // Names in a plan come from the user, so only line breaks may move the cursor.
        let shown = |c: char| if c.is_control() && c != '\n' { '\u{fffd}' } else { c };
        let text: String = self.text.chars().map(shown).collect();
        sink.write_all(text.as_bytes())?;
        Ok(sink.flush()?)
    }
}
