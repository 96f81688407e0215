//! A file that has its name only once it is complete.
//!
//! On Linux the file has no name at all while it is written, so that nothing is left of it however
//! the process ends. Where the file system cannot do that, it has a name of the form
//! `.tpq-NAME.XXXXXX.unfinished` beside its target, and is locked: a file of that form that nobody
//! has locked was left behind, and the next output to the folder removes it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tpq::{PartialFile, Readers};

const PREFIX: &str = ".tpq-";
const SUFFIX: &str = ".unfinished";
/// As much of the target's name as the temporary name repeats, in bytes: names end at 255.
const MOST_OF_NAME: usize = 200;

/// A file that is being written. Dropped, it is gone, and the file at its target is unchanged.
#[derive(Debug)]
pub struct Unfinished {
    file: Form,
    target: PathBuf,
}

#[derive(Debug)]
enum Form {
    Nameless(File),
    Named(PartialFile),
}

impl Unfinished {
    /// Begins a file that is to be at `target`, which is no link. It gets the permissions of the
    /// file that is there, if there is one.
    ///
    /// # Errors
    /// When no file can be created in the folder, or the file that is there must not be written.
    pub fn create(target: &Path) -> io::Result<Self> {
        Self::create_with(target, nameless)
    }

    fn create_with(
        target: &Path,
        nameless: impl FnOnce(&Path) -> Option<File>,
    ) -> io::Result<Self> {
        let folder = folder_of(target);
        // What cannot be deleted is left to the next time.
        let _ = tpq::remove_abandoned(folder, PREFIX, SUFFIX);
        // Replacing a file needs no right to write it, but it should.
        let replaced = match OpenOptions::new().write(true).open(target) {
            Ok(file) => Some(file.metadata()?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let file = match nameless(folder) {
            Some(file) => {
                // For the moment in which it has a temporary name, see `link`.
                let _ = file.try_lock();
                Form::Nameless(file)
            }
            None => {
                let prefix = prefix_for(target);
                Form::Named(PartialFile::create(folder, &prefix, SUFFIX, Readers::Umask)?)
            }
        };
        let unfinished = Self { file, target: target.to_owned() };
        if let Some(replaced) = replaced {
            keep_permissions(unfinished.file(), &replaced)?;
        }
        Ok(unfinished)
    }

    /// The file, to write to.
    pub fn file(&self) -> &File {
        match &self.file {
            Form::Nameless(file) => file,
            Form::Named(partial) => partial.file(),
        }
    }

    /// A path by which this process can open the file again.
    pub fn path(&self) -> PathBuf {
        match &self.file {
            Form::Nameless(file) => path_of_descriptor(file),
            Form::Named(partial) => partial.path().to_owned(),
        }
    }

    /// Gives the file its name, once all of it is on disk. A file that had the name is replaced at
    /// once: there is no moment at which neither is there.
    ///
    /// # Errors
    /// When it cannot be written or moved; the file that had the name is then unchanged.
    pub fn publish(self) -> io::Result<()> {
        self.file().sync_all()?;
        match self.file {
            Form::Nameless(file) => link(&file, &self.target),
            Form::Named(partial) => partial.persist(&self.target).map(drop),
        }
    }
}

fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The beginning of temporary names for a target.
fn prefix_for(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let end = name.floor_char_boundary(MOST_OF_NAME.min(name.len()));
    format!("{PREFIX}{}.", &name[..end])
}

/// A file without a name in a folder, where the system has those.
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
        // A link does not replace a file, as a rename does.
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

/// Gives a file the owner, as far as this process may, and the permissions of the one it replaces.
#[cfg(unix)]
fn keep_permissions(file: &File, replaced: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let now = file.metadata()?;
    let (owner, group) = (replaced.uid(), replaced.gid());
    if (now.uid(), now.gid()) != (owner, group) {
        // Only root may give a file away; a group may still be kept.
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

    /// Both ways to write: without a name, and with a temporary one.
    const WAYS: [fn(&Path) -> Option<File>; 2] = [nameless, |_| None];

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries.map(|entry| name(entry).into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_has_its_name_once_it_is_complete() {
        for way in WAYS {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("result.csv");
            for text in ["first", "second"] {
                let before = fs::read(&target).ok();
                let unfinished = Unfinished::create_with(&target, way).unwrap();
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
        for way in WAYS {
            let folder = tempfile::tempdir().unwrap();
            let target = folder.path().join("result.csv");
            fs::write(&target, "before").unwrap();
            let unfinished = Unfinished::create_with(&target, way).unwrap();
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
        for way in WAYS {
            let folder = tempfile::tempdir().unwrap();
            let (plain, target) = (folder.path().join("plain"), folder.path().join("result.csv"));
            fs::write(&plain, "").unwrap();
            Unfinished::create_with(&target, way).unwrap().publish().unwrap();
            assert_eq!(mode(&target), mode(&plain));
            fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
            Unfinished::create_with(&target, way).unwrap().publish().unwrap();
            assert_eq!(mode(&target), 0o640);
        }
    }

    /// A process that was killed has no lock any more; one that is at work has.
    #[cfg(unix)]
    #[test]
    fn files_that_were_left_behind_are_removed_by_the_next_output() {
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
    fn a_folder_that_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = Unfinished::create(&folder.path().join("no/result.csv")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
