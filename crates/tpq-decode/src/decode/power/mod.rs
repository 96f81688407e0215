//! Batteries, power rails, energy and wakelocks.

pub(crate) mod app_wakelock;
pub(crate) mod battery;
pub(crate) mod cpu_per_uid;
pub(crate) mod energy_breakdown;
pub(crate) mod entity_state;
pub(crate) mod kernel_wakelock;
pub(crate) mod power_rails;
