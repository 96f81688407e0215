//! What a compaction may hold in memory, and how large the files become that it writes.

use crate::LakeError;
use crate::catalog::LakeCatalog;
use crate::upload::UploadSizes;

/// The size in bytes up to which files are joined.
pub(super) const TARGET: u64 = 128 << 20;
/// The number of traces up to which files are joined. A file describes the row groups of each, and a
/// reader of one trace, like a writer, holds the description of all.
pub(super) const MOST_TRACES: usize = 256;
/// The same for the lowest memory limits.
const LEAST_TRACES: usize = 16;
/// The most bytes of a file that are read at a time.
const MOST_WINDOW: u64 = 8 << 20;
const LEAST_WINDOW: u64 = 256 << 10;
/// The memory of a part that waits for its commit, in bytes, about.
const PART: u64 = 1 << 10;
/// The most bytes of small files, and the most parts, that are held in memory without a limit.
const MOST_KEPT: u64 = 32 << 20;
const MOST_WAITING: usize = 1 << 17;
/// How often a commit holds the catalogue: as it was, as it becomes, and the latter as rows and as
/// bytes of a file.
const CATALOGS: u64 = 4;

/// What may be in memory at a time. Each share is a part of the memory limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct JoinLimits {
    /// The size of joined files in bytes.
    pub target: u64,
    /// The number of traces in a joined file.
    pub most_traces: usize,
    /// The most bytes of a file that are read at a time.
    pub window: u64,
    /// Bytes of small files that are kept until all of their parts are joined.
    pub kept: u64,
    /// The number of parts of files that wait for their commit.
    pub waiting: usize,
    pub upload: UploadSizes,
    /// The memory limit in bytes, if directories of row groups have to fit it.
    pub memory: Option<u64>,
}

impl JoinLimits {
    /// The limits within a memory limit in bytes.
    pub(super) fn within(memory: Option<u64>) -> Self {
        let Some(limit) = memory else {
            return Self {
                target: TARGET,
                most_traces: MOST_TRACES,
                window: MOST_WINDOW,
                kept: MOST_KEPT,
                waiting: MOST_WAITING,
                upload: UploadSizes::default(),
                memory,
            };
        };
        let traces = usize::try_from(limit >> 20).unwrap_or(usize::MAX);
        Self {
            target: limit.saturating_mul(2).min(TARGET),
            most_traces: traces.clamp(LEAST_TRACES, MOST_TRACES),
            window: (limit / 16).clamp(LEAST_WINDOW, MOST_WINDOW),
            kept: (limit / 8).min(MOST_KEPT),
            waiting: usize::try_from(limit / 8 / PART).unwrap_or(usize::MAX).min(MOST_WAITING),
            upload: UploadSizes::within(Some(limit / 4)),
            memory,
        }
    }

    /// The same for files that have to be written anew whatever their directories take.
    pub(super) fn with_any_directory(self) -> Self {
        Self { memory: None, ..self }
    }

    /// The most memory that directories of row groups of a joined file may take, in bytes.
    pub(super) fn directories(&self) -> u64 {
        self.memory.map_or(u64::MAX, |limit| limit / 4)
    }

    /// Refuses directories of row groups of a table that take more memory than they may.
    ///
    /// # Errors
    /// When they do.
    pub(super) fn check_directories(&self, table: &str, bytes: u64) -> Result<(), LakeError> {
        match self.memory {
            Some(limit) if bytes > self.directories() => {
                let what = format!("the row groups of a joined file of table {table}");
                Err(LakeError::Memory { what, needed: bytes.saturating_mul(4), limit })
            }
            _ => Ok(()),
        }
    }

    /// Refuses a catalogue of which the copies that a commit makes take more than half of the
    /// memory.
    ///
    /// # Errors
    /// When they do.
    pub(super) fn check_catalog(&self, catalog: &LakeCatalog) -> Result<(), LakeError> {
        let Some(limit) = self.memory else { return Ok(()) };
        let needed = catalog.memory_size().saturating_mul(CATALOGS * 2);
        if needed <= limit {
            return Ok(());
        }
        let what = format!("the catalogue of {} traces, and its changes", catalog.sorted().len());
        Err(LakeError::Memory { what, needed, limit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_smaller_with_less_memory() {
        let of = |mebibytes: u64| {
            let limits = JoinLimits::within(Some(mebibytes << 20));
            [limits.target >> 20, limits.most_traces as u64, limits.window >> 10]
        };
        assert_eq!(of(16), [32, 16, 1024]);
        assert_eq!(of(64), [128, 64, 4096]);
        assert_eq!(of(1 << 20), [128, 256, 8192]);
        assert_eq!(of(0), [0, 16, 256]);
    }

    #[test]
    fn what_is_held_has_a_bound_without_a_limit_as_well() {
        let none = JoinLimits::within(None);
        assert_eq!((none.kept, none.waiting), (MOST_KEPT, MOST_WAITING));
        let much = JoinLimits::within(Some(1 << 40));
        assert_eq!((much.kept, much.waiting), (MOST_KEPT, MOST_WAITING));
        let little = JoinLimits::within(Some(64 << 20));
        assert_eq!((little.kept, little.waiting), (8 << 20, 8 << 10));
    }

    #[test]
    fn what_does_not_fit_is_refused_with_advice() {
        let limits = JoinLimits::within(Some(16 << 20));
        assert!(limits.check_directories("slice", 4 << 20).is_ok());
        let refused = limits.check_directories("slice", (4 << 20) + 1).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the row groups of a joined file of table slice: this takes 17 MiB of memory, and the \
             limit is 16 MiB; raise --memory-limit"
        );
        assert!(limits.with_any_directory().check_directories("slice", u64::MAX).is_ok());
        assert!(JoinLimits::within(None).check_directories("slice", u64::MAX).is_ok());
    }
}
