//! Commits traces: first to the log of each table, then, as a whole, to the catalogue.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use futures::{StreamExt, TryStreamExt};
use tpq_tables::TableDecl;

use crate::catalog::LakeCatalog;
use crate::lake::{LOGS_AT_A_TIME, Lake};
use crate::log::{ActiveFile, AddedFile, LogChanges};
use crate::write::{digest_in, milliseconds};
use crate::{LakeError, LakeLayout, LakeTrace, TableFile, runtime};

/// How often the catalogue is changed anew while other processes change it.
const ATTEMPTS: u32 = 40;

/// What became of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Committed {
    /// The lake has it now.
    Added,
    /// The lake has it in place of an earlier import of the same bytes.
    Replaced,
    /// The lake had it before, and has not changed.
    Existing,
}

/// Files that logs have and the catalogue does not, by digest: those of a process that died between
/// its commits. A repeated ingest of the trace takes them out of the logs.
#[derive(Default)]
pub(crate) struct Leftovers(Mutex<HashMap<String, Vec<(String, String)>>>);

impl Leftovers {
    /// Takes the files of a trace: tables and paths.
    fn take(&self, digest: &str) -> Vec<(String, String)> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.remove(digest).unwrap_or_default()
    }
}

impl Lake {
    /// Commits traces that were staged, all at once. A trace that the lake has is left as it is,
    /// unless `replace` is set. Returns what became of each.
    ///
    /// # Errors
    /// When a log cannot be changed. The lake has none of the traces then. What follows the commit of
    /// the catalogue may fail without an error; [`Lake::unfinished`] says so.
    pub async fn commit(
        &self,
        traces: Vec<LakeTrace>,
        replace: bool,
    ) -> Result<Vec<Committed>, LakeError> {
        let catalog = self.catalog().await?;
        let mut outcomes = Vec::with_capacity(traces.len());
        let mut new: Vec<LakeTrace> = Vec::new();
        for trace in traces {
            let digest = &trace.facts.digest;
            let is_known = catalog.find(digest).is_some();
            let is_twice = new.iter().any(|other| other.facts.digest == *digest);
            outcomes.push(match (is_known, replace) {
                _ if is_twice => Committed::Existing,
                (true, false) => Committed::Existing,
                (true, true) => Committed::Replaced,
                (false, _) => Committed::Added,
            });
            match outcomes.last() {
                Some(Committed::Existing) => {
                    let has_files = |other: &LakeTrace| other.files == trace.files;
                    let known = catalog.find(digest).map(AsRef::as_ref);
                    // Nothing refers to the files, unless the trace is committed once more; vacuum
                    // removes those that stay.
                    if !known.into_iter().chain(&new).any(has_files) {
                        let _ = self.discard(&trace).await;
                    }
                }
                _ => new.push(trace),
            }
        }
        if new.is_empty() {
            return Ok(outcomes);
        }
        let layout = catalog.layout().clone();
        self.apply(&layout, self.additions(&layout, &new).await?).await?;
        let digests: Vec<String> = new.iter().map(|trace| trace.facts.digest.clone()).collect();
        let lost = self.commit_to_catalog(catalog, &layout, new, replace).await?;
        // Another process may have committed a trace at the same time.
        let mut digests = digests.iter();
        for outcome in outcomes.iter_mut().filter(|outcome| **outcome != Committed::Existing) {
            if digests.next().is_some_and(|digest| lost.contains(digest)) {
                *outcome = Committed::Existing;
            }
        }
        Ok(outcomes)
    }

    /// The changes of the logs that add the files of traces.
    async fn additions(
        &self,
        layout: &LakeLayout,
        traces: &[LakeTrace],
    ) -> Result<LogChanges, LakeError> {
        let leftovers = self.leftovers().await?;
        let mut changes = LogChanges::new();
        for trace in traces {
            for (table, file) in &trace.files {
                let change = changes.entry(table.clone()).or_default();
                change.add.push(added(layout, table, file, trace));
            }
            for (table, path) in leftovers.take(&trace.facts.digest) {
                // A trace that is committed once more has its own files in the logs.
                if trace.files.get(&table).is_none_or(|own| own.path != path) {
                    changes.entry(table).or_default().remove.insert(path);
                }
            }
        }
        Ok(changes)
    }

    /// Commits traces to the catalogue. Returns the digests of those that another process was faster
    /// with.
    async fn commit_to_catalog(
        &self,
        mut catalog: LakeCatalog,
        layout: &LakeLayout,
        mut new: Vec<LakeTrace>,
        replace: bool,
    ) -> Result<HashSet<String>, LakeError> {
        let mut lost: Vec<LakeTrace> = Vec::new();
        for attempt in 0..ATTEMPTS {
            let vacuum = self.last_vacuum_in(&catalog).await?;
            if new.iter().any(|trace| trace.vacuum != vacuum) {
                self.forget(layout, new.iter().chain(&lost)).await?;
                return Err(LakeError::Vacuumed);
            }
            let old: Vec<_> =
                new.iter().filter_map(|it| catalog.find(&it.facts.digest)).cloned().collect();
            if !replace && !old.is_empty() {
                let is_old = |trace: &LakeTrace| {
                    old.iter().any(|old| old.facts.digest == trace.facts.digest)
                };
                let (known, unknown) = new.into_iter().partition(is_old);
                lost.extend::<Vec<LakeTrace>>(known);
                new = unknown;
            }
            let dropped: HashSet<String> = match replace {
                true => old.iter().map(|trace| trace.facts.digest.clone()).collect(),
                false => HashSet::new(),
            };
            if self.change_catalog(&catalog, &dropped, new.clone()).await? {
                // Traces with the same files are of an earlier try that storage took and denied.
                let is_own = |old: &Arc<LakeTrace>| new.iter().any(|new| new.files == old.files);
                let replaced: Vec<Arc<LakeTrace>> =
                    old.into_iter().filter(|old| replace && !is_own(old)).collect();
                self.follow_up(async {
                    self.forget(layout, replaced.iter().map(AsRef::as_ref).chain(&lost)).await?;
                    self.leave_out(&replaced).await?;
                    if lost.is_empty() { Ok(()) } else { self.reconcile(None).await }
                })
                .await;
                return Ok(lost.into_iter().map(|trace| trace.facts.digest).collect());
            }
            runtime::pause(attempt).await?;
            catalog = self.catalog().await?;
        }
        // The error says more than one of this, and the next ingest looks for what stays in logs.
        let _ = self.forget(layout, new.iter().chain(&lost)).await;
        Err(LakeError::Busy(crate::catalog::TRACES.to_owned()))
    }

    /// Takes the files of traces out of the logs, except files with rows of other traces.
    pub(crate) async fn forget<'a>(
        &self,
        layout: &LakeLayout,
        traces: impl Iterator<Item = &'a LakeTrace>,
    ) -> Result<(), LakeError> {
        let mut changes = LogChanges::new();
        for trace in traces {
            let own = trace.files.iter().filter(|(_, file)| file.row_groups.is_none());
            for (table, file) in own {
                changes.entry(table.clone()).or_default().remove.insert(file.path.clone());
            }
        }
        self.apply(layout, changes).await
    }

    pub(crate) async fn find_leftovers(&self) -> Result<Leftovers, LakeError> {
        let files = |decl: &'static TableDecl| {
            let log = self.log(decl.name);
            runtime::blocking(move || {
                let Some(state) = log.state()? else { return Ok((decl.name, Vec::new())) };
                Ok((decl.name, log.files(&state)?))
            })
        };
        let tables = self.tables().await?;
        let files: Vec<_> = tables.into_iter().map(files).collect();
        let files = futures::stream::iter(files);
        let files: Vec<_> = files.buffer_unordered(LOGS_AT_A_TIME).try_collect().await?;
        // Read behind the logs, so that it has the traces that were committed meanwhile.
        let catalog = self.catalog().await?;
        // Of a large lake these are millions of files.
        runtime::blocking(move || Ok(Leftovers::among(files, &catalog))).await
    }
}

impl Leftovers {
    /// The files of logs, by table, that belong to no trace of a catalogue: of traces that it does not
    /// have, and of a second import of those that it has.
    fn among(logs: Vec<(&'static str, Vec<ActiveFile>)>, catalog: &LakeCatalog) -> Self {
        let mut leftovers: HashMap<String, Vec<(String, String)>> = HashMap::new();
        for (table, files) in logs {
            for file in files {
                let Some(digest) = digest_in(&file.path) else { continue };
                let own = catalog.find(digest).and_then(|trace| trace.files.get(table));
                if own.is_none_or(|own| own.path != file.path) {
                    let entry = (table.to_owned(), file.path.clone());
                    leftovers.entry(digest.to_owned()).or_default().push(entry);
                }
            }
        }
        Self(Mutex::new(leftovers))
    }
}

/// A file of one trace, as a log takes it.
fn added(layout: &LakeLayout, table: &str, file: &TableFile, trace: &LakeTrace) -> AddedFile {
    let digest = &trace.facts.digest;
    AddedFile {
        path: file.path.clone(),
        size: file.bytes,
        rows: file.rows,
        modified_ms: milliseconds(),
        digests: Some((digest.clone(), digest.clone())),
        partition: layout.values(table, &trace.facts),
    }
}

/// The files of a table that a catalogue refers to, by path, each as a log takes it.
pub(crate) fn referenced(catalog: &LakeCatalog, table: &str) -> BTreeMap<String, AddedFile> {
    referenced_by(catalog.layout(), catalog.sorted().iter().map(AsRef::as_ref), table)
}

/// The files of a table that traces refer to.
pub(crate) fn referenced_by<'a>(
    layout: &LakeLayout,
    traces: impl Iterator<Item = &'a LakeTrace>,
    table: &str,
) -> BTreeMap<String, AddedFile> {
    let mut files: BTreeMap<String, AddedFile> = BTreeMap::new();
    for trace in traces {
        let Some(file) = trace.files.get(table) else { continue };
        let own = added(layout, table, file, trace);
        match files.get_mut(&file.path) {
            None => drop(files.insert(file.path.clone(), own)),
            Some(shared) => {
                shared.rows = shared.rows.saturating_add(own.rows);
                if let (Some((least, greatest)), Some((digest, _))) =
                    (&mut shared.digests, own.digests)
                {
                    *least = least.clone().min(digest.clone());
                    *greatest = greatest.clone().max(digest);
                }
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_lake::{file, in_catalog, in_log, ingest, lake, staged};

    #[tokio::test]
    async fn each_ingest_looks_for_what_dead_processes_have_left() {
        let (_folder, lake) = lake(&[]).await;
        // The first commit looks for the first time.
        ingest(&lake, "aa", "x", 1).await;
        // A process dies between its commits.
        let layout = lake.catalog().await.unwrap().layout().clone();
        let left = staged(&lake, "bb", "x", 2).await;
        lake.apply(&layout, lake.additions(&layout, &[left]).await.unwrap()).await.unwrap();
        assert_eq!((in_log(&lake).await.len(), in_catalog(&lake).await.len()), (2, 1));
        assert_eq!(ingest(&lake.for_ingest(), "bb", "x", 2).await, Committed::Added);
        assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
        assert_eq!(in_log(&lake).await.len(), 2);
    }

    #[tokio::test]
    async fn ingests_at_a_time_look_once() {
        let (_folder, lake) = lake(&[]).await;
        let (one, other) = (lake.for_ingest(), lake.for_ingest());
        let found = Arc::clone(one.leftovers().await.unwrap());
        assert!(Arc::ptr_eq(&found, other.leftovers().await.unwrap()));
        // One that begins later looks again.
        assert!(!Arc::ptr_eq(&found, lake.for_ingest().leftovers().await.unwrap()));
    }

    #[tokio::test]
    async fn a_trace_that_is_committed_after_a_failure_stays_in_the_logs() {
        let (_folder, lake) = lake(&[]).await;
        let trace = staged(&lake, "aa", "x", 1).await;
        let layout = lake.catalog().await.unwrap().layout().clone();
        let changes = lake.additions(&layout, std::slice::from_ref(&trace)).await.unwrap();
        lake.apply(&layout, changes).await.unwrap();
        let committed = lake.for_ingest().commit(vec![trace], false).await.unwrap();
        assert_eq!(committed, [Committed::Added]);
        assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
        assert_eq!(in_log(&lake).await.len(), 1);
    }

    #[tokio::test]
    async fn a_replacement_takes_out_what_a_dead_one_has_left() {
        let (_folder, lake) = lake(&[]).await;
        ingest(&lake, "aa", "x", 1).await;
        let layout = lake.catalog().await.unwrap().layout().clone();
        // A process that replaces the trace dies between its commits.
        let lake = lake.for_ingest();
        let left = staged(&lake, "aa", "x", 2).await;
        lake.apply(&layout, lake.additions(&layout, &[left]).await.unwrap()).await.unwrap();
        assert_eq!((in_log(&lake).await.len(), in_catalog(&lake).await.len()), (2, 1));
        assert_eq!(ingest(&lake.for_ingest(), "aa", "x", 3).await, Committed::Replaced);
        assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
        assert_eq!(in_log(&lake).await.len(), 1);
    }

    #[tokio::test]
    async fn a_trace_that_is_committed_twice_keeps_its_files_where_none_are_replaced() {
        let (folder, lake) = lake(&[]).await;
        let trace = staged(&lake, "aa", "x", 1).await;
        let twice = vec![trace.clone(), trace.clone()];
        let committed = lake.commit(twice, false).await.unwrap();
        assert_eq!(committed, [Committed::Added, Committed::Existing]);
        assert_eq!(lake.commit(vec![trace], false).await.unwrap(), [Committed::Existing]);
        let slices = folder.path().join("slice");
        assert!(slices.join(file(&lake, "aa").await.path).exists());
        // The files of another import of the trace are not wanted.
        let other = staged(&lake, "aa", "x", 1).await;
        let path = slices.join(&other.files["slice"].path);
        assert!(path.exists());
        assert_eq!(lake.commit(vec![other], false).await.unwrap(), [Committed::Existing]);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn traces_that_are_committed_again_keep_their_files() {
        let (_folder, lake) = lake(&[]).await;
        let trace = staged(&lake, "aa", "x", 1).await;
        for expected in [Committed::Added, Committed::Replaced] {
            let committed = lake.commit(vec![trace.clone()], true).await.unwrap();
            assert_eq!(committed, [expected]);
            assert_eq!(in_log(&lake).await, in_catalog(&lake).await);
            assert_eq!(in_log(&lake).await.len(), 1);
        }
    }

    #[tokio::test]
    async fn traces_that_a_vacuum_may_have_removed_are_not_committed() {
        let (_folder, lake) = lake(&[]).await;
        ingest(&lake, "aa", "x", 1).await;
        let (before, file) = (in_log(&lake).await, file(&lake, "aa").await);
        let new = [staged(&lake, "aa", "x", 5).await, staged(&lake, "bb", "x", 2).await];
        lake.begin_vacuum().await.unwrap();
        let refused = lake.commit(new.into(), true).await.unwrap_err();
        assert!(matches!(refused, LakeError::Vacuumed), "{refused:?}");
        assert!(refused.to_string().ends_with("ingest them again"), "{refused}");
        assert_eq!(lake.catalog().await.unwrap().find("aa").unwrap().files["slice"], file);
        assert!(lake.catalog().await.unwrap().find("bb").is_none());
        assert_eq!((in_log(&lake).await, in_catalog(&lake).await), (before.clone(), before));
        assert_eq!(ingest(&lake, "bb", "x", 2).await, Committed::Added);
    }

    #[tokio::test]
    async fn traces_are_found_by_their_digests_and_sorted_by_their_paths() {
        let (_folder, lake) = lake(&[]).await;
        for digest in ["bb", "aa", "cc"] {
            ingest(&lake, digest, "x", 1).await;
        }
        let catalog = lake.catalog().await.unwrap();
        let paths: Vec<_> = catalog.sorted().iter().map(|it| it.facts.path.as_str()).collect();
        assert_eq!(paths, ["aa", "bb", "cc"]);
        assert_eq!(catalog.find("cc").unwrap().facts.digest, "cc");
        assert!(catalog.find("dd").is_none());
    }
}
