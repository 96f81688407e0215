//! From events in time order to rows: one decoder for each kind of packet or event. Trackers (in
//! `tpq-trackers`) hold the state between events.
//!
//! ```text
//! Step ──immediate──▶ decoders of descriptors, snapshots, statements of the recorder
//!   └────events──▶ decoders of events ──▶ trackers ──▶ table builders
//!                                  └──▶ deferred writer, on a thread of its own ──▶ its tables
//! ```
//!
//! To add a kind of packet: a file in the folder of its area in `decode/` with a `PacketDecoder`,
//! listed in `registry.rs`. To add a kernel event: an entry in `EVENTS` of the file of its area in
//! `decode/kernel/ftrace/`.

mod decode;
mod decoder;
mod event;
mod format;
mod health;
mod losses;
mod registry;
mod symbolizer;

pub use decode::DecodeEvent;
pub use decode::clocks::clock_snapshot::Tie;
pub use decode::kernel::ftrace;
pub use decode::profilers::proguard::is_mapping_line;
pub use decode::track_event::EventsAhead;
pub use decoder::{Decoder, Fact, FileInfo, Finished, Outcome};
pub use event::RunEvent;
pub use format::{FormatDecoder, format_run_kind};
pub use health::FileRemark;
pub use registry::{PacketRouter, Treatment, kernel_events_with_tables, treatment};
pub use symbolizer::{
    MappedAddress, MappedBinary, NoSymbols, SymbolLine, Symbolizer, Symbols, UnknownBinary,
};
pub use tpq_trackers::setup::{MachineInfo, Setup};
