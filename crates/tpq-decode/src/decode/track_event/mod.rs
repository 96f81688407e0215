//! Events that programs record of themselves: slices, instants and counter values on tracks.

mod debug_annotation;
mod event;

pub(crate) use event::PACKET;
