//! Tracks: by kind, by uuid and by owner.

pub(in crate::track) mod described;
pub(in crate::track) mod described_track;
mod free_lanes;
pub(in crate::track) mod kinds;
mod recent;
pub(in crate::track) mod shared;
pub(in crate::track) mod track_owner;
pub(in crate::track) mod track_uuid;
