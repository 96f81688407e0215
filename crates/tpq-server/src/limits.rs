//! What clients may use.

use std::time::Duration;

/// The most that clients may use.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of one message, and of the body of a request other than that of a trace. The Perfetto
    /// UI sends traces in messages of 32 MiB.
    pub message: usize,
    /// Connections at once. Others wait.
    pub connections: usize,
    /// Queries that run at once. Others wait.
    pub queries: usize,
    /// How long a query may run.
    pub query_time: Option<Duration>,
    /// How long a client may pause in reading a result, or in sending the body of a request.
    pub read_timeout: Duration,
    /// How long a connection waits for its client to read before it is closed. Longer than
    /// `read_timeout`, so that a client that reads on finds the error of its query.
    pub write_timeout: Duration,
    /// How long a connection of HTTP may take for its first request.
    pub first_request: Duration,
    /// How long a WebSocket may answer no ping.
    pub ping_wait: Duration,
    /// Requests of one connection that may wait for their turn.
    pub pending_requests: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message: 64 << 20,
            connections: 256,
            queries: 16,
            query_time: None,
            read_timeout: Duration::from_secs(600),
            write_timeout: Duration::from_secs(3600),
            first_request: Duration::from_secs(30),
            ping_wait: Duration::from_secs(600),
            pending_requests: 1024,
        }
    }
}
