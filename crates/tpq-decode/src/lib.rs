//! From events in time order to rows: one decoder for each source of data, and the trackers that
//! remember what an event alone does not say.
//!
//! ```text
//! Step ──immediate──▶ decoders of descriptors, snapshots, the recorder's own words
//!   └────events──▶ decoders of events ──▶ trackers ──▶ table builders
//!                                  └──▶ ledger, on a thread of its own ──▶ its tables
//! ```
//!
//! To add a kind of packet: a file in `decode/` with its `PacketDecoder`, listed in
//! `registry.rs`. To add an ftrace event: an entry in the table of the file it belongs to in
//! `decode/ftrace/`.

mod decode;
mod decoder;
mod event;
mod format;
mod health;
mod losses;
mod registry;

pub use decode::DecodeEvent;
pub use decode::clocks::clock_snapshot::Tie;
pub use decode::kernel::ftrace;
pub use decoder::{Decoder, Fact, FileInfo, Finished, Outcome};
pub use event::RunEvent;
pub use format::{FormatDecoder, format_run_kind};
pub use health::FileRemark;
pub use registry::{PacketRouter, Treatment, kernel_events_with_tables, treatment};
pub use tpq_trackers::setup::{MachineInfo, Setup};
