//! Whole traces.

use crate::{Message, Packet, compression, field};

/// A trace: packets in file order.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct TraceBuilder {
    trace: Message,
}

impl TraceBuilder {
    /// Returns a trace without packets.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a packet.
    pub fn packet(mut self, packet: impl Into<Message>) -> Self {
        self.trace = self.trace.message(field::Trace::packet, packet);
        self
    }

    /// Appends packets.
    pub fn packets(self, packets: impl IntoIterator<Item = Packet>) -> Self {
        packets.into_iter().fold(self, Self::packet)
    }

    /// Appends bytes unchanged, packets or not.
    pub fn raw(self, bytes: &[u8]) -> Self {
        let mut all = self.trace.into_bytes();
        all.extend_from_slice(bytes);
        Self { trace: Message::from_bytes(all) }
    }

    /// Returns the bytes of the trace file.
    #[must_use]
    pub fn build(self) -> Vec<u8> {
        self.trace.into_bytes()
    }

    /// Returns one packet with all packets so far, compressed with zlib.
    pub fn into_compressed_packet(self) -> Packet {
        Packet::new().compressed_packets(&compression::zlib(self.trace.as_bytes()))
    }

    /// Returns one packet with all packets so far, compressed with zstd.
    pub fn into_zstd_packet(self) -> Packet {
        Packet::new().zstd_compressed_packets(&compression::zstd(self.trace.as_bytes()))
    }
}
