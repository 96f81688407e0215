//! Formats other than packets: one folder for each, with a decoder of the events its reader hands
//! on.

pub(crate) mod json;
pub(crate) mod systrace;

use tpq_ingest::RunKind;

use crate::decode::DecodeEvent;

/// Kinds of runs from here on are of formats that know no packets.
const FIRST_OF_FORMATS: u32 = 1 << 30;

/// The kind of runs of events of a format, by a number of its own.
const fn kind_of(number: u32) -> RunKind {
    RunKind(FIRST_OF_FORMATS + number)
}

/// Every decoder of such events, by number.
const DECODERS: &[DecodeEvent] = &[
    json::decode_event,
    json::decode_system_line,
    systrace::decode_event,
    systrace::decode_process,
    systrace::decode_thread,
];

/// Their numbers, in the order of [`DECODERS`].
const JSON_EVENTS: RunKind = kind_of(0);
const JSON_LINES: RunKind = kind_of(1);
const SYSTRACE_LINES: RunKind = kind_of(2);
const SYSTRACE_PROCESSES: RunKind = kind_of(3);
const SYSTRACE_THREADS: RunKind = kind_of(4);

/// The decoder of events of such a run.
pub(crate) fn event_decoder(kind: RunKind) -> Option<DecodeEvent> {
    let number = kind.0.checked_sub(FIRST_OF_FORMATS)?;
    DECODERS.get(number as usize).copied()
}
