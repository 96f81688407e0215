//! Which central buffer each writer sequence wrote to, as the recorder says at the end.

use rustc_hash::FxHashMap;
use tpq_tables::{Stat, Stats};

/// What a sequence lost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriterLoss {
    /// Places where packets were lost, the first packet of the sequence not counted.
    pub(crate) dropped: u64,
    /// Packets that needed incremental state.
    pub(crate) needing_state: u64,
    /// Those of them that had to be skipped.
    pub(crate) skipped: u64,
}

/// Remembers the buffers.
#[derive(Debug, Default)]
pub(crate) struct Writers {
    buffers: FxHashMap<(u32, u32), i64>,
}

impl Writers {
    pub(crate) fn set_buffer(&mut self, machine: u32, sequence: u32, buffer: i64) {
        self.buffers.insert((machine, sequence), buffer);
    }

    /// Counts what a sequence lost against its buffer.
    pub(crate) fn count(&self, machine: u32, sequence: u32, loss: WriterLoss, stats: &mut Stats) {
        let Some(&buffer) = self.buffers.get(&(machine, sequence)) else {
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
