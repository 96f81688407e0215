//! The end of an import: rows of what is complete only now, counts of the losses of all stages, and
//! the findings about each recording.

use rustc_hash::FxHashMap;
use tpq_clock::{Converter, Source};
use tpq_ingest::{
    EventOrder, Loss, LossBook, Losses, SequenceLoss, SourceId, Sources, Timeline, TraceBytes,
};
use tpq_tables::table::TraceBoundsRow;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::deferred::{DeferredStage, DeferredWriter, Written};
use tpq_trackers::track::{FileTrackers, Trackers};

use super::{Decoder, State};
use crate::Tie;
use crate::decode::chrome::active_processes;
use crate::decode::clocks::{clock_drift, clock_snapshot};
use crate::decode::heap::java_names;
use crate::decode::kernel::etw;
use crate::decode::profilers::{binaries, deobfuscation, symbols};
use crate::decode::winscope;
use crate::health::{self, FileHealth, FileRemark};
use crate::losses::{count_losses, count_streaming, count_unrelatable, write_book};
use crate::symbolizer::UnknownBinary;

/// Number of open slices for which args are written in one round at the end of the import.
const FEW_OPEN: usize = 4;
/// Approximate limit of the number of these rounds; larger rounds follow from it.
const MOST_ROUNDS: usize = 32;

/// The results of decoding.
pub struct Finished {
    /// The builders, complete.
    pub tables: Box<Tables>,
    /// Everything that was counted, over all sources.
    pub stats: Stats,
    /// Binaries that the symbolizer did not find.
    pub unsymbolized: Vec<UnknownBinary>,
    /// Whether events that were left out may have changed tables that were not.
    pub is_doubtful: bool,
}

/// The reports of the other stages at the end of an import.
pub struct Outcome<'a> {
    /// Losses of each stage, with their locations.
    pub books: &'a [&'a LossBook],
    /// The event order, with its losses.
    pub order: &'a EventOrder,
    /// Losses of the prescans: the source of the file's base machine, and the counts.
    pub prescans: &'a [(SourceId, Losses)],
    /// Losses of writer sequences, with the sources they wrote in.
    pub sequences: &'a [(SourceId, SequenceLoss)],
    /// Everything that ties clocks.
    pub ties: &'a [Tie],
    /// How clocks were placed.
    pub timeline: Timeline,
}

impl Decoder<'_> {
    /// Ends the import, once all steps are decoded. `read` is called when what was read of the
    /// trace until then is hardly read again.
    pub fn finish(mut self, outcome: Outcome<'_>, read: impl Fn()) -> Finished {
        let Outcome { books, order, prescans, sequences, ties, mut timeline } = outcome;
        let State { bytes, sources, mut trackers, mut tables, mut stats, .. } = self.state;
        let (import_stats, remarks) = (self.state.import_stats, self.state.remarks);
        let symbol_files = self.state.symbol_files;
        let boottime = self.state.boottime;
        end_sources(&mut trackers, &mut tables, &mut stats);
        symbols::name_frames(bytes, &symbol_files, &mut trackers, &mut tables, &mut stats);
        let unsymbolized = self.state.symbolizer.map_or_else(Vec::new, |symbolizer| {
            binaries::name_frames(&*symbolizer, &mut trackers, &mut tables, stats.len())
        });
        deobfuscation::name_frames(bytes, &symbol_files, &mut trackers, &mut tables, &mut stats);
        end_heaps(bytes, &mut trackers, &mut tables, &mut stats);
        close_args(&mut trackers, &mut self.deferred, &mut tables, &read);
        end_import(&mut trackers, &mut tables);
        for book in books.iter().copied().chain(order.losses()) {
            write_book(book, bytes, &sources, &mut stats, &mut trackers.deferred, &mut tables);
        }
        for (source, losses) in prescans {
            count_losses(losses, &mut stats[*source as usize]);
        }
        for (source, loss) in sequences {
            trackers.enter(*source);
            trackers.file.writers.count(loss, &mut stats[*source as usize]);
        }
        count_unrelatable(&timeline, &sources, &mut stats);
        self.deferred.flush(&mut trackers.deferred, &tables);
        let written = self
            .deferred
            .end()
            .map(|writer| end_deferred(*writer, &mut trackers, &mut tables, &mut stats));
        read();
        for (stats, of_deferred) in stats.iter_mut().zip(written.iter().flat_map(|it| &it.stats)) {
            stats.merge(of_deferred);
        }
        let began = written.iter().flat_map(|written| written.bounds());
        let left_out = trackers.deferred.bounds_left_out();
        began.chain(left_out).for_each(|ts| trackers.bounds.include(ts));
        let (start_ts, end_ts) = bounds(&trackers, &tables);
        tables.trace_bounds.push(TraceBoundsRow { start_ts, end_ts });
        let late = late_events(order.losses());
        count_settings(&trackers, &self.state.first_sources, &mut stats);
        let recorded =
            Recorded { sources: &sources, sequences, stats: &stats, late: &late, boottime };
        write_health(&trackers, recorded, remarks, &import_stats, &mut tables);
        let mut all = import_stats;
        clock_snapshot::write_rows(ties, &mut timeline, &mut tables, &mut all);
        clock_drift::write_rows(&mut timeline, &mut tables);
        for stats in &stats {
            all.merge(stats);
        }
        let scoped: Vec<(u32, u32, &Stats)> =
            sources.iter().zip(&stats).map(|(at, stats)| (at.machine, at.file, stats)).collect();
        all.write(&scoped, &mut tables);
        if let Some(written) = written {
            written.join(&mut tables);
        }
        let is_doubtful = trackers.leaves_out_tracks
            && (trackers.presences.are_doubtful() || order.has_nearly_late());
        Finished { tables, stats: all, unsymbolized, is_doubtful }
    }
}

/// Ends what is still open in each source.
fn end_sources(trackers: &mut Trackers, tables: &mut Tables, stats: &mut [Stats]) {
    for (source, stats) in (0..).zip(stats) {
        trackers.enter(source);
        trackers.bind_arrived(tables, stats);
        etw::end_operations(trackers, tables, stats);
        winscope::finish_source(trackers, tables, stats);
        trackers.write_memory_snapshot(tables, stats);
        active_processes::finish_source(trackers, tables);
    }
}

/// Writes the rows that depend on all events of the import.
fn end_import(trackers: &mut Trackers, tables: &mut Tables) {
    trackers.log_refusals(tables);
    trackers.write_owner_args(tables);
    trackers.rename_process_tracks(tables);
    trackers.decide_counters(tables);
    trackers.write_uid_times(tables);
}

/// Writes heap dumps without a last packet, and names Java classes.
fn end_heaps(
    bytes: &TraceBytes<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut [Stats],
) {
    trackers.heap_graphs.end_all(tables, stats);
    trackers.heap_profiles.end_all(stats);
    let mut mappings = Vec::new();
    for source in 0..stats.len() as SourceId {
        trackers.enter(source);
        mappings.extend(trackers.source.symbols.deobfuscation.iter().cloned());
    }
    if let Some(stats) = stats.first_mut().filter(|_| !trackers.heap_graphs.classes().is_empty()) {
        java_names::name_classes(bytes, &mappings, trackers, tables, stats);
    }
}

/// Writes the args of slices without a seen end. Their sources are all over the
/// trace, where the system may load much around each, so they are written a few at a time.
fn close_args(
    trackers: &mut Trackers,
    deferred: &mut DeferredStage<'_>,
    tables: &mut Tables,
    read: impl Fn(),
) {
    let open = trackers.open_args();
    for open in open.chunks((open.len() / MOST_ROUNDS).max(FEW_OPEN)) {
        trackers.close_args(open, tables);
        deferred.flush(&mut trackers.deferred, tables);
        deferred.settle();
        read();
    }
}

/// Ends the deferred writer and counts the errors that it found.
fn end_deferred(
    mut writer: DeferredWriter<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut [Stats],
) -> Written {
    for event in writer.take_malformed() {
        trackers.enter(event.source);
        trackers.log_malformed_json(&event, tables, &mut stats[event.source as usize]);
    }
    writer.write_last(&mut trackers.deferred, tables);
    writer.finish()
}

/// The first and last of the late events, by source, of those that are entered.
fn late_events<'a>(books: impl Iterator<Item = &'a LossBook>) -> FxHashMap<SourceId, (i64, i64)> {
    let mut late = FxHashMap::default();
    let entries = books.flat_map(|book| book.entries());
    for entry in entries.filter(|entry| entry.loss == Loss::OutOfOrder) {
        let Some(ts) = entry.timestamp else { continue };
        let (first, last) = late.entry(entry.source).or_insert((ts, ts));
        (*first, *last) = (ts.min(*first), ts.max(*last));
    }
    late
}

/// Facts about the recordings of all files, by source.
struct Recorded<'a> {
    sources: &'a Sources,
    sequences: &'a [(SourceId, SequenceLoss)],
    stats: &'a [Stats],
    late: &'a FxHashMap<SourceId, (i64, i64)>,
    /// Converts boot time to trace time, by source.
    boottime: Vec<Option<Converter>>,
}

/// Counts what the configuration of each file decides, at the first source of the file.
fn count_settings(
    trackers: &Trackers,
    first_sources: &FxHashMap<u32, SourceId>,
    stats: &mut [Stats],
) {
    for (file, trackers) in (0..).zip(trackers.all_files()) {
        let source = first_sources.get(&file).and_then(|&source| stats.get_mut(source as usize));
        if let Some(stats) = source {
            count_streaming(&trackers.recording, stats);
        }
    }
}

/// Writes the losses of each file's recording.
fn write_health(
    trackers: &Trackers,
    Recorded { sources, sequences, stats, late, boottime }: Recorded<'_>,
    remarks: Vec<(u32, FileRemark)>,
    import: &Stats,
    tables: &mut Tables,
) {
    let mut ids: FxHashMap<u32, Vec<SourceId>> = FxHashMap::default();
    for (source, Source { file, .. }) in (0..).zip(sources.iter()) {
        ids.entry(file).or_default().push(source);
    }
    let mut written: FxHashMap<u32, Vec<(u32, &SequenceLoss)>> = FxHashMap::default();
    for (source, loss) in sequences {
        let Source { file, machine } = sources.get(*source);
        written.entry(file).or_default().push((machine, loss));
    }
    let mut cuts: FxHashMap<u32, i64> = FxHashMap::default();
    for (file, _) in remarks.iter().filter(|(_, it)| it.stat() == Stat::TraceTruncatedBytes) {
        *cuts.entry(*file).or_default() += 1;
    }
    let kernel_events = trackers.kernel_events_by_file();
    let files = (0..).zip(trackers.all_files()).zip(kernel_events);
    let files = files.map(|((file, trackers), kernel_events)| {
        let FileTrackers { recording, writers, ftrace, .. } = trackers;
        let ids = ids.get(&file).map_or(&[][..], Vec::as_slice);
        let machine = |source: SourceId| sources.get(source).machine;
        let late = ids.iter().filter_map(|source| late.get(source).copied());
        FileHealth {
            file,
            recording,
            writers,
            all_cpus_from: ftrace.all_cpus_from(),
            sequences: written.remove(&file).unwrap_or_default(),
            stats: ids.iter().map(|&source| (machine(source), &stats[source as usize])).collect(),
            late: late.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1))),
            spans: FxHashMap::default(),
            cuts: cuts.get(&file).copied().unwrap_or_default(),
            started_at_boottime: recording.started.map(|started| {
                let boottime = ids.first().and_then(|&source| boottime[source as usize].as_ref());
                let ahead =
                    boottime.map_or(0, |it| it.convert_one(started).saturating_sub(started));
                started.saturating_sub(ahead)
            }),
            kernel_events,
        }
    });
    health::write_rows(files, remarks, import, tables);
}

/// The first and last time of the trace, with the ends of slices. Other spans end with an event of
/// their own, so only slices can end after the last event.
fn bounds(trackers: &Trackers, tables: &Tables) -> (i64, i64) {
    let Some((start, mut end)) = trackers.bounds.get() else { return (0, 0) };
    let slices = tables.slice.ts.iter().zip(tables.slice.dur.iter());
    let ends = slices.map(|(ts, dur)| ts.saturating_add(dur.max(0)));
    end = ends.fold(end, i64::max);
    (start, if end == start { end.saturating_add(1) } else { end })
}
