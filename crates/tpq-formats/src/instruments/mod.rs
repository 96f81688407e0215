//! Tables of Apple's Instruments, as `xctrace export` writes them in XML: samples of threads, and
//! signposts. Perfetto's recorder leaves a signpost with the boot time now and then, which ties the
//! clock of the export, that counts from the start of its recording, to that of a trace.

mod export;
mod rows;

use std::collections::HashMap;

use tpq_clock::{BOOTTIME, TRACE_FILE};
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::{Prescan, PrescanMemory, RunKind, SnapshotClock, SnapshotOrigin, SnapshotPacket};
use tpq_tables::table::{ProfilerSampleRow, StackProfileMappingRow};
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::stacks::{NewFrame, SourceLine};
use tpq_trackers::track::{MAX_CPUS, NamePriority, SampledTask, Tid, Trackers, Upid, Utid};

use self::export::{Export, ROW_WORDS, SYNC_SUBSYSTEM};
use crate::document::{Document, DocumentFormat, DocumentReader, Events, Place};
use crate::samples::callsite;
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const EXPORT: RunKind = format_run_kind(53);
const SAMPLES: RunKind = format_run_kind(54);
const SOURCE: &str = "instruments";

pub(crate) const FORMAT: TraceFormat = TraceFormat {
    has_packets: false,
    default_clock: DefaultClock::OfFile(TRACE_FILE),
    is_windowed: false,
    has_kernel: false,
    has_deferred_args: false,
    prescan: Some(prescan),
    open,
};

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(EXPORT, decode_export), (SAMPLES, decode_sample)],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: EXPORT, is_text: true, read };
    DocumentReader::open(file, format)
}

/// Reads the times of samples.
fn read(text: &[u8]) -> Document {
    let export = Export::read(text);
    let is_readable = export.problems.is_empty() || !export.times.is_empty();
    let events = Events {
        kind: SAMPLES,
        times: export.times,
        place: Place::Numbers(ROW_WORDS, export.rows),
    };
    Document { events: vec![events], problems: export.problems, is_readable }
}

/// Finds the signposts that tie the clock of the file to boot time.
fn prescan<'a>(text: &'a [u8], base: u64, room: PrescanMemory<'_, 'a>) -> Prescan<'a> {
    let mut prescan = Prescan::of_text(text, base, room.budget);
    // Most exports have none, and need not be read twice.
    if memchr::memmem::find(text, SYNC_SUBSYSTEM.as_bytes()).is_none() {
        return prescan;
    }
    let clock = |id, value| SnapshotClock {
        machine: 0,
        id,
        value,
        multiplier: 1,
        incremental: false,
        ticks: false,
    };
    let syncs = (0..).zip(Export::read(text).syncs);
    let snapshots = syncs.map(|(position, (at, ts, boottime))| SnapshotPacket {
        position,
        addr: base + at as u64,
        sequence: 0,
        origin: SnapshotOrigin::Snapshot,
        clocks: vec![clock(TRACE_FILE, ts), clock(BOOTTIME, boottime)],
    });
    prescan.snapshots = snapshots.collect();
    prescan
}

/// An export with what became of its parts.
#[derive(Default)]
struct Decoded {
    export: Export,
    threads: HashMap<u32, (Utid, Upid)>,
    callsites: HashMap<u32, Option<u32>>,
    /// Rows of mappings, by binary.
    mappings: HashMap<u32, u32>,
}

fn decode_export(event: &RunEvent<'_>, trackers: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let export = Export::read(event.message());
    stats.add(Stat::InstrumentsRowMissingFrame, export.missing_frames);
    *trackers.file.states.get() = Decoded { export, ..Decoded::default() };
}

fn decode_sample(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (&[thread, backtrace, core], _) = event.words() else { return };
    // Trackers are needed while the export is read.
    let mut decoded: Decoded = std::mem::take(trackers.file.states.get());
    let sample = (thread.checked_sub(1), backtrace.checked_sub(1), core.checked_sub(1));
    match decoded.row(event, sample, trackers, tables) {
        Ok(row) => {
            trackers.bounds.include(event.ts);
            tables.profiler_sample.push(row);
        }
        Err(missing) => stats.increment(missing),
    }
    *trackers.file.states.get() = decoded;
}

impl Decoded {
    /// The row of a sample, or what it lacks.
    fn row(
        &mut self,
        event: &RunEvent<'_>,
        (thread, backtrace, core): (Option<u32>, Option<u32>, Option<u32>),
        trackers: &mut Trackers,
        tables: &mut Tables,
    ) -> Result<ProfilerSampleRow, Stat> {
        let backtrace = backtrace.ok_or(Stat::InstrumentsRowMissingBacktrace)?;
        let thread = thread.ok_or(Stat::InstrumentsRowMissingThread)?;
        let (utid, upid) = self
            .thread(thread, event.machine, trackers, tables)
            .ok_or(Stat::InstrumentsRowMissingProcess)?;
        let callsite_id = self.callsite(backtrace, upid, trackers, tables);
        let task = SampledTask { upid: None, utid: Some(utid), async_context: None };
        let cpu = core.filter(|&core| core < MAX_CPUS);
        let ucpu = cpu.map(|cpu| trackers.cpus.get(event.machine, cpu, tables));
        Ok(ProfilerSampleRow {
            ts: event.ts,
            source: tables.strings.intern(SOURCE),
            task_context_id: Some(trackers.samples.task(task, tables)),
            execution_context_id: ucpu
                .map(|ucpu| trackers.samples.execution(Some(ucpu), StringId::NULL, tables)),
            callsite_id,
            ..ProfilerSampleRow::default()
        })
    }

    /// A thread and its process; `None` if the export does not say what process that is.
    fn thread(
        &mut self,
        index: u32,
        machine: u32,
        trackers: &mut Trackers,
        tables: &mut Tables,
    ) -> Option<(Utid, Upid)> {
        if let Some(&known) = self.threads.get(&index) {
            return Some(known);
        }
        let thread = self.export.threads.get(index as usize)?;
        let process = self.export.processes.get(thread.process? as usize)?;
        let (tid, pid) = (Tid { machine, id: thread.tid? }, Tid { machine, id: process.pid? });
        let utid = trackers.processes.thread_of_process(tid, pid, tables);
        let upid = trackers.processes.process_without_main(pid, tables);
        if let Some(name) = &thread.name {
            let name = tables.strings.intern(name);
            trackers.processes.name_thread(utid, name, NamePriority::Other, tables);
        }
        if let Some(name) = &process.name {
            let name = tables.strings.intern(name);
            trackers.processes.name_unnamed_process(upid, name, tables);
        }
        self.threads.insert(index, (utid, upid));
        Some((utid, upid))
    }

    /// The callsite of a stack, the innermost frame of which comes first.
    fn callsite(
        &mut self,
        index: u32,
        upid: Upid,
        trackers: &mut Trackers,
        tables: &mut Tables,
    ) -> Option<u32> {
        if let Some(&known) = self.callsites.get(&index) {
            return known;
        }
        let frames = self.export.backtraces.get(index as usize).cloned().unwrap_or_default();
        let rows: Vec<u32> = (0..)
            .zip(&frames)
            .filter_map(|(depth, &frame)| self.frame(frame, depth > 0, upid, trackers, tables))
            .collect();
        let found = callsite(rows.into_iter().rev(), trackers, tables);
        self.callsites.insert(index, found);
        found
    }

    /// The row of a frame. The address of a caller is that behind its call, so that one before it
    /// is used.
    fn frame(
        &mut self,
        index: u32,
        is_caller: bool,
        upid: Upid,
        trackers: &mut Trackers,
        tables: &mut Tables,
    ) -> Option<u32> {
        let frame = self.export.frames.get(index as usize)?;
        let name = tables.strings.intern(&frame.name);
        let binary = frame.binary.and_then(|index| {
            self.export.binaries.get(index as usize).map(|binary| (index, binary))
        });
        let (mapping, address) = match binary {
            None => {
                let unknown = tables.strings.intern("");
                let stacks = &mut trackers.source.stacks;
                (stacks.mappings.placeholder(unknown, tables), frame.address)
            }
            Some((index, binary)) => {
                let mapping = *self.mappings.entry(index).or_insert_with(|| {
                    let start = binary.load_address.cast_signed();
                    let row = StackProfileMappingRow {
                        build_id: tables.strings.intern(&binary.build_id),
                        exact_offset: start,
                        start,
                        end: binary.last_address.cast_signed(),
                        name: tables.strings.intern(&binary.path),
                        ..StackProfileMappingRow::default()
                    };
                    let mappings = &mut trackers.source.stacks.mappings;
                    mappings.of_process(Some(upid), row, &mut tables.stack_profile_mapping)
                });
                (mapping, frame.address.wrapping_sub(binary.load_address))
            }
        };
        let rel_pc = address.saturating_sub(u64::from(is_caller));
        let frame = NewFrame { mapping, rel_pc, name, source: SourceLine::default() };
        Some(trackers.source.stacks.frames.get(frame, tables))
    }
}
