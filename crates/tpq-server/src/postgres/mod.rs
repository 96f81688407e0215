//! The protocol of PostgreSQL, for tools that know databases and no traces: psql, Grafana, DBeaver,
//! drivers of programming languages.
//!
//! ```text
//!  socket ─▶ input ─▶ requests ─▶ connection ─▶ statements ─┬─▶ execution ─▶ Engine (the trace)
//!                                  │   ▲                    └─▶ catalog (pg_catalog)
//!  socket ◀─ output ◀──────────────┘   └─ rows ◀── record batches
//! ```
//!
//! Statements only read. They are in the dialect of tpq, and run in the session of all clients, as
//! those of other protocols; only queries of catalogs, settings and transactions are answered here,
//! as PostgreSQL would. Transactions have no effect: a trace does not change.
//!
//! Messages of clients are read here and not by `pgwire`, which does not expect damaged ones. It
//! writes the replies.

mod cancels;
mod catalog;
mod commands;
mod connection;
mod cursors;
mod errors;
mod execution;
mod extended;
mod input;
mod output;
mod reals;
mod requests;
mod rows;
mod settings;
mod startup;
mod statements;
mod values;

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use self::cancels::Cancels;
use self::catalog::Catalogs;
use self::connection::Connection;
use self::errors::{Failure, code};
use self::input::Input;
use self::output::Output;
use self::startup::NotStarted;
use crate::engine::Engine;
use crate::listen::prepare;
use crate::origin::Access;

/// What the connections share.
pub(crate) struct Shared {
    engine: Arc<Engine>,
    access: Arc<Access>,
    catalogs: Catalogs,
    cancels: Arc<Cancels>,
}

impl Shared {
    pub(crate) fn new(engine: Arc<Engine>, access: Arc<Access>) -> Arc<Self> {
        Arc::new(Self { engine, access, catalogs: Catalogs::default(), cancels: Arc::default() })
    }
}

/// Serves connections. Those that have not begun a session do not count among the connections with
/// one, so that a request to stop a query arrives when there are as many as there may be.
pub(crate) async fn run(listener: TcpListener, shared: Arc<Shared>, slots: Arc<Semaphore>) {
    let limit = shared.engine.limits().connections.clamp(1, Semaphore::MAX_PERMITS);
    let handshakes = Arc::new(Semaphore::new(limit));
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok(handshake) = Arc::clone(&handshakes).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, address)) => {
                let (shared, slots) = (Arc::clone(&shared), Arc::clone(&slots));
                connections.spawn(async move {
                    let log = Arc::clone(&shared.engine);
                    if let Some(refused) = serve(stream, shared, slots, handshake).await {
                        let why = refused.message();
                        log.log().refused(&format!("a PostgreSQL client at {address}: {why}"));
                    }
                });
            }
            // Too many open files, for example.
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    }
}

/// Serves a connection from its first message on. Returns the error that the
/// client received in place of a session.
async fn serve(
    stream: TcpStream,
    shared: Arc<Shared>,
    slots: Arc<Semaphore>,
    handshake: OwnedSemaphorePermit,
) -> Option<Failure> {
    prepare(&stream);
    let (reader, writer) = stream.into_split();
    let write_timeout = shared.engine.limits().write_timeout;
    let (mut input, mut output) = (Input::new(reader), Output::new(writer, write_timeout));
    let started = startup::start(&shared, &mut input, &mut output);
    let started = match tokio::time::timeout(startup::START_TIMEOUT, started).await {
        Ok(started) => started,
        Err(_) => return None,
    };
    let slot = slots.try_acquire_owned();
    let refused = match (started, &slot) {
        (Ok(started), Ok(_)) => {
            drop(handshake);
            Connection::new(shared, input, output, started).run().await;
            return None;
        }
        (Ok(_), Err(_)) => {
            let limit = shared.engine.limits().connections;
            let message = format!("the server has {limit} connections, and may not have more");
            Failure::new(code::TOO_MANY_CONNECTIONS, message).fatal()
        }
        (Err(NotStarted::Refused(failure)), _) => failure,
        (Err(NotStarted::Ended), _) => return None,
    };
    let _ = output.add(&refused.to_message());
    output.close().await;
    Some(refused)
}
