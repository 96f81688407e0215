//! The input of an import: files and archives. The only importer crate that does I/O.
//!
//! ```text
//!   paths ──► bytes ──► format ──► contents of archives and compressed files ──► entries, in order
//!                          └─────► manifest ─────────────────────────────────► checked, matched
//! ```
//!
//! [`Inputs::open`] unpacks the inputs of the command line until only files are left: an [`Entry`]
//! for each archive, compressed file and file within, in the order of the import, which does not
//! depend on the order in which they were named or packed. Plain files and uncompressed files in
//! archives are slices of one map of the file. Only compressed data is copied, within one limit for
//! all of it.
//!
//! This crate reads only the first few bytes of a file, to detect its [`Format`], and the one
//! document that is about files: the [`Manifest`], which states how the traces of a merge relate.
//! The manifest is checked here as far as possible without reading a trace; [`ManifestError`] has
//! the messages for all other errors.

mod archive;
mod bug_report;
mod bytes;
mod decompress;
mod digest;
mod entry;
mod error;
mod file_identity;
mod format;
mod guarded_map;
mod inputs;
mod json_formats;
mod manifest;
mod mapped_temp;
mod otlp;
mod own_file;
mod partial_file;
mod pprof;
mod prefix;
mod primes;
mod scratch;
mod stream;
mod symbol_files;
mod symbol_packets;
mod systrace;
mod text;
mod text_formats;
mod trace_probe;
mod unpacked;
mod varint;

pub use bug_report::ReportDate;
pub use digest::digest;
pub use entry::Entry;
pub use error::{FirstBytes, SourceError};
pub use file_identity::FileIdentity;
pub use format::{Format, is_manifest};
pub use guarded_map::GuardedMap;
pub use inputs::{Inputs, ReadInputs};
pub use manifest::{
    Attribute, ClockName, Manifest, ManifestClocks, ManifestError, ManifestFile, ManifestProblem,
    TraceTime,
};
pub use own_file::{is_own_file, open_own_file};
pub use partial_file::{PartialFile, Readers, remove_abandoned, remove_partial_files};
pub use prefix::OnPrefix;
pub use scratch::{Scratch, UNPACK_LIMIT};
pub use symbol_files::SymbolFile;
pub use text_formats::after_strace_annotations;
