//! Processes with a dump of their Java heap, and the `OutOfMemoryError` that caused it.

use tpq_ingest::Route;
use tpq_proto::fields::{art_process_metadata as process, java_frame, java_stack, trace_packet};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::{
    HeapGraphRow, HeapGraphThreadCallsiteRow, JavaOomeDetailsRow, PackageListRow,
};
use tpq_tables::{Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder, text};
use tpq_trackers::stacks::SourceLine;
use tpq_trackers::track::{Tid, Trackers, Upid};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::ART_PROCESS_METADATA, route: Route::Sorted, decode };

/// Reason of a dump that an `OutOfMemoryError` caused.
const OUT_OF_MEMORY: &str = "OOME";
/// Mapping of frames that the runtime names.
const MAPPING: &str = "art_process_metadata";
/// The number of ids of users that each Android user has.
const IDS_OF_A_USER: u32 = 100_000;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let fields = LastFields::<10>::new(packet.data);
    let pid = fields.get(process::PID).map_or(0, |pid| pid.as_u32());
    let pid = Tid { machine: packet.machine, id: i64::from(pid) };
    let upid = trackers.processes.process(pid, tables);
    describe_process(upid, &fields, trackers, tables);
    let is_oome = fields.has(process::OOM_ALLOCATION_SIZE);
    let dump_reason = match is_oome {
        true => tables.strings.intern(OUT_OF_MEMORY),
        false => StringId::NULL,
    };
    let row = HeapGraphRow { ts: packet.ts(), upid, dump_reason, ..HeapGraphRow::default() };
    let heap_graph_id = trackers.heap_graphs.add_dump(row, tables);
    if !is_oome {
        return;
    }
    let error_msg = text(&fields, process::OOM_ERROR_MSG, tables);
    tables.android_heap_graph_java_oome_details.push(JavaOomeDetailsRow {
        heap_graph_id,
        allocation_size_bytes: fields.int(process::OOM_ALLOCATION_SIZE),
        total_bytes_free: fields.int(process::OOM_TOTAL_BYTES_FREE),
        free_bytes_until_oom: fields.int(process::OOM_FREE_BYTES_UNTIL_OOM),
        error_msg,
    });
    if let Some(stack) = fields.get(process::OOM_THREAD_JAVA_STACK) {
        let utid = trackers.processes.thread_of_process(pid, pid, tables);
        let callsite_id = callsite(stack.as_bytes(), trackers, tables);
        let row = HeapGraphThreadCallsiteRow { heap_graph_id, utid, callsite_id };
        tables.heap_graph_thread_callsite.push(row);
    }
}

fn describe_process(
    upid: Upid,
    fields: &LastFields<'_, 10>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    if fields.has(process::PROCESS_NAME) {
        let name = text(fields, process::PROCESS_NAME, tables);
        trackers.processes.name_unnamed_process(upid, name, tables);
    }
    let Some(uid) = fields.get(process::UID).map(|uid| uid.as_u32()) else { return };
    tables.process.uid.set(upid, Some(uid));
    tables.process.android_user_id.set(upid, Some(uid / IDS_OF_A_USER));
    tables.process.android_appid.set(upid, Some(uid % IDS_OF_A_USER));
    if fields.has(process::PACKAGE_NAME) {
        let package_name = text(fields, process::PACKAGE_NAME, tables);
        let uid = i64::from(uid as i32);
        if trackers.source.packages.add(package_name, uid) {
            let row = PackageListRow { package_name, uid, ..PackageListRow::default() };
            tables.package_list.push(row);
        }
    }
}

/// The innermost call of a stack, which lists frames from the inside out.
fn callsite(stack: &[u8], trackers: &mut Trackers, tables: &mut Tables) -> Option<u32> {
    let frames = Fields::new(stack).filter(|field| field.number == java_stack::FRAMES);
    let frames = frames.map(|frame| LastFields::<4>::new(frame.as_bytes()));
    let mut named: Vec<(StringId, SourceLine)> = frames
        .filter(|frame| frame.has(java_frame::METHOD_NAME))
        .map(|frame| {
            let method = String::from_utf8_lossy(frame.bytes(java_frame::METHOD_NAME));
            let file = text(&frame, java_frame::SOURCE_FILE, tables);
            let line = frame.get(java_frame::LINE_NUMBER).map(|line| line.as_u32());
            (tables.strings.intern(name_of(&method)), SourceLine { file, line })
        })
        .collect();
    named.reverse();
    trackers.source.stacks.named_stack(MAPPING, named, tables)
}

/// The name in a description of a method: `a.B.c` of `int a.B.c(int)`.
fn name_of(method: &str) -> &str {
    let name = method.split('(').next().unwrap_or(method);
    name.rsplit(' ').next().unwrap_or(name)
}
