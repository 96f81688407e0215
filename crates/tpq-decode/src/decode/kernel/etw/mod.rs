//! Events of Windows (ETW): which threads run, memory, operations on files and disks. A packet has
//! events of one or of several CPUs, each with a time of its own.

mod disk_io;
mod file_info;
mod file_io;
mod memory;
mod scheduling;

use tpq_ingest::{Bundle, FILE_CLOCK, Loss, Payload, Span, SplitSink};
use tpq_proto::fields::{etw_trace_event, etw_trace_event_bundle, trace_packet};
use tpq_proto::wire::{Fields, LastFields, Value};
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::{Tid, Trackers, Utid};

pub(crate) use self::file_io::end_operations;
use crate::decode::{BundleDecoder, events_of};
use crate::event::RunEvent;

const FIELD: u32 = trace_packet::ETW_EVENTS;

pub(crate) const EVENTS: BundleDecoder =
    BundleDecoder { field: FIELD, split, decode: decode_event };

/// The numbers of an event: its CPU, and where its message lies in the packet.
const EVENT_WORDS: usize = 3;
/// No machine has as many CPUs.
const MAX_CPUS: u32 = 1024;

/// The fields of an event.
type EventFields<'a> = LastFields<'a, 16>;

/// An event on its way to its decoder.
#[derive(Clone, Copy)]
struct EtwEvent {
    ts: i64,
    machine: u32,
    cpu: u32,
    /// Id of the thread that the event is of; 0 if it does not say it.
    thread: u32,
}

impl EtwEvent {
    /// A thread of the machine of the event.
    fn utid(self, tid: u32, trackers: &mut Trackers, tables: &mut Tables) -> Utid {
        trackers.processes.thread(Tid { machine: self.machine, id: i64::from(tid) }, tables)
    }
}

/// The decoder of a kind of event.
type DecodeEtw = fn(EtwEvent, &[u8], &mut Trackers, &mut Tables, &mut Stats);

/// Decoders by the field of the event.
const DECODERS: &[(u32, DecodeEtw)] = &[
    (etw_trace_event::C_SWITCH, scheduling::decode_switch),
    (etw_trace_event::READY_THREAD, scheduling::decode_ready),
    (etw_trace_event::MEM_INFO, memory::decode),
    (etw_trace_event::FILE_IO_CREATE, file_io::decode_create),
    (etw_trace_event::FILE_IO_DIR_ENUM, file_io::decode_dir_enum),
    (etw_trace_event::FILE_IO_INFO, file_io::decode_info),
    (etw_trace_event::FILE_IO_READ_WRITE, file_io::decode_read_write),
    (etw_trace_event::FILE_IO_SIMPLE_OP, file_io::decode_simple_op),
    (etw_trace_event::FILE_IO_OP_END, file_io::decode_end),
    (etw_trace_event::FILE_IO_PATH_OPERATION, file_io::decode_path_operation),
    (etw_trace_event::DISK_IO, disk_io::decode),
];

/// Splits a packet into its events. The CPU of an event is its own, or that of the packet. Events
/// without one are damaged. Times are in the clock of the file, whatever clock the packet is in.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    let cpu_of_packet = LastFields::<2>::new(bundle.payload).get(etw_trace_event_bundle::CPU);
    let (mut timestamps, mut words) = (Vec::new(), Vec::new());
    let mut fields = Fields::new(bundle.payload);
    while let Some(field) = fields.next() {
        let (etw_trace_event_bundle::EVENT, Value::Bytes(message)) = (field.number, field.value)
        else {
            continue;
        };
        let event = EventFields::new(message);
        let cpu = event.get(etw_trace_event::CPU).or(cpu_of_packet).map(|cpu| cpu.as_u32());
        let cpu = cpu.filter(|&cpu| cpu < MAX_CPUS);
        let (Some(timestamp), Some(cpu)) = (event.get(etw_trace_event::TIMESTAMP), cpu) else {
            sink.lose(Loss::MalformedPacket);
            continue;
        };
        timestamps.push(timestamp.as_i64());
        let start = fields.position() - message.len();
        words.extend([cpu, start as u32, message.len() as u32]);
    }
    if fields.is_damaged() {
        sink.lose(Loss::MalformedPacket);
    }
    let payload = Payload::Words {
        width: EVENT_WORDS,
        words,
        strings: [].into(),
        ranks: Vec::new(),
        own_strings: false,
    };
    sink.push(FILE_CLOCK, bundle.run(events_of(FIELD), timestamps, payload));
}

fn decode_event(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (&[cpu, start, len], _) = event.words() else { return };
    let message = event.bytes.get(Span { addr: event.run.addr + u64::from(start), len });
    trackers.bounds.include(event.ts);
    let etw = EtwEvent {
        ts: event.ts,
        machine: event.machine,
        cpu,
        thread: EventFields::new(message).uint(etw_trace_event::THREAD_ID) as u32,
    };
    let header = [etw_trace_event::TIMESTAMP, etw_trace_event::CPU, etw_trace_event::THREAD_ID];
    for field in Fields::new(message).filter(|field| !header.contains(&field.number)) {
        match DECODERS.iter().find(|(number, _)| *number == field.number) {
            Some((_, decode)) => decode(etw, field.as_bytes(), trackers, tables, stats),
            None => stats.add_indexed(Stat::FormatRecordsNotRead, i64::from(field.number), 1),
        }
    }
}
