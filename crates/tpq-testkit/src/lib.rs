//! Writes traces for tests: each packet is written by hand, and all bytes are known.
//!
//! A test that reads a trace from another program only shows that two programs agree. With these
//! builders a test states the contents of a trace itself, so the expected rows can be worked out on
//! paper. The builders share no code with the importer, not even its field numbers: those are in
//! [`field`], and a test of this crate compares them with the list of facts.
//!
//! ```
//! use tpq_testkit::{Packet, TraceBuilder, TrackDescriptor, TrackEvent};
//!
//! let trace = TraceBuilder::new()
//!     .packet(Packet::new().track_descriptor(TrackDescriptor::new(7).thread(100, 101, "worker")))
//!     .packet(Packet::new().timestamp(1_000).track_event(TrackEvent::begin(7).name("work")))
//!     .packet(Packet::new().timestamp(1_500).track_event(TrackEvent::end(7)))
//!     .build();
//! assert_eq!(trace[0], 0x0a);
//! ```
//!
//! An [`Archive`] packs several traces, optionally with a manifest.
//!
//! [`testdata`] has the traces that are committed under `testdata/`, [`formats`] has small files of
//! other formats, [`corrupt`] has invalid ones, and [`mutate`] damages valid ones at random. With
//! the feature `producer` there is also `producer`, which records traces with Perfetto itself.

mod wire;
#[macro_use]
mod message_type;
pub mod field;

mod archive;
mod clock_snapshot;
mod compact_sched;
mod compression;
mod debug_annotation;
mod ftrace;
mod hprof;
mod interned_data;
mod packet;
mod perf_data;
mod process_tree;
mod recording;
mod trace;
mod trace_cmd;
mod track_descriptor;
mod track_event;

pub mod corrupt;
pub mod formats;
pub mod mutate;
#[cfg(feature = "producer")]
pub mod producer;
pub mod random;
pub mod testdata;

pub use archive::Archive;
pub use clock_snapshot::{Clock, ClockSnapshot, RemoteClockSync, clock_id};
pub use compact_sched::CompactSched;
pub use compression::{gzip, zlib, zstd};
pub use debug_annotation::Annotation;
pub use ftrace::{FtraceBundle, FtraceEvent, Task, ftrace_clock, prev_state};
pub use hprof::{Hprof, JavaClass, JavaType};
pub use interned_data::InternedData;
pub use packet::{Defaults, NEEDS_STATE, Packet, STATE_CLEARED};
pub use perf_data::{PerfData, PerfSample};
pub use process_tree::{ProcessStats, ProcessTree};
pub use recording::{
    BufferStats, FtraceCpuStats, FtraceStats, ServiceEvent, SystemInfo, TraceStats,
};
pub use trace::TraceBuilder;
pub use trace_cmd::{KernelPage, TraceCmd};
pub use track_descriptor::{CounterUnit, TrackDescriptor};
pub use track_event::TrackEvent;
pub use wire::Message;
