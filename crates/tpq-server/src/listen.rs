//! Where the server listens.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener as StdListener};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::serve::Listener;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

/// How long a connection may be quiet before the system asks whether the other machine is there.
const QUIET: Duration = Duration::from_secs(60);

/// Where a server is to listen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Endpoint {
    /// A port of both loopback addresses, where both exist. Port 0 stands for any that is free.
    Loopback(u16),
    /// An address and a port.
    Address(SocketAddr),
    /// A Unix socket.
    Socket(PathBuf),
}

/// Why a server cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// Another process has the port.
    #[error(
        "port {} of {} is in use: another server may run there; choose another port, or 0 \
         for any that is free",
        .0.port(), .0.ip()
    )]
    InUse(SocketAddr),
    /// The address cannot be used.
    #[error("cannot listen on {address}: {source}")]
    Address {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// Another process listens on the socket.
    #[error("a server listens on {} already", .0.display())]
    SocketInUse(PathBuf),
    /// The socket cannot be created.
    #[error("cannot listen on {}: {source}", path.display())]
    Socket {
        /// The path.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// Listens on a port of both loopback addresses, or on one address.
///
/// # Errors
/// When the port is in use, or the address is not one of this machine.
pub(crate) fn bind(endpoint: &Endpoint) -> Result<Vec<TcpListener>, ListenError> {
    match endpoint {
        Endpoint::Address(address) => Ok(vec![bind_one(*address)?]),
        Endpoint::Loopback(port) => bind_loopback(*port),
        Endpoint::Socket(_) => Ok(Vec::new()),
    }
}

fn bind_loopback(port: u16) -> Result<Vec<TcpListener>, ListenError> {
    /// How often a free port is chosen of which the other family is in use.
    const TRIES: usize = 20;
    let mut tries = 0;
    loop {
        let first = bind_one((IpAddr::V4(Ipv4Addr::LOCALHOST), port).into())?;
        let chosen = first.local_addr().map_or(port, |address| address.port());
        match bind_one((IpAddr::V6(Ipv6Addr::LOCALHOST), chosen).into()) {
            Ok(second) => return Ok(vec![first, second]),
            Err(ListenError::InUse(_)) if port == 0 && tries < TRIES => tries += 1,
            Err(error @ ListenError::InUse(_)) => return Err(error),
            // There is no IPv6.
            Err(_) => return Ok(vec![first]),
        }
    }
}

fn bind_one(address: SocketAddr) -> Result<TcpListener, ListenError> {
    let listen = || {
        let listener = StdListener::bind(address)?;
        listener.set_nonblocking(true)?;
        TcpListener::from_std(listener)
    };
    listen().map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => ListenError::InUse(address),
        _ => ListenError::Address { address, source },
    })
}

/// A listener with a limit on connections at once. Others wait for one of them
/// to end.
pub(crate) struct LimitedListener {
    listener: TcpListener,
    slots: Arc<Semaphore>,
    write_timeout: Duration,
}

impl LimitedListener {
    /// A listener of which the clients may read nothing for as long as `write_timeout`.
    pub(crate) fn new(
        listener: TcpListener,
        slots: Arc<Semaphore>,
        write_timeout: Duration,
    ) -> Self {
        Self { listener, slots, write_timeout }
    }
}

impl Listener for LimitedListener {
    type Io = CountedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (CountedStream, SocketAddr) {
        let (stream, address) = Listener::accept(&mut self.listener).await;
        // The semaphore is never closed.
        let slot = Arc::clone(&self.slots).acquire_owned().await.ok();
        prepare(&stream);
        let write_timeout = self.write_timeout;
        (CountedStream { stream, _slot: slot, write_timeout, stalled: None }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Sets the options of a connection. They are no condition of serving it.
pub(crate) fn prepare(stream: &TcpStream) {
    // Replies are small and awaited, one after the other.
    let _ = stream.set_nodelay(true);
    // A machine that has gone says nothing, and its connection counts as one.
    let asks = TcpKeepalive::new().with_time(QUIET);
    let _ = SockRef::from(stream).set_tcp_keepalive(&asks);
}

/// A connection that counts as one until it is dropped. Writing fails when the client reads nothing
/// for too long: a connection that waits for it would count for ever.
pub(crate) struct CountedStream {
    stream: TcpStream,
    _slot: Option<OwnedSemaphorePermit>,
    write_timeout: Duration,
    /// The end of the time of a write that waits for the client; `None` if none waits.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl CountedStream {
    /// The outcome of a write, which fails if it waits for too long.
    fn in_time<T>(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let wait = self.write_timeout;
        let timer = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(wait)));
        timer.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.in_time(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.in_time(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// More than the system takes before the client reads.
    const MANY: usize = 64 << 20;

    /// Both ends of a connection.
    async fn connected(write_timeout: Duration) -> (CountedStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let slots = Arc::new(Semaphore::new(1));
        let mut listener = LimitedListener::new(listener, slots, write_timeout);
        let client = TcpStream::connect(address).await.expect("a connection");
        (listener.accept().await.0, client)
    }

    #[tokio::test]
    async fn a_client_that_reads_nothing_loses_its_connection() {
        let (mut stream, client) = connected(Duration::from_millis(100)).await;
        let sent = stream.write_all(&vec![0; MANY]).await;
        assert_eq!(sent.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
        drop(client);
    }

    #[tokio::test]
    async fn a_client_that_pauses_loses_nothing() {
        let (mut stream, mut client) = connected(Duration::from_secs(60)).await;
        let reading = async {
            let mut read = 0;
            let mut buffer = vec![0; 8 << 20];
            while read < MANY {
                tokio::time::sleep(Duration::from_millis(1)).await;
                read += client.read(&mut buffer).await.expect("bytes");
            }
            read
        };
        let bytes = vec![0; MANY];
        let (sent, read) = tokio::join!(stream.write_all(&bytes), reading);
        assert!(sent.is_ok());
        assert_eq!(read, MANY);
    }
}
