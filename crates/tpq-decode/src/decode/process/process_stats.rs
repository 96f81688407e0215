//! Memory, run time and open files of processes, polled from /proc.

use tpq_ingest::Route;
use tpq_proto::fields::{
    process_stats::{self, fd_info, process, thread},
    trace_packet,
};
use tpq_proto::wire::{Field, Fields};
use tpq_tables::table::FileDescriptorRow;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::process::process_memory::{self, Counter, Owner};
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::ArgValue;
use tpq_trackers::track::{Dimensions, Tid, TrackKind, Trackers, Upid};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::PROCESS_STATS, route: Route::Sorted, decode };

const OOM_SCORE: TrackKind = TrackKind::counter("oom_score_adj", None);
const SMAPS: TrackKind = TrackKind::counter("smaps", None);
const RUNTIME: TrackKind = TrackKind::counter("proc_stat_runtime", None);
/// Measurements that Chromium makes of its own processes.
const CHROME: TrackKind = TrackKind::counter("chrome_process_stats", None);
const KIB: i64 = 1024;
/// Fields of Chromium that imply a running process, and so of its main thread.
const CHROME_FIELDS: [u32; 2] =
    [process::CHROME_PRIVATE_FOOTPRINT_KB, process::CHROME_PEAK_RESIDENT_SET_KB];

/// The fields given in KiB, with the counters they become.
const MEMORY_COUNTERS: &[(u32, Counter)] = &[
    (process::VM_SIZE_KB, process_memory::VIRTUAL),
    (process::VM_RSS_KB, process_memory::RSS),
    (process::RSS_ANON_KB, process_memory::ANON),
    (process::RSS_FILE_KB, process_memory::FILE),
    (process::RSS_SHMEM_KB, process_memory::SHMEM),
    (process::VM_SWAP_KB, process_memory::SWAP),
    (process::VM_LOCKED_KB, process_memory::LOCKED),
    (process::VM_HWM_KB, process_memory::WATERMARK),
    (process::DMABUF_RSS_KB, process_memory::DMABUF),
];

/// A counter with a text that distinguishes it from others of its kind.
struct Keyed {
    kind: TrackKind,
    /// The name of the dimension that holds the text.
    dimension: &'static str,
    key: &'static str,
    /// The prefix of the track's name.
    prefix: &'static str,
    /// The factor of values.
    factor: i64,
}

const fn smaps(key: &'static str) -> Keyed {
    Keyed { kind: SMAPS, dimension: "smaps_key", key, prefix: "mem.smaps.", factor: KIB }
}

const fn runtime(key: &'static str) -> Keyed {
    let dimension = "proc_stat_runtime_key";
    Keyed { kind: RUNTIME, dimension, key, prefix: "runtime.", factor: 1 }
}

const fn chrome(key: &'static str) -> Keyed {
    Keyed { kind: CHROME, dimension: "key", key, prefix: "chrome.", factor: KIB }
}

/// The other fields that become counters.
const KEYED_COUNTERS: &[(u32, Keyed)] = &[
    (process::CHROME_PRIVATE_FOOTPRINT_KB, chrome("private_footprint_kb")),
    (process::CHROME_PEAK_RESIDENT_SET_KB, chrome("peak_resident_set_kb")),
    (process::SMR_RSS_KB, smaps("rss")),
    (process::SMR_PSS_KB, smaps("pss")),
    (process::SMR_PSS_ANON_KB, smaps("pss.anon")),
    (process::SMR_PSS_FILE_KB, smaps("pss.file")),
    (process::SMR_PSS_SHMEM_KB, smaps("pss.smem")),
    (process::RUNTIME_USER_MODE, runtime("user_ns")),
    (process::RUNTIME_KERNEL_MODE, runtime("kernel_ns")),
    (process::SMR_SWAP_PSS_KB, smaps("swap.pss")),
];

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    for process in Fields::new(packet.data).filter(|field| field.number == process_stats::PROCESSES)
    {
        decode_process(packet, process.as_bytes(), trackers, tables, stats);
    }
}

fn decode_process(
    packet: &Packet<'_>,
    process: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let machine = packet.machine;
    let pid = Fields::new(process).find(|field| field.number == process::PID);
    let pid = pid.map(|field| field.as_i32()).unwrap_or_default();
    let pid = Tid { machine, id: i64::from(pid) };
    for field in Fields::new(process) {
        match field.number {
            process::PID => {}
            process::THREADS => {
                let tid = Fields::new(field.as_bytes()).find(|field| field.number == thread::TID);
                let id = i64::from(tid.map(|field| field.as_i32()).unwrap_or_default());
                trackers.processes.thread_of_process(Tid { machine, id }, pid, tables);
            }
            process::FDS => {
                let upid = trackers.processes.process(pid, tables);
                add_file(packet.ts(), upid, field.as_bytes(), trackers, tables);
            }
            process::IS_PEAK_RSS_RESETTABLE => {
                trackers.processes.thread_of_process(pid, pid, tables);
                let upid = trackers.processes.process(pid, tables);
                let key = tables.strings.intern("is_peak_rss_resettable");
                let value = ArgValue::Bool(field.as_bool());
                trackers.owner_args.put_of_process(upid, key, value);
            }
            number => {
                let upid = trackers.processes.process(pid, tables);
                if CHROME_FIELDS.contains(&number) {
                    trackers.processes.thread_of_process(pid, pid, tables);
                }
                count(packet.ts(), upid, &field, trackers, tables, stats);
            }
        }
    }
}

/// A counter of a process took a value.
fn count(
    ts: i64,
    upid: Upid,
    field: &Field<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let value = field.as_i64();
    let memory = MEMORY_COUNTERS.iter().find(|(number, _)| *number == field.number);
    let keyed = KEYED_COUNTERS.iter().find(|(number, _)| *number == field.number);
    if field.number == process::OOM_SCORE_ADJ {
        let name = tables.strings.intern(OOM_SCORE.name);
        let dimensions = Dimensions::process(upid);
        trackers.count((ts, value as f64), OOM_SCORE, dimensions, name, tables);
    } else if let Some(&(_, counter)) = memory {
        let sample = (ts, value.saturating_mul(KIB) as f64);
        process_memory::count(sample, Owner::Process(upid), counter, trackers, tables);
    } else if let Some((_, counter)) = keyed {
        let name = format!("{}{}", counter.prefix, counter.key);
        let [name, key] = [&name, counter.key].map(|text| tables.strings.intern(text));
        let dimensions = Dimensions::process(upid).text(counter.dimension, key);
        let sample = (ts, value.saturating_mul(counter.factor) as f64);
        trackers.count(sample, counter.kind, dimensions, name, tables);
        // Perfetto counts this one as unknown though it is not.
        if field.number == process::CHROME_PEAK_RESIDENT_SET_KB {
            stats.increment(Stat::ProcStatUnknownCounters);
        }
    } else {
        stats.increment(Stat::ProcStatUnknownCounters);
    }
}

/// A file that a process has open.
fn add_file(ts: i64, upid: Upid, file: &[u8], trackers: &mut Trackers, tables: &mut Tables) {
    let mut row = FileDescriptorRow { ts: Some(ts), upid: Some(upid), ..Default::default() };
    for field in Fields::new(file) {
        match field.number {
            fd_info::FD => row.fd = field.as_i64(),
            fd_info::PATH => row.path = tables.strings.intern_bytes(field.as_bytes()),
            _ => {}
        }
    }
    trackers.bounds.include(ts);
    tables.filedescriptor.push(row);
}
