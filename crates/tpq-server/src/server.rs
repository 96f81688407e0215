//! The server: its listeners and the tasks that serve them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::engine::Engine;
use crate::http::{self, App, router};
use crate::listen::{Endpoint, LimitedListener, ListenError, bind};
use crate::origin::Access;
use crate::{flight_sql, postgres};

/// Where a server is to listen, for each protocol.
#[derive(Clone, Default, Debug)]
pub struct Endpoints {
    /// For HTTP, WebSockets and the byte pipe.
    pub http: Vec<Endpoint>,
    /// For the protocol of PostgreSQL.
    pub postgres: Vec<Endpoint>,
    /// For Flight SQL.
    pub flight_sql: Vec<Endpoint>,
}

/// The addresses at which a server listens, for each protocol.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Addresses {
    /// For HTTP, WebSockets and the byte pipe.
    pub http: Vec<SocketAddr>,
    /// For the protocol of PostgreSQL.
    pub postgres: Vec<SocketAddr>,
    /// For Flight SQL.
    pub flight_sql: Vec<SocketAddr>,
}

/// A server that listens.
pub struct Server {
    app: App,
    http: Vec<TcpListener>,
    postgres: Vec<TcpListener>,
    flight_sql: Vec<TcpListener>,
    #[cfg(unix)]
    sockets: Vec<crate::unix_socket::Socket>,
}

impl Server {
    /// Listens at `endpoints`. Connections wait until [`Server::run`] serves them. Must be called
    /// on the runtime that will run it.
    ///
    /// # Errors
    /// When an endpoint is in use or cannot be used.
    pub fn bind(
        engine: Arc<Engine>,
        access: Access,
        endpoints: &Endpoints,
    ) -> Result<Self, ListenError> {
        let app = App { engine, access: Arc::new(access) };
        Ok(Self {
            app,
            http: bind_all(&endpoints.http)?,
            postgres: bind_all(&endpoints.postgres)?,
            flight_sql: bind_all(&endpoints.flight_sql)?,
            #[cfg(unix)]
            sockets: sockets(&endpoints.http)?,
        })
    }

    /// The addresses at which the server listens, with the ports that were chosen.
    pub fn addresses(&self) -> Addresses {
        let of = |listeners: &[TcpListener]| {
            listeners.iter().filter_map(|listener| listener.local_addr().ok()).collect()
        };
        Addresses {
            http: of(&self.http),
            postgres: of(&self.postgres),
            flight_sql: of(&self.flight_sql),
        }
    }

    /// Serves connections until `stop` is ready, and then ends them. WebSockets and connections of
    /// Unix sockets and Flight SQL run in tasks of their own, and end with the runtime.
    ///
    /// # Errors
    /// When a listener fails.
    pub async fn run(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let limit = self.app.engine.limits().connections.clamp(1, Semaphore::MAX_PERMITS);
        let slots = Arc::new(Semaphore::new(limit));
        let wait = self.app.engine.limits().write_timeout;
        let mut tasks: JoinSet<io::Result<()>> = JoinSet::new();
        if !self.postgres.is_empty() {
            let (engine, access) = (Arc::clone(&self.app.engine), Arc::clone(&self.app.access));
            let shared = postgres::Shared::new(engine, access);
            for listener in self.postgres {
                let (shared, slots) = (Arc::clone(&shared), Arc::clone(&slots));
                tasks.spawn(async move {
                    postgres::run(listener, shared, slots).await;
                    Ok(())
                });
            }
        }
        for listener in self.flight_sql {
            let listener = LimitedListener::new(listener, Arc::clone(&slots), wait);
            let (engine, access) = (Arc::clone(&self.app.engine), Arc::clone(&self.app.access));
            tasks.spawn(flight_sql::run(listener, engine, access));
        }
        for listener in self.http {
            let listener = LimitedListener::new(listener, Arc::clone(&slots), wait);
            let (router, engine) = (router(self.app.clone()), Arc::clone(&self.app.engine));
            tasks.spawn(async move {
                http::run(listener, router, engine.limits()).await;
                Ok(())
            });
        }
        #[cfg(unix)]
        for socket in self.sockets {
            let (engine, slots) = (Arc::clone(&self.app.engine), Arc::clone(&slots));
            tasks.spawn(async move {
                socket.run(engine, slots).await;
                Ok(())
            });
        }
        let ended = tokio::select! {
            () = stop => Ok(()),
            ended = tasks.join_next() => match ended {
                Some(Ok(outcome)) => outcome,
                Some(Err(error)) => Err(io::Error::other(error)),
                None => Ok(()),
            },
        };
        // Waits until the tasks are dropped, and with them the files of sockets.
        tasks.shutdown().await;
        ended
    }
}

fn bind_all(endpoints: &[Endpoint]) -> Result<Vec<TcpListener>, ListenError> {
    let mut listeners = Vec::new();
    for endpoint in endpoints {
        listeners.extend(bind(endpoint)?);
    }
    Ok(listeners)
}

#[cfg(unix)]
fn sockets(endpoints: &[Endpoint]) -> Result<Vec<crate::unix_socket::Socket>, ListenError> {
    let paths = endpoints.iter().filter_map(|endpoint| match endpoint {
        Endpoint::Socket(path) => Some(path),
        Endpoint::Loopback(_) | Endpoint::Address(_) => None,
    });
    paths.map(|path| crate::unix_socket::Socket::bind(path)).collect()
}
