//! Joins small files: the rows of several traces become neighbouring row groups of one file, sorted
//! by trace. Row groups are copied as they are.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::groups::{Group, Part, groups, groups_of, with_unused_rows};
use super::joiner::join;
use super::limits::JoinLimits;
use super::reconcile::JOINED;
use crate::catalog::{LakeCatalog, TRACES};
use crate::commit::{referenced, referenced_by};
use crate::lake::Lake;
use crate::log::{AddedFile, LogChange, LogChanges};
use crate::trace::RowGroups;
use crate::upload::Upload;
use crate::write::file_name;
use crate::{LakeError, LakeTrace, TableFile, runtime};

/// How often the catalogue is changed anew while other processes change it.
const ATTEMPTS: u32 = 40;
/// How often files with rows of deleted traces are written anew while other processes change traces
/// of the same files.
const LEAVE_OUT_ATTEMPTS: u32 = 8;
/// The time after which joined files are committed: a process that dies, or a vacuum of young files
/// beside it, loses no more work.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// What was joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Compacted {
    /// The number of files before.
    pub before: u64,
    /// The number of files in place of them.
    pub after: u64,
}

impl std::ops::AddAssign for Compacted {
    fn add_assign(&mut self, more: Self) {
        self.before += more.before;
        self.after += more.after;
    }
}

/// A file that was written in place of others, and is not committed.
struct Joined {
    table: String,
    /// The last vacuum of young files before it was written: a later one may have removed it.
    vacuum: Option<i64>,
    /// Each part, with the file that has its rows now.
    parts: Vec<(Part, TableFile)>,
}

impl Lake {
    /// Joins small files of each table and partition, and the files of the catalogue, within the
    /// memory limit of the lake. Files of traces that other processes replace or delete meanwhile
    /// stay as they are. What was joined before an error is committed.
    ///
    /// # Errors
    /// When files cannot be read or written, when the memory limit does not allow it, or when other
    /// processes change the catalogue all the time.
    pub async fn compact(&self) -> Result<Compacted, LakeError> {
        self.compact_within(&JoinLimits::within(self.memory_limit())).await
    }

    async fn compact_within(&self, limits: &JoinLimits) -> Result<Compacted, LakeError> {
        limits.check_catalog(&self.catalog().await?)?;
        // Of a process that died in the middle of this.
        self.reconcile(None).await?;
        let mut vacuum = self.last_vacuum().await?;
        let catalog = self.catalog().await?;
        let (mut done, mut joined, mut since) = (Compacted::default(), Vec::new(), Instant::now());
        for table in catalog.tables() {
            let groups = groups(&catalog, table, limits);
            let mut left = groups.len();
            // The groups of a divided file are committed together.
            let is_divided = has_divided_file(&groups);
            for group in groups {
                match self.join_group(group, limits, vacuum).await {
                    Ok(file) => joined.push(file),
                    Err(error) => {
                        // The first error says more than one of this.
                        if !joined.is_empty() && self.commit_joined(joined).await.is_ok() {
                            let _ = self.reconcile(None).await;
                        }
                        return Err(error);
                    }
                }
                left -= 1;
                let waiting: usize = joined.iter().map(|file: &Joined| file.parts.len()).sum();
                let is_due = since.elapsed() >= LONGEST_WAIT || waiting >= limits.waiting;
                if is_due && (left == 0 || !is_divided) {
                    done += self.commit_joined(std::mem::take(&mut joined)).await?;
                    (since, vacuum) = (Instant::now(), self.last_vacuum().await?);
                }
            }
        }
        done += self.commit_joined(joined).await?;
        // Logs may have files of traces that were changed meanwhile.
        self.reconcile(None).await?;
        Ok(done)
    }

    /// Writes files with rows of deleted traces without these rows.
    pub(crate) async fn leave_out(&self, deleted: &[Arc<LakeTrace>]) -> Result<(), LakeError> {
        let mut shared: HashSet<(&str, &str)> = HashSet::new();
        for (table, file) in deleted.iter().flat_map(|trace| &trace.files) {
            if file.row_groups.is_some() {
                shared.insert((table, &file.path));
            }
        }
        self.write_anew(&shared).await
    }

    /// Writes files without rows of traces that do not exist: those of a process that died, or
    /// failed, after it had deleted or replaced the traces.
    pub(crate) async fn leave_out_unused(&self) -> Result<(), LakeError> {
        let catalog = self.catalog().await?;
        let mut unused: HashSet<(&str, &str)> = HashSet::new();
        for table in catalog.tables() {
            unused.extend(with_unused_rows(&catalog, table).into_iter().map(|path| (table, path)));
        }
        self.write_anew(&unused).await
    }

    /// Writes files with the rows of the traces that have them now, by table and path.
    async fn write_anew(&self, files: &HashSet<(&str, &str)>) -> Result<(), LakeError> {
        if files.is_empty() {
            return Ok(());
        }
        let limits = JoinLimits::within(self.memory_limit()).with_any_directory();
        let mut is_done = false;
        for attempt in 0..LEAVE_OUT_ATTEMPTS {
            let vacuum = self.last_vacuum().await?;
            let groups = groups_of(&self.catalog().await?, files);
            if groups.is_empty() {
                is_done = true;
                break;
            }
            let mut joined = Vec::with_capacity(groups.len());
            for group in groups {
                joined.push(self.join_group(group, &limits, vacuum).await?);
            }
            self.commit_joined(joined).await?;
            // Other processes may have changed traces of these files meanwhile: once more.
            if attempt > 0 {
                runtime::pause(attempt).await?;
            }
        }
        // Files of deleted traces only are not written anew; the logs have them still.
        self.reconcile(None).await?;
        if is_done { Ok(()) } else { Err(LakeError::Busy(TRACES.to_owned())) }
    }

    /// Commits files that were joined, and joins the files of the catalogue. Leaves out those with
    /// rows of traces that have other files now, and those that a vacuum may have removed. Where there
    /// are some, the logs are not right until [`Lake::reconcile`].
    async fn commit_joined(&self, mut joined: Vec<Joined>) -> Result<Compacted, LakeError> {
        let is_any = !joined.is_empty();
        for attempt in 0..ATTEMPTS {
            let catalog = self.catalog().await?;
            if is_any {
                let vacuum = self.last_vacuum_in(&catalog).await?;
                joined.retain(|file| file.vacuum == vacuum);
            }
            retain_current(&catalog, &mut joined);
            if joined.is_empty() && (is_any || catalog.file_count() <= 1) {
                return Ok(Compacted::default());
            }
            let traces = with_joined(&catalog, &joined);
            let changes = changes(&catalog, &traces, &joined);
            let removed = without_additions(&changes);
            if attempt == 0 && is_any {
                self.apply(catalog.layout(), changes).await?;
            }
            if self.rewrite_catalog(&catalog, traces).await? {
                // A reconciliation beside this may have added them again before the catalogue had
                // the joined files.
                self.apply(catalog.layout(), removed).await?;
                let (before, after) = (sources_of(&joined).len() as u64, joined.len() as u64);
                return Ok(Compacted { before, after });
            }
            runtime::pause(attempt).await?;
        }
        self.reconcile(None).await?;
        Err(LakeError::Busy(TRACES.to_owned()))
    }

    /// Writes the file of a group. `vacuum` is the last one before that.
    async fn join_group(
        &self,
        group: Group,
        limits: &JoinLimits,
        vacuum: Option<i64>,
    ) -> Result<Joined, LakeError> {
        let path = format!("{}{}", group.folder, file_name(JOINED));
        let target = self.store().path(&group.table, &path)?;
        let (upload, sink) = Upload::begin(self.store(), target, limits.upload)?;
        let (lake, limits) = (self.clone(), *limits);
        // A writer is dropped where it may block, as it then writes what it still has.
        let copied = runtime::encoding(move || {
            let spans = join(&lake, &group, &limits, sink)?;
            Ok((group, spans))
        });
        let (group, spans) = match copied.await {
            Ok(copied) => copied,
            Err(error) => return Err(upload.fail(error).await),
        };
        let bytes = upload.complete().await?;
        let all: usize = spans.iter().map(|(_, count)| count).sum();
        let is_shared = group.parts.len() > 1;
        let moved = |(part, (first, count)): (Part, (usize, usize))| {
            let row_groups = is_shared.then_some(RowGroups { first, count, all });
            let file = TableFile { path: path.clone(), bytes, row_groups, ..part.file.clone() };
            (part, file)
        };
        let parts = group.parts.into_iter().zip(spans).map(moved).collect();
        Ok(Joined { table: group.table, vacuum, parts })
    }
}

/// Whether a file is in several groups, as one with rows of several partitions is.
fn has_divided_file(groups: &[Group]) -> bool {
    let files: usize = groups.iter().map(Group::files).sum();
    let paths = groups.iter().flat_map(|group| &group.parts).map(|part| &part.file.path);
    paths.collect::<HashSet<_>>().len() < files
}

/// The files in place of which others were written, by table and path.
fn sources_of(joined: &[Joined]) -> HashSet<(&str, &str)> {
    let mut sources = HashSet::new();
    for Joined { table, parts, .. } in joined {
        sources.extend(parts.iter().map(|(part, _)| (table.as_str(), part.file.path.as_str())));
    }
    sources
}

/// The changes of the logs from one catalogue to the next: those of tables with joined files.
fn changes(catalog: &LakeCatalog, traces: &[LakeTrace], joined: &[Joined]) -> LogChanges {
    let mut changes = LogChanges::new();
    for table in joined.iter().map(|joined| joined.table.as_str()).collect::<BTreeSet<_>>() {
        let before = referenced(catalog, table);
        let after = referenced_by(catalog.layout(), traces.iter(), table);
        let gone = before.keys().filter(|path| !after.contains_key(*path)).cloned();
        let remove: HashSet<String> = gone.collect();
        let new = after.into_iter().filter(|(path, _)| !before.contains_key(path));
        let add: Vec<AddedFile> = new.map(|(_, file)| file).collect();
        if !add.is_empty() || !remove.is_empty() {
            let change = LogChange { add, remove, same_rows: true, ..LogChange::default() };
            changes.insert(table.to_owned(), change);
        }
    }
    changes
}

/// The same changes as far as they take files out of logs.
fn without_additions(changes: &LogChanges) -> LogChanges {
    let removed = changes.iter().filter(|(_, change)| !change.remove.is_empty()).map(|it| {
        let (table, change) = it;
        let remove = change.remove.clone();
        (table.clone(), LogChange { remove, ..LogChange::default() })
    });
    removed.collect()
}

/// Keeps files of which all traces still have the files that were joined.
fn retain_current(catalog: &LakeCatalog, joined: &mut Vec<Joined>) {
    loop {
        let kept = are_current(catalog, joined);
        if kept.iter().all(|is_kept| *is_kept) {
            return;
        }
        // A file that is not kept leaves one in use that others have rows of: once more.
        let mut kept = kept.into_iter();
        joined.retain(|_| kept.next().unwrap_or_default());
    }
}

/// Whether each file can take the place of those that were joined: their traces have them still, and
/// no other trace has.
fn are_current(catalog: &LakeCatalog, joined: &[Joined]) -> Vec<bool> {
    let mut moved: HashMap<(&str, &str), &TableFile> = HashMap::new();
    for Joined { table, parts, .. } in joined {
        moved.extend(parts.iter().map(|(part, _)| ((&**table, &*part.digest), &part.file)));
    }
    let mut staying: HashSet<(&str, &str)> = HashSet::new();
    let mut current: HashSet<(&str, &str)> = HashSet::new();
    for trace in catalog.sorted() {
        for (table, file) in &trace.files {
            let key = (table.as_str(), trace.facts.digest.as_str());
            match moved.get(&key) {
                Some(old) if *old == file => drop(current.insert(key)),
                _ => drop(staying.insert((table, &file.path))),
            }
        }
    }
    let is_current = |joined: &Joined| {
        let table = joined.table.as_str();
        joined.parts.iter().all(|(part, _)| {
            current.contains(&(table, &*part.digest))
                && !staying.contains(&(table, &*part.file.path))
        })
    };
    joined.iter().map(is_current).collect()
}

/// All traces, with joined files in place of those that they had.
fn with_joined(catalog: &LakeCatalog, joined: &[Joined]) -> Vec<LakeTrace> {
    let mut files: HashMap<(&str, &str), &TableFile> = HashMap::new();
    for Joined { table, parts, .. } in joined {
        files.extend(parts.iter().map(|(part, file)| ((&**table, &*part.digest), file)));
    }
    let moved = |trace: &Arc<LakeTrace>| {
        let mut trace = trace.as_ref().clone();
        for (table, file) in &mut trace.files {
            if let Some(new) = files.get(&(table.as_str(), trace.facts.digest.as_str())) {
                *file = (*new).clone();
            }
        }
        trace
    };
    catalog.sorted().iter().map(moved).collect()
}

#[cfg(test)]
mod tests;
