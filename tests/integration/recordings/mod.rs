//! What a recording says of itself: its configuration, its sessions, and what its names mean.

mod diagnostics;
mod requests;
mod service;
mod translations;

use tpq_testkit::{Message, Packet, TraceBuilder};

use crate::imported::{RECORDER, instant, recording};

/// Counts that are not 0.
const STATS: &str = "SELECT name, idx, severity, value FROM stats WHERE value != 0 \
    AND name NOT LIKE '%duration%' ORDER BY name, idx";

/// A packet of the recorder.
fn of_recorder(field: u32, payload: Message) -> Packet {
    Packet::new().sequence(RECORDER).payload(field, payload)
}

/// A data source of a configuration, with its own settings in a field.
fn source(name: &str, settings: Option<(u32, Message)>) -> Message {
    let config = Message::new().bytes(1, name);
    let config = match settings {
        Some((field, settings)) => config.message(field, settings),
        None => config,
    };
    Message::new().message(1, config)
}

/// Kernel events with these settings.
fn ftrace(settings: Message) -> Message {
    source("linux.ftrace", Some((100, settings)))
}

/// A trace of one event, recorded with these data sources.
fn recorded_with(sources: impl IntoIterator<Item = Message>) -> TraceBuilder {
    let config =
        sources.into_iter().fold(Message::new(), |config, source| config.message(2, source));
    recording()
        .packet(Packet::new().sequence(RECORDER).trace_config(config))
        .packet(instant(5, "x"))
}
