//! Writes result sets as bytes: one file per format.
//!
//! ```text
//! ResultSet ──batches──▶ ResultWriter (table, csv, tsv, json, ndjson, markdown, arrow, parquet) ──▶ bytes
//! ```
//!
//! A [`ResultWriter`] receives batches one by one and keeps none of them. There are two exceptions.
//! The table format must know the widths of its columns and therefore buffers a limited number of
//! rows. Parquet keeps the first ones to choose encodings, and some to encode columns on several
//! threads. [`JsonRows`] are rows for a page, with the types of their columns. The crate does not
//! depend on SQL, nor on the destination of the bytes.

mod arrow;
mod cell;
mod column_chunk;
mod compression;
mod csv;
mod error;
mod file_format;
mod format;
mod integer_encoding;
mod json;
mod json_rows;
mod markdown;
mod metadata;
mod names;
mod ndjson;
mod parquet;
mod plan;
mod row_groups;
mod table;
mod tsv;
mod writer;

#[cfg(test)]
mod tests;

pub use compression::{Compression, Encoder};
pub use error::OutputError;
pub use file_format::{FileFormat, UnknownEnding};
pub use format::Format;
pub use json_rows::JsonRows;
pub use metadata::FileMetadata;
pub use writer::{OutputOptions, ResultWriter, Sink, writer};
