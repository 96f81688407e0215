//! tpq: SQL on performance traces.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let trace = tpq::Trace::open(&["trace.pftrace"], tpq::ImportOptions::default()).await?;
//! let batches = trace.sql("SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 10").await?;
//! # let _ = batches;
//! # Ok(())
//! # }
//! ```

mod arrange;
mod cache;
mod clocks;
mod cluster;
mod each;
mod file_findings;
mod import;
mod lake;
mod left_out;
mod metatrace;
mod options;
mod packet_names;
mod page_release;
mod read_ahead;
mod sort_file;
mod sql_package;
mod summary;
mod trace;
mod traces;
mod trailing_manifest;

pub use cache::TableCache;
pub use clocks::{
    Basis, ClockConversion, ClockHop, ClockJump, ClockPath, ClockTie, Clocks, Measured,
};
pub use cluster::Worker;
pub use each::{
    EachError, EachOptions, EachTrace, KeptRows, SharedColumns, TRACE_PATH, TRACE_UUID, each,
    each_in_lake,
};
pub use import::{ImportError, import};
pub use lake::{
    IngestError, IngestOptions, IngestOutcome, Ingested, LakeRows, ingest, run_in_lake,
};
pub use metatrace::{MetaTrace, Span};
pub use options::{ImportOptions, OnWarning, Progress};
pub use packet_names::packet_kinds;
pub use sql_package::{SqlPackage, SqlPackageError};
pub use summary::{FilePlacement, ImportSummary, PacketKindCount, TextDamage};
pub use tpq_clock::{
    Clock, ClockScope, Interpolation, PathError, PlaceError, Reading, Rule, Source, builtin_name,
};
pub use tpq_decode::{Treatment, kernel_events_with_tables, treatment};
pub use tpq_lake::{
    Committed, Compacted, IngestFailure, LAKE_SCHEMA, Lake, LakeCatalog, LakeError, LakeLayout,
    LakeOptions, LakeTrace, TRACE_DIGEST, Vacuumed,
};
pub use tpq_source::{FileIdentity, PartialFile, Readers, remove_abandoned, remove_partial_files};
pub use tpq_sql::{
    CancelToken, FunctionInfo, ParameterValue, Relation, RelationColumn, ResultSet, Session,
    SessionOptions, SqlError, SqlErrorKind, Statement,
};
pub use tpq_summary::{SummaryError, SummaryFormat, SummaryOptions, SummarySpecs, summarize};
pub use trace::{OpenError, Trace};
