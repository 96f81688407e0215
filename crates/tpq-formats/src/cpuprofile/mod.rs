//! CPU profiles of V8 (`node --cpu-prof`, Chrome's developer tools), in JSON: a tree of functions,
//! and samples that refer to its nodes. Times are microseconds of V8's clock, which counts from an
//! unknown moment.

use rustc_hash::FxHashMap;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::{Tid, Trackers, Utid};

use crate::call_frame::call_frame;
use crate::document::{Document, DocumentFormat, DocumentReader, Events, Json, JsonError, Place};
use crate::samples::{StackSample, push_sample};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const PROFILE: RunKind = format_run_kind(18);
const SAMPLES: RunKind = format_run_kind(19);
const SOURCE: &str = "cpuprofile";
const NS_PER_US: f64 = 1000.0;
/// A profile states neither its thread nor its process.
const UNKNOWN_TASK: i64 = 0;

pub(crate) const FORMAT: TraceFormat = TraceFormat::of_one_clock(DefaultClock::Private, open);

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(PROFILE, decode_profile), (SAMPLES, decode_sample)],
    text_of: |_, _| None,
};

fn open(file: OpenFile<'_>) -> OpenedFile<'_> {
    let format = DocumentFormat { whole: PROFILE, is_text: true, read };
    DocumentReader::open(file, format)
}

/// Reads the times of samples: a start, and the difference of each sample to the one before.
fn read(text: &[u8]) -> Document {
    let document = match Json::document(text) {
        Ok(document) => document,
        Err(JsonError { at, what }) => return Document::damaged(at, what),
    };
    let [start, deltas, samples] = document.pick(["startTime", "timeDeltas", "samples"]);
    let mut problems = Vec::new();
    let (mut times, mut words) = (Vec::new(), Vec::new());
    let mut us = start.real().unwrap_or_default();
    let mut deltas = deltas.elements();
    for node in samples.elements() {
        let delta = deltas.next().and_then(Json::real);
        let node = node.index().and_then(|node| u32::try_from(node).ok());
        let (Some(delta), Some(node)) = (delta, node) else {
            problems.push((0, "a sample has no node or no time"));
            continue;
        };
        us += delta;
        let ns = (us * NS_PER_US).round();
        if ns.abs() < i64::MAX as f64 {
            times.push(ns as i64);
            words.push(node);
        }
    }
    let events = vec![Events { kind: SAMPLES, times, place: Place::Numbers(1, words) }];
    Document { events, problems, is_readable: true }
}

/// The tree of functions, and the thread of samples.
#[derive(Default)]
struct Profile {
    /// Callsites of nodes, by their ids.
    nodes: FxHashMap<u32, u32>,
    /// `None` before the first sample.
    utid: Option<Utid>,
}

/// Decodes the tree of functions. Nodes name their children, or their parent.
fn decode_profile(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let id_of = |json: Json<'_>| json.index().and_then(|id| u32::try_from(id).ok());
    let document = Json::of_part(event.message());
    let mut frames: FxHashMap<u32, u32> = FxHashMap::default();
    let mut children: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut has_parent = rustc_hash::FxHashSet::default();
    let mut order = Vec::new();
    for node in document.enter("nodes").elements() {
        let [id, call, parent, of_node] = node.pick(["id", "callFrame", "parent", "children"]);
        let Some(id) = id_of(id) else {
            stats.increment(Stat::FormatParseErrors);
            continue;
        };
        order.push(id);
        frames.insert(id, call_frame(call, trackers, tables));
        if let Some(parent) = id_of(parent)
            && has_parent.insert(id)
        {
            children.entry(parent).or_default().push(id);
        }
        for child in of_node.elements().filter_map(id_of) {
            // A node that is the child of two would make more paths than there are nodes.
            if has_parent.insert(child) {
                children.entry(id).or_default().push(child);
            }
        }
    }
    let mut nodes = FxHashMap::default();
    let roots = order.into_iter().filter(|id| !has_parent.contains(id));
    let mut open: Vec<(u32, Option<u32>, u32)> = roots.map(|id| (id, None, 0)).collect();
    open.reverse();
    while let Some((id, parent, depth)) = open.pop() {
        let Some(&frame) = frames.get(&id) else {
            stats.increment(Stat::FormatParseErrors);
            continue;
        };
        let callsite = trackers.source.stacks.callsites.get(parent, frame, depth, tables);
        nodes.insert(id, callsite);
        let of_node = children.get(&id).into_iter().flatten().rev();
        open.extend(of_node.map(|&child| (child, Some(callsite), depth + 1)));
    }
    *trackers.file.states.get() = Profile { nodes, utid: None };
}

fn decode_sample(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let &[node] = event.words().0 else { return };
    let profile: &mut Profile = trackers.file.states.get();
    let Some(callsite) = profile.nodes.get(&node).copied() else {
        return stats.increment(Stat::FormatParseErrors);
    };
    let utid = *profile.utid.get_or_insert_with(|| {
        let task = Tid { machine: event.machine, id: UNKNOWN_TASK };
        trackers.processes.thread_of_process(task, task, tables)
    });
    let sample = StackSample { ts: event.ts, utid, upid: None, callsite: Some(callsite) };
    push_sample(SOURCE, sample, trackers, tables);
}
