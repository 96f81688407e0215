//! The server: its listeners and the tasks that serve them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::engine::Engine;
use crate::http::{App, router};
use crate::listen::{Endpoint, LimitedListener, ListenError, bind};
use crate::origin::Access;

/// A server that listens.
pub struct Server {
    app: App,
    tcp: Vec<TcpListener>,
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
        endpoints: &[Endpoint],
    ) -> Result<Self, ListenError> {
        let mut tcp = Vec::new();
        for endpoint in endpoints {
            tcp.extend(bind(endpoint)?);
        }
        let app = App { engine, access: Arc::new(access) };
        Ok(Self {
            app,
            tcp,
            #[cfg(unix)]
            sockets: sockets(endpoints)?,
        })
    }

    /// The addresses at which the server listens, with the ports that were chosen.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.tcp.iter().filter_map(|listener| listener.local_addr().ok()).collect()
    }

    /// Serves connections until `stop` is ready, and then ends them.
    ///
    /// # Errors
    /// When a listener fails.
    pub async fn run(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let limit = self.app.engine.limits().connections.clamp(1, Semaphore::MAX_PERMITS);
        let slots = Arc::new(Semaphore::new(limit));
        let mut tasks: JoinSet<io::Result<()>> = JoinSet::new();
        for listener in self.tcp {
            let listener = LimitedListener::new(listener, Arc::clone(&slots));
            let router = router(self.app.clone());
            tasks.spawn(async move { axum::serve(listener, router).await });
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

#[cfg(unix)]
fn sockets(endpoints: &[Endpoint]) -> Result<Vec<crate::unix_socket::Socket>, ListenError> {
    let paths = endpoints.iter().filter_map(|endpoint| match endpoint {
        Endpoint::Socket(path) => Some(path),
        Endpoint::Loopback(_) | Endpoint::Address(_) => None,
    });
    paths.map(|path| crate::unix_socket::Socket::bind(path)).collect()
}
