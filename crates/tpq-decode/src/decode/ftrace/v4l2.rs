//! Buffers of video devices.

use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use crate::track::{ArgSet, ArgValue, NewSlice, Trackers, VideoBuffer};

pub(super) const EVENTS: Events = &[
    (422, queue),
    (423, dequeue),
    (424, core_queue),
    (425, core_done),
    (426, core_queue_by_user),
    (427, core_dequeue_by_user),
];

/// Longest name of a slice, in bytes.
const MAX_NAME: usize = 63;

/// The numbers of the fields, which the driver's events and those of the core differ in.
struct Fields {
    field: u32,
    flags: u32,
    minor: u32,
    sequence: u32,
    /// The first field of the timecode; the others follow.
    timecode: u32,
    timestamp: u32,
}

const DRIVER: Fields =
    Fields { field: 2, flags: 3, minor: 5, sequence: 6, timecode: 7, timestamp: 17 };
const CORE: Fields =
    Fields { field: 1, flags: 2, minor: 3, sequence: 4, timecode: 5, timestamp: 15 };

/// Fields that only the driver's events have.
const BYTES_USED: u32 = 1;
const INDEX: u32 = 4;
const TYPE: u32 = 18;

const BUFFER_TYPES: [&str; 14] = [
    "VIDEO_CAPTURE",
    "VIDEO_OUTPUT",
    "VIDEO_OVERLAY",
    "VBI_CAPTURE",
    "VBI_OUTPUT",
    "SLICED_VBI_CAPTURE",
    "SLICED_VBI_OUTPUT",
    "VIDEO_OUTPUT_OVERLAY",
    "VIDEO_CAPTURE_MPLANE",
    "VIDEO_OUTPUT_MPLANE",
    "SDR_CAPTURE",
    "SDR_OUTPUT",
    "META_CAPTURE",
    "META_OUTPUT",
];
const PRIVATE: u64 = 0x80;

/// How lines of interlaced pictures lie in a buffer.
const FIELD_ORDERS: [&str; 10] = [
    "ANY",
    "NONE",
    "TOP",
    "BOTTOM",
    "INTERLACED",
    "SEQ_TB",
    "SEQ_BT",
    "ALTERNATE",
    "INTERLACED_TB",
    "INTERLACED_BT",
];

const TIMECODE_TYPES: [&str; 5] = ["24FPS", "25FPS", "30FPS", "50FPS", "60FPS"];

/// Flags of a buffer: bits, and the word that applies where one of them is set.
const BUFFER_FLAGS: [(u32, &str); 20] = [
    (0x1, "MAPPED"),
    (0x2, "QUEUED"),
    (0x4, "DONE"),
    (0x8, "KEYFRAME"),
    (0x10, "PFRAME"),
    (0x20, "BFRAME"),
    (0x40, "ERROR"),
    (0x80, "IN_REQUEST"),
    (0x100, "TIMECODE"),
    (0x200, "M2M_HOLD_CAPTURE_BUF"),
    (0x400, "PREPARED"),
    (0x800, "NO_CACHE_INVALIDATE"),
    (0x1000, "NO_CACHE_CLEAN"),
    (0xe000, "TIMESTAMP_MASK"),
    (0x2000, "TIMESTAMP_MONOTONIC"),
    (0x4000, "TIMESTAMP_COPY"),
    (0x7_0000, "TSTAMP_SRC_MASK"),
    (0x1_0000, "TSTAMP_SRC_SOE"),
    (0x10_0000, "LAST"),
    (0x80_0000, "REQUEST_FD"),
];
/// The words for a buffer without flags.
const NO_BUFFER_FLAGS: &str = "TIMESTAMP_UNKNOWN|TSTAMP_SRC_EOF";

fn queue(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let slice = driver_slice(event, "VIDIOC_QBUF", trackers, tables, stats);
    trackers.video_buffers.entry(buffer(event)).or_insert(slice);
}

fn dequeue(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let slice = driver_slice(event, "VIDIOC_DQBUF", trackers, tables, stats);
    let queued = trackers.video_buffers.remove(&buffer(event)).flatten();
    if let (Some(from), Some(to)) = (queued, slice) {
        trackers.flows.join(from, to, tables);
    }
}

fn core_queue(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    core_slice(event, "vb2_v4l2_buf_queue", trackers, tables, stats);
}

fn core_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    core_slice(event, "vb2_v4l2_buf_done", trackers, tables, stats);
}

fn core_queue_by_user(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    core_slice(event, "vb2_v4l2_qbuf", trackers, tables, stats);
}

/// Queries know both directions by one name.
fn core_dequeue_by_user(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    core_slice(event, "vb2_v4l2_qbuf", trackers, tables, stats);
}

fn buffer(event: &FtraceEvent<'_>) -> VideoBuffer {
    let number = |field| event.uint(field) as u32;
    (number(DRIVER.minor) as i32, number(DRIVER.sequence), number(TYPE), number(INDEX))
}

fn driver_slice(
    event: &FtraceEvent<'_>,
    what: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    let (minor, sequence, buffer_type, index) = buffer(event);
    let name = format!("{what} minor={minor} seq={sequence} type={buffer_type} index={index}");
    slice(event, &DRIVER, name, trackers, tables, stats)
}

fn core_slice(
    event: &FtraceEvent<'_>,
    what: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (minor, sequence) = (event.int(CORE.minor) as i32, event.uint(CORE.sequence) as u32);
    let name = format!("{what} minor={minor} seq={sequence} type=0 index=0");
    slice(event, &CORE, name, trackers, tables, stats);
}

fn slice(
    event: &FtraceEvent<'_>,
    fields: &Fields,
    mut name: String,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    name.truncate(MAX_NAME);
    let slice = NewSlice {
        ts: event.ts,
        track: event.thread_track(trackers, tables),
        name: tables.strings.intern(&name),
        category: tables.strings.intern("Video 4 Linux 2"),
        arg_set_id: None,
    };
    let args = args(event, fields, tables);
    trackers.instant(slice, &args, tables, stats)
}

fn args(event: &FtraceEvent<'_>, fields: &Fields, tables: &mut Tables) -> ArgSet {
    let int = |field| ArgValue::Int(i64::from(event.uint(field) as u32));
    let minor = ArgValue::Int(i64::from(event.int(fields.minor) as i32));
    let mut set = ArgSet::of([("minor", minor)], &mut tables.strings);
    if fields.minor == DRIVER.minor {
        let kind = event.uint(TYPE);
        let kind = if kind == PRIVATE { Some("PRIVATE") } else { word(&BUFFER_TYPES, kind, 1) };
        let kind = text(kind, tables);
        let own = [("index", int(INDEX)), ("type", kind), ("bytesused", int(BYTES_USED))];
        set.append(&ArgSet::of(own, &mut tables.strings));
    }
    let flags = text(Some(&buffer_flags(event.uint(fields.flags) as u32)), tables);
    let order = text(word(&FIELD_ORDERS, event.uint(fields.field), 0), tables);
    let shared = [
        ("flags", flags),
        ("field", order),
        ("timestamp", ArgValue::Int(event.int(fields.timestamp))),
    ];
    set.append(&ArgSet::of(shared, &mut tables.strings));
    set.append(&timecode(event, fields.timecode, tables));
    set.append(&ArgSet::of([("sequence", int(fields.sequence))], &mut tables.strings));
    set
}

/// The args of the timecode, the fields of which begin with `first`.
fn timecode(event: &FtraceEvent<'_>, first: u32, tables: &mut Tables) -> ArgSet {
    let int = |field| ArgValue::Int(i64::from(event.uint(field) as u32));
    let kind = text(word(&TIMECODE_TYPES, event.uint(first + 5), 1), tables);
    let flags = text(Some(&timecode_flags(event.uint(first) as u32)), tables);
    let args = [
        ("timecode_type", kind),
        ("timecode_flags", flags),
        ("timecode_frames", int(first + 1)),
        ("timecode_seconds", int(first + 4)),
        ("timecode_minutes", int(first + 3)),
        ("timecode_hours", int(first + 2)),
        ("timecode_userbits0", int(first + 6)),
        ("timecode_userbits1", int(first + 7)),
        ("timecode_userbits2", int(first + 8)),
        ("timecode_userbits3", int(first + 9)),
    ];
    ArgSet::of(args, &mut tables.strings)
}

/// The word for a number, where numbers start with `first`.
fn word(words: &[&'static str], number: u64, first: u64) -> Option<&'static str> {
    let index = usize::try_from(number.checked_sub(first)?).ok()?;
    words.get(index).copied()
}

fn text(text: Option<&str>, tables: &mut Tables) -> ArgValue {
    let text = text.map(|text| tables.strings.intern(text));
    ArgValue::String(text.unwrap_or(StringId::NULL))
}

fn buffer_flags(flags: u32) -> String {
    if flags == 0 {
        return NO_BUFFER_FLAGS.to_owned();
    }
    let words = BUFFER_FLAGS.iter().filter(|(mask, _)| flags & mask != 0);
    words.map(|&(_, word)| word).collect::<Vec<_>>().join("|")
}

fn timecode_flags(flags: u32) -> String {
    let words = [
        (flags == 0, "USERBITS_USERDEFINED"),
        (flags & 0x1 != 0, "FLAG_DROPFRAME"),
        (flags & 0x2 != 0, "FLAG_COLORFRAME"),
        (flags & 0xc == 0x4, "USERBITS_field(01)"),
        (flags & 0xc == 0x8, "USERBITS_field(10)"),
        (flags & 0xc == 0xc, "USERBITS_field(11)"),
        (flags & 0x8 != 0, "USERBITS_8BITCHARS"),
    ];
    let words = words.into_iter().filter(|&(applies, _)| applies);
    words.map(|(_, word)| word).collect::<Vec<_>>().join("|")
}
