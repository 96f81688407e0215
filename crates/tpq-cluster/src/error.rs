//! Errors of a cluster.

use std::net::SocketAddr;
use std::time::Duration;

use datafusion::error::DataFusionError;

/// An error of a scheduler, an executor or a client.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// The address is not `HOST:PORT`.
    #[error("`{0}` is not an address; expected HOST:PORT, such as 127.0.0.1:50050")]
    Address(String),
    /// Nothing answers at the address of the scheduler.
    #[error("cannot reach the scheduler at {address}: {why}")]
    Unreachable {
        /// The address.
        address: String,
        /// What the system says.
        why: String,
    },
    /// The scheduler refused a request, did not answer, or the connection to it broke.
    #[error(
        "the scheduler at {address} failed: {why}; it forgets its queries when it ends, so run the \
         command again once `tpq cluster scheduler` runs there"
    )]
    Scheduler {
        /// The address.
        address: String,
        /// The event.
        why: String,
    },
    /// The plan cannot be sent: it holds a step that only runs where it was planned.
    #[error("the plan cannot run on other machines: {0}")]
    NotPortable(String),
    /// The query failed on an executor.
    #[error("{0}")]
    Query(String),
    /// An executor cannot read the plan.
    #[error(
        "an executor cannot read the plan; run tpq {}, the version of this client, as scheduler and \
         executors",
        env!("CARGO_PKG_VERSION")
    )]
    Rejected,
    /// No executor was there to run the query.
    #[error(
        "no executor was registered with the scheduler at {address} for {} s; start one with \
         `tpq cluster executor --scheduler {address}`",
        .waited.as_secs()
    )]
    NoExecutor {
        /// The address of the scheduler.
        address: String,
        /// How long the query waited for one.
        waited: Duration,
    },
    /// Rows were lost with an executor again and again.
    #[error(
        "the rows were lost with an executor {attempts} times; the last time: {why}; this machine \
         must reach each executor at the address that its options --host and --port give"
    )]
    Lost {
        /// How often the query ran.
        attempts: u32,
        /// Why the rows could not be read the last time.
        why: String,
    },
    /// Rows could not be kept or read back.
    #[error("cannot keep rows: {0}")]
    Rows(#[from] DataFusionError),
    /// A scheduler or an executor could not start or had to stop.
    #[error("{0}")]
    Process(String),
    /// An address could not be listened on, such as one that another process has.
    #[error("cannot listen on {address}: {source}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// A socket or a folder could not be opened.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl From<datafusion::arrow::error::ArrowError> for ClusterError {
    fn from(error: datafusion::arrow::error::ArrowError) -> Self {
        Self::Rows(error.into())
    }
}
