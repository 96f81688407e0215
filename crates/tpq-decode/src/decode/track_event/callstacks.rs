//! Call stacks of slices: where the program was when they began, and when they ended.

use rustc_hash::FxHashMap;
use tpq_proto::fields::track_event;
use tpq_proto::wire::Fields;
use tpq_tables::table::TrackEventCallstackRow;

use super::context::DecodeContext;
use super::event::{TrackEvent, bits};
use super::owner::EventOwner;
use crate::decode::profilers::inline_stack::inline_stack;
use tpq_trackers::stacks::InternedStacks;

/// The fields with call stacks.
const CALLSTACKS: u64 = bits([track_event::CALLSTACK, track_event::CALLSTACK_IID]);
/// The mapping of frames without a binary.
const INLINE_MAPPING: &str = "track_event_inline";

/// The row of each slice with a stack at its begin.
#[derive(Default)]
struct Begun(FxHashMap<u32, u32>);

/// A call stack with its weight.
struct Stack {
    callsite: u32,
    weight: Option<f64>,
}

/// Adds the stack of an event that begins a slice.
pub(super) fn begin(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    slice: (u32, u32),
    context: &mut DecodeContext<'_, '_>,
) {
    if let Some(row) = complete(event, owner, slice, context) {
        context.trackers.states.get::<Begun>().0.insert(slice.0, row);
    }
}

/// Adds the stack of an event that is a whole slice; returns its row.
pub(super) fn complete(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    (slice_id, track_id): (u32, u32),
    context: &mut DecodeContext<'_, '_>,
) -> Option<u32> {
    let Stack { callsite, weight } = stack(event, owner, context)?;
    let row = TrackEventCallstackRow {
        slice_id,
        track_id,
        callsite_id: Some(callsite),
        end_callsite_id: None,
        weight,
    };
    Some(context.tables.track_event_callstacks.push(row))
}

/// Adds the stack of an event that ends a slice to the row of its begin.
pub(super) fn end(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    (slice_id, track_id): (u32, u32),
    context: &mut DecodeContext<'_, '_>,
) {
    let Some(Stack { callsite, weight }) = stack(event, owner, context) else { return };
    let begun = context.trackers.states.get::<Begun>().0.remove(&slice_id);
    let table = &mut context.tables.track_event_callstacks;
    match begun {
        Some(row) => {
            table.end_callsite_id.set(row, Some(callsite));
            if table.weight.get(row).is_none() {
                table.weight.set(row, weight);
            }
        }
        None => {
            table.push(TrackEventCallstackRow {
                slice_id,
                track_id,
                callsite_id: None,
                end_callsite_id: Some(callsite),
                weight,
            });
        }
    }
}

/// The stack of an event. One that cannot be read is counted.
fn stack(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    context: &mut DecodeContext<'_, '_>,
) -> Option<Stack> {
    if !event.fields.any(CALLSTACKS) {
        return None;
    }
    let (mut inline, mut iid, mut weight) = (None, None, None);
    for field in Fields::new(event.data) {
        match field.number {
            track_event::CALLSTACK => inline = Some(field.as_bytes()),
            track_event::CALLSTACK_IID => iid = Some(field.as_u64()),
            track_event::CALLSTACK_WEIGHT => weight = Some(field.as_f64()),
            _ => {}
        }
    }
    let upid = owner.upid.or_else(|| context.tables.thread.upid.get(owner.utid?));
    let DecodeContext { packet, trackers, tables, stats } = context;
    let callsite = match (inline, iid) {
        (Some(inline), _) => inline_stack(inline, INLINE_MAPPING, trackers, tables),
        (None, Some(iid)) => {
            let (interned, generation) = (packet.interned, packet.generation);
            let stacks = InternedStacks { interned, generation, upid };
            stacks.callstack(iid, &mut trackers.source.stacks, tables, stats)
        }
        (None, None) => None,
    };
    if callsite.is_none() {
        context.count_error();
    }
    callsite.map(|callsite| Stack { callsite, weight })
}
