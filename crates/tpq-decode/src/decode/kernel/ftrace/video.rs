//! Buffers that programs give to video devices and take back.

use tpq_proto::fields::ftrace::{ftrace_event, v4l2_qbuf, vb2_v4l2_buf_queue};
use tpq_tables::{Stats, Tables};

use super::effects::{Arg, NamedArg};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Trackers, VideoBuffer};

pub(super) const EVENTS: Events = &[
    (ftrace_event::V4L2_QBUF, queued),
    (ftrace_event::V4L2_DQBUF, dequeued),
    (ftrace_event::VB2_V4L2_BUF_QUEUE, |e, r, t, s| {
        kernel_buffer(e, "vb2_v4l2_buf_queue", r, t, s)
    }),
    (ftrace_event::VB2_V4L2_BUF_DONE, |e, r, t, s| kernel_buffer(e, "vb2_v4l2_buf_done", r, t, s)),
    (ftrace_event::VB2_V4L2_QBUF, |e, r, t, s| kernel_buffer(e, "vb2_v4l2_qbuf", r, t, s)),
    // Both directions go by one name.
    (ftrace_event::VB2_V4L2_DQBUF, |e, r, t, s| kernel_buffer(e, "vb2_v4l2_qbuf", r, t, s)),
];

const CATEGORY: &str = "Video 4 Linux 2";

/// Kinds of buffers, by number.
const TYPES: [&str; 15] = [
    "",
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

/// The order of a picture's fields, by number.
const FIELDS: [&str; 10] = [
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

/// The rates of time codes, by number.
const TIMECODES: [&str; 6] = ["", "24FPS", "25FPS", "30FPS", "50FPS", "60FPS"];

/// Flags of buffers: the bits that any of must be set, and their name. Those without bits are
/// of buffers that have no flag at all.
const FLAGS: [(u32, &str); 22] = [
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
    (0, "TIMESTAMP_UNKNOWN"),
    (0x2000, "TIMESTAMP_MONOTONIC"),
    (0x4000, "TIMESTAMP_COPY"),
    (0x7_0000, "TSTAMP_SRC_MASK"),
    (0, "TSTAMP_SRC_EOF"),
    (0x1_0000, "TSTAMP_SRC_SOE"),
    (0x10_0000, "LAST"),
    (0x80_0000, "REQUEST_FD"),
];

fn flags(flags: u32) -> String {
    let present = |bits: u32| if bits == 0 { flags == 0 } else { flags & bits != 0 };
    let names: Vec<&str> =
        FLAGS.into_iter().filter(|&(bits, _)| present(bits)).map(|(_, name)| name).collect();
    names.join("|")
}

fn timecode_flags(flags: u32) -> String {
    let mut names = Vec::new();
    let mut add = |present: bool, name| names.extend(present.then_some(name));
    add(flags == 0, "USERBITS_USERDEFINED");
    add(flags & 0x1 != 0, "FLAG_DROPFRAME");
    add(flags & 0x2 != 0, "FLAG_COLORFRAME");
    add(flags & 0xc == 0x4, "USERBITS_field(01)");
    add(flags & 0xc == 0x8, "USERBITS_field(10)");
    add(flags & 0xc == 0xc, "USERBITS_field(11)");
    add(flags & 0x8 != 0, "USERBITS_8BITCHARS");
    names.join("|")
}

fn name_of<'a>(names: &[&'a str], number: i64) -> Arg<'a> {
    let name = usize::try_from(number).ok().and_then(|number| names.get(number));
    match name {
        Some(&name) if !name.is_empty() => Arg::Text(name),
        _ => Arg::NoText,
    }
}

/// The fields of an event, which differ between those of programs and those within the kernel.
struct Numbers {
    field: u32,
    flags: u32,
    minor: u32,
    sequence: u32,
    /// The first of those of the time code: flags, frames, hours, minutes, seconds, type and four
    /// of user bits.
    timecode: u32,
    timestamp: u32,
}

const OF_PROGRAMS: Numbers = Numbers {
    field: v4l2_qbuf::FIELD,
    flags: v4l2_qbuf::FLAGS,
    minor: v4l2_qbuf::MINOR,
    sequence: v4l2_qbuf::SEQUENCE,
    timecode: v4l2_qbuf::TIMECODE_FLAGS,
    timestamp: v4l2_qbuf::TIMESTAMP,
};
const OF_KERNEL: Numbers = Numbers {
    field: vb2_v4l2_buf_queue::FIELD,
    flags: vb2_v4l2_buf_queue::FLAGS,
    minor: vb2_v4l2_buf_queue::MINOR,
    sequence: vb2_v4l2_buf_queue::SEQUENCE,
    timecode: vb2_v4l2_buf_queue::TIMECODE_FLAGS,
    timestamp: vb2_v4l2_buf_queue::TIMESTAMP,
};

/// Adds an instant on the running thread; `own` is what only events of programs say.
fn instant(
    event: &FtraceEvent<'_>,
    name: &str,
    numbers: &Numbers,
    own: &[NamedArg<'_>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    let mut effects = event.effects(trackers, tables, stats);
    let int = |number| Arg::Int(event.int(number));
    let (buffer, code) = (flags(event.int(numbers.flags) as u32), numbers.timecode);
    let code_flags = timecode_flags(event.int(code) as u32);
    let mut args = vec![("minor", int(numbers.minor))];
    args.extend_from_slice(own);
    args.extend([
        ("flags", Arg::Text(&buffer)),
        ("field", name_of(&FIELDS, event.int(numbers.field))),
        ("timestamp", int(numbers.timestamp)),
        ("timecode_type", name_of(&TIMECODES, event.int(code + 5))),
        ("timecode_flags", Arg::Text(&code_flags)),
        ("timecode_frames", int(code + 1)),
        ("timecode_seconds", int(code + 4)),
        ("timecode_minutes", int(code + 3)),
        ("timecode_hours", int(code + 2)),
        ("timecode_userbits0", int(code + 6)),
        ("timecode_userbits1", int(code + 7)),
        ("timecode_userbits2", int(code + 8)),
        ("timecode_userbits3", int(code + 9)),
        ("sequence", int(numbers.sequence)),
    ]);
    let track = effects.thread_track();
    effects.instant(track, (CATEGORY, name), &args)
}

/// A program gives a buffer to a device or takes it back.
fn of_program(
    event: &FtraceEvent<'_>,
    call: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> (VideoBuffer, Option<u32>) {
    let buffer = (
        event.int(v4l2_qbuf::MINOR),
        event.int(v4l2_qbuf::SEQUENCE),
        event.int(v4l2_qbuf::TYPE),
        event.int(v4l2_qbuf::INDEX),
    );
    let (minor, sequence, kind, index) = buffer;
    let name = format!("{call} minor={minor} seq={sequence} type={kind} index={index}");
    let private = (kind == 0x80).then_some(Arg::Text("PRIVATE"));
    let own = [
        ("index", Arg::Int(index)),
        ("type", private.unwrap_or_else(|| name_of(&TYPES, kind))),
        ("bytesused", Arg::Int(event.int(v4l2_qbuf::BYTESUSED))),
    ];
    (buffer, instant(event, &name, &OF_PROGRAMS, &own, trackers, tables, stats))
}

fn queued(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (buffer, slice) = of_program(event, "VIDIOC_QBUF", trackers, tables, stats);
    if let Some(slice) = slice {
        trackers.source.kernel.video_buffers.entry(buffer).or_insert(slice);
    }
}

/// A flow leads from a queued buffer to its return.
fn dequeued(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (buffer, slice) = of_program(event, "VIDIOC_DQBUF", trackers, tables, stats);
    let queued = trackers.source.kernel.video_buffers.remove(&buffer);
    if let (Some(queued), Some(slice)) = (queued, slice) {
        trackers.file.flows.link(queued, slice, tables);
    }
}

/// A buffer goes its way within the kernel, which does not number it.
fn kernel_buffer(
    event: &FtraceEvent<'_>,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (minor, sequence) =
        (event.int(vb2_v4l2_buf_queue::MINOR), event.int(vb2_v4l2_buf_queue::SEQUENCE));
    let name = format!("{name} minor={minor} seq={sequence} type=0 index=0");
    instant(event, &name, &OF_KERNEL, &[], trackers, tables, stats);
}
