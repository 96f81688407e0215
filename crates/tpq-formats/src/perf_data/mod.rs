//! Recordings of `perf record` and of simpleperf: a header, the events that were recorded, and
//! records of the kernel: samples, threads that begin and end, mappings of memory.
//!
//! ```text
//! file:  header | attributes of events | records | sections of features
//! pipe:  header | records, of attributes and features as well
//! ```
//!
//! The layout is that of the kernel's `perf_event_open` and of `tools/perf`. Numbers are little
//! endian. [`inflate`] unpacks compressed records before anything is read, and [`tracepoints`] turns
//! events of the kernel's tracer into packets; [`reader`] finds the time of each record; the others
//! decode.

mod attribute;
mod callchain;
mod counters;
mod features;
mod inflate;
mod layout;
mod memory;
mod reader;
mod records;
mod sample;
mod session;
mod symbols;
mod tasks;
mod tracepoints;

use tpq_decode::{FormatDecoder, format_run_kind};
use tpq_ingest::RunKind;

use self::reader::PerfReader;
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const SESSION: RunKind = format_run_kind(12);
const RECORDS: RunKind = format_run_kind(13);
/// The end of all records.
const ENDS: RunKind = format_run_kind(62);

/// The clock of events that do not choose one: that of the scheduler, which no other records.
const PERF_CLOCK: u32 = 10;

pub(crate) const FORMAT: TraceFormat = TraceFormat {
    has_packets: false,
    default_clock: DefaultClock::OfFile(PERF_CLOCK),
    is_windowed: false,
    has_kernel: false,
    has_deferred_args: true,
    prescan: Some(inflate::prescan),
    open,
};

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[
        (SESSION, session::decode_session),
        (RECORDS, records::decode_record),
        (ENDS, tasks::decode_ends),
    ],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    OpenedFile { reader: Box::new(PerfReader::new(file)), work: None }
}
