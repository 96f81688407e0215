//! Work of GPUs: the queues that it runs on, and the arrows between its stages.

use rustc_hash::{FxHashMap, FxHashSet};
use tpq_tables::table::GpuContextRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::args::{ArgSet, ArgValue};
use crate::track::{DimensionValue, SharedTracks, TrackKind, Trackers, Tracks};

const RENDER_STAGE: TrackKind = TrackKind::slices("gpu_render_stage");

/// Largest number of slices that one event id stands for. Drivers give each event an id of its own.
const MAX_SLICES: usize = 16;
/// Largest number of slices that wait for an event before it occurs.
const MAX_WAITING: usize = 64;

/// A hardware queue of a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GpuQueue {
    /// Number of the GPU on its machine.
    pub gpu: u32,
    /// Whether `id` is that of interned data, and not the queue's own number.
    pub interned: bool,
    /// The queue's id.
    pub id: u32,
    /// Name of the queue; NULL while no specification names it.
    pub name: StringId,
}

/// The name and the description of a queue or a stage; NULL where absent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Description {
    /// Its name.
    pub name: StringId,
    /// Words on its purpose.
    pub text: StringId,
}

/// Remembers queues, stages, contexts and the objects that programs named.
#[derive(Default)]
pub struct RenderStages {
    /// Queues by number, as events specify them.
    queues: FxHashMap<u32, Description>,
    /// Stages by number, in the order in which events specify them.
    stages: Vec<Description>,
    /// Contexts that have a row.
    contexts: FxHashSet<(i64, Option<u32>, StringId)>,
    /// Names of Vulkan objects, by type and handle.
    objects: FxHashMap<(i32, u64), StringId>,
    tracks: FxHashMap<GpuQueue, SharedTracks>,
    /// Queues with tracks that were made before the queue was specified, and named then.
    named_later: FxHashSet<GpuQueue>,
    arrows: Arrows,
}

/// The slices that wait for events or stand for them, by the ids of events.
#[derive(Default)]
struct Arrows {
    stages: FxHashMap<u64, Vec<u32>>,
    /// The slice that submitted an event.
    submissions: FxHashMap<u64, u32>,
    /// The slice of a program that waits for an event.
    ends: FxHashMap<u64, u32>,
    /// The stages that wait for an event.
    waiting: FxHashMap<u64, Vec<u32>>,
}

impl RenderStages {
    /// The queue of a number, if an event specified it.
    pub fn queue(&self, number: u32) -> Option<Description> {
        self.queues.get(&number).copied()
    }

    /// The stage of a number, if an event specified it.
    pub fn stage(&self, number: u64) -> Option<Description> {
        self.stages.get(usize::try_from(number).ok()?).copied()
    }

    /// An event specifies a stage, which has the next number.
    pub fn add_stage(&mut self, stage: Description) {
        self.stages.push(stage);
    }

    /// A program names a Vulkan object.
    pub fn name_object(&mut self, kind: i32, handle: u64, name: StringId) {
        self.objects.insert((kind, handle), name);
    }

    /// The name that a program gave a Vulkan object; NULL if it gave none.
    pub fn object_name(&self, kind: i32, handle: u64) -> StringId {
        self.objects.get(&(kind, handle)).copied().unwrap_or_default()
    }

    /// An event refers to a context, which has one row.
    pub fn add_context(&mut self, context: GpuContextRow, tables: &mut Tables) {
        let GpuContextRow { context_id, pid, api } = context;
        if self.contexts.insert((context_id, pid, api)) {
            tables.gpu_context.push(context);
        }
    }
}

impl Trackers {
    /// The track for work of a queue that takes `dur` ns from `ts` on.
    pub fn render_stage_track(
        &mut self,
        machine: u32,
        queue: GpuQueue,
        shown: Description,
        (ts, dur): (i64, i64),
        tables: &mut Tables,
    ) -> u32 {
        let dimensions = self.gpus.dimensions(machine, queue.gpu, tables);
        let source = tables.strings.intern(if queue.interned { "iid" } else { "id" });
        let dimensions = dimensions.text("render_stage_source", source);
        let Self { source, deferred, .. } = self;
        let tracks = source.render_stages.tracks.entry(queue).or_default();
        tracks.complete(ts, dur, |index| {
            let more = [
                ("hwqueue_id", DimensionValue::Int(i64::from(queue.id))),
                ("hwqueue_name", DimensionValue::Text(queue.name)),
                ("track_compressor_idx", DimensionValue::Int(i64::from(index))),
            ];
            let name = shown.name;
            let track = Tracks::make_with(RENDER_STAGE, dimensions, &more, name, deferred, tables);
            if !shown.text.is_null() {
                let description = [("description", ArgValue::String(shown.text))];
                let description = ArgSet::of(description, &mut tables.strings);
                tables.track.source_arg_set_id.set(track, deferred.intern(&description));
                tables.track.description.set(track, shown.text);
            }
            track
        })
    }

    /// An event specifies a queue. The first track that was made before it was known gets its name.
    pub fn specify_queue(
        &mut self,
        gpu: u32,
        number: u32,
        queue: Description,
        tables: &mut Tables,
    ) {
        let stages = &mut self.source.render_stages;
        stages.queues.insert(number, queue);
        let nameless = GpuQueue { gpu, interned: false, id: number, name: StringId::NULL };
        let first = stages.tracks.get(&nameless).and_then(|tracks| tracks.all().next());
        let Some(track) = first.filter(|_| stages.named_later.insert(nameless)) else { return };
        let description = [("description", ArgValue::String(queue.text))];
        let description = ArgSet::of(description, &mut tables.strings);
        tables.track.name.set(track, queue.name);
        tables.track.source_arg_set_id.set(track, self.deferred.intern(&description));
        tables.track.description.set(track, queue.text);
    }

    /// A stage of the GPU is the event of an id.
    pub fn add_render_stage(
        &mut self,
        event: u64,
        slice: u32,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        let Self { source, file, .. } = self;
        let arrows = &mut source.render_stages.arrows;
        push(arrows.stages.entry(event).or_default(), slice, MAX_SLICES, stats);
        if let Some(&submission) = arrows.submissions.get(&event) {
            file.flows.link(submission, slice, tables);
        }
        if let Some(&end) = arrows.ends.get(&event) {
            file.flows.link(slice, end, tables);
        }
        for &waiting in arrows.waiting.get(&event).into_iter().flatten() {
            file.flows.link(slice, waiting, tables);
        }
    }

    /// A stage of the GPU waited for the event of an id.
    pub fn await_render_stage(
        &mut self,
        event: u64,
        slice: u32,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        let Self { source, file, .. } = self;
        let arrows = &mut source.render_stages.arrows;
        for &stage in arrows.stages.get(&event).into_iter().flatten() {
            file.flows.link(stage, slice, tables);
        }
        push(arrows.waiting.entry(event).or_default(), slice, MAX_WAITING, stats);
    }

    /// A slice of a program submits the event of an id to the GPU.
    pub fn submit_render_stage(&mut self, event: u64, slice: u32, tables: &mut Tables) {
        let Self { source, file, .. } = self;
        let arrows = &mut source.render_stages.arrows;
        arrows.submissions.insert(event, slice);
        for &stage in arrows.stages.get(&event).into_iter().flatten() {
            file.flows.link(slice, stage, tables);
        }
    }

    /// A slice of a program waits until the event of an id is over.
    pub fn end_render_stage(&mut self, event: u64, slice: u32, tables: &mut Tables) {
        let Self { source, file, .. } = self;
        let arrows = &mut source.render_stages.arrows;
        arrows.ends.insert(event, slice);
        for &stage in arrows.stages.get(&event).into_iter().flatten() {
            file.flows.link(stage, slice, tables);
        }
    }
}

/// Adds a slice to those of an event; more than any driver has are counted.
fn push(slices: &mut Vec<u32>, slice: u32, limit: usize, stats: &mut Stats) {
    match slices.len() < limit {
        true => slices.push(slice),
        false => stats.increment(Stat::GpuRenderStageParserErrors),
    }
}
