//! One pass over a whole file before the import.
//!
//! Snapshots of clocks may come after the packets that need them, as may tables of names, and
//! compressed packets hide more packets, so all of these are found first. The prescan reads packet
//! headers only. Of a large file a second thread scans the later half, from where packets seem to
//! begin in its middle: if the first half ends just there, they do.

mod header_scan;
mod start;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;

use tpq_proto::fields::trace_packet;
use tpq_proto::wire::read_varint;

use crate::ftrace_clock::ftrace_reading;
use crate::inflate::{Codec, inflate};
use crate::packet::PacketHeader;
use crate::protovm::{Patches, framed};
use crate::snapshot::{self, SnapshotClock, SnapshotOrigin, SnapshotPacket};
use crate::trace_bytes::FileBytes;
use crate::{Loss, Losses, Span};
use header_scan::{HeaderScan, middle_of};
pub use start::PrescanStart;

/// Kinds of packets that say what other packets mean: names of hashes, of addresses and of
/// obfuscated classes.
const TRANSLATIONS: [u32; 3] = [
    trace_packet::TRANSLATION_TABLE,
    trace_packet::MODULE_SYMBOLS,
    trace_packet::DEOBFUSCATION_MAPPING,
];

/// The tag of a packet in a trace: field 1, length-delimited.
const PACKET_TAG: u64 = 0x0a;

/// Why a trace cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum PrescanError {
    /// Not one whole packet could be read.
    #[error("no packet could be read: the bytes at offset {offset} are no trace packet")]
    NoPackets {
        /// Where reading stopped.
        offset: u64,
    },
}

/// Amount of data of a machine in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MachineUse {
    /// All packets.
    pub packets: u64,
    /// Those that say anything of the machine, as opposed to what the recorder says of itself and
    /// its clocks.
    pub data_packets: u64,
    /// Exchanges of clock readings with the host.
    pub remote_syncs: u64,
}

/// The result of the prescan.
pub struct Prescan<'a> {
    /// The bytes, inflated where they were compressed.
    pub bytes: FileBytes<'a>,
    /// Clock snapshots, in file order.
    pub snapshots: Vec<SnapshotPacket>,
    /// The clock that the file declares the timeline to be.
    pub primary_clock: Option<u32>,
    /// The machines that packets name; 0 is the host.
    pub machines: BTreeMap<u32, MachineUse>,
    /// Packets and bytes by payload field.
    pub kinds: BTreeMap<u32, (u64, u64)>,
    /// Payloads of packets that say what other packets mean, by kind, in file order.
    pub translations: Vec<(u32, Span)>,
    /// The number of packets.
    pub packets: u64,
    /// Where reading stopped: the end of the file, unless it was cut or something else follows.
    pub end: usize,
    /// The loss.
    pub losses: Losses,
    /// How many bytes compressed packets may still inflate to.
    budget: u64,
    /// States that packets are patches of.
    patches: Patches,
}

impl<'a> Prescan<'a> {
    /// Of a file of text with the addresses from `base` on: it concerns one machine
    /// and of no clocks.
    pub fn of_text(file: &'a [u8], base: u64, budget: u64) -> Self {
        let mut prescan = Self::nothing(file, base, budget);
        prescan.bytes.push_segment(base, file.len());
        prescan.machines.insert(0, MachineUse { data_packets: 1, ..MachineUse::default() });
        prescan.end = file.len();
        prescan
    }

    fn nothing(file: &'a [u8], base: u64, budget: u64) -> Self {
        Self {
            bytes: FileBytes::new(file, base),
            snapshots: Vec::new(),
            primary_clock: None,
            machines: BTreeMap::new(),
            kinds: BTreeMap::new(),
            translations: Vec::new(),
            packets: 0,
            end: 0,
            losses: Losses::default(),
            budget,
            patches: Patches::default(),
        }
    }
}

/// The limit of inflated packets, and their store.
#[derive(Clone, Copy)]
pub struct PrescanMemory<'k, 'a> {
    /// Bytes that compressed packets may inflate to.
    pub budget: u64,
    /// Keeps the next bytes; the number is how many of the file's were kept before.
    pub keep: &'k dyn Fn(u64, Vec<u8>) -> Cow<'a, [u8]>,
    /// Keeps bytes that are too many for memory: the first of them, and a reader of the others;
    /// `None` where these cannot be read or have no source.
    pub keep_large: &'k KeepLarge<'k, 'a>,
}

/// Keeps bytes that are too many for memory.
pub type KeepLarge<'k, 'a> = dyn Fn(u64, Vec<u8>, &mut dyn Read) -> Option<Cow<'a, [u8]>> + 'k;

impl PrescanMemory<'_, '_> {
    /// A number of bytes of memory.
    pub fn in_memory(budget: u64) -> Self {
        let keep_large: &KeepLarge<'_, '_> = &|_, mut bytes, rest| {
            rest.read_to_end(&mut bytes).ok()?;
            Some(bytes.into())
        };
        Self { budget, keep: &|_, bytes| bytes.into(), keep_large }
    }
}

/// Receives ranges of a file that were scanned, except the last one; some of them twice, where they
/// had to be scanned again.
pub type OnScanned<'p> = &'p (dyn Fn(Range<usize>) + Sync);

/// Scans a file with the addresses from `base` on, on a second thread as well if that is
/// worth while and `two` threads may be used. Inflated data beyond `room` is dropped and counted.
/// `start` is what was found while the file arrived; it applies to a file at address 0.
///
/// # Errors
/// When not one packet can be read.
pub fn prescan<'a>(
    file: &'a [u8],
    base: u64,
    room: PrescanMemory<'_, 'a>,
    on_scanned: OnScanned<'_>,
    two: bool,
    start: Option<PrescanStart>,
) -> Result<Prescan<'a>, PrescanError> {
    let mut header_scan = HeaderScan::new(file, base, 0, room.budget, on_scanned);
    if let Some(start) = start.filter(|start| base == 0 && start.at() <= file.len()) {
        header_scan.go_on_after(start);
    }
    let middle = two.then(|| middle_of(file)).flatten();
    if let Some(middle) = middle.filter(|&middle| header_scan.at < middle) {
        header_scan.in_halves(middle, room);
    }
    // Compressed packets and patches have their room.
    let _ = header_scan.go_on(file.len(), Some(room));
    let HeaderScan { mut prescan, from, at, .. } = header_scan;
    prescan.bytes.push_segment(base + from as u64, at - from);
    if prescan.packets == 0 && prescan.losses.get(Loss::InflateFailed) == 0 {
        return Err(PrescanError::NoPackets { offset: at as u64 });
    }
    prescan.losses.add(Loss::TruncatedBytes, (file.len() - at) as u64);
    prescan.end = at;
    Ok(prescan)
}

fn codec_of(kind: u32) -> Option<Codec> {
    match kind {
        trace_packet::COMPRESSED_PACKETS => Some(Codec::Zlib),
        trace_packet::ZSTD_COMPRESSED_PACKETS => Some(Codec::Zstd),
        _ => None,
    }
}

/// The range of the packet at `at` and where the next one begins; `None` at the end of what can
/// be read. Fields of the trace other than packets are passed over.
pub(crate) fn next_packet(bytes: &[u8], mut at: usize) -> Option<(Range<usize>, usize)> {
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

/// Whether only the recorder writes such packets: about itself, its configuration and its clocks.
fn is_of_recorder(kind: u32) -> bool {
    use trace_packet::*;
    matches!(
        kind,
        0 | CLOCK_SNAPSHOT
            | TRACE_CONFIG
            | TRACE_STATS
            | SYNCHRONIZATION_MARKER
            | TRIGGER
            | SERVICE_EVENT
            | EXTENSION_DESCRIPTOR
            | TRACE_UUID
            | REMOTE_CLOCK_SYNC
            | CLONE_SNAPSHOT_TRIGGER
            | TRACE_PROVENANCE
            | PROTOVMS
    )
}

impl<'a> Prescan<'a> {
    /// How many bytes compressed packets may still inflate to.
    pub fn budget(&self) -> u64 {
        self.budget
    }

    /// Adds bytes that a file of another format held in compressed form at `offset`, as a segment of
    /// their own.
    pub fn push_unpacked(&mut self, bytes: Vec<u8>, offset: u64, room: PrescanMemory<'_, 'a>) {
        let len = bytes.len();
        self.budget = self.budget.saturating_sub(len as u64);
        let bytes = (room.keep)(self.bytes.inflated(), bytes);
        let addr = self.bytes.push_inflated(bytes, offset);
        self.bytes.push_segment(addr, len);
    }

    /// Scans the inflated bytes of a packet at `offset` of the file.
    fn inflate(
        &mut self,
        codec: Codec,
        packet: &[u8],
        header: &PacketHeader,
        offset: u64,
        room: PrescanMemory<'_, 'a>,
    ) {
        let (start, len) = header.payload;
        let payload = &packet[start as usize..][..len as usize];
        let before = self.bytes.inflated();
        let room = PrescanMemory { budget: self.budget, ..room };
        let Some(inflated) = inflate(codec, payload, before, room) else {
            self.losses.count(Loss::InflateFailed);
            return;
        };
        let base = self.bytes.end();
        let mut at = 0;
        // The packets so far, once one of them is not as it was written.
        let mut patched: Option<Vec<u8>> = None;
        while let Some((packet, next)) = next_packet(&inflated, at) {
            let header = PacketHeader::parse(&inflated[packet.clone()]);
            // The recorder never compresses twice; following it down would let a few bytes
            // claim any amount of memory.
            if codec_of(header.kind).is_some() {
                self.losses.count(Loss::InflateFailed);
            } else if let Some(meant) = self.packet_meant(&inflated[packet.clone()], &header) {
                let so_far = patched.get_or_insert_with(|| inflated[..at].to_vec());
                self.note_framed(base + so_far.len() as u64, &meant);
                so_far.extend(meant);
                at = next;
                continue;
            } else {
                let moved = patched.as_ref().map_or(at, Vec::len);
                let span = span_of(base + moved as u64, &(packet.start - at..packet.end - at));
                self.note(span, &inflated[packet], &header);
            }
            if let Some(so_far) = &mut patched {
                so_far.extend(&inflated[at..next]);
            }
            at = next;
        }
        self.losses.add(Loss::TruncatedBytes, (inflated.len() - at) as u64);
        let inflated = match patched {
            Some(bytes) => {
                at = bytes.len();
                Cow::Owned(bytes)
            }
            None => inflated,
        };
        self.budget -= (at as u64).min(self.budget);
        let inflated = match inflated {
            Cow::Borrowed(kept) => Cow::Borrowed(&kept[..at]),
            Cow::Owned(mut bytes) => {
                bytes.truncate(at);
                bytes.shrink_to_fit();
                (room.keep)(before, bytes)
            }
        };
        let addr = self.bytes.push_inflated(inflated, offset);
        self.bytes.push_segment(addr, at);
    }

    /// Reads packets about patches. Returns the packet that a patch stands for, as it stands in a
    /// trace; `None` if the packet is to be taken as it is.
    fn packet_meant(&mut self, packet: &[u8], header: &PacketHeader) -> Option<Vec<u8>> {
        let (start, len) = header.payload;
        let payload = packet.get(start as usize..start as usize + len as usize);
        match header.kind {
            trace_packet::TRACE_PROVENANCE => self.patches.add_writers(payload?),
            trace_packet::PROTOVMS => self.patches.add_programs(payload?, &mut self.losses),
            _ if self.patches.is_empty() => {}
            _ => {
                let meant = framed(&self.patches.apply(packet, header, &mut self.losses)?);
                if (meant.len() as u64) <= self.budget {
                    return Some(meant);
                }
                self.losses.count(Loss::PatchAborted);
            }
        }
        None
    }

    /// Notes a packet that stands with its tag at an address.
    fn note_framed(&mut self, addr: u64, framed: &[u8]) {
        if let Some((packet, _)) = next_packet(framed, 0) {
            let header = PacketHeader::parse(&framed[packet.clone()]);
            self.note(span_of(addr, &packet), &framed[packet], &header);
        }
    }

    /// Adds a packet that one at `offset` of the file stands for, with its tag, as a segment of its
    /// own.
    fn push_meant(&mut self, meant: Vec<u8>, offset: u64, room: PrescanMemory<'_, 'a>) {
        self.note_framed(self.bytes.end(), &meant);
        self.push_unpacked(meant, offset, room);
    }

    /// Adds what was found in the packets that follow, apart from bytes.
    fn append(&mut self, later: Prescan<'_>) {
        for mut snapshot in later.snapshots {
            snapshot.position = snapshot.position.wrapping_add(self.packets as u32);
            self.snapshots.push(snapshot);
        }
        self.packets += later.packets;
        self.primary_clock = self.primary_clock.or(later.primary_clock);
        for (kind, (packets, bytes)) in later.kinds {
            let own = self.kinds.entry(kind).or_default();
            *own = (own.0 + packets, own.1 + bytes);
        }
        for (machine, used) in later.machines {
            let own = self.machines.entry(machine).or_default();
            own.packets += used.packets;
            own.data_packets += used.data_packets;
            own.remote_syncs += used.remote_syncs;
        }
        self.translations.extend(later.translations);
        self.patches.append(later.patches);
        self.losses.merge(&later.losses);
    }

    fn note(&mut self, span: Span, packet: &[u8], header: &PacketHeader) {
        let position = self.packets as u32;
        self.packets += 1;
        let kind = self.kinds.entry(header.kind).or_default();
        kind.0 += 1;
        kind.1 += packet.len() as u64;
        let machine = self.machines.entry(header.machine).or_default();
        machine.packets += 1;
        machine.data_packets += u64::from(!is_of_recorder(header.kind));
        let (offset, len) = header.payload;
        let payload = &packet[offset as usize..][..len as usize];
        let mut add = |origin, clocks: Vec<SnapshotClock>| {
            let sequence = header.sequence;
            let snapshot = SnapshotPacket { position, addr: span.addr, sequence, origin, clocks };
            self.snapshots.push(snapshot);
        };
        match header.kind {
            trace_packet::CLOCK_SNAPSHOT => {
                let (clocks, primary) = snapshot::clocks_of(header.machine, payload);
                add(SnapshotOrigin::Snapshot, clocks);
                self.primary_clock = self.primary_clock.or(primary);
            }
            trace_packet::REMOTE_CLOCK_SYNC => {
                machine.remote_syncs += 1;
                for (client, host) in snapshot::clocks_of_remote_sync(header.machine, payload) {
                    add(SnapshotOrigin::RemoteSync, vec![client, host]);
                }
            }
            trace_packet::FTRACE_EVENTS => {
                if let Some(reading) = ftrace_reading(payload) {
                    add(SnapshotOrigin::Ftrace, snapshot::clocks_of_bundle(header, reading));
                }
            }
            kind if TRANSLATIONS.contains(&kind) => {
                self.translations.push((kind, span.inner(offset as usize, len as usize)));
            }
            _ => {}
        }
    }
}

/// The span of a packet within a segment that begins at `base`.
pub(crate) fn span_of(base: u64, range: &Range<usize>) -> Span {
    Span { addr: base + range.start as u64, len: range.len() as u32 }
}
