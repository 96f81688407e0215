//! Events that programs record of themselves: slices, instants and counter values on tracks.

pub(super) mod debug_annotation;
mod event;
mod typed_args;

pub(crate) use event::PACKET;
