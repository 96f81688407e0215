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
mod deferred;
mod formats;
mod health;
mod interned;
mod losses;
mod registry;
mod setup;
mod track;

pub use decode::clock_snapshot::Tie;
pub use decoder::{Decoder, Fact, FileInfo, Finished, Outcome};
pub use formats::json::json_reader;
pub use formats::systrace::systrace_reader;
pub use health::FileRemark;
pub use registry::{PacketRouter, Treatment, kernel_events_with_tables, treatment};
pub use setup::{MachineInfo, Setup};
