//! Recordings of `trace-cmd`: pages of the kernel's ring buffers, with the formats of the events in
//! them.
//!
//! ```text
//! recording ──▶ sections           formats, names, options, where the data lies
//! page_layout, event_format        entries of pages, fields of events
//! event_kinds ──▶ packets ──▶ transcode   packets of kernel events, before the import
//! facts, reader                    names of threads; the packets are read as those of any trace
//! ```

mod embedded;
mod event_format;
mod event_kinds;
mod facts;
mod message;
mod numbers;
mod packets;
mod page_layout;
mod reader;
mod recording;
mod sections;
mod symbols;
mod transcode;

use tpq_decode::{FormatDecoder, format_run_kind};
use tpq_ingest::RunKind;

pub(crate) use self::embedded::{EmbeddedFormats, KernelEvent};
use self::reader::TraceCmdReader;
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const NAMES: RunKind = format_run_kind(50);

/// The clock of the scheduler, of which the tracer's clocks are.
const PERF_CLOCK: u32 = 10;
/// A clock that counts ticks or events.
const TICKS_CLOCK: u32 = 128;

pub(crate) const FORMAT: TraceFormat = TraceFormat {
    has_packets: false,
    default_clock: DefaultClock::OfFile(PERF_CLOCK),
    is_windowed: false,
    has_kernel: true,
    has_deferred_args: true,
    prescan: Some(transcode::prescan),
    open,
};

pub(crate) const DECODER: FormatDecoder =
    FormatDecoder { runs: &[(NAMES, facts::decode_names)], text_of: |_, _| None };

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    OpenedFile { reader: Box::new(TraceCmdReader::new(file)), work: None }
}
