//! Counters of network traffic.

use rustc_hash::FxHashMap;
use tpq_tables::StringId;

/// Totals since the first event.
#[derive(Default)]
pub struct Network {
    /// Bytes by interface.
    received: FxHashMap<StringId, u64>,
    /// Bytes by interface.
    transmitted: FxHashMap<StringId, u64>,
    /// Packets.
    dropped: u64,
    /// Numbers of connections, by the addresses of their sockets in the kernel.
    streams: FxHashMap<u64, u32>,
}

impl Network {
    /// An interface received a packet: the bytes it has received.
    pub fn received(&mut self, interface: StringId, bytes: u64) -> u64 {
        add(&mut self.received, interface, bytes)
    }

    /// An interface sent a packet: the bytes it has sent.
    pub fn transmitted(&mut self, interface: StringId, bytes: u64) -> u64 {
        add(&mut self.transmitted, interface, bytes)
    }

    /// A packet was dropped: how many were.
    pub fn dropped(&mut self) -> u64 {
        self.dropped += 1;
        self.dropped
    }

    /// The number of the connection of a socket, from 1 on.
    pub fn stream(&mut self, socket: u64) -> u32 {
        let next = self.streams.len() as u32 + 1;
        *self.streams.entry(socket).or_insert(next)
    }
}

fn add(totals: &mut FxHashMap<StringId, u64>, interface: StringId, bytes: u64) -> u64 {
    let total = totals.entry(interface).or_default();
    *total = total.wrapping_add(bytes);
    *total
}
