//! Finished tables of traces that were imported before, in a folder of the user.
//!
//! ```text
//! traces, options, this build ──key──▶ FOLDER/<key>.tables ──map──▶ TraceTables
//!                 import ──store, on a thread of its own──▶ a temporary file, then renamed
//! ```
//!
//! An entry may leave out groups of tables that no statement named when the trace was imported: it
//! says which. When one of them is wanted, the trace is imported again, as a whole, and the new
//! entry replaces the old one.
//!
//! A file is complete before it gets its name, so any process can use it, and it can be deleted
//! while other processes have it mapped. The cache never makes an import fail: a file that is
//! damaged or unreadable is deleted and the trace imported again, and a failed write is ignored.

mod entry_writes;
mod folder;
mod key;
mod mapped;
mod stored_summary;

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tpq_source::{FileIdentity, open_own_file};
use tpq_tables::{TableGroups, TraceTables};

pub(crate) use entry_writes::{EntryWrites, WeakEntryWrites};
pub(crate) use key::{Key, KeySuffix};

use self::mapped::{MappedTables, Unusable};
use crate::traces::{Stamps, Traces};
use crate::{ImportOptions, ImportSummary};

/// The default limit of the total size in bytes.
const DEFAULT_MAX_BYTES: u64 = 8 << 30;
/// Smaller traces are not cached, because their import takes no noticeable time.
const DEFAULT_MIN_TRACE_BYTES: u64 = 1 << 20;

/// A folder for finished tables, with a size limit. The least recently used entries are evicted
/// first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableCache {
    folder: PathBuf,
    max_bytes: u64,
    min_trace_bytes: u64,
}

impl TableCache {
    /// The cache of the user, in the system's folder for caches; `None` if there is no such folder.
    pub fn of_user() -> Option<Self> {
        dirs::cache_dir().map(|folder| Self::in_folder(folder.join("tpq")))
    }

    /// A cache in a folder, which is created on the first write.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            max_bytes: DEFAULT_MAX_BYTES,
            min_trace_bytes: DEFAULT_MIN_TRACE_BYTES,
        }
    }

    /// Limits the total size of the cache to `bytes`; the default is 8 GiB.
    #[must_use]
    pub fn at_most(self, bytes: u64) -> Self {
        Self { max_bytes: bytes, ..self }
    }

    /// Caches only traces of at least `bytes` uncompressed bytes; the default is 1 MiB.
    #[must_use]
    pub fn of_traces_from(self, bytes: u64) -> Self {
        Self { min_trace_bytes: bytes, ..self }
    }

    /// Whether no entry of these traces is ever stored, as far as that is known before their import.
    pub(crate) fn leaves_out(&self, traces: &Traces, stamps: &Stamps) -> bool {
        traces.bytes(stamps) < self.min_trace_bytes && traces.are_plain_files()
    }

    /// Whether there may be an entry with a key that has this suffix. Its file may be damaged.
    pub(crate) fn may_have(&self, suffix: &KeySuffix) -> bool {
        folder::entry_with_end(&self.folder, &suffix.file_name).is_some()
    }

    /// The key of these traces, and their cached tables, whatever the entry leaves out. Deletes a
    /// damaged file. Reads the traces; `None` if they cannot be read twice.
    pub(crate) fn find_by_digest(
        &self,
        suffix: KeySuffix,
        traces: &Traces,
        options: &ImportOptions,
    ) -> Option<(Key, Option<CachedTables>)> {
        let entry = folder::entry_with_end(&self.folder, &suffix.file_name);
        let likely = entry.filter(|_| options.threads != Some(1)).map(|name| suffix.of_entry(name));
        let (key, opened) = std::thread::scope(|scope| {
            // An entry with this end is nearly always the only one, and that of the traces.
            let opening = likely.as_ref().and_then(|key| {
                let thread = std::thread::Builder::new().name("cache".into());
                thread.spawn_scoped(scope, move || self.open(key, traces, options)).ok()
            });
            let key = suffix.complete(traces, options.threads);
            (key, opening.and_then(|opening| opening.join().ok()).flatten())
        });
        let key = key?;
        let found = match opened {
            Some(opened) if likely.as_ref() == Some(&key) => Self::checked(opened, options),
            // Nor was anything opened without a thread, or with one that panicked.
            _ => self.find(&key, traces, options),
        };
        Some((key, found))
    }

    /// Finds the cached tables of the traces with this key, whatever the entry leaves out. Deletes
    /// a damaged file.
    pub(crate) fn find(
        &self,
        key: &Key,
        traces: &Traces,
        options: &ImportOptions,
    ) -> Option<CachedTables> {
        Self::checked(self.open(key, traces, options)?, options)
    }

    /// Opens the entry with this key, if there is one.
    fn open(&self, key: &Key, traces: &Traces, options: &ImportOptions) -> Option<OpenedEntry> {
        folder::remove_abandoned(&self.folder);
        let path = self.folder.join(&key.file_name);
        let file = open_own_file(&path)?;
        // Of the open file: another may have replaced it at its path.
        #[cfg(unix)]
        let identity = file.metadata().ok().map(|it| FileIdentity::of_metadata(&it));
        #[cfg(not(unix))]
        let identity = FileIdentity::of(&path).ok().flatten();
        let mapped = MappedTables { path, identity, key: key.clone(), traces: traces.clone() };
        let tables = mapped.open(&file, options);
        Some(OpenedEntry { file, mapped, tables })
    }

    /// The tables of an entry that is that of the traces. Deletes a damaged file.
    fn checked(opened: OpenedEntry, options: &ImportOptions) -> Option<CachedTables> {
        let OpenedEntry { file, mapped, tables } = opened;
        match tables {
            Ok(found) => {
                folder::mark_used(&file);
                Some(found)
            }
            Err(Unusable::Damaged(damage)) => {
                mapped.delete(&damage, options);
                None
            }
            // There is not enough memory to map it.
            Err(Unusable::Other) => None,
        }
    }

    /// Starts to write tables to the cache, after what `writes` has begun, unless they are not
    /// worth it or the traces have changed.
    pub(crate) fn store(
        &self,
        key: &Key,
        traces: &Traces,
        tables: Arc<TraceTables>,
        summary: &ImportSummary,
        writes: &EntryWrites,
    ) {
        let is_small = summary.trace_bytes < self.min_trace_bytes;
        if is_small || !summary.damage.is_empty() || !key.is_current(traces) {
            return;
        }
        let path = self.folder.join(&key.file_name);
        let (cache, label) = (self.clone(), mapped::label(key, stored_summary::to_bytes(summary)));
        writes.begin(move || {
            // The tables are in memory, whether or not they could be cached.
            let _ = cache.write(&path, &tables, &label);
        });
    }

    fn write(&self, path: &Path, tables: &TraceTables, label: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let left_out = tables.groups_not_written();
        // Another process may have stored as many tables meanwhile, or more.
        let is_stored = || {
            let other = left_out_at(path).filter(|_| !left_out.is_empty());
            other.is_some_and(|other| other.is_subset_of(left_out))
        };
        if is_stored() {
            return Ok(());
        }
        // Without the lock: the entry at this path stays until the new one takes its place.
        let size = tables.packed_bytes();
        if !folder::make_room(&self.folder, size, self.max_bytes, path)? {
            return Ok(());
        }
        let file = folder::unfinished(&self.folder)?;
        // Nothing waits for the disk: a file that a loss of power damaged has other checksums.
        tables.write(BufWriter::with_capacity(1 << 18, file.file()), label)?;
        let _locked = folder::lock(&self.folder);
        if !is_stored() {
            file.persist(path)?;
        }
        Ok(())
    }

    /// The names of the tables that the cache entry of these traces leaves out: none if it has all
    /// tables. `None` if there is no entry. Reads all bytes of the traces if there may be one.
    pub fn tables_left_out(
        &self,
        paths: &[PathBuf],
        options: &ImportOptions,
    ) -> Option<Vec<&'static str>> {
        let traces = Traces::Files(paths.to_owned());
        let suffix = KeySuffix::new(&traces, options).filter(|suffix| self.may_have(suffix))?;
        let key = suffix.complete(&traces, options.threads)?;
        let left_out = left_out_at(&self.folder.join(key.file_name))?;
        Some(left_out.table_names().collect())
    }
}

/// A cache entry that was opened, before it is known whether it is that of the traces.
struct OpenedEntry {
    file: File,
    mapped: MappedTables,
    tables: Result<CachedTables, Unusable>,
}

/// The tables of a cache entry.
pub(crate) struct CachedTables {
    /// The tables, of which some may be empty because they are not in the entry.
    pub(crate) tables: TraceTables,
    pub(crate) summary: ImportSummary,
    /// The groups of tables that are not in the entry.
    pub(crate) left_out: TableGroups,
}

/// The groups of tables that an entry leaves out; `None` if there is no entry of this build.
fn left_out_at(path: &Path) -> Option<TableGroups> {
    TableGroups::left_out_of(open_own_file(path)?)
}

#[cfg(test)]
mod tests {
    use tpq_tables::{TableGroup, TableMaker, TableMaking, Tables};

    use super::*;

    /// Makes no tables.
    struct NoTables;

    impl TableMaker for NoTables {
        fn start(&self) -> TableMaking {
            let work = || -> Result<Arc<TraceTables>, String> { Err("not made".to_owned()) };
            TableMaking { work: Box::new(work), cancel: Box::new(|| ()) }
        }

        fn is_reader_cancelled(&self) -> bool {
            false
        }
    }

    /// As where two processes import the same trace at once.
    #[test]
    fn an_entry_never_replaces_one_that_lacks_less() {
        let folder = tempfile::tempdir().unwrap();
        let cache = TableCache::in_folder(folder.path());
        let path = folder.path().join("tpq-a.tables");
        let write = |left_out: TableGroups| {
            let tables = Tables::default().finish().leaving_out(left_out, Arc::new(NoTables));
            cache.write(&path, &tables, b"").unwrap();
            left_out_at(&path)
        };
        let (none, all) = (TableGroups::NONE, TableGroups::all());
        let states = none.with(TableGroup::ThreadStates);
        assert_eq!(write(all), Some(all));
        assert_eq!(write(states), Some(states));
        assert_eq!(write(all), Some(states));
        // Neither lacks all that the other lacks.
        assert_eq!(write(states.others()), Some(states.others()));
        assert_eq!(write(none), Some(none));
        assert_eq!(write(states), Some(none));
        assert_eq!(write(none), Some(none));
        // Nothing else is left in the folder.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// The complete entry must not make room for the one that lacks tables.
    #[test]
    fn a_full_cache_keeps_a_complete_entry() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tpq-a.tables");
        let write = |cache: &TableCache, left_out: TableGroups| {
            let tables = Tables::default().finish().leaving_out(left_out, Arc::new(NoTables));
            cache.write(&path, &tables, b"").unwrap();
            left_out_at(&path)
        };
        let cache = TableCache::in_folder(folder.path());
        assert_eq!(write(&cache, TableGroups::NONE), Some(TableGroups::NONE));
        let complete = std::fs::read(&path).unwrap();
        // There is room for one entry.
        let full = cache.at_most(complete.len() as u64);
        assert_eq!(write(&full, TableGroups::all()), Some(TableGroups::NONE));
        assert_eq!(std::fs::read(&path).unwrap(), complete);
    }

    /// Whichever ends first, as each looks and renames while no other does.
    #[cfg(unix)]
    #[test]
    fn entries_that_are_written_at_once_end_with_the_complete_one() {
        let folder = tempfile::tempdir().unwrap();
        let cache = TableCache::in_folder(folder.path());
        for round in 0..20 {
            let path = folder.path().join(format!("tpq-{round}.tables"));
            let write = |left_out: TableGroups| {
                let tables = Tables::default().finish().leaving_out(left_out, Arc::new(NoTables));
                cache.write(&path, &tables, b"").unwrap();
            };
            std::thread::scope(|scope| {
                scope.spawn(|| write(TableGroups::all()));
                scope.spawn(|| write(TableGroups::NONE));
                scope.spawn(|| write(TableGroups::all()));
            });
            assert_eq!(left_out_at(&path), Some(TableGroups::NONE), "round {round}");
        }
    }
}
