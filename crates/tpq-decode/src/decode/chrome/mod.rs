//! Chrome: its metadata and names.

pub(crate) mod chrome_events;
pub(crate) mod chrome_metadata;
pub(in crate::decode) mod chrome_names;
pub(crate) mod memory_tracker_snapshot;
