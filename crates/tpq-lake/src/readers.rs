//! Readers of the Parquet files of a lake. Their errors tell storage that fails from a file that is
//! damaged.
//!
//! DataFusion's own readers state the cause of an error at the open of a file as text alone. And a
//! store gives the same kind of error for a read beyond the end of a file that was cut as for a
//! network that is down, so the size of the file decides.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TransformedResult, TreeNode};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::metadata::DFParquetMetadata;
use datafusion::datasource::physical_plan::parquet::{
    DefaultParquetFileReaderFactory, ParquetFileReaderFactory,
};
use datafusion::datasource::physical_plan::{FileScanConfig, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::DataFusionError;
use datafusion::execution::object_store::ObjectStoreRegistry;
use datafusion::parquet::arrow::arrow_reader::ArrowReaderOptions;
use datafusion::parquet::arrow::async_reader::AsyncFileReader;
use datafusion::parquet::errors::{ParquetError, Result as ParquetResult};
use datafusion::parquet::file::metadata::ParquetMetaData;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use futures::FutureExt;
use futures::future::BoxFuture;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::storage_error::has_failed_storage;

/// The plan with readers of a lake in all scans of Parquet files: for a part of a plan that was
/// made by another process.
///
/// # Errors
/// When a store cannot be opened.
pub fn with_lake_readers(
    plan: Arc<dyn ExecutionPlan>,
    stores: &dyn ObjectStoreRegistry,
) -> Result<Arc<dyn ExecutionPlan>> {
    let with_readers = |step: Arc<dyn ExecutionPlan>| match parquet_scan_of(&step) {
        Some((mut scan, parquet)) => {
            let store = stores.get_store(scan.object_store_url.as_ref())?;
            let readers = Arc::new(LakeReaders::new(store));
            scan.file_source = Arc::new(parquet.with_parquet_file_reader_factory(readers));
            let step: Arc<dyn ExecutionPlan> = DataSourceExec::from_data_source(scan);
            Ok(Transformed::yes(step))
        }
        None => Ok(Transformed::no(step)),
    };
    plan.transform_up(with_readers).data()
}

/// The parts of a step that scans Parquet files.
fn parquet_scan_of(step: &Arc<dyn ExecutionPlan>) -> Option<(FileScanConfig, ParquetSource)> {
    let source = step.downcast_ref::<DataSourceExec>()?.data_source();
    let scan = source.downcast_ref::<FileScanConfig>()?;
    let parquet = scan.file_source().downcast_ref::<ParquetSource>()?;
    Some((scan.clone(), parquet.clone()))
}

/// Makes readers of files of a store.
#[derive(Debug)]
pub(crate) struct LakeReaders {
    store: Arc<dyn ObjectStore>,
    readers: DefaultParquetFileReaderFactory,
}

impl LakeReaders {
    pub(crate) fn new(store: Arc<dyn ObjectStore>) -> Self {
        let readers = DefaultParquetFileReaderFactory::new(Arc::clone(&store));
        Self { store, readers }
    }
}

impl ParquetFileReaderFactory for LakeReaders {
    fn create_reader(
        &self,
        partition_index: usize,
        partitioned: PartitionedFile,
        size_hint: Option<usize>,
        metrics: &ExecutionPlanMetricsSet,
    ) -> Result<Box<dyn AsyncFileReader + Send>> {
        let (store, meta) = (Arc::clone(&self.store), partitioned.object_meta.clone());
        let reader =
            self.readers.create_reader(partition_index, partitioned, size_hint, metrics)?;
        Ok(Box::new(LakeReader { file: LakeFile { store, meta }, size_hint, reader }))
    }
}

/// Reads a file.
struct LakeReader {
    file: LakeFile,
    /// The bytes at the end of the file that are read first.
    size_hint: Option<usize>,
    /// Reads bytes, and counts them.
    reader: Box<dyn AsyncFileReader + Send>,
}

impl AsyncFileReader for LakeReader {
    fn get_bytes(&mut self, range: Range<u64>) -> BoxFuture<'_, ParquetResult<Bytes>> {
        async move {
            match self.reader.get_bytes(range).await {
                Ok(bytes) => Ok(bytes),
                Err(error) => Err(self.file.explained(error).await),
            }
        }
        .boxed()
    }

    fn get_byte_ranges(
        &mut self,
        ranges: Vec<Range<u64>>,
    ) -> BoxFuture<'_, ParquetResult<Vec<Bytes>>> {
        async move {
            match self.reader.get_byte_ranges(ranges).await {
                Ok(bytes) => Ok(bytes),
                Err(error) => Err(self.file.explained(error).await),
            }
        }
        .boxed()
    }

    fn get_metadata<'a>(
        &'a mut self,
        options: Option<&'a ArrowReaderOptions>,
    ) -> BoxFuture<'a, ParquetResult<Arc<ParquetMetaData>>> {
        let policy = options.map(|options| options.column_index_policy());
        async move {
            let file = &self.file;
            let metadata = DFParquetMetadata::new(file.store.as_ref(), &file.meta)
                .with_metadata_size_hint(self.size_hint)
                .with_page_index_policy(policy)
                .fetch_metadata()
                .await;
            match metadata {
                Ok(metadata) => Ok(metadata),
                Err(error) => Err(file.explained(file.of_metadata(error)).await),
            }
        }
        .boxed()
    }
}

/// A file, as the catalogue knows it.
struct LakeFile {
    store: Arc<dyn ObjectStore>,
    meta: ObjectMeta,
}

impl LakeFile {
    /// An error at the open of the file, with its cause where that is storage.
    fn of_metadata(&self, error: DataFusionError) -> ParquetError {
        match has_failed_storage(&error) {
            true => ParquetError::External(Box::new(error)),
            false => ParquetError::General(format!("{}: {error}", self.meta.location)),
        }
    }

    /// The error of a read, which is one of the file where it is missing or has another size than
    /// the catalogue says.
    async fn explained(&self, error: ParquetError) -> ParquetError {
        if !has_failed_storage(&error) {
            return error;
        }
        let (path, expected) = (&self.meta.location, self.meta.size);
        match self.store.head(path).await {
            Ok(found) if found.size != expected => ParquetError::General(format!(
                "{path} has {} bytes in place of {expected}",
                found.size
            )),
            Err(missing @ object_store::Error::NotFound { .. }) => {
                ParquetError::External(Box::new(missing))
            }
            Ok(_) | Err(_) => error,
        }
    }
}

#[cfg(test)]
mod tests {
    use object_store::local::LocalFileSystem;

    use super::*;

    /// The error at the open of the file `name`, which has `size` bytes for the catalogue.
    async fn error_of(folder: &std::path::Path, name: &str, size: u64) -> ParquetError {
        let store: Arc<dyn ObjectStore> =
            Arc::new(LocalFileSystem::new_with_prefix(folder).unwrap());
        let file = PartitionedFile::new(name, size);
        let metrics = ExecutionPlanMetricsSet::new();
        let mut reader = LakeReaders::new(store).create_reader(0, file, None, &metrics).unwrap();
        reader.get_metadata(None).await.unwrap_err()
    }

    #[tokio::test]
    async fn storage_that_fails_is_told_from_a_damaged_file() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("cut.parquet"), "PAR1").unwrap();
        let cut = error_of(folder.path(), "cut.parquet", 1000).await;
        assert_eq!(cut.to_string(), "Parquet error: cut.parquet has 4 bytes in place of 1000");
        std::fs::write(folder.path().join("other.parquet"), [7; 1000]).unwrap();
        let other = error_of(folder.path(), "other.parquet", 1000).await;
        assert!(!has_failed_storage(&other), "{other:?}");
        assert!(other.to_string().contains("other.parquet: "), "{other}");
        let missing = error_of(folder.path(), "missing.parquet", 1000).await;
        assert!(!has_failed_storage(&missing), "{missing:?}");
        assert!(missing.to_string().contains("missing.parquet"), "{missing}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_link_to_itself_is_an_error_of_storage() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("link.parquet");
        std::os::unix::fs::symlink(&path, &path).unwrap();
        let error = error_of(folder.path(), "link.parquet", 1000).await;
        assert!(has_failed_storage(&error), "{error:?}");
        assert!(error.to_string().contains("Too many levels of symbolic links"), "{error}");
    }
}
