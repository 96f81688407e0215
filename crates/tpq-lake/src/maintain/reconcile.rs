//! Makes the logs of tables say what the catalogue says.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};

use crate::catalog::LakeCatalog;
use crate::commit::referenced;
use crate::lake::{LOGS_AT_A_TIME, Lake};
use crate::log::{ActiveFile, AddedFile, LogChange, LogState};
use crate::write::milliseconds;
use crate::{LakeError, runtime};

/// The name of files with rows of several traces begins with this.
pub(crate) const JOINED: &str = "joined";

/// How often a table is looked at anew while other processes change it or the catalogue.
const ATTEMPTS: u32 = 40;

impl Lake {
    /// Adds to the log of each table the files that the catalogue refers to and the log does not.
    /// Takes out those that only the log has: files that were joined by a process that died, and
    /// others of at least `age`, as younger ones may be those of a running ingest. None of these
    /// others without an age.
    ///
    /// # Errors
    /// When the lake cannot be read or changed.
    pub(crate) async fn reconcile(&self, age: Option<Duration>) -> Result<(), LakeError> {
        let catalog = Arc::new(self.catalog().await?);
        let tables = self.tables().await?.into_iter().map(|decl| decl.name);
        let before = age.map(|age| {
            milliseconds().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
        });
        let one = |table| self.reconcile_table(table, Arc::clone(&catalog), before);
        let all: Vec<_> = tables.map(one).collect();
        futures::stream::iter(all).buffer_unordered(LOGS_AT_A_TIME).try_collect().await
    }

    /// The same for one table, with the catalogue as it was a moment ago.
    async fn reconcile_table(
        &self,
        table: &'static str,
        mut catalog: Arc<LakeCatalog>,
        before: Option<i64>,
    ) -> Result<(), LakeError> {
        let mut own: HashSet<String> = HashSet::new();
        for attempt in 0..ATTEMPTS {
            let (state, change) = self.difference(table, &catalog, before, own.clone()).await?;
            if change.is_empty() {
                return Ok(());
            }
            // Of an older catalogue, the change would add files of deleted traces again. The log was
            // read later than the catalogue, and a deletion changes it after the catalogue.
            if self.is_latest(&catalog).await? {
                own.extend(change.add.iter().map(|file| file.path.clone()));
                let is_committed = self.commit_to_log(&catalog, table, state, change).await?;
                // A compaction changes the log first, so it may have been in the middle of this.
                if is_committed && self.is_latest(&catalog).await? {
                    return Ok(());
                }
            }
            runtime::pause(attempt).await?;
            catalog = Arc::new(self.catalog().await?);
        }
        Err(LakeError::Busy(table.to_owned()))
    }

    /// The state of a log, if it exists, and what brings it to the files of a catalogue. `own` are
    /// files that this process has added to it.
    async fn difference(
        &self,
        table: &'static str,
        catalog: &LakeCatalog,
        before: Option<i64>,
        own: HashSet<String>,
    ) -> Result<(Option<LogState>, LogChange), LakeError> {
        // Collected when the turn of the table comes, as all of them together take much memory.
        let (log, wanted) = (self.log(table), referenced(catalog, table));
        runtime::blocking(move || {
            let state = log.state()?;
            let files = state.as_ref().map_or(Ok(Vec::new()), |state| log.files(state))?;
            Ok((state, change(wanted, &files, before, &own)))
        })
        .await
    }
}

/// What brings a log with `files` to the files that are wanted. `own` are files that this process has
/// added to it.
fn change(
    mut wanted: BTreeMap<String, AddedFile>,
    files: &[ActiveFile],
    before: Option<i64>,
    own: &HashSet<String>,
) -> LogChange {
    let mut remove = HashSet::new();
    for file in files {
        if wanted.remove(&file.path).is_some() {
            continue;
        }
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let is_old = before.is_some_and(|before| file.modified_ms <= before);
        if is_old || name.starts_with(JOINED) || own.contains(&file.path) {
            remove.insert(file.path.clone());
        }
    }
    LogChange { add: wanted.into_values().collect(), remove, ..LogChange::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_lake::{in_catalog, in_log, ingest, lake};

    #[test]
    fn a_log_gets_the_files_of_the_catalogue() {
        let file = |path: &str| AddedFile {
            path: path.to_owned(),
            size: 1,
            rows: 1,
            modified_ms: 5,
            digests: None,
            partition: Vec::new(),
        };
        let wanted = ["a-1", "joined-2"].map(|path| (path.to_owned(), file(path)));
        let active = |path: &str, modified_ms| ActiveFile { path: path.to_owned(), modified_ms };
        let files = [active("a-1", 5), active("b-1", 5), active("c-1", 9), active("x/joined-1", 9)];
        let removed = |change: &LogChange| {
            let mut removed: Vec<_> = change.remove.iter().cloned().collect();
            removed.sort();
            removed
        };
        let own = HashSet::from(["c-1".to_owned()]);
        let change_of = |before, own: &HashSet<String>| {
            change(BTreeMap::from(wanted.clone()), &files, before, own)
        };
        let none = HashSet::new();
        let young = change_of(None, &none);
        assert_eq!(young.add.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["joined-2"]);
        assert_eq!(removed(&young), ["x/joined-1"]);
        assert_eq!(removed(&change_of(Some(5), &none)), ["b-1", "x/joined-1"]);
        // What this process has added is taken out once no trace has it.
        assert_eq!(removed(&change_of(None, &own)), ["c-1", "x/joined-1"]);
    }

    #[tokio::test]
    async fn a_log_gets_no_files_of_an_older_catalogue() {
        let (_folder, lake) = lake(&[]).await;
        for digest in ["aa", "bb", "cc"] {
            ingest(&lake, digest, "x", 1).await;
        }
        let old = Arc::new(lake.catalog().await.unwrap());
        // The files of deleted traces…
        lake.delete(&HashSet::from(["aa".to_owned()])).await.unwrap();
        lake.reconcile_table("slice", Arc::clone(&old), None).await.unwrap();
        assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
        assert_eq!(in_log(&lake).await.len(), 2);
        // …and those that were joined.
        lake.compact().await.unwrap();
        lake.reconcile_table("slice", old, None).await.unwrap();
        assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
        assert_eq!(in_log(&lake).await.len(), 1);
    }

    #[tokio::test]
    async fn a_log_that_lost_its_files_gets_them_again() {
        let (_folder, lake) = lake(&[]).await;
        for digest in ["aa", "bb"] {
            ingest(&lake, digest, "x", 1).await;
        }
        let remove = in_log(&lake).await.into_iter().collect();
        let lost = LogChange { remove, ..LogChange::default() };
        let log = lake.log("slice");
        runtime::blocking(move || log.apply(&lost)).await.unwrap();
        assert!(in_log(&lake).await.is_empty());
        lake.reconcile(None).await.unwrap();
        assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
        assert_eq!(in_log(&lake).await.len(), 2);
    }
}
