//! A lake: the tables of many traces as partitioned Parquet files, with a catalogue of the traces.
//!
//! ```text
//! tables of a trace ──write──▶ Parquet files ──log──▶ a Delta table for each table of tpq
//!                                            └─catalog─▶ `traces`: a row for each trace
//! LakeTrace ──scan──▶ table providers ──tpq_sql::Session──▶ rows
//! ```
//!
//! The catalogue decides which traces exist: its row of a trace names every file that has rows of
//! the trace. Files come first, then the commits of the tables, and the commit of the catalogue
//! last, so a process that dies leaves files that nothing refers to, and never half a trace.
//!
//! This crate owns storage. It does not know how a trace becomes tables, or how statements run on
//! each of many traces.

mod catalog;
mod commit;
mod error;
mod failures;
mod lake;
mod lake_scan;
mod loader;
mod log;
mod maintain;
mod readers;
mod relations;
mod runtime;
mod scan;
mod session;
mod storage_error;
mod store;
mod stored_file;
mod stores;
#[cfg(test)]
mod test_lake;
mod trace;
mod upload;
mod windows;
mod write;

pub use catalog::{LakeCatalog, LakeLayout};
pub use commit::Committed;
pub use error::LakeError;
pub use failures::IngestFailure;
pub use lake::{Lake, LakeOptions};
pub use lake_scan::plain_scans;
pub use maintain::{Compacted, Vacuumed};
pub use readers::with_lake_readers;
pub use scan::TraceFilesScan;
pub use storage_error::is_of_storage;
pub use stores::EnvironmentStores;
pub use trace::{LakeTrace, TableFile, TraceFacts};

/// The column of every table of a lake with the digest of the trace, in hexadecimal digits.
pub const TRACE_DIGEST: &str = "trace_digest";
/// The schema of the relations over all traces: `lake.slice`, `lake.traces`…
pub const LAKE_SCHEMA: &str = "lake";
