//! How a file was recorded: what was asked for, what the recorder's buffers did, and when.

use std::collections::BTreeMap;

/// What the configuration asked for, where it did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    /// The policy of each central buffer.
    pub(crate) buffers: Vec<FillPolicy>,
    /// Data sources and the number of the buffer each writes to.
    pub(crate) sources: Vec<(String, u32)>,
    /// Between two drains of the buffers into the file, in ms, where there is a file.
    pub(crate) file_write_period_ms: Option<u32>,
    /// Between two flushes, in ms.
    pub(crate) flush_period_ms: Option<u32>,
    /// Between two clearings of incremental state, in ms.
    pub(crate) clear_period_ms: Option<u32>,
    /// The largest shared memory buffer that was asked for, in KiB.
    pub(crate) shmem_size_kb: Option<u32>,
    /// The kernel's buffer of one CPU, in KiB.
    pub(crate) kernel_buffer_kb: Option<u32>,
    /// Between two drains of the kernel's buffers, in ms.
    pub(crate) drain_period_ms: Option<u32>,
}

/// What happens when a buffer is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum FillPolicy {
    #[default]
    Ring,
    Discard,
}

impl FillPolicy {
    /// The word of the configuration.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ring => "RING_BUFFER",
            Self::Discard => "DISCARD",
        }
    }
}

/// What a central buffer counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CentralBuffer {
    pub(crate) size: u64,
    pub(crate) bytes_written: u64,
    pub(crate) bytes_overwritten: u64,
    pub(crate) chunks_written: u64,
    pub(crate) chunks_overwritten: u64,
    pub(crate) chunks_discarded: u64,
    pub(crate) wraps: u64,
    pub(crate) patches_failed: u64,
    pub(crate) abi_violations: u64,
    /// Chunks that never arrived, as the shared memory was full.
    pub(crate) packet_loss: u64,
}

/// What the kernel's buffer of a CPU lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct KernelBuffer {
    /// Events overwritten before they were read, while recording.
    pub(crate) overrun: i64,
    /// Events the kernel could not write: an event interrupted another.
    pub(crate) commit_overrun: i64,
    /// Events the kernel had no room for.
    pub(crate) dropped: i64,
    /// Events that were read.
    pub(crate) read: i64,
    /// The last moment before each place where events were lost, and the first after it.
    pub(crate) gaps: Vec<(Option<i64>, i64)>,
}

/// One file's recording.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recording {
    pub(crate) wanted: Option<Wanted>,
    pub(crate) buffers: Vec<CentralBuffer>,
    pub(crate) kernel: BTreeMap<(u32, u32), KernelBuffer>,
    /// The kernel's buffer of one CPU as it was, in KiB.
    pub(crate) kernel_buffer_kb: Option<u32>,
    /// What went wrong when the kernel's events were switched on, in words.
    pub(crate) setup_errors: Vec<String>,
    /// Producers and data sources that did not answer the last flush.
    pub(crate) unflushed: Vec<(String, String)>,
    pub(crate) final_flush_failed: bool,
    pub(crate) flushes_failed: u64,
    /// When the recording started and stopped.
    pub(crate) started: Option<i64>,
    pub(crate) stopped: Option<i64>,
}

/// Gaps of one CPU that are remembered one by one.
const MOST_GAPS: usize = 100;

impl Recording {
    /// How long was recorded, in ns.
    pub(crate) fn length(&self) -> Option<i64> {
        self.stopped?.checked_sub(self.started?).filter(|&length| length > 0)
    }

    /// The buffer of a CPU lost events between two that were read.
    pub(crate) fn add_gap(&mut self, cpu: (u32, u32), after: Option<i64>, before: i64) {
        let gaps = &mut self.kernel.entry(cpu).or_default().gaps;
        if gaps.len() < MOST_GAPS {
            gaps.push((after, before));
        }
    }
}
