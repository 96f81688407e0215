//! Samples of all profilers, with what they are attributed to.

use rustc_hash::FxHashMap;
use tpq_ingest::SourceId;
use tpq_tables::table::{
    ProfilerCounterSetRow, ProfilerExecutionContextRow, ProfilerSessionRow, ProfilerTaskContextRow,
};
use tpq_tables::{StringId, Tables};

use crate::track::{Upid, Utid};

/// A profiler that has sessions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Profiler {
    /// The perf profiler of Linux.
    Perf,
    /// One that writes samples in the form for all profilers.
    Generic,
}

/// What a sample is attributed to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct SampledTask {
    /// Process.
    pub upid: Option<Upid>,
    /// Thread.
    pub utid: Option<Utid>,
    /// Row of the asynchronous task.
    pub async_context: Option<u32>,
}

/// Rows that samples share.
#[derive(Debug, Default)]
pub struct ProfilerSamples {
    /// Sessions by the sequence that their profiler writes.
    sessions: FxHashMap<(Profiler, SourceId, u32), u32>,
    tasks: FxHashMap<SampledTask, u32>,
    /// By CPU and mode.
    executions: FxHashMap<(Option<u32>, StringId), u32>,
}

impl ProfilerSamples {
    /// The session of a profiler that writes a sequence.
    pub fn session(
        &mut self,
        profiler: Profiler,
        (source, sequence): (SourceId, u32),
        name: StringId,
        tables: &mut Tables,
    ) -> u32 {
        *self.sessions.entry((profiler, source, sequence)).or_insert_with(|| {
            let row = ProfilerSessionRow { source: name, ..ProfilerSessionRow::default() };
            tables.profiler_session.push(row)
        })
    }

    /// The row of what a sample is attributed to.
    pub fn task(&mut self, task: SampledTask, tables: &mut Tables) -> u32 {
        *self.tasks.entry(task).or_insert_with(|| {
            let SampledTask { upid, utid, async_context } = task;
            let row = ProfilerTaskContextRow { upid, utid, async_context_id: async_context };
            tables.profiler_task_context.push(row)
        })
    }

    /// The row of a CPU and its mode, each of which may be unknown.
    pub fn execution(&mut self, ucpu: Option<u32>, cpu_mode: StringId, tables: &mut Tables) -> u32 {
        *self.executions.entry((ucpu, cpu_mode)).or_insert_with(|| {
            tables.profiler_execution_context.push(ProfilerExecutionContextRow { ucpu, cpu_mode })
        })
    }
}

/// Adds the set of values that were read with a sample; `None` if there are none.
pub fn push_counter_set(counters: &[u32], tables: &mut Tables) -> Option<u32> {
    let counter_set_id = tables.profiler_counter_set.len();
    for &counter_id in counters {
        tables.profiler_counter_set.push(ProfilerCounterSetRow { counter_set_id, counter_id });
    }
    (!counters.is_empty()).then_some(counter_set_id)
}
