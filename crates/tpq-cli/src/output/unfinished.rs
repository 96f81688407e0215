//! A file that gets its name only once it is complete.
//!
//! On Linux the file has no name at all while it is written, so nothing is left, however the
//! process ends. If the file system does not support this, the file has a name of the form
//! `.tpq-NAME.XXXXXX.unfinished` next to its target and is locked. A file of this form without a
//! lock is left over from a process that has ended; the next output to the folder removes it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tpq::{PartialFile, Readers};

const PREFIX: &str = ".tpq-";
const SUFFIX: &str = ".unfinished";
/// The length of the target's name that a temporary name repeats, in bytes: names end at 255.
const MAX_NAME_BYTES: usize = 200;

/// A file that is being written. Dropping it deletes it and leaves the target unchanged.
#[derive(Debug)]
pub struct Unfinished {
    file: FileForm,
    target: PathBuf,
}

#[derive(Debug)]
enum FileForm {
    Nameless(File),
    Named(PartialFile),
}

impl Unfinished {
    /// Creates a file that will replace `target`, which must not be a link. It gets the permissions
    /// of an existing target.
    ///
    /// # Errors
    /// When no file can be created in the folder, or the existing target is not writable.
    pub fn create(target: &Path) -> io::Result<Self> {
        Self::create_with(target, nameless)
    }

    fn create_with(
        target: &Path,
        nameless: impl FnOnce(&Path) -> Option<File>,
    ) -> io::Result<Self> {
        let folder = folder_of(target);
        // Files that cannot be deleted are left for the next attempt.
        let _ = tpq::remove_abandoned(folder, PREFIX, SUFFIX);
        // Replacing a file needs no right to write it, but tpq requires it.
        let replaced = match OpenOptions::new().write(true).open(target) {
            Ok(file) => Some(file.metadata()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let file = match nameless(folder) {
            Some(file) => {
                // For the moment in which it has a temporary name, see `link`.
                let _ = file.try_lock();
                FileForm::Nameless(file)
            }
            None => {
                let prefix = prefix_for(target);
                FileForm::Named(PartialFile::create(folder, &prefix, SUFFIX, Readers::Umask)?)
            }
        };
        let unfinished = Self { file, target: target.to_owned() };
        if let Some(replaced) = replaced {
            keep_permissions(unfinished.file(), &replaced)?;
        }
        Ok(unfinished)
    }

    /// The file to write to.
    pub fn file(&self) -> &File {
        match &self.file {
            FileForm::Nameless(file) => file,
            FileForm::Named(partial) => partial.file(),
        }
    }

    /// A path by which this process can open the file again.
    pub fn path(&self) -> PathBuf {
        match &self.file {
            FileForm::Nameless(file) => path_of_descriptor(file),
            FileForm::Named(partial) => partial.path().to_owned(),
        }
    }

    /// Syncs the file to disk and gives it its name. This replaces an existing file atomically. The
    /// name is on disk as well where the file system can sync a folder.
    ///
    /// # Errors
    /// When it cannot be written or moved; an existing file is then unchanged.
    pub fn publish(self) -> io::Result<()> {
        self.file().sync_all()?;
        match self.file {
            FileForm::Nameless(file) => link(&file, &self.target)?,
            FileForm::Named(partial) => partial.persist(&self.target).map(drop)?,
        }
        // The file is complete under its name, so a failure here is not an error.
        let _ = sync_folder(folder_of(&self.target));
        Ok(())
    }
}

/// Syncs the names in a folder to disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The prefix of temporary names for a target.
fn prefix_for(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let end = name.floor_char_boundary(MAX_NAME_BYTES.min(name.len()));
    format!("{PREFIX}{}.", &name[..end])
}

/// Creates a file without a name in a folder, if the system supports this.
#[cfg(target_os = "linux")]
fn nameless(folder: &Path) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;

    let flag = i32::try_from(rustix::fs::OFlags::TMPFILE.bits()).ok()?;
    let file = File::options().read(true).write(true).custom_flags(flag).open(folder).ok()?;
    // Without /proc it could not get its name later.
    path_of_descriptor(&file).exists().then_some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Path) -> Option<File> {
    None
}

#[cfg(unix)]
fn path_of_descriptor(file: &File) -> PathBuf {
    use std::os::fd::AsRawFd;

    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

#[cfg(not(unix))]
fn path_of_descriptor(_: &File) -> PathBuf {
    PathBuf::new()
}

/// Gives a file without a name the name of its target.
#[cfg(target_os = "linux")]
fn link(file: &File, target: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    use tempfile::Builder;

    let from = path_of_descriptor(file);
    let link_to =
        |to: &Path| linkat(CWD, &from, CWD, to, AtFlags::SYMLINK_FOLLOW).map_err(io::Error::from);
    match link_to(target) {
        // A link cannot replace a file; a rename can.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let prefix = prefix_for(target);
            let linked = Builder::new()
                .prefix(&prefix)
                .suffix(SUFFIX)
                .make_in(folder_of(target), link_to)?;
            Ok(linked.into_temp_path().persist(target)?)
        }
        linked => linked,
    }
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Copies the permissions of the replaced file, and its owner as far as this process may.
#[cfg(unix)]
fn keep_permissions(file: &File, replaced: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let now = file.metadata()?;
    let (owner, group) = (replaced.uid(), replaced.gid());
    if (now.uid(), now.gid()) != (owner, group) {
        // Only root may change the owner, but the group can still be kept.
        let _ = fchown(file, Some(owner), Some(group)).or_else(|_| fchown(file, None, Some(group)));
    }
    file.set_permissions(fs::Permissions::from_mode(replaced.mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_permissions(_: &File, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Both methods: without a name, and with a temporary name.
    const METHODS: [fn(&Path) -> Option<File>; 2] = [nameless, |_| None];

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_has_its_name_once_it_is_complete() {
        for method in METHODS {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("result.csv");
            for text in ["first", "second"] {
                let before = fs::read(&target).ok();
                let unfinished = Unfinished::create_with(&target, method).unwrap();
                unfinished.file().write_all(text.as_bytes()).unwrap();
                assert_eq!(fs::read(unfinished.path()).unwrap(), text.as_bytes());
                assert_eq!(fs::read(&target).ok(), before);
                unfinished.publish().unwrap();
                assert_eq!(fs::read_to_string(&target).unwrap(), text);
                assert_eq!(names(folder.path()), ["result.csv"]);
            }
        }
    }

    #[test]
    fn a_file_that_is_dropped_leaves_nothing() {
        for method in METHODS {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("result.csv");
            fs::write(&target, "before").unwrap();
            let unfinished = Unfinished::create_with(&target, method).unwrap();
            unfinished.file().write_all(b"half").unwrap();
            drop(unfinished);
            assert_eq!(fs::read_to_string(&target).unwrap(), "before");
            assert_eq!(names(folder.path()), ["result.csv"]);
        }
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_any_new_file_or_of_the_replaced_one() {
        use std::os::unix::fs::PermissionsExt;

        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for method in METHODS {
            let folder = tempfile::tempdir().unwrap();
            let (plain, target) = (folder.path().join("plain"), folder.path().join("result.csv"));
            fs::write(&plain, "").unwrap();
            Unfinished::create_with(&target, method).unwrap().publish().unwrap();
            assert_eq!(mode(&target), mode(&plain));
            fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
            Unfinished::create_with(&target, method).unwrap().publish().unwrap();
            assert_eq!(mode(&target), 0o640);
        }
    }

    /// A process that was killed holds no lock; a running one does.
    #[cfg(unix)]
    #[test]
    fn abandoned_files_are_removed_by_the_next_output() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("result.csv");
        let of_another_program = ".tpq-notes";
        for name in [".tpq-old.csv.abc123.unfinished", of_another_program] {
            fs::write(folder.path().join(name), "half").unwrap();
        }
        let at_work = Unfinished::create_with(&target, |_| None).unwrap();
        let second = Unfinished::create(&folder.path().join("other.csv")).unwrap();
        assert!(at_work.path().exists());
        assert_eq!(names(folder.path()).len(), 2, "{:?}", names(folder.path()));
        second.publish().unwrap();
        at_work.publish().unwrap();
        assert_eq!(names(folder.path()), [of_another_program, "other.csv", "result.csv"]);
    }

    #[test]
    fn a_long_name_is_shortened() {
        let name = "é".repeat(126);
        let prefix = prefix_for(Path::new(&name));
        assert!(prefix.len() + SUFFIX.len() + 6 < 255, "{}", prefix.len());
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = Unfinished::create(&folder.path().join("no/result.csv")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
