//! Files as Android's file systems read them.

use tpq_tables::{Stats, Tables};

use super::effects::Arg;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{TrackKind, Trackers};

pub(super) const EVENTS: Events = &[(431, end), (432, start)];

const FILE_SYSTEM: TrackKind = TrackKind::slices("android_fs");
const TRACK: &str = "android_fs";

fn start(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut on = event.on(trackers, tables, stats);
    on.trackers.source.kernel.file_reads.insert((event.uint(4), event.int(5)), event.pid);
    let path = event.string(6);
    let args = [
        ("file_path", Arg::Text(&path)),
        ("offset_start", Arg::Int(event.int(5))),
        ("bytes_read_start", Arg::Int(event.int(1))),
    ];
    let (of, cookie) = (on.machine(), event.pid as u32);
    on.begin_shared((FILE_SYSTEM, of, TRACK), cookie.into(), "android_fs_data_read", &args);
}

/// A read may end on another thread: what it read tells which began it.
fn end(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut on = event.on(trackers, tables, stats);
    let source = (event.uint(2), event.int(3));
    let Some(pid) = on.trackers.source.kernel.file_reads.remove(&source) else { return };
    let args = [("offset_end", Arg::Int(event.int(3))), ("bytes_read_end", Arg::Int(event.int(1)))];
    let (of, cookie) = (on.machine(), pid as u32);
    on.end_shared((FILE_SYSTEM, of, TRACK), cookie.into(), &args);
}
