//! Graphics drivers: the blank between frames, jobs on rings, and fences.

use tpq_proto::fields::ftrace::{
    dma_fence_emit, dma_fence_wait_start, drm_run_job, drm_sched_job, drm_sched_job_done,
    drm_sched_job_queue, drm_sched_job_run, drm_sched_process_job, drm_vblank_event, ftrace_event,
};
use tpq_tables::{Stats, StringId, Tables};

use super::effects::{Arg, Effects, NamedArg};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{FenceTimeline, Job, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::DRM_VBLANK_EVENT, vblank),
    (ftrace_event::DRM_VBLANK_EVENT_DELIVERED, vblank_delivered),
    (ftrace_event::DRM_SCHED_JOB, job_queued_by_number),
    (ftrace_event::DRM_RUN_JOB, job_run_by_number),
    (ftrace_event::DRM_SCHED_PROCESS_JOB, job_done_by_number),
    (ftrace_event::DMA_FENCE_INIT, fence_init),
    (ftrace_event::DMA_FENCE_EMIT, fence_emit),
    (ftrace_event::DMA_FENCE_SIGNALED, fence_signaled),
    (ftrace_event::DMA_FENCE_WAIT_START, fence_wait_start),
    (ftrace_event::DMA_FENCE_WAIT_END, fence_wait_end),
    (ftrace_event::DRM_SCHED_JOB_DONE, job_done),
    (ftrace_event::DRM_SCHED_JOB_QUEUE, job_queued),
    (ftrace_event::DRM_SCHED_JOB_RUN, job_run),
];

const VBLANK: TrackKind = TrackKind::slices("drm_vblank");
const RING: TrackKind = TrackKind::slices("drm_sched_ring");
const FENCE: TrackKind = TrackKind::slices("drm_fence");

/// The timeline of fences that stand for several others. They are made as needed: a track for
/// each would be too many.
const UNBOUND: &str = "unbound";

fn vblank(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    vblank_instant(&mut event.effects(trackers, tables, stats), "signal");
}

fn vblank_delivered(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    vblank_instant(&mut event.effects(trackers, tables, stats), "deliver");
}

fn vblank_instant(effects: &mut Effects<'_, '_>, name: &str) {
    let crtc = effects.event.int(drm_vblank_event::CRTC) as u32;
    let of = effects.machine().number("drm_crtc", crtc.into());
    let track = effects.track(VBLANK, of, &format!("vblank-{crtc}"));
    let args = [("vblank seqno", Arg::Uint(effects.event.uint(drm_vblank_event::SEQ)))];
    effects.instant(track, name, &args);
}

/// A job as older kernels name it, by its number and the address of its fence: the number is of
/// its ring, the address is what its end gives.
fn job_queued_by_number(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    queue(
        &mut event.effects(trackers, tables, stats),
        drm_sched_job::NAME,
        Job::Local(event.uint(drm_sched_job::ID)),
    );
}

fn job_run_by_number(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (job, done) =
        (Job::Local(event.uint(drm_run_job::ID)), Job::Local(event.uint(drm_run_job::FENCE)));
    run(&mut event.effects(trackers, tables, stats), drm_run_job::NAME, job, done);
}

fn job_done_by_number(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    finish(
        &mut event.effects(trackers, tables, stats),
        Job::Local(event.uint(drm_sched_process_job::FENCE)),
    );
}

/// A job as newer kernels name it, by its fence.
fn job_queued(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    queue(
        &mut event.effects(trackers, tables, stats),
        drm_sched_job_queue::NAME,
        Job::Fence(
            event.uint(drm_sched_job_queue::FENCE_CONTEXT),
            event.uint(drm_sched_job_queue::FENCE_SEQNO),
        ),
    );
}

fn job_run(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let job = Job::Fence(
        event.uint(drm_sched_job_run::FENCE_CONTEXT),
        event.uint(drm_sched_job_run::FENCE_SEQNO),
    );
    run(&mut event.effects(trackers, tables, stats), drm_sched_job_run::NAME, job, job);
}

fn job_done(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    finish(
        &mut event.effects(trackers, tables, stats),
        Job::Fence(
            event.uint(drm_sched_job_done::FENCE_CONTEXT),
            event.uint(drm_sched_job_done::FENCE_SEQNO),
        ),
    );
}

fn job_args(job: Job) -> Vec<NamedArg<'static>> {
    match job {
        Job::Local(id) => vec![("gpu sched job", Arg::Uint(id))],
        Job::Fence(context, seqno) => fence_args(context, seqno).to_vec(),
    }
}

fn fence_args(context: u64, seqno: u64) -> [NamedArg<'static>; 2] {
    [("fence context", Arg::Uint(context)), ("fence seqno", Arg::Uint(seqno))]
}

/// A thread queued a job on the ring that a field names.
fn queue(effects: &mut Effects<'_, '_>, name: u32, job: Job) {
    let ring = effects.event.string(name);
    let mut args = vec![("gpu sched ring", Arg::Text(&ring))];
    args.extend(job_args(job));
    let track = effects.thread_track();
    let Some(slice) = effects.instant(track, "drm_sched_job_queue", &args) else { return };
    ring_track(effects, &ring);
    let ring = effects.intern(&ring);
    effects.trackers.source.kernel.drm.rings.entry(ring).or_default().queued.insert(job, slice);
}

fn ring_track(effects: &mut Effects<'_, '_>, ring: &str) -> u32 {
    let of = effects.by_text("name", ring);
    effects.track(RING, of, &format!("sched-{ring}"))
}

/// A job was handed to its ring; `done` is what its end will give.
fn run(effects: &mut Effects<'_, '_>, name: u32, job: Job, done: Job) {
    let ring = effects.event.string(name);
    ring_track(effects, &ring);
    let ring = effects.intern(&ring);
    let drm = &mut effects.trackers.source.kernel.drm;
    drm.busy.entry(done).or_insert(ring);
    let running = &mut drm.rings.entry(ring).or_default().running;
    running.push_back(job);
    if running.len() == 1 {
        begin_job(effects, ring);
    }
}

/// The job in front of a ring runs from now on.
fn begin_job(effects: &mut Effects<'_, '_>, ring: StringId) {
    let name = effects.tables.strings.get(ring).to_owned();
    let track = ring_track(effects, &name);
    let queue = effects.trackers.source.kernel.drm.rings.get(&ring);
    let Some(&job) = queue.and_then(|ring| ring.running.front()) else { return };
    let Some(slice) = effects.begin(track, "job", &job_args(job)) else { return };
    let ring = effects.trackers.source.kernel.drm.rings.get_mut(&ring);
    if let Some(queued) = ring.and_then(|ring| ring.queued.remove(&job)) {
        effects.trackers.file.flows.link(queued, slice, effects.tables);
    }
}

fn finish(effects: &mut Effects<'_, '_>, done: Job) {
    let drm = &mut effects.trackers.source.kernel.drm;
    let Some(ring) = drm.busy.remove(&done) else { return };
    let Some(state) = drm.rings.get_mut(&ring) else { return };
    state.running.pop_front();
    let more = !state.running.is_empty();
    let name = effects.tables.strings.get(ring).to_owned();
    let track = ring_track(effects, &name);
    effects.end(track, &[]);
    if more {
        begin_job(effects, ring);
    }
}

/// The timeline of a fence's context, made when there is none; `None` for fences that stand for
/// others.
fn timeline<'t>(effects: &'t mut Effects<'_, '_>) -> Option<(u32, &'t mut FenceTimeline)> {
    let name = effects.event.string(dma_fence_emit::TIMELINE);
    if name == UNBOUND {
        return None;
    }
    let (context, seqno) = (
        effects.event.int(dma_fence_emit::CONTEXT) as u32,
        effects.event.int(dma_fence_emit::SEQNO) as u32,
    );
    if !effects.trackers.source.kernel.drm.timelines.contains_key(&context) {
        let of = effects.by_text("name", &name).number("context", context.into());
        let track = effects.track(FENCE, of, &format!("fence-{name}-{context}"));
        let new = FenceTimeline { track, emits: false, pending: Default::default() };
        effects.trackers.source.kernel.drm.timelines.insert(context, new);
    }
    let timeline = effects.trackers.source.kernel.drm.timelines.get_mut(&context)?;
    Some((seqno, timeline))
}

fn fence_init(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let Some((seqno, timeline)) = timeline(&mut effects) else { return };
    if timeline.emits {
        return;
    }
    timeline.pending.push_back(seqno);
    let (track, waiting) = (timeline.track, timeline.pending.len());
    if waiting == 1 {
        begin_fence(&mut effects, track, seqno);
    }
}

fn fence_emit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let Some((seqno, timeline)) = timeline(&mut effects) else { return };
    let track = timeline.track;
    // The owners of earlier fences were guessed from their times.
    let guessed = !timeline.emits && !timeline.pending.is_empty();
    if guessed {
        timeline.pending.clear();
    }
    timeline.emits = true;
    timeline.pending.push_back(seqno);
    let waiting = timeline.pending.len();
    if guessed {
        effects.end(track, &[]);
    }
    if waiting == 1 {
        begin_fence(&mut effects, track, seqno);
    }
}

fn fence_signaled(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let Some((seqno, timeline)) = timeline(&mut effects) else { return };
    if timeline.pending.front().is_none_or(|&front| seqno < front) {
        return;
    }
    timeline.pending.pop_front();
    let (track, next) = (timeline.track, timeline.pending.front().copied());
    effects.end(track, &[]);
    if let Some(next) = next {
        begin_fence(&mut effects, track, next);
    }
}

fn begin_fence(effects: &mut Effects<'_, '_>, track: u32, seqno: u32) {
    effects.begin(track, "fence", &[("fence seqno", Arg::Uint(seqno.into()))]);
}

fn fence_wait_start(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.thread_track();
    effects.begin(
        track,
        "dma_fence_wait",
        &fence_args(
            event.uint(dma_fence_wait_start::CONTEXT),
            event.uint(dma_fence_wait_start::SEQNO),
        ),
    );
}

fn fence_wait_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.thread_track();
    effects.end(track, &[]);
}
