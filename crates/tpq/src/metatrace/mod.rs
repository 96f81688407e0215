//! tpq's own stages as a trace: what an import or a query did, when and on which thread, to be
//! asked about with tpq.
//!
//! ```text
//! MetaTrace ── span("decode") ──▶ Span ── dropped ──▶ Record      two reads of the TSC clock
//!     │ to_bytes                                        │
//!     ▼                                                 ▼ lanes     spans of a thread, nested
//!   clock snapshots ────────────────────────────────▶ packets
//! ```
//!
//! Timestamps are of clock 64, a clock of the trace's one sequence: ns of the TSC clock. The trace
//! format ties clocks in whole ns to a unit, so ticks, of which one is no whole number of ns, are
//! converted when the trace is written. Snapshots tie that clock to the system's, one at most 100 ms
//! before each event, so that events lie where the system's clock would have put them.

mod lanes;
mod message;
mod packets;
mod recorder;

pub use recorder::{MetaTrace, Span};
