//! The header of a packet: everything that says where it belongs, nothing of what it means.

use tpq_proto::fields::trace_packet;
use tpq_proto::wire::{Fields, Value};

/// The packet starts a new generation of its sequence's state.
pub const SEQ_INCREMENTAL_STATE_CLEARED: u32 = 1;
/// The packet means nothing without its sequence's state.
pub const SEQ_NEEDS_INCREMENTAL_STATE: u32 = 2;

/// The scope of a packet and the location of its parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct PacketHeader {
    /// The timestamp as written, in ticks of its clock.
    pub timestamp: Option<u64>,
    /// The clock named for it.
    pub clock: Option<u32>,
    /// The writer sequence; 0 when none is named.
    pub sequence: u32,
    /// The machine; 0 is the host.
    pub machine: u32,
    /// The sequence flags.
    pub flags: u32,
    /// The sequence's state starts anew with this packet.
    pub state_cleared: bool,
    /// Packets of the sequence before this one were lost: a set of reasons, 0 for none.
    pub previous_dropped: u32,
    /// The process that wrote it, as the recorder vouches.
    pub pid: Option<i32>,
    /// The writer had not written before.
    pub first_on_sequence: bool,
    /// The number of the payload's field; 0 for none.
    pub kind: u32,
    /// Offset and length of the payload in the packet.
    pub payload: (u32, u32),
    /// Offset and length of the interned data.
    pub interned: Option<(u32, u32)>,
    /// Offset and length of the defaults.
    pub defaults: Option<(u32, u32)>,
    /// Whether the packet ends in the middle of a field.
    pub damaged: bool,
}

impl PacketHeader {
    /// Reads the header of a packet.
    pub fn parse(packet: &[u8]) -> Self {
        use trace_packet::*;
        let mut header = Self::default();
        let mut fields = Fields::new(packet);
        while let Some(field) = fields.next() {
            let range = match field.value {
                Value::Bytes(bytes) => {
                    ((fields.position() - bytes.len()) as u32, bytes.len() as u32)
                }
                _ => (fields.position() as u32, 0),
            };
            match field.number {
                TIMESTAMP => header.timestamp = Some(field.as_u64()),
                TIMESTAMP_CLOCK_ID => header.clock = Some(field.as_u32()),
                TRUSTED_PACKET_SEQUENCE_ID => header.sequence = field.as_u32(),
                MACHINE_ID => header.machine = field.as_u32(),
                SEQUENCE_FLAGS => header.flags = field.as_u32(),
                INCREMENTAL_STATE_CLEARED => header.state_cleared |= field.as_bool(),
                PREVIOUS_PACKET_DROPPED => header.previous_dropped = field.as_u32(),
                FIRST_PACKET_ON_SEQUENCE => header.first_on_sequence = field.as_bool(),
                INTERNED_DATA => header.interned = Some(range),
                TRACE_PACKET_DEFAULTS => header.defaults = Some(range),
                TRUSTED_PID => header.pid = Some(field.as_i32()),
                TRUSTED_UID => {}
                number => {
                    header.kind = number;
                    header.payload = range;
                }
            }
        }
        header.state_cleared |= header.flags & SEQ_INCREMENTAL_STATE_CLEARED != 0;
        header.damaged = fields.is_damaged();
        header
    }
}
