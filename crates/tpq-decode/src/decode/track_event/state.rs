//! States: what something is in until an event says otherwise.

use super::event::{On, TrackEvent, args};
use super::whose::Whose;
use crate::track::NewState;

/// The event's track is in another state from now on; in none where the event has no name.
pub(super) fn enter(event: &TrackEvent<'_>, whose: &Whose, on: &mut On<'_, '_>) -> Option<()> {
    let mut whose = *whose;
    let track = whose.own_track(event, on)?;
    on.trackers.bounds.include(on.packet.ts);
    let (ts, category, value) = (on.packet.ts, event.category, event.name);
    let state = NewState { ts, track, category, value, arg_set_id: None };
    let Some(id) = on.trackers.states.change(state, on.tables) else { return Some(()) };
    let args = args(event, &whose, on);
    let set = on.trackers.deferred.intern(&args);
    on.tables.state.arg_set_id.set(id, set);
    Some(())
}
