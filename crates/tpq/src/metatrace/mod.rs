//! tpq's own stages as a trace: what an import or a query did, when and on which thread. The trace
//! can be opened with tpq.
//!
//! ```text
//! MetaTrace ── span("decode") ──▶ Span ── dropped ──▶ Record      two reads of the TSC clock
//!     │ to_bytes                                        │
//!     ▼                                                 ▼ lanes     spans of a thread, nested
//!   clock snapshots ────────────────────────────────▶ packets
//! ```
//!
//! Timestamps are in clock 64, a clock of the trace's one sequence: ns of the TSC clock. The trace
//! format relates clocks in whole ns per unit, and a tick is not a whole number of ns, so ticks are
//! converted when the trace is written. Snapshots relate that clock to the system's clocks. There
//! is one at most 100 ms before each event, so events appear where the system's clock would have
//! put them.

mod lanes;
mod message;
mod packets;
mod recorder;

pub use recorder::{MetaTrace, Span};
