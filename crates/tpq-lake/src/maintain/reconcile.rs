//! Makes the logs of tables say what the catalogue says.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use futures::{StreamExt, TryStreamExt};

use crate::commit::referenced;
use crate::lake::{LOGS_AT_A_TIME, Lake};
use crate::log::{ActiveFile, AddedFile, LogChange, LogChanges};
use crate::write::milliseconds;
use crate::{LakeError, runtime};

/// The name of files with rows of several traces begins with this.
pub(crate) const JOINED: &str = "joined";

impl Lake {
    /// Adds to the log of each table the files that the catalogue refers to and the log does not.
    /// Takes out those that only the log has: files that were joined by a process that died, and
    /// others of at least `age`, as younger ones may be those of a running ingest. None of these
    /// others without an age.
    pub(crate) async fn reconcile(&self, age: Option<Duration>) -> Result<(), LakeError> {
        let catalog = self.catalog().await?;
        let tables = self.tables().await?.into_iter().map(|decl| decl.name);
        let before = age.map(|age| {
            milliseconds().saturating_sub(i64::try_from(age.as_millis()).unwrap_or(i64::MAX))
        });
        let catalog = &catalog;
        // The files of a table are collected when its turn comes.
        let difference = |table: &'static str| async move {
            let (log, wanted) = (self.log(table), referenced(catalog, table));
            let found = runtime::blocking(move || {
                let files = match log.state()? {
                    Some(state) => log.files(&state)?,
                    None => Vec::new(),
                };
                Ok((table.to_owned(), change(wanted, &files, before)))
            });
            found.await
        };
        let changes: Vec<_> = tables.map(difference).collect();
        let changes = futures::stream::iter(changes).buffer_unordered(LOGS_AT_A_TIME);
        let changes: LogChanges = changes.try_collect::<Vec<_>>().await?.into_iter().collect();
        self.apply(catalog.layout(), changes).await
    }
}

/// What brings a log with `files` to the files that are wanted.
fn change(
    mut wanted: BTreeMap<String, AddedFile>,
    files: &[ActiveFile],
    before: Option<i64>,
) -> LogChange {
    let mut remove = HashSet::new();
    for file in files {
        if wanted.remove(&file.path).is_some() {
            continue;
        }
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let is_old = before.is_some_and(|before| file.modified_ms <= before);
        if is_old || name.starts_with(JOINED) {
            remove.insert(file.path.clone());
        }
    }
    LogChange { add: wanted.into_values().collect(), remove, ..LogChange::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let change_of = |before| change(BTreeMap::from(wanted.clone()), &files, before);
        let young = change_of(None);
        assert_eq!(young.add.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), ["joined-2"]);
        assert_eq!(removed(&young), ["x/joined-1"]);
        assert_eq!(removed(&change_of(Some(5))), ["b-1", "x/joined-1"]);
    }
}
