//! Descriptors of threads: of those that write sequences, in the older form, and of those that
//! tracks are of.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::{ChromeThreadDescriptor, ThreadDescriptor};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::chrome::chrome_names;
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::ArgValue;
use tpq_trackers::track::{
    NamePriority, SequenceThread, ThreadTotals, Tid, Trackers, Utid, unique_tid,
};

/// Which thread writes a sequence is known before any event of it.
pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::THREAD_DESCRIPTOR,
    route: Route::Twice,
    decode: decode_descriptor,
};

fn decode_descriptor(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    match (decode::<ThreadDescriptor>(packet.data), packet.early) {
        (Ok(thread), true) => note_writer(packet, &thread, false, trackers),
        (Ok(thread), false) => {
            describe_thread(packet, &thread, false, trackers, tables);
        }
        (Err(_), true) => stats.increment(Stat::TrackEventTokenizerErrors),
        (Err(_), false) => {}
    }
}

/// Notes the thread that writes a sequence, and what differences of its counts add up from.
pub(in crate::decode) fn note_writer(
    packet: &Packet<'_>,
    thread: &ThreadDescriptor,
    sandboxed: bool,
    trackers: &mut Trackers,
) {
    let Some(generation) = packet.interned.generation(packet.generation) else { return };
    let pid = i64::from(thread.pid());
    let tid = unique_tid(thread.tid(), pid, sandboxed);
    let reference = ThreadTotals {
        time: thread.reference_thread_time_us().saturating_mul(1000),
        instructions: thread.reference_thread_instruction_count(),
    };
    let writer = SequenceThread { pid, tid };
    trackers.source.sequence_threads.describe(packet.generation, generation, writer, reference);
}

/// Names a thread. The ids are taken as the program gives them, even inside a namespace.
pub(in crate::decode) fn describe_thread(
    packet: &Packet<'_>,
    thread: &ThreadDescriptor,
    sandboxed: bool,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Utid {
    let pid = i64::from(thread.pid());
    let tid = unique_tid(thread.tid(), pid, sandboxed);
    let [tid, pid] = [tid, pid].map(|id| Tid { machine: packet.machine, id });
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    let name = match thread.thread_name() {
        "" => thread.chrome_thread_type.and_then(chrome_names::thread),
        name => Some(name),
    };
    if let Some(name) = name {
        let name = tables.strings.intern(name);
        trackers.processes.name_thread(utid, name, NamePriority::Descriptor, tables);
    }
    if let Some(index) = thread.legacy_sort_index {
        note_sort_index(utid, index, trackers, tables);
    }
    utid
}

/// Names a thread of Chrome by what it is, unless it gave itself a name.
pub(in crate::decode) fn describe_chrome_thread(
    utid: Utid,
    thread: &ChromeThreadDescriptor,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    if let Some(name) = thread.thread_type.and_then(chrome_names::thread) {
        let name = tables.strings.intern(name);
        trackers.processes.name_thread(utid, name, NamePriority::ThreadType, tables);
    }
    if let Some(index) = thread.legacy_sort_index {
        note_sort_index(utid, index, trackers, tables);
    }
}

fn note_sort_index(utid: Utid, index: i32, trackers: &mut Trackers, tables: &mut Tables) {
    let key = tables.strings.intern("thread_sort_index_hint");
    trackers.owner_args.put_of_thread(utid, key, ArgValue::Int(i64::from(index)));
}
