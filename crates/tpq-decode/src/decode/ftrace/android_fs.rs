//! Reads of files, as Android's kernels tell them.

use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use crate::track::{
    ArgSet, ArgValue, Dimensions, NewSlice, Sharing, SliceEnd, TrackKind, Trackers,
};

pub(super) const EVENTS: Events = &[(432, start), (431, end)];

const ANDROID_FS: TrackKind = TrackKind::slices("android_fs");

fn sharing(event: &FtraceEvent<'_>, tables: &mut Tables) -> Sharing {
    let name = tables.strings.intern("android_fs");
    Sharing { kind: ANDROID_FS, dimensions: Dimensions::machine(event.machine), name }
}

fn start(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (inode, offset) = (event.uint(4), event.int(5));
    trackers.file_reads.entry((inode, offset)).or_insert(event.pid);
    let sharing = sharing(event, tables);
    let track = trackers.begin_shared(sharing, i64::from(event.pid), tables);
    let name = tables.strings.intern("android_fs_data_read");
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    let path = ArgValue::String(event.text(6, tables));
    let args = [
        ("file_path", path),
        ("offset_start", ArgValue::Int(offset)),
        ("bytes_read_start", ArgValue::Int(event.int(1))),
    ];
    let args = ArgSet::of(args, &mut tables.strings);
    trackers.begin_slice(slice, args, tables, stats);
}

/// Another thread may end a read than began it.
fn end(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let (inode, offset) = (event.uint(2), event.int(3));
    let Some(reader) = trackers.file_reads.remove(&(inode, offset)) else { return };
    let sharing = sharing(event, tables);
    let track = trackers.end_shared(sharing, i64::from(reader), tables);
    let args =
        [("offset_end", ArgValue::Int(offset)), ("bytes_read_end", ArgValue::Int(event.int(1)))];
    let args = ArgSet::of(args, &mut tables.strings);
    let end = SliceEnd { ts: event.ts, track, ..SliceEnd::default() };
    trackers.end_slice(end, &args, tables, stats);
}
