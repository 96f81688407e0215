//! Queries and imports on many machines: the scheduler and the executors of Ballista, with tpq's
//! functions in them, and a client of theirs.
//!
//! Statements never mix the events of two traces, so the unit of distribution is a trace. One
//! operator, [`TraceWorkExec`], takes the names of traces and gives the rows of some work on each;
//! every other step of a plan is DataFusion's, and Ballista cuts the plan into stages.
//!
//! ```text
//! client      names of traces ──▶ TraceWorkExec ──▶ steps of DataFusion    (a physical plan)
//!                │ submit
//! scheduler      └──▶ stages ──▶ tasks, each with some partitions of the names
//!                                  │ launch
//! executor                         └──▶ TraceWorker::run for each name ──▶ rows in files
//!                ┌─────────────────────────────────────────────────────────┘ fetch
//! client      rows, kept until all have arrived
//! ```
//!
//! This crate does not know how a trace is opened or imported: [`TraceWorker`] does, which the
//! binary gives to each process.

mod cancellation;
mod client;
mod codec;
mod error;
mod executor;
mod kept_rows;
mod lost_reports;
mod names;
mod operator;
mod probe;
mod scheduler;
mod settings;
mod table;
mod task_error;
mod vacancy;
mod watchdog;
mod work;

pub use client::{Cluster, EXECUTOR_WAIT, Query};
pub use codec::ClusterCodec;
pub use error::ClusterError;
pub use executor::{ExecutorOptions, execute};
pub use kept_rows::KeptRows;
pub use operator::{TraceWorkExec, portable_schema};
pub use scheduler::{LOST_SECONDS, SchedulerOptions, schedule};
pub use settings::{distributed_session, plain_settings};
pub use table::TraceWorkTable;
pub use work::{FAILURE, Task, TraceWork, TraceWorker};
