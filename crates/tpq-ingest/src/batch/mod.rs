//! Walks the packets of a trace and hands them on in batches: stages frame, sequence, split and
//! clock for a few thousand packets at a time.

use rustc_hash::FxHashMap;
use tpq_clock::Clock;
use tpq_proto::fields::{gpu_counter_event, trace_packet, tracing_service_event};
use tpq_proto::wire::Fields;

use crate::event_time;
use crate::loss::LossEntry;
use crate::packet::PacketHeader;
use crate::prescan::{next_packet, span_of};
use crate::sequence::{ResolvedHeader, SequenceLoss, Sequences};
use crate::timeline::{Bundle, ClockNames, PendingRun};
use crate::{
    EventReader, Immediate, Loss, LossBook, Message, Payload, Route, Router, Run, RunKind,
    SnapshotPacket, SourceId, Span, SplitSink, Timeline, TraceBytes,
};

/// A batch ends after this many packets…
const BATCH_PACKETS: u32 = 8192;
/// …or this many bytes of them, whichever comes first.
const BATCH_BYTES: usize = 4 << 20;

/// Bytes of a packet of many events. Recorders write such packets of some 100 KiB, as they read the
/// kernel's buffers a few dozen pages at a time. A packet is split as a whole, and what it is split
/// into, of which nothing can be written to the store before, may take many times its bytes.
const LARGEST_BUNDLE: usize = 8 << 20;

/// Something the recorder did, which closes windows of the sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecorderEvent {
    /// All data sources have handed over what they had.
    Flushed,
    /// The recorder has written out all of its buffers.
    ReadBuffers,
}

/// The result of a few thousand packets.
#[derive(Debug, Default)]
pub struct Batch {
    /// Packets and changes that take effect in file order.
    pub immediate: Vec<Immediate>,
    /// Events in trace time, sorted within each run.
    pub runs: Vec<Run>,
    /// The event of the recorder at the end of the batch.
    pub recorder_event: Option<RecorderEvent>,
    /// Bytes of packets up to the end of this batch.
    pub done: u64,
    /// The number of the file.
    pub file: u32,
}

/// Facts about a file before it is read.
#[derive(Clone, Debug, Default)]
pub struct FileContext {
    /// The ranges that hold its packets.
    pub segments: Vec<(u64, usize)>,
    /// Clock snapshots, in file order.
    pub snapshots: Vec<SnapshotPacket>,
    /// By the id that packets give a machine: its source, and the clock ids there.
    pub machines: FxHashMap<u32, (SourceId, ClockNames)>,
    /// The source of packets without a machine.
    pub base: (SourceId, ClockNames),
}

impl FileContext {
    fn source(&self, machine: u32) -> (SourceId, ClockNames) {
        match machine {
            // The host: nearly all packets are its own.
            0 => self.base,
            machine => self.machines.get(&machine).copied().unwrap_or(self.base),
        }
    }
}

/// Walks a file.
pub struct Batcher<'a> {
    bytes: &'a TraceBytes<'a>,
    file: FileContext,
    timeline: Timeline,
    router: Box<dyn Router + 'a>,
    sequences: Sequences,
    losses: LossBook,
    segment: usize,
    at: usize,
    position: u32,
    next_snapshot: usize,
    done: u64,
    latest: i64,
}

/// The batch under way.
#[derive(Default)]
struct Open {
    batch: Batch,
    pending: Vec<PendingRun>,
    /// Where in `pending` the packets of a sequence and clock are gathered.
    gathering: FxHashMap<(SourceId, u32, Clock), usize>,
    /// The latest of these: writers' packets come in bursts.
    gathered: Option<((SourceId, u32, Clock), usize)>,
    /// Packets that do not say when.
    undated: Vec<Undated>,
    first_position: u32,
}

struct Undated {
    message: Message,
    source: SourceId,
}

impl<'a> Batcher<'a> {
    /// Begins at the first packet.
    pub fn new(
        bytes: &'a TraceBytes<'a>,
        file: FileContext,
        timeline: Timeline,
        router: Box<dyn Router + 'a>,
    ) -> Self {
        let mut sequences = Sequences::default();
        let clocks = file.snapshots.iter().flat_map(|snapshot| &snapshot.clocks);
        sequences.set_shared_clocks(clocks.map(|clock| (file.source(clock.machine).0, clock)));
        Self {
            bytes,
            file,
            timeline,
            router,
            sequences,
            losses: LossBook::default(),
            segment: 0,
            at: 0,
            position: 0,
            next_snapshot: 0,
            done: 0,
            latest: 0,
        }
    }

    /// Counts a loss that was found before the packets.
    pub fn lose(&mut self, entry: LossEntry) {
        self.losses.enter(entry, 1);
    }

    fn next_packet(&mut self) -> Option<(Span, &'a [u8])> {
        loop {
            let &(base, len) = self.file.segments.get(self.segment)?;
            let segment = self.bytes.range(base, len);
            if let Some((range, next)) = next_packet(segment, self.at) {
                self.at = next;
                return Some((span_of(base, &range), &segment[range]));
            }
            self.segment += 1;
            self.at = 0;
        }
    }

    fn take(&mut self, span: Span, packet: &[u8], open: &mut Open) {
        let header = PacketHeader::parse(packet);
        let (source, clocks) = self.file.source(header.machine);
        if header.damaged {
            self.losses.enter(self.entry(source, span), 1);
        }
        let immediate = &mut open.batch.immediate;
        let losses = self.losses.at(source);
        let resolved = self.sequences.resolve(&header, source, span, packet, immediate, losses);
        let (offset, len) = (header.payload.0 as usize, header.payload.1 as usize);
        let payload = &packet[offset..offset + len];
        let (clock_id, ns) = match self.event_time(&header, payload, &resolved) {
            Ok(written) => written,
            Err(loss) => {
                let (entry, sequence) = (self.entry(source, span), Some(header.sequence));
                return self.losses.enter(LossEntry { loss, sequence, ..entry }, 1);
            }
        };
        let clock_id = clock_id.unwrap_or(clocks.default);
        let clock = clocks.clock(header.sequence, clock_id);
        let route = self.router.route(header.kind);
        // Only what becomes an event: other packets may carry a time that means nothing.
        if let (Route::Sorted | Route::TwiceIfDated, Some(ns)) = (route, ns) {
            self.sequences.date(&header, (clock, ns), packet.len());
        }
        self.note(&header, payload, open);
        let location = span.inner(offset, len);
        let message = Message::new(location, resolved.generation, self.position, header.kind);
        let sequence = header.sequence;
        match route {
            Route::Skip => {}
            Route::Split => self.split(&header, message, payload, (clock_id, ns), open),
            Route::Immediate => {
                let ts = ns.and_then(|ns| {
                    let entry = self.entry(source, span);
                    self.timeline.date(clock, ns, entry, &mut self.losses)
                });
                open.apply(source, sequence, message, ts);
            }
            Route::Sorted => open.sort(source, sequence, clock, message, ns),
            Route::Twice => {
                open.apply(source, sequence, message, None);
                open.sort(source, sequence, clock, message, ns);
            }
            Route::TwiceIfDated => {
                open.apply(source, sequence, message, None);
                if ns.is_some() {
                    open.sort(source, sequence, clock, message, ns);
                } else if has_counters(payload) {
                    let entry =
                        LossEntry { loss: Loss::UndatedCounters, ..self.entry(source, span) };
                    self.losses.enter(entry, 1);
                }
            }
        }
    }

    /// Takes note of packets that change how others are read or sorted.
    fn note(&mut self, header: &PacketHeader, payload: &[u8], open: &mut Open) {
        match header.kind {
            trace_packet::CLOCK_SNAPSHOT => self.note_snapshot(header),
            trace_packet::SERVICE_EVENT => open.batch.recorder_event = recorder_event_of(payload),
            _ => {}
        }
    }

    /// The clock and the time of a packet; those of a track event may lie in the event, and those of
    /// a streamed profile count from earlier ones.
    fn event_time(
        &mut self,
        header: &PacketHeader,
        payload: &[u8],
        resolved: &ResolvedHeader,
    ) -> Result<(Option<u32>, Option<i64>), Loss> {
        if !resolved.usable {
            return Err(Loss::SkippedWithoutState);
        }
        let written = (resolved.clock, resolved.ns);
        match (header.kind, written.1) {
            (trace_packet::TRACK_EVENT, _) if header.sequence == 0 => {
                Err(Loss::EventWithoutSequence)
            }
            (trace_packet::TRACK_EVENT, None) => {
                let ns = self.sequences.event_time(header, payload)?.ok_or(Loss::UndatedEvent)?;
                Ok((Some(event_time::CLOCK), Some(ns)))
            }
            (trace_packet::STREAMING_PROFILE_PACKET, _) => {
                let ns = self.sequences.profile_time(header, payload)?;
                Ok((Some(event_time::CLOCK), Some(ns)))
            }
            (trace_packet::THREAD_DESCRIPTOR, _) if header.sequence == 0 => {
                Err(Loss::ThreadWithoutSequence)
            }
            (trace_packet::THREAD_DESCRIPTOR, _) => {
                let valid = self.sequences.note_event_time(header, payload);
                if valid { Ok(written) } else { Err(Loss::ThreadWithoutState) }
            }
            (trace_packet::TRACK_DESCRIPTOR, _) => {
                self.sequences.note_event_time(header, payload);
                Ok(written)
            }
            _ => Ok(written),
        }
    }

    /// Where the packet under way lies, for a loss of it.
    fn entry(&self, source: SourceId, span: Span) -> LossEntry {
        LossEntry::at(Loss::MalformedPacket, source, span.addr, self.position)
    }

    fn split(
        &mut self,
        header: &PacketHeader,
        message: Message,
        payload: &[u8],
        (clock, ns): (u32, Option<i64>),
        open: &mut Open,
    ) {
        let (source, clocks) = self.file.source(header.machine);
        if payload.len() > LARGEST_BUNDLE {
            let loss = match header.kind {
                trace_packet::FTRACE_EVENTS => Loss::MalformedBundle,
                _ => Loss::MalformedPacket,
            };
            let entry = LossEntry { loss, ..self.entry(source, message.span()) };
            return self.losses.enter(entry, 1);
        }
        let bundle = Bundle {
            kind: header.kind,
            span: message.span(),
            payload,
            source,
            generation: message.generation,
            sequence: header.sequence,
            position: self.position,
            clock,
            ns,
        };
        let before = open.pending.len();
        let mut sink = SplitSink {
            timeline: &mut self.timeline,
            clocks,
            sequence: header.sequence,
            source,
            pending: &mut open.pending,
            immediate: &mut open.batch.immediate,
            losses: &mut self.losses,
        };
        self.router.split(bundle, &mut sink);
        // The bytes count once, at the last event: a bundle is written when it is complete.
        let mut len = payload.len();
        for PendingRun { clock, run } in &open.pending[before..] {
            if let (Some(&first), Some(&last)) = (run.timestamps.first(), run.timestamps.last()) {
                self.sequences.date(header, (*clock, first), 0);
                self.sequences.date(header, (*clock, last), std::mem::take(&mut len));
            }
        }
    }

    fn note_snapshot(&mut self, header: &PacketHeader) {
        let rest = &self.file.snapshots[self.next_snapshot..];
        let skip = rest.iter().take_while(|snapshot| snapshot.position < self.position).count();
        self.next_snapshot += skip;
        if let Some(snapshot) = rest.get(skip)
            && snapshot.position == self.position
        {
            self.sequences.set_own_clocks(header, &snapshot.clocks);
        }
    }

    fn close(&mut self, mut open: Open) -> Batch {
        let runs: Vec<Run> = open
            .pending
            .drain(..)
            .filter_map(|pending| self.timeline.convert(pending, &mut self.losses))
            .collect();
        let latest = match open.undated.is_empty() {
            true => {
                self.note_latest(&runs);
                Vec::new()
            }
            false => self.latest_by_packet(&runs, open.first_position),
        };
        for run in runs {
            run.into_sorted(&mut open.batch.runs);
        }
        for undated in open.undated {
            let index = (undated.message.position - open.first_position) as usize;
            open.batch.runs.push(message_run(undated.source, undated.message, latest[index]));
        }
        open.batch
    }

    /// Notes the latest time of any event.
    fn note_latest(&mut self, runs: &[Run]) {
        for run in runs {
            self.latest = run.timestamps.iter().copied().fold(self.latest, i64::max);
        }
    }

    /// For each packet of the batch, the latest time of any event up to it: when a packet that
    /// does not say when is taken to have happened.
    fn latest_by_packet(&mut self, runs: &[Run], first_position: u32) -> Vec<i64> {
        let mut latest = vec![i64::MIN; (self.position - first_position) as usize];
        for run in runs {
            match &run.payload {
                Payload::Messages(messages) => {
                    for (message, &ts) in messages.iter().zip(&run.timestamps) {
                        let slot = &mut latest[(message.position - first_position) as usize];
                        *slot = ts.max(*slot);
                    }
                }
                _ => {
                    let slot = &mut latest[(run.position - first_position) as usize];
                    *slot = run.timestamps.iter().copied().fold(*slot, i64::max);
                }
            }
        }
        for slot in &mut latest {
            self.latest = self.latest.max(*slot);
            *slot = self.latest;
        }
        latest
    }
}

/// Whether the payload of a packet of GPU counters has values, not only descriptions.
fn has_counters(payload: &[u8]) -> bool {
    Fields::new(payload).any(|field| field.number == gpu_counter_event::COUNTERS)
}

impl EventReader for Batcher<'_> {
    fn next_batch(&mut self) -> Option<Batch> {
        let mut open = Open { first_position: self.position, ..Open::default() };
        let mut bytes = 0;
        while open.batch.recorder_event.is_none()
            && self.position - open.first_position < BATCH_PACKETS
            && bytes < BATCH_BYTES
        {
            let Some((span, packet)) = self.next_packet() else { break };
            bytes += packet.len();
            self.take(span, packet, &mut open);
            self.position += 1;
        }
        if self.position == open.first_position {
            return None;
        }
        self.done += bytes as u64;
        open.batch.done = self.done;
        open.batch.file = self.file.base.1.source.file;
        Some(self.close(open))
    }

    fn event_count(&self) -> u64 {
        u64::from(self.position)
    }

    fn losses(&self) -> &LossBook {
        &self.losses
    }

    fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    fn source(&self, machine: u32) -> SourceId {
        self.file.source(machine).0
    }

    fn sequence_losses(&self) -> Vec<SequenceLoss> {
        // A timeline of its own: what is asked for here places no event.
        let mut timeline = self.timeline.clone();
        self.sequences.losses(|(clock, ns)| Some(timeline.converter(clock)?.convert_one(ns)))
    }

    fn sequence_count(&self) -> u64 {
        self.sequences.len() as u64
    }
}

impl Open {
    /// Adds a packet that takes effect before the events of the batch.
    fn apply(&mut self, source: SourceId, sequence: u32, message: Message, ts: Option<i64>) {
        self.batch.immediate.push(Immediate::Packet { message, source, sequence, ts });
    }

    fn sort(
        &mut self,
        source: SourceId,
        sequence: u32,
        clock: Clock,
        message: Message,
        ns: Option<i64>,
    ) {
        match ns {
            Some(ns) => self.gather(source, sequence, clock, message, ns),
            None => self.undated.push(Undated { message, source }),
        }
    }

    fn gather(&mut self, source: SourceId, sequence: u32, clock: Clock, message: Message, ns: i64) {
        let pending = &mut self.pending;
        let key = (source, sequence, clock);
        let index = match self.gathered {
            Some((latest, index)) if latest == key => index,
            _ => *self.gathering.entry(key).or_insert_with(|| {
                let mut run = message_run(source, message, ns);
                run.timestamps.clear();
                run.payload = Payload::Messages(Vec::new());
                pending.push(PendingRun { clock, run });
                pending.len() - 1
            }),
        };
        self.gathered = Some((key, index));
        let run = &mut pending[index].run;
        run.timestamps.push(ns);
        if let Payload::Messages(messages) = &mut run.payload {
            messages.push(message);
        }
    }
}

fn message_run(source: SourceId, message: Message, ts: i64) -> Run {
    Run {
        kind: RunKind::PACKETS,
        cpu: None,
        source,
        generation: message.generation,
        position: message.position,
        addr: message.span().addr,
        timestamps: vec![ts],
        payload: Payload::Messages(vec![message]),
    }
}

fn recorder_event_of(service_event: &[u8]) -> Option<RecorderEvent> {
    Fields::new(service_event).find_map(|field| match field.number {
        tracing_service_event::ALL_DATA_SOURCES_FLUSHED if field.as_bool() => {
            Some(RecorderEvent::Flushed)
        }
        tracing_service_event::READ_TRACING_BUFFERS_COMPLETED if field.as_bool() => {
            Some(RecorderEvent::ReadBuffers)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests;
