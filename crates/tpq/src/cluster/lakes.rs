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

/// A lake, with its traces by their digests as far as they are known.
#[derive(Clone)]
struct Opened {
    lake: Lake,
    /// The version of the catalogue.
    version: u64,
    traces: Arc<HashMap<String, Arc<LakeTrace>>>,
}

impl Opened {
    fn new(lake: Lake, catalog: &LakeCatalog) -> Self {
        let traces = catalog.traces().into_iter();
        let traces = traces.map(|trace| (trace.facts.digest.clone(), trace)).collect();
        Self { lake, version: catalog.version(), traces: Arc::new(traces) }
    }
}

impl Lakes {
    /// The lake at an address.
    pub(super) async fn open(&self, address: &str) -> Result<Lake> {
        if let Some(opened) = self.0.lock().await.get(address) {
            return Ok(opened.lake.clone());
        }
        let lake = Lake::open(address, &LakeOptions::default()).await;
        lake.map_err(|error| of_storage(&error))
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
        let known = lakes.get(address);
        if let Some(opened) = known.filter(|opened| opened.version >= version)
            && let Some(trace) = opened.traces.get(digest)
        {
            return Ok((opened.lake.clone(), Arc::clone(trace)));
        }
        let lake = match known {
            Some(opened) => opened.lake.clone(),
            None => {
                let lake = Lake::open(address, &LakeOptions::default()).await;
                lake.map_err(|error| of_storage(&error))?
            }
        };
        let catalog = lake.catalog().await.map_err(|error| of_storage(&error))?;
        let opened = Opened::new(lake, &catalog);
        lakes.insert(address.to_owned(), opened.clone());
        match opened.traces.get(digest) {
            Some(trace) => Ok((opened.lake, Arc::clone(trace))),
            None => exec_err!("the lake has no trace {digest} any more"),
        }
    }
}

/// An error of a lake as one of the storage, so that the task is tried again.
fn of_storage(error: &LakeError) -> DataFusionError {
    DataFusionError::IoError(std::io::Error::other(error.to_string()))
}
