//! Markers: moments and intervals of a thread, with details.
//!
//! An interval is one marker, or two that state its start and its end. Of these, an end closes the
//! latest start of its name on its thread. Intervals of a thread overlap, so they are on tracks of
//! their own.

use rustc_hash::FxHashMap;
use tpq_decode::RunEvent;
use tpq_tables::{Stats, StringId, Tables};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, TrackKind, Trackers};

use super::columns::rows;
use super::threads::{Thread, offset_in};
use super::{MARKERS, ProfileStacks};
use crate::document::{Events, Json, Place};

const TRACKS: TrackKind = TrackKind::slices("gecko_marker");
const TRACK_NAME: &str = "Markers";
/// Numbers of a marker: its thread, name and category, two halves of its duration, and place and
/// length of its details.
const WORDS: usize = 7;
/// The number of a name or a category that is not stated.
const NONE: u32 = u32::MAX;
/// Call stacks of markers, which are profiles of their own.
const STACKS: [&str; 2] = ["stack", "cause"];

/// What a marker states of an interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Instant,
    Interval,
    Start,
    End,
}

/// Markers of a document.
pub(super) struct Markers<'a> {
    text: &'a [u8],
    times: Vec<i64>,
    words: Vec<u32>,
}

/// A marker that starts an interval.
#[derive(Clone, Copy)]
struct Open {
    ts: i64,
    at: usize,
    category: u32,
    details: (u32, u32),
}

impl<'a> Markers<'a> {
    pub(super) fn of(text: &'a [u8]) -> Self {
        Self { text, times: Vec::new(), words: Vec::new() }
    }

    /// Reads the markers of a thread with its number.
    pub(super) fn read(
        &mut self,
        (number, thread): (u32, &Thread<'_>),
        markers: Json<'_>,
        problems: &mut Vec<(usize, &'static str)>,
    ) {
        let mut open: FxHashMap<u32, Vec<Open>> = FxHashMap::default();
        let columns = ["name", "startTime", "endTime", "phase", "category", "data", "time"];
        for [name, start, end, phase, category, data, time] in rows(markers, columns) {
            let at = offset_in(self.text, name);
            let phase = phase_of(phase, data);
            let stated = if phase == Phase::End && !end.is_null() { end } else { start };
            let ts = stated.real().or_else(|| time.real()).and_then(|ms| thread.ns(ms));
            let Some(ts) = ts else {
                problems.push((at, "a marker has no time"));
                continue;
            };
            let name = number_of(name);
            let details = self.place_of(data);
            let marker = Open { ts, at, category: number_of(category), details };
            match phase {
                Phase::Instant => self.push(number, name, marker, 0),
                Phase::Interval => {
                    let end = end.real().and_then(|ms| thread.ns(ms)).unwrap_or(ts);
                    self.push(number, name, marker, end.saturating_sub(ts).max(0));
                }
                Phase::Start => open.entry(name).or_default().push(marker),
                Phase::End => match open.get_mut(&name).and_then(Vec::pop) {
                    Some(start) => {
                        self.push(number, name, start, ts.saturating_sub(start.ts).max(0));
                    }
                    None => problems.push((at, "the start of this marker is not there")),
                },
            }
        }
        let unclosed = open.into_values().flatten();
        problems.extend(unclosed.map(|start| (start.at, "the end of this marker is not there")));
    }

    fn push(&mut self, thread: u32, name: u32, marker: Open, dur: i64) {
        let Open { ts, category, details, .. } = marker;
        let dur = dur.cast_unsigned();
        self.times.push(ts);
        let (low, high) = (dur as u32, (dur >> 32) as u32);
        self.words.extend([thread, name, category, low, high, details.0, details.1]);
    }

    /// Where details lie in the document.
    fn place_of(&self, data: Json<'_>) -> (u32, u32) {
        match data.is_null() {
            true => (0, 0),
            false => (offset_in(self.text, data) as u32, data.raw().len() as u32),
        }
    }

    pub(super) fn into_events(self) -> Events {
        let Self { times, words, .. } = self;
        Events { kind: MARKERS, times, place: Place::Numbers(WORDS, words) }
    }
}

fn number_of(json: Json<'_>) -> u32 {
    json.index().and_then(|index| u32::try_from(index).ok()).unwrap_or(NONE)
}

/// The phase that a marker states; older ones have a word among their details.
fn phase_of(phase: Json<'_>, data: Json<'_>) -> Phase {
    match phase.int() {
        Some(1) => return Phase::Interval,
        Some(2) => return Phase::Start,
        Some(3) => return Phase::End,
        Some(_) => return Phase::Instant,
        None => {}
    }
    match data.get("interval").text().as_deref() {
        Some("start") => Phase::Start,
        Some("end") => Phase::End,
        _ => Phase::Instant,
    }
}

pub(super) fn decode_marker(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let &[thread, name, category, low, high, at, len] = event.words().0 else { return };
    let dur = (u64::from(high) << 32 | u64::from(low)).cast_signed();
    let ProfileStacks(threads) = trackers.file.states.get();
    let Some(thread) = threads.get(thread as usize) else { return };
    let utid = thread.utid;
    let text = |list: &[String], index: u32, tables: &mut Tables| {
        let text = list.get(index as usize);
        text.map_or(StringId::NULL, |text| tables.strings.intern(text))
    };
    let name = text(&thread.strings, name, tables);
    let category = text(&thread.categories, category, tables);
    // The run is at the first byte of the document.
    let document = event.bytes.whole(event.run.addr);
    let details = document.get(at as usize..(at as usize).saturating_add(len as usize));
    let args = args_of(Json::of_part(details.unwrap_or_default()), tables);
    let ts = event.ts;
    trackers.bounds.include(ts);
    trackers.bounds.include(ts.saturating_add(dur));
    let sharing = Sharing {
        kind: TRACKS,
        dimensions: Dimensions::thread(utid),
        name: tables.strings.intern(TRACK_NAME),
    };
    let track = trackers.complete_shared(sharing, ts, dur, tables);
    let slice = NewSlice { ts, track, name, category, arg_set_id: None };
    trackers.complete(slice, dur, &args, tables, stats);
}

/// Details as arguments, without call stacks.
fn args_of(details: Json<'_>, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    for (key, value) in details.members().filter(|(key, _)| !STACKS.contains(&key.as_ref())) {
        let value = match value.raw().trim_ascii() {
            b"null" => continue,
            b"true" => ArgValue::Bool(true),
            b"false" => ArgValue::Bool(false),
            [b'"', ..] => {
                let text = value.text().unwrap_or_default();
                ArgValue::String(tables.strings.intern(&text))
            }
            [b'{' | b'[', ..] => {
                ArgValue::Json(tables.strings.intern_bytes(value.raw().trim_ascii()))
            }
            _ => match (value.int(), value.real()) {
                (Some(number), _) => ArgValue::Int(number),
                (None, Some(number)) => ArgValue::Real(number),
                (None, None) => continue,
            },
        };
        args.add(tables.strings.intern(&format!("data.{key}")), value);
    }
    args
}
