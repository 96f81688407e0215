//! A Parquet file of a lake that is read in parts; for threads that may block.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::parquet::errors::ParquetError;
use datafusion::parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader,
};
use datafusion::parquet::file::reader::ChunkReader;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

use crate::lake::Lake;
use crate::windows::Windows;
use crate::{LakeError, TableFile, runtime};

/// The bytes at the end of a file that are read first, for its directory of row groups.
const TAIL: u64 = 512 << 10;

/// A file in storage.
#[derive(Clone)]
pub(crate) struct StoredFile {
    store: Arc<dyn ObjectStore>,
    path: Path,
    /// The path within the folder of its table.
    pub name: String,
    /// The size in bytes.
    pub size: u64,
}

impl StoredFile {
    /// A file of a table, as the catalogue has it.
    ///
    /// # Errors
    /// When its path is damaged.
    pub(crate) fn of(lake: &Lake, table: &str, file: &TableFile) -> Result<Self, LakeError> {
        let path = lake.store().path(table, &file.path)?;
        let store = Arc::clone(lake.store().object_store());
        Ok(Self { store, path, name: file.path.clone(), size: file.bytes })
    }

    /// All bytes.
    ///
    /// # Errors
    /// When storage fails.
    pub(crate) fn read_whole(&self) -> Result<Bytes, LakeError> {
        let (store, path) = (Arc::clone(&self.store), self.path.clone());
        runtime::wait(async move { Ok(store.get(&path).await?.bytes().await?) })
    }

    /// The bytes up to an offset, of which windows of a size are in memory.
    pub(crate) fn windows(&self, end: u64, size: u64) -> Windows {
        let file = self.clone();
        Windows::new(end, size, move |range| file.read(range))
    }

    /// The directory of row groups, without the rest of the file, and with the indexes of pages if
    /// `indexes` says so. `check` may refuse to read as many bytes for it.
    ///
    /// # Errors
    /// When the file is none of Parquet, storage fails, or `check` does.
    pub(crate) fn directory(
        &self,
        indexes: PageIndexPolicy,
        check: impl Fn(u64) -> Result<(), LakeError> + Send + Sync + 'static,
    ) -> Result<ParquetMetaData, LakeError> {
        let file = self.clone();
        let windows = Windows::new(self.size, TAIL, move |range| {
            check(range.end.saturating_sub(range.start))?;
            file.read(range)
        });
        let tail = windows.bytes_from(self.size.saturating_sub(TAIL));
        windows.checked(tail.and_then(|_| directory_of(&windows, indexes)), &self.name)
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes, LakeError> {
        let (store, path) = (Arc::clone(&self.store), self.path.clone());
        runtime::wait(async move { Ok(store.get_range(&path, range).await?) })
    }
}

/// The directory of row groups of a file.
///
/// # Errors
/// When it is none of Parquet.
pub(crate) fn directory_of(
    file: &impl ChunkReader,
    indexes: PageIndexPolicy,
) -> Result<ParquetMetaData, ParquetError> {
    let mut reader = ParquetMetaDataReader::new().with_page_index_policy(indexes);
    reader.try_parse(file)?;
    reader.finish()
}

/// Where the first of some row groups begins in a file, and the last one ends.
pub(crate) fn extent_of(metadata: &ParquetMetaData, chosen: Range<usize>) -> Range<u64> {
    let groups = metadata.row_groups().get(chosen).unwrap_or_default();
    let columns = groups.iter().flat_map(|group| group.columns());
    let extents = columns.map(|column| {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let end = start.saturating_add(column.compressed_size());
        let offset = |offset: i64| u64::try_from(offset).unwrap_or_default();
        offset(start)..offset(end)
    });
    let both = |all: Range<u64>, own: Range<u64>| all.start.min(own.start)..all.end.max(own.end);
    extents.reduce(both).unwrap_or_default()
}
