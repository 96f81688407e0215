//! Files as Android's file systems read them.

use tpq_proto::fields::ftrace::{android_fs_dataread_end, android_fs_dataread_start, ftrace_event};
use tpq_tables::{Stats, Tables};

use super::effects::Arg;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::ANDROID_FS_DATAREAD_END, end),
    (ftrace_event::ANDROID_FS_DATAREAD_START, start),
];

const FILE_SYSTEM: TrackKind = TrackKind::slices("android_fs");
const TRACK: &str = "android_fs";

fn start(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut effects = event.effects(trackers, tables, stats);
    effects.trackers.source.kernel.file_reads.insert(
        (event.uint(android_fs_dataread_start::INO), event.int(android_fs_dataread_start::OFFSET)),
        event.pid,
    );
    let path = event.string(android_fs_dataread_start::PATHBUF);
    let args = [
        ("file_path", Arg::Text(&path)),
        ("offset_start", Arg::Int(event.int(android_fs_dataread_start::OFFSET))),
        ("bytes_read_start", Arg::Int(event.int(android_fs_dataread_start::BYTES))),
    ];
    let (of, cookie) = (effects.machine(), event.pid as u32);
    effects.begin_shared((FILE_SYSTEM, of, TRACK), cookie.into(), "android_fs_data_read", &args);
}

/// A read may end on another thread: the location that it read identifies the start.
fn end(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut effects = event.effects(trackers, tables, stats);
    let source =
        (event.uint(android_fs_dataread_end::INO), event.int(android_fs_dataread_end::OFFSET));
    let Some(pid) = effects.trackers.source.kernel.file_reads.remove(&source) else { return };
    let args = [
        ("offset_end", Arg::Int(event.int(android_fs_dataread_end::OFFSET))),
        ("bytes_read_end", Arg::Int(event.int(android_fs_dataread_end::BYTES))),
    ];
    let (of, cookie) = (effects.machine(), pid as u32);
    effects.end_shared((FILE_SYSTEM, of, TRACK), cookie.into(), &args);
}
