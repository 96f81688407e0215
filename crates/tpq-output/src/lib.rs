//! Result sets as bytes: one file per format.
//!
//! ```text
//! ResultSet ──batches──▶ ResultWriter (table, csv, tsv, json, ndjson, markdown, arrow, parquet) ──▶ bytes
//! ```
//!
//! A [`ResultWriter`] is fed batch by batch and keeps none of them, except the table, which must
//! know its widths and therefore takes only so many rows. The crate knows nothing of SQL, nor of
//! where the bytes go.

mod arrow;
mod cell;
mod compression;
mod csv;
mod error;
mod file_format;
mod format;
mod json;
mod markdown;
mod metadata;
mod names;
mod ndjson;
mod parquet;
mod plan;
mod table;
mod tsv;
mod writer;

#[cfg(test)]
mod tests;

pub use compression::{Compression, Encoder};
pub use error::OutputError;
pub use file_format::{FileFormat, UnknownEnding};
pub use format::Format;
pub use metadata::FileMetadata;
pub use writer::{OutputOptions, ResultWriter, Sink, writer};
