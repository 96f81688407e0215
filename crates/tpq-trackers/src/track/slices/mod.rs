//! Slices, flows and their arguments.

pub(in crate::track) mod async_track;
pub(in crate::track) mod flow;
pub(in crate::track) mod open_args;
pub(in crate::track) mod overlap;
pub(in crate::track) mod slice;
pub(in crate::track) mod slice_args;
pub(in crate::track) mod state;
