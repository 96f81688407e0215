//! Which central buffer each writer sequence wrote to, as the recorder of a file says at the end.

use rustc_hash::FxHashMap;
use tpq_ingest::SequenceLoss;
use tpq_tables::{Stat, Stats};

/// Remembers the buffers.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    buffers: FxHashMap<u32, i64>,
}

impl Writers {
    pub(crate) fn set_buffer(&mut self, sequence: u32, buffer: i64) {
        self.buffers.insert(sequence, buffer);
    }

    /// Counts what a sequence lost against its buffer.
    pub(crate) fn count(&self, loss: SequenceLoss, stats: &mut Stats) {
        let Some(&buffer) = self.buffers.get(&loss.sequence) else {
            stats.add(Stat::SequencePacketLoss, loss.dropped as i64);
            return;
        };
        if loss.dropped > 0 {
            stats.add_indexed(Stat::TracedBufSequencePacketLoss, buffer, loss.dropped as i64);
        }
        if loss.needing_state > 0 && loss.needing_state == loss.skipped {
            stats.add_indexed(Stat::TracedBufIncrementalSequencesDropped, buffer, 1);
        }
    }
}
