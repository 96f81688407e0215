//! Data of kernels, Android and Linux systems: the test writes the events and the rows
//! next to each other.

mod android_framework;
mod android_packets;
mod android_power;
mod binder;
mod buses;
mod counters_of_kernel;
mod cpu_info;
mod damaged_gpu_events;
mod drivers;
mod etw;
mod event_rows;
mod frames;
mod ftrace_raw;
mod functions;
mod generic_kernel;
mod gpu;
mod heap_graph;
mod heap_graph_damage;
mod heap_hostile;
mod heap_profile;
mod identity;
mod interrupts;
mod kernel_track_events;
mod losses;
mod markers;
mod memory_events;
mod metatrace_packets;
mod network;
mod odd_recordings;
mod perf_counters;
mod pixel_modem;
mod process_stats;
mod render_stages;
mod reported_errors;
mod scheduling;
mod secure_world;
mod storage;
mod sys_stats;
mod syscalls;
mod video;
mod vulkan;
mod wakelocks;
mod windows;

use tpq::ImportOptions;
use tpq_testkit::{FtraceBundle, FtraceEvent, Packet};

use crate::imported::{Imported, recording};

/// A recording of what CPU 0 saw, without the events as such: the tables made from them.
pub fn kernel(events: impl IntoIterator<Item = FtraceEvent>) -> Imported {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let trace = recording().packet(Packet::new().sequence(1).ftrace(bundle)).build();
    let options = ImportOptions { ftrace_raw: false, ..ImportOptions::default() };
    Imported::with(&[("trace", &trace)], options)
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
/// Dimensions of tracks.
pub const DIMENSIONS: &str = "SELECT type, name, key, value_type, int_value, string_value \
    FROM track JOIN args ON dimension_arg_set_id = arg_set_id ORDER BY track.id, args.id";
/// The args of slices.
pub const SLICE_ARGS: &str = "SELECT ts, name, flat_key, key, value_type AS type, int_value AS int, \
    string_value AS string FROM slice s JOIN args a ON s.arg_set_id = a.arg_set_id \
    ORDER BY s.id, a.id";
/// The args of counter values.
pub const COUNTER_ARGS: &str = "SELECT ts, key, value_type AS type, int_value AS int, \
    string_value AS string FROM counter c JOIN args a ON c.arg_set_id = a.arg_set_id \
    ORDER BY c.id, a.id";
/// Arrows between slices, with the moments at which they begin.
pub const FLOWS: &str = "SELECT s.ts AS \"from\", e.ts AS \"to\", trace_id FROM flow \
    JOIN slice s ON slice_out = s.id JOIN slice e ON slice_in = e.id ORDER BY s.ts, e.ts";
