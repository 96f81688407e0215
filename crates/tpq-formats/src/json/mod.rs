//! Chrome JSON: a former format of Chrome that many tools write.
//!
//! The format has no specification; fields are read as Perfetto's trace processor reads them.

mod context;
mod counter;
mod cpu;
mod cpu_profile;
mod event;
mod flow;
mod metadata;
mod owner;
mod reader;
mod sample;
mod stack;
mod stack_frames;
mod system_line;
mod text;
mod thread_state;
mod trace_metadata;

use tpq_decode::{FormatDecoder, format_run_kind};
use tpq_ingest::{Payload, Run, RunKind, Span};

use self::reader::{JsonEvent, JsonKinds, JsonReader};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const EVENTS: RunKind = format_run_kind(0);
const LINES: RunKind = format_run_kind(1);
const METADATA: RunKind = format_run_kind(5);
const SAMPLES: RunKind = format_run_kind(40);
const FRAMES: RunKind = format_run_kind(41);

pub(crate) const FORMAT: TraceFormat = TraceFormat {
    has_packets: false,
    default_clock: DefaultClock::Private,
    is_windowed: false,
    has_kernel: false,
    has_deferred_args: true,
    prescan: None,
    open,
};

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[
        (EVENTS, event::decode_event),
        (LINES, system_line::decode_system_line),
        (METADATA, trace_metadata::decode_metadata),
        (SAMPLES, sample::decode_sample),
        (FRAMES, stack_frames::decode_frames),
    ],
    text_of,
};

/// A file of fewer bytes is read faster by one thread.
const LEAST_TO_SPLIT: usize = 1 << 20;

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let OpenFile { bytes, file, timeline, len, may_split, .. } = file;
    let kinds = JsonKinds {
        events: EVENTS,
        lines: LINES,
        metadata: METADATA,
        samples: SAMPLES,
        frames: FRAMES,
    };
    let mut reader = JsonReader::new(bytes, file, timeline, kinds, system_line::time_of);
    let work: Option<crate::Work<'_>> = match may_split && len >= LEAST_TO_SPLIT {
        true => Some(Box::new(reader.helper())),
        false => None,
    };
    OpenedFile { reader: Box::new(reader), work }
}

/// The location of an event's text.
fn text_of(run: &Run, index: usize) -> Option<Span> {
    match &run.payload {
        Payload::Words { width, words, strings, .. } if run.kind == EVENTS => {
            JsonEvent::text_of(words.get(index * width..)?, strings)
        }
        _ => None,
    }
}
