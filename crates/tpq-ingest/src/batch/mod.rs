//! Walks the packets of a trace and hands them on in batches: stages frame, sequence, split and
//! clock for a few thousand packets at a time.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_clock::Clock;
use tpq_proto::wire::Fields;

use crate::packet::{PacketHeader, packet_field};
use crate::sequence::Sequences;
use crate::survey::{SnapshotPacket, next_packet, span_of};
use crate::timeline::{Bundle, PendingRun};
use crate::{
    Immediate, Loss, Losses, Message, Payload, Route, Router, Run, RunKind, Span, SplitSink,
    Timeline, TraceBytes,
};

/// A batch ends after this many packets…
const BATCH_PACKETS: u32 = 8192;
/// …or this many bytes of them, whichever comes first.
const BATCH_BYTES: usize = 4 << 20;

/// Something the recorder did, which closes windows of the sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// All data sources have handed over what they had.
    Flushed,
    /// The recorder has written out all of its buffers.
    ReadBuffers,
}

/// What a few thousand packets came to.
#[derive(Debug, Default)]
pub struct Batch {
    /// What takes effect in file order.
    pub immediate: Vec<Immediate>,
    /// Events in trace time, sorted within each run.
    pub runs: Vec<Run>,
    /// What the recorder did at the end of the batch.
    pub mark: Option<Mark>,
    /// Bytes of packets up to the end of this batch.
    pub done: u64,
}

/// Walks a trace.
pub struct Batcher<'a> {
    bytes: &'a TraceBytes<'a>,
    snapshots: Arc<[SnapshotPacket]>,
    timeline: Timeline,
    router: Box<dyn Router + 'a>,
    sequences: Sequences,
    losses: Losses,
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
    gathering: FxHashMap<(u32, u32, Option<Clock>), usize>,
    /// Packets that do not say when.
    undated: Vec<Undated>,
    first_position: u32,
}

struct Undated {
    message: Message,
    machine: u32,
}

impl<'a> Batcher<'a> {
    /// Begins at the first packet.
    pub fn new(
        bytes: &'a TraceBytes<'a>,
        snapshots: Arc<[SnapshotPacket]>,
        timeline: Timeline,
        router: Box<dyn Router + 'a>,
    ) -> Self {
        Self {
            bytes,
            snapshots,
            timeline,
            router,
            sequences: Sequences::default(),
            losses: Losses::default(),
            segment: 0,
            at: 0,
            position: 0,
            next_snapshot: 0,
            done: 0,
            latest: 0,
        }
    }

    /// What was lost so far.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// The sequences with what they lost: packets dropped, packets that needed state, and those
    /// of them that were skipped.
    pub fn sequence_losses(&self) -> impl Iterator<Item = ((u32, u32), u64, u64, u64)> + '_ {
        self.sequences.losses()
    }

    /// The number of writer sequences seen.
    pub fn sequence_count(&self) -> u64 {
        self.sequences.len() as u64
    }

    /// The next batch; `None` after the last.
    pub fn next_batch(&mut self) -> Option<Batch> {
        let mut open = Open { first_position: self.position, ..Open::default() };
        let mut bytes = 0;
        while open.batch.mark.is_none()
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
        Some(self.close(open))
    }

    fn next_packet(&mut self) -> Option<(Span, &'a [u8])> {
        loop {
            let &(base, len) = self.bytes.segments().get(self.segment)?;
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
        if header.damaged {
            self.losses.count(Loss::MalformedPacket);
        }
        let immediate = &mut open.batch.immediate;
        let placed = self.sequences.place(&header, span, packet, immediate, &mut self.losses);
        if !placed.usable {
            return;
        }
        let (offset, len) = (header.payload.0 as usize, header.payload.1 as usize);
        let payload = &packet[offset..offset + len];
        match header.kind {
            packet_field::CLOCK_SNAPSHOT => self.note_snapshot(&header),
            packet_field::SERVICE_EVENT => open.batch.mark = mark_of(payload),
            _ => {}
        }
        let route = self.router.route(header.kind);
        let clock = placed.clock.map(|id| Clock::new(header.machine, header.sequence, id));
        let clock = clock.filter(|&clock| clock != self.timeline.trace_clock());
        let message = Message {
            span: span.inner(offset, len),
            generation: placed.generation,
            position: self.position,
            kind: header.kind,
        };
        match (route, placed.ns) {
            (Route::Skip, _) => {}
            (Route::Split, _) => {
                let bundle = Bundle {
                    kind: header.kind,
                    span: message.span,
                    payload,
                    machine: header.machine,
                    generation: placed.generation,
                    sequence: header.sequence,
                    position: self.position,
                };
                let mut sink = SplitSink {
                    pending: &mut open.pending,
                    immediate: &mut open.batch.immediate,
                    losses: &mut self.losses,
                };
                self.router.split(bundle, &mut sink);
            }
            (Route::Immediate, ns) => {
                let ts = ns.and_then(|ns| match clock {
                    Some(clock) => self.timeline.to_trace_time(clock, ns),
                    None => Some(ns),
                });
                open.batch.immediate.push(Immediate::Packet {
                    message,
                    machine: header.machine,
                    sequence: header.sequence,
                    ts,
                });
            }
            (Route::Sorted, Some(ns)) => open.gather(&header, clock, message, ns),
            (Route::Sorted, None) => {
                open.undated.push(Undated { message, machine: header.machine });
            }
        }
    }

    fn note_snapshot(&mut self, header: &PacketHeader) {
        let rest = &self.snapshots[self.next_snapshot..];
        let skip = rest.iter().take_while(|snapshot| snapshot.position < self.position).count();
        self.next_snapshot += skip;
        if let Some(snapshot) = rest.get(skip)
            && snapshot.position == self.position
        {
            self.sequences.set_clocks(header, &snapshot.clocks);
        }
    }

    fn close(&mut self, mut open: Open) -> Batch {
        let runs: Vec<Run> = open
            .pending
            .drain(..)
            .filter_map(|pending| self.timeline.convert(pending, &mut self.losses))
            .collect();
        let latest = self.latest_by_packet(&runs, open.first_position);
        for run in runs {
            run.into_sorted(&mut open.batch.runs);
        }
        for undated in open.undated {
            let index = (undated.message.position - open.first_position) as usize;
            open.batch.runs.push(message_run(undated.machine, undated.message, latest[index]));
        }
        open.batch
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

impl Open {
    fn gather(&mut self, header: &PacketHeader, clock: Option<Clock>, message: Message, ns: i64) {
        let pending = &mut self.pending;
        let key = (header.machine, header.sequence, clock);
        let index = *self.gathering.entry(key).or_insert_with(|| {
            let mut run = message_run(header.machine, message, ns);
            run.timestamps.clear();
            run.payload = Payload::Messages(Vec::new());
            pending.push(PendingRun { clock, run });
            pending.len() - 1
        });
        let run = &mut pending[index].run;
        run.timestamps.push(ns);
        if let Payload::Messages(messages) = &mut run.payload {
            messages.push(message);
        }
    }
}

fn message_run(machine: u32, message: Message, ts: i64) -> Run {
    Run {
        kind: RunKind::PACKETS,
        lane: 0,
        machine,
        generation: message.generation,
        position: message.position,
        timestamps: vec![ts],
        payload: Payload::Messages(vec![message]),
    }
}

fn mark_of(service_event: &[u8]) -> Option<Mark> {
    Fields::new(service_event).find_map(|field| match field.number {
        3 if field.as_bool() => Some(Mark::Flushed),
        4 if field.as_bool() => Some(Mark::ReadBuffers),
        _ => None,
    })
}

#[cfg(test)]
mod tests;
