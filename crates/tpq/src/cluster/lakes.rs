//! The lakes that an executor has opened, with their catalogues.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::common::{Result, exec_err};
use datafusion::error::DataFusionError;
use tokio::sync::Mutex;
use tpq_lake::{Lake, LakeCatalog, LakeError, LakeOptions, LakeTrace};

/// Opened lakes by their addresses. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Lakes(Arc<Mutex<HashMap<String, Opened>>>);

/// A lake, with its catalogue as far as it is known.
#[derive(Clone)]
struct Opened {
    lake: Lake,
    catalog: Option<Arc<LakeCatalog>>,
}

impl Opened {
    async fn open(address: &str) -> Result<Self> {
        let lake = Lake::open(address, &LakeOptions::default()).await;
        Ok(Self { lake: lake.map_err(|error| of_storage(&error))?, catalog: None })
    }

    /// A trace of the catalogue, if that is of this version or a later one.
    fn known(&self, version: u64, digest: &str) -> Option<&Arc<LakeTrace>> {
        self.catalog.as_ref().filter(|catalog| catalog.version() >= version)?.find(digest)
    }
}

impl Lakes {
    /// The lake at an address.
    pub(super) async fn open(&self, address: &str) -> Result<Lake> {
        let mut lakes = self.0.lock().await;
        if let Some(opened) = lakes.get(address) {
            return Ok(opened.lake.clone());
        }
        let opened = Opened::open(address).await?;
        Ok(lakes.entry(address.to_owned()).or_insert(opened).lake.clone())
    }

    /// A trace of a lake. The catalogue is read when it is first needed, and again for a later
    /// version or a trace that it did not have. Tasks wait for one that reads it.
    pub(super) async fn find(
        &self,
        address: &str,
        version: u64,
        digest: &str,
    ) -> Result<(Lake, Arc<LakeTrace>)> {
        let mut lakes = self.0.lock().await;
        let mut opened = match lakes.get(address) {
            Some(opened) => opened.clone(),
            None => Opened::open(address).await?,
        };
        if let Some(trace) = opened.known(version, digest) {
            return Ok((opened.lake.clone(), Arc::clone(trace)));
        }
        let catalog = opened.lake.catalog().await.map_err(|error| of_storage(&error))?;
        let trace = catalog.find(digest).cloned();
        opened.catalog = Some(Arc::new(catalog));
        lakes.insert(address.to_owned(), opened.clone());
        match trace {
            Some(trace) => Ok((opened.lake, trace)),
            None => exec_err!("the lake has no trace {digest} any more"),
        }
    }
}

/// An error of a lake as one of the storage, so that the task is tried again.
fn of_storage(error: &LakeError) -> DataFusionError {
    DataFusionError::IoError(std::io::Error::other(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lake_is_opened_once() {
        let folder = tempfile::tempdir().unwrap();
        let address = folder.path().to_str().unwrap();
        let lakes = Lakes::default();
        // There is none yet.
        assert!(lakes.open(address).await.is_err());
        assert!(lakes.0.lock().await.is_empty());
        Lake::open_or_create(address, None, &[]).await.unwrap();
        let lake = lakes.open(address).await.unwrap();
        assert_eq!(lakes.0.lock().await.len(), 1);
        // A second one is made from the first, without storage.
        std::fs::remove_dir_all(folder.path()).unwrap();
        assert_eq!(lakes.open(address).await.unwrap().url(), lake.url());
    }
}
