//! Finds the decoder of each packet and event.

use tpq_ingest::{Immediate, Message, Payload, Run, RunKind, SourceId};

use super::State;
use crate::decode::Packet;
use crate::decode::track_event::Ahead;
use crate::event::RunEvent;
use crate::registry::event_decoder;

impl State<'_> {
    /// Decodes a packet of a file that takes effect before all events after it.
    pub(super) fn immediate(&mut self, immediate: Immediate, file: u32) {
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
                self.packet(ts, true, source, &message, None);
            }
        }
    }

    #[inline]
    fn packet(
        &mut self,
        ts: Option<i64>,
        early: bool,
        id: SourceId,
        message: &Message,
        ahead: Option<&Ahead>,
    ) {
        let source = self.sources.get(id);
        let packet = Packet {
            timestamp: ts,
            early,
            data: self.bytes.get(message.span()),
            span: message.span(),
            source: id,
            machine: source.machine,
            boottime: self.boottime[id as usize].as_ref(),
            monotonic_coarse: self.monotonic_coarse[id as usize].as_ref(),
            default_clock: self.default_clock[id as usize].as_ref(),
            generation: message.generation,
            interned: &self.interned[source.file as usize],
            ahead,
        };
        let decode = self.decoders.get(message.kind as usize).copied().flatten();
        if let Some(decode) = decode {
            self.trackers.enter(id);
            let stats = &mut self.stats[id as usize];
            decode(&packet, &mut self.trackers, &mut self.tables, stats);
        }
    }

    /// Decodes an event of a run; `ahead` is what was read of it before.
    pub(super) fn event(&mut self, ts: i64, run: &Run, index: usize, ahead: Option<&Ahead>) {
        match (&run.payload, run.kind) {
            (Payload::Messages(messages), RunKind::PACKETS) => {
                self.packet(Some(ts), false, run.source, &messages[index], ahead);
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
