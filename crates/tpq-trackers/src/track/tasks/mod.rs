//! Processes and threads: their names, lives and arguments, and the sequences that are theirs.

pub(in crate::track) mod owner_args;
pub(in crate::track) mod presences;
pub(in crate::track) mod process;
pub(in crate::track) mod recent_text;
pub(in crate::track) mod sequence_thread;
