//! Arguments and sequences of processes and threads.

pub(in crate::track) mod owner_args;
pub(in crate::track) mod process;
pub(in crate::track) mod recent_text;
pub(in crate::track) mod sequence_thread;
