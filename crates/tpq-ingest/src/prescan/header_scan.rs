//! The scan of a file's packet headers, from one offset or from two.

use std::sync::atomic::{AtomicBool, Ordering};

use tpq_proto::fields::trace_packet;

use super::start::PrescanStart;
use super::{OnScanned, PACKET_TAG, Prescan, PrescanMemory, codec_of, next_packet, span_of};
use crate::packet::PacketHeader;

/// Size of the ranges in which scanned bytes are reported, in bytes.
const REPORTED_BYTES: usize = 4 << 20;

/// A header scan in progress.
pub(super) struct HeaderScan<'a, 'p> {
    file: &'a [u8],
    base: u64,
    on_scanned: OnScanned<'p>,
    pub(super) prescan: Prescan<'a>,
    /// Where the packets begin that no segment holds yet.
    pub(super) from: usize,
    /// Where the next packet begins.
    pub(super) at: usize,
}

/// Packets that have to be read in their order: compressed ones, as inflated bytes are stored one
/// after the other, and patches.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderedPackets;

impl<'a, 'p> HeaderScan<'a, 'p> {
    /// Of a file from an offset on; its compressed packets may inflate to `limit` bytes.
    pub(super) fn new(
        file: &'a [u8],
        base: u64,
        at: usize,
        budget: u64,
        on_scanned: OnScanned<'p>,
    ) -> Self {
        let prescan = Prescan::nothing(file, base, budget);
        Self { file, base, on_scanned, prescan, from: at, at }
    }

    /// Begins where the scan of an arriving file ended.
    pub(super) fn go_on_after(&mut self, start: PrescanStart) {
        self.at = start.at();
        (self.on_scanned)(0..self.at);
        self.prescan.append(start.into_found());
    }

    /// Scans the packets up to `until`, as far as they can be read; the last may end behind it.
    /// Without `room`, stops at packets that have to be read in their order and says so.
    pub(super) fn go_on(
        &mut self,
        until: usize,
        room: Option<PrescanMemory<'_, 'a>>,
    ) -> Result<(), OrderedPackets> {
        self.go_on_unless(until, room, &AtomicBool::new(false))
    }

    /// The same, until it is cancelled.
    fn go_on_unless(
        &mut self,
        until: usize,
        room: Option<PrescanMemory<'_, 'a>>,
        in_vain: &AtomicBool,
    ) -> Result<(), OrderedPackets> {
        let mut reported = self.at;
        while self.at < until
            && let Some((packet, next)) = next_packet(self.file, self.at)
        {
            let bytes = &self.file[packet.clone()];
            let header = PacketHeader::parse(bytes);
            match codec_of(header.kind) {
                // What follows depends on the packets before it.
                None if header.kind == trace_packet::PROTOVMS && room.is_none() => {
                    return Err(OrderedPackets);
                }
                None => match self.prescan.packet_meant(bytes, &header) {
                    None => self.prescan.note(span_of(self.base, &packet), bytes, &header),
                    Some(meant) => {
                        let room = room.ok_or(OrderedPackets)?;
                        let addr = self.base + self.from as u64;
                        self.prescan.bytes.push_segment(addr, self.at - self.from);
                        self.from = next;
                        self.prescan.push_meant(meant, self.at as u64, room);
                    }
                },
                Some(codec) => {
                    let room = room.ok_or(OrderedPackets)?;
                    let addr = self.base + self.from as u64;
                    self.prescan.bytes.push_segment(addr, self.at - self.from);
                    self.from = next;
                    self.prescan.inflate(codec, bytes, &header, self.at as u64, room);
                }
            }
            self.at = next;
            if next - reported >= REPORTED_BYTES {
                (self.on_scanned)(reported..next);
                reported = next;
                if in_vain.load(Ordering::Relaxed) {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Scans a file from two offsets at a time. Where the later one turns out to be invalid, or
    /// what follows needs to be read in its order, what was found there is forgotten.
    pub(super) fn in_halves(&mut self, middle: usize, room: PrescanMemory<'_, 'a>) {
        let Self { file, base, on_scanned, .. } = *self;
        let in_vain = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("prescan".into());
            let later = thread.spawn_scoped(scope, || {
                let mut later = HeaderScan::new(file, base, middle, 0, on_scanned);
                later.go_on_unless(file.len(), None, &in_vain).is_ok().then_some(later)
            });
            // A compressed packet has its room.
            let _ = self.go_on(middle, Some(room));
            if self.at != middle || !self.prescan.patches.is_empty() {
                return in_vain.store(true, Ordering::Relaxed);
            }
            if let Some(later) = later.ok().and_then(|later| later.join().ok().flatten()) {
                self.prescan.append(later.prescan);
                self.at = later.at;
            }
        });
    }
}

/// An offset about the middle of a large file where packets seem to begin: several follow each
/// other, and name their sequences as recorders have them do.
pub(super) fn middle_of(file: &[u8]) -> Option<usize> {
    const LARGE: usize = 8 << 20;
    const LOOKED_AT: usize = 1 << 20;
    const SEVERAL: usize = 16;
    /// Bytes of packets that are read to find it. A file can be made to look like packets at every
    /// byte.
    const READ: usize = 16 << 20;
    if file.len() < LARGE {
        return None;
    }
    let mut read = 0;
    let mut begins_at = |at: usize| {
        let mut next = at;
        (0..SEVERAL).all(|_| {
            let tag = file.get(next).is_some_and(|&byte| u64::from(byte) == PACKET_TAG);
            let Some((packet, end)) = tag.then(|| next_packet(file, next)).flatten() else {
                return false;
            };
            next = end;
            read += packet.len();
            if read > READ {
                return false;
            }
            let header = PacketHeader::parse(&file[packet]);
            !header.damaged && header.sequence != 0
        })
    };
    let first = file.len() / 2;
    (first..first + LOOKED_AT).find(|&at| begins_at(at))
}
