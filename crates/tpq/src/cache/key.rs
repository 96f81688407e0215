//! The identity of finished tables: the traces, the options, and the program that made them.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tpq_source::SymbolFile;

use super::folder::{EXTENSION, PREFIX};
use crate::ImportOptions;
use crate::traces::{Stamps, Traces};

/// The file name of a cache entry, and the state of the traces when their digest was computed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(super) file_name: String,
    stamps: Stamps,
}

impl Key {
    /// Returns `None` if the traces cannot be read twice, or if this program cannot be identified.
    pub(super) fn new(traces: &Traces, options: &ImportOptions) -> Option<Self> {
        let stamps = Stamps::of(traces)?;
        let contents = traces.digest(options)?;
        let mut producer = FxHasher::default();
        program_identity()?.hash(&mut producer);
        options_key(options).hash(&mut producer);
        SymbolFile::list(&options.symbols).ok()?.hash(&mut producer);
        let producer = producer.finish();
        let file_name = format!("{PREFIX}{contents:032x}-{producer:016x}.{EXTENSION}");
        Some(Self { file_name, stamps })
    }

    /// Whether the traces are unchanged.
    pub(super) fn is_current(&self, traces: &Traces) -> bool {
        Stamps::of(traces).is_some_and(|stamps| stamps == self.stamps)
    }
}

/// Distinguishes builds, so that a build that reads traces differently finds no entry of another
/// build.
fn program_identity() -> Option<impl Hash> {
    let path = std::env::current_exe().ok()?;
    let metadata = path.metadata().ok()?;
    let version = env!("CARGO_PKG_VERSION");
    Some((version, metadata.len(), metadata.modified().ok()?, path))
}

/// The options that change tables. The memory limit and the number of threads do not.
fn options_key(options: &ImportOptions) -> String {
    let ImportOptions { full_sort, clock_interpolation, ftrace_raw, crop, .. } = options;
    format!("{full_sort} {clock_interpolation:?} {ftrace_raw} {crop}")
}
