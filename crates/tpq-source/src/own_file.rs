//! Files of this user, in a folder where other users may create files.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a regular file of this user for reading. Returns `None` for all else: a link, a FIFO,
/// which would block, or a file that another user may have written.
pub fn open_own_file(path: &Path) -> Option<File> {
    let file = open_without_waiting(path, File::options().read(true)).ok()?;
    is_own_file(&file.metadata().ok()?).then_some(file)
}

/// Whether this is the metadata of a regular file that belongs to this user.
pub fn is_own_file(metadata: &Metadata) -> bool {
    metadata.is_file() && is_own(metadata)
}

/// Opens a file, unless a link has replaced it. Does not wait for the other end of a FIFO.
#[cfg(unix)]
pub(crate) fn open_without_waiting(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW).open(path)
}

#[cfg(not(unix))]
pub(crate) fn open_without_waiting(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options.open(path)
}

#[cfg(unix)]
fn is_own(metadata: &Metadata) -> bool {
    // SAFETY: a query to the system without arguments that cannot fail. The standard library has no
    // equivalent.
    let user = unsafe { libc::geteuid() };
    std::os::unix::fs::MetadataExt::uid(metadata) == user
}

#[cfg(not(unix))]
fn is_own(_: &Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::open_own_file;

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "text").expect("can be written");
        std::os::unix::fs::symlink(path("file"), path("link")).expect("can be linked");
        fs::create_dir(path("folder")).expect("can be made");
        let socket = std::os::unix::net::UnixListener::bind(path("socket"));
        let opens = |name: &str| open_own_file(&path(name)).is_some();
        assert!(opens("file"));
        assert!(!opens("link") && !opens("folder") && !opens("none"));
        assert!(socket.is_ok() && !opens("socket"));
    }
}
