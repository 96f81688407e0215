//! Takes batches, sorts their events and has each decoded.

use tpq_ingest::{
    Batch, Emit, Immediate, Losses, Payload, Run, RunKind, SnapshotPacket, Sorter, Timeline,
    TraceBytes,
};
use tpq_tables::table::{TraceBoundsRow, TraceFileRow};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Decode, Packet, clock_snapshot, ftrace};
use crate::interned::Interned;
use crate::losses::count_losses;
use crate::registry::PACKETS;
use crate::track::{MetadataValue, Trackers, WriterLoss};

/// An event of a run that a bundle was split into.
pub(crate) struct RunEvent<'a> {
    /// When, in trace time.
    pub(crate) ts: i64,
    /// The run it lies in.
    pub(crate) run: &'a Run,
    /// Its place in the run.
    pub(crate) index: usize,
    /// The machine's row.
    pub(crate) machine: u32,
    /// The CPU that recorded it.
    pub(crate) cpu: u32,
    /// The bytes of the trace.
    pub(crate) bytes: &'a TraceBytes<'a>,
    /// What sequences interned.
    pub(crate) interned: &'a Interned<'a>,
}

/// Turns batches into tables.
pub struct Decoder<'a> {
    sorter: Sorter,
    state: State<'a>,
}

/// Everything events are decoded into.
struct State<'a> {
    bytes: &'a TraceBytes<'a>,
    interned: Interned<'a>,
    trackers: Trackers,
    tables: Tables,
    stats: Stats,
    /// Decoders by payload field.
    decoders: Vec<Option<Decode>>,
}

/// What there is when all is decoded.
pub struct Finished {
    /// The builders, complete but for the stats.
    pub tables: Tables,
    /// The counts.
    pub stats: Stats,
}

impl<'a> Decoder<'a> {
    /// A decoder of a trace; `windowed` or with a full sort.
    pub fn new(bytes: &'a TraceBytes<'a>, windowed: bool) -> Self {
        let mut tables = Tables::default();
        let trackers = Trackers::new(&mut tables);
        let last = PACKETS.iter().map(|decoder| decoder.field).max().unwrap_or_default();
        let mut decoders = vec![None; last as usize + 1];
        for decoder in PACKETS {
            decoders[decoder.field as usize] = Some(decoder.decode);
        }
        let state = State {
            bytes,
            interned: Interned::new(bytes),
            trackers,
            tables,
            stats: Stats::default(),
            decoders,
        };
        Self { sorter: Sorter::new(windowed), state }
    }

    /// Writes the rows of the clock snapshots, which are known from the start.
    pub fn add_snapshots(&mut self, snapshots: &[SnapshotPacket], timeline: &mut Timeline) {
        let State { trackers, tables, stats, .. } = &mut self.state;
        clock_snapshot::write_rows(snapshots, timeline, trackers, tables, stats);
        let clock = MetadataValue::Int(i64::from(timeline.trace_clock().id));
        trackers.metadata.set("trace_time_clock_id", clock, tables);
    }

    /// Notes the file the trace is from: its size and its compression as it is stored, and the
    /// size and format of what it holds.
    pub fn add_file(&mut self, stored: u64, compression: Option<&str>, bytes: u64, format: &str) {
        let State { trackers, tables, .. } = &mut self.state;
        let size = MetadataValue::Int(bytes as i64);
        trackers.metadata.set("trace_size_bytes", size, tables);
        trackers.metadata.set_text("trace_type", format, tables);
        let mut parent_id = None;
        if let Some(compression) = compression {
            let trace_type = tables.strings.intern(compression);
            let size = stored as i64;
            let row = TraceFileRow { size, trace_type, ..TraceFileRow::default() };
            parent_id =
                Some(tables.trace_file.push(TraceFileRow { processing_order: Some(0), ..row }));
        }
        let row = TraceFileRow {
            parent_id,
            name: match parent_id {
                Some(_) => tables.strings.intern(""),
                None => tpq_tables::StringId::NULL,
            },
            size: bytes as i64,
            trace_type: tables.strings.intern(format),
            processing_order: Some(parent_id.map_or(0, |_| 1)),
        };
        tables.trace_file.push(row);
    }

    /// Takes a batch.
    pub fn take(&mut self, batch: Batch) {
        for immediate in batch.immediate {
            self.state.immediate(immediate);
        }
        for run in batch.runs {
            self.sorter.push(run);
        }
        if let Some(mark) = batch.mark {
            self.sorter.mark(mark, &mut self.state);
        }
    }

    /// Decodes what is still waiting and ends the import. `sequences` gives what each writer
    /// sequence lost: machine and id, packets dropped, packets that needed state, those skipped.
    pub fn finish(
        mut self,
        losses: &[&Losses],
        sequences: impl Iterator<Item = ((u32, u32), u64, u64, u64)>,
    ) -> Finished {
        self.sorter.finish(&mut self.state);
        let State { mut trackers, mut tables, mut stats, .. } = self.state;
        trackers.close_args(&mut tables);
        for losses in losses {
            count_losses(losses, &mut stats);
        }
        count_losses(self.sorter.losses(), &mut stats);
        for ((machine, sequence), dropped, needing_state, skipped) in sequences {
            let loss = WriterLoss { dropped, needing_state, skipped };
            trackers.writers.count(machine, sequence, loss, &mut stats);
        }
        // A track that hangs from nothing cannot be placed, whether or not it has events.
        let orphans = trackers.uuids.orphans();
        stats.add(Stat::TrackHierarchyMissingUuid, orphans);
        stats.add(Stat::TrackEventParserErrors, orphans);
        let (start_ts, end_ts) = bounds(&trackers, &tables);
        tables.trace_bounds.push(TraceBoundsRow { start_ts, end_ts });
        Finished { tables, stats }
    }
}

/// The first and last moment of the trace; slices count to their ends.
fn bounds(trackers: &Trackers, tables: &Tables) -> (i64, i64) {
    let Some((start, mut end)) = trackers.bounds.get() else { return (0, 0) };
    for row in 0..tables.sched_slice.len() {
        let until = tables.sched_slice.ts.get(row) + tables.sched_slice.dur.get(row).max(0);
        end = end.max(until);
    }
    for row in 0..tables.slice.len() {
        end = end.max(tables.slice.ts.get(row) + tables.slice.dur.get(row).max(0));
    }
    (start, if end == start { end + 1 } else { end })
}

impl State<'_> {
    fn immediate(&mut self, immediate: Immediate) {
        match immediate {
            Immediate::Generation(generation) => self.interned.add_generation(generation),
            Immediate::Interned(generation, data) => {
                self.interned.add(generation, data, &mut self.stats);
            }
            Immediate::Packet { message, machine, ts, .. } => {
                let packet = Packet {
                    ts: ts.unwrap_or_default(),
                    data: self.bytes.get(message.span),
                    machine,
                    generation: message.generation,
                    interned: &self.interned,
                };
                let decode = self.decoders.get(message.kind as usize).copied().flatten();
                if let Some(decode) = decode {
                    decode(&packet, &mut self.trackers, &mut self.tables, &mut self.stats);
                }
            }
        }
    }
}

impl Emit for State<'_> {
    fn emit(&mut self, ts: i64, run: &Run, index: usize) {
        match (&run.payload, run.kind) {
            (Payload::Messages(messages), RunKind::PACKETS) => {
                let message = &messages[index];
                let packet = Packet {
                    ts,
                    data: self.bytes.get(message.span),
                    machine: run.machine,
                    generation: message.generation,
                    interned: &self.interned,
                };
                let decode = self.decoders.get(message.kind as usize).copied().flatten();
                if let Some(decode) = decode {
                    decode(&packet, &mut self.trackers, &mut self.tables, &mut self.stats);
                }
            }
            _ => {
                let event = RunEvent {
                    ts,
                    run,
                    index,
                    machine: self.trackers.machines.get(run.machine, &mut self.tables),
                    cpu: run.lane.saturating_sub(1),
                    bytes: self.bytes,
                    interned: &self.interned,
                };
                let State { trackers, tables, stats, .. } = self;
                ftrace::decode_run_event(&event, trackers, tables, stats);
            }
        }
    }
}
