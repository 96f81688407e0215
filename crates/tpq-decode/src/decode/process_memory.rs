//! Counters of the memory of processes, which the kernel's events and the polls of `/proc` share.

use tpq_tables::{StringId, Tables};

use crate::track::{Dimensions, TrackKind, Trackers, Upid, Utid};

const MEMORY: TrackKind = TrackKind::counter("process_memory", Some("bytes"));
/// For threads whose process is not known.
const THREAD_MEMORY: TrackKind =
    TrackKind::counter("process_memory_thread_fallback", Some("bytes"));

/// A counter of memory: the name of its track, and what it is for.
pub(super) type Counter = (&'static str, &'static str);

pub(super) const VIRTUAL: Counter = ("mem.virt", "Address space the process has mapped (VmSize)");
pub(super) const RSS: Counter = ("mem.rss", "Memory of the process that is in RAM (VmRSS)");
pub(super) const ANON: Counter =
    ("mem.rss.anon", "Memory in RAM that no file backs, as heap and stacks (RssAnon)");
pub(super) const FILE: Counter =
    ("mem.rss.file", "Memory in RAM that files back, as code and maps (RssFile)");
pub(super) const SHMEM: Counter = ("mem.rss.shmem", "Shared memory in RAM (RssShmem)");
pub(super) const SWAP: Counter = ("mem.swap", "Memory that was moved out of RAM (VmSwap)");
pub(super) const LOCKED: Counter = ("mem.locked", "Memory that may not leave RAM (VmLck)");
pub(super) const WATERMARK: Counter =
    ("mem.rss.watermark", "The most memory that was ever in RAM (VmHWM)");
pub(super) const DMABUF: Counter =
    ("mem.dmabuf_rss", "Buffers shared with devices that the process has mapped (dmabuf)");

/// What the name of a track has before the counter's own.
const PREFIX: &str = "mem.";

/// Whose memory it is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner {
    Process(Upid),
    /// A thread of which the process is not known.
    Thread(Utid),
}

/// The counter took a value, in bytes.
pub(super) fn count(
    sample: (i64, f64),
    owner: Owner,
    (name, description): Counter,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let key: StringId = tables.strings.intern(name.trim_start_matches(PREFIX));
    let name = tables.strings.intern(name);
    let (kind, owner) = match owner {
        Owner::Process(upid) => (MEMORY.described(description), Dimensions::process(upid)),
        Owner::Thread(utid) => (THREAD_MEMORY, Dimensions::thread(utid)),
    };
    trackers.count(sample, kind, owner.text("process_memory_key", key), name, tables);
}
