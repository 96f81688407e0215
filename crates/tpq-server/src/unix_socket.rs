//! The byte pipe over Unix sockets.

use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures::stream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::Receiver;
use tokio::time::timeout;

use crate::engine::Engine;
use crate::listen::ListenError;
use crate::rpc::{EndOfInput, connect};
use crate::session_name::is_session_folder;

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
        if let Ok(file) = std::fs::symlink_metadata(path) {
            if !file.file_type().is_socket() {
                return Err(failed(io::ErrorKind::AlreadyExists.into()));
            }
            match std::os::unix::net::UnixStream::connect(path) {
                Ok(_) => return Err(ListenError::SocketInUse(path.to_owned())),
                // Left by a server that was killed. The new one takes its place.
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                Err(error) => return Err(failed(error)),
            }
        }
        let listener = bind_for_user(path).map_err(failed)?;
        Ok(Self { listener, path: path.to_owned() })
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
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
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

/// The folder of a socket.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Creates the folder of a socket for this user only, if it is missing.
fn create_folder(path: &Path) -> io::Result<()> {
    let folder = folder_of(path);
    if folder.exists() {
        return Ok(());
    }
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Listens on a socket that only the user can open at any time: it gets its mode in a folder
/// of its own, before it gets its name.
fn bind_for_user(path: &Path) -> io::Result<UnixListener> {
    let folder = folder_of(path);
    let only_user = std::fs::Permissions::from_mode(0o700);
    // Short, as the path of a socket has some hundred bytes at most.
    let mut own = tempfile::Builder::new();
    let own = own.prefix(".").permissions(only_user).rand_bytes(4).tempdir_in(folder)?;
    if is_session_folder(folder) {
        check_owner(folder, own.path())?;
    }
    let first = own.path().join("s");
    let listener = UnixListener::bind(&first)?;
    std::fs::set_permissions(&first, std::fs::Permissions::from_mode(0o600))?;
    std::fs::rename(&first, path)?;
    Ok(listener)
}

/// Checks that no other user can replace the sockets of a folder that tpq chose, as one below
/// `/tmp`, which another user may have created first. `own` is a folder of this user.
fn check_owner(folder: &Path, own: &Path) -> io::Result<()> {
    let (found, own) = (std::fs::symlink_metadata(folder)?, own.metadata()?);
    if found.is_dir() && found.uid() == own.uid() && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    let message = format!("other users may change the folder {}", folder.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

async fn serve_stream(engine: Arc<Engine>, stream: UnixStream) {
    let (reader, writer) = stream.into_split();
    let input = Box::pin(stream::unfold(reader, read));
    let write_timeout = engine.limits().write_timeout;
    let (served, replies) = connect(engine, input, EndOfInput::Stop);
    tokio::join!(served, send_all(replies, writer, write_timeout));
}

/// The next bytes; `None` when the client has gone.
async fn read(mut reader: OwnedReadHalf) -> Option<(Bytes, OwnedReadHalf)> {
    let mut buffer = BytesMut::with_capacity(READ);
    match reader.read_buf(&mut buffer).await {
        Ok(0) | Err(_) => None,
        Ok(_) => Some((buffer.freeze(), reader)),
    }
}

/// Sends replies until there are no more, or the client has gone or does not read one in time.
async fn send_all(
    mut replies: Receiver<Bytes>,
    mut writer: OwnedWriteHalf,
    write_timeout: Duration,
) {
    while let Some(reply) = replies.recv().await {
        if !matches!(timeout(write_timeout, writer.write_all(&reply)).await, Ok(Ok(()))) {
            return;
        }
    }
    // A client that has gone does not read on.
    let _ = writer.shutdown().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).expect("a file").mode() & 0o777
    }

    #[tokio::test]
    async fn a_socket_is_of_its_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new/mine.sock");
        let socket = Socket::bind(&path).expect("a socket");
        assert_eq!((mode(&path), mode(&folder.path().join("new"))), (0o600, 0o700));
        assert!(matches!(Socket::bind(&path), Err(ListenError::SocketInUse(_))));
        drop(socket);
        // Nothing is left, neither the socket nor the folder in which it was made.
        assert_eq!(std::fs::read_dir(folder.path().join("new")).expect("a folder").count(), 0);
        // A file of the user is no socket, and is kept.
        std::fs::write(&path, "mine").expect("a file");
        assert!(Socket::bind(&path).is_err());
        assert_eq!(std::fs::read(&path).expect("a file"), b"mine");
    }

    #[tokio::test]
    async fn a_client_that_reads_nothing_is_not_waited_for() {
        let (server, client) = UnixStream::pair().expect("a pair");
        let (_reader, writer) = server.into_split();
        let (sender, replies) = tokio::sync::mpsc::channel(1);
        // More than the system takes before the client reads.
        sender.send(vec![0; 64 << 20].into()).await.expect("it is waited for");
        send_all(replies, writer, Duration::from_millis(100)).await;
        assert!(sender.is_closed());
        drop(client);
    }

    #[test]
    fn a_folder_that_others_may_change_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = tempfile::tempdir_in(folder.path()).expect("a folder");
        let set = |mode| {
            let mode = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(folder.path(), mode).expect("its mode");
            check_owner(folder.path(), own.path()).is_ok()
        };
        assert!(set(0o700) && set(0o755));
        assert!(!set(0o777) && !set(0o1777) && !set(0o720));
    }
}
