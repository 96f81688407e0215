//! The start of a trace that follows a manifest in the same file.

use crate::Format;
use crate::format::is_space;

/// The largest offset of a trace in the white space after a document.
const MAX_GAP: usize = 1024;
/// The number of packets that is enough to distinguish a trace from white space before it.
const ENOUGH_PACKETS: usize = 64;

/// The offset of the data after a document of this length, if there is any.
///
/// The white space between them cannot simply be skipped: the first byte of a trace is a line feed,
/// and the second may be one too. So of the offsets where a trace could begin, the one with the
/// most packets is used.
pub(super) fn after_document(bytes: &[u8], length: usize) -> Option<usize> {
    let gap = bytes[length..].iter().take_while(|byte| is_space(**byte)).count();
    let end = length + gap;
    let traces = (length..end.min(length + MAX_GAP))
        .filter(|&start| Format::of(&bytes[start..]) == Format::Perfetto);
    // Of several with the same number the last is used, because line feeds before a trace can look
    // like a packet.
    let trace = traces.max_by_key(|&start| packets(&bytes[start..]));
    trace.or((end < bytes.len()).then_some(end))
}

/// The number of complete packets in a row at the start of these bytes.
fn packets(mut bytes: &[u8]) -> usize {
    let mut packets = 0;
    while packets < ENOUGH_PACKETS {
        let Some(rest) = after_packet(bytes) else { break };
        packets += 1;
        // A trace that ends with a complete packet is preferred to one that has other data after
        // its packets.
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

    /// Two packets, the first of ten bytes, so that both bytes at the start are line feeds.
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
    fn white_space_is_not_a_trace() {
        assert_eq!(after_document(b"{}", 2), None);
        assert_eq!(after_document(b"{}\n\n \n", 2), None);
    }

    #[test]
    fn other_contents_begin_after_the_white_space() {
        assert_eq!(after_document(b"{}\n\n{\"traceEvents\": []}", 2), Some(4));
        assert_eq!(after_document(b"{}\n\x1f\x8b\x08", 2), Some(3));
    }
}
