//! Samples in the form for all profilers: a call stack with what it is attributed to, and values of
//! counters.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_ingest::Route;
use tpq_proto::fields::{
    interned_data,
    stack_sample::{self, async_context_descriptor, execution_context, task_context},
    stack_sample_defaults, trace_packet, trace_packet_defaults,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::{ProfilerAsyncContextRow, ProfilerSampleRow};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::inline_stack::inline_stack;
use super::perf_sample::writer;
use super::sample_counters;
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::stacks::InternedStacks;
use tpq_trackers::track::{MAX_CPUS, Profiler, SampledTask, Tid, Trackers, Upid, push_counter_set};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::STACK_SAMPLE,
    route: Route::Sorted,
    decode: decode_sample,
};

/// The field of the defaults of a sequence that samples have in common.
const DEFAULTS: u32 = trace_packet_defaults::STACK_SAMPLE_DEFAULTS;
/// The mapping of frames without a binary.
const INLINE_MAPPING: &str = "stack_sample_inline";
/// The modes of a CPU by number; of 0 nothing is known.
const MODES: [&str; 6] = ["", "user", "kernel", "hypervisor", "guest_user", "guest_kernel"];

/// A sample with what its sequence states for all samples.
pub(super) struct Generic<'a> {
    pub(super) fields: LastFields<'a, 15>,
    pub(super) default_bytes: &'a [u8],
    pub(super) defaults: LastFields<'a, 4>,
    /// The profiler; NULL if unknown.
    pub(super) source: StringId,
    pub(super) session: u32,
    pub(super) cpu: Option<u32>,
}

fn decode_sample(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let fields = LastFields::<15>::new(packet.data);
    let defaults = packet.interned.defaults(packet.generation);
    let defaults = Fields::new(defaults).filter(|field| field.number == DEFAULTS).last();
    let default_bytes = defaults.map_or(&[][..], |field| field.as_bytes());
    let defaults = LastFields::<4>::new(default_bytes);
    let source = crate::decode::text(&defaults, stack_sample_defaults::SOURCE, tables);
    let execution = execution(packet, &fields, stats);
    let cpu = execution.and_then(|(cpu, _)| cpu);
    if cpu.is_some_and(|cpu| cpu > MAX_CPUS) {
        stats.increment(Stat::MalformedPackets);
        return;
    }
    trackers.bounds.include(packet.ts());
    let session = trackers.samples.session(Profiler::Generic, writer(packet), source, tables);
    let sample = Generic { fields, default_bytes, defaults, source, session, cpu };
    let task = task(packet, &fields, trackers, tables, stats);
    let counters = sample_counters::count(packet, &sample, trackers, tables, stats);
    let counter_set_id = push_counter_set(&counters, tables);
    let upid = task.and_then(|task| task.upid);
    let callsite_id = callstack(packet, &fields, upid, trackers, tables, stats);
    let ucpu = cpu.map(|cpu| trackers.cpus.get(packet.machine, cpu, tables));
    let execution_context_id = execution.map(|(_, mode)| {
        let cpu_mode = match MODES.get(mode as usize) {
            None | Some(&"") => StringId::NULL,
            Some(mode) => tables.strings.intern(mode),
        };
        trackers.samples.execution(ucpu, cpu_mode, tables)
    });
    let row = ProfilerSampleRow {
        ts: packet.ts(),
        source,
        task_context_id: task.map(|task| trackers.samples.task(task, tables)),
        execution_context_id,
        callsite_id,
        unwind_error: crate::decode::text(&fields, stack_sample::UNWIND_ERROR, tables),
        session_id: Some(session),
        counter_set_id,
    };
    tables.profiler_sample.push(row);
}

/// A message of a sample: in the sample, or interned. One that was never sent is counted.
fn message<'a>(
    packet: &Packet<'a>,
    fields: &LastFields<'a, 15>,
    (inline, iid): (u32, u32),
    kind: u32,
    stats: &mut Stats,
) -> Option<&'a [u8]> {
    if let Some(inline) = fields.get(inline) {
        return Some(inline.as_bytes());
    }
    let iid = fields.get(iid)?.as_u64();
    let message = packet.interned.message(packet.generation, kind, iid);
    if message.is_none() {
        stats.increment(Stat::InternedDataTokenizerErrors);
    }
    message
}

/// The CPU of a sample, and the number of its mode; `None` if the sample states neither.
fn execution<'a>(
    packet: &Packet<'a>,
    fields: &LastFields<'a, 15>,
    stats: &mut Stats,
) -> Option<(Option<u32>, u32)> {
    let numbers = (stack_sample::EXECUTION_CONTEXT, stack_sample::EXECUTION_CONTEXT_IID);
    let kind = interned_data::STACK_SAMPLE_EXECUTION_CONTEXTS;
    let context = LastFields::<4>::new(message(packet, fields, numbers, kind, stats)?);
    let cpu = context.get(execution_context::CPU).map(|cpu| cpu.as_u32());
    Some((cpu, context.uint(execution_context::MODE) as u32))
}

/// What a sample is attributed to.
fn task<'a>(
    packet: &Packet<'a>,
    fields: &LastFields<'a, 15>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<SampledTask> {
    let numbers = (stack_sample::TASK_CONTEXT, stack_sample::TASK_CONTEXT_IID);
    let kind = interned_data::STACK_SAMPLE_TASK_CONTEXTS;
    let task = LastFields::<5>::new(message(packet, fields, numbers, kind, stats)?);
    let id = |number: u32| {
        let id = task.get(number)?;
        Some(Tid { machine: packet.machine, id: i64::from(id.as_u32()) })
    };
    let (pid, tid) = (id(task_context::PID), id(task_context::TID));
    let utid = tid.map(|tid| match pid {
        Some(pid) => trackers.processes.thread_of_process(tid, pid, tables),
        None => trackers.processes.thread(tid, tables),
    });
    let upid = pid.map(|pid| trackers.processes.process(pid, tables));
    let async_context = task
        .get(task_context::ASYNC_ID)
        .and_then(|iid| async_context(packet, iid.as_u64(), trackers, tables, stats));
    Some(SampledTask { upid, utid, async_context })
}

/// Rows of asynchronous tasks, by scope of interned data and id.
#[derive(Default)]
struct AsyncContexts(FxHashMap<(u32, u64), u32>);

/// The row of an asynchronous task; those that started it get rows before it.
fn async_context(
    packet: &Packet<'_>,
    iid: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    let scope = packet.interned.generation(packet.generation)?.interned;
    let known = &mut trackers.file.states.get::<AsyncContexts>().0;
    let (mut unresolved, mut seen) = (Vec::new(), FxHashSet::default());
    let (mut parent_id, mut next) = (None, iid);
    // Damaged data can name a task as its own ancestor.
    while next != 0 && seen.insert(next) {
        parent_id = known.get(&(scope, next)).copied();
        if parent_id.is_some() {
            break;
        }
        let kind = interned_data::STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTORS;
        let Some(message) = packet.interned.message(packet.generation, kind, next) else {
            stats.increment(Stat::InternedDataTokenizerErrors);
            break;
        };
        let context = LastFields::<5>::new(message);
        unresolved.push((next, context));
        next = context.uint(async_context_descriptor::PARENT_IID);
    }
    for (iid, context) in unresolved.into_iter().rev() {
        let row = ProfilerAsyncContextRow {
            name: crate::decode::text(&context, async_context_descriptor::NAME, tables),
            kind: crate::decode::text(&context, async_context_descriptor::KIND, tables),
            parent_id,
        };
        let row = tables.profiler_async_context.push(row);
        known.insert((scope, iid), row);
        parent_id = Some(row);
    }
    parent_id
}

/// The callsite of a sample's stack.
fn callstack(
    packet: &Packet<'_>,
    fields: &LastFields<'_, 15>,
    upid: Option<Upid>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<u32> {
    if let Some(iid) = fields.get(stack_sample::CALLSTACK_IID) {
        let (interned, generation) = (packet.interned, packet.generation);
        let stacks = InternedStacks { interned, generation, upid };
        return stacks.callstack(iid.as_u64(), &mut trackers.source.stacks, tables, stats);
    }
    let stack = fields.get(stack_sample::CALLSTACK)?;
    let callsite = inline_stack(stack.as_bytes(), INLINE_MAPPING, trackers, tables);
    if callsite.is_none() {
        stats.increment(Stat::StackprofileEmptyCallstack);
    }
    callsite
}
