//! Rows as `QueryResult` messages.
//!
//! A result is a row of messages that a reader may parse as one: the names of the columns come
//! first, each message after that has a batch of cells, and the last batch says that it is the
//! last. The bytes are written directly, because a result may have millions of cells.

mod cells;

use bytes::{BufMut, Bytes, BytesMut};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint};
use tpq_proto::message::QueryResult;
use tpq_proto::message::query_result::CellsBatch;

use self::cells::{Cell, Cells};

/// The most cells of a batch.
const MAX_CELLS: usize = 50_000;
/// The size in bytes from which a batch is sent.
const FULL_BATCH: usize = 128 << 10;

/// Numbers of the fields of `QueryResult`.
mod field {
    pub(super) const BATCH: u32 = 3;
}

/// Numbers of the fields of `CellsBatch`.
mod batch_field {
    pub(super) const CELLS: u32 = 1;
    pub(super) const VARINT_CELLS: u32 = 2;
    pub(super) const FLOAT64_CELLS: u32 = 3;
    pub(super) const BLOB_CELLS: u32 = 4;
    pub(super) const STRING_CELLS: u32 = 5;
    pub(super) const IS_LAST_BATCH: u32 = 6;
}

/// Values of `CellType`.
mod cell_type {
    pub(super) const NULL: u8 = 1;
    pub(super) const VARINT: u8 = 2;
    pub(super) const FLOAT64: u8 = 3;
    pub(super) const STRING: u8 = 4;
    pub(super) const BLOB: u8 = 5;
}

/// What is known about a text of statements before the rows of its last one.
#[derive(Clone, Debug, Default)]
pub struct StatementCounts {
    /// The number of statements.
    pub statements: u32,
    /// The number of statements with columns.
    pub with_output: u32,
    /// The text of the last statement.
    pub last_sql: String,
}

impl StatementCounts {
    /// The first message of a result: the counts, and the names of its columns.
    pub fn first_message(&self, schema: Option<&SchemaRef>) -> QueryResult {
        let names = schema.map(|schema| schema.fields().iter().map(|field| field.name().clone()));
        QueryResult {
            column_names: names.into_iter().flatten().collect(),
            statement_count: Some(self.statements),
            statement_with_output_count: Some(self.with_output),
            last_statement_sql: Some(self.last_sql.clone()),
            ..QueryResult::default()
        }
    }
}

/// The message of a query that failed.
pub fn error_message(error: impl Into<String>) -> QueryResult {
    let last = CellsBatch { is_last_batch: Some(true), ..CellsBatch::default() };
    QueryResult { error: Some(error.into()), batch: vec![last], ..QueryResult::default() }
}

/// Collects cells, row by row, into batches.
#[derive(Debug, Default)]
pub struct BatchEncoder {
    cells: Vec<u8>,
    varints: Vec<u8>,
    floats: Vec<u8>,
    /// The field of each blob, with its key and length.
    blobs: Vec<u8>,
    strings: Vec<u8>,
}

impl BatchEncoder {
    /// Adds rows. Returns the batches that are full, as messages.
    ///
    /// # Errors
    /// When the values of a column have a type that cannot be shown.
    pub fn add(&mut self, rows: &RecordBatch) -> Result<Vec<Bytes>, ArrowError> {
        let columns = Cells::of(rows)?;
        let mut full = Vec::new();
        for row in 0..rows.num_rows() {
            if self.is_full_before(columns.len()) {
                full.push(self.take(false));
            }
            for column in &columns {
                self.push(&column.cell(row)?);
            }
        }
        Ok(full)
    }

    /// The last batch, as a message.
    pub fn finish(mut self) -> Bytes {
        self.take(true)
    }

    /// Whether a row with this many cells begins another batch.
    fn is_full_before(&self, row: usize) -> bool {
        if self.cells.is_empty() {
            return false;
        }
        let values = self.varints.len() + self.floats.len() + self.blobs.len();
        self.cells.len() + row > MAX_CELLS
            || self.cells.len() + values + self.strings.len() >= FULL_BATCH
    }

    fn push(&mut self, cell: &Cell<'_>) {
        let kind = match cell {
            Cell::Null => cell_type::NULL,
            Cell::Integer(value) => {
                encode_varint(*value as u64, &mut self.varints);
                cell_type::VARINT
            }
            Cell::Float(value) => {
                self.floats.put_f64_le(*value);
                cell_type::FLOAT64
            }
            Cell::Text(text) => {
                self.push_text(text.as_bytes());
                cell_type::STRING
            }
            Cell::Shown(text) => {
                self.push_text(text.as_bytes());
                cell_type::STRING
            }
            Cell::Blob(bytes) => {
                encode_key(batch_field::BLOB_CELLS, WireType::LengthDelimited, &mut self.blobs);
                encode_varint(bytes.len() as u64, &mut self.blobs);
                self.blobs.extend_from_slice(bytes);
                cell_type::BLOB
            }
        };
        self.cells.push(kind);
    }

    /// Appends a text with a NUL behind it. A NUL within the text is its end.
    fn push_text(&mut self, text: &[u8]) {
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        self.strings.extend_from_slice(text.get(..end).unwrap_or_default());
        self.strings.push(0);
    }

    /// The cells so far as a message with one batch.
    fn take(&mut self, is_last: bool) -> Bytes {
        let lists = [
            (batch_field::CELLS, &self.cells),
            (batch_field::VARINT_CELLS, &self.varints),
            (batch_field::FLOAT64_CELLS, &self.floats),
            (batch_field::STRING_CELLS, &self.strings),
        ];
        let list_len = |list: &Vec<u8>| match list.len() {
            0 => 0,
            len => 1 + encoded_len_varint(len as u64) + len,
        };
        let last_len = if is_last { 2 } else { 0 };
        let len = lists.iter().map(|(_, list)| list_len(list)).sum::<usize>()
            + self.blobs.len()
            + last_len;
        let mut message = BytesMut::with_capacity(1 + encoded_len_varint(len as u64) + len);
        encode_key(field::BATCH, WireType::LengthDelimited, &mut message);
        encode_varint(len as u64, &mut message);
        for (number, list) in lists {
            if !list.is_empty() {
                encode_key(number, WireType::LengthDelimited, &mut message);
                encode_varint(list.len() as u64, &mut message);
                message.put_slice(list);
            }
        }
        message.put_slice(&self.blobs);
        if is_last {
            encode_key(batch_field::IS_LAST_BATCH, WireType::Varint, &mut message);
            encode_varint(1, &mut message);
        }
        for list in [
            &mut self.cells,
            &mut self.varints,
            &mut self.floats,
            &mut self.blobs,
            &mut self.strings,
        ] {
            list.clear();
        }
        message.freeze()
    }
}

/// The last message of a result: the cells that are left, and how long the query took.
pub fn last_message(encoder: BatchEncoder, elapsed: std::time::Duration) -> Bytes {
    let time = QueryResult {
        elapsed_time_ms: Some(elapsed.as_secs_f64() * 1e3),
        ..QueryResult::default()
    };
    let mut message = BytesMut::from(time.encode_to_vec().as_slice());
    message.extend_from_slice(&encoder.finish());
    message.freeze()
}

#[cfg(test)]
mod tests;
