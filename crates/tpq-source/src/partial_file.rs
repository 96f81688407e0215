//! Files that have a name before they are complete.
//!
//! A file that is to replace another one is written under a temporary name in the same folder, and
//! then renamed. If its process is killed, the file stays. So each file is locked while it is
//! written: the system releases the lock with the process, and any process that finds an unlocked
//! file with such a name may delete it. When a signal is received there is still time, and
//! [`remove_partial_files`] deletes the files of this process.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::{Builder, NamedTempFile};

#[cfg(unix)]
use crate::file_identity::FileIdentity;
use crate::own_file::open_without_waiting;

/// The partial files of this process.
static PATHS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is being written. It is deleted on drop.
#[derive(Debug)]
pub struct PartialFile {
    file: Option<NamedTempFile>,
}

/// The users that can read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Only its owner.
    Owner,
    /// All users that the umask of the process permits.
    Umask,
}

impl Readers {
    fn options(self) -> OpenOptions {
        let mut options = File::options();
        options.read(true).write(true);
        #[cfg(unix)]
        if self == Self::Owner {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        options
    }
}

impl PartialFile {
    /// Creates a file with a random name between `prefix` and `suffix`.
    ///
    /// # Errors
    /// When the file cannot be created in the folder.
    pub fn create(folder: &Path, prefix: &str, suffix: &str, readers: Readers) -> io::Result<Self> {
        // Between creation and lock, `remove_abandoned` of another process may delete the file as
        // abandoned.
        const ATTEMPTS: usize = 8;
        for _ in 0..ATTEMPTS {
            let mut builder = Builder::new();
            builder.prefix(prefix).suffix(suffix);
            let partial = Self { file: Some(create_registered(&builder, folder, readers)?) };
            if lock(partial.file()) && is_at(partial.file(), partial.path()) {
                return Ok(partial);
            }
        }
        Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process deletes the new files"))
    }

    /// The file itself.
    ///
    /// # Panics
    /// Never: only [`PartialFile::persist`] takes the file, and it consumes the `PartialFile`.
    pub fn file(&self) -> &File {
        self.named().as_file()
    }

    /// The current path of the file.
    pub fn path(&self) -> &Path {
        self.named().path()
    }

    #[expect(clippy::expect_used, reason = "only what takes `self` takes the file")]
    fn named(&self) -> &NamedTempFile {
        self.file.as_ref().expect("is taken only with `self`")
    }

    /// Renames the file to `target`, replacing an existing file.
    ///
    /// # Errors
    /// When it cannot be renamed; the file is deleted then.
    pub fn persist(mut self, target: &Path) -> io::Result<File> {
        let Some(file) = self.file.take() else { return Err(io::ErrorKind::NotFound.into()) };
        let path = file.path().to_owned();
        let persisted = file.persist(target).map_err(|error| error.error);
        paths().remove(&path);
        let file = persisted?;
        // The file is complete. Other processes may lock it for their own purposes.
        let _ = file.unlock();
        Ok(file)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            let path = file.path().to_owned();
            drop(file);
            paths().remove(&path);
        }
    }
}

/// Creates a file and registers its path, with nothing in between: `remove_partial_files` would
/// miss a file that exists but is not registered yet.
fn create_registered(
    builder: &Builder<'_, '_>,
    folder: &Path,
    readers: Readers,
) -> io::Result<NamedTempFile> {
    let make = |path: &Path| readers.options().create_new(true).open(path);
    let mut paths = paths();
    let file = builder.make_in(folder, make)?;
    paths.insert(file.path().to_owned());
    Ok(file)
}

/// Locks a file. Returns `false` if another process has locked it. On a file system without locks
/// it returns `true`, and no file counts as abandoned.
#[cfg(unix)]
fn lock(file: &File) -> bool {
    !matches!(file.try_lock(), Err(fs::TryLockError::WouldBlock))
}

/// On other systems a lock prevents reads of the file.
#[cfg(not(unix))]
fn lock(_: &File) -> bool {
    true
}

/// Whether a path leads to this file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(found)) = (file.metadata(), path.symlink_metadata()) else { return false };
    FileIdentity::of_metadata(&own) == FileIdentity::of_metadata(&found)
}

#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> bool {
    path.exists()
}

/// Deletes the partial files of this process, which is about to end without dropping them.
/// Afterwards no thread can create another one.
pub fn remove_partial_files() {
    let paths = paths();
    for path in &*paths {
        // If a file cannot be deleted, nothing more can be done.
        let _ = fs::remove_file(path);
    }
    // The lock is never released: the process ends, and no file may be created before that.
    std::mem::forget(paths);
}

/// Deletes the partial files in a folder, with the given prefix and suffix, of processes that have
/// ended. Links, pipes and folders with such names are not deleted.
///
/// # Errors
/// When the folder cannot be read.
pub fn remove_abandoned(folder: &Path, prefix: &str, suffix: &str) -> io::Result<()> {
    // On other systems files are not locked, so none is known to be abandoned.
    if cfg!(not(unix)) {
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_partial = name.starts_with(prefix.as_bytes()) && name.ends_with(suffix.as_bytes());
        // The type of the entry itself, without following links.
        if !is_partial || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // Another process may delete it first. It is opened for writing too, because some file
        // systems lock no other files.
        let mut options = File::options();
        let opened = open_without_waiting(&entry.path(), options.read(true).write(true));
        let Ok(file) = opened else { continue };
        if file.try_lock().is_ok() && is_at(&file, &entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("can be read");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("is there").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_persisted_file_has_its_name_and_dropped_files_are_deleted() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let dropped =
            PartialFile::create(folder, "a-", ".part", Readers::Owner).expect("can be created");
        let kept =
            PartialFile::create(folder, "a-", ".part", Readers::Owner).expect("can be created");
        kept.file().write_all(b"whole").expect("can be written");
        kept.persist(&folder.join("kept")).expect("can be renamed");
        drop(dropped);
        assert_eq!(names(folder), ["kept"]);
        assert_eq!(fs::read(folder.join("kept")).expect("is there"), b"whole");
        assert!(paths().iter().all(|path| !path.starts_with(folder)));
    }

    /// Holds the lock on the paths, like `remove_partial_files`.
    #[test]
    fn no_file_is_created_while_others_are_being_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let removing = paths();
        std::thread::scope(|scope| {
            let create = || PartialFile::create(folder, "a-", ".part", Readers::Owner);
            let created = scope.spawn(create);
            std::thread::sleep(std::time::Duration::from_millis(100));
            let before = names(folder);
            drop(removing);
            let created = created.join().expect("does not panic").expect("can be created");
            assert_eq!(before, [""; 0]);
            assert!(paths().contains(created.path()));
        });
    }

    #[cfg(unix)]
    #[test]
    fn only_files_that_no_process_writes_are_abandoned() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let written =
            PartialFile::create(folder, "a-", ".part", Readers::Owner).expect("can be created");
        fs::write(folder.join("a-1.part"), "left behind").expect("can be written");
        fs::write(folder.join("a-1.other"), "of another kind").expect("can be written");
        fs::create_dir(folder.join("a-folder.part")).expect("can be created");
        remove_abandoned(folder, "a-", ".part").expect("can be read");
        let name = written.path().file_name().expect("has one").to_string_lossy().into_owned();
        let mut expected = vec![name, "a-1.other".into(), "a-folder.part".into()];
        expected.sort();
        assert_eq!(names(folder), expected);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        fs::write(folder.join("precious"), "of another user").expect("can be written");
        std::os::unix::fs::symlink("precious", folder.join("a-1.part")).expect("can be linked");
        remove_abandoned(folder, "a-", ".part").expect("can be read");
        assert_eq!(names(folder), ["a-1.part", "precious"]);
    }
}
