//! States: the state of a thing until the next event.

use super::context::DecodeContext;
use super::event::TrackEvent;
use super::event_args::add_args;
use super::owner::EventOwner;
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::NewState;

/// The event's track is in another state from now on; in none where the event has no name.
pub(super) fn enter(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    let mut owner = *owner;
    let track = owner.own_track(event, context)?;
    context.trackers.bounds.include(context.packet.ts());
    let (ts, category, value) = (context.packet.ts(), event.category, event.name);
    let state = NewState { ts, track, category, value, arg_set_id: None };
    let Some(id) = context.trackers.source.track_states.change(state, context.tables) else {
        return Some(());
    };
    let mut args = ArgSet::default();
    add_args(event, &owner, &mut args, context);
    let set = context.trackers.deferred.intern(&args);
    context.tables.state.arg_set_id.set(id, set);
    Some(())
}
