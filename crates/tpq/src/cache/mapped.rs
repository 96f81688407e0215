//! Tables in a mapped file of the cache, and what happens when the file is damaged.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use tpq_source::GuardedMap;
use tpq_tables::{NotTables, Store, TraceTables};

use super::{Key, about};
use crate::{CancelToken, ImportOptions, ImportSummary, import};

/// A file of the cache, and the traces that its tables are of.
#[derive(Clone)]
pub(super) struct MappedTables {
    pub(super) place: PathBuf,
    pub(super) key: Key,
    pub(super) paths: Vec<PathBuf>,
}

/// Why a file cannot be used.
pub(super) enum Unusable {
    /// It is not what was written, for the reason given.
    Damaged(String),
    /// For a reason that may pass.
    Other,
}

/// The name of the file, which begins what is written beside the tables: a file that was renamed
/// holds tables of other traces.
pub(super) fn label(key: &Key, about: Vec<u8>) -> Vec<u8> {
    [key.file_name.as_bytes(), b"\n", &about].concat()
}

impl MappedTables {
    /// Maps the tables.
    pub(super) fn open(
        &self,
        file: &File,
        options: &ImportOptions,
    ) -> Result<(TraceTables, ImportSummary), Unusable> {
        let damaged = |what: &str| Unusable::Damaged(what.to_owned());
        let len = file.metadata().map_err(|_| Unusable::Other)?.len();
        if len == 0 {
            return Err(damaged("it is empty"));
        }
        let map = GuardedMap::new(file, &self.place).map_err(|_| Unusable::Other)?;
        let map = Arc::new(map);
        // The token of the import is cancelled when the trace is open.
        let cancel = CancelToken::default();
        let options = ImportOptions {
            cache: None,
            cancel,
            progress: None,
            metatrace: None,
            ..options.clone()
        };
        let store = CacheFile { map: Arc::clone(&map), tables: self.clone(), options };
        let bytes = Bytes::from_owner(MapBytes(map));
        let opened = TraceTables::from_bytes(bytes, Arc::new(store));
        let (tables, about) = opened.map_err(|error: NotTables| damaged(error.reason()))?;
        let label = label(&self.key, Vec::new());
        let about = about.strip_prefix(label.as_slice()).ok_or(damaged("it has another name"))?;
        let summary = about::from_bytes(about).ok_or(damaged("its summary cannot be read"))?;
        Ok((tables, summary))
    }

    /// Deletes the file and says so.
    pub(super) fn drop_file(&self, damage: &str, options: &ImportOptions) {
        // Where it cannot be deleted, the next import replaces it.
        let _ = fs::remove_file(&self.place);
        options.warn(&format!(
            "the cache file {} is damaged ({damage}); it is deleted and the trace imported again",
            self.place.display()
        ));
    }
}

/// The bytes of a map that others share.
struct MapBytes(Arc<GuardedMap>);

impl AsRef<[u8]> for MapBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// What restores tables when damage is found in a mapped file.
struct CacheFile {
    map: Arc<GuardedMap>,
    tables: MappedTables,
    /// How the trace was imported.
    options: ImportOptions,
}

impl Store for CacheFile {
    fn is_intact(&self) -> bool {
        self.map.is_intact()
    }

    fn restore(&self, damage: &str) -> Result<TraceTables, String> {
        let MappedTables { key, paths, .. } = &self.tables;
        self.tables.drop_file(damage, &self.options);
        let imported = import(paths, &self.options);
        // Asked after the import, as the trace may change during it.
        if !key.holds(paths) {
            return Err("the trace is no longer the one that was imported".to_owned());
        }
        match imported {
            Ok((tables, _)) => Ok(tables),
            Err(error) => Err(format!("the trace cannot be imported again: {error}")),
        }
    }
}
