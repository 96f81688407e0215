//! All arguments of a track event.

use tpq_trackers::args::{ArgSet, ArgValue};

use super::context::DecodeContext;
use super::event::TrackEvent;
use super::owner::EventOwner;
use super::typed_args;

/// Adds other details of an event to a set, which is empty.
pub(super) fn add_args(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    args: &mut ArgSet,
    context: &mut DecodeContext<'_, '_>,
) {
    let are_written = !context.trackers.deferred.leaves_out_sets();
    if let Some(id) = owner.source_id.filter(|_| are_written) {
        args.add(context.intern("legacy_trace_source_id"), ArgValue::Int(id));
    }
    typed_args::add(event.fields, owner.utid, args, context);
    if !context.trackers.file.translations.has_no_args() {
        context.trackers.translate_args(args, context.tables);
    }
    if let Some(utid) = owner.passthrough.filter(|_| are_written) {
        let key = context.intern("legacy_event.passthrough_utid");
        args.add_new(key, ArgValue::Uint(u64::from(utid)));
    }
}
