//! The messages that a client receives.

use std::io;

use bytes::{BufMut, BytesMut};
use pgwire::error::PgWireError;
use pgwire::messages::PgWireBackendMessage;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;

/// Bytes that are sent at once.
const CHUNK: usize = 64 << 10;

/// The sending end of a connection. Messages wait until there are enough of them, or until they are
/// asked for.
pub(super) struct Output {
    socket: OwnedWriteHalf,
    buffer: BytesMut,
}

impl Output {
    pub(super) fn new(socket: OwnedWriteHalf) -> Self {
        Self { socket, buffer: BytesMut::with_capacity(CHUNK) }
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
    /// When the client has gone.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        while !self.buffer.is_empty() {
            self.socket.write_buf(&mut self.buffer).await?;
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
