//! The number of vacuums that may remove files of work that is under way.
//!
//! Files are written first, and the catalogue refers to them later. A vacuum that removes files which
//! the catalogue does not refer to, and leaves none because they are young, counts itself in the log of
//! the catalogue before it looks for files. A commit on an older state of the catalogue fails then, and
//! on a later state, work that began with another number finds that its files may be gone.

use object_store::ObjectStoreExt;

use super::{LakeCatalog, TRACES};
use crate::lake::Lake;
use crate::{LakeError, runtime};

/// The name of the number in the log.
const VACUUM: &str = "tpq.vacuum";

impl Lake {
    /// The number of the last vacuum of young files, `None` if there was none. Work asks for it before
    /// it writes files.
    pub(crate) async fn last_vacuum(&self) -> Result<Option<i64>, LakeError> {
        let log = self.catalog_log();
        runtime::blocking(move || match log.state()? {
            Some(state) => log.number(&state, VACUUM),
            None => Ok(None),
        })
        .await
    }

    /// The same at the moment of a catalogue that is committed to.
    pub(crate) async fn last_vacuum_in(
        &self,
        catalog: &LakeCatalog,
    ) -> Result<Option<i64>, LakeError> {
        let (log, state) = (self.catalog_log(), catalog.state.clone());
        runtime::blocking(move || log.number(&state, VACUUM)).await
    }

    /// Counts a vacuum of young files that begins. Returns when that was by the clock of storage, in
    /// milliseconds since 1970: work that finds the number writes its files later.
    pub(crate) async fn begin_vacuum(&self) -> Result<i64, LakeError> {
        let log = self.catalog_log();
        let version = runtime::blocking(move || log.count(VACUUM)).await?;
        let entry = self.store().path(TRACES, &format!("_delta_log/{version:020}.json"))?;
        let entry = self.store().object_store().head(&entry).await?;
        Ok(entry.last_modified.timestamp_millis())
    }
}

#[cfg(test)]
mod tests {
    use crate::test_lake::{ingest, lake};

    #[tokio::test]
    async fn a_vacuum_that_begins_makes_commits_look_again() {
        let (_folder, lake) = lake(&[]).await;
        ingest(&lake, "aa", "x", 1).await;
        assert_eq!(lake.last_vacuum().await.unwrap(), None);
        let catalog = lake.catalog().await.unwrap();
        let first = lake.begin_vacuum().await.unwrap();
        assert!(first > 0 && first <= lake.begin_vacuum().await.unwrap());
        assert_eq!(lake.last_vacuum().await.unwrap(), Some(2));
        assert_eq!(lake.last_vacuum_in(&catalog).await.unwrap(), None);
        let traces = || vec![catalog.find("aa").unwrap().as_ref().clone()];
        assert!(!lake.rewrite_catalog(&catalog, traces()).await.unwrap());
        let latest = lake.catalog().await.unwrap();
        assert!(lake.rewrite_catalog(&latest, traces()).await.unwrap());
        // Later commits keep the number.
        assert_eq!(lake.last_vacuum().await.unwrap(), Some(2));
    }
}
