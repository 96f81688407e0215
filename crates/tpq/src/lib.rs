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

mod import;
mod options;
mod packet_names;
mod trace;

pub use import::{ImportError, ImportSummary, PacketKindCount, import};
pub use options::{ImportOptions, Progress};
pub use tpq_sql::{Relation, RelationColumn, ResultSet, Session, SqlError, Statement};
pub use trace::{OpenError, Trace};
