//! Formats of traces: what the import has to know about each, in one list.
//!
//! [`TraceFormat`] describes a format. A format with packets is read by the stages of `tpq-ingest`
//! and decoded by `tpq-decode`; any other has a folder here with a reader and decoders.
//!
//! To add a format: a variant of `tpq_source::Format`, a folder with a [`TraceFormat`], and its
//! line in [`trace_format`].

mod format;
mod json;
mod packets;
mod systrace;

pub use format::{DefaultClock, OpenFile, OpenedFile, Reader, TraceFormat, Work, trace_format};

use tpq_decode::FormatDecoder;

/// Decoders of all formats without packets, for `tpq_decode::Decoder`.
pub const DECODERS: &[&FormatDecoder] = &[&json::DECODER, &systrace::DECODER];
