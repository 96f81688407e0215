//! What finished tables depend on: the traces, the options, and the program that made them.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::time::SystemTime;

use rustc_hash::FxHasher;

use super::folder::{EXTENSION, PREFIX};
use crate::ImportOptions;

/// Where the tables of these traces go, and what the traces were when that was found out.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(super) file_name: String,
    stamps: Vec<Stamp>,
}

/// What tells that a file was changed.
#[derive(Clone, PartialEq, Eq)]
struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Key {
    /// `None` where traces cannot be read twice, or nothing tells this program from others.
    pub(super) fn of(paths: &[PathBuf], options: &ImportOptions) -> Option<Self> {
        let stamps = stamps(paths)?;
        let contents = tpq_source::digest(paths, options.threads).ok()??;
        let mut made_by = FxHasher::default();
        program()?.hash(&mut made_by);
        how(options).hash(&mut made_by);
        let made_by = made_by.finish();
        let file_name = format!("{PREFIX}{contents:032x}-{made_by:016x}.{EXTENSION}");
        Some(Self { file_name, stamps })
    }

    /// Whether the traces are still what they were.
    pub(super) fn holds(&self, paths: &[PathBuf]) -> bool {
        stamps(paths).is_some_and(|stamps| stamps == self.stamps)
    }
}

fn stamps(paths: &[PathBuf]) -> Option<Vec<Stamp>> {
    let stamp = |path: &PathBuf| {
        let metadata = path.metadata().ok()?;
        Some(Stamp { bytes: metadata.len(), modified: metadata.modified().ok() })
    };
    paths.iter().map(stamp).collect()
}

/// Tells builds apart, so that one that reads traces in another way finds nothing of another's.
fn program() -> Option<impl Hash> {
    let path = std::env::current_exe().ok()?;
    let metadata = path.metadata().ok()?;
    let version = env!("CARGO_PKG_VERSION");
    Some((version, metadata.len(), metadata.modified().ok()?, path))
}

/// What of the options changes tables: neither the memory limit nor the number of threads does.
fn how(options: &ImportOptions) -> String {
    let ImportOptions { full_sort, clock_interpolation, ftrace_raw, crop, .. } = options;
    format!("{full_sort} {clock_interpolation:?} {ftrace_raw} {crop}")
}
