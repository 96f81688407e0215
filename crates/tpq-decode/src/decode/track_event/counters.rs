//! Counter values: of counter events, in other events, and the counts of the
//! thread that older events carry.

use tpq_tables::{Stat, StringId};

use super::context::DecodeContext;
use super::event::{TrackEvent, Type};
use super::event_args::add_args;
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
    extra: CountedExtra,
}

/// Values of other counters. An array of each part is empty at once; a structure for each value has
/// gaps, and its empty values are copied one by one.
#[derive(Default)]
struct CountedExtra {
    count: usize,
    /// Uuids of their tracks.
    uuids: [u64; MAX_EXTRA],
    values: [f64; MAX_EXTRA],
    /// The counts of the thread that they are.
    counts: [Option<Builtin>; MAX_EXTRA],
}

impl CountedExtra {
    /// Adds a value. There are fewer than [`MAX_EXTRA`].
    fn add(&mut self, uuid: u64, value: f64, counts: Option<Builtin>) {
        let at = self.count;
        (self.uuids[at], self.values[at], self.counts[at]) = (uuid, value, counts);
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = (u64, f64, Option<Builtin>)> {
        let parts = self.uuids.iter().zip(&self.values).zip(&self.counts).take(self.count);
        parts.map(|((&uuid, &value), &counts)| (uuid, value, counts))
    }
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
            let Some(raw) = raw.filter(|_| self.extra.count < MAX_EXTRA) else {
                refuse_of_sequence(Stat::TrackEventExtraCounterExceedsMax, context);
                return None;
            };
            let counted = context.trackers.source.uuids.counter_value(scope, uuid, raw);
            let Some((value, counts)) = counted else {
                refuse_of_track(Stat::TrackEventExtraCounterInvalidTrack, uuid, context);
                return None;
            };
            self.extra.add(uuid, value, counts);
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
        for (uuid, value, counts) in self.extra.iter() {
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
    let mut args = ArgSet::default();
    add_args(event, &owner, &mut args, context);
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
