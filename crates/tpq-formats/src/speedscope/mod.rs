//! Profiles of the viewer speedscope, in JSON. A file has several: calls and returns of functions,
//! which become slices, and samples with weights. Samples with weights that are no times have no times
//! either, so they become a profile of values by call stack.

mod profiles;

use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stat, Stats, StringId, Tables};
use tpq_trackers::args::ArgSet;
use tpq_trackers::stacks::SourceLine;
use tpq_trackers::track::{NamePriority, NewSlice, SliceEnd, Tid, Trackers, Utid};

use self::profiles::{CLOSE, ns_of_unit, read};
use crate::document::{DocumentFormat, DocumentReader, Json};
use crate::samples::{StackSample, callsite, named_frame, push_profile, push_sample, push_value};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const FILE: RunKind = format_run_kind(20);
const CALLS: RunKind = format_run_kind(21);
const SAMPLES: RunKind = format_run_kind(22);
const SOURCE: &str = "speedscope";
/// The mapping of functions, which lie in no known binary.
const MAPPING: &str = "[speedscope]";
/// The process of all profiles: a file names none.
const PID: i64 = 0;

pub(crate) const FORMAT: TraceFormat = TraceFormat::of_one_clock(DefaultClock::Private, open);

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(FILE, decode_file), (CALLS, decode_call), (SAMPLES, decode_sample)],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: FILE, is_text: true, read };
    DocumentReader::open(file, format)
}

/// The functions and profiles of a file.
#[derive(Default)]
struct Profiles {
    /// Names of functions.
    functions: Vec<StringId>,
    profiles: Vec<Profile>,
}

/// A profile, which is a thread.
struct Profile {
    utid: Utid,
    /// Call stack of each sample.
    callsites: Vec<Option<u32>>,
}

fn decode_file(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let document = Json::of_part(event.message());
    let mut file = Profiles::default();
    let mut frames = Vec::new();
    for frame in document.enter("shared").enter("frames").elements() {
        let [name, path, line] = frame.pick(["name", "file", "line"]);
        let name = name.text().unwrap_or_default();
        let source = SourceLine {
            file: path.text().map_or(StringId::NULL, |path| tables.strings.intern(&path)),
            line: line.index().and_then(|line| u32::try_from(line).ok()),
        };
        frames.push(named_frame(MAPPING, &name, source, trackers, tables));
        file.functions.push(tables.strings.intern(&name));
    }
    for (number, profile) in (1..).zip(document.enter("profiles").elements()) {
        let tid = |id| Tid { machine: event.machine, id };
        let utid = trackers.processes.thread_of_process(tid(number), tid(PID), tables);
        let [name, unit, samples, weights] = profile.pick(["name", "unit", "samples", "weights"]);
        let name = tables.strings.intern(&name.text().unwrap_or_default());
        trackers.processes.name_thread(utid, name, NamePriority::Other, tables);
        let callsites = stacks(samples, &frames, trackers, tables, stats);
        weigh(weights, unit, name, &callsites, tables);
        file.profiles.push(Profile { utid, callsites });
    }
    *trackers.file.states.get() = file;
}

/// The call stack of each sample of a profile.
fn stacks(
    samples: Json<'_>,
    frames: &[u32],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Vec<Option<u32>> {
    let mut callsites = Vec::new();
    for sample in samples.elements() {
        let stack: Option<Vec<u32>> =
            sample.elements().map(|frame| frames.get(frame.index()?).copied()).collect();
        if stack.is_none() {
            stats.increment(Stat::FormatParseErrors);
        }
        callsites.push(stack.and_then(|stack| callsite(stack, trackers, tables)));
    }
    callsites
}

/// Writes the weights of samples that have no times.
fn weigh(
    weights: Json<'_>,
    unit: Json<'_>,
    name: StringId,
    callsites: &[Option<u32>],
    tables: &mut Tables,
) {
    let unit = unit.text().unwrap_or_default();
    if callsites.is_empty() || ns_of_unit(&unit).is_some() {
        return;
    }
    let scope = tables.strings.intern("speedscope_file");
    let name = tables.strings.get(name).to_owned();
    let unit = if unit.is_empty() || unit == "none" { "count" } else { &unit };
    let row = push_profile(scope, &name, ("weight", unit), tables);
    for (callsite, weight) in callsites.iter().zip(weights.elements()) {
        if let (Some(callsite), Some(weight)) = (callsite, weight.real()) {
            push_value(row, *callsite, weight, tables);
        }
    }
}

fn decode_call(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let &[profile, function, side] = event.words().0 else { return };
    let file: &mut Profiles = trackers.file.states.get();
    let profile = file.profiles.get(profile as usize).map(|profile| profile.utid);
    let function = file.functions.get(function as usize).copied();
    let (Some(utid), Some(name)) = (profile, function) else {
        return stats.increment(Stat::FormatParseErrors);
    };
    let track = trackers.source.tracks.execution(utid, &mut trackers.deferred, tables);
    let (ts, category) = (event.ts, StringId::NULL);
    trackers.bounds.include(ts);
    if side == CLOSE {
        let end = SliceEnd { ts, track, category, name };
        trackers.end_slice(end, &ArgSet::default(), tables, stats);
    } else {
        let slice = NewSlice { ts, track, name, ..NewSlice::default() };
        trackers.begin_slice(slice, ArgSet::default(), tables, stats);
    }
}

fn decode_sample(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let &[profile, sample] = event.words().0 else { return };
    let file: &mut Profiles = trackers.file.states.get();
    let Some(profile) = file.profiles.get(profile as usize) else { return };
    let callsite = profile.callsites.get(sample as usize).copied().flatten();
    let sample = StackSample { ts: event.ts, utid: profile.utid, upid: None, callsite };
    push_sample(SOURCE, sample, trackers, tables);
}
