//! All arguments of a track event.

use tpq_trackers::args::{ArgSet, ArgValue};

use super::context::DecodeContext;
use super::event::TrackEvent;
use super::owner::EventOwner;
use super::typed_args;

/// Other details of an event.
pub(super) fn args(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    context: &mut DecodeContext<'_, '_>,
) -> ArgSet {
    let mut args = ArgSet::default();
    let are_written = !context.trackers.deferred.leaves_out_sets();
    if let Some(id) = owner.source_id.filter(|_| are_written) {
        args.add(context.intern("legacy_trace_source_id"), ArgValue::Int(id));
    }
    typed_args::add(event.fields, owner.utid, &mut args, context);
    if !context.trackers.file.translations.has_no_args() {
        context.trackers.translate_args(&mut args, context.tables);
    }
    if let Some(utid) = owner.passthrough.filter(|_| are_written) {
        let key = context.intern("legacy_event.passthrough_utid");
        args.add_new(key, ArgValue::Uint(u64::from(utid)));
    }
    args
}
