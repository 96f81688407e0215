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

/// How often the other side of a connection is asked for a sign of life, and how long it may take.
const PING: Duration = Duration::from_secs(20);
const PONG: Duration = Duration::from_secs(90);

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
pub(crate) fn with_pings(endpoint: Endpoint) -> Endpoint {
    endpoint
        .connect_timeout(CONNECTION)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(PING)
        .keep_alive_timeout(PONG)
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
