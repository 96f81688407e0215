//! Tables of a profile: functions, frames and stacks of each thread.

use std::borrow::Cow;

use tpq_decode::RunEvent;
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::stacks::SourceLine;
use tpq_trackers::track::{NamePriority, Tid, Trackers, Upid, Utid};

use super::ProfileStacks;
use super::columns::rows;
use super::threads::threads;
use crate::document::Json;
use crate::samples::named_frame;

/// The mapping of functions of which the profile states no library.
const NO_LIBRARY: &str = "gecko";
/// What the name of a library follows in the name of a function.
const IN_LIBRARY: &str = " (in ";
/// Tables of a thread.
const TABLES: [&str; 6] =
    ["stringTable", "stringArray", "resourceTable", "funcTable", "frameTable", "stackTable"];
/// The members of a thread that are read, tables last.
const MEMBERS: [&str; 5 + TABLES.len()] = {
    let [a, b, c, d, e, f] = TABLES;
    ["tid", "pid", "name", "processName", "markers", a, b, c, d, e, f]
};

/// A thread with its stacks.
pub(super) struct ThreadStacks {
    pub(super) utid: Utid,
    pub(super) upid: Upid,
    /// Row of `stack_profile_callsite` and depth of each stack; `None` for damaged ones.
    pub(super) callsites: Vec<Option<(u32, u32)>>,
    /// Names that its markers refer to; none if it has no markers.
    pub(super) strings: Vec<String>,
    /// Names of categories.
    pub(super) categories: Vec<String>,
}

/// Decodes all that a profile states apart from samples.
pub(super) fn decode_profile(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut stacks = Vec::new();
    for thread in threads(Json::of_part(event.message())) {
        let [tid, pid, name, process, markers, own @ ..] = thread.json.pick(MEMBERS);
        let described = Described { tid, pid, name, process };
        let (utid, upid) = meet_thread(described, event.machine, trackers, tables);
        let parts = Parts::of(own, thread.shared);
        let strings = strings(&parts);
        let frames = frames(&parts, &strings, trackers, tables, stats);
        let callsites = callsites(&parts, &frames, trackers, tables, stats);
        let strings = match markers.is_null() {
            true => Vec::new(),
            false => strings.into_iter().map(Cow::into_owned).collect(),
        };
        let categories = thread.categories.elements().map(|it| it.get("name"));
        let categories = categories.map(|it| it.text().unwrap_or_default().into_owned()).collect();
        stacks.push(ThreadStacks { utid, upid, callsites, strings, categories });
    }
    *trackers.file.states.get() = ProfileStacks(stacks);
}

/// What a thread states of itself.
struct Described<'a> {
    tid: Json<'a>,
    pid: Json<'a>,
    name: Json<'a>,
    /// Name of its process.
    process: Json<'a>,
}

fn meet_thread(
    described: Described<'_>,
    machine: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
) -> (Utid, Upid) {
    let id = |id: Json<'_>| Tid { machine, id: id.int().unwrap_or_default() };
    let (tid, pid) = (id(described.tid), id(described.pid));
    let upid = trackers.processes.process(pid, tables);
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    if let Some(name) = described.name.text() {
        let name = tables.strings.intern(&name);
        trackers.processes.name_thread(utid, name, NamePriority::Other, tables);
    }
    if let Some(name) = described.process.text() {
        let name = tables.strings.intern(&name);
        trackers.processes.name_unnamed_process(upid, name, tables);
    }
    (utid, upid)
}

/// Tables of a thread, or of the profile where all threads share them.
struct Parts<'a> {
    /// Strings, which have two names.
    strings: [Json<'a>; 2],
    resources: Json<'a>,
    functions: Json<'a>,
    frames: Json<'a>,
    stacks: Json<'a>,
}

impl<'a> Parts<'a> {
    /// The tables of a thread, by the names in [`TABLES`].
    fn of(own: [Json<'a>; TABLES.len()], shared: Json<'a>) -> Self {
        let mut tables = own;
        for (table, shared) in tables.iter_mut().zip(shared.pick(TABLES)) {
            if table.is_null() {
                *table = shared;
            }
        }
        let [table, array, resources, functions, frames, stacks] = tables;
        Self { strings: [table, array], resources, functions, frames, stacks }
    }
}

/// The strings that a thread refers to.
fn strings<'a>(parts: &Parts<'a>) -> Vec<Cow<'a, str>> {
    let strings = parts.strings.into_iter().flat_map(Json::elements);
    strings.map(|string| string.text().unwrap_or_default()).collect()
}

/// The row of each frame of a thread; `None` for damaged ones.
fn frames(
    parts: &Parts<'_>,
    strings: &[Cow<'_, str>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Vec<Option<u32>> {
    let text = |index: Json<'_>| strings.get(index.index()?).map(|text| &**text);
    let functions: Vec<Function<'_>> = functions(parts, &text).collect();
    let mut rows_of_frames = Vec::new();
    for [location, function, line] in rows(parts.frames, ["location", "func", "line"]) {
        let line = line.index().and_then(|line| u32::try_from(line).ok()).filter(|&it| it > 0);
        let frame = match text(location) {
            Some(location) => {
                let (name, library) = name_and_library(location);
                Some(named_frame(library, name, SourceLine::default(), trackers, tables))
            }
            None => function.index().and_then(|index| functions.get(index)).map(|function| {
                let file = function.file.map(|file| tables.strings.intern(file));
                let source = SourceLine { file: file.unwrap_or(StringId::NULL), line };
                named_frame(function.library, function.name, source, trackers, tables)
            }),
        };
        if frame.is_none() {
            stats.increment(Stat::FormatParseErrors);
        }
        rows_of_frames.push(frame);
    }
    rows_of_frames
}

/// A function, in profiles that list them.
struct Function<'s> {
    name: &'s str,
    library: &'s str,
    file: Option<&'s str>,
}

fn functions<'s>(
    parts: &Parts<'_>,
    text: &impl Fn(Json<'_>) -> Option<&'s str>,
) -> impl Iterator<Item = Function<'s>> {
    let resources: Vec<Option<&str>> =
        rows(parts.resources, ["name"]).map(|[name]| text(name)).collect();
    rows(parts.functions, ["name", "fileName", "resource"]).map(move |[name, file, resource]| {
        let library = resource.index().and_then(|index| resources.get(index).copied()?);
        Function {
            name: text(name).unwrap_or_default(),
            library: library.unwrap_or(NO_LIBRARY),
            file: text(file),
        }
    })
}

/// The function and the library in `function (in library)`.
fn name_and_library(location: &str) -> (&str, &str) {
    match location.split_once(IN_LIBRARY) {
        Some((name, rest)) => (name, rest.split(')').next().unwrap_or(rest)),
        None => (location, NO_LIBRARY),
    }
}

/// The callsite of each stack. A stack is a frame on top of a stack that comes before it.
fn callsites(
    parts: &Parts<'_>,
    frames: &[Option<u32>],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Vec<Option<(u32, u32)>> {
    let mut callsites: Vec<Option<(u32, u32)>> = Vec::new();
    for [prefix, frame] in rows(parts.stacks, ["prefix", "frame"]) {
        let frame = frame.index().and_then(|frame| frames.get(frame).copied()?);
        let parent = match prefix.is_null() {
            true => Some(None),
            false => prefix.index().and_then(|it| callsites.get(it).copied()?).map(Some),
        };
        let (Some(frame), Some(parent)) = (frame, parent) else {
            stats.increment(Stat::FormatParseErrors);
            callsites.push(None);
            continue;
        };
        let depth = parent.map_or(0, |(_, depth)| depth + 1);
        let parent = parent.map(|(callsite, _)| callsite);
        let callsite = trackers.source.stacks.callsites.get(parent, frame, depth, tables);
        callsites.push(Some((callsite, depth)));
    }
    callsites
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_a_function() {
        assert_eq!(name_and_library("main (in a.so)"), ("main", "a.so"));
        assert_eq!(name_and_library("f() (in a (b))"), ("f()", "a (b"));
        assert_eq!(name_and_library("f (http://x.js:1:2)"), ("f (http://x.js:1:2)", "gecko"));
        assert_eq!(name_and_library("f"), ("f", "gecko"));
    }
}
