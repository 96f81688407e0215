//! Finished tables: immutable chunks of narrow columns, read as Arrow batches.
//!
//! A column is kept in the narrowest form that holds its chunk, and widened to its SQL type when a
//! batch is read.

mod column;
mod read_error;
mod table;

pub use column::{CHUNK_ROWS, ChunkRange};
pub(crate) use column::{StoredChunk, StoredColumn};
pub use read_error::ReadError;
pub(crate) use table::Columns;
pub use table::{PickedRows, Table, TraceTables};
