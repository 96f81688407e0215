//! The messages that a client receives.

use std::io;
use std::time::Duration;

use bytes::{BufMut, BytesMut};
use pgwire::error::PgWireError;
use pgwire::messages::PgWireBackendMessage;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::time::timeout;

/// Bytes that are sent at once.
const CHUNK: usize = 64 << 10;

/// The sending end of a connection. Messages wait until there are enough of them, or until they are
/// asked for.
pub(super) struct Output {
    socket: OwnedWriteHalf,
    buffer: BytesMut,
    /// How long the client may read nothing.
    write_timeout: Duration,
}

impl Output {
    pub(super) fn new(socket: OwnedWriteHalf, write_timeout: Duration) -> Self {
        Self { socket, buffer: BytesMut::with_capacity(CHUNK), write_timeout }
    }

    /// Adds a message.
    ///
    /// # Errors
    /// When it is too long for the protocol. Nothing of it is sent then.
    pub(super) fn add(&mut self, message: &PgWireBackendMessage) -> Result<(), PgWireError> {
        let before = self.buffer.len();
        let encoded = message.encode(&mut self.buffer);
        if encoded.is_err() {
            self.buffer.truncate(before);
        }
        encoded
    }

    /// Adds the one byte that refuses encryption.
    pub(super) fn refuse_encryption(&mut self) {
        self.buffer.put_u8(b'N');
    }

    /// Whether enough has been added to send it.
    pub(super) fn is_full(&self) -> bool {
        self.buffer.len() >= CHUNK
    }

    /// Sends what was added. Loses and repeats nothing when it is dropped.
    ///
    /// # Errors
    /// When the client has gone, or reads nothing for too long.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        while !self.buffer.is_empty() {
            let written =
                timeout(self.write_timeout, self.socket.write_buf(&mut self.buffer)).await;
            if let Err(error) = written.unwrap_or_else(|late| Err(late.into())) {
                // The end of the connection does not wait once more.
                self.buffer.clear();
                return Err(error);
            }
        }
        if self.buffer.capacity() > 4 * CHUNK {
            self.buffer = BytesMut::with_capacity(CHUNK);
        }
        Ok(())
    }

    /// Sends what was added, and that nothing follows.
    pub(super) async fn close(&mut self) {
        // A client that has gone does not read on.
        let _ = self.flush().await;
        let _ = self.socket.shutdown().await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    #[tokio::test]
    async fn a_client_that_reads_nothing_is_not_waited_for() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let client = TcpStream::connect(address).await.expect("a connection");
        let (server, _) = listener.accept().await.expect("a connection");
        let mut output = Output::new(server.into_split().1, Duration::from_millis(100));
        // More than the system takes before the client reads.
        output.buffer.resize(64 << 20, 0);
        let sent = output.flush().await;
        assert_eq!(sent.map_err(|error| error.kind()), Err(io::ErrorKind::TimedOut));
        drop(client);
    }
}
