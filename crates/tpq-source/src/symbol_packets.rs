//! Detects files of packets that hold nothing but names of code: symbols of binaries, and names
//! before obfuscation. Tools write them next to a trace.

use crate::varint::varint;

/// The tag of a packet: field 1, length-delimited.
const PACKET_TAG: u64 = 0x0a;
/// Payload fields of packets: `module_symbols` and `deobfuscation_mapping`.
const NAMES_OF_CODE: [u64; 2] = [61, 64];
/// The wire type of messages.
const LENGTH_DELIMITED: u64 = 2;

/// Whether all packets hold names of code. The last one may be cut.
pub(crate) fn holds_only_symbols(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        if varint(&mut rest) != Some(PACKET_TAG) {
            return false;
        }
        let Some(packet) = take(&mut rest) else { return false };
        if !is_symbols(packet) {
            return false;
        }
    }
    !bytes.is_empty()
}

/// Whether the payload of a packet names code.
fn is_symbols(mut packet: &[u8]) -> bool {
    while let Some(tag) = varint(&mut packet) {
        let wire_type = tag & 7;
        if wire_type == LENGTH_DELIMITED && NAMES_OF_CODE.contains(&(tag >> 3)) {
            return true;
        }
        let skipped = match wire_type {
            0 => varint(&mut packet).map(|_| ()),
            1 => packet.split_off(..8).map(|_| ()),
            2 => take(&mut packet).map(|_| ()),
            5 => packet.split_off(..4).map(|_| ()),
            _ => None,
        };
        if skipped.is_none() {
            return false;
        }
    }
    false
}

/// Removes a length and as many bytes, or those that are left.
fn take<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = usize::try_from(varint(bytes)?).ok()?.min(bytes.len());
    bytes.split_off(..len)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A packet with one field of this number, which is an empty message.
    fn packet(field: u64) -> Vec<u8> {
        let tag = field << 3 | 2;
        vec![0x0a, 3, tag as u8 | 0x80, (tag >> 7) as u8, 0]
    }

    #[test]
    fn packets_by_their_payload() {
        let (symbols, names, other) = (packet(61), packet(64), packet(59));
        assert!(holds_only_symbols(&symbols));
        assert!(holds_only_symbols(&[&symbols[..], &names].concat()));
        assert!(holds_only_symbols(&[&symbols[..], &names[..4]].concat()), "cut within a packet");
        assert!(!holds_only_symbols(&other));
        assert!(!holds_only_symbols(&[&symbols[..], &other].concat()));
        // A timestamp before the payload.
        assert!(holds_only_symbols(&[0x0a, 5, 0x40, 1, 0xea, 3, 0]));
        assert!(!holds_only_symbols(&[0x0a, 2, 0x40, 1]));
        assert!(!holds_only_symbols(b"\x0a"));
        assert!(!holds_only_symbols(b""));
    }
}
