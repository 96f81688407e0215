//! Flight SQL: statements and their rows as Arrow record batches over gRPC, for ADBC and JDBC.
//!
//! ```text
//!  gRPC ─▶ authentication ─▶ service ─┬─▶ statements ─▶ Engine (the trace)
//!                                     └─▶ metadata (tables, columns, the server itself)
//! ```
//!
//! Statements only read, in the dialect of tpq, and run in the session of all clients. The server
//! keeps nothing for a client: a handle of a statement has its text and values in it.

mod authentication;
mod batches;
mod handle;
mod metadata;
mod service;
mod status;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use axum::serve::Listener;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;
use tonic::transport::server::Connected;

use self::authentication::Authentication;
use self::service::Service;
use crate::engine::Engine;
use crate::listen::{CountedStream, LimitedListener};
use crate::origin::Access;

/// Requests of one connection at once.
const MAX_REQUESTS: u32 = 64;
/// How often a quiet client is asked whether it is there, and the time that it has to answer.
const ASK: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(20);

/// Serves connections.
///
/// # Errors
/// When the listener fails.
pub(crate) async fn run(
    listener: LimitedListener,
    engine: Arc<Engine>,
    access: Arc<Access>,
) -> io::Result<()> {
    let limit = engine.limits().message;
    let log = Arc::clone(&engine);
    let refused = Arc::new(move |why: &str| log.log().refused(&format!("Flight SQL: {why}")));
    let service = FlightServiceServer::new(Service::new(engine)).max_decoding_message_size(limit);
    let service = InterceptedService::new(service, Authentication { access, refused });
    let connections = futures::stream::unfold(listener, async |mut listener| {
        let (stream, _) = Listener::accept(&mut listener).await;
        Some((Ok::<_, io::Error>(stream), listener))
    });
    Server::builder()
        .max_concurrent_streams(MAX_REQUESTS)
        .http2_keepalive_interval(Some(ASK))
        .http2_keepalive_timeout(Some(ANSWER))
        .add_service(service)
        .serve_with_incoming(connections)
        .await
        .map_err(io::Error::other)
}

impl Connected for CountedStream {
    type ConnectInfo = ();

    fn connect_info(&self) -> Self::ConnectInfo {}
}
