//! State between events: trackers, stacks, arguments and the deferred writer.
//!
//! ```text
//! ids, interned ──▶ stacks ──▶ args ──▶ deferred ──▶ track
//! ```
//!
//! Each module uses only those before it. Decoders call trackers; trackers write tables and pass to
//! the deferred writer what no tracker reads again.

pub mod args;
pub mod deferred;
pub mod fingerprint;
pub mod ids;
pub mod interned;
pub mod setup;
pub mod stacks;
pub mod track;
