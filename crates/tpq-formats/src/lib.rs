//! Formats of traces: what the import has to know about each, in one list.
//!
//! [`TraceFormat`] describes a format. A format with packets is read by the stages of `tpq-ingest`
//! and decoded by `tpq-decode`; any other has a folder here with a reader and decoders.
//!
//! ```text
//! format ──▶ text ──▶ samples ──▶ packets, systrace, ninja, … ──▶ json ──▶ registry
//! ```
//!
//! Each module uses only those before it. To add a format: a variant of `tpq_source::Format`, a
//! folder with a [`TraceFormat`], and its lines in [`trace_format`] and [`DECODERS`].

mod art_methods;
mod call_frame;
mod collapsed;
mod cpuprofile;
mod dmesg;
mod document;
mod dumpstate;
mod format;
mod fuchsia;
mod gecko;
mod heap_profile;
mod heap_snapshot;
mod hprof;
mod instruments;
mod json;
mod logcat;
mod name_mapping;
mod ninja;
mod otlp;
mod packets;
mod perf_data;
mod perf_script;
mod pprof;
mod primes;
mod registry;
mod samples;
mod simpleperf;
mod speedscope;
mod strace;
mod symbol_files;
mod systrace;
mod text;
mod trace_cmd;

pub use format::{DefaultClock, OpenFile, OpenedFile, Reader, Report, ScanFile, TraceFormat, Work};
pub use registry::{DECODERS, trace_format};
pub use symbol_files::SymbolFiles;
