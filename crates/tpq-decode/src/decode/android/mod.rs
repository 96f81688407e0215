//! Android: logs, packages, users, properties.

pub(crate) mod android_log;
pub(crate) mod game_intervention;
pub(crate) mod packages_list;
pub(crate) mod statsd_atom;
pub(crate) mod system_property;
pub(crate) mod user_list;
