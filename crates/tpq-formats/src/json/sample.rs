//! Samples of call stacks: events of their own phase, and the field `samples` of the outermost
//! object, which samplers of a whole system write.

use tpq_tables::table::ProfilerSampleRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::context::Context;
use super::owner::EventOwner;
use super::reader::{JsonEvent, JsonId};
use tpq_decode::RunEvent;
use tpq_trackers::track::{MAX_CPUS, SampledTask, Tid, Trackers};

/// The value of `source` of samples.
const SOURCE: &str = "json";

/// Decodes an element of `samples`. It states its thread, and not always the process.
pub(crate) fn decode_sample(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(span) = event.run.payload.message_of(event.index) else { return };
    // The reader has read it.
    let Ok(json) = JsonEvent::read(event.message(), span) else {
        return stats.increment(Stat::JsonParserFailure);
    };
    let mut context = Context::new(event, json, trackers, tables, stats);
    let (machine, cpu) = (context.machine, cpu_of(event.message()));
    let task = match (json.pid, json.tid) {
        (JsonId::None, JsonId::Number(id)) => {
            let tid = Tid { machine, id };
            let utid = context.trackers.processes.thread(tid, context.tables);
            SampledTask { utid: Some(utid), ..SampledTask::default() }
        }
        (JsonId::None, JsonId::None) => SampledTask::default(),
        _ => SampledTask { utid: Some(context.owner().utid), ..SampledTask::default() },
    };
    let ucpu = cpu.map(|cpu| context.trackers.cpus.get(machine, cpu, context.tables));
    context.push_sample(task, ucpu);
}

/// The CPU of a sample; programs write -1 for an unknown one.
fn cpu_of(sample: &[u8]) -> Option<u32> {
    let value = sonic_rs::get(sample, &["cpu"]).ok()?;
    let cpu = value.as_raw_str().trim_matches('"').parse().ok()?;
    (cpu < MAX_CPUS).then_some(cpu)
}

impl Context<'_> {
    /// An event of the phase of samples.
    pub(super) fn sample(&mut self, owner: EventOwner) {
        let task = SampledTask { utid: Some(owner.utid), ..SampledTask::default() };
        self.push_sample(task, None);
    }

    /// Adds a sample. One without a stack says nothing, and is counted.
    fn push_sample(&mut self, mut task: SampledTask, ucpu: Option<u32>) {
        if self.event.stack.len == 0 {
            return self.fail(Stat::JsonParserFailure);
        }
        let Some(callsite) = self.callsite(self.event.stack) else { return };
        self.trackers.bounds.include(self.ts);
        task.upid = task.utid.and_then(|utid| self.tables.thread.upid.get(utid));
        let tables = &mut *self.tables;
        let samples = &mut self.trackers.samples;
        let row = ProfilerSampleRow {
            ts: self.ts,
            source: tables.strings.intern(SOURCE),
            task_context_id: Some(samples.task(task, tables)),
            execution_context_id: samples.execution(ucpu, StringId::NULL, tables),
            callsite_id: Some(callsite),
            ..ProfilerSampleRow::default()
        };
        tables.profiler_sample.push(row);
    }
}
