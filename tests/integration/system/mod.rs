//! What a kernel and an Android or Linux system record: the test writes the events and the rows
//! beside each other.

mod android_packets;
mod binder;
mod counters_of_kernel;
mod cpu_info;
mod frames;
mod ftrace_raw;
mod gpu;
mod identity;
mod losses;
mod memory_events;
mod perf_counters;
mod process_stats;
mod scheduling;
mod storage;
mod sys_stats;
mod wakelocks;

use tpq_testkit::{FtraceBundle, FtraceEvent, Packet};

use crate::imported::{Imported, recording};

/// A recording of what CPU 0 saw.
pub fn kernel(events: impl IntoIterator<Item = FtraceEvent>) -> Imported {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    Imported::trace(recording().packet(Packet::new().sequence(1).ftrace(bundle)))
}

/// A recording of packets.
pub fn packets(packets: impl IntoIterator<Item = Packet>) -> Imported {
    Imported::trace(recording().packets(packets))
}

/// Counter values, with the kind of their tracks.
pub const COUNTERS: &str = "SELECT ts, t.type, t.name, value FROM counter c \
    JOIN track t ON c.track_id = t.id ORDER BY ts, t.id";
/// Slices, with the kind of their tracks.
pub const SLICES: &str = "SELECT ts, dur, t.type, t.name AS track, s.name, category FROM slice s \
    JOIN track t ON s.track_id = t.id ORDER BY ts, s.id";
/// What tells tracks apart.
pub const DIMENSIONS: &str = "SELECT type, name, key, value_type, int_value, string_value \
    FROM track JOIN args ON dimension_arg_set_id = arg_set_id ORDER BY track.id, args.id";
