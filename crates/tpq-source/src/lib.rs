//! Where bytes come from: the only importer crate that does I/O.
//!
//! ```text
//!   paths ──► bytes ──► format ──► contents of archives and compressed files ──► entries, in order
//!                          └─────► manifest ─────────────────────────────────► checked, matched
//! ```
//!
//! [`Inputs::open`] takes what was named on the command line apart until only files are left: an
//! [`Entry`] for each archive, compressed file and file within, in the order in which they are
//! imported, whatever the order in which they were named or packed. Plain files and what archives
//! hold uncompressed are slices of one map of the file; only what is compressed is copied, within
//! one limit for all of it.
//!
//! Of what the bytes mean it knows their first few, from which it tells the [`Format`], and the
//! one document that is about files: the [`Manifest`], which says how the traces of a merge
//! relate. It is checked here as far as it can be without reading a trace; [`ManifestError`] has
//! the words for the rest.

mod archive;
mod bytes;
mod contents;
mod decompress;
mod entry;
mod error;
mod file_identity;
mod format;
mod guarded_map;
mod inputs;
mod manifest;
mod mapped_temp;
mod own_file;
mod partial_file;
mod readable;
mod scratch;
mod stream;
mod systrace;
mod unpacked;

pub use contents::digest;
pub use entry::Entry;
pub use error::SourceError;
pub use file_identity::FileIdentity;
pub use format::{Format, is_manifest};
pub use guarded_map::GuardedMap;
pub use inputs::Inputs;
pub use manifest::{
    Attribute, ClockName, Manifest, ManifestClocks, ManifestError, ManifestFile, ManifestProblem,
    TraceTime,
};
pub use own_file::{is_own_file, open_own_file};
pub use partial_file::{PartialFile, Readers, remove_abandoned, remove_partial_files};
pub use scratch::{Scratch, UNPACK_LIMIT};
