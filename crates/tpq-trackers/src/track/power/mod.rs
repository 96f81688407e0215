//! Power states, wakelocks, and CPU time by user.

pub(in crate::track) mod power_state;
pub(in crate::track) mod uid_time;
pub(in crate::track) mod wakelock;
