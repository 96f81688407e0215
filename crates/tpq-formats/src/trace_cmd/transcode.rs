//! The pass before the import: the pages of the kernel's buffers become packets.

use std::ops::Range;

use tpq_clock::{BOOTTIME, MONOTONIC, MONOTONIC_RAW, REALTIME};
use tpq_ingest::{Loss, Prescan, PrescanMemory};

use super::event_kinds::Kinds;
use super::facts::{self, Problems};
use super::packets::Packets;
use super::recording::{Buffer, Damage, Recording};
use super::sections::{COUNT_LEN, chunks};
use super::symbols::Symbols;
use super::{PERF_CLOCK, TICKS_CLOCK};

/// Packets are stored after this many bytes.
const PART: usize = 4 << 20;

/// Turns a file into packets. Behind them comes a part with facts that packets do not have.
pub(super) fn prescan<'a>(file: &'a [u8], base: u64, room: PrescanMemory<'_, 'a>) -> Prescan<'a> {
    let mut prescan = Prescan::of_text(file, base, room.budget);
    let most = usize::try_from(room.budget).unwrap_or(usize::MAX);
    let Ok(recording) = Recording::read(file, most) else { return prescan };
    prescan.primary_clock = Some(clock(&recording));
    let (kinds, damaged) = Kinds::read(&recording.formats);
    prescan.losses.add(Loss::MalformedRecord, damaged);
    let symbols = Symbols::read(&recording.kallsyms);
    let mut packets = Packets::new(&kinds, &symbols, recording.order);
    packets.begin(&recording);
    let mut transcoder = Transcoder {
        file,
        recording: &recording,
        packets,
        problems: Problems::of(&recording.problems),
        prescan,
        room,
    };
    transcoder.read_buffers();
    let Transcoder { mut prescan, problems, packets, .. } = transcoder;
    prescan.losses.add(Loss::MalformedBundle, packets.unknown);
    prescan.losses.add(Loss::MalformedRecord, problems.others);
    let facts = facts::write(&problems, &recording.cmdlines);
    prescan.push_unpacked(facts, 0, room);
    prescan
}

/// The clock of the timestamps.
fn clock(recording: &Recording<'_>) -> u32 {
    if recording.is_wall_time {
        return REALTIME;
    }
    match clock_name(recording, recording.buffers.first()) {
        b"boot" => BOOTTIME,
        b"mono" => MONOTONIC,
        b"mono_raw" => MONOTONIC_RAW,
        // Clocks of the scheduler.
        b"local" | b"global" | b"perf" | b"" => PERF_CLOCK,
        b"x86-tsc" | b"tsc" if recording.tsc.is_some() => PERF_CLOCK,
        _ => TICKS_CLOCK,
    }
}

fn clock_name<'a>(recording: &'a Recording<'_>, buffer: Option<&'a Buffer>) -> &'a [u8] {
    match buffer.map(|buffer| buffer.clock.as_slice()) {
        Some(clock) if !clock.is_empty() => clock,
        _ => &recording.trace_clock,
    }
}

struct Transcoder<'r, 'k, 'a> {
    file: &'a [u8],
    recording: &'r Recording<'a>,
    packets: Packets<'r>,
    problems: Problems,
    prescan: Prescan<'a>,
    room: PrescanMemory<'k, 'a>,
}

impl Transcoder<'_, '_, '_> {
    fn read_buffers(&mut self) {
        let recording = self.recording;
        let first = clock_name(recording, recording.buffers.first());
        for buffer in &recording.buffers {
            if clock_name(recording, Some(buffer)) != first {
                let at = buffer.cpus.first().map_or(0, |(_, range)| range.start);
                self.problems.push((at, Damage::OtherClock));
                continue;
            }
            for (cpu, range) in &buffer.cpus {
                let is_read = match buffer.is_compressed {
                    true => self.read_chunks(*cpu, range, buffer.page_size),
                    false => {
                        let file = self.file;
                        let data = file.get(range.clone()).unwrap_or_default();
                        self.read_pages(*cpu, data, range.start, buffer.page_size)
                    }
                };
                self.packets.end_bundle();
                if !is_read {
                    return self.problems.push((range.start, Damage::TooLarge));
                }
            }
        }
        self.store(0);
    }

    /// Reads compressed pages of a CPU. Returns whether there was room for them.
    fn read_chunks(&mut self, cpu: u32, range: &Range<usize>, page_size: usize) -> bool {
        let (file, recording) = (self.file, self.recording);
        // The stated size is that of the chunks, without their number before them.
        let end = range.end.saturating_add(COUNT_LEN).min(file.len());
        let data = file.get(range.start..end).unwrap_or_default();
        for chunk in chunks(data, recording.order) {
            let most = usize::try_from(self.prescan.budget()).unwrap_or(usize::MAX);
            let pages =
                chunk.and_then(|(piece, size)| recording.codec.unpack(piece, size.min(most)));
            let Some(pages) = pages else {
                self.problems.push((range.start, Damage::Chunk));
                continue;
            };
            if !self.read_pages(cpu, &pages, range.start, page_size) {
                return false;
            }
        }
        true
    }

    /// Reads the pages of a CPU, which begin at an offset of the file. Returns whether there was
    /// room for them.
    fn read_pages(&mut self, cpu: u32, data: &[u8], at: usize, page_size: usize) -> bool {
        let recording = self.recording;
        for (index, page) in data.chunks(page_size.max(1)).enumerate() {
            let mut events = Vec::new();
            let walk = |ts, event| events.push((recording.time(ts), event));
            let (missed, damage) = recording.layout.walk(page, recording.order, walk);
            if let Some(offset) = damage {
                self.problems.push((at + index * page_size + offset, Damage::Page));
            }
            self.packets.begin_page(cpu, missed);
            for (ts, event) in events {
                self.packets.add(ts, event);
            }
            if !self.store(PART) {
                return false;
            }
        }
        true
    }

    /// Stores the packets if they have at least that many bytes. Returns whether there is room for
    /// more.
    fn store(&mut self, least: usize) -> bool {
        let packets = &mut self.packets.complete.0;
        if packets.len() as u64 > self.prescan.budget() {
            packets.clear();
            return false;
        }
        if packets.len() >= least && !packets.is_empty() {
            self.prescan.push_unpacked(std::mem::take(packets), 0, self.room);
        }
        true
    }
}

impl Recording<'_> {
    /// A timestamp in ns.
    fn time(&self, raw: u64) -> u64 {
        let ns = match self.tsc {
            Some((factor, shift, _)) => ((u128::from(raw) * u128::from(factor)) >> shift) as u64,
            None => raw,
        };
        ns.wrapping_add_signed(self.offset)
    }
}
