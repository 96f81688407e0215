//! The recording itself: configuration, statistics, triggers.

pub(crate) mod concurrent_session;
pub(crate) mod extension_descriptor;
pub(crate) mod metatrace;
pub(crate) mod service_event;
pub(crate) mod trace_attributes;
pub(crate) mod trace_config;
pub(crate) mod trace_stats;
pub(crate) mod trace_uuid;
pub(crate) mod translation;
pub(crate) mod trigger;
pub(crate) mod ui_state;
