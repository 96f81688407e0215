//! Takes the steps of an import in order and has each decoded.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_clock::{BOOTTIME, Converter, MONOTONIC_COARSE, Source};
use tpq_ingest::{
    ClockNames, EventOrder, Immediate, Loss, LossBook, Losses, Message, Payload, Run, RunKind,
    SequenceLoss, SourceId, Sources, Span, Step, Timeline, TraceBytes,
};
use tpq_tables::table::{MachineRow, TraceBoundsRow, TraceFileRow};
use tpq_tables::{Packer, Stat, Stats, StringId, Tables};

use crate::Tie;
use crate::decode::chrome::active_processes;
use crate::decode::clocks::{clock_drift, clock_snapshot};
use crate::decode::heap::java_names;
use crate::decode::kernel::etw;
use crate::decode::profilers::{binaries, deobfuscation, symbols};
use crate::decode::recorder::trace_uuid::uuid_of;
use crate::decode::recorder::translation;
use crate::decode::{Decode, Packet, winscope};
use crate::event::RunEvent;
use crate::format::{FormatDecoder, FormatDecoders};
use crate::health::{self, FileHealth, FileRemark};
use crate::losses::{count_losses, count_streaming, count_unrelatable, log_file, write_book};
use crate::registry::{PACKETS, event_decoder};
use crate::symbolizer::{Symbolizer, UnknownBinary};
use tpq_trackers::deferred::{DeferredStage, DeferredWriter, Written};
use tpq_trackers::interned::Interned;
use tpq_trackers::setup::{MachineInfo, Setup};
use tpq_trackers::track::{FileTrackers, MetadataValue, Trackers};

/// Number of open slices for which args are written in one round at the end of the import.
const FEW_OPEN: usize = 4;
/// Approximate limit of the number of these rounds; larger rounds follow from it.
const MOST_ROUNDS: usize = 32;

/// Turns batches into tables.
pub struct Decoder<'a> {
    state: State<'a>,
    deferred: DeferredStage<'a>,
}

/// Everything events are decoded into.
struct State<'a> {
    bytes: &'a TraceBytes<'a>,
    sources: Sources,
    /// Interned data of sequences, by file.
    interned: Vec<Interned<'a>>,
    /// Converts boot time to trace time, by source.
    boottime: Vec<Option<Converter>>,
    /// Converts the coarse monotonic clock to trace time, by source.
    monotonic_coarse: Vec<Option<Converter>>,
    /// Converts the clock of packets that name none, by source.
    default_clock: Vec<Option<Converter>>,
    trackers: Trackers,
    tables: Tables,
    /// The counts of each source.
    stats: Vec<Stats>,
    /// The counts of the import as a whole.
    import_stats: Stats,
    /// Decoders by payload field.
    decoders: Vec<Option<Decode>>,
    /// Decoders of formats without packets.
    formats: FormatDecoders,
    /// Findings about whole files.
    remarks: Vec<(u32, FileRemark)>,
    /// The first source of each file that has any.
    first_sources: FxHashMap<u32, SourceId>,
    /// Sources of files with nothing but names of code, which are for the code of all files.
    symbol_files: Vec<SourceId>,
    /// Finds functions in files of binaries.
    symbolizer: Option<Box<dyn Symbolizer>>,
}

/// The results of decoding.
pub struct Finished {
    /// The builders, complete.
    pub tables: Tables,
    /// Everything that was counted, over all sources.
    pub stats: Stats,
    /// Binaries that the symbolizer did not find.
    pub unsymbolized: Vec<UnknownBinary>,
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

impl<'a> Decoder<'a> {
    /// A decoder of the files and machines of `setup`.
    pub fn new(
        bytes: &'a TraceBytes<'a>,
        setup: Setup,
        timeline: &Timeline,
        formats: &[&'static FormatDecoder],
    ) -> Self {
        let mut tables = Tables::default();
        let mut trackers = Trackers::new(&setup, &mut tables);
        let Setup { machines, kernels, sources, clocks, files, .. } = setup;
        let mut label = 0;
        for machine in &machines {
            label += i64::from(machine.raw_id != 0);
            let label_index = if machine.raw_id == 0 { 0 } else { label };
            add_machine(machine, label_index, &mut trackers, &mut tables);
        }
        for &machine in &kernels {
            trackers.processes.idle_is_zero(machine, &mut tables);
        }
        let last = PACKETS.iter().map(|decoder| decoder.field).max().unwrap_or_default();
        let mut decoders = vec![None; last as usize + 1];
        for decoder in PACKETS {
            decoders[decoder.field as usize] = Some(decoder.decode);
        }
        // A timeline of its own: what is asked for here places no event.
        let mut timeline = timeline.clone();
        let mut converters = |id: fn(&ClockNames) -> u32| {
            clocks.iter().map(|names| timeline.converter(names.clock(0, id(names)))).collect()
        };
        let state = State {
            bytes,
            interned: (0..files.max(1)).map(|_| Interned::new(bytes)).collect(),
            boottime: converters(|_| BOOTTIME),
            monotonic_coarse: converters(|_| MONOTONIC_COARSE),
            default_clock: converters(|names| names.default),
            trackers,
            tables,
            stats: vec![Stats::default(); sources.len().max(1)],
            import_stats: Stats::default(),
            decoders,
            formats: FormatDecoders::new(formats),
            remarks: Vec::new(),
            first_sources: first_sources(&sources),
            symbol_files: Vec::new(),
            symbolizer: None,
            sources,
        };
        let writer = DeferredWriter::new(bytes, &state.sources, files, &state.trackers.deferred);
        Self { state, deferred: DeferredStage::Inline(Box::new(writer)) }
    }

    /// Has full chunks of rows packed by someone else from now on.
    pub fn pack_by(&mut self, packer: &Arc<Packer>) {
        self.state.tables.pack_by(packer);
        self.deferred.pack_by(packer);
    }

    /// Runs the deferred writer on a thread of its own, which `start` starts with the work it is
    /// given. The work ends with the decoder.
    ///
    /// # Errors
    /// Those of `start`.
    pub fn defer_to<E>(
        &mut self,
        start: impl FnOnce(Box<dyn FnOnce() + Send + 'a>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.deferred.move_to(start)
    }

    /// Notes a file that was named or lay in an archive; files are numbered as they are added.
    pub fn add_file(&mut self, file: FileInfo<'_>) {
        let tables = &mut self.state.tables;
        let name = file.name.map_or(StringId::NULL, |name| tables.strings.intern(name));
        let trace_type = tables.strings.intern(file.format);
        tables.trace_file.push(TraceFileRow {
            parent_id: file.parent,
            name,
            size: file.size as i64,
            trace_type,
            processing_order: Some(i64::from(file.processing_order)),
        });
    }

    /// Notes the size and format of the file that the events of `source` come from.
    pub fn describe_file(&mut self, source: SourceId, bytes: u64, format: &str) {
        let State { trackers, tables, .. } = &mut self.state;
        trackers.enter(source);
        trackers.metadata.set("trace_size_bytes", MetadataValue::Int(bytes as i64), tables);
        trackers.metadata.set_text("trace_type", format, tables);
    }

    /// Reads a packet that says what other packets of the file of `source` mean.
    pub fn translate(&mut self, source: SourceId, kind: u32, payload: Span) {
        let State { bytes, trackers, tables, .. } = &mut self.state;
        trackers.enter(source);
        translation::read(kind, bytes.get(payload), trackers, tables);
    }

    /// Takes the names of code in the file of `source` for those of the code of all files. Names
    /// of Java code that state no package are of `package`.
    pub fn share_symbols(&mut self, source: SourceId, package: Option<&str>) {
        let State { trackers, symbol_files, .. } = &mut self.state;
        symbol_files.push(source);
        trackers.enter(source);
        trackers.source.symbols.package = package.map(str::to_owned);
    }

    /// Has frames without symbols symbolized at the end of the import.
    pub fn symbolize_by(&mut self, symbolizer: Box<dyn Symbolizer>) {
        self.state.symbolizer = Some(symbolizer);
    }

    /// Notes the payload fields of the packets in the file of `source`.
    pub fn note_packet_kinds(&mut self, source: SourceId, kinds: impl IntoIterator<Item = u32>) {
        let State { trackers, .. } = &mut self.state;
        trackers.enter(source);
        trackers.file.recording.packet_kinds.extend(kinds);
    }

    /// Gives the file that the events of `source` come from an id by its contents, until it is
    /// found to have one.
    pub fn identify_file(&mut self, source: SourceId, contents: &[u8]) {
        let State { trackers, tables, .. } = &mut self.state;
        trackers.enter(source);
        trackers.metadata.set_text("trace_uuid", &uuid_of(contents), tables);
    }

    /// Notes a fact about the import as a whole.
    pub fn add_fact(&mut self, name: &str, value: Fact<'_>) {
        let State { trackers, tables, .. } = &mut self.state;
        let value = match value {
            Fact::Int(value) => MetadataValue::Int(value),
            Fact::Text(text) => MetadataValue::Text(tables.strings.intern(text)),
        };
        trackers.metadata.set(name, value, tables);
    }

    /// Counts something of a file as a whole, and enters what it is.
    pub fn count_file(&mut self, file: u32, stat: Stat, what: &str) {
        let State { first_sources, stats, import_stats, trackers, tables, .. } = &mut self.state;
        // A file without a machine, such as an archive, counts for the import as a whole.
        match first_sources.get(&file) {
            Some(&source) => stats[source as usize].increment(stat),
            None => import_stats.increment(stat),
        }
        log_file(file, stat, what, &mut trackers.deferred, tables);
    }

    /// Counts and enters what was found of a file when it was opened.
    pub fn remark_on_file(&mut self, file: u32, remark: FileRemark) {
        self.count_file(file, remark.stat(), remark.what());
        self.state.remarks.push((file, remark));
    }

    /// Decodes what takes effect next; `reads` receives the location of the bytes that most of it
    /// is read from, just before.
    pub fn decode(&mut self, step: Step, mut reads: impl FnMut(Span)) {
        for immediate in step.immediate {
            immediate.span().into_iter().for_each(&mut reads);
            self.state.immediate(immediate, step.file);
            self.flush();
        }
        step.events.strings().for_each(&mut reads);
        for (at, (ts, run, index)) in step.events.iter().enumerate() {
            step.events.fetch_ahead(at, self.state.bytes);
            let message = run.payload.message_of(index);
            message
                .or_else(|| self.state.formats.text_of(run, index))
                .into_iter()
                .for_each(&mut reads);
            self.state.event(ts, run, index);
            self.flush();
        }
    }

    /// Hands the buffered entries to the deferred writer once the buffer is full.
    #[inline]
    fn flush(&mut self) {
        let State { trackers, tables, .. } = &mut self.state;
        if trackers.deferred.is_full(tables) {
            self.deferred.flush(&mut trackers.deferred, tables);
        }
    }

    /// Ends the import, once all steps are decoded. `read` is called when what was read of the
    /// trace until then is hardly read again.
    pub fn finish(mut self, outcome: Outcome<'_>, read: impl Fn()) -> Finished {
        let Outcome { books, order, prescans, sequences, ties, mut timeline } = outcome;
        let State { bytes, sources, mut trackers, mut tables, mut stats, .. } = self.state;
        let (import_stats, remarks) = (self.state.import_stats, self.state.remarks);
        let symbol_files = self.state.symbol_files;
        let boottime = self.state.boottime;
        for (source, stats) in (0..).zip(&mut stats) {
            trackers.enter(source);
            trackers.bind_arrived(&mut tables, stats);
            etw::end_operations(&mut trackers, &mut tables, stats);
            winscope::finish_source(&mut trackers, &mut tables, stats);
            trackers.write_memory_snapshot(&mut tables, stats);
            active_processes::finish_source(&mut trackers, &mut tables);
        }
        symbols::name_frames(bytes, &symbol_files, &mut trackers, &mut tables, &mut stats);
        let unsymbolized = self.state.symbolizer.map_or_else(Vec::new, |symbolizer| {
            binaries::name_frames(&*symbolizer, &mut trackers, &mut tables, stats.len())
        });
        deobfuscation::name_frames(bytes, &symbol_files, &mut trackers, &mut tables, &mut stats);
        end_heaps(bytes, &mut trackers, &mut tables, &mut stats);
        close_args(&mut trackers, &mut self.deferred, &mut tables, &read);
        trackers.log_refusals(&mut tables);
        trackers.write_owner_args(&mut tables);
        trackers.rename_process_tracks(&mut tables);
        trackers.decide_counters(&mut tables);
        trackers.write_uid_times(&mut tables);
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
        Finished { tables, stats: all, unsymbolized }
    }
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

/// The first source of each file that has any.
fn first_sources(sources: &Sources) -> FxHashMap<u32, SourceId> {
    let mut first = FxHashMap::default();
    for (source, Source { file, .. }) in (0..).zip(sources.iter()) {
        first.entry(file).or_insert(source);
    }
    first
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

/// A file as the `trace_file` table shows it.
#[derive(Clone, Copy, Debug)]
pub struct FileInfo<'a> {
    /// The row of the file it lies in.
    pub parent: Option<u32>,
    /// Its name in there.
    pub name: Option<&'a str>,
    /// Its size in bytes.
    pub size: u64,
    /// Its format.
    pub format: &'a str,
    /// Its position in the order of import.
    pub processing_order: u32,
}

/// A value of a fact.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    /// A number.
    Int(i64),
    /// A text.
    Text(&'a str),
}

fn add_machine(
    machine: &MachineInfo,
    label_index: i64,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let name = machine.name.as_deref().map_or(StringId::NULL, |name| tables.strings.intern(name));
    let raw_id = machine.raw_id;
    let label_index = Some(label_index);
    let row = MachineRow { raw_id, name, label_index, ..MachineRow::default() };
    let row = tables.machine.push(row);
    trackers.processes.add_machine(row, tables);
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

impl State<'_> {
    fn immediate(&mut self, immediate: Immediate, file: u32) {
        match immediate {
            Immediate::Generation(generation) => {
                self.interned[file as usize].add_generation(generation);
                self.trackers.deferred.add_generation(file, generation);
            }
            Immediate::Interned(generation, data) => {
                // Interned data belongs to a source through its generation.
                self.trackers.deferred.add_interned(file, generation, data);
                let interned = &mut self.interned[file as usize];
                let source = interned.generation(generation).map_or(0, |it| it.source);
                interned.add(generation, data, &mut self.stats[source as usize]);
            }
            Immediate::Gap { source, cpu, after, before } => {
                self.trackers.enter(source);
                let machine = self.sources.get(source).machine;
                self.trackers.file.recording.add_gap((machine, cpu), after, before);
            }
            Immediate::Packet { message, source, ts, .. } => {
                self.packet(ts, true, source, &message);
            }
        }
    }

    fn packet(&mut self, ts: Option<i64>, early: bool, id: SourceId, message: &Message) {
        let source = self.sources.get(id);
        let packet = Packet {
            timestamp: ts,
            early,
            data: self.bytes.get(message.span),
            span: message.span,
            source: id,
            machine: source.machine,
            boottime: self.boottime[id as usize].as_ref(),
            monotonic_coarse: self.monotonic_coarse[id as usize].as_ref(),
            default_clock: self.default_clock[id as usize].as_ref(),
            generation: message.generation,
            interned: &self.interned[source.file as usize],
        };
        let decode = self.decoders.get(message.kind as usize).copied().flatten();
        if let Some(decode) = decode {
            self.trackers.enter(id);
            let stats = &mut self.stats[id as usize];
            decode(&packet, &mut self.trackers, &mut self.tables, stats);
        }
    }

    fn event(&mut self, ts: i64, run: &Run, index: usize) {
        match (&run.payload, run.kind) {
            (Payload::Messages(messages), RunKind::PACKETS) => {
                self.packet(Some(ts), false, run.source, &messages[index]);
            }
            _ => {
                let source = self.sources.get(run.source);
                let event = RunEvent {
                    ts,
                    run,
                    index,
                    machine: source.machine,
                    cpu: run.cpu.unwrap_or_default(),
                    bytes: self.bytes,
                    interned: &self.interned[source.file as usize],
                    default_clock: self.default_clock[run.source as usize].as_ref(),
                };
                let State { trackers, tables, stats, .. } = self;
                trackers.enter(run.source);
                let stats = &mut stats[run.source as usize];
                let of_format = self.formats.decoder(run.kind);
                if let Some(decode) = of_format.or_else(|| event_decoder(run.kind)) {
                    decode(&event, trackers, tables, stats);
                }
            }
        }
    }
}
