//! Kernel events in recordings of perf, which has their formats as `trace-cmd` has them, and each
//! event as it lay in the kernel's buffer.

use rustc_hash::FxHashMap;
use tpq_ingest::{Loss, Prescan, PrescanMemory};

use super::event_format::EventFormat;
use super::event_kinds::Kinds;
use super::packets::Packets;
use super::recording::Recording;
use super::symbols::Symbols;

/// Packets are stored after this many bytes.
const PART: usize = 4 << 20;
const SWITCH: &[u8] = b"sched_switch";

/// An event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelEvent<'a> {
    /// Time, ns of the clock of the file.
    pub(crate) ts: u64,
    pub(crate) cpu: u32,
    /// Bytes of the event, its number first.
    pub(crate) bytes: &'a [u8],
}

/// The formats of events.
pub(crate) struct EmbeddedFormats<'a>(Recording<'a>);

impl<'a> EmbeddedFormats<'a> {
    /// Reads formats. `None` if they cannot be read.
    pub(crate) fn read(data: &'a [u8]) -> Option<Self> {
        Recording::read_formats(data).ok().map(Self)
    }

    /// Writes packets with events, which are sorted by CPU and time, as parts of their own. Returns
    /// the number of parts.
    pub(crate) fn write<'p>(
        &self,
        events: &[KernelEvent<'_>],
        prescan: &mut Prescan<'p>,
        room: PrescanMemory<'_, 'p>,
    ) -> u64 {
        let Self(recording) = self;
        let (kinds, damaged) = match self.has_all_switches(events) {
            true => Kinds::read(&recording.formats),
            false => Kinds::read_described(&recording.formats),
        };
        prescan.losses.add(Loss::MalformedRecord, damaged);
        let symbols = Symbols::read(&recording.kallsyms);
        let mut packets = Packets::new(&kinds, &symbols, recording.order);
        packets.begin(recording);
        let (mut parts, mut is_full) = (0, false);
        let mut store = |packets: &mut Packets<'_>, least: usize| {
            let bytes = &mut packets.complete.0;
            if bytes.len() as u64 > prescan.budget() {
                is_full = true;
            } else if bytes.len() >= least && !bytes.is_empty() {
                prescan.push_unpacked(std::mem::take(bytes), 0, room);
                parts += 1;
            }
            !is_full
        };
        let mut left = events.len() as u64;
        for event in events {
            if !store(&mut packets, PART) {
                break;
            }
            left -= 1;
            packets.begin_page(event.cpu, false);
            packets.add(event.ts, event.bytes);
        }
        packets.end_bundle();
        store(&mut packets, 0);
        let unknown = packets.unknown;
        prescan.losses.add(Loss::MalformedBundle, unknown + left);
        parts
    }

    /// Whether switches are of all threads: what runs after a switch is what the next one switches
    /// from. A recording of some threads has only those from its own, which say nothing of what a
    /// CPU runs.
    fn has_all_switches(&self, events: &[KernelEvent<'_>]) -> bool {
        let Some(switch) = self.switch() else { return true };
        let mut running: FxHashMap<u32, u64> = FxHashMap::default();
        let (mut expected, mut other) = (0_u64, 0_u64);
        for event in events {
            let Some((from, to)) = switch.tasks(event.bytes, &self.0) else { continue };
            match running.insert(event.cpu, to) {
                Some(task) if task == from => expected += 1,
                Some(_) => other += 1,
                None => {}
            }
        }
        // Some may be lost.
        other <= expected / 4
    }

    fn switch(&self) -> Option<Switch> {
        let mut formats = self.0.formats.iter().filter_map(|format| EventFormat::read(format));
        let format = formats.find(|format| format.name == SWITCH)?;
        let at = |name: &[u8]| format.field(name).map(|field| (field.offset, field.size));
        Some(Switch { id: format.id, from: at(b"prev_pid")?, to: at(b"next_pid")? })
    }
}

/// The number of switches, and the places of the threads in them.
struct Switch {
    id: u16,
    from: (usize, usize),
    to: (usize, usize),
}

impl Switch {
    /// The threads of a switch; `None` for other events.
    fn tasks(&self, event: &[u8], recording: &Recording<'_>) -> Option<(u64, u64)> {
        let number = |(offset, size): (usize, usize)| {
            let end = offset.checked_add(size)?;
            Some(recording.order.number(event.get(offset..end)?))
        };
        (number((0, 2))? == u64::from(self.id)).then_some(())?;
        Some((number(self.from)?, number(self.to)?))
    }
}
