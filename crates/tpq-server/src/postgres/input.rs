//! The bytes that a client sends.

use std::io;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::AsyncReadExt;
use tokio::net::tcp::OwnedReadHalf;

use super::requests::{Opening, ProtocolError, Request};

/// The longest first message, and the longest one before the password was right: as PostgreSQL has
/// it.
pub(super) const MAX_OPENING: usize = 10_000;
/// Bytes that are read ahead while a statement runs.
const MAX_AHEAD: usize = 64 << 10;
/// The number of bytes read at once.
const READ: usize = 16 << 10;

/// Why no message can be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    #[error("the client has gone")]
    Disconnected,
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
}

/// The receiving end of a connection.
pub(super) struct Input {
    socket: OwnedReadHalf,
    buffer: BytesMut,
}

impl Input {
    pub(super) fn new(socket: OwnedReadHalf) -> Self {
        Self { socket, buffer: BytesMut::new() }
    }

    /// The first message of a connection.
    pub(super) async fn opening(&mut self) -> Result<Opening, InputError> {
        self.fill(4).await?;
        let length = self.buffer.get_u32();
        let body = self.body(length, MAX_OPENING).await?;
        Ok(Opening::read(body)?)
    }

    /// The next message of a session, of `limit` bytes at most.
    pub(super) async fn request(&mut self, limit: usize) -> Result<Request, InputError> {
        self.fill(5).await?;
        let (kind, length) = (self.buffer.get_u8(), self.buffer.get_u32());
        let body = self.body(length, limit).await?;
        Ok(Request::read(kind, body)?)
    }

    /// Waits until the client goes away; reads ahead meanwhile. Without room to read ahead, it
    /// waits for ever: that the client has gone is then found by sending to it.
    pub(super) async fn gone(&mut self) {
        loop {
            if self.buffer.len() >= MAX_AHEAD {
                std::future::pending::<()>().await;
            }
            if self.read().await.is_err() {
                return;
            }
        }
    }

    /// The rest of a message after its length. The length counts itself.
    async fn body(&mut self, length: u32, limit: usize) -> Result<Bytes, InputError> {
        let body = usize::try_from(length).ok().and_then(|length| length.checked_sub(4));
        match body.filter(|&body| body <= limit) {
            Some(body) => {
                self.fill(body).await?;
                Ok(self.buffer.split_to(body).freeze())
            }
            None => Err(ProtocolError::Length { length, limit }.into()),
        }
    }

    /// Reads until there are `length` bytes.
    async fn fill(&mut self, length: usize) -> Result<(), InputError> {
        while self.buffer.len() < length {
            self.read().await.map_err(|_| InputError::Disconnected)?;
        }
        Ok(())
    }

    /// Reads what has arrived; an error at the end. Loses nothing when it is dropped.
    async fn read(&mut self) -> io::Result<()> {
        self.buffer.reserve(READ);
        match self.socket.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}
