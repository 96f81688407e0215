//! The folder of a cache: how much it holds, and what goes when it is full.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;

/// What the names of all files begin with. The folder may hold others' as well.
pub(super) const PREFIX: &str = "tpq-";
/// What files of tables are called.
pub(super) const EXTENSION: &str = "tables";
/// What files are called while they are being written.
const UNFINISHED: &str = "unfinished";
/// Nothing takes so long to write: its writer was killed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A file in the folder.
struct Kept {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

/// Notes that a file was of use.
pub(super) fn note_use(file: &File) {
    // Where that is not allowed it goes a little earlier.
    let _ = file.set_modified(SystemTime::now());
}

/// A file of no lasting name, which is gone when it is dropped.
pub(super) fn unfinished(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(PREFIX).suffix(&format!(".{UNFINISHED}")).tempfile_in(folder)
}

/// Deletes what was not used for the longest time until `bytes` more fit into `most`; false where
/// they never would. Others may be doing the same at this moment.
pub(super) fn make_room(folder: &Path, bytes: u64, most: u64) -> io::Result<bool> {
    if bytes > most {
        return Ok(false);
    }
    let mut files = kept(folder)?;
    files.sort_by_key(|file| file.used);
    let mut total: u64 = files.iter().map(|file| file.bytes).sum();
    for file in files {
        if total + bytes <= most {
            break;
        }
        // Gone already, or in use on a system that does not delete such files.
        let _ = fs::remove_file(&file.path);
        total -= file.bytes;
    }
    Ok(true)
}

/// The files of tables; what was left behind by writers that were killed is deleted.
fn kept(folder: &Path) -> io::Result<Vec<Kept>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let path = entry.path();
        // Gone since the folder was read.
        let Ok(metadata) = path.metadata() else { continue };
        let used = metadata.modified()?;
        let is = |extension: &str| path.extension().is_some_and(|found| found == extension);
        if is(UNFINISHED) && used.elapsed().is_ok_and(|age| age > ABANDONED) {
            let _ = fs::remove_file(&path);
        } else if is(EXTENSION) || is(UNFINISHED) {
            files.push(Kept { path, bytes: metadata.len(), used });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, bytes: usize, age: u64) {
        let path = folder.join(name);
        fs::write(&path, vec![0; bytes]).expect("can be written");
        let used = SystemTime::now() - Duration::from_secs(age);
        File::options()
            .write(true)
            .open(path)
            .and_then(|file| file.set_modified(used))
            .expect("is");
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("can be read");
        let name = |entry: io::Result<fs::DirEntry>| entry.expect("is there").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        file(folder, "tpq-old.tables", 40, 300);
        file(folder, "tpq-older.tables", 40, 500);
        file(folder, "tpq-new.tables", 40, 10);
        file(folder, "tpq-left.unfinished", 4000, 10_000);
        file(folder, "tpq-written.unfinished", 10, 1);
        // Of others.
        file(folder, "some.tables", 4000, 10_000);
        file(folder, "draft.unfinished", 4000, 10_000);
        assert!(make_room(folder, 30, 121).expect("can be read"));
        let others = ["draft.unfinished", "some.tables"];
        let own = ["tpq-new.tables", "tpq-old.tables", "tpq-written.unfinished"];
        assert_eq!(names(folder), [&others[..], &own].concat());
        assert!(!make_room(folder, 122, 121).expect("can be read"));
        assert!(make_room(folder, 111, 121).expect("can be read"));
        assert_eq!(names(folder), [&others[..], &own[2..]].concat());
    }
}
