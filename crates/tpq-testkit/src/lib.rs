//! Writes traces for tests: every packet by hand, every byte known.
//!
//! A test that reads a trace it did not write only shows that two programs agree. The builders
//! here say what a trace holds in the test's own words, so the expected rows can be worked out
//! on paper. They share no code with the importer, not even its field numbers: those are in
//! [`field`] and are compared with the list of facts by a test of this crate.
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
//! An [`Archive`] packs several traces, with a manifest if one is wanted.
//!
//! [`testdata`] holds the traces committed under `testdata/`, [`corrupt`] the inputs that are no
//! proper traces, [`mutate`] turns one into the other at random. With the feature `producer` there
//! is also `producer`, which records traces with Perfetto itself.

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
mod interned_data;
mod packet;
mod process_tree;
mod recording;
mod trace;
mod track_descriptor;
mod track_event;

pub mod corrupt;
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
pub use interned_data::InternedData;
pub use packet::{Defaults, NEEDS_STATE, Packet, STATE_CLEARED};
pub use process_tree::{ProcessStats, ProcessTree};
pub use recording::{
    BufferStats, FtraceCpuStats, FtraceStats, ServiceEvent, SystemInfo, TraceStats,
};
pub use trace::TraceBuilder;
pub use track_descriptor::{CounterUnit, TrackDescriptor};
pub use track_event::TrackEvent;
pub use wire::Message;
