//! The byte pipe over Unix sockets.

use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, channel};

use crate::engine::Engine;
use crate::listen::ListenError;
use crate::rpc::{EndOfInput, serve};

/// Replies that may wait to be sent.
const MAX_WAITING: usize = 4;
/// The number of bytes read at once.
const READ: usize = 64 << 10;

/// A socket in the file system. Its file is removed when it is dropped.
pub(crate) struct Socket {
    listener: UnixListener,
    path: PathBuf,
}

impl Socket {
    /// Creates a socket that only this user can open. A file that a server left behind is
    /// replaced.
    ///
    /// # Errors
    /// When a server listens there, or the socket cannot be created.
    pub(crate) fn bind(path: &Path) -> Result<Self, ListenError> {
        let failed = |source| ListenError::Socket { path: path.to_owned(), source };
        create_folder(path).map_err(failed)?;
        if std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket()) {
            match std::os::unix::net::UnixStream::connect(path) {
                Ok(_) => return Err(ListenError::SocketInUse(path.to_owned())),
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    std::fs::remove_file(path).map_err(failed)?;
                }
                Err(_) => {}
            }
        }
        let listener = UnixListener::bind(path).map_err(failed)?;
        let socket = Self { listener, path: path.to_owned() };
        let only_user = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(path, only_user).map_err(failed)?;
        Ok(socket)
    }

    /// Serves connections, as many at once as there are slots.
    pub(crate) async fn run(&self, engine: Arc<Engine>, slots: Arc<Semaphore>) {
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    let slot = Arc::clone(&slots).acquire_owned().await;
                    let engine = Arc::clone(&engine);
                    tokio::spawn(async move {
                        serve_stream(engine, stream).await;
                        drop(slot);
                    });
                }
                // Too many open files, for example.
                Err(_) => tokio::time::sleep(std::time::Duration::from_millis(100)).await,
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // A file that is gone needs no removal.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Creates the folder of a socket for this user only, if it is missing.
fn create_folder(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.exists() => {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
        }
        _ => Ok(()),
    }
}

async fn serve_stream(engine: Arc<Engine>, stream: UnixStream) {
    let (reader, writer) = stream.into_split();
    let input = Box::pin(stream::unfold(reader, read));
    let (sender, replies) = channel(MAX_WAITING);
    let served = serve(engine, input, sender, EndOfInput::Stop);
    tokio::join!(served, send_all(replies, writer));
}

/// The next bytes; `None` when the client has gone.
async fn read(mut reader: OwnedReadHalf) -> Option<(Bytes, OwnedReadHalf)> {
    let mut buffer = BytesMut::with_capacity(READ);
    match reader.read_buf(&mut buffer).await {
        Ok(0) | Err(_) => None,
        Ok(_) => Some((buffer.freeze(), reader)),
    }
}

async fn send_all(mut replies: Receiver<Bytes>, mut writer: OwnedWriteHalf) {
    while let Some(reply) = replies.recv().await {
        if writer.write_all(&reply).await.is_err() {
            return;
        }
    }
    // A client that has gone does not read on.
    let _ = writer.shutdown().await;
}
