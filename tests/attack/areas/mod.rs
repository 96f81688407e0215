//! Areas of the input, each with hand-made inputs that use every part of it. Each is damaged on its
//! own, since inputs of all areas together leave few cases to each.

mod android;
mod chrome_memory;
mod formats;
mod graphics;
mod heaps;
mod incremental;
mod json;
mod kernel;
pub mod left_out;
mod merging;
mod profiles;
mod recordings;
mod typed_args;
mod winscope;

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED};

use crate::bases::Base;

/// An area and the inputs of it.
pub struct Area {
    pub name: &'static str,
    pub bases: fn() -> Vec<Base>,
    /// The number of damaged inputs of a long run.
    pub long: u64,
}

/// All areas.
pub const AREAS: &[Area] = &[
    Area { name: "profiles", bases: profiles::bases, long: 10_000 },
    Area { name: "heaps", bases: heaps::bases, long: 10_000 },
    Area { name: "graphics", bases: graphics::bases, long: 10_000 },
    Area { name: "kernel", bases: kernel::bases, long: 10_000 },
    Area { name: "android", bases: android::bases, long: 10_000 },
    Area { name: "winscope", bases: winscope::bases, long: 10_000 },
    Area { name: "recordings", bases: recordings::bases, long: 10_000 },
    Area { name: "typed_args", bases: typed_args::bases, long: 10_000 },
    Area { name: "json", bases: json::bases, long: 10_000 },
    Area { name: "merging", bases: merging::bases, long: 10_000 },
    Area { name: "chrome_memory", bases: chrome_memory::bases, long: 10_000 },
    Area { name: "incremental", bases: incremental::bases, long: 10_000 },
    Area { name: left_out::NAME, bases: left_out::bases, long: 10_000 },
    Area { name: "formats", bases: formats::bases, long: 440_000 },
];

fn message() -> Message {
    Message::new()
}

/// A message with a text under an id, as interned strings are.
fn string(iid: u64, text: &str) -> Message {
    message().uint(1, iid).bytes(2, text)
}

/// A packet of sequence 1 that needs what the sequence interned.
fn packet(at: u64, field: u32, payload: Message) -> Packet {
    Packet::new().sequence(1).flags(NEEDS_STATE).timestamp(at).payload(field, payload)
}

/// The first packet of sequence 1, with its interned data.
fn interned(data: Message) -> Packet {
    Packet::new().sequence(1).flags(STATE_CLEARED).interned(data.into())
}
