//! Counters of the memory of processes, which the kernel's events and the polls of `/proc` share.

use tpq_tables::Tables;

use tpq_trackers::track::{Dimensions, ThreadCounter, TrackKind, Trackers, Upid, Utid};

const MEMORY: TrackKind = TrackKind::counter("process_memory", None);
/// For threads of processes that never become known.
const THREAD_MEMORY: TrackKind = TrackKind::counter("process_memory_thread_fallback", None);
/// The key of what is counted, that distinguishes the tracks of a process.
const KEY: &str = "process_memory_key";

/// A counter of memory: the name of its track, and what it is for.
pub(in crate::decode) type Counter = (&'static str, &'static str);

pub(in crate::decode) const VIRTUAL: Counter =
    ("mem.virt", "Address space the process has mapped (VmSize)");
pub(in crate::decode) const RSS: Counter =
    ("mem.rss", "Memory of the process that is in RAM (VmRSS)");
pub(in crate::decode) const ANON: Counter =
    ("mem.rss.anon", "Memory in RAM that no file backs, as heap and stacks (RssAnon)");
pub(in crate::decode) const FILE: Counter =
    ("mem.rss.file", "Memory in RAM that files back, as code and maps (RssFile)");
pub(in crate::decode) const SHMEM: Counter = ("mem.rss.shmem", "Shared memory in RAM (RssShmem)");
pub(in crate::decode) const SWAP: Counter =
    ("mem.swap", "Memory that was moved out of RAM (VmSwap)");
pub(in crate::decode) const LOCKED: Counter =
    ("mem.locked", "Memory that may not leave RAM (VmLck)");
pub(in crate::decode) const WATERMARK: Counter =
    ("mem.rss.watermark", "The most memory that was ever in RAM (VmHWM)");
pub(in crate::decode) const UNRECLAIMABLE: Counter =
    ("mem.unreclaimable", "Memory that a GPU's driver holds and that cannot be taken back");
pub(in crate::decode) const UNKNOWN: Counter =
    ("mem.unknown", "Memory under a number that the kernel of this trace alone knows");
pub(in crate::decode) const DMABUF: Counter =
    ("mem.dmabuf_rss", "Memory of buffers that the process shares with devices");

/// The process with the memory.
#[derive(Clone, Copy, Debug)]
pub(in crate::decode) enum Owner {
    Process(Upid),
    /// The process of a thread, which may become known only later.
    Thread(Utid),
}

/// The counter took a value, in bytes.
pub(in crate::decode) fn count(
    sample: (i64, f64),
    owner: Owner,
    (name, description): Counter,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let key = name.strip_prefix("mem.").unwrap_or(name);
    let [name, key] = [name, key].map(|text| tables.strings.intern(text));
    let process = MEMORY.described(description);
    match owner {
        Owner::Process(upid) => {
            let of = Dimensions::process(upid).text(KEY, key);
            trackers.count(sample, process, of, name, tables);
        }
        Owner::Thread(utid) => {
            let of = Dimensions::thread(utid).text(KEY, key);
            let counter = ThreadCounter { process, thread: THREAD_MEMORY, name, of };
            trackers.count_for_process_of(utid, counter, sample, tables);
        }
    }
}
