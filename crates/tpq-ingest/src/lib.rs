//! From bytes to events in the order of trace time, without I/O and without tables.
//!
//! ```text
//! bytes ─survey─▶ TraceBytes, ClockGraph        one skim of the file: what is compressed is
//!   │                                           inflated, every clock snapshot is known
//!   └─frame─▶ Packets ─sequence─▶ Generation ─split─▶ Run ─sort─▶ events in time order
//! ```
//!
//! An event is never an object of its own. A [`Run`] is a column of timestamps, sorted, with as
//! many payloads beside it; clocks are converted a column at a time and the sorter merges runs.
//! What a payload means is known to the decoders alone: they say by a [`Router`] which packets
//! they want and how bundles are split.

mod batch;
mod inflate;
mod loss;
mod packet;
mod run;
mod sequence;
mod sort;
mod survey;
mod timeline;
mod trace_bytes;

pub use batch::{Batch, Batcher, Mark};
pub use loss::{Loss, Losses};
pub use packet::{PacketHeader, packet_field};
pub use run::{Message, Payload, Run, RunId, RunKind};
pub use sequence::{Generation, GenerationId, Immediate};
pub use sort::{Emit, Sorter};
pub use survey::{SnapshotClock, SnapshotPacket, Survey, SurveyError, survey};
pub use timeline::{Bundle, Route, Router, SplitSink, Timeline};
pub use trace_bytes::{Span, TraceBytes};
