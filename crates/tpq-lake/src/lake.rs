//! A lake, opened.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures::{StreamExt, TryStreamExt};
use tokio::sync::{Mutex as AsyncMutex, OnceCell};
use tpq_tables::{TableDecl, Tables};

use crate::catalog::KnownFiles;
use crate::commit::Leftovers;
use crate::log::{ColumnType, LogChange, LogChanges, LogEngine, LogState, TableLog};
use crate::store::LakeStore;
use crate::{LakeCatalog, LakeError, LakeLayout, TRACE_DIGEST, runtime};

/// Logs of tables that are changed at a time.
pub(crate) const LOGS_AT_A_TIME: usize = 8;

/// How to open a lake.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LakeOptions {}

/// A lake. Clones are of the same lake.
#[derive(Clone)]
pub struct Lake {
    shared: Arc<Shared>,
    /// What processes that died have left, as one ingest finds it.
    leftovers: Arc<OnceCell<Arc<Leftovers>>>,
    /// When this ingest began.
    began: Instant,
    /// The memory limit of upkeep, in bytes.
    memory_limit: Option<u64>,
}

struct Shared {
    store: LakeStore,
    engine: LogEngine,
    known_files: KnownFiles,
    unfinished: Mutex<Option<String>>,
    /// What an ingest has found last of processes that died, and when it began to look. Others that
    /// began before need not look again, as the tasks of a cluster that an executor runs at a time.
    last_leftovers: AsyncMutex<Option<(Instant, Arc<Leftovers>)>>,
}

impl Lake {
    /// Opens the lake at an address: a folder, `s3://…`, `gs://…` or `az://…`. Credentials of object
    /// stores come from the environment.
    ///
    /// # Errors
    /// When there is no lake, or it cannot be read.
    pub async fn open(address: &str, _options: &LakeOptions) -> Result<Self, LakeError> {
        let lake = Self::at(address)?;
        lake.catalog().await?;
        Ok(lake)
    }

    /// Opens the lake at an address, and makes one where there is none. `partition` is `None` for
    /// the partition columns that the lake has, or `day` and `device` for a new one; `columns` are
    /// names of `metadata` that become columns of the catalogue, in addition to those that it has.
    ///
    /// # Errors
    /// When the lake has other partition columns, or cannot be read or made.
    pub async fn open_or_create(
        address: &str,
        partition: Option<&[String]>,
        columns: &[String],
    ) -> Result<Self, LakeError> {
        let lake = Self::at(address)?;
        let default = ["day".to_owned(), "device".to_owned()];
        let wanted = LakeLayout::new(partition.unwrap_or(&default), columns)?;
        let mut catalog = lake.catalog().await;
        if let Err(LakeError::NotFound(_)) = catalog {
            lake.create_catalog(&wanted).await?;
            catalog = lake.catalog().await;
        }
        let found = catalog?.layout().clone();
        if partition.is_some_and(|partition| partition != found.partition) {
            let names = found.partition.join(",");
            let has = if names.is_empty() {
                "not partitioned".to_owned()
            } else {
                format!("partitioned by {names}")
            };
            return Err(LakeError::Layout(format!("the lake is {has}, which cannot change")));
        }
        let is_new = |name: &&String| {
            let is_fixed = |(fixed, _): &(&str, ColumnType)| fixed == name;
            !found.columns.contains(name) && !crate::catalog::FIXED_COLUMNS.iter().any(is_fixed)
        };
        let new: Vec<String> = columns.iter().filter(is_new).cloned().collect();
        if !new.is_empty() {
            lake.add_columns(&new).await?;
        }
        Ok(lake)
    }

    fn at(address: &str) -> Result<Self, LakeError> {
        let store = LakeStore::open(address)?;
        let engine = LogEngine::new(&store)?;
        let (known_files, unfinished) = (KnownFiles::default(), Mutex::default());
        let last_leftovers = AsyncMutex::default();
        let shared = Arc::new(Shared { store, engine, known_files, unfinished, last_leftovers });
        let (leftovers, began) = (Arc::default(), Instant::now());
        Ok(Self { shared, leftovers, began, memory_limit: None })
    }

    /// The lake for an ingest that begins now: it looks anew for what processes that died have left,
    /// unless another one does so from now on. What is known of the catalogue is shared.
    pub fn for_ingest(&self) -> Self {
        Self { leftovers: Arc::default(), began: Instant::now(), ..self.clone() }
    }

    /// The lake with a memory limit in bytes for work on files that join rows of several traces:
    /// [`Lake::compact`], and deletions from such files. The limit decides how large these files
    /// become, and never their rows.
    #[must_use]
    pub fn with_memory_limit(self, limit: Option<u64>) -> Self {
        Self { memory_limit: limit, ..self }
    }

    pub(crate) fn memory_limit(&self) -> Option<u64> {
        self.memory_limit
    }

    /// Why work that follows a commit of the catalogue failed the last time, if it did: the lake has
    /// the right traces, and logs of tables still have files of others, which only other programs
    /// read. [`Lake::vacuum`] completes the work.
    pub fn unfinished(&self) -> Option<String> {
        self.shared.unfinished.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Does work that follows a commit of the catalogue. Its failure changes no answer of tpq, so it
    /// is not that of the commit.
    pub(crate) async fn follow_up(&self, work: impl Future<Output = Result<(), LakeError>>) {
        if let Err(error) = work.await {
            let mut unfinished =
                self.shared.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
            *unfinished = Some(error.to_string());
        }
    }

    /// The address, from which another process can open the lake.
    pub fn url(&self) -> &str {
        self.shared.store.url()
    }

    pub(crate) fn store(&self) -> &LakeStore {
        &self.shared.store
    }

    /// The log of a table.
    pub(crate) fn log(&self, table: &str) -> TableLog {
        TableLog::new(&self.shared.engine, &self.shared.store, table)
    }

    /// What processes that died before this ingest began have left.
    pub(crate) async fn leftovers(&self) -> Result<&Arc<Leftovers>, LakeError> {
        self.leftovers.get_or_try_init(|| self.look_for_leftovers()).await
    }

    /// One of several ingests looks, and the others wait.
    async fn look_for_leftovers(&self) -> Result<Arc<Leftovers>, LakeError> {
        let mut last = self.shared.last_leftovers.lock().await;
        if let Some((since, found)) = last.as_ref()
            && *since >= self.began
        {
            return Ok(Arc::clone(found));
        }
        let since = Instant::now();
        let found = Arc::new(self.find_leftovers().await?);
        *last = Some((since, Arc::clone(&found)));
        Ok(found)
    }

    pub(crate) fn known_files(&self) -> &KnownFiles {
        &self.shared.known_files
    }

    /// The tables of tpq that have a folder in the lake.
    pub(crate) async fn tables(&self) -> Result<Vec<&'static TableDecl>, LakeError> {
        let folders = self.store().folders().await?;
        let decl = |name: &String| Tables::DECLS.iter().find(|decl| decl.name == name).copied();
        Ok(folders.iter().filter_map(decl).collect())
    }

    /// Commits changes of tables, several at a time. Tables that do not exist are made.
    pub(crate) async fn apply(
        &self,
        layout: &LakeLayout,
        changes: LogChanges,
    ) -> Result<(), LakeError> {
        let apply = |(table, change): (String, LogChange)| {
            let log = self.log(&table);
            let partition = layout.columns_in(&table);
            runtime::blocking(move || apply_one(&log, &table, &partition, change))
        };
        let changes: Vec<_> = changes.into_iter().map(apply).collect();
        let changes = futures::stream::iter(changes);
        changes.buffer_unordered(LOGS_AT_A_TIME).try_collect().await
    }

    /// Commits a change of a table to this state of its log. Returns whether it is the latest:
    /// otherwise nothing is committed. A log that does not exist is made, without the change.
    pub(crate) async fn commit_to_log(
        &self,
        catalog: &LakeCatalog,
        table: &'static str,
        state: Option<LogState>,
        mut change: LogChange,
    ) -> Result<bool, LakeError> {
        let (log, partition) = (self.log(table), catalog.layout().columns_in(table));
        runtime::blocking(move || {
            let decl = Tables::DECLS.iter().find(|decl| decl.name == table);
            let wanted = decl.map(|decl| columns_of(decl, &partition)).unwrap_or_default();
            match state {
                None => log.create(&wanted, &partition, &[]).map(|()| false),
                Some(state) => {
                    // A later version of tpq has further columns.
                    change.columns = wanted;
                    log.commit(&state, &change)
                }
            }
        })
        .await
    }
}

fn apply_one(
    log: &TableLog,
    table: &str,
    partition: &[String],
    mut change: LogChange,
) -> Result<(), LakeError> {
    let Some(decl) = Tables::DECLS.iter().find(|decl| decl.name == table) else {
        return log.apply(&change);
    };
    let wanted = columns_of(decl, partition);
    match log.state()? {
        None if change.add.is_empty() => return Ok(()),
        None => log.create(&wanted, partition, &[])?,
        // A later version of tpq has further columns.
        Some(_) => change.columns = wanted,
    }
    log.apply(&change)
}

/// The columns of the Delta table of a table.
fn columns_of(decl: &TableDecl, partition: &[String]) -> Vec<(String, ColumnType)> {
    use tpq_tables::ColumnKind;
    let kind = |kind: ColumnKind| match kind {
        ColumnKind::String => ColumnType::Text,
        ColumnKind::Double => ColumnType::Real,
        _ => ColumnType::Integer,
    };
    let own = decl.columns.iter().map(|column| (column.name.to_owned(), kind(column.kind)));
    let digest = std::iter::once((TRACE_DIGEST.to_owned(), ColumnType::Text));
    let partition = partition.iter().map(|name| (name.clone(), ColumnType::Text));
    digest.chain(own).chain(partition).collect()
}

impl fmt::Debug for Lake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Lake({})", self.url())
    }
}
