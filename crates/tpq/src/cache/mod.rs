//! Finished tables of traces that were imported before, in a folder of the user.
//!
//! ```text
//! traces, options, this build ──key──▶ FOLDER/<key>.tables ──map──▶ TraceTables
//!                 import ──store, on a thread of its own──▶ a temporary file, then renamed
//! ```
//!
//! A file is complete before it gets its name, so any process can use it, and it can be deleted
//! while other processes have it mapped. The cache never makes an import fail: a file that is
//! damaged or unreadable is deleted and the trace imported again, and a failed write is ignored.

mod folder;
mod key;
mod mapped;
mod stored_summary;

use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use tpq_source::open_own_file;
use tpq_tables::TraceTables;

pub(crate) use key::Key;

use self::mapped::{MappedTables, Unusable};
use crate::traces::Traces;
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

    /// The key of the tables of these traces with these options. `None` if it cannot be computed
    /// without an import.
    pub(crate) fn key(&self, traces: &Traces, options: &ImportOptions) -> Option<Key> {
        Key::new(traces, options)
    }

    /// Finds the cached tables of these traces. Deletes a damaged file.
    pub(crate) fn find(
        &self,
        key: &Key,
        traces: &Traces,
        options: &ImportOptions,
    ) -> Option<(TraceTables, ImportSummary)> {
        folder::remove_abandoned(&self.folder);
        let path = self.folder.join(&key.file_name);
        let file = open_own_file(&path)?;
        let mapped = MappedTables { path, key: key.clone(), traces: traces.clone() };
        match mapped.open(&file, options) {
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

    /// Starts to write tables to the cache, unless they are not worth it or the traces have
    /// changed.
    pub(crate) fn store(
        &self,
        key: &Key,
        traces: &Traces,
        tables: Arc<TraceTables>,
        summary: &ImportSummary,
    ) -> Option<PendingWrite> {
        let is_small = summary.trace_bytes < self.min_trace_bytes;
        if is_small || !summary.damage.is_empty() || !key.is_current(traces) {
            return None;
        }
        let path = self.folder.join(&key.file_name);
        let (cache, label) = (self.clone(), mapped::label(key, stored_summary::to_bytes(summary)));
        let work = move || {
            // The tables are in memory, whether or not they could be cached.
            let _ = cache.write(&path, &tables, &label);
        };
        let thread = std::thread::Builder::new().name("cache".into()).spawn(work).ok()?;
        Some(PendingWrite(Some(thread)))
    }

    fn write(&self, path: &Path, tables: &TraceTables, label: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let size = tables.packed_bytes();
        if !folder::make_room(&self.folder, size, self.max_bytes)? {
            return Ok(());
        }
        let file = folder::unfinished(&self.folder)?;
        tables.write(BufWriter::with_capacity(1 << 18, file.file()), label)?;
        // After a loss of power, a file of this name must still be complete.
        file.file().sync_data()?;
        file.persist(path)?;
        Ok(())
    }
}

/// A cache entry that is being written. Dropping it waits for the end of the write.
pub(crate) struct PendingWrite(Option<JoinHandle<()>>);

impl Drop for PendingWrite {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // The panic hook has already printed the panic, and results do not depend on the cache.
            let _ = thread.join();
        }
    }
}
