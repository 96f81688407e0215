//! Android: logs, packages, users, properties, flags, videos of displays.

pub(crate) mod aflags;
pub(crate) mod android_log;
pub(crate) mod game_intervention;
pub(crate) mod packages_list;
pub(crate) mod pixel_modem;
pub(crate) mod statsd_atom;
pub(crate) mod system_property;
pub(crate) mod user_list;
pub(crate) mod video_frame;
