//! Batches of commands that Adreno GPUs execute.
//!
//! The GPU counts ticks of its own clock. Events at the submission of a batch state the ticks of
//! that moment, so they place the ticks at which the GPU began and ended the batch.

use tpq_proto::fields::ftrace::{
    ftrace_event, kgsl_adreno_cmdbatch_queued as queued, kgsl_adreno_cmdbatch_retired as retired,
    kgsl_adreno_cmdbatch_submitted as submitted, kgsl_adreno_cmdbatch_sync as sync,
};
use tpq_proto::wire::LastFields;
use tpq_tables::{Stat, Stats, Tables};

use super::effects::Effects;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{NewSlice, Sharing, TickAnchor, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::KGSL_ADRENO_CMDBATCH_QUEUED, queue),
    (ftrace_event::KGSL_ADRENO_CMDBATCH_SUBMITTED, submit),
    (ftrace_event::KGSL_ADRENO_CMDBATCH_SYNC, synchronize),
    (ftrace_event::KGSL_ADRENO_CMDBATCH_RETIRED, retire),
];

const BATCH: TrackKind = TrackKind::slices("adreno_gpu_cmdbatch");

/// Ticks per second of the GPU's clock.
const HZ: i128 = 19_200_000;
const NS_PER_SECOND: i128 = 1_000_000_000;

/// A thread queues a batch of a context.
fn queue(event: &FtraceEvent<'_>, trackers: &mut Trackers, _: &mut Tables, _: &mut Stats) {
    let context = event.uint(queued::ID) as u32;
    trackers.source.kernel.adreno.threads.insert(context, event.pid);
}

/// A batch is in the ring. Events that synchronize are more exact, where the kernel has them.
fn submit(event: &FtraceEvent<'_>, trackers: &mut Trackers, _: &mut Tables, _: &mut Stats) {
    let batch = (event.uint(submitted::ID) as u32, event.uint(submitted::TIMESTAMP) as u32);
    let anchor = TickAnchor { ts: event.ts, ticks: event.uint(submitted::TICKS) };
    trackers.source.kernel.adreno.anchors.entry(batch).or_insert(anchor);
}

/// The ticks of the moment at which a batch is in the ring.
fn synchronize(event: &FtraceEvent<'_>, trackers: &mut Trackers, _: &mut Tables, _: &mut Stats) {
    let batch = (event.uint(sync::ID) as u32, event.uint(sync::TIMESTAMP) as u32);
    let anchor = TickAnchor { ts: event.ts, ticks: event.uint(sync::TICKS) };
    trackers.source.kernel.adreno.anchors.insert(batch, anchor);
}

/// The GPU is done with a batch. A batch with a lost submission cannot be placed.
fn retire(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let fields = LastFields::<18>::new(event.data);
    let (context, prio) = (fields.uint(retired::ID) as u32, fields.int(retired::PRIO) as u32);
    let batch = (context, fields.uint(retired::TIMESTAMP) as u32);
    let anchor = trackers.source.kernel.adreno.anchors.remove(&batch);
    let (start, end) = (fields.uint(retired::START), fields.uint(retired::RETIRE));
    let span = anchor.and_then(|anchor| {
        let ts = i128::from(anchor.ts) + ns(i128::from(start) - i128::from(anchor.ticks));
        let ts = i64::try_from(ts).ok().filter(|&ts| ts >= 0)?;
        Some((ts, i64::try_from(ns(i128::from(end.checked_sub(start)?))).ok()?))
    });
    let Some((ts, dur)) = span else {
        return stats.increment(Stat::AdrenoCmdbatchUnplaced);
    };
    let mut effects = event.effects(trackers, tables, stats);
    let process = process(context, &mut effects);
    let title = match &process {
        Some(process) => format!("GPU {process} (Ctx={context}, Prio={prio})"),
        None => format!("GPU (Ctx={context}, Prio={prio})"),
    };
    let of = effects.machine().number("context_id", context.into()).number("prio", prio.into());
    let title = effects.intern(&title);
    let name = effects.intern("GPU");
    let Effects { trackers, tables, stats, .. } = effects;
    let sharing = Sharing { kind: BATCH, dimensions: of, name: title };
    let track = trackers.complete_shared(sharing, ts, dur, tables);
    // The process may have become known since the track was made.
    if process.is_some() {
        tables.track.name.set(track, title);
    }
    let slice = NewSlice { ts, track, name, ..NewSlice::default() };
    trackers.complete(slice, dur, &Default::default(), tables, stats);
}

fn ns(ticks: i128) -> i128 {
    ticks * NS_PER_SECOND / HZ
}

/// The name of the process that queues the batches of a context.
fn process(context: u32, effects: &mut Effects<'_, '_>) -> Option<String> {
    let thread = *effects.trackers.source.kernel.adreno.threads.get(&context)?;
    let utid = effects.trackers.processes.thread(effects.event.tid(thread), effects.tables);
    let upid = effects.tables.thread.upid.get(utid)?;
    let name = effects.tables.process.name.get(upid);
    (!name.is_null()).then(|| effects.tables.strings.get(name).to_owned())
}
