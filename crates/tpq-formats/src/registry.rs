//! The list of formats and of their decoders.

use tpq_decode::FormatDecoder;
use tpq_source::Format;

use crate::format::TraceFormat;
use crate::{json, packets, systrace};

/// Decoders of all formats without packets, for `tpq_decode::Decoder`.
pub const DECODERS: &[&FormatDecoder] = &[&json::DECODER, &systrace::DECODER];

/// The description of a format; `None` for files without events.
pub fn trace_format(format: Format) -> Option<&'static TraceFormat> {
    match format {
        Format::Perfetto => Some(&packets::FORMAT),
        Format::Json => Some(&json::FORMAT),
        Format::Systrace => Some(&systrace::FORMAT),
        Format::Manifest
        | Format::Gzip
        | Format::Zstd
        | Format::Tar
        | Format::Zip
        | Format::Text
        | Format::Unknown => None,
    }
}
