//! Takes the steps of an import in order and has each decoded.

mod events;
mod files;
mod finish;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_clock::{BOOTTIME, Converter, MONOTONIC_COARSE, Source};
use tpq_ingest::{ClockNames, SourceId, Sources, Span, Step, Timeline, TraceBytes};
use tpq_tables::table::MachineRow;
use tpq_tables::{Packer, Stats, StringId, Tables};
use tpq_trackers::deferred::{DeferredStage, DeferredWriter};
use tpq_trackers::interned::Interned;
use tpq_trackers::setup::{MachineInfo, Setup};
use tpq_trackers::track::Trackers;

pub use self::files::{Fact, FileInfo};
pub use self::finish::{Finished, Outcome};
use crate::decode::Decode;
use crate::decode::track_event::EventsAhead;
use crate::format::{FormatDecoder, FormatDecoders};
use crate::health::FileRemark;
use crate::registry::PACKETS;
use crate::symbolizer::Symbolizer;

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
    /// Boxed: its builders take some 100 KB, which each move would copy.
    tables: Box<Tables>,
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

impl<'a> Decoder<'a> {
    /// A decoder of the files and machines of `setup`.
    pub fn new(
        bytes: &'a TraceBytes<'a>,
        setup: Setup,
        timeline: &Timeline,
        formats: &[&'static FormatDecoder],
    ) -> Self {
        let mut tables = Box::<Tables>::default();
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

    /// Has full chunks of rows packed by `packer` from now on.
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

    /// Decodes what takes effect next; `reads` receives the location of the bytes that most of it
    /// is read from, just before.
    pub fn decode(&mut self, step: Step, reads: impl FnMut(Span)) {
        self.decode_read(step, &EventsAhead::default(), reads);
    }

    /// The same where track events and descriptors of the step were read before. Their bytes are not
    /// read any more, or hardly any of them.
    pub fn decode_read(&mut self, step: Step, ahead: &EventsAhead, mut reads: impl FnMut(Span)) {
        for immediate in step.immediate {
            immediate.span().into_iter().for_each(&mut reads);
            self.state.immediate(immediate, step.file);
            self.flush();
        }
        step.events.strings().for_each(&mut reads);
        let mut ahead = ahead.iter();
        for (at, (ts, run, index)) in step.events.iter().enumerate() {
            let known = ahead.of_next(run, index);
            if known.is_some() {
                step.events.fetch_messages_ahead(at);
            } else {
                step.events.fetch_ahead(at, self.state.bytes);
                let message = run.payload.message_of(index);
                message
                    .or_else(|| self.state.formats.text_of(run, index))
                    .into_iter()
                    .for_each(&mut reads);
            }
            self.state.event(ts, run, index, known);
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

/// The first source of each file that has any.
fn first_sources(sources: &Sources) -> FxHashMap<u32, SourceId> {
    let mut first = FxHashMap::default();
    for (source, Source { file, .. }) in (0..).zip(sources.iter()) {
        first.entry(file).or_insert(source);
    }
    first
}
