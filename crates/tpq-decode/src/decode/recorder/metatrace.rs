//! What the recorder and the trace processor record of themselves.

use rustc_hash::FxHashMap;
use tpq_ingest::Route;
use tpq_proto::fields::perfetto_metatrace::{self as event, arg, interned_string};
use tpq_proto::fields::trace_packet;
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Tid, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::PERFETTO_METATRACE, route: Route::Sorted, decode };

const COUNTER: TrackKind = TrackKind::counter("metatrace_counter", None);
const CATEGORY: &str = "metatrace";
/// Stands for a string that was not sent.
const MISSING: &str = "MISSING STRING";

/// Names of events of the recorder, by number.
const EVENTS: &[&str] = &[
    "EVENT_ZERO_UNUSED",
    "FTRACE_CPU_READER_READ",
    "FTRACE_DRAIN_CPUS",
    "FTRACE_UNBLOCK_READERS",
    "FTRACE_CPU_READ_NONBLOCK",
    "FTRACE_CPU_READ_BLOCK",
    "FTRACE_CPU_SPLICE_NONBLOCK",
    "FTRACE_CPU_SPLICE_BLOCK",
    "FTRACE_CPU_WAIT_CMD",
    "FTRACE_CPU_RUN_CYCLE",
    "FTRACE_CPU_FLUSH",
    "FTRACE_CPU_BUFFER_WATERMARK",
    "READ_SYS_STATS",
    "PS_WRITE_ALL_PROCESSES",
    "PS_ON_PIDS",
    "PS_ON_RENAME_PIDS",
    "PS_WRITE_ALL_PROCESS_STATS",
    "TRACE_WRITER_COMMIT_STARTUP_WRITER_BATCH",
    "FTRACE_READ_TICK",
    "FTRACE_CPU_READ_CYCLE",
    "FTRACE_CPU_READ_BATCH",
    "KALLSYMS_PARSE",
    "PROFILER_READ_TICK",
    "PROFILER_READ_CPU",
    "PROFILER_UNWIND_TICK",
    "PROFILER_UNWIND_SAMPLE",
    "PROFILER_UNWIND_INITIAL_ATTEMPT",
    "PROFILER_UNWIND_ATTEMPT",
    "PROFILER_MAPS_PARSE",
    "PROFILER_MAPS_REPARSE",
    "PROFILER_UNWIND_CACHE_CLEAR",
    "ANDROID_CPU_PER_UID_TICK",
    "ANDROID_KERNEL_WAKELOCKS_TICK",
    "ANDROID_POWER_TICK",
    "ANDROID_POWER_WRITE_BATTERY_COUNTERS",
    "ANDROID_POWER_WRITE_ENERGY_ESTIMATION_BREAKDOWN",
    "ANDROID_POWER_WRITE_ENTITY_STATE_RESIDENCY",
    "ANDROID_POWER_WRITE_POWER_RAILS_DATA",
    "LINUX_POWER_SYSFS_TICK",
];

/// Names of counters of the recorder, by number.
const COUNTERS: &[&str] = &[
    "COUNTER_ZERO_UNUSED",
    "FTRACE_PAGES_DRAINED",
    "PS_PIDS_SCANNED",
    "TRACE_SERVICE_COMMIT_DATA",
    "PROFILER_UNWIND_QUEUE_SZ",
    "PROFILER_UNWIND_CURRENT_PID",
];

/// Strings of a file, by their ids.
#[derive(Default)]
struct SentStrings(FxHashMap<u64, StringId>);

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let fields = LastFields::<12>::new(packet.data);
    let tid = Tid { machine: packet.machine, id: i64::from(fields.uint(event::THREAD_ID) as u32) };
    let utid = trackers.processes.thread(tid, tables);
    note_strings(packet.data, trackers, tables);
    let args = args(packet.data, trackers, tables);
    if let Some(name) = event_name(&fields, trackers, tables) {
        let track = trackers.source.tracks.execution(utid, &mut trackers.deferred, tables);
        let category = tables.strings.intern(CATEGORY);
        let slice = NewSlice { ts: packet.ts(), track, name, category, arg_set_id: None };
        trackers.complete(slice, fields.int(event::EVENT_DURATION_NS), &args, tables, stats);
    } else if let Some(name) = counter_name(&fields, tables) {
        let value = f64::from(fields.int(event::COUNTER_VALUE) as i32);
        let dimensions = Dimensions::thread(utid).text("counter_name", name);
        trackers.count_with((packet.ts(), value), COUNTER, dimensions, name, &args, tables);
    }
    if fields.uint(event::HAS_OVERRUNS) != 0 {
        stats.increment(Stat::MetatraceOverruns);
    }
}

/// Notes the strings that later events refer to; the first of an id counts.
fn note_strings(data: &[u8], trackers: &mut Trackers, tables: &mut Tables) {
    let SentStrings(sent) = trackers.file.states.get();
    for string in Fields::new(data).filter(|field| field.number == event::INTERNED_STRINGS) {
        let string = LastFields::<3>::new(string.as_bytes());
        let text = tables.strings.intern_bytes(string.bytes(interned_string::VALUE));
        sent.entry(string.uint(interned_string::IID)).or_insert(text);
    }
}

fn sent_string(iid: u64, trackers: &mut Trackers, tables: &mut Tables) -> StringId {
    let SentStrings(sent) = trackers.file.states.get();
    sent.get(&iid).copied().unwrap_or_else(|| tables.strings.intern(MISSING))
}

/// The name of an event; `None` if the packet is no event.
fn event_name(
    fields: &LastFields<'_, 12>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Option<StringId> {
    if let Some(id) = fields.get(event::EVENT_ID) {
        return Some(listed(EVENTS, "Event", id.as_u32(), tables));
    }
    if let Some(iid) = fields.get(event::EVENT_NAME_IID) {
        return Some(sent_string(iid.as_u64(), trackers, tables));
    }
    let name = fields.get(event::EVENT_NAME)?;
    Some(tables.strings.intern_bytes(name.as_bytes()))
}

/// The name of a counter; `None` if the packet is none.
fn counter_name(fields: &LastFields<'_, 12>, tables: &mut Tables) -> Option<StringId> {
    if let Some(id) = fields.get(event::COUNTER_ID) {
        return Some(listed(COUNTERS, "Counter", id.as_u32(), tables));
    }
    let name = fields.get(event::COUNTER_NAME)?;
    Some(tables.strings.intern_bytes(name.as_bytes()))
}

/// A name of a list; a number beyond it is shown with the kind of the list.
fn listed(names: &[&str], kind: &str, number: u32, tables: &mut Tables) -> StringId {
    match names.get(number as usize) {
        Some(name) => tables.strings.intern(name),
        None => tables.strings.intern(&format!("{kind} {number}")),
    }
}

/// The args of an event. Several values of one key are an array.
fn args(data: &[u8], trackers: &mut Trackers, tables: &mut Tables) -> ArgSet {
    let mut values: Vec<(StringId, StringId)> = Vec::new();
    let mut counts: FxHashMap<StringId, (usize, usize)> = FxHashMap::default();
    for field in Fields::new(data).filter(|field| field.number == event::ARGS) {
        let fields = LastFields::<5>::new(field.as_bytes());
        let mut text = |iid: u32, text: u32| match fields.get(iid) {
            Some(iid) => sent_string(iid.as_u64(), trackers, tables),
            None => tables.strings.intern_bytes(fields.bytes(text)),
        };
        let (key, value) = (text(arg::KEY_IID, arg::KEY), text(arg::VALUE_IID, arg::VALUE));
        counts.entry(key).or_default().0 += 1;
        values.push((key, value));
    }
    let mut args = ArgSet::default();
    for (key, value) in values {
        let value = ArgValue::String(value);
        match counts.get_mut(&key) {
            Some((count, next)) if *count > 1 => {
                let element = format!("{}[{next}]", tables.strings.get(key));
                *next += 1;
                args.add_keyed(key, tables.strings.intern(&element), value);
            }
            _ => args.add(key, value),
        }
    }
    args
}
