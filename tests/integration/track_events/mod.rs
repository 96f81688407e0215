//! Events that programs record of themselves, in the forms of all times: the test writes the
//! fields and the rows next to each other.

mod async_slices;
mod counters;
mod descriptors;
mod details;
mod flows;
mod phases;
mod range_of_interest;
mod states;
mod tracks;
mod writers;

use tpq_testkit::{
    InternedData, Message, NEEDS_STATE, Packet, STATE_CLEARED, TraceBuilder, TrackDescriptor,
    TrackEvent,
};

use crate::imported::Imported;

/// The sequence of everything here.
const WRITER: u32 = 1;
/// The track of the thread 101 of the process 100.
const THREAD: u64 = 1;
/// The track of the process 100.
const PROCESS: u64 = 2;

/// Descriptors of a writer before its first event: a thread and its process. The thread is the
/// one that writes.
fn described() -> TraceBuilder {
    let thread = TrackDescriptor::new(THREAD).parent(PROCESS).thread(100, 101, "worker");
    let process = TrackDescriptor::new(PROCESS).process(100, "program");
    TraceBuilder::new().packets([
        packet().flags(STATE_CLEARED).first_on_sequence().track_descriptor(process),
        packet().track_descriptor(thread),
    ])
}

/// The same, with what is interned.
fn with_interned(data: InternedData) -> TraceBuilder {
    described().packet(packet().flags(NEEDS_STATE).interned(data))
}

fn packet() -> Packet {
    Packet::new().sequence(WRITER)
}

/// An event from its fields.
fn event(ts: u64, fields: Message) -> Packet {
    packet().timestamp(ts).flags(NEEDS_STATE).track_event(TrackEvent::from(fields))
}

/// An event of Chrome's older form that names no track, of category `cat`.
fn legacy(ts: u64, phase: char, name: &str, fields: Message) -> Packet {
    let fields = Message::from_bytes(
        [Message::new().uint(2, u64::from(u32::from(phase))).into_bytes(), fields.into_bytes()]
            .concat(),
    );
    event(ts, Message::new().bytes(22, "cat").bytes(23, name).message(6, fields))
}

fn imported(trace: TraceBuilder, packets: impl IntoIterator<Item = Packet>) -> Imported {
    Imported::trace(trace.packets(packets))
}

/// Slices, with the kind of their tracks.
const SLICES: &str = "SELECT ts, dur, depth, t.type, t.name AS track, s.name FROM slice s \
    JOIN track t ON s.track_id = t.id ORDER BY ts, s.id";
/// The args of slices.
const SLICE_ARGS: &str = "SELECT name, key, value_type AS type, int_value AS int, \
    string_value AS string FROM slice s JOIN args a ON s.arg_set_id = a.arg_set_id \
    ORDER BY s.id, a.id";
/// Thread time and instruction counts of slices.
const THREAD_COUNTS: &str = "SELECT name, dur, thread_ts, thread_dur, \
    thread_instruction_count AS count, thread_instruction_delta AS delta FROM slice ORDER BY id";
/// Stats of track events that are not 0.
const STATS: &str = "SELECT name, value FROM stats WHERE value != 0 \
    AND (name LIKE 'track\\_%' ESCAPE '\\' OR name LIKE 'flow%' OR name LIKE 'slice%' \
    OR name LIKE 'thread\\_%' ESCAPE '\\' OR name LIKE 'interned%' OR name LIKE 'misplaced%') \
    ORDER BY name";
/// Entries of the import log, with their args.
const LOGS: &str = "SELECT l.name, l.ts, key, int_value AS int, string_value AS string \
    FROM trace_import_logs l LEFT JOIN args a ON l.arg_set_id = a.arg_set_id \
    ORDER BY l.id, a.id";
