//! Whether bytes that come one after the other can still be a trace: a stream that never ends, or a
//! small file that unpacks to a very large one, is not read on when it holds nothing readable.

use std::io;

use crate::Format;
use crate::systrace::is_page;

/// Bytes that are looked at before anything is said of them.
const HEAD: usize = 1 << 20;
/// A page may have so much before the trace that it shows.
const PAGE_HEAD: usize = 64 << 20;
/// Bytes that are read on behind packets, to see what follows them.
const BEHIND_PACKETS: u64 = 1 << 20;

/// What has come so far.
#[derive(Debug, Default)]
pub(crate) struct Readable {
    head: Vec<u8>,
    /// Once it is known to be a trace of packets.
    packets: Option<Packets>,
    /// It is something that is read to its end.
    decided: bool,
    len: u64,
}

/// What is known of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// More of them are wanted.
    GoOn,
    /// They are in no format that tpq reads.
    Nothing,
    /// From this byte on they are none: what comes before are packets.
    NoPackets(u64),
}

impl Readable {
    /// Takes note of the next bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Verdict {
        let before = self.len;
        self.len += bytes.len() as u64;
        if self.decided {
            return self.packets.as_mut().map_or(Verdict::GoOn, |packets| packets.push(bytes));
        }
        let missing = PAGE_HEAD.saturating_sub(self.head.len());
        self.head.extend_from_slice(&bytes[..bytes.len().min(missing)]);
        let enough = if is_page(&self.head) { PAGE_HEAD } else { HEAD };
        if self.head.len() < enough {
            return Verdict::GoOn;
        }
        let head = std::mem::take(&mut self.head);
        self.decided = true;
        match Format::of(&head) {
            Format::Unknown | Format::Text => Verdict::Nothing,
            Format::Perfetto => {
                let mut packets = Packets::default();
                let verdict = packets.push(&head);
                let rest = (head.len() as u64).saturating_sub(before) as usize;
                self.packets = Some(packets);
                match verdict {
                    Verdict::GoOn => self.packets.as_mut().map_or(verdict, |packets| {
                        packets.push(bytes.get(rest..).unwrap_or_default())
                    }),
                    verdict => verdict,
                }
            }
            _ => Verdict::GoOn,
        }
    }
}

impl Verdict {
    /// Why not all of it was read.
    pub(crate) fn error(self) -> Option<io::Error> {
        let message = match self {
            Self::GoOn => return None,
            Self::Nothing => {
                "it begins with nothing that tpq reads, and was not read on".to_owned()
            }
            Self::NoPackets(at) => {
                format!("from byte {at} on it holds no packets of a trace, and was not read on")
            }
        };
        Some(io::Error::new(io::ErrorKind::InvalidData, message))
    }
}

/// What comes next in a trace of packets.
#[derive(Clone, Copy, Debug, Default)]
enum Next {
    #[default]
    Tag,
    /// A number that is passed over.
    Number,
    /// How many bytes are passed over.
    Length { of_packet: bool },
}

/// A walk over packets, of which it sees each byte once and keeps none.
#[derive(Debug, Default)]
struct Packets {
    next: Next,
    /// The number under way, and how many bytes of it came.
    number: u64,
    digits: u32,
    /// Bytes to be passed over.
    skip: u64,
    /// How many bytes came, and where the last field begins.
    at: u64,
    field: u64,
    /// Whether what begins there is no field.
    ended: bool,
}

/// The tag of a packet: field 1, of a length.
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
        match self.ended && self.at >= self.field + BEHIND_PACKETS {
            true => Verdict::NoPackets(self.field),
            false => Verdict::GoOn,
        }
    }

    /// Takes a number that is complete; false where it cannot be there.
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

    /// What is said of bytes that come in pieces of some size, and of how many of them.
    fn said(bytes: &[u8], piece: usize) -> (Verdict, usize) {
        let mut readable = Readable::default();
        let mut seen = 0;
        for piece in bytes.chunks(piece) {
            seen += piece.len();
            let verdict = readable.push(piece);
            if verdict != Verdict::GoOn {
                return (verdict, seen);
            }
        }
        (Verdict::GoOn, seen)
    }

    #[test]
    fn nothing_readable_is_not_read_on() {
        for byte in [0, b' ', b'x', 0xff] {
            let bytes = vec![byte; 4 << 20];
            assert_eq!(said(&bytes, 70_000), (Verdict::Nothing, 1_050_000), "{byte}");
        }
        assert_eq!(said(&[0; 5000], 100), (Verdict::GoOn, 5000), "short files are for others");
    }

    #[test]
    fn packets_are_read_on_and_what_follows_them_is_not() {
        let packets = PACKET.repeat(500_000);
        // Fields of a trace that are no packets: a number, eight bytes, a text, four bytes.
        let others = [0x10, 0x80, 1, 0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x22, 1, b'x', 0x2d, 1, 2, 3, 4];
        for piece in [999, 1 << 18, 8 << 20] {
            assert_eq!(said(&packets, piece).0, Verdict::GoOn, "{piece}");
            let trace = [&packets[..], &others, PACKET, &[0; 4 << 20]].concat();
            let end = (packets.len() + others.len() + PACKET.len()) as u64;
            assert_eq!(said(&trace, piece).0, Verdict::NoPackets(end), "{piece}");
        }
        // Less of it may be a manifest that came too late, or white space.
        let trace = [&packets[..], &[0; 1000]].concat();
        assert_eq!(said(&trace, 4096).0, Verdict::GoOn);
    }

    #[test]
    fn a_page_may_hold_a_trace_far_from_its_start() {
        let page =
            [&b"<!DOCTYPE html>"[..], &vec![b' '; 8 << 20], b"class=\"trace-data\""].concat();
        assert_eq!(said(&page, 1 << 18).0, Verdict::GoOn);
    }
}
