//! Cached tables in a mapped file, and their recovery when the file is damaged.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use tpq_source::{FileIdentity, GuardedMap};
use tpq_tables::{NotTables, Store, StoredTables, TableGroups, TraceTables};

use super::{CachedTables, Key, stored_summary};
use crate::import::Imported;
use crate::traces::Traces;
use crate::{CancelToken, ImportOptions};

/// A cache file, and the traces of its tables.
#[derive(Clone)]
pub(super) struct MappedTables {
    pub(super) path: PathBuf,
    /// The file that had this path when it was opened.
    pub(super) identity: Option<FileIdentity>,
    pub(super) key: Key,
    pub(super) traces: Traces,
}

/// Why a file cannot be used.
pub(super) enum Unusable {
    /// The content is not what was written, for the given reason.
    Damaged(String),
    /// A reason that may pass, such as a lack of memory.
    Other,
}

/// The name of the file, then the summary: the data stored with the tables. The name shows if a
/// file was renamed, because then it holds tables of other traces.
pub(super) fn label(key: &Key, summary: Vec<u8>) -> Vec<u8> {
    [key.file_name.as_bytes(), b"\n", &summary].concat()
}

impl MappedTables {
    /// Maps the tables.
    pub(super) fn open(
        &self,
        file: &File,
        options: &ImportOptions,
    ) -> Result<CachedTables, Unusable> {
        let damaged = |what: &str| Unusable::Damaged(what.to_owned());
        let len = file.metadata().map_err(|_| Unusable::Other)?.len();
        if len == 0 {
            return Err(damaged("it is empty"));
        }
        let map = GuardedMap::new(file, &self.path).map_err(|_| Unusable::Other)?;
        let map = Arc::new(map);
        // The token of the first import is cancelled once the trace is open. The token of a
        // statement does not apply: later statements read the restored tables as well.
        let cancel = CancelToken::default();
        let options = ImportOptions {
            cache: None,
            cancel,
            progress: None,
            metatrace: None,
            ..options.clone()
        };
        let left_out = TableGroups::left_out_of(&**map).unwrap_or_default();
        let store = CacheFile { map: Arc::clone(&map), tables: self.clone(), left_out, options };
        let bytes = Bytes::from_owner(MapBytes(map));
        let opened = TraceTables::from_bytes(bytes, Arc::new(store));
        let opened = opened.map_err(|error: NotTables| damaged(error.reason()))?;
        let StoredTables { tables, left_out, about } = opened;
        let label = label(&self.key, Vec::new());
        let summary = about.strip_prefix(label.as_slice()).ok_or(damaged("it has another name"))?;
        let summary =
            stored_summary::from_bytes(summary).ok_or(damaged("its summary cannot be read"))?;
        Ok(CachedTables { tables, summary, left_out })
    }

    /// Deletes the file, unless another has replaced it, and reports a warning.
    pub(super) fn delete(&self, damage: &str, options: &ImportOptions) {
        if FileIdentity::of(&self.path).ok().flatten() == self.identity {
            // If it cannot be deleted, the next import replaces it.
            let _ = fs::remove_file(&self.path);
        }
        options.warn(&format!(
            "the cache file {} is damaged ({damage}); it is deleted and the trace imported again",
            self.path.display()
        ));
    }
}

/// The bytes of a shared map.
struct MapBytes(Arc<GuardedMap>);

impl AsRef<[u8]> for MapBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Restores tables when damage is found in a mapped file.
struct CacheFile {
    map: Arc<GuardedMap>,
    tables: MappedTables,
    /// The groups of tables that are not in the file.
    left_out: TableGroups,
    /// The options of the import.
    options: ImportOptions,
}

impl Store for CacheFile {
    fn is_intact(&self) -> bool {
        self.map.is_intact()
    }

    fn restore(&self, damage: &str) -> Result<TraceTables, String> {
        let MappedTables { key, traces, .. } = &self.tables;
        self.tables.delete(damage, &self.options);
        let imported = traces.import_without(self.left_out, &self.options);
        // Checked after the import, because the trace may change during it.
        if !key.is_current(traces) {
            return Err("the trace is no longer the one that was imported".to_owned());
        }
        match imported {
            Ok(Imported { tables, .. }) => Ok(tables),
            Err(error) => Err(format!("the trace cannot be imported again: {error}")),
        }
    }
}
