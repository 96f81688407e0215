//! The recording itself: configuration, statistics, the log of the import.

pub(in crate::track) mod import_log;
pub(in crate::track) mod interest;
pub(in crate::track) mod metadata;
pub(in crate::track) mod recording;
pub(in crate::track) mod requested;
pub(in crate::track) mod translations;
pub(in crate::track) mod writer;
