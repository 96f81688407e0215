//! Delta logs: which files a table has, changed by commits that happen as a whole or not at all.
//!
//! The functions here block; callers run them by [`runtime::blocking`](crate::runtime::blocking).

mod added;
mod removed;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use delta_kernel::committer::FileSystemCommitter;
use delta_kernel::engine::arrow_data::ArrowEngineData;
use delta_kernel::schema::{DataType, StructField, StructType};
use delta_kernel::snapshot::SnapshotRef;
use delta_kernel::transaction::create_table::create_table;
use delta_kernel::transaction::data_layout::DataLayout;
use delta_kernel::transaction::{CommitResult, Transaction, UpdateTableOperation};
use delta_kernel::{Engine, FilteredEngineData, KernelError, Snapshot, try_parse_uri};
use delta_kernel_default_engine::DefaultEngineBuilder;

pub(crate) use added::AddedFile;

use crate::store::LakeStore;
use crate::{LakeError, runtime};

/// What the log says has written it.
const ENGINE: &str = concat!("tpq/", env!("CARGO_PKG_VERSION"));
/// How often a commit is tried while other processes commit to the same table.
const ATTEMPTS: u32 = 40;
/// Commits after which a checkpoint saves readers from reading each of them.
const CHECKPOINT_AFTER: u64 = 20;

/// What the history of a table calls a commit of a number.
const VACUUM_START: &str = "VACUUM START";

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ColumnType {
    Text,
    Integer,
    Real,
}

impl ColumnType {
    fn of_delta(self) -> DataType {
        match self {
            Self::Text => DataType::STRING,
            Self::Integer => DataType::LONG,
            Self::Real => DataType::DOUBLE,
        }
    }
}

/// The Delta engine of a lake.
#[derive(Clone)]
pub(crate) struct LogEngine(Arc<dyn Engine>);

impl LogEngine {
    pub(crate) fn new(store: &LakeStore) -> Result<Self, LakeError> {
        let builder = DefaultEngineBuilder::new(Arc::clone(store.object_store()));
        Ok(Self(Arc::new(builder.with_task_executor(runtime::executor()?).build())))
    }
}

impl fmt::Debug for LogEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogEngine")
    }
}

/// The log of a table.
#[derive(Clone, Debug)]
pub(crate) struct TableLog {
    engine: LogEngine,
    name: String,
    url: String,
    /// The folder of the table in the file system, which the Delta engine wants to exist.
    folder: Option<PathBuf>,
}

/// The state of a table at a version.
#[derive(Clone)]
pub(crate) struct LogState(SnapshotRef);

/// A file of a table.
#[derive(Clone, Debug)]
pub(crate) struct ActiveFile {
    /// The path within the folder of the table.
    pub path: String,
    /// When it was written, in milliseconds since 1970.
    pub modified_ms: i64,
}

/// A change of a table.
#[derive(Clone, Default)]
pub(crate) struct LogChange {
    pub add: Vec<AddedFile>,
    /// The paths of files that no longer belong to the table. Those that do not are ignored.
    pub remove: HashSet<String>,
    /// Columns that the table has to have. Those that it lacks are added.
    pub columns: Vec<(String, ColumnType)>,
    /// Whether the rows stay the same, as when files are joined.
    pub same_rows: bool,
}

impl LogChange {
    pub(crate) fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty() && self.columns.is_empty()
    }

    fn operation(&self) -> UpdateTableOperation {
        match (self.add.is_empty(), self.remove.is_empty()) {
            (true, true) => UpdateTableOperation::AlterTable,
            (true, false) => UpdateTableOperation::Delete,
            (false, _) if self.same_rows => UpdateTableOperation::Optimize,
            (false, _) => UpdateTableOperation::Write,
        }
    }
}

impl LogState {
    /// The version.
    pub(crate) fn version(&self) -> u64 {
        self.0.version()
    }

    /// The names of the columns.
    pub(crate) fn columns(&self) -> Vec<String> {
        self.0.schema().fields().map(|field| field.name().clone()).collect()
    }

    /// A property of the table that is tpq's own.
    pub(crate) fn property(&self, name: &str) -> Option<String> {
        self.0.table_properties().unknown_properties.get(name).cloned()
    }
}

impl TableLog {
    pub(crate) fn new(engine: &LogEngine, store: &LakeStore, name: &str) -> Self {
        Self {
            engine: engine.clone(),
            name: name.to_owned(),
            url: store.table_url(name),
            folder: store.folder(name),
        }
    }

    /// The latest state; `None` if there is no table.
    pub(crate) fn state(&self) -> Result<Option<LogState>, LakeError> {
        if self.folder.as_ref().is_some_and(|folder| !folder.is_dir()) {
            return Ok(None);
        }
        match Snapshot::builder_for(&self.url).build(self.engine()) {
            Ok(snapshot) => Ok(Some(LogState(snapshot))),
            Err(_) if self.is_absent()? => Ok(None),
            Err(error) => Err(self.error(error)),
        }
    }

    fn is_absent(&self) -> Result<bool, LakeError> {
        let listed = || -> Result<bool, KernelError> {
            let log = try_parse_uri(&self.url)?.join("_delta_log/")?;
            match self.engine().storage_handler().list_from(&log)?.next() {
                None | Some(Err(KernelError::FileNotFound(_))) => Ok(true),
                Some(first) => first.map(|_| false),
            }
        };
        match listed() {
            Err(KernelError::FileNotFound(_)) => Ok(true),
            listed => listed.map_err(|error| self.error(error)),
        }
    }

    /// Makes the table, unless another process does.
    pub(crate) fn create(
        &self,
        columns: &[(String, ColumnType)],
        partition: &[String],
        properties: &[(&str, String)],
    ) -> Result<(), LakeError> {
        if let Some(folder) = &self.folder {
            let failed = |source| LakeError::Folder { folder: folder.clone(), source };
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let fields =
            columns.iter().map(|(name, kind)| StructField::nullable(name, kind.of_delta()));
        let create = || -> Result<(), KernelError> {
            let schema = Arc::new(StructType::try_new(fields)?);
            let mut table = create_table(&self.url, schema, ENGINE, true);
            table = table.with_table_properties(properties.iter().cloned());
            if !partition.is_empty() {
                table = table.with_data_layout(DataLayout::partitioned(partition));
            }
            let committer = Box::new(FileSystemCommitter::new());
            match table.build(self.engine(), committer)?.commit(self.engine())? {
                CommitResult::Retryable(failed) => Err(failed.error),
                CommitResult::Committed(_) | CommitResult::Conflicted(_) => Ok(()),
            }
        };
        match create() {
            Err(_) if self.state()?.is_some() => Ok(()),
            created => created.map_err(|error| self.error(error)),
        }
    }

    /// The files of the table.
    pub(crate) fn files(&self, state: &LogState) -> Result<Vec<ActiveFile>, LakeError> {
        let list = || -> Result<Vec<ActiveFile>, KernelError> {
            let scan = Arc::clone(&state.0).scan_builder().build()?;
            let mut files = Vec::new();
            for found in scan.scan_metadata(self.engine())? {
                files = found?.visit_scan_files(files, |files, file| {
                    files.push(ActiveFile { path: file.path, modified_ms: file.modification_time });
                })?;
            }
            Ok(files)
        };
        list().map_err(|error| self.error(error))
    }

    /// When files were taken out of the table that it does not have again, by path, in milliseconds
    /// since 1970. A log says so for some days, a week unless a property of the table says otherwise.
    pub(crate) fn removals(&self, state: &LogState) -> Result<HashMap<String, i64>, LakeError> {
        removed::times(&state.0, self.engine()).map_err(|error| self.error(error))
    }

    /// Commits a change to the latest state, whatever that is.
    pub(crate) fn apply(&self, change: &LogChange) -> Result<(), LakeError> {
        for attempt in 0..ATTEMPTS {
            let state = self.state()?.ok_or_else(|| LakeError::NotFound(self.url.clone()))?;
            if self.commit(&state, change)? {
                return Ok(());
            }
            std::thread::sleep(runtime::random_pause(attempt));
        }
        Err(LakeError::Busy(self.name.clone()))
    }

    /// Commits a change to this state. Returns whether it is the latest: otherwise another process
    /// has changed the table, and nothing is committed.
    pub(crate) fn commit(&self, state: &LogState, change: &LogChange) -> Result<bool, LakeError> {
        if change.is_empty() {
            return Ok(true);
        }
        let commit = || -> Result<bool, KernelError> {
            let Some(transaction) = self.transaction(state, change)? else { return Ok(true) };
            match transaction.commit(self.engine())? {
                CommitResult::Conflicted(_) => Ok(false),
                CommitResult::Retryable(failed) => Err(failed.error),
                CommitResult::Committed(committed) => {
                    let since = committed.post_commit_stats().commits_since_checkpoint;
                    if let Some(snapshot) = committed.post_commit_snapshot()
                        && since >= CHECKPOINT_AFTER
                    {
                        // Without a checkpoint, readers read more commits.
                        let _ = snapshot.checkpoint(self.engine(), None);
                    }
                    Ok(true)
                }
            }
        };
        commit().map_err(|error| self.error(error))
    }

    /// The number of a name in a state; `None` before its first.
    pub(crate) fn number(&self, state: &LogState, name: &str) -> Result<Option<i64>, LakeError> {
        let number = state.0.get_app_id_version(name, self.engine());
        number.map_err(|error| self.error(error))
    }

    /// Commits the next number of a name, and no other change. Returns the version of this commit.
    pub(crate) fn count(&self, name: &str) -> Result<u64, LakeError> {
        for attempt in 0..ATTEMPTS {
            let state = self.state()?.ok_or_else(|| LakeError::NotFound(self.url.clone()))?;
            let next = self.number(&state, name)?.unwrap_or_default().saturating_add(1);
            let commit = || -> Result<bool, KernelError> {
                let operation = UpdateTableOperation::Custom(VACUUM_START.to_owned());
                let builder = Arc::clone(&state.0).update_table(operation, ENGINE, false);
                let committer = Box::new(FileSystemCommitter::new());
                let transaction = builder.build(self.engine(), committer)?;
                let transaction = transaction.with_transaction_id(name.to_owned(), next);
                match transaction.commit(self.engine())? {
                    CommitResult::Conflicted(_) => Ok(false),
                    CommitResult::Retryable(failed) => Err(failed.error),
                    CommitResult::Committed(_) => Ok(true),
                }
            };
            if commit().map_err(|error| self.error(error))? {
                return Ok(state.version().saturating_add(1));
            }
            std::thread::sleep(runtime::random_pause(attempt));
        }
        Err(LakeError::Busy(self.name.clone()))
    }

    /// The transaction of a change; `None` if it would change nothing.
    fn transaction(
        &self,
        state: &LogState,
        change: &LogChange,
    ) -> Result<Option<Transaction>, KernelError> {
        let removed = match change.remove.is_empty() {
            true => Vec::new(),
            false => self.removed(state, &change.remove)?,
        };
        // From the state that is committed to: another process may have added some of them.
        let found: HashSet<String> = match change.columns.is_empty() {
            true => HashSet::new(),
            false => state.columns().into_iter().collect(),
        };
        let columns = change.columns.iter().filter(|(name, _)| !found.contains(name));
        let columns: Vec<_> = columns.collect();
        if change.add.is_empty() && removed.is_empty() && columns.is_empty() {
            return Ok(None);
        }
        let is_altered = matches!(change.operation(), UpdateTableOperation::AlterTable);
        let changes_rows = !change.same_rows && !is_altered;
        let mut builder =
            Arc::clone(&state.0).update_table(change.operation(), ENGINE, changes_rows);
        for (name, kind) in columns {
            builder = builder.add_column(StructField::nullable(name, kind.of_delta()));
        }
        let mut transaction = builder.build(self.engine(), Box::new(FileSystemCommitter::new()))?;
        if !change.add.is_empty() {
            let added = added::batch(&change.add)?;
            transaction.add_files(Box::new(ArrowEngineData::new(added)));
        }
        removed.into_iter().for_each(|files| transaction.remove_files(files));
        Ok(Some(transaction))
    }

    /// The entries of the log of files with these paths.
    fn removed(
        &self,
        state: &LogState,
        paths: &HashSet<String>,
    ) -> Result<Vec<FilteredEngineData>, KernelError> {
        let scan = Arc::clone(&state.0).scan_builder().build()?;
        let mut removed = Vec::new();
        for found in scan.scan_metadata(self.engine())? {
            let found = found?;
            let visited =
                found.visit_scan_files(Vec::new(), |visited, file| visited.push(file.path))?;
            let (data, mut selected) = found.scan_files.into_parts();
            selected.resize(data.len(), true);
            // Only selected rows are visited.
            let mut visited = visited.into_iter();
            for is_selected in &mut selected {
                let path = if *is_selected { visited.next() } else { None };
                *is_selected = path.is_some_and(|path| paths.contains(&path));
            }
            if selected.contains(&true) {
                removed.push(FilteredEngineData::try_new(data, selected)?);
            }
        }
        Ok(removed)
    }

    fn engine(&self) -> &dyn Engine {
        self.engine.0.as_ref()
    }

    fn error(&self, error: KernelError) -> LakeError {
        LakeError::log(&self.name)(error)
    }
}

/// The change of a number of tables, by their names.
pub(crate) type LogChanges = BTreeMap<String, LogChange>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_lake::lake;

    #[tokio::test]
    async fn processes_that_add_the_same_columns_both_succeed() {
        let (_folder, lake) = lake(&[]).await;
        let log = lake.log("slice");
        let columns = |names: &[&str]| -> Vec<(String, ColumnType)> {
            names.iter().map(|&name| (name.to_owned(), ColumnType::Text)).collect()
        };
        let (old, new) = (columns(&["a"]), columns(&["a", "b"]));
        let found = runtime::blocking(move || {
            log.create(&old, &[], &[])?;
            let change = LogChange { columns: new, ..LogChange::default() };
            log.apply(&change)?;
            log.apply(&change)?;
            Ok(log.state()?.unwrap().columns())
        });
        assert_eq!(found.await.unwrap(), ["a", "b"]);
    }
}
