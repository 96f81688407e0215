//! Chrome JSON: an array of events, or an object that contains one among other fields.
//!
//! ```text
//! bytes ─scan─▶ where each event lies ─event─▶ its fields as numbers and spans ─▶ Run
//! ```
//!
//! The text is walked once, a few thousand events at a time, so a file may be of any size; another
//! thread may read events meanwhile. Events lie in no order of time, so each batch is sorted here
//! and the file in full later.

mod blocks;
mod decimal;
mod event;
mod json_reader;
mod lines;
mod look_ahead;
mod plain;
mod rank;
mod scan;

pub(super) use decimal::ns_of_us;
pub(super) use event::{JsonEvent, JsonId, Scope};
pub(super) use json_reader::{JsonKinds, JsonReader};
