//! All arguments of a track event.

use tpq_trackers::args::{ArgSet, ArgValue};

use super::context::DecodeContext;
use super::event::TrackEvent;
use super::owner::EventOwner;
use super::typed_args;

/// The key of the thread that wrote an event which is not of a thread.
const WRITER: &str = "legacy_event.passthrough_utid";

/// Args that the end of a slice adds to those of its beginning, `begun`. The thread that began the
/// slice stays its writer.
pub(super) fn args_of_end(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    begun: &ArgSet,
    context: &mut DecodeContext<'_, '_>,
) -> ArgSet {
    let mut owner = *owner;
    owner.passthrough = owner.passthrough.filter(|_| !begun.has(context.intern(WRITER)));
    let mut added = ArgSet::default();
    add_args(event, &owner, &mut added, context);
    added
}

/// Writes what args of an event have in other tables, where sets have no effect.
pub(super) fn write_rows(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    context: &mut DecodeContext<'_, '_>,
) {
    if typed_args::may_have_rows(event.fields) {
        typed_args::add(event.fields, owner.utid, &mut ArgSet::default(), context);
    }
}

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
        let key = context.intern(WRITER);
        args.add_new(key, ArgValue::Uint(u64::from(utid)));
    }
}
