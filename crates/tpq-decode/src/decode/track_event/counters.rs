//! Counter values: of events that are nothing else, beside other events, and the counts of the
//! thread that older events carry.

use tpq_tables::{Stat, StringId};

use super::event::{On, TrackEvent, Type, args};
use super::whose::{Whose, split};
use crate::deferred::{ArgSet, ArgValue};
use crate::track::{
    Builtin, Dimensions, EventDefaults, ThreadTotals, TrackKind, push_counter, push_counter_with,
};

/// Values of other counters that an event may carry.
const MAX_EXTRA: usize = 8;

const THREAD_TIME: TrackKind = TrackKind::counter("thread_time", None);
const THREAD_INSTRUCTIONS: TrackKind = TrackKind::counter("thread_instructions", None);

/// A count of the thread as an event gives it: as a difference or as it is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GivenCount {
    pub(super) delta: Option<i64>,
    pub(super) absolute: Option<i64>,
}

/// Values of other counters beside an event.
#[derive(Clone, Debug, Default)]
pub(super) struct ExtraValues {
    values: [f64; MAX_EXTRA],
    /// How many there are, also of those beyond what is kept.
    count: usize,
    /// The tracks that the event itself names for them.
    pub(super) tracks: Vec<u64>,
}

impl ExtraValues {
    pub(super) fn add(&mut self, value: f64) {
        if let Some(free) = self.values.get_mut(self.count) {
            *free = value;
        }
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = Option<f64>> {
        (0..self.count).map(|index| self.values.get(index).copied())
    }
}

/// The thread's own counters at an event: CPU time in ns, and instructions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ThreadCounters {
    pub(super) time: Option<i64>,
    pub(super) instructions: Option<i64>,
}

/// The counter values of an event in their units, differences added up.
#[derive(Clone, Copy, Default)]
pub(super) struct Counted {
    thread: ThreadCounters,
    own: Option<f64>,
    extra: [(u64, f64); MAX_EXTRA],
    extra_count: usize,
}

/// Adds up what an event gives as differences; `None` for an event that is to be skipped.
pub(super) fn count(
    event: &TrackEvent<'_>,
    defaults: &EventDefaults,
    on: &mut On<'_, '_>,
) -> Option<Counted> {
    if event.is(Type::State) && event.track.or(defaults.track).is_none() {
        on.refuse(Stat::TrackEventStateMissingTrackUuid, &ArgSet::default());
        return None;
    }
    let mut counted = Counted {
        thread: ThreadCounters {
            time: thread_count(
                event.thread_time,
                |totals| &mut totals.time,
                Stat::TrackEventSkippedThreadTimeDeltaWithoutValidState,
                on,
            )?,
            instructions: thread_count(
                event.instructions,
                |totals| &mut totals.instructions,
                Stat::TrackEventSkippedThreadInstructionDeltaWithoutValidState,
                on,
            )?,
        },
        ..Counted::default()
    };
    if event.is(Type::Counter) {
        counted.own = Some(own_value(event, defaults, on)?);
    }
    counted.add_extra(&event.extra, &defaults.counters, on)?;
    counted.add_extra(&event.double_extra, &defaults.double_counters, on)?;
    Some(counted)
}

fn thread_count(
    given: GivenCount,
    total: fn(&mut ThreadTotals) -> &mut i64,
    stat: Stat,
    on: &mut On<'_, '_>,
) -> Option<Option<i64>> {
    let Some(delta) = given.delta else { return Some(given.absolute) };
    let generation = on.packet.interned.generation(on.packet.generation);
    let totals = generation.and_then(|it| on.trackers.sequence_threads.totals(it));
    match totals {
        Some(totals) => {
            let total = total(totals);
            *total = total.saturating_add(delta);
            Some(Some(*total))
        }
        None => {
            refuse_of_sequence(stat, on);
            None
        }
    }
}

fn own_value(event: &TrackEvent<'_>, defaults: &EventDefaults, on: &mut On<'_, '_>) -> Option<f64> {
    let Some(uuid) = event.track.or(defaults.track) else {
        on.refuse(Stat::TrackEventCounterMissingTrackUuid, &ArgSet::default());
        return None;
    };
    let Some(raw) = event.counter.or(event.double_counter) else {
        refuse_of_track(Stat::TrackEventCounterMissingValue, uuid, on);
        return None;
    };
    let scope = scope(on);
    let value = on.trackers.uuids.counter_value(scope, uuid, raw);
    if value.is_none() {
        refuse_of_track(Stat::TrackEventCounterInvalidTrackUuid, uuid, on);
    }
    value
}

/// Totals are of one scope of interned state.
fn scope(on: &On<'_, '_>) -> u32 {
    on.packet.interned.generation(on.packet.generation).map_or(0, |it| it.interned)
}

impl Counted {
    fn add_extra(
        &mut self,
        given: &ExtraValues,
        defaults: &[u64],
        on: &mut On<'_, '_>,
    ) -> Option<()> {
        if given.count == 0 {
            return Some(());
        }
        let tracks = if given.tracks.is_empty() { defaults } else { &given.tracks };
        if tracks.is_empty() {
            refuse_of_sequence(Stat::TrackEventExtraCounterMissingTrackUuids, on);
            return None;
        }
        let scope = scope(on);
        for (index, raw) in given.iter().enumerate() {
            let Some(&uuid) = tracks.get(index).filter(|&&uuid| uuid != 0) else {
                refuse_of_sequence(Stat::TrackEventExtraCounterTrackUuidMismatch, on);
                return None;
            };
            let Some((raw, free)) = raw.zip(self.extra.get_mut(self.extra_count)) else {
                refuse_of_sequence(Stat::TrackEventExtraCounterExceedsMax, on);
                return None;
            };
            let Some(value) = on.trackers.uuids.counter_value(scope, uuid, raw) else {
                refuse_of_track(Stat::TrackEventExtraCounterInvalidTrack, uuid, on);
                return None;
            };
            *free = (uuid, value);
            self.extra_count += 1;
        }
        Some(())
    }

    /// Writes the values beside an event; gives the thread's counters.
    pub(super) fn write(&self, whose: &Whose, on: &mut On<'_, '_>) -> ThreadCounters {
        let mut thread = self.thread;
        let ts = on.packet.ts;
        if let Some(utid) = whose.utid {
            let counts = [
                (THREAD_TIME, Builtin::ThreadTime, thread.time),
                (THREAD_INSTRUCTIONS, Builtin::ThreadInstructions, thread.instructions),
            ];
            for (kind, builtin, value) in counts {
                let Some(value) = value else { continue };
                let (of, name) = (Dimensions::thread(utid), on.intern(builtin.name()));
                on.trackers.count((ts, value as f64), kind, of, name, on.tables);
            }
        }
        for &(uuid, value) in &self.extra[..self.extra_count] {
            write_extra(uuid, value, whose, on);
            match on.trackers.uuids.counter(uuid).and_then(|counter| counter.counts) {
                Some(Builtin::ThreadTime) => thread.time = Some(value as i64),
                Some(Builtin::ThreadInstructions) => thread.instructions = Some(value as i64),
                None => {}
            }
        }
        thread
    }
}

fn write_extra(uuid: u64, value: f64, whose: &Whose, on: &mut On<'_, '_>) {
    if !on.trackers.check_track(uuid, on.tables, on.stats) {
        return;
    }
    let by = whose.first_event(StringId::NULL, on);
    let (uuids, processes, mut rows) = split(on.trackers, on.tables);
    if let Some(track) = uuids.own_track(uuid, by, processes, &mut rows) {
        push_counter(on.packet.ts, track, value, &mut on.trackers.bounds, on.tables);
    }
}

/// Writes the value of an event that is nothing else.
pub(super) fn write_value(
    event: &TrackEvent<'_>,
    whose: &Whose,
    counted: Counted,
    on: &mut On<'_, '_>,
) -> Option<()> {
    let mut whose = *whose;
    let track = whose.own_track(event, on)?;
    let args = args(event, &whose, on);
    let set = on.trackers.deferred.intern(&args);
    let bounds = &mut on.trackers.bounds;
    push_counter_with(on.packet.ts, track, counted.own?, set, bounds, on.tables);
    Some(())
}

fn refuse_of_track(stat: Stat, uuid: u64, on: &mut On<'_, '_>) {
    let uuid = [("track_uuid", ArgValue::Uint(uuid))];
    let details = ArgSet::of(uuid, &mut on.tables.strings);
    on.refuse(stat, &details);
}

fn refuse_of_sequence(stat: Stat, on: &mut On<'_, '_>) {
    let generation = on.packet.interned.generation(on.packet.generation);
    let sequence = generation.map_or(0, |it| it.sequence);
    let sequence = [("packet_sequence_id", ArgValue::Uint(u64::from(sequence)))];
    let details = ArgSet::of(sequence, &mut on.tables.strings);
    on.refuse(stat, &details);
}
