//! One skim over the whole trace before anything is imported.
//!
//! Snapshots of clocks may come after the packets that need them, and compressed packets hide
//! more packets, so both are found first. The skim reads packet headers only.

use std::collections::BTreeMap;

use tpq_clock::{BOOTTIME, Clock, ClockGraph, Reading};
use tpq_proto::wire::{Fields, read_varint};

use crate::inflate::{Codec, inflate};
use crate::packet::{PacketHeader, packet_field};
use crate::{Loss, Losses, Span, TraceBytes};

/// The tag of a packet in a trace: field 1, length-delimited.
const PACKET_TAG: u64 = 0x0a;

/// Why a trace cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SurveyError {
    /// Not one whole packet could be read.
    #[error("no packet could be read: the bytes at offset {offset} are no trace packet")]
    NoPackets {
        /// Where reading stopped.
        offset: u64,
    },
}

/// One clock of a snapshot.
#[derive(Clone, Copy, Debug)]
pub struct SnapshotClock {
    /// The clock.
    pub clock: Clock,
    /// What it read, in ns.
    pub ns: i64,
    /// What one tick of it is, in ns.
    pub multiplier: u64,
    /// Whether timestamps in it are differences from the one before.
    pub incremental: bool,
}

/// A packet that tells what clocks read.
#[derive(Clone, Debug)]
pub struct SnapshotPacket {
    /// The number of the packet in the trace.
    pub position: u32,
    /// The readings.
    pub clocks: Vec<SnapshotClock>,
}

/// What the skim found.
pub struct Survey<'a> {
    /// The bytes, inflated where they were compressed.
    pub bytes: TraceBytes<'a>,
    /// What ties the clocks.
    pub clocks: ClockGraph,
    /// The snapshots, in file order.
    pub snapshots: Vec<SnapshotPacket>,
    /// The clock that is trace time.
    pub trace_clock: u32,
    /// Packets and bytes by payload field.
    pub kinds: BTreeMap<u32, (u64, u64)>,
    /// The number of packets.
    pub packets: u64,
    /// What was lost.
    pub losses: Losses,
}

/// Skims a trace.
///
/// # Errors
/// When not one packet can be read.
pub fn survey<'a>(
    file: &'a [u8],
    progress: &mut dyn FnMut(u64),
) -> Result<Survey<'a>, SurveyError> {
    let mut survey = Survey {
        bytes: TraceBytes::new(file),
        clocks: ClockGraph::default(),
        snapshots: Vec::new(),
        trace_clock: BOOTTIME,
        kinds: BTreeMap::new(),
        packets: 0,
        losses: Losses::default(),
    };
    let mut segment_start = 0;
    let mut at = 0;
    while let Some((packet, next)) = next_packet(file, at) {
        let header = PacketHeader::parse(&file[packet.clone()]);
        if let Some(codec) = codec_of(header.kind) {
            survey.bytes.push_segment(segment_start as u64, at - segment_start);
            segment_start = next;
            survey.inflate(codec, &file[packet], &header);
        } else {
            survey.note(&file[packet], &header);
        }
        if survey.packets.is_multiple_of(4096) {
            progress(next as u64);
        }
        at = next;
    }
    survey.bytes.push_segment(segment_start as u64, at - segment_start);
    if survey.packets == 0 && survey.losses.get(Loss::InflateFailed) == 0 {
        return Err(SurveyError::NoPackets { offset: at as u64 });
    }
    survey.losses.add(Loss::TruncatedBytes, (file.len() - at) as u64);
    Ok(survey)
}

fn codec_of(kind: u32) -> Option<Codec> {
    match kind {
        packet_field::COMPRESSED_PACKETS => Some(Codec::Zlib),
        packet_field::ZSTD_COMPRESSED_PACKETS => Some(Codec::Zstd),
        _ => None,
    }
}

/// The range of the packet at `at` and where the next one begins; `None` at the end of what can
/// be read. Fields of the trace other than packets are passed over.
pub(crate) fn next_packet(bytes: &[u8], mut at: usize) -> Option<(std::ops::Range<usize>, usize)> {
    loop {
        let tag = read_varint(bytes, &mut at)?;
        if tag == PACKET_TAG {
            let len = usize::try_from(read_varint(bytes, &mut at)?).ok()?;
            let end = at.checked_add(len).filter(|&end| end <= bytes.len())?;
            u32::try_from(len).ok()?;
            return Some((at..end, end));
        }
        let skipped = match tag & 7 {
            0 => {
                read_varint(bytes, &mut at)?;
                0
            }
            1 => 8,
            2 => usize::try_from(read_varint(bytes, &mut at)?).ok()?,
            5 => 4,
            _ => return None,
        };
        at = at.checked_add(skipped).filter(|&end| tag >> 3 != 0 && end <= bytes.len())?;
    }
}

impl Survey<'_> {
    fn inflate(&mut self, codec: Codec, packet: &[u8], header: &PacketHeader) {
        let (offset, len) = header.payload;
        let payload = &packet[offset as usize..][..len as usize];
        let Some(inflated) = inflate(codec, payload) else {
            self.losses.count(Loss::InflateFailed);
            return;
        };
        let mut at = 0;
        while let Some((packet, next)) = next_packet(&inflated, at) {
            let header = PacketHeader::parse(&inflated[packet.clone()]);
            // The recorder never compresses twice; following it down would let a few bytes
            // claim any amount of memory.
            if codec_of(header.kind).is_some() {
                self.losses.count(Loss::InflateFailed);
            } else {
                self.note(&inflated[packet], &header);
            }
            at = next;
        }
        self.losses.add(Loss::TruncatedBytes, (inflated.len() - at) as u64);
        let addr = self.bytes.push_inflated(inflated);
        self.bytes.push_segment(addr, at);
    }

    fn note(&mut self, packet: &[u8], header: &PacketHeader) {
        let position = self.packets as u32;
        self.packets += 1;
        let kind = self.kinds.entry(header.kind).or_default();
        kind.0 += 1;
        kind.1 += packet.len() as u64;
        if header.kind == packet_field::CLOCK_SNAPSHOT {
            let (offset, len) = header.payload;
            self.snapshot(position, header, &packet[offset as usize..][..len as usize]);
        }
    }

    fn snapshot(&mut self, position: u32, header: &PacketHeader, payload: &[u8]) {
        let mut clocks = Vec::new();
        for field in Fields::new(payload) {
            match field.number {
                1 => clocks.push(snapshot_clock(header, field.as_bytes())),
                2 => self.trace_clock = field.as_u32(),
                _ => {}
            }
        }
        let readings: Vec<Reading> =
            clocks.iter().map(|clock| Reading { clock: clock.clock, ns: clock.ns }).collect();
        if self.clocks.add_snapshot(&readings).is_err() {
            self.losses.count(Loss::InvalidSnapshot);
            return;
        }
        self.snapshots.push(SnapshotPacket { position, clocks });
    }
}

fn snapshot_clock(header: &PacketHeader, message: &[u8]) -> SnapshotClock {
    let (mut id, mut ticks, mut incremental, mut multiplier) = (0, 0, false, 1);
    for field in Fields::new(message) {
        match field.number {
            1 => id = field.as_u32(),
            2 => ticks = field.as_i64(),
            3 => incremental = field.as_bool(),
            4 => multiplier = field.as_u64().max(1),
            _ => {}
        }
    }
    let clock = Clock::new(header.machine, header.sequence, id);
    let ns = ticks.saturating_mul(i64::try_from(multiplier).unwrap_or(i64::MAX));
    SnapshotClock { clock, ns, multiplier, incremental }
}

/// The span of a packet within a segment that begins at `base`.
pub(crate) fn span_of(base: u64, range: &std::ops::Range<usize>) -> Span {
    Span { addr: base + range.start as u64, len: range.len() as u32 }
}
