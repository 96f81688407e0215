//! Settings that the client, the scheduler and the executors share.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::config::{
    BALLISTA_CLIENT_GRPC_TIMEOUT_SECONDS, BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK,
};
use ballista_core::extension::SessionConfigExt;
use datafusion::catalog::TableProvider;
use datafusion::prelude::SessionConfig;
use tonic::transport::Endpoint;
use tpq_sql::{Session, SessionOptions, SqlError};

/// The most bytes of a message. A plan holds the names of all traces: a hundred bytes each.
pub(crate) const MOST_MESSAGE: usize = 256 << 20;

/// The number of partitions of steps that need the rows of several traces, such as groups.
const PARTITIONS: usize = 16;

/// Seconds that a request may take. One to read rows takes as long as the disk does.
pub(crate) const REQUEST_SECONDS: usize = 120;

/// The longest time until a connection to a scheduler or an executor is there.
const CONNECTION: Duration = Duration::from_secs(20);

/// How a connection finds out that the other side hangs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pings {
    /// How often the other side is asked for a sign of life.
    every: Duration,
    /// How long it may take.
    answer: Duration,
}

impl Pings {
    /// Of an executor to its scheduler. Tasks are lost with the connection, so a scheduler on a busy
    /// machine gets its time.
    pub(crate) const OF_REPORTS: Self =
        Self { every: Duration::from_secs(20), answer: Duration::from_secs(90) };

    /// Of a client to an executor with rows. An executor that is silent for so long is lost to the
    /// scheduler as well, and the client runs its query again.
    pub(crate) const OF_ROWS: Self = Self {
        every: Duration::from_secs(5),
        answer: Duration::from_secs(2 * crate::scheduler::LOST_SECONDS),
    };
}

/// Adds Ballista's settings, with which plans hold only what can be sent.
pub(crate) fn with_ballista(config: SessionConfig) -> SessionConfig {
    config
        .upgrade_for_ballista()
        .with_ballista_grpc_client_max_message_size(MOST_MESSAGE)
        .set_usize(BALLISTA_CLIENT_GRPC_TIMEOUT_SECONDS, REQUEST_SECONDS)
        // A partition is up to some hundred traces: enough work for a task.
        .set_usize(BALLISTA_SCHEDULER_MAX_PARTITIONS_PER_TASK, 1)
        .with_target_partitions(PARTITIONS)
}

/// A connection that breaks where the other side hangs or is gone. Ballista sets no limits to those
/// for rows and for reports of tasks.
pub(crate) fn with_pings(endpoint: Endpoint, pings: Pings) -> Endpoint {
    endpoint
        .connect_timeout(CONNECTION)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(pings.every)
        .keep_alive_timeout(pings.answer)
        .keep_alive_while_idle(true)
}

/// The settings of a plan that no session made.
pub fn plain_settings() -> SessionConfig {
    with_ballista(SessionConfig::new())
}

/// A session without a trace that plans statements for other processes. `scans` are tables in
/// place of empty ones.
///
/// # Errors
/// Only when the query engine cannot be set up, which is a bug.
pub fn distributed_session(
    scans: HashMap<String, Arc<dyn TableProvider>>,
    options: &SessionOptions,
) -> Result<Session, SqlError> {
    Session::distributed(scans, options, with_ballista)
}
