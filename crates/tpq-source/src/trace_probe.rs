//! Detection, while bytes arrive, of whether they can still be a trace. A stream that never ends,
//! or a small file that unpacks to a very large one, is not read further if it holds nothing
//! readable.

use std::io;

use crate::Format;
use crate::systrace::is_page;

/// The number of bytes that are needed for a verdict.
const HEAD: usize = 1 << 20;
/// The number of bytes that an HTML page may have before the trace that it contains.
const PAGE_HEAD: usize = 64 << 20;
/// The number of bytes that are read after the packets, to detect their format.
const TRAILING_BYTES: u64 = 1 << 20;

/// The state of the detection after the bytes so far.
#[derive(Debug, Default)]
pub(crate) struct TraceProbe {
    head: Vec<u8>,
    /// The walk over the packets, once the bytes are known to be a trace of packets.
    packets: Option<Packets>,
    /// Whether the format is known and readable.
    decided: bool,
    len: u64,
}

/// The result for the bytes so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Read more bytes.
    Continue,
    /// The bytes are in no format that tpq reads.
    Unreadable,
    /// There are packets up to this offset, and no packets from there on.
    EndOfPackets(u64),
}

impl TraceProbe {
    /// Processes the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Verdict {
        let before = self.len;
        self.len += bytes.len() as u64;
        if self.decided {
            return self.packets.as_mut().map_or(Verdict::Continue, |packets| packets.push(bytes));
        }
        let missing = PAGE_HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(missing)]);
        let enough = if is_page(&self.head) { PAGE_HEAD } else { HEAD };
        if self.head.len() < enough {
            return Verdict::Continue;
        }
        let head = std::mem::take(&mut self.head);
        self.decided = true;
        match Format::of(&head) {
            format if !format.is_read() => Verdict::Unreadable,
            Format::Perfetto | Format::Symbols => {
                let mut packets = Packets::default();
                let verdict = packets.push(&head);
                let rest = (head.len() as u64).saturating_sub(before) as usize;
                self.packets = Some(packets);
                match verdict {
                    Verdict::Continue => self.packets.as_mut().map_or(verdict, |packets| {
                        packets.push(bytes.get(rest..).unwrap_or_default())
                    }),
                    verdict => verdict,
                }
            }
            _ => Verdict::Continue,
        }
    }
}

impl Verdict {
    /// The reason why not all bytes were read.
    pub(crate) fn error(self) -> Option<io::Error> {
        let message = match self {
            Self::Continue => return None,
            Self::Unreadable => {
                "it does not begin like any format that tpq reads, and the rest was not read"
                    .to_owned()
            }
            Self::EndOfPackets(at) => {
                format!(
                    "from byte {at} on it holds no packets of a trace, and the rest was not read"
                )
            }
        };
        Some(io::Error::new(io::ErrorKind::InvalidData, message))
    }
}

/// The next element of a trace of packets.
#[derive(Clone, Copy, Debug, Default)]
enum Next {
    #[default]
    Tag,
    /// A number that is skipped.
    Number,
    /// The length of a range that is skipped.
    Length { of_packet: bool },
}

/// A walk over packets that sees each byte once and stores none.
#[derive(Debug, Default)]
struct Packets {
    next: Next,
    /// The number being read, and how many bytes of it were read.
    number: u64,
    digits: u32,
    /// The number of bytes still to be skipped.
    skip: u64,
    /// The number of bytes so far, and the offset of the last field.
    at: u64,
    field: u64,
    /// Whether there is no valid field at that offset.
    ended: bool,
}

/// The tag of a packet: field 1, length-delimited.
const PACKET_TAG: u64 = 0x0a;

impl Packets {
    fn push(&mut self, mut bytes: &[u8]) -> Verdict {
        while !bytes.is_empty() && !self.ended {
            let skipped = self.skip.min(bytes.len() as u64);
            if skipped > 0 {
                self.skip -= skipped;
                self.at += skipped;
                bytes = &bytes[skipped as usize..];
                continue;
            }
            let (byte, rest) = (bytes[0], &bytes[1..]);
            bytes = rest;
            if self.digits == 0 && matches!(self.next, Next::Tag) {
                self.field = self.at;
            }
            self.at += 1;
            let shift = 7 * self.digits;
            self.digits += 1;
            self.number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or_default();
            match byte < 0x80 {
                true => self.ended = !self.take_number(),
                false => self.ended = self.digits >= 10,
            }
        }
        self.at += bytes.len() as u64;
        match self.ended && self.at >= self.field + TRAILING_BYTES {
            true => Verdict::EndOfPackets(self.field),
            false => Verdict::Continue,
        }
    }

    /// Processes a complete number. Returns `false` if it is not valid there.
    fn take_number(&mut self) -> bool {
        let number = std::mem::take(&mut self.number);
        self.digits = 0;
        match self.next {
            Next::Tag if number >> 3 == 0 => return false,
            Next::Tag => match number & 7 {
                0 => self.next = Next::Number,
                1 => self.skip = 8,
                2 => self.next = Next::Length { of_packet: number == PACKET_TAG },
                5 => self.skip = 4,
                _ => return false,
            },
            Next::Number => self.next = Next::Tag,
            Next::Length { of_packet } => {
                self.skip = number;
                self.next = Next::Tag;
                return !of_packet || u32::try_from(number).is_ok();
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: &[u8] = &[0x0a, 4, 0x40, 1, 0x50, 1];

    /// The verdict on bytes that arrive in chunks of this size, and the number of bytes read until
    /// then.
    fn verdict_on(bytes: &[u8], chunk_len: usize) -> (Verdict, usize) {
        let mut probe = TraceProbe::default();
        let mut seen = 0;
        for chunk in bytes.chunks(chunk_len) {
            seen += chunk.len();
            let verdict = probe.push(chunk);
            if verdict != Verdict::Continue {
                return (verdict, seen);
            }
        }
        (Verdict::Continue, seen)
    }

    #[test]
    fn unreadable_data_is_not_read_further() {
        for byte in [0, b' ', b'x', 0xff] {
            let bytes = vec![byte; 4 << 20];
            assert_eq!(verdict_on(&bytes, 70_000), (Verdict::Unreadable, 1_050_000), "{byte}");
        }
        assert_eq!(
            verdict_on(&[0; 5000], 100),
            (Verdict::Continue, 5000),
            "short files are for others"
        );
    }

    #[test]
    fn packets_are_read_and_data_after_them_is_not() {
        let packets = PACKET.repeat(500_000);
        // Fields of a trace that are not packets: a number, eight bytes, a text, four bytes.
        let others = [0x10, 0x80, 1, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x22, 1, b'x', 0x2d, 1, 2, 3, 4];
        for chunk_len in [999, 1 << 18, 8 << 20] {
            assert_eq!(verdict_on(&packets, chunk_len).0, Verdict::Continue, "{chunk_len}");
            let trace = [&packets[..], &others, PACKET, &[0; 4 << 20]].concat();
            let end = (packets.len() + others.len() + PACKET.len()) as u64;
            assert_eq!(verdict_on(&trace, chunk_len).0, Verdict::EndOfPackets(end), "{chunk_len}");
        }
        // A shorter range may be a manifest in the wrong position, or white space.
        let trace = [&packets[..], &[0; 1000]].concat();
        assert_eq!(verdict_on(&trace, 4096).0, Verdict::Continue);
    }

    #[test]
    fn a_page_may_hold_a_trace_far_from_its_start() {
        let page =
            [&b"<!DOCTYPE html>"[..], &vec![b' '; 8 << 20], b"class=\"trace-data\""].concat();
        assert_eq!(verdict_on(&page, 1 << 18).0, Verdict::Continue);
    }
}
