//! Where a trace begins that follows a manifest in the same file.

use crate::Format;
use crate::format::is_space;

/// How far into the white space after a document a trace may begin.
const LONGEST_GAP: usize = 1024;
/// How many packets are looked at to tell a trace from white space before it.
const ENOUGH_PACKETS: usize = 64;

/// Where what follows a document of this length begins, if anything does.
///
/// The white space between them cannot just be skipped: the first byte of a trace is a line feed,
/// and the second may well be one. So of the places where a trace could begin, the one that gives
/// the most packets is taken.
pub(super) fn after_document(bytes: &[u8], length: usize) -> Option<usize> {
    let gap = bytes[length..].iter().take_while(|byte| is_space(**byte)).count();
    let end = length + gap;
    let traces = (length..end.min(length + LONGEST_GAP))
        .filter(|&start| Format::of(&bytes[start..]) == Format::Perfetto);
    // Of those that give equally many the last, as line feeds before a trace can look like a
    // packet of it.
    let trace = traces.max_by_key(|&start| packets(&bytes[start..]));
    trace.or((end < bytes.len()).then_some(end))
}

/// How many whole packets lie here, one after the other.
fn packets(mut bytes: &[u8]) -> usize {
    let mut packets = 0;
    while packets < ENOUGH_PACKETS {
        let Some(rest) = after_packet(bytes) else { break };
        packets += 1;
        // A trace that ends with a packet is better than one that goes on with no other.
        if rest.is_empty() {
            return ENOUGH_PACKETS;
        }
        bytes = rest;
    }
    packets
}

fn after_packet(bytes: &[u8]) -> Option<&[u8]> {
    let [0x0a, rest @ ..] = bytes else { return None };
    let last = rest.iter().take(5).position(|byte| *byte < 0x80)?;
    let length = rest[..=last]
        .iter()
        .rev()
        .fold(0_usize, |length, byte| (length << 7) | usize::from(byte & 0x7f));
    rest.get(last + 1 + length..)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two packets, the first of ten bytes: both bytes at the start are line feeds.
    const TRACE: &[u8] =
        b"\x0a\x0a\x40\x01\x50\x01\x40\x01\x50\x01\x40\x01\x0a\x04\x40\x02\x50\x01";

    #[test]
    fn the_trace_begins_where_its_packets_do() {
        for gap in ["", "\n", "\r\n", "\n\n\n", " \t\n", "\n\n\n\n\n\n\n\n\n\n\n\n\n"] {
            let mut bytes = b"{}".to_vec();
            bytes.extend_from_slice(gap.as_bytes());
            let start = bytes.len();
            bytes.extend_from_slice(TRACE);
            assert_eq!(after_document(&bytes, 2), Some(start), "{gap:?}");
        }
    }

    #[test]
    fn white_space_is_nothing() {
        assert_eq!(after_document(b"{}", 2), None);
        assert_eq!(after_document(b"{}\n\n \n", 2), None);
    }

    #[test]
    fn other_contents_begin_after_the_white_space() {
        assert_eq!(after_document(b"{}\n\n{\"traceEvents\": []}", 2), Some(4));
        assert_eq!(after_document(b"{}\n\x1f\x8b\x08", 2), Some(3));
    }
}
