//! Rows as JSON arrays, for pages: types once, then values alone.

use std::fmt::Write as _;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use serde_json::{Value, json};

use crate::OutputError;
use crate::cell::Cells;

/// The largest integer up to which a double holds all integers, as JavaScript reads numbers.
const MAX_EXACT: u128 = 1 << 53;

/// The columns and rows of one result set.
///
/// A row is an array. Integers beyond 2^53 and floats that JSON lacks (`Inf`, `-Inf`, `NaN`) are
/// strings, blobs are strings of hexadecimal digits, and booleans are 1 and 0.
#[derive(Debug)]
pub struct JsonRows {
    columns: Value,
    /// The rows with commas between them.
    rows: String,
    count: usize,
}

impl JsonRows {
    /// An empty result of these columns.
    pub fn new(schema: &SchemaRef) -> Self {
        let column = |field: &std::sync::Arc<datafusion::arrow::datatypes::Field>| json!({ "name": field.name(), "type": type_name(field.data_type()) });
        let columns = schema.fields().iter().map(column).collect();
        Self { columns, rows: String::new(), count: 0 }
    }

    /// Appends rows, up to `max_rows` in total. Returns whether all were appended.
    ///
    /// # Errors
    /// When a value cannot be formatted.
    pub fn push(&mut self, batch: &RecordBatch, max_rows: usize) -> Result<bool, OutputError> {
        let columns = Cells::of(batch)?;
        let room = max_rows.saturating_sub(self.count);
        for row in 0..batch.num_rows().min(room) {
            self.push_row(&columns, row)?;
        }
        Ok(batch.num_rows() <= room)
    }

    fn push_row(&mut self, columns: &[Cells<'_>], row: usize) -> Result<(), OutputError> {
        self.rows.push_str(if self.count == 0 { "[" } else { ",\n[" });
        self.count += 1;
        for (index, cells) in columns.iter().enumerate() {
            if index > 0 {
                self.rows.push(',');
            }
            if cells.is_null(row) {
                self.rows.push_str("null");
                continue;
            }
            let start = self.rows.len();
            cells.append(row, &mut self.rows)?;
            if !cells.is_number()
                || cells.is_unrepresentable_in_json(row)
                || !is_exact(&self.rows[start..])
            {
                let text = self.rows.split_off(start);
                // Writing to a `String` does not fail.
                let _ = write!(self.rows, "{}", Value::from(text));
            }
        }
        self.rows.push(']');
        Ok(())
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The size of the rows in bytes.
    pub fn bytes(&self) -> usize {
        self.rows.len()
    }

    /// The members `columns` and `rows` of an object, without its braces.
    pub fn members(&self) -> String {
        format!("\"columns\":{},\"rows\":[{}]", self.columns, self.rows)
    }
}

/// Whether a reader with doubles gets the number as it is written.
fn is_exact(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
    !is_integer || digits.parse::<u128>().is_ok_and(|value| value <= MAX_EXACT)
}

/// The SQL type of a column.
fn type_name(data_type: &DataType) -> String {
    match data_type {
        data_type if data_type.is_integer() => "INTEGER".to_owned(),
        DataType::Boolean => "INTEGER".to_owned(),
        data_type if data_type.is_floating() => "DOUBLE".to_owned(),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "TEXT".to_owned(),
        DataType::Dictionary(_, values) => type_name(values),
        data_type if data_type.is_binary() => "BLOB".to_owned(),
        DataType::Null => "NULL".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::array::{
        ArrayRef, BinaryArray, BooleanArray, Float64Array, Int64Array, StringArray,
    };

    use super::*;

    fn batch() -> RecordBatch {
        let integers =
            Int64Array::from(vec![Some(1 << 53), Some((1 << 53) + 1), None, Some(i64::MIN)]);
        let floats = Float64Array::from(vec![0.1, f64::INFINITY, f64::NAN, 3.0]);
        let texts = StringArray::from(vec!["a\"b", "</script>", "é\n", ""]);
        let booleans = BooleanArray::from(vec![true, false, true, false]);
        let blobs = BinaryArray::from(vec![&b"\x00\xff"[..], b"", b"a", b"b"]);
        let columns: [(&str, ArrayRef); 5] = [
            ("i", Arc::new(integers)),
            ("f", Arc::new(floats)),
            ("t", Arc::new(texts)),
            ("b", Arc::new(booleans)),
            ("x", Arc::new(blobs)),
        ];
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, array)| (name, array, true)))
            .unwrap()
    }

    #[test]
    fn values_are_exact() {
        let batch = batch();
        let mut rows = JsonRows::new(&batch.schema());
        assert!(rows.push(&batch, 10).unwrap());
        let value: Value = serde_json::from_str(&format!("{{{}}}", rows.members())).unwrap();
        let expected = json!({
            "columns": [
                { "name": "i", "type": "INTEGER" }, { "name": "f", "type": "DOUBLE" },
                { "name": "t", "type": "TEXT" }, { "name": "b", "type": "INTEGER" },
                { "name": "x", "type": "BLOB" },
            ],
            "rows": [
                [9_007_199_254_740_992_i64, 0.1, "a\"b", 1, "00ff"],
                ["9007199254740993", "Inf", "</script>", 0, ""],
                [null, "NaN", "é\n", 1, "61"],
                ["-9223372036854775808", 3.0, "", 0, "62"],
            ],
        });
        assert_eq!(value, expected);
    }

    #[test]
    fn rows_are_limited() {
        let batch = batch();
        let mut rows = JsonRows::new(&batch.schema());
        assert!(rows.push(&batch, 5).unwrap());
        assert!(!rows.push(&batch, 5).unwrap());
        assert_eq!(rows.count(), 5);
    }
}
