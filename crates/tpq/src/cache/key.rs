//! The identity of finished tables: the traces, the options, and the program that made them.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;
use tpq_source::SymbolFile;

use super::folder::{EXTENSION, PREFIX};
use crate::ImportOptions;
use crate::traces::{Stamps, Traces};

/// What is known of a key without reading the traces: their length, the options, and the program.
pub(crate) struct KeySuffix {
    /// The end of the file name.
    pub(super) file_name: String,
    stamps: Stamps,
}

impl KeySuffix {
    /// Returns `None` if a trace is not there, or if this program cannot be identified.
    pub(crate) fn new(traces: &Traces, options: &ImportOptions) -> Option<Self> {
        let stamps = Stamps::of(traces)?;
        let mut producer = FxHasher::default();
        program_identity()?.hash(&mut producer);
        options_key(options).hash(&mut producer);
        SymbolFile::list(&options.symbols).ok()?.hash(&mut producer);
        traces.bytes(&stamps).hash(&mut producer);
        let file_name = format!("-{:016x}.{EXTENSION}", producer.finish());
        Some(Self { file_name, stamps })
    }

    /// The key of an entry with this file name, if the entry is one of these traces.
    pub(super) fn of_entry(&self, file_name: String) -> Key {
        Key { file_name, stamps: self.stamps.clone() }
    }

    /// The key. Reads the traces; `None` if they cannot be read twice.
    pub(crate) fn complete(self, traces: &Traces, threads: Option<usize>) -> Option<Key> {
        let contents = traces.digest(threads)?;
        let Self { file_name, stamps } = self;
        Some(Key { file_name: format!("{PREFIX}{contents:032x}{file_name}"), stamps })
    }
}

/// The file name of a cache entry, and the state of the traces before their digest was computed.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Key {
    pub(super) file_name: String,
    stamps: Stamps,
}

impl Key {
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
