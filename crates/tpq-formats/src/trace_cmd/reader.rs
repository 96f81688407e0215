//! Reads the packets that a recording became.

use tpq_decode::PacketRouter;
use tpq_ingest::{
    Batch, Batcher, EventReader, Loss, LossBook, LossEntry, Payload, Run, SequenceLoss, SourceId,
    TextLocation, Timeline,
};

use super::NAMES;
use super::facts::problems;
use super::recording::{Problem, Recording};
use crate::OpenFile;

/// Bytes that sections of a recording which cannot be read may unpack to.
const LARGEST_SECTION: usize = 64 << 20;

/// Reads a recording: its facts, then its events.
pub(super) struct TraceCmdReader<'a> {
    packets: Batcher<'a>,
    /// The names of threads, in the first batch.
    names: Option<Run>,
    file: u32,
}

impl<'a> TraceCmdReader<'a> {
    pub(super) fn new(open: OpenFile<'a>) -> Self {
        let OpenFile { bytes, mut file, timeline, .. } = open;
        let source = file.base.0;
        let of_file = file.base.1.source.file;
        let recording = match file.segments.is_empty() {
            true => (0, 0),
            false => file.segments.remove(0),
        };
        // The last part has the facts. Without one nothing of the file could be read.
        let facts = file.segments.pop();
        let text = facts.map(|(addr, len)| bytes.range(addr, len));
        let damage: Vec<Problem> = match text {
            Some(text) => problems(text).collect(),
            None => {
                let file = bytes.range(recording.0, recording.1);
                Recording::read(file, LARGEST_SECTION).err().into_iter().collect()
            }
        };
        let names = facts.and_then(|(addr, len)| {
            let ranges = vec![(0, u32::try_from(len).ok()?)];
            let payload = Payload::Bundle { addr, ranges };
            Some(names_run(source, addr, payload))
        });
        let mut packets = Batcher::new(bytes, file, timeline, Box::new(PacketRouter::default()));
        for (at, what) in damage {
            packets.lose(entry(source, recording.0, at, what.words()));
        }
        Self { packets, names, file: of_file }
    }
}

/// The run of the names, before all events.
fn names_run(source: SourceId, addr: u64, payload: Payload) -> Run {
    Run {
        kind: NAMES,
        cpu: None,
        source,
        generation: 0,
        position: 0,
        addr,
        timestamps: vec![0],
        payload,
    }
}

fn entry(source: SourceId, base: u64, at: usize, what: &'static str) -> LossEntry {
    LossEntry {
        text: Some(TextLocation { line: 0, column: at as u64, what }),
        ..LossEntry::at(Loss::MalformedRecord, source, base + at as u64, 0)
    }
}

impl EventReader for TraceCmdReader<'_> {
    fn next_batch(&mut self) -> Option<Batch> {
        match self.names.take() {
            Some(names) => Some(Batch { file: self.file, runs: vec![names], ..Batch::default() }),
            None => self.packets.next_batch(),
        }
    }

    fn event_count(&self) -> u64 {
        self.packets.event_count()
    }

    fn losses(&self) -> &LossBook {
        self.packets.losses()
    }

    fn timeline(&self) -> &Timeline {
        self.packets.timeline()
    }

    fn source(&self, machine: u32) -> SourceId {
        self.packets.source(machine)
    }

    fn sequence_losses(&self) -> Vec<SequenceLoss> {
        self.packets.sequence_losses()
    }

    fn sequence_count(&self) -> u64 {
        self.packets.sequence_count()
    }
}
