//! Flows between slices, in the newer and in the older forms.

use tpq_proto::fields::{gpu_correlation, gpu_track_event, track_event};
use tpq_proto::wire::{Field, Fields, repeated};
use tpq_tables::Stat;

use super::context::DecodeContext;
use super::event::{TrackEvent, bits};
use super::legacy::{Direction, Legacy};
use super::owner::EventOwner;
use tpq_trackers::track::{FlowEnd, FlowId};

/// The fields that name flows.
const FLOWS: u64 = bits([
    track_event::FLOW_IDS_OLD,
    track_event::TERMINATING_FLOW_IDS_OLD,
    track_event::FLOW_IDS,
    track_event::TERMINATING_FLOW_IDS,
]);

/// Fields with numbers of 64 and above, which share a bit.
const OTHERS: u64 = 1;

/// The flows that pass through the slice of an event.
pub(super) fn pass(event: &TrackEvent<'_>, slice: u32, context: &mut DecodeContext<'_, '_>) {
    if let Some(legacy) = &event.legacy {
        bind(legacy, slice, context);
    }
    if event.fields.any(OTHERS) {
        correlate_gpu(event, slice, context);
    }
    if !event.fields.any(FLOWS) {
        return;
    }
    for (old, new, last) in [
        (track_event::FLOW_IDS_OLD, track_event::FLOW_IDS, false),
        (track_event::TERMINATING_FLOW_IDS_OLD, track_event::TERMINATING_FLOW_IDS, true),
    ] {
        // The older encoding counts only where the event does not use the newer.
        let uses_new = Fields::new(event.data).any(|field| field.number == new);
        let number = if uses_new { new } else { old };
        for field in Fields::new(event.data).filter(|field| field.number == number) {
            for id in ids(&field) {
                pass_one(FlowId::Number(id), slice, last, context);
            }
        }
    }
}

/// The work of a GPU that a slice submits or waits for.
fn correlate_gpu(event: &TrackEvent<'_>, slice: u32, context: &mut DecodeContext<'_, '_>) {
    let DecodeContext { trackers, tables, .. } = context;
    let correlations = Fields::new(event.data);
    let correlations =
        correlations.filter(|field| field.number == gpu_track_event::GPU_CORRELATION);
    for field in correlations.flat_map(|field| Fields::new(field.as_bytes())) {
        match field.number {
            gpu_correlation::RENDER_STAGE_SUBMISSION_EVENT_IDS => {
                repeated(&field).for_each(|id| trackers.submit_render_stage(id, slice, tables));
            }
            gpu_correlation::RENDER_STAGE_WAIT_EVENT_IDS => {
                repeated(&field).for_each(|id| trackers.end_render_stage(id, slice, tables));
            }
            _ => {}
        }
    }
}

fn pass_one(flow: FlowId, slice: u32, last: bool, context: &mut DecodeContext<'_, '_>) {
    let DecodeContext { trackers, tables, stats, .. } = context;
    match (trackers.file.flows.is_active(flow), last) {
        (true, false) => trackers.step_flow(flow, slice, tables, stats),
        (true, true) => trackers.end_flow(flow, slice, FlowEnd::Last, tables, stats),
        (false, false) => trackers.begin_flow(flow, slice, tables, stats),
        // A flow that never began does not end.
        (false, true) => {}
    }
}

/// The flow that a slice of the older form is part of.
fn bind(legacy: &Legacy<'_>, slice: u32, context: &mut DecodeContext<'_, '_>) {
    let Some(flow) = legacy.bind_id.map(FlowId::Number) else { return };
    let DecodeContext { trackers, tables, stats, .. } = context;
    match legacy.direction {
        Some(Direction::Out) => trackers.begin_flow(flow, slice, tables, stats),
        Some(Direction::InOut) => trackers.step_flow(flow, slice, tables, stats),
        Some(Direction::In) => trackers.end_flow(flow, slice, FlowEnd::MayRepeat, tables, stats),
        None => stats.increment(Stat::FlowWithoutDirection),
    }
}

/// An event of the older form that is nothing but a part of a flow, known by a number, a category
/// and a name.
pub(super) fn legacy(
    phase: u8,
    event: &TrackEvent<'_>,
    owner: &mut EventOwner,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    let legacy = event.legacy.as_ref()?;
    let Some(id) = legacy.unscoped_id else {
        context.stats.increment(Stat::FlowInvalidId);
        return None;
    };
    let flow = context.trackers.file.flows.named(id, event.category, event.name);
    let track = owner.own_track(event, context)?;
    let DecodeContext { trackers, tables, stats, .. } = context;
    match phase {
        b's' => trackers.begin_flow_on(flow, track, tables, stats),
        b't' => trackers.step_flow_on(flow, track, tables, stats),
        _ => trackers.end_flow_on(flow, track, legacy.bind_to_enclosing, tables, stats),
    }
    Some(())
}

/// Numbers as varints or of eight bytes each, one by one or packed.
fn ids<'a>(field: &Field<'a>) -> Box<dyn Iterator<Item = u64> + 'a> {
    if matches!(field.number, track_event::FLOW_IDS_OLD | track_event::TERMINATING_FLOW_IDS_OLD) {
        return Box::new(repeated(field));
    }
    let single = field.as_bytes().is_empty().then(|| field.as_u64());
    let packed = field.as_bytes().chunks_exact(8).filter_map(|bytes| bytes.first_chunk());
    Box::new(single.into_iter().chain(packed.map(|bytes| u64::from_le_bytes(*bytes))))
}
