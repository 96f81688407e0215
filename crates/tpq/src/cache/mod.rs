//! Finished tables of traces that were imported before, in a folder of the user's.
//!
//! ```text
//! traces, options, this build ──key──▶ FOLDER/<key>.tables ──map──▶ TraceTables
//!                 import ──keep, on a thread of its own──▶ a file beside it, then renamed
//! ```
//!
//! A file is complete before it has its name, so that any process can use it, and it can be deleted
//! while others have it mapped. Nothing here makes an import fail: a file that is damaged or cannot
//! be read is deleted and the trace imported again, and what cannot be written is not kept.

mod about;
mod folder;
mod key;
mod mapped;

use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use tpq_source::open_own_file;
use tpq_tables::TraceTables;

pub(crate) use key::Key;

use self::mapped::{MappedTables, Unusable};
use crate::{ImportOptions, ImportSummary};

/// What all files together may take, unless it is told otherwise.
const MOST_BYTES: u64 = 8 << 30;
/// Traces that are smaller are imported in no time.
const LEAST_TRACE_BYTES: u64 = 1 << 20;

/// Where finished tables are kept, and how much of them. What was not used for the longest time
/// goes first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableCache {
    folder: PathBuf,
    most_bytes: u64,
    least_trace_bytes: u64,
}

impl TableCache {
    /// The user's, in the folder that the system has for such files; `None` where it has none.
    pub fn of_user() -> Option<Self> {
        dirs::cache_dir().map(|folder| Self::in_folder(folder.join("tpq")))
    }

    /// In a folder, which is made when something is kept.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), most_bytes: MOST_BYTES, least_trace_bytes: LEAST_TRACE_BYTES }
    }

    /// Keeps no more bytes than that, 8 GiB if not given.
    #[must_use]
    pub fn at_most(self, bytes: u64) -> Self {
        Self { most_bytes: bytes, ..self }
    }

    /// Keeps the tables of traces that have that many bytes uncompressed, 1 MiB if not given.
    #[must_use]
    pub fn of_traces_from(self, bytes: u64) -> Self {
        Self { least_trace_bytes: bytes, ..self }
    }

    /// By what the tables of these traces, imported by these options, are found; `None` where that
    /// cannot be told before they are read.
    pub(crate) fn key(&self, paths: &[PathBuf], options: &ImportOptions) -> Option<Key> {
        Key::of(paths, options)
    }

    /// Tables that were kept of these traces. A damaged file is deleted.
    pub(crate) fn find(
        &self,
        key: &Key,
        paths: &[PathBuf],
        options: &ImportOptions,
    ) -> Option<(TraceTables, ImportSummary)> {
        folder::remove_abandoned(&self.folder);
        let place = self.folder.join(&key.file_name);
        let file = open_own_file(&place)?;
        let mapped = MappedTables { place, key: key.clone(), paths: paths.to_vec() };
        match mapped.open(&file, options) {
            Ok(found) => {
                folder::note_use(&file);
                Some(found)
            }
            Err(Unusable::Damaged(damage)) => {
                mapped.drop_file(&damage, options);
                None
            }
            // There is no memory to map it.
            Err(Unusable::Other) => None,
        }
    }

    /// Begins to keep tables, unless they are not worth it, or the traces changed meanwhile.
    pub(crate) fn keep(
        &self,
        key: &Key,
        paths: &[PathBuf],
        tables: Arc<TraceTables>,
        summary: &ImportSummary,
    ) -> Option<Keeping> {
        let is_small = summary.trace_bytes < self.least_trace_bytes;
        if is_small || !summary.damage.is_empty() || !key.holds(paths) {
            return None;
        }
        let place = self.folder.join(&key.file_name);
        let (cache, about) = (self.clone(), mapped::label(key, about::to_bytes(summary)));
        let work = move || {
            // Kept or not, the tables are here.
            let _ = cache.write(&place, &tables, &about);
        };
        let thread = std::thread::Builder::new().name("cache".into()).spawn(work).ok()?;
        Some(Keeping(Some(thread)))
    }

    fn write(&self, place: &Path, tables: &TraceTables, about: &[u8]) -> std::io::Result<()> {
        std::fs::create_dir_all(&self.folder)?;
        let size = tables.packed_bytes();
        if !folder::make_room(&self.folder, size, self.most_bytes)? {
            return Ok(());
        }
        let file = folder::unfinished(&self.folder)?;
        tables.write(BufWriter::with_capacity(1 << 18, file.file()), about)?;
        // After a loss of power, a file of this name must be complete.
        file.file().sync_data()?;
        file.persist(place)?;
        Ok(())
    }
}

/// Tables on their way to the cache. Waits for them to arrive when it is dropped.
pub(crate) struct Keeping(Option<JoinHandle<()>>);

impl Drop for Keeping {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // The panic hook has printed a panic, and results do not depend on the cache.
            let _ = thread.join();
        }
    }
}
