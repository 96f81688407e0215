//! Which central buffer each writer sequence wrote to, as the recorder of a file says at the end.

use rustc_hash::FxHashMap;
use tpq_ingest::SequenceLoss;
use tpq_tables::{Stat, Stats};

/// The bits of `previous_packet_dropped` that give a reason.
const REASONS: &[(usize, Stat)] = &[
    (1, Stat::TracedBufDataLossReadGap),
    (2, Stat::TracedBufDataLossChunkCorrupted),
    (3, Stat::TracedBufDataLossOrphanContinuation),
    (4, Stat::TracedBufDataLossReassemblyGap),
    (5, Stat::TracedBufDataLossReassemblyBrokenChain),
    (6, Stat::TracedBufDataLossOverwrite),
    (7, Stat::TracedBufDataLossWriterAbort),
    (8, Stat::TracedBufDataLossSmbFull),
];

/// Counts by buffer where the recorder states the buffer of each writer.
pub fn by_writer() -> impl Iterator<Item = Stat> {
    let own = [Stat::TracedBufSequencePacketLoss, Stat::TracedBufIncrementalSequencesDropped];
    own.into_iter().chain(REASONS.iter().map(|&(_, stat)| stat))
}

/// Remembers the buffers.
#[derive(Debug, Default)]
pub struct Writers {
    buffers: FxHashMap<u32, i64>,
}

impl Writers {
    /// Sets the buffer that a sequence writes to.
    pub fn set_buffer(&mut self, sequence: u32, buffer: i64) {
        self.buffers.insert(sequence, buffer);
    }

    /// The buffer a sequence wrote to, where the recorder says.
    pub fn buffer(&self, sequence: u32) -> Option<i64> {
        self.buffers.get(&sequence).copied()
    }

    /// Counts what a sequence lost against its buffer.
    pub fn count(&self, loss: &SequenceLoss, stats: &mut Stats) {
        let Some(&buffer) = self.buffers.get(&loss.sequence) else {
            stats.add(Stat::SequencePacketLoss, loss.dropped as i64);
            return;
        };
        if loss.dropped > 0 {
            stats.add_indexed(Stat::TracedBufSequencePacketLoss, buffer, loss.dropped as i64);
        }
        for (bit, stat) in REASONS {
            if loss.reasons[*bit] > 0 {
                stats.add_indexed(*stat, buffer, loss.reasons[*bit] as i64);
            }
        }
        if loss.needing_state > 0 && loss.needing_state == loss.skipped {
            stats.add_indexed(Stat::TracedBufIncrementalSequencesDropped, buffer, 1);
        }
    }
}
