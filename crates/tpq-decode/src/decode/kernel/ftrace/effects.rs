//! Effects of an event: counter values, and slices that begin, end or are instants.

use std::borrow::Cow;

use tpq_tables::{Stats, StringId, Tables};

use super::event::{FtraceEvent, thread_track};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{
    Dimensions, NewSlice, Sharing, SliceEnd, ThreadCounter, TrackKind, Trackers, Utid,
};

/// A key and its value, as an event gives them.
pub(super) type NamedArg<'a> = (&'a str, Arg<'a>);

/// The value of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg<'a> {
    Int(i64),
    Uint(u64),
    Bool(bool),
    Text(&'a str),
    /// A text that is known to be absent.
    NoText,
}

/// The name and the category of a slice, if any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label<'a> {
    pub(super) category: Option<&'a str>,
    pub(super) name: &'a str,
}

impl<'a> From<&'a str> for Label<'a> {
    fn from(name: &'a str) -> Self {
        Self { category: None, name }
    }
}

impl<'a> From<(&'a str, &'a str)> for Label<'a> {
    fn from((category, name): (&'a str, &'a str)) -> Self {
        Self { category: Some(category), name }
    }
}

/// Tracks on which slices that overlap lie apart: their kind, what they are of, and their name.
pub(super) type SharedTrack<'a> = (TrackKind, Dimensions, &'a str);

/// An event, and everything it may change.
pub(super) struct Effects<'a, 'e> {
    pub(super) event: &'a FtraceEvent<'e>,
    pub(super) trackers: &'a mut Trackers,
    pub(super) tables: &'a mut Tables,
    pub(super) stats: &'a mut Stats,
}

impl<'e> FtraceEvent<'e> {
    /// The text in a field; empty where it is absent.
    pub(super) fn string(&self, number: u32) -> Cow<'e, str> {
        let bytes = self.field(number).map(|field| field.as_bytes()).unwrap_or_default();
        String::from_utf8_lossy(bytes)
    }

    /// The event with what it may change.
    pub(super) fn effects<'a>(
        &'a self,
        trackers: &'a mut Trackers,
        tables: &'a mut Tables,
        stats: &'a mut Stats,
    ) -> Effects<'a, 'e> {
        Effects { event: self, trackers, tables, stats }
    }
}

impl Effects<'_, '_> {
    pub(super) fn intern(&mut self, text: &str) -> StringId {
        self.tables.strings.intern(text)
    }

    /// A track of the machine as a whole.
    pub(super) fn machine(&self) -> Dimensions {
        Dimensions::machine(self.event.machine)
    }

    /// A track of a CPU, which need not be the one that recorded the event; `None` for a CPU no
    /// machine has.
    pub(super) fn cpu(&mut self, cpu: i64) -> Option<Dimensions> {
        let machine = self.event.machine;
        let cpu = u32::try_from(cpu).ok().filter(|&cpu| cpu <= tpq_trackers::track::MAX_CPUS)?;
        self.trackers.cpus.get(machine, cpu, self.tables);
        Some(Dimensions::cpu(machine, cpu))
    }

    /// A track of the machine of its own for each value of a text.
    pub(super) fn by_text(&mut self, key: &'static str, value: &str) -> Dimensions {
        let value = self.intern(value);
        self.machine().text(key, value)
    }

    pub(super) fn track(&mut self, kind: TrackKind, of: Dimensions, name: &str) -> u32 {
        let name = self.intern(name);
        self.trackers.source.tracks.get(kind, of, name, &mut self.trackers.deferred, self.tables)
    }

    /// A track without a name of its own.
    pub(super) fn nameless_track(&mut self, kind: TrackKind, of: Dimensions) -> u32 {
        let args = &mut self.trackers.deferred;
        self.trackers.source.tracks.get(kind, of, StringId::NULL, args, self.tables)
    }

    /// The thread that was running.
    pub(super) fn utid(&mut self) -> Utid {
        self.event.utid(self.trackers, self.tables)
    }

    /// The track of what the running thread executes.
    pub(super) fn thread_track(&mut self) -> u32 {
        self.event.thread_track(self.trackers, self.tables)
    }

    /// The track of what a thread executes.
    pub(super) fn track_of_thread(&mut self, utid: Utid) -> u32 {
        thread_track(utid, self.trackers, self.tables)
    }

    /// A counter took a value.
    pub(super) fn count(&mut self, kind: TrackKind, of: Dimensions, name: &str, value: f64) {
        let name = self.intern(name);
        self.trackers.count((self.event.ts, value), kind, of, name, self.tables);
    }

    /// A counter took a value, and there is more to say of it.
    pub(super) fn count_with(
        &mut self,
        kind: TrackKind,
        of: Dimensions,
        name: &str,
        value: f64,
        args: &[NamedArg<'_>],
    ) {
        let (name, args) = (self.intern(name), self.set(args));
        self.trackers.count_with((self.event.ts, value), kind, of, name, &args, self.tables);
    }

    /// A counter of a thread's process took a value.
    pub(super) fn count_for_process_of(&mut self, utid: Utid, counter: ThreadCounter, value: f64) {
        let sample = (self.event.ts, value);
        self.trackers.count_for_process_of(utid, counter, sample, self.tables);
    }

    fn set(&mut self, args: &[NamedArg<'_>]) -> ArgSet {
        let mut set = ArgSet::default();
        for &(key, value) in args {
            let value = match value {
                Arg::Int(value) => ArgValue::Int(value),
                Arg::Uint(value) => ArgValue::Uint(value),
                Arg::Bool(value) => ArgValue::Bool(value),
                Arg::Text(text) => ArgValue::String(self.intern(text)),
                Arg::NoText => ArgValue::String(StringId::NULL),
            };
            set.add(self.intern(key), value);
        }
        set
    }

    fn new_slice(&mut self, track: u32, label: Label<'_>) -> NewSlice {
        let category = label.category.map(|category| self.intern(category)).unwrap_or_default();
        let name = self.intern(label.name);
        NewSlice { ts: self.event.ts, track, category, name, arg_set_id: None }
    }

    /// A slice begins.
    pub(super) fn begin<'l>(
        &mut self,
        track: u32,
        label: impl Into<Label<'l>>,
        args: &[NamedArg<'_>],
    ) -> Option<u32> {
        let (slice, args) = (self.new_slice(track, label.into()), self.set(args));
        self.trackers.begin_slice(slice, args, self.tables, self.stats)
    }

    /// A slice of known duration; 0 for an instant.
    pub(super) fn complete<'l>(
        &mut self,
        track: u32,
        label: impl Into<Label<'l>>,
        dur: i64,
        args: &[NamedArg<'_>],
    ) -> Option<u32> {
        let (slice, args) = (self.new_slice(track, label.into()), self.set(args));
        self.trackers.complete(slice, dur, &args, self.tables, self.stats)
    }

    /// Something that took no time.
    pub(super) fn instant<'l>(
        &mut self,
        track: u32,
        label: impl Into<Label<'l>>,
        args: &[NamedArg<'_>],
    ) -> Option<u32> {
        self.complete(track, label, 0, args)
    }

    /// The innermost open slice of a track ends.
    pub(super) fn end(&mut self, track: u32, args: &[NamedArg<'_>]) -> Option<u32> {
        self.end_matching(track, (StringId::NULL, StringId::NULL), args)
    }

    /// The innermost open slice of a track and category ends.
    pub(super) fn end_category(&mut self, track: u32, category: &str) -> Option<u32> {
        let category = self.intern(category);
        self.end_matching(track, (category, StringId::NULL), &[])
    }

    /// The innermost open slice of a track and name ends.
    pub(super) fn end_named(
        &mut self,
        track: u32,
        name: &str,
        args: &[NamedArg<'_>],
    ) -> Option<u32> {
        let name = self.intern(name);
        self.end_matching(track, (StringId::NULL, name), args)
    }

    fn end_matching(
        &mut self,
        track: u32,
        (category, name): (StringId, StringId),
        args: &[NamedArg<'_>],
    ) -> Option<u32> {
        let end = SliceEnd { ts: self.event.ts, track, category, name };
        let more = self.set(args);
        self.trackers.end_slice(end, &more, self.tables, self.stats)
    }

    /// Says more of the innermost open slice of a track with that category and name.
    pub(super) fn add_to_open(&mut self, track: u32, label: (&str, &str), args: &[NamedArg<'_>]) {
        let (category, name) = (self.intern(label.0), self.intern(label.1));
        let more = self.set(args);
        self.trackers.add_slice_args(track, category, name, &more, self.tables);
    }

    fn sharing(&mut self, (kind, dimensions, name): SharedTrack<'_>) -> Sharing {
        Sharing { kind, dimensions, name: self.intern(name) }
    }

    /// A slice that may overlap others of its kind begins.
    pub(super) fn begin_shared<'l>(
        &mut self,
        track: SharedTrack<'_>,
        cookie: u64,
        label: impl Into<Label<'l>>,
        args: &[NamedArg<'_>],
    ) -> Option<u32> {
        let sharing = self.sharing(track);
        let track = self.trackers.begin_shared(sharing, cookie as i64, self.tables);
        self.begin(track, label, args)
    }

    /// A slice that may overlap others of its kind ends.
    pub(super) fn end_shared(
        &mut self,
        track: SharedTrack<'_>,
        cookie: u64,
        args: &[NamedArg<'_>],
    ) -> Option<u32> {
        let sharing = self.sharing(track);
        let track = self.trackers.end_shared(sharing, cookie as i64, self.tables);
        self.end(track, args)
    }

    /// A slice of known duration that may overlap others of its kind; gives its track, too.
    pub(super) fn complete_shared<'l>(
        &mut self,
        track: SharedTrack<'_>,
        label: impl Into<Label<'l>>,
        dur: i64,
    ) -> u32 {
        let sharing = self.sharing(track);
        let track = self.trackers.complete_shared(sharing, self.event.ts, dur, self.tables);
        self.complete(track, label, dur, &[]);
        track
    }
}
