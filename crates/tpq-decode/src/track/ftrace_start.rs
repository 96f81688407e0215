//! Where the kernel's events begin to belong to the trace.
//!
//! Kernel buffers may hold events from before tracing started; those are counted and dropped. And
//! where a ring buffer wrapped, each CPU's data begins at another time: only from the latest of
//! these on is there data of all CPUs.

use rustc_hash::FxHashMap;

/// Remembers the start.
#[derive(Debug, Default)]
pub(crate) struct FtraceStart {
    tracing_started: Option<i64>,
    /// Where each CPU's first bundle begins, in trace time.
    first_bundle: FxHashMap<(u32, u32), i64>,
    latest_start: i64,
}

impl FtraceStart {
    pub(crate) fn set_tracing_started(&mut self, ts: i64) {
        self.tracing_started = Some(ts);
    }

    /// Whether an event at `ts` is from before tracing started.
    pub(crate) fn is_before(&self, ts: i64) -> bool {
        self.tracing_started.is_some_and(|start| ts < start)
    }

    /// Whether an event at `ts` is from before all CPUs have data. What runs where and who waits
    /// for whom cannot be told from some of the CPUs.
    pub(crate) fn is_partial(&self, ts: i64) -> bool {
        ts < self.latest_start
    }

    /// Notes the end of what the recorder had read before a bundle.
    pub(crate) fn bundle(&mut self, machine: u32, cpu: u32, previous_end: i64) {
        self.first_bundle.entry((machine, cpu)).or_insert(previous_end);
        self.latest_start = self.first_bundle.values().copied().max().unwrap_or_default();
    }

    /// From when on there is data of all CPUs.
    pub(crate) fn latest_data_start(&self) -> Option<i64> {
        (!self.first_bundle.is_empty()).then_some(self.latest_start)
    }
}
