//! The recording of a file: its configuration, and the events of its buffers.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::requested::RequestedConfig;

/// Counts of a central buffer.
#[derive(Clone, Copy, Debug, Default)]
pub struct CentralBuffer {
    /// Size in bytes.
    pub size: u64,
    /// Bytes written.
    pub bytes_written: u64,
    /// Bytes overwritten before they were read.
    pub bytes_overwritten: u64,
    /// Chunks written.
    pub chunks_written: u64,
    /// Chunks overwritten before they were read.
    pub chunks_overwritten: u64,
    /// Chunks discarded because the buffer was full.
    pub chunks_discarded: u64,
    /// Number of times that writing started again at the beginning.
    pub wraps: u64,
    /// Late changes of chunks that were no longer in the buffer.
    pub patches_failed: u64,
    /// Chunks that do not follow the protocol of producers.
    pub abi_violations: u64,
    /// Chunks that never arrived, as the shared memory was full.
    pub packet_loss: u64,
}

/// Counts of the kernel's buffer of a CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelCounts {
    /// Events overwritten before they were read.
    pub overrun: i64,
    /// Events the kernel could not write: an event interrupted another.
    pub commit_overrun: i64,
    /// Events the kernel had no room for.
    pub dropped: i64,
    /// Events that were read.
    pub read: i64,
}

impl KernelCounts {
    /// Events that were written: those read and those overwritten before.
    pub fn written(&self) -> i64 {
        self.overrun.saturating_add(self.read)
    }

    /// The difference from earlier counts.
    fn since(self, before: Self) -> Self {
        Self {
            overrun: self.overrun.saturating_sub(before.overrun),
            commit_overrun: self.commit_overrun.saturating_sub(before.commit_overrun),
            dropped: self.dropped.saturating_sub(before.dropped),
            read: self.read.saturating_sub(before.read),
        }
    }

    fn lost(&self) -> i64 {
        self.overrun.saturating_add(self.commit_overrun).saturating_add(self.dropped)
    }
}

/// Losses of the kernel's buffer of a CPU.
#[derive(Clone, Debug, Default)]
pub struct KernelBuffer {
    /// Counts while recording.
    pub counts: KernelCounts,
    /// The writer sequence that counted it.
    counted_by: Option<u32>,
    /// The number of gaps with lost events.
    pub lost_in: i64,
    /// The last moment before each gap, and the first after it.
    pub gaps: Vec<(Option<i64>, i64)>,
}

/// One file's recording.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The configuration, if the trace has it.
    pub requested: Option<RequestedConfig>,
    /// Central buffers in the order of the configuration.
    pub buffers: Vec<CentralBuffer>,
    /// Kernel buffers by machine and CPU.
    pub kernel: BTreeMap<(u32, u32), KernelBuffer>,
    /// Counts of the kernel's buffers at the start, by writer sequence and CPU.
    kernel_at_start: FxHashMap<(u32, (u32, u32)), KernelCounts>,
    /// The kernel's buffer of one CPU as it was, in KiB.
    pub kernel_buffer_kb: Option<u32>,
    /// Errors from enabling the kernel's events, in words.
    pub setup_errors: Vec<String>,
    /// Producers and data sources that did not answer the last flush.
    pub unflushed: Vec<(String, String)>,
    /// Whether the flush at the end failed.
    pub final_flush_failed: bool,
    /// Number of flushes that failed.
    pub flushes_failed: u64,
    /// Start of the recording, ns of trace time.
    pub started: Option<i64>,
    /// End of the recording, ns of trace time.
    pub stopped: Option<i64>,
    /// Payload fields of the packets of the file.
    pub packet_kinds: BTreeSet<u32>,
    /// Major version of the tracing service.
    pub service_version: Option<u32>,
    /// Whether the machine is an Android device as it is sold, rather than a developer's build.
    pub is_user_build: bool,
}

/// Gaps of one CPU that are remembered one by one.
const MOST_GAPS: usize = 100;

impl Recording {
    /// How long was recorded, in ns.
    pub fn length(&self) -> Option<i64> {
        self.stopped?.checked_sub(self.started?).filter(|&length| length > 0)
    }

    /// Notes what was counted in the buffer of a CPU before the recording.
    pub fn count_at_start(&mut self, sequence: u32, cpu: (u32, u32), counts: KernelCounts) {
        self.kernel_at_start.insert((sequence, cpu), counts);
    }

    /// Notes what was counted at the end. Without a count from the start, what came before it
    /// cannot be distinguished, and is not part of this recording.
    ///
    /// Several data sources may record kernel events, from one buffer or each from its own, and do
    /// not say which. Their counts are not added up: the counts with the largest loss are used.
    pub fn count_at_end(&mut self, sequence: u32, cpu: (u32, u32), counts: KernelCounts) {
        let before = self.kernel_at_start.get(&(sequence, cpu)).copied();
        let while_recording = before.map(|before| counts.since(before)).unwrap_or_default();
        let buffer = self.kernel.entry(cpu).or_default();
        let own = buffer.counted_by.is_none_or(|by| by == sequence);
        if own || while_recording.lost() > buffer.counts.lost() {
            buffer.counts = while_recording;
            buffer.counted_by = Some(sequence);
        }
    }

    /// The buffer of a CPU lost events between two that were read.
    pub fn add_gap(&mut self, cpu: (u32, u32), after: Option<i64>, before: i64) {
        let buffer = self.kernel.entry(cpu).or_default();
        buffer.lost_in += 1;
        let full = buffer.gaps.len() >= MOST_GAPS;
        match buffer.gaps.last_mut() {
            // The last that is remembered reaches over all that come after it.
            Some(last) if full => last.1 = before.max(last.1),
            _ => buffer.gaps.push((after, before)),
        }
    }
}
