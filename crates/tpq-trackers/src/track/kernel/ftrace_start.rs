//! Where the kernel's events begin to belong to the trace.
//!
//! Kernel buffers may hold events from before tracing started; those are counted and dropped. And
//! where a ring buffer wrapped, each CPU's data begins at another time: only from the latest of
//! these on is there data of all CPUs.

use rustc_hash::FxHashMap;

/// Remembers the start, within one file.
#[derive(Debug, Default)]
pub struct FtraceStart {
    tracing_started: Option<i64>,
    /// Where each CPU's first bundle begins, in trace time.
    first_bundle: FxHashMap<(u32, u32), i64>,
    /// The latest of these, by machine.
    latest_start: FxHashMap<u32, i64>,
    /// The machine last asked for and its latest start: events come in bursts of one machine.
    last: Option<(u32, i64)>,
}

impl FtraceStart {
    /// Sets when the recorder states that tracing started, ns of trace time.
    pub fn set_tracing_started(&mut self, ts: i64) {
        self.tracing_started = Some(ts);
    }

    /// Whether an event at `ts` is from before tracing started.
    pub fn is_before(&self, ts: i64) -> bool {
        self.tracing_started.is_some_and(|start| ts < start)
    }

    /// Whether an event at `ts` is older than the first data of some CPU of its machine. Scheduling
    /// cannot be derived from a part of the CPUs.
    pub fn is_partial(&mut self, machine: u32, ts: i64) -> bool {
        let start = match self.last {
            Some((last, start)) if last == machine => start,
            _ => self.latest_start.get(&machine).copied().unwrap_or(i64::MIN),
        };
        self.last = Some((machine, start));
        ts < start
    }

    /// From when on all CPUs of all machines have data.
    pub fn all_cpus_from(&self) -> Option<i64> {
        self.latest_start.values().copied().max()
    }

    /// Notes the end of what the recorder had read before a bundle; gives from when on there is
    /// data of all CPUs of the machine.
    pub fn bundle(&mut self, machine: u32, cpu: u32, previous_end: i64) -> i64 {
        let start = *self.first_bundle.entry((machine, cpu)).or_insert(previous_end);
        let latest = self.latest_start.entry(machine).or_insert(start);
        *latest = start.max(*latest);
        self.last = None;
        *latest
    }
}
