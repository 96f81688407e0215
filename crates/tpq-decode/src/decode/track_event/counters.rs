//! Counter values: of counter events, in other events, and the counts of the
//! thread that older events carry.

use tpq_tables::{Stat, StringId};

use super::context::DecodeContext;
use super::event::{TrackEvent, Type};
use super::event_args::args;
use super::extra_values::{ExtraValues, GivenCount, MAX_EXTRA};
use super::owner::{EventOwner, split};
use crate::decode::Packet;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::interned::EventDefaults;
use tpq_trackers::track::{
    Builtin, Dimensions, ThreadTotals, TrackKind, push_counter, push_counter_with,
};

const THREAD_TIME: TrackKind = TrackKind::counter("thread_time", None);
const THREAD_INSTRUCTIONS: TrackKind = TrackKind::counter("thread_instructions", None);

/// The thread's own counters at an event: CPU time in ns, and instructions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ThreadCounters {
    pub(super) time: Option<i64>,
    pub(super) instructions: Option<i64>,
}

/// The counter values of an event in their units, differences added up. It is large, and so filled
/// in place.
#[derive(Default)]
pub(super) struct Counted {
    thread: ThreadCounters,
    own: Option<f64>,
    extra: [ExtraValue; MAX_EXTRA],
    extra_count: usize,
}

/// A value of another counter.
#[derive(Clone, Copy, Default)]
struct ExtraValue {
    /// Uuid of its track.
    uuid: u64,
    value: f64,
    /// The count of the thread that it is.
    counts: Option<Builtin>,
}

fn thread_count(
    given: GivenCount,
    total: fn(&mut ThreadTotals) -> &mut i64,
    stat: Stat,
    context: &mut DecodeContext<'_, '_>,
) -> Option<Option<i64>> {
    let Some(delta) = given.delta else { return Some(given.absolute) };
    let generation = context.packet.interned.generation(context.packet.generation);
    let totals = generation.and_then(|it| context.trackers.source.sequence_threads.totals(it));
    match totals {
        Some(totals) => {
            let total = total(totals);
            *total = total.saturating_add(delta);
            Some(Some(*total))
        }
        None => {
            refuse_of_sequence(stat, context);
            None
        }
    }
}

fn own_value(
    event: &TrackEvent<'_>,
    default_track: Option<u64>,
    context: &mut DecodeContext<'_, '_>,
) -> Option<f64> {
    let Some(uuid) = event.track.or(default_track) else {
        context.refuse(Stat::TrackEventCounterMissingTrackUuid, &ArgSet::default());
        return None;
    };
    let Some(raw) = event.counter.or(event.double_counter) else {
        refuse_of_track(Stat::TrackEventCounterMissingValue, uuid, context);
        return None;
    };
    let scope = scope(context);
    let value = context.trackers.source.uuids.counter_value(scope, uuid, raw);
    if value.is_none() {
        refuse_of_track(Stat::TrackEventCounterInvalidTrackUuid, uuid, context);
    }
    value.map(|(value, _)| value)
}

/// Totals are of one scope of interned state.
fn scope(context: &DecodeContext<'_, '_>) -> u32 {
    context.packet.interned.generation(context.packet.generation).map_or(0, |it| it.interned)
}

impl Counted {
    /// Adds up what an event gives as differences; `None` for an event that is to be skipped.
    pub(super) fn count(
        &mut self,
        event: &TrackEvent<'_>,
        default_track: Option<u64>,
        context: &mut DecodeContext<'_, '_>,
    ) -> Option<()> {
        if event.is(Type::State) && event.track.or(default_track).is_none() {
            context.refuse(Stat::TrackEventStateMissingTrackUuid, &ArgSet::default());
            return None;
        }
        self.thread.time = thread_count(
            event.thread_time,
            |totals| &mut totals.time,
            Stat::TrackEventSkippedThreadTimeDeltaWithoutValidState,
            context,
        )?;
        self.thread.instructions = thread_count(
            event.instructions,
            |totals| &mut totals.instructions,
            Stat::TrackEventSkippedThreadInstructionDeltaWithoutValidState,
            context,
        )?;
        if event.is(Type::Counter) {
            self.own = Some(own_value(event, default_track, context)?);
        }
        self.add_extra(&event.extra, |defaults| defaults.counters.as_slice(), context)?;
        self.add_extra(&event.double_extra, |defaults| defaults.double_counters.as_slice(), context)
    }

    fn add_extra(
        &mut self,
        given: &ExtraValues,
        default_tracks: fn(&EventDefaults) -> &[u64],
        context: &mut DecodeContext<'_, '_>,
    ) -> Option<()> {
        if given.count == 0 {
            return Some(());
        }
        let Packet { interned, generation, .. } = *context.packet;
        let defaults = interned.event_defaults(generation);
        let tracks = match given.tracks.is_empty() {
            true => defaults.map_or(&[][..], default_tracks),
            false => given.tracks.as_slice(),
        };
        if tracks.is_empty() {
            refuse_of_sequence(Stat::TrackEventExtraCounterMissingTrackUuids, context);
            return None;
        }
        let scope = scope(context);
        for (index, raw) in given.iter().enumerate() {
            let Some(&uuid) = tracks.get(index).filter(|&&uuid| uuid != 0) else {
                refuse_of_sequence(Stat::TrackEventExtraCounterTrackUuidMismatch, context);
                return None;
            };
            let Some((raw, free)) = raw.zip(self.extra.get_mut(self.extra_count)) else {
                refuse_of_sequence(Stat::TrackEventExtraCounterExceedsMax, context);
                return None;
            };
            let counted = context.trackers.source.uuids.counter_value(scope, uuid, raw);
            let Some((value, counts)) = counted else {
                refuse_of_track(Stat::TrackEventExtraCounterInvalidTrack, uuid, context);
                return None;
            };
            *free = ExtraValue { uuid, value, counts };
            self.extra_count += 1;
        }
        Some(())
    }

    /// Writes the extra values of an event; returns the thread's counters.
    pub(super) fn write(
        &self,
        owner: &EventOwner,
        context: &mut DecodeContext<'_, '_>,
    ) -> ThreadCounters {
        let mut thread = self.thread;
        let ts = context.packet.ts();
        if let Some(utid) = owner.utid {
            let counts = [
                (THREAD_TIME, Builtin::ThreadTime, thread.time),
                (THREAD_INSTRUCTIONS, Builtin::ThreadInstructions, thread.instructions),
            ];
            for (kind, builtin, value) in counts {
                let Some(value) = value else { continue };
                let (of, name) = (Dimensions::thread(utid), context.intern(builtin.name()));
                context.trackers.count((ts, value as f64), kind, of, name, context.tables);
            }
        }
        for &ExtraValue { uuid, value, counts } in &self.extra[..self.extra_count] {
            write_extra(uuid, value, owner, context);
            match counts {
                Some(Builtin::ThreadTime) => thread.time = Some(value as i64),
                Some(Builtin::ThreadInstructions) => thread.instructions = Some(value as i64),
                None => {}
            }
        }
        thread
    }
}

fn write_extra(uuid: u64, value: f64, owner: &EventOwner, context: &mut DecodeContext<'_, '_>) {
    let known = context.trackers.source.uuids.known_row(uuid);
    let track = known.or_else(|| extra_track(uuid, owner, context));
    if let Some(track) = track {
        push_counter(
            context.packet.ts(),
            track,
            value,
            &mut context.trackers.bounds,
            context.tables,
        );
    }
}

/// The track of an extra value; `None` if it cannot be created.
fn extra_track(uuid: u64, owner: &EventOwner, context: &mut DecodeContext<'_, '_>) -> Option<u32> {
    if !context.trackers.check_track(uuid, context.tables, context.stats) {
        return None;
    }
    let by = owner.first_event(StringId::NULL, context);
    let (uuids, processes, mut rows) = split(context.trackers, context.tables);
    uuids.own_track(uuid, by, processes, &mut rows)
}

/// Writes the value of an event that is nothing else.
pub(super) fn write_value(
    event: &TrackEvent<'_>,
    owner: &EventOwner,
    counted: &Counted,
    context: &mut DecodeContext<'_, '_>,
) -> Option<()> {
    let mut owner = *owner;
    let track = owner.own_track(event, context)?;
    let args = args(event, &owner, context);
    let set = context.trackers.deferred.intern(&args);
    let bounds = &mut context.trackers.bounds;
    push_counter_with(context.packet.ts(), track, counted.own?, set, bounds, context.tables);
    Some(())
}

fn refuse_of_track(stat: Stat, uuid: u64, context: &mut DecodeContext<'_, '_>) {
    let uuid = [("track_uuid", ArgValue::Uint(uuid))];
    let details = ArgSet::of(uuid, &mut context.tables.strings);
    context.refuse(stat, &details);
}

fn refuse_of_sequence(stat: Stat, context: &mut DecodeContext<'_, '_>) {
    let generation = context.packet.interned.generation(context.packet.generation);
    let sequence = generation.map_or(0, |it| it.sequence);
    let sequence = [("packet_sequence_id", ArgValue::Uint(u64::from(sequence)))];
    let details = ArgSet::of(sequence, &mut context.tables.strings);
    context.refuse(stat, &details);
}
