//! Operations on disks. An event tells of an operation that is over, and how long it took.

use tpq_proto::fields::disk_io_etw_event as disk_io;
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, TrackKind, Trackers};

use super::EtwEvent;

const TRACKS: TrackKind = TrackKind::slices("etw_diskio");
const CATEGORY: &str = "ETW Disk I/O";

fn name_of(opcode: u64) -> Option<&'static str> {
    Some(match opcode {
        10 => "DiskRead",
        11 => "DiskWrite",
        12 => "DiskReadInit",
        13 => "DiskWriteInit",
        14 => "DiskFlush",
        15 => "DiskFlushInit",
        _ => return None,
    })
}

pub(super) fn decode(
    event: EtwEvent,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let operation = LastFields::<10>::new(message);
    let Some(opcode) = operation.get(disk_io::OPCODE) else {
        stats.increment(Stat::MalformedPackets);
        return;
    };
    let Some(name) = name_of(opcode.as_u64()) else {
        stats.increment(Stat::MissingDiskIoEventName);
        return;
    };
    let utid = event.utid(event.thread, trackers, tables);
    let dur = operation.int(disk_io::RESPONSE_TIME).max(0);
    let dimensions = Dimensions::thread(utid);
    let sharing = Sharing { kind: TRACKS, dimensions, name: StringId::NULL };
    let track = trackers.complete_shared(sharing, event.ts, dur, tables);
    let slice = NewSlice {
        ts: event.ts,
        track,
        category: tables.strings.intern(CATEGORY),
        name: tables.strings.intern(name),
        ..NewSlice::default()
    };
    trackers.bounds.include(event.ts.saturating_add(dur));
    let args = args(&operation, tables);
    trackers.complete(slice, dur, &args, tables, stats);
}

fn args(operation: &LastFields<'_, 10>, tables: &mut Tables) -> ArgSet {
    let value = |number| operation.get(number);
    let pointer = |number| value(number).map(|it| ArgValue::Pointer(it.as_u64()));
    let uint = |number| value(number).map(|it| ArgValue::Uint(it.as_u64()));
    let int = |number| value(number).map(|it| ArgValue::Int(it.as_i64()));
    let args = [
        ("Irp Ptr", pointer(disk_io::IRP_PTR)),
        ("Disk Number", uint(disk_io::DISK_NUMBER)),
        ("Irp Flags", pointer(disk_io::IRP_FLAGS)),
        ("Transfer Size", uint(disk_io::TRANSFER_SIZE)),
        ("Byte Offset", int(disk_io::BYTE_OFFSET)),
        ("File Object", pointer(disk_io::FILE_OBJECT)),
        ("Response Time (microseconds)", int(disk_io::RESPONSE_TIME)),
        ("Issuing Thread ID", uint(disk_io::ISSUING_THREAD_ID)),
    ];
    let args = args.into_iter().filter_map(|(key, value)| Some((key, value?)));
    ArgSet::of(args, &mut tables.strings)
}
