//! Events that programs record of themselves: slices, instants, counter values and states on
//! tracks.
//!
//! `event.rs` reads the fields, or `ahead.rs` has read them on another thread. `dispatch.rs`
//! accumulates counter deltas (`counters.rs`), finds the thread, process and track (`owner.rs`) and
//! calls the function for the event's phase.

mod ahead;
mod callstacks;
mod context;
mod counters;
mod dispatch;
mod event;
mod event_args;
mod extra_values;
mod flows;
mod framework_process;
mod legacy;
mod legacy_events;
mod names;
mod owner;
mod range_of_interest;
mod slices;
mod state;
pub(crate) mod track_descriptor;
mod typed_args;

pub(crate) use ahead::Ahead;
pub use ahead::EventsAhead;
pub(crate) use dispatch::PACKET;
pub(crate) use range_of_interest::PACKET as RANGE_OF_INTEREST;
