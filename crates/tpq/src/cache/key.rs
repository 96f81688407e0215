//! What finished tables depend on: the traces, the options, and the program that made them.

use std::hash::{Hash, Hasher};
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use rustc_hash::FxHasher;

use crate::ImportOptions;

/// The name of the file of these tables.
pub(super) fn file_name(paths: &[PathBuf], options: &ImportOptions) -> Option<String> {
    let contents = tpq_source::digest(paths).ok()??;
    let mut made_by = FxHasher::default();
    program().hash(&mut made_by);
    how(options).hash(&mut made_by);
    Some(format!("{contents:032x}-{:016x}.{}", made_by.finish(), super::folder::EXTENSION))
}

/// Tells builds apart, so that one that reads traces in another way finds nothing of another's.
fn program() -> Option<(u64, u128)> {
    let metadata = std::env::current_exe().ok()?.metadata().ok()?;
    let built = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((metadata.len(), built.as_nanos()))
}

/// What of the options changes tables: the memory limit too, as it bounds what waits to be sorted,
/// but not the number of threads.
fn how(options: &ImportOptions) -> String {
    let ImportOptions { full_sort, memory_limit, clock_interpolation, ftrace_raw, crop, .. } =
        options;
    format!("{full_sort} {memory_limit:?} {clock_interpolation:?} {ftrace_raw} {crop}")
}
