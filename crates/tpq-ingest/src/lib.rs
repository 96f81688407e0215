//! From bytes to events in the order of trace time, without I/O and without tables.
//!
//! ```text
//! bytes ─prescan▶ FileBytes, snapshots          one pass over each file: what is compressed is
//!   │                                           inflated, every clock snapshot is known
//!   └─frame─▶ Packets ─sequence─▶ Generation ─split─▶ Run ─sort─▶ ─interleave─▶ events in time order
//! ```
//!
//! An event is never an object of its own. A [`Run`] is a column of timestamps, sorted, with as
//! many payloads next to it; clocks are converted a column at a time and the sorter merges runs.
//! Formats without packets skip some stages: every [`EventReader`] returns runs.
//!
//! Only decoders know the meaning of payloads: by a [`Router`] they declare the packets that they
//! read, and split bundles.

mod batch;
mod event_time;
mod ftrace_clock;
mod history;
mod inflate;
mod interleave;
mod loss;
mod order;
mod own_strings;
mod packet;
mod prescan;
mod protovm;
mod reader;
mod ready_events;
mod run;
mod sequence;
mod shared;
mod snapshot;
mod sort;
mod source;
mod timeline;
mod trace_bytes;

pub use batch::{Batch, Batcher, FileContext, RecorderEvent};
pub use ftrace_clock::{FILE_CLOCK, FILE_FTRACE_CLOCK, ftrace_clock_id};
pub use inflate::{ZstdStream, unpack_zlib};
pub use loss::{Loss, LossBook, LossEntry, Losses, TextLocation};
pub use order::{EventOrder, Events, Step};
pub use own_strings::{FIRST_STRING_WORD, MAX_OWN_STRINGS, own_strings};
pub use packet::PacketHeader;
pub use prescan::{
    KeepLarge, MachineUse, OnScanned, Prescan, PrescanError, PrescanMemory, PrescanStart, prescan,
};
pub use reader::EventReader;
pub use run::{Message, Payload, Run, RunId, RunKind};
pub use sequence::{Generation, GenerationId, Immediate, SequenceLoss, TimeRange};
pub use snapshot::{SnapshotClock, SnapshotOrigin, SnapshotPacket};
pub use sort::{Emit, RunStore, SortMemory, Sorter};
pub use source::{SourceId, Sources};
pub use timeline::{Bundle, ClockNames, PendingRun, Route, Router, SplitSink, Timeline};
pub use trace_bytes::{FileBytes, Span, TraceBytes, fetch};
