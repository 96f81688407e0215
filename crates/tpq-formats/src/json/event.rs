//! Decoding of events by their phase.

use std::hash::Hasher;

use rustc_hash::FxHasher;
use sonic_rs::to_object_iter;
use tpq_ingest::Span;
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::context::Context;
use super::owner::EventOwner;
use super::reader::{JsonEvent, Scope};
use super::text::unescaped;
use tpq_decode::RunEvent;
use tpq_trackers::args::json::add_json;
use tpq_trackers::args::{ArgSet, ArgValue, JsonOrigin};
use tpq_trackers::track::{
    AsyncId, AsyncPhase, Dimensions, GLOBAL_INSTANTS, NewSlice, PROCESS_INSTANTS, SliceEnd,
    Trackers,
};

/// Decodes one event.
pub(crate) fn decode_event(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (words, strings) = event.words();
    let json = JsonEvent::from_words(words, strings);
    let mut context = Context::new(event, json, trackers, tables, stats);
    let owner = context.owner();
    context.decode(owner);
}

/// The identity of an event, for an entry about it.
fn described(name: StringId, phase: u8, tables: &mut Tables) -> ArgSet {
    let phase = tables.strings.intern(&char::from(phase).to_string());
    let event = [("event_name", ArgValue::String(name)), ("event_phase", ArgValue::String(phase))];
    ArgSet::of(event, &mut tables.strings)
}

impl Context<'_> {
    fn decode(&mut self, owner: EventOwner) {
        match self.event.phase {
            b'B' => self.begin(owner),
            b'E' => self.end(owner),
            b'X' => self.complete(owner),
            b'b' | b'S' => self.begin_async(owner),
            b'e' | b'F' => self.end_async(owner),
            b'T' if self.is_thread_state() => self.thread_state(owner),
            b'n' | b'T' | b'p' => self.instant_async(owner),
            b'i' | b'I' | b'R' => self.instant(owner),
            b'C' => self.counter(owner),
            b's' | b't' | b'f' => self.flow(owner),
            b'M' => self.metadata(owner),
            b'P' => self.cpu_profile(owner),
            // Objects that come and go, memory dumps, clock marks and contexts.
            b'N' | b'O' | b'D' | b'v' | b'V' | b'c' | b'(' | b')' | b'=' | b'a' => {
                self.stats.increment(Stat::JsonEventsNotRead);
            }
            _ => self.fail(Stat::JsonParserFailure),
        }
    }

    /// Counts an event that cannot be used, and enters which it was.
    pub(super) fn fail(&mut self, stat: Stat) {
        self.stats.increment(stat);
        let event = self.described();
        self.trackers.log(stat, Some(self.ts), &event, self.tables);
    }

    /// The identity of the event, for an entry about it.
    fn described(&mut self) -> ArgSet {
        described(self.name, self.event.phase, self.tables)
    }

    fn slice(&mut self, track: u32) -> NewSlice {
        let name = match self.name.is_null() {
            true => self.tables.strings.intern("[No name]"),
            false => self.name,
        };
        let (ts, category) = (self.ts, self.category);
        NewSlice { ts, track, name, category, arg_set_id: None }
    }

    fn args(&mut self) -> ArgSet {
        if self.event.args.len == 0 {
            return ArgSet::default();
        }
        let event = JsonOrigin {
            source: self.trackers.source_id(),
            ts: self.ts,
            name: self.name,
            phase: self.event.phase,
        };
        ArgSet::of_json(self.event.args, event)
    }

    /// Reads the args of an event that became no slice, to count their errors.
    fn check_args(&mut self) {
        if self.event.args.len > 0 {
            let (json, mut args) = (self.bytes.get(self.event.args), ArgSet::default());
            let strings = &mut self.tables.strings;
            if add_json(json, "args", "args", strings, &mut args).is_err() {
                self.fail(Stat::JsonParserFailure);
            }
        }
    }

    fn begin(&mut self, owner: EventOwner) {
        let track = self.thread_track(owner);
        let (slice, args) = (self.slice(track), self.args());
        self.trackers.bounds.include(self.ts);
        let slice = self.trackers.begin_slice(slice, args, self.tables, self.stats);
        match slice {
            Some(id) => {
                self.tables.slice.thread_ts.set(id, self.event.tts);
                self.begin_stack(id, track);
            }
            None => self.check_args(),
        }
        self.bind_flow(track);
    }

    fn end(&mut self, owner: EventOwner) {
        let track = self.thread_track(owner);
        let args = self.args();
        self.trackers.bounds.include(self.ts);
        let end = SliceEnd { ts: self.ts, track, category: self.category, name: self.name };
        let slice = self.trackers.end_slice(end, &args, self.tables, self.stats);
        match slice {
            Some(id) => self.end_stack(id, track),
            None => self.check_args(),
        }
        let (Some(id), Some(now)) = (slice, self.event.tts) else { return };
        if let Some(then) = self.tables.slice.thread_ts.get(id) {
            self.tables.slice.thread_dur.set(id, Some(now.saturating_sub(then)));
        }
    }

    fn complete(&mut self, owner: EventOwner) {
        let Some(dur) = self.event.dur else { return self.fail(Stat::JsonParserFailure) };
        let (slice, args) = ((self.slice(0), dur), self.args());
        let (name, phase) = (self.name, self.event.phase);
        let event = |tables: &mut Tables| described(name, phase, tables);
        let trackers = &mut *self.trackers;
        let done =
            trackers.complete_on_thread(owner.utid, slice, &args, event, self.tables, self.stats);
        let track = match done {
            Some((id, track)) => {
                self.tables.slice.thread_ts.set(id, self.event.tts);
                self.tables.slice.thread_dur.set(id, self.event.tdur);
                self.whole_stack(id, track);
                track
            }
            None => {
                self.check_args();
                self.thread_track(owner)
            }
        };
        self.bind_flow(track);
    }

    pub(super) fn thread_track(&mut self, owner: EventOwner) -> u32 {
        let (tracks, deferred) = (&mut self.trackers.source.tracks, &mut self.trackers.deferred);
        tracks.execution(owner.utid, deferred, self.tables)
    }

    fn instant(&mut self, owner: EventOwner) {
        let track = match self.event.scope {
            Scope::Global => {
                let machine = Dimensions::machine(self.machine);
                self.trackers.chrome_instants(GLOBAL_INSTANTS, machine, self.tables)
            }
            Scope::Process if owner.has_pid => {
                let upid = self.process(owner);
                let process = Dimensions::process(upid);
                self.trackers.chrome_instants(PROCESS_INSTANTS, process, self.tables)
            }
            Scope::Thread | Scope::None if owner.has_tid => self.thread_track(owner),
            _ => return self.fail(Stat::JsonParserFailure),
        };
        let (mut slice, args) = (self.slice(track), self.args());
        let of_thread = matches!(self.event.scope, Scope::Thread | Scope::None);
        if !of_thread {
            slice.name = self.name;
        }
        let Some(id) = self.trackers.instant(slice, &args, self.tables, self.stats) else { return };
        if of_thread {
            self.tables.slice.thread_ts.set(id, self.event.tts);
        }
        self.whole_stack(id, track);
    }

    fn begin_async(&mut self, owner: EventOwner) {
        let Some(track) = self.async_track(owner, AsyncPhase::Begin) else { return };
        let (slice, args) = (self.slice(track), self.args());
        self.trackers.bounds.include(self.ts);
        match self.trackers.begin_slice(slice, args, self.tables, self.stats) {
            Some(id) => self.begin_stack(id, track),
            None => self.check_args(),
        }
        self.bind_flow(track);
    }

    fn end_async(&mut self, owner: EventOwner) {
        let Some(track) = self.async_track(owner, AsyncPhase::End) else { return };
        let args = self.args();
        self.trackers.bounds.include(self.ts);
        let end = SliceEnd { ts: self.ts, track, category: self.category, name: self.name };
        match self.trackers.end_slice(end, &args, self.tables, self.stats) {
            Some(id) => self.end_stack(id, track),
            None => self.check_args(),
        }
    }

    fn instant_async(&mut self, owner: EventOwner) {
        let Some(track) = self.async_track(owner, AsyncPhase::Instant) else { return };
        let (slice, args) = (self.slice(track), self.args());
        let slice = NewSlice { name: self.name, ..slice };
        if let Some(id) = self.trackers.instant(slice, &args, self.tables, self.stats) {
            self.whole_stack(id, track);
        }
        self.bind_flow(track);
    }

    /// The track of what the event's id is of; events without one are counted.
    fn async_track(&mut self, owner: EventOwner, phase: AsyncPhase) -> Option<u32> {
        let Some((id, process_scoped)) = self.async_id().filter(|_| owner.has_pid) else {
            self.fail(Stat::JsonParserFailure);
            return None;
        };
        let mut hasher = FxHasher::default();
        hasher.write_u32(self.category.0);
        hasher.write(id.as_bytes());
        let id = AsyncId {
            name: self.name,
            upid: Some(self.process(owner)),
            source_id: hasher.finish() as i64,
            process_scoped,
            scope: StringId::NULL,
        };
        Some(self.trackers.legacy_async_track(id, phase, self.tables))
    }

    /// The id of an async event, and whether it means something in its process only.
    fn async_id(&self) -> Option<(String, bool)> {
        if self.event.id.len > 0 {
            return id_text(self.raw(self.event.id)).map(|id| (id, false));
        }
        let (mut local, mut global) = (None, None);
        for (key, value) in to_object_iter(self.raw(self.event.id2)).flatten() {
            match &*key {
                "local" => local = id_text(value.as_raw_str().as_bytes()),
                "global" => global = id_text(value.as_raw_str().as_bytes()),
                _ => {}
            }
        }
        global.map(|id| (id, false)).or(local.map(|id| (id, true)))
    }

    /// The number that identifies a flow: as a number, or in hexadecimal digits.
    pub(super) fn number(&self, span: Span) -> Option<u64> {
        let raw = self.raw(span);
        match raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\"")) {
            Some(text) => {
                let text = std::str::from_utf8(text).ok()?.trim();
                let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
                u64::from_str_radix(digits.unwrap_or(text), 16).ok()
            }
            None => {
                let text = std::str::from_utf8(raw).ok()?;
                let signed = || text.parse::<i64>().map(|id| id as u64);
                text.parse().or_else(|_| signed()).ok()
            }
        }
    }
}

/// An id as text: strings and numbers can be one.
fn id_text(raw: &[u8]) -> Option<String> {
    match raw.strip_prefix(b"\"").and_then(|raw| raw.strip_suffix(b"\"")) {
        Some(b"") => None,
        Some(text) => Some(unescaped(text)),
        None => {
            let is_number = matches!(raw.first(), Some(b'-' | b'0'..=b'9'));
            is_number.then(|| String::from_utf8_lossy(raw).into_owned())
        }
    }
}
