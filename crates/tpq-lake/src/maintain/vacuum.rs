//! Removes files that nothing refers to.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use object_store::ObjectMeta;

use crate::catalog::{LakeCatalog, TRACES};
use crate::commit::referenced;
use crate::failures::FAILURES;
use crate::lake::Lake;
use crate::write::milliseconds;
use crate::{LakeError, runtime};

/// The folder of the log within the folder of a table.
const LOG: &str = "_delta_log/";

/// No work takes as long between the first file that it writes and its commit: a vacuum that leaves
/// files of this age does not disturb it.
const LONGEST_WORK: Duration = Duration::from_secs(24 * 3600);

/// What was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Vacuumed {
    /// The number of files.
    pub files: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

/// Which files a vacuum removes.
#[derive(Clone, Copy)]
struct Ages {
    /// Those that were written up to this time, in milliseconds since 1970…
    written: i64,
    /// …and, where a log had them, were taken out of it up to this one.
    taken_out: i64,
}

impl Lake {
    /// Removes files that neither the catalogue nor a log refers to, that are at least `age` old, as
    /// younger ones may be those of a running ingest, and that no log has had for this time, as a
    /// statement that began before they were replaced may still read them. Leaves symbolic links and
    /// what is behind them. Then writes files with rows of deleted traces without these rows, where a
    /// process died before it did so.
    ///
    /// # Errors
    /// When the lake cannot be read, or a file cannot be removed.
    pub async fn vacuum(&self, age: Duration) -> Result<Vacuumed, LakeError> {
        let milliseconds_of_age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let mut written = milliseconds().saturating_sub(milliseconds_of_age);
        if age < LONGEST_WORK {
            // Files from then on may be those of work that knows of this vacuum.
            written = written.min(self.begin_vacuum().await?.saturating_sub(1));
        }
        self.reconcile(Some(age)).await?;
        // With an age of 0, this includes what was taken out of logs a moment ago.
        let taken_out = milliseconds().saturating_sub(milliseconds_of_age);
        let ages = Ages { written, taken_out };
        // Read after the vacuum was counted: it has what was committed before.
        let catalog = self.catalog().await?;
        let mut removed = Vacuumed::default();
        let tables = self.tables().await?.into_iter().map(|decl| decl.name);
        for table in tables.chain([TRACES, FAILURES]) {
            for object in self.unwanted(&catalog, table, ages).await? {
                self.store().delete(&object.location).await?;
                removed.files += 1;
                removed.bytes += object.size;
            }
            if let Some(folder) = self.store().folder(table) {
                let partial = runtime::blocking(move || remove_partial_files(&folder, written));
                let partial = partial.await?;
                removed.files += partial.files;
                removed.bytes += partial.bytes;
            }
        }
        self.leave_out_unused().await?;
        Ok(removed)
    }

    /// The files of a table that are to be removed.
    async fn unwanted(
        &self,
        catalog: &LakeCatalog,
        table: &str,
        ages: Ages,
    ) -> Result<Vec<ObjectMeta>, LakeError> {
        let log = self.log(table);
        let found = runtime::blocking(move || {
            let state = log.state()?;
            let files = state.as_ref().map_or(Ok(Vec::new()), |state| log.files(state))?;
            Ok((state, files))
        });
        let (state, files) = found.await?;
        let mut kept: HashSet<String> = files.into_iter().map(|file| file.path).collect();
        kept.extend(referenced(catalog, table).into_keys());
        let mut unwanted = self.store().list(table).await?;
        unwanted.retain(|object| {
            let is_young = object.last_modified.timestamp_millis() > ages.written;
            let name = self.store().name_in(table, &object.location);
            !is_young && name.is_some_and(|name| !name.starts_with(LOG) && !kept.contains(name))
        });
        // Most tables of most vacuums have none, and their logs need not be read again.
        if let (Some(state), false) = (state, unwanted.is_empty()) {
            let log = self.log(table);
            let removals = runtime::blocking(move || log.removals(&state)).await?;
            unwanted.retain(|object| {
                let name = self.store().name_in(table, &object.location);
                let at = name.and_then(|name| removals.get(name));
                at.is_none_or(|at| *at <= ages.taken_out)
            });
        }
        self.without_linked(table, unwanted).await
    }

    /// The files of a table that are reached without symbolic links. A listing of a folder follows
    /// links, which may lead out of the lake, or to files that are in use under other names.
    async fn without_linked(
        &self,
        table: &str,
        files: Vec<ObjectMeta>,
    ) -> Result<Vec<ObjectMeta>, LakeError> {
        let Some(folder) = self.store().folder(table) else { return Ok(files) };
        let named = files.into_iter().filter_map(|file| {
            let name = self.store().name_in(table, &file.location)?.to_owned();
            Some((name, file))
        });
        let named: Vec<(String, ObjectMeta)> = named.collect();
        runtime::blocking(move || {
            let plain = named.into_iter().filter(|(name, _)| is_without_links(&folder, name));
            Ok(plain.map(|(_, file)| file).collect::<Vec<_>>())
        })
        .await
    }
}

/// Whether neither a folder, nor a file in it, nor a folder between them is a symbolic link.
fn is_without_links(folder: &Path, name: &str) -> bool {
    let is_plain =
        |path: &Path| path.symlink_metadata().is_ok_and(|metadata| !metadata.is_symlink());
    let mut path = folder.to_owned();
    is_plain(&path)
        && name.split('/').all(|part| {
            path.push(part);
            is_plain(&path)
        })
}

/// Removes files that were being written when their process died. In a folder, `object_store` writes
/// `NAME#1` and renames it at the end; it does not list such files.
fn remove_partial_files(folder: &Path, before: i64) -> Result<Vacuumed, LakeError> {
    let mut removed = Vacuumed::default();
    if folder.is_symlink() {
        return Ok(removed);
    }
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |source| LakeError::Folder { folder: folder.clone(), source };
        let entries = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            // That of a link itself.
            let metadata = match entry.metadata() {
                // Its process has completed it.
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                metadata => metadata.map_err(failed)?,
            };
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if metadata.is_file()
                && is_partial(&entry.file_name())
                && modified_ms(&metadata) <= before
            {
                match std::fs::remove_file(entry.path()) {
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    gone => gone.map_err(failed)?,
                }
                removed.files += 1;
                removed.bytes += metadata.len();
            }
        }
    }
    Ok(removed)
}

/// Whether a file has the name of one that is being written.
fn is_partial(name: &OsStr) -> bool {
    let number = name.to_str().and_then(|name| name.rsplit_once('#'));
    number.is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// When a file was changed, in milliseconds since 1970; the future where that is not known.
fn modified_ms(metadata: &Metadata) -> i64 {
    let since = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::PathBuf;
    use std::time::SystemTime;

    use super::*;
    use crate::test_lake::{file, in_catalog, ingest, lake};

    /// Makes all files of a folder two days old.
    fn make_old(folder: &Path) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let file = File::options().write(true).open(path).unwrap();
                file.set_modified(SystemTime::now() - 2 * LONGEST_WORK).unwrap();
            }
        }
    }

    #[tokio::test]
    async fn files_stay_that_were_just_replaced_however_old_they_are() {
        let (folder, lake) = lake(&[]).await;
        for digest in ["aa", "bb", "cc"] {
            ingest(&lake, digest, "x", 1).await;
        }
        let path_of = |path: String| folder.path().join("slice").join(path);
        let mut replaced: Vec<PathBuf> = Vec::new();
        for digest in ["aa", "bb", "cc"] {
            replaced.push(path_of(file(&lake, digest).await.path));
        }
        let mut rows = lake.store().list(TRACES).await.unwrap().into_iter().map(|it| it.location);
        let rows = rows.find(|path| path.as_ref().ends_with(".parquet")).unwrap();
        // One by its trace, one with its trace, and one by a joined file.
        ingest(&lake, "aa", "x", 5).await;
        lake.delete(&HashSet::from(["bb".to_owned()])).await.unwrap();
        ingest(&lake, "dd", "x", 1).await;
        lake.compact().await.unwrap();
        let stray = path_of("ee-1.parquet".to_owned());
        std::fs::write(&stray, "left by a process that died").unwrap();
        for table in ["slice", TRACES] {
            make_old(&folder.path().join(table));
        }
        let removed = lake.vacuum(LONGEST_WORK).await.unwrap();
        assert_eq!(removed.files, 1);
        assert!(!stray.exists() && replaced.iter().all(|path| path.exists()));
        assert!(lake.store().read(&rows).await.is_ok());
        lake.vacuum(Duration::ZERO).await.unwrap();
        assert!(!replaced.iter().any(|path| path.exists()));
        assert!(lake.store().read(&rows).await.is_err());
        for path in in_catalog(&lake).await {
            assert!(path_of(path).exists());
        }
    }
}
