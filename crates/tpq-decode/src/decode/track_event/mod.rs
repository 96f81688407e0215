//! Events that programs record of themselves: slices, instants, counter values and states on
//! tracks.
//!
//! An event is read in `event.rs`, which adds up what it gives as differences (`counters.rs`),
//! finds whose it is (`whose.rs`) and passes it on by what it is.

mod counters;
pub(crate) mod debug_annotation;
mod event;
mod flows;
mod legacy;
mod names;
mod range_of_interest;
mod slices;
mod state;
mod typed_args;
mod whose;

pub(crate) use event::PACKET;
pub(crate) use range_of_interest::PACKET as RANGE_OF_INTEREST;
