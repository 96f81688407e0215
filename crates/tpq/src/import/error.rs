//! Errors of an import, and the conditions that refuse one.

use std::io;
use std::path::PathBuf;

use tpq_ingest::PrescanError;
use tpq_source::{ManifestError, SourceError};
use tpq_tables::{Severity, Stat, Stats};

use crate::options::ImportOptions;
use crate::summary::{ImportSummary, TextDamage};

/// Why a trace could not be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// There are no bytes to import.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A manifest and the files it names contradict each other.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The bytes are no trace.
    #[error("{path}: {source}; it may be damaged at its very start, or not be a Perfetto trace")]
    Prescan {
        /// The file.
        path: String,
        /// The findings.
        source: PrescanError,
    },
    /// A text is damaged before its first event.
    #[error("{0}; no event could be read before that")]
    Text(TextDamage),
    /// Something was lost or not understood, and the caller wants to hear of it.
    #[error("{path}: the import is not clean: {what}")]
    NotClean {
        /// The files.
        path: String,
        /// The stats that are not 0.
        what: String,
    },
    /// The temporary file failed that takes what memory has no room for.
    #[error(
        "the temporary file for what memory has no room for failed: {0}; free some disk space, or \
         set TMPDIR to a folder with more"
    )]
    Spill(io::Error),
    /// The memory limit is too low.
    #[error(
        "a memory limit of {limit} bytes is too low: an import needs {} MiB or more",
        ImportOptions::LEAST_MEMORY >> 20
    )]
    MemoryLimit {
        /// The limit, in bytes.
        limit: u64,
    },
    /// The files need more memory than the limit allows.
    #[error(
        "{files} traces need about {} MiB of memory whatever is in them; give a larger \
         --memory-limit, or fewer traces at a time",
        needed >> 20
    )]
    TooManyFiles {
        /// How many files with events there are.
        files: usize,
        /// About how many bytes are needed.
        needed: u64,
    },
    /// The system has no thread to give.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The caller asked for it, by [`ImportOptions::cancel`].
    #[error("the import was cancelled")]
    Cancelled,
}

/// Refuses more files than can be remembered within the memory limit.
pub(super) fn refuse_too_many(files: usize, options: &ImportOptions) -> Result<(), ImportError> {
    /// Bytes for a file with few events of few kinds.
    const EACH: u64 = 16 << 10;
    /// The memory that files may take beyond the limit, which is for events.
    const BEYOND: u64 = 64 << 20;
    let needed = files as u64 * EACH;
    match options.memory_limit.is_some_and(|limit| needed > limit.saturating_add(BEYOND)) {
        true => Err(ImportError::TooManyFiles { files, needed }),
        false => Ok(()),
    }
}

/// Refuses a text that is damaged before its first event, and nothing else.
pub(super) fn refuse_illegible(summary: &ImportSummary) -> Result<(), ImportError> {
    match summary.damage.as_slice() {
        [damage] if summary.packets == 0 => Err(ImportError::Text(damage.clone())),
        _ => Ok(()),
    }
}

pub(super) fn refuse_losses(paths: &[PathBuf], stats: &Stats) -> Result<(), ImportError> {
    let grave: Vec<String> = Stat::ALL
        .iter()
        .filter(|stat| matches!(stat.severity(), Severity::DataLoss | Severity::Error))
        .filter(|&&stat| stats.get(stat) != 0)
        .map(|&stat| format!("{} = {}", stat.name(), stats.get(stat)))
        .collect();
    match grave.is_empty() {
        true => Ok(()),
        false => {
            let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            Err(ImportError::NotClean { path: paths.join(", "), what: grave.join(", ") })
        }
    }
}
