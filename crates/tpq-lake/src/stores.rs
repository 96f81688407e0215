//! The stores that a process without a lake of its own reads: those of any address, with the
//! settings of the environment.

use std::sync::Arc;

use datafusion::error::DataFusionError;
use datafusion::execution::object_store::{DefaultObjectStoreRegistry, ObjectStoreRegistry};
use object_store::ObjectStore;
use url::Url;

use crate::store::store_of;

/// Opens the store of an address when it is first asked for.
#[derive(Debug, Default)]
pub struct EnvironmentStores {
    opened: DefaultObjectStoreRegistry,
}

impl ObjectStoreRegistry for EnvironmentStores {
    fn register_store(
        &self,
        url: &Url,
        store: Arc<dyn ObjectStore>,
    ) -> Option<Arc<dyn ObjectStore>> {
        self.opened.register_store(url, store)
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>, DataFusionError> {
        if let Ok(store) = self.opened.get_store(url) {
            return Ok(store);
        }
        let (store, _) = store_of(url).map_err(|error| DataFusionError::External(error.into()))?;
        self.opened.register_store(url, Arc::clone(&store));
        Ok(store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_are_opened_by_address() {
        let stores = EnvironmentStores::default();
        let bucket = Url::parse("s3://traces").unwrap();
        let first = stores.get_store(&bucket).unwrap();
        assert!(Arc::ptr_eq(&first, &stores.get_store(&bucket).unwrap()));
        assert!(stores.get_store(&Url::parse("file:///").unwrap()).is_ok());
        assert!(stores.get_store(&Url::parse("nothing://x").unwrap()).is_err());
    }
}
