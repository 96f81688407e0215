//! Removes files that nothing refers to.

use std::collections::HashSet;
use std::time::Duration;

use crate::catalog::TRACES;
use crate::commit::referenced;
use crate::failures::FAILURES;
use crate::lake::Lake;
use crate::write::milliseconds;
use crate::{LakeError, runtime};

/// The folder of the log within the folder of a table.
const LOG: &str = "_delta_log/";

/// What was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Vacuumed {
    /// The number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Lake {
    /// Removes files that neither the catalogue nor a log refers to and that are at least `age` old,
    /// as younger ones may be those of a running ingest, or of a statement that began before they
    /// were replaced.
    ///
    /// # Errors
    /// When the lake cannot be read, or a file cannot be removed.
    pub async fn vacuum(&self, age: Duration) -> Result<Vacuumed, LakeError> {
        self.reconcile(Some(age)).await?;
        let wanted = referenced(&self.catalog().await?);
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let before = milliseconds().saturating_sub(age);
        let mut removed = Vacuumed::default();
        let tables = self.tables().await?.into_iter().map(|decl| decl.name);
        for table in tables.chain([TRACES, FAILURES]) {
            let log = self.log(table);
            let active = runtime::blocking(move || match log.state()? {
                Some(state) => log.files(&state),
                None => Ok(Vec::new()),
            });
            let mut kept: HashSet<String> =
                active.await?.into_iter().map(|file| file.path).collect();
            kept.extend(wanted.get(table).into_iter().flat_map(|files| files.keys().cloned()));
            for object in self.store().list(table).await? {
                let Some(name) = self.store().name_in(table, &object.location) else { continue };
                let is_young = object.last_modified.timestamp_millis() > before;
                if is_young || name.starts_with(LOG) || kept.contains(name) {
                    continue;
                }
                self.store().delete(&object.location).await?;
                removed.files += 1;
                removed.bytes += object.size;
            }
        }
        Ok(removed)
    }
}
