//! Samples of call stacks: events of their own phase, and the field `samples` of the outermost
//! object, which samplers of a whole system write.

use sonic_rs::to_object_iter;
use tpq_tables::table::ProfilerSampleRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::context::Context;
use super::cpu::{NoCpu, cpu};
use super::owner::EventOwner;
use super::reader::{JsonEvent, JsonId};
use super::text::unescaped;
use tpq_decode::RunEvent;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{
    Dimensions, NamePriority, Profiler, SampledTask, Tid, TrackKind, Trackers, push_counter,
    push_counter_set,
};

/// The value of `source` of samples.
const SOURCE: &str = "json";
/// The counter that triggers samples, such as CPU cycles.
const COUNTER: TrackKind = TrackKind::counter("stack_sample_session_counter", None);

/// What elements of `samples` state that events do not.
#[derive(Default)]
struct Measured {
    cpu: Option<u32>,
    /// Whether the number of the CPU is none.
    has_wrong_cpu: bool,
    /// How far the counter that triggers samples went since the sample before.
    weight: Option<f64>,
    /// Name of the thread.
    comm: Option<String>,
}

impl Measured {
    fn read(sample: &[u8]) -> Self {
        let mut measured = Self::default();
        for (key, value) in to_object_iter(sample).flatten() {
            let raw = value.as_raw_str();
            let text = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
            let number = text.unwrap_or(raw);
            match &*key {
                "cpu" => match cpu(number) {
                    Ok(cpu) => measured.cpu = cpu,
                    Err(NoCpu) => measured.has_wrong_cpu = true,
                },
                "weight" => measured.weight = number.parse().ok().filter(|it: &f64| it.is_finite()),
                "comm" => measured.comm = text.map(|text| unescaped(text.as_bytes())),
                _ => {}
            }
        }
        measured
    }
}

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
    let utid = match (json.pid, json.tid) {
        (JsonId::None, JsonId::None) => None,
        (JsonId::None, JsonId::Number(id)) => {
            let tid = Tid { machine: context.machine, id };
            Some(context.trackers.processes.thread(tid, context.tables))
        }
        _ => Some(context.owner().utid),
    };
    let measured = Measured::read(event.message());
    // The kernel cuts names, so that one in metadata is better.
    let unnamed = utid.filter(|&utid| context.tables.thread.name.get(utid).is_null());
    if let (Some(utid), Some(comm)) = (unnamed, &measured.comm) {
        let name = context.tables.strings.intern(comm);
        let processes = &mut context.trackers.processes;
        processes.name_thread(utid, name, NamePriority::Other, context.tables);
    }
    context.push_sample(utid, &measured);
}

impl Context<'_> {
    /// An event of the phase of samples.
    pub(super) fn sample(&mut self, owner: EventOwner) {
        self.push_sample(Some(owner.utid), &Measured::default());
    }

    /// Adds a sample. One without a stack says nothing, and is counted, as is a CPU that there cannot
    /// be.
    fn push_sample(&mut self, utid: Option<u32>, measured: &Measured) {
        if self.event.stack.len == 0 {
            return self.fail(Stat::JsonParserFailure);
        }
        let Some(callsite) = self.callsite(self.event.stack) else { return };
        if measured.has_wrong_cpu {
            self.fail(Stat::JsonParserFailure);
        }
        self.trackers.bounds.include(self.ts);
        let (session_id, counter_set_id) = measured.weight.map(|it| self.count(it)).unzip();
        let tables = &mut *self.tables;
        let upid = utid.and_then(|utid| tables.thread.upid.get(utid));
        let task = SampledTask { upid, utid, async_context: None };
        let machine = self.machine;
        let ucpu = measured.cpu.map(|cpu| self.trackers.cpus.get(machine, cpu, tables));
        let samples = &mut self.trackers.samples;
        let row = ProfilerSampleRow {
            ts: self.ts,
            source: tables.strings.intern(SOURCE),
            task_context_id: Some(samples.task(task, tables)),
            execution_context_id: ucpu
                .map(|ucpu| samples.execution(Some(ucpu), StringId::NULL, tables)),
            callsite_id: Some(callsite),
            unwind_error: StringId::NULL,
            session_id,
            counter_set_id: counter_set_id.flatten(),
        };
        tables.profiler_sample.push(row);
    }

    /// Adds the value of the counter that a sample names; returns the session and the set of values.
    fn count(&mut self, weight: f64) -> (u32, Option<u32>) {
        let tables = &mut *self.tables;
        let source = tables.strings.intern(SOURCE);
        let of_file = (self.trackers.source_id(), 0);
        let samples = &mut self.trackers.samples;
        let session = samples.session(Profiler::Generic, of_file, source, tables);
        let dimensions = Dimensions::machine(self.machine)
            .number("session_id", i64::from(session))
            .text("source", source)
            .text("counter_name", self.name);
        let before = tables.track.len();
        let (tracks, deferred) = (&mut self.trackers.source.tracks, &mut self.trackers.deferred);
        let track = tracks.get(COUNTER, dimensions, self.name, deferred, tables);
        if track >= before {
            let is_timebase = [("is_timebase", ArgValue::Bool(true))];
            let args = deferred.intern(&ArgSet::of(is_timebase, &mut tables.strings));
            tables.track.source_arg_set_id.set(track, args);
        }
        let counter = push_counter(self.ts, track, weight, &mut self.trackers.bounds, tables);
        (session, push_counter_set(&[counter], tables))
    }
}
