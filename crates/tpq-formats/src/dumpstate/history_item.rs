//! Items in lines of the history of the battery.

use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, SliceEnd, TrackKind, Trackers};

use super::battery::History;
use super::history_names::{event_name, state};
use crate::text::{number, split_once};

const EVENTS: TrackKind = TrackKind::slices("battery_stats");
const WAKELOCKS: TrackKind = TrackKind::slices("dumpstate_wakelocks");
const STATES: TrackKind = TrackKind::counter("battery_stats", None);
const SCREEN: TrackKind = TrackKind::counter("screen_state", None);
const BATTERY: TrackKind = TrackKind::counter("battery_counter", None);
const STATUS: TrackKind = TrackKind::counter("battery_status", None);
const PLUGGED: TrackKind = TrackKind::counter("battery_plugged_status", None);
/// From this version on the end of a wakelock states which.
const WITH_WAKELOCKS: i64 = 36;
/// The index of the count of items of unknown kinds.
const ITEMS: i64 = 0;

/// An item: `key`, `+key`, `-key`, `key=value`…
#[derive(Clone, Copy, Debug)]
pub(super) struct Item<'a> {
    ts: i64,
    machine: u32,
    /// Whether it begins or ends; `None` if it does neither.
    begins: Option<bool>,
    key: &'a [u8],
    value: &'a [u8],
}

impl<'a> Item<'a> {
    pub(super) fn read(text: &'a [u8], ts: i64, machine: u32) -> Self {
        let (key, value) = split_once(text, b'=').unwrap_or((text, b""));
        let (begins, key) = match key {
            [b'+', key @ ..] => (Some(true), key),
            [b'-', key @ ..] => (Some(false), key),
            key => (None, key),
        };
        Self { ts, machine, begins, key, value }
    }

    fn of_machine(&self) -> Dimensions {
        Dimensions::machine(self.machine)
    }
}

/// The reason why an item has no row.
enum NoRow {
    /// Its kind is not read.
    Unknown,
    /// Its value makes no sense.
    Malformed,
}

/// Decodes an item.
pub(super) fn decode_item(
    item: &Item<'_>,
    history: &History,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let decoded = match (item.begins, item.key, item.value) {
        (_, [b'E', ..], _) => event(item, history, trackers, tables, stats),
        (Some(_), b"w", b"") => Ok(()),
        (Some(begins), b"w", _) => wakelock(item, begins, history, trackers, tables, stats),
        (Some(is_on), _, b"") => switch(item, is_on, trackers, tables),
        (None, _, [_, ..]) => level(item, trackers, tables),
        _ => Err(NoRow::Unknown),
    };
    match decoded {
        Ok(()) => {}
        Err(NoRow::Unknown) => stats.add_indexed(Stat::FormatRecordsNotRead, ITEMS, 1),
        Err(NoRow::Malformed) => stats.increment(Stat::AndroidBrParseErrors),
    }
}

/// An event, with a string.
fn event(
    item: &Item<'_>,
    history: &History,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Result<(), NoRow> {
    let name = event_name(item.key).ok_or(NoRow::Unknown)?;
    let (uid, text) = history.string(number(item.value).ok_or(NoRow::Malformed)?);
    let sign = item.begins.map_or("", |begins| if begins { "+" } else { "-" });
    let slice = tables.strings.intern(&format!("{sign}{name}={uid}:\"{text}\""));
    let track_name = tables.strings.intern(&format!("battery_stats.{name}"));
    let dimensions = item.of_machine().text("bstats_item_name", tables.strings.intern(name));
    let Trackers { source, deferred, .. } = trackers;
    let track = source.tracks.get(EVENTS, dimensions, track_name, deferred, tables);
    let slice =
        NewSlice { ts: item.ts, track, category: StringId::NULL, name: slice, arg_set_id: None };
    trackers.instant(slice, &ArgSet::default(), tables, stats);
    Ok(())
}

/// A wakelock that is taken or released.
fn wakelock(
    item: &Item<'_>,
    begins: bool,
    history: &History,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Result<(), NoRow> {
    if history.version < WITH_WAKELOCKS {
        return Err(NoRow::Unknown);
    }
    let index: i64 = number(item.value).ok_or(NoRow::Malformed)?;
    let name = tables.strings.intern("WakeLocks");
    let sharing = Sharing { kind: WAKELOCKS, dimensions: item.of_machine(), name };
    trackers.bounds.include(item.ts);
    let category = StringId::NULL;
    if begins {
        let track = trackers.begin_shared(sharing, index, tables);
        let name = tables.strings.intern(history.string(index).1);
        let slice = NewSlice { ts: item.ts, track, category, name, arg_set_id: None };
        trackers.begin_slice(slice, ArgSet::default(), tables, stats);
    } else {
        let track = trackers.end_shared(sharing, index, tables);
        let end = SliceEnd { ts: item.ts, track, category, name: StringId::NULL };
        trackers.end_slice(end, &ArgSet::default(), tables, stats);
    }
    Ok(())
}

/// A state that begins or ends.
fn switch(
    item: &Item<'_>,
    is_on: bool,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> Result<(), NoRow> {
    let (name, _) = state(item.key).ok_or(NoRow::Unknown)?;
    count_state(item, name, f64::from(u8::from(is_on)), trackers, tables);
    if name == "screen" {
        // Android's numbers of a display's state: 1 is off, 2 is on.
        let value = if is_on { 2.0 } else { 1.0 };
        count(item, SCREEN, item.of_machine(), "ScreenState", value, trackers, tables);
    }
    Ok(())
}

/// The value of a state or of a counter.
fn level(item: &Item<'_>, trackers: &mut Trackers, tables: &mut Tables) -> Result<(), NoRow> {
    if let Some((name, values)) = state(item.key) {
        let named = || values.iter().position(|value| value.as_bytes() == item.value);
        let value = number::<i64>(item.value).or_else(|| named().map(|at| at as i64));
        let value = value.ok_or(NoRow::Malformed)?;
        count_state(item, name, value as f64, trackers, tables);
        return Ok(());
    }
    let number = || number::<i64>(item.value).ok_or(NoRow::Malformed);
    let of_machine = item.of_machine();
    match item.key {
        b"Bl" => battery(item, "capacity_pct", number()?, trackers, tables),
        // In mAh and mV here.
        b"Bcc" => battery(item, "charge_uah", number()?.saturating_mul(1000), trackers, tables),
        b"Bv" => battery(item, "voltage_uv", number()?.saturating_mul(1000), trackers, tables),
        b"Bs" => {
            let status = status(item.value);
            count(item, STATUS, of_machine, "BatteryStatus", status, trackers, tables);
        }
        b"Bp" => {
            let plug = plug(item.value);
            count(item, PLUGGED, of_machine, "PlugType", plug, trackers, tables);
        }
        _ => return Err(NoRow::Unknown),
    }
    Ok(())
}

/// Android's number of a battery's status; 0 for one that is unknown.
fn status(value: &[u8]) -> f64 {
    match value.first() {
        Some(b'?') => 1.0,
        Some(b'c') => 2.0,
        Some(b'd') => 3.0,
        Some(b'n') => 4.0,
        Some(b'f') => 5.0,
        _ => 0.0,
    }
}

/// Android's number of what a battery is plugged into; 0 for nothing.
fn plug(value: &[u8]) -> f64 {
    match value.first() {
        Some(b'a') => 1.0,
        Some(b'u') => 2.0,
        Some(b'w') => 4.0,
        _ => 0.0,
    }
}

fn count_state(
    item: &Item<'_>,
    name: &str,
    value: f64,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let name = format!("battery_stats.{name}");
    let key = tables.strings.intern(&name);
    let dimensions = item.of_machine().text("counter_key", key);
    count(item, STATES, dimensions, &name, value, trackers, tables);
}

/// A counter of the battery, which has no name here.
fn battery(
    item: &Item<'_>,
    counter: &str,
    value: i64,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let dimensions = item
        .of_machine()
        .text("battery_name", tables.strings.intern(""))
        .text("counter_name", tables.strings.intern(counter));
    count(item, BATTERY, dimensions, &format!("batt.{counter}"), value as f64, trackers, tables);
}

fn count(
    item: &Item<'_>,
    kind: TrackKind,
    dimensions: Dimensions,
    name: &str,
    value: f64,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let name = tables.strings.intern(name);
    trackers.count((item.ts, value), kind, dimensions, name, tables);
}
