//! Lakes: traces are imported into them, and statements run on their traces without an import.
//!
//! ```text
//! paths ──▶ jobs, several at a time: digest, import, facts, files
//!       ──▶ batches: commits to the logs of tables, then to the catalogue
//! traces of the catalogue ──▶ jobs, several at a time: a session on the files, the statements
//! ```

mod facts;
mod ingest;
mod open;
mod statement;

pub use self::ingest::{IngestError, IngestOptions, IngestOutcome, Ingested, ingest};
pub use self::statement::{LakeRows, run_in_lake};
