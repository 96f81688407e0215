//! The folder of a cache: its size, and eviction of the least recently used entries.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tpq_source::{PartialFile, Readers, is_own_file};

/// The prefix of all file names of the cache. The folder may also hold files of other programs.
pub(super) const PREFIX: &str = "tpq-";
/// The file extension of cache entries.
pub(super) const EXTENSION: &str = "tables";
/// The suffix of files that are still being written.
const UNFINISHED: &str = ".unfinished";

/// A file of the cache.
struct CacheEntry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

/// Marks a file as used now.
pub(super) fn mark_used(file: &File) {
    // Where this is not allowed, the entry is evicted a little earlier.
    let _ = file.set_modified(SystemTime::now());
}

/// Creates a file to write a cache entry to.
pub(super) fn unfinished(folder: &Path) -> io::Result<PartialFile> {
    PartialFile::create(folder, PREFIX, UNFINISHED, Readers::Owner)
}

/// The name of a file of the cache that has this end, if there is one.
pub(super) fn entry_with_end(folder: &Path, end: &str) -> Option<String> {
    // A folder that cannot be read has no entry that can be found.
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.find(|name| name.ends_with(end))
}

/// Locks the folder, so that no other writer looks at an entry and replaces it meanwhile. The lock
/// ends when the file is dropped. `None` on a system that does not lock folders, and where another
/// program keeps the lock: two writers at once cost another import and change no result.
pub(super) fn lock(folder: &Path) -> Option<File> {
    /// A millisecond apart. Writers hold the lock while they look at an entry and rename a file.
    const ATTEMPTS: usize = 200;
    let folder = File::open(folder).ok()?;
    for _ in 0..ATTEMPTS {
        match folder.try_lock() {
            Ok(()) => return Some(folder),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            Err(TryLockError::Error(_)) => return None,
        }
    }
    None
}

/// Deletes unfinished files of processes that have ended.
pub(super) fn remove_abandoned(folder: &Path) {
    // A missing folder has nothing to delete.
    let _ = tpq_source::remove_abandoned(folder, PREFIX, UNFINISHED);
}

/// Deletes the least recently used entries until `bytes` more fit into `max`. The entry at `replaced`
/// stays and does not count: the new one is to take its place. Returns false if they can never fit.
/// Other processes may do the same at this moment.
pub(super) fn make_room(folder: &Path, bytes: u64, max: u64, replaced: &Path) -> io::Result<bool> {
    if bytes > max {
        return Ok(false);
    }
    let mut files = entries(folder)?;
    files.retain(|file| file.path != replaced);
    files.sort_by_key(|file| file.used);
    let mut total: u64 = files.iter().map(|file| file.bytes).sum();
    for file in files {
        if total + bytes <= max {
            break;
        }
        // It may already be gone, or be in use on a system that does not delete such files.
        let _ = fs::remove_file(&file.path);
        total -= file.bytes;
    }
    Ok(true)
}

/// The cache files of this user, finished or not.
fn entries(folder: &Path) -> io::Result<Vec<CacheEntry>> {
    remove_abandoned(folder);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if !entry.file_name().as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            continue;
        }
        let path = entry.path();
        // The file may have been deleted since the folder was read.
        let Ok(metadata) = path.symlink_metadata() else { continue };
        let name = path.as_os_str().as_encoded_bytes();
        let is_tables = name.ends_with(format!(".{EXTENSION}").as_bytes())
            || name.ends_with(UNFINISHED.as_bytes());
        if is_tables && is_own_file(&metadata) {
            files.push(CacheEntry { bytes: metadata.len(), used: metadata.modified()?, path });
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
    fn the_least_recently_used_entry_is_evicted_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        file(folder, "tpq-old.tables", 40, 300);
        file(folder, "tpq-older.tables", 40, 500);
        file(folder, "tpq-new.tables", 40, 10);
        file(folder, "tpq-left.unfinished", 4000, 10_000);
        let written = unfinished(folder).expect("can be made");
        written.file().set_len(10).expect("can be written");
        let written = written.path().file_name().map(|name| name.to_string_lossy().into_owned());
        // Files of other programs.
        file(folder, "some.tables", 4000, 10_000);
        file(folder, "draft.unfinished", 4000, 10_000);
        let none = folder.join("tpq-none.tables");
        assert!(make_room(folder, 30, 121, &none).expect("can be read"));
        let others = ["draft.unfinished", "some.tables"];
        let own = ["tpq-new.tables", "tpq-old.tables"];
        let left = || {
            let left = names(folder).into_iter();
            left.filter(|name| Some(name) != written.as_ref()).collect::<Vec<_>>()
        };
        assert_eq!(left(), [&others[..], &own].concat());
        assert!(!make_room(folder, 122, 121, &none).expect("can be read"));
        assert!(make_room(folder, 111, 121, &none).expect("can be read"));
        assert_eq!(left(), others);
        // The file that is being written stays.
        assert_eq!(names(folder).len(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn one_writer_at_a_time_has_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let locked = lock(folder.path()).expect("can be locked");
        // Another program that keeps the lock delays a writer and does not stop it.
        assert!(lock(folder.path()).is_none());
        drop(locked);
        assert!(lock(folder.path()).is_some());
        assert!(lock(&folder.path().join("none")).is_none());
    }

    /// Its bytes are free once the new one has its name.
    #[test]
    fn the_entry_that_is_replaced_neither_counts_nor_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        file(folder, "tpq-old.tables", 40, 300);
        file(folder, "tpq-partial.tables", 40, 10);
        let replaced = folder.join("tpq-partial.tables");
        assert!(make_room(folder, 81, 121, &replaced).expect("can be read"));
        assert_eq!(names(folder), ["tpq-old.tables", "tpq-partial.tables"]);
        assert!(make_room(folder, 82, 121, &replaced).expect("can be read"));
        assert_eq!(names(folder), ["tpq-partial.tables"]);
        assert!(make_room(folder, 121, 121, &replaced).expect("can be read"));
        assert!(!make_room(folder, 122, 121, &replaced).expect("can be read"));
        assert_eq!(names(folder), ["tpq-partial.tables"]);
    }
}
