//! Threads of a profile and the times of their samples.

use super::SAMPLES;
use super::columns::rows;
use super::markers::Markers;
use crate::document::{Document, Events, Json, JsonError, Place};

const NS_PER_MS: f64 = 1e6;
/// The number that stands for no stack.
pub(super) const NO_STACK: u32 = u32::MAX;

/// A thread, and what it shares with others.
#[derive(Clone, Copy)]
pub(super) struct Thread<'a> {
    pub(super) json: Json<'a>,
    /// Tables that all threads of the profile share.
    pub(super) shared: Json<'a>,
    /// Categories of its profile.
    pub(super) categories: Json<'a>,
    /// Start of its process: ns of the monotonic clock where the profile states it, else 0…
    base: i64,
    /// …and ms after it.
    offset: f64,
}

/// The parts of a profile that are read.
struct Profile<'a> {
    meta: Json<'a>,
    shared: Json<'a>,
    threads: Json<'a>,
    processes: Json<'a>,
}

impl<'a> Profile<'a> {
    fn of(profile: Json<'a>) -> Self {
        let [meta, shared, threads, processes] =
            profile.pick(["meta", "shared", "threads", "processes"]);
        Self { meta, shared, threads, processes }
    }
}

/// All threads: those of the profile, and of the profiles of other processes in it.
pub(super) fn threads(document: Json<'_>) -> Vec<Thread<'_>> {
    let mut profile = Profile::of(document);
    // Developer tools wrap the profile.
    if profile.threads.is_null() {
        profile = Profile::of(document.get("profile"));
    }
    let mut threads = Vec::new();
    let origin = (start(profile.meta), monotonic_start(profile.meta).unwrap_or_default());
    add_threads(&profile, origin, &mut threads);
    threads
}

/// Adds the threads of a profile and of those in it. The outermost one starts at `origin`: ms since
/// the epoch, and ns of the monotonic clock.
fn add_threads<'a>(
    profile: &Profile<'a>,
    origin: (Option<f64>, i64),
    threads: &mut Vec<Thread<'a>>,
) {
    let (base, offset) = match (monotonic_start(profile.meta), start(profile.meta), origin) {
        (Some(base), ..) => (base, 0.0),
        (None, Some(start), (Some(origin), base)) => (base, start - origin),
        (None, _, (_, base)) => (base, 0.0),
    };
    let shared = profile.shared;
    let categories = profile.meta.get("categories");
    let of_profile = profile.threads.elements();
    threads.extend(of_profile.map(|json| Thread { json, shared, categories, base, offset }));
    for process in profile.processes.elements() {
        add_threads(&Profile::of(process), origin, threads);
    }
}

/// Start of a process, ns of the monotonic clock. Older profiles do not state it, so that their
/// times count from the start of the profile.
fn monotonic_start(meta: Json<'_>) -> Option<i64> {
    meta.get("startTimeAsClockMonotonicNanosecondsSinceBoot").int()
}

/// Start of a process, ms since the epoch.
fn start(meta: Json<'_>) -> Option<f64> {
    meta.get("startTime").real()
}

impl Thread<'_> {
    /// A time of the thread in ns; `None` for what is no time.
    pub(super) fn ns(&self, ms: f64) -> Option<i64> {
        let ns = ((ms + self.offset) * NS_PER_MS).round();
        let ns = (ns.abs() < i64::MAX as f64).then_some(ns as i64)?;
        self.base.checked_add(ns)
    }
}

/// Reads the times of all samples, each with the numbers of its thread and its stack, and of all
/// markers.
pub(super) fn read(text: &[u8]) -> Document {
    let document = match Json::document(text) {
        Ok(document) => document,
        Err(JsonError { at, what }) => return Document::damaged(at, what),
    };
    let mut problems = Vec::new();
    let (mut times, mut words) = (Vec::new(), Vec::new());
    let mut markers = Markers::of(text);
    for (number, thread) in (0..).zip(threads(document)) {
        let mut time_of_deltas = 0.0;
        let [samples, of_thread] = thread.json.pick(["samples", "markers"]);
        for [stack, time, delta] in rows(samples, ["stack", "time", "timeDeltas"]) {
            if let Some(delta) = delta.real() {
                time_of_deltas += delta;
            }
            let ms = time.real().or(delta.real().map(|_| time_of_deltas));
            let Some(ns) = ms.and_then(|ms| thread.ns(ms)) else {
                problems.push((offset_in(text, stack), "a sample has no time"));
                continue;
            };
            let stack = match stack.is_null() {
                true => NO_STACK,
                false => stack.index().and_then(|it| u32::try_from(it).ok()).unwrap_or(NO_STACK),
            };
            times.push(ns);
            words.extend([number, stack]);
        }
        markers.read((number, &thread), of_thread, &mut problems);
    }
    let samples = Events { kind: SAMPLES, times, place: Place::Numbers(2, words) };
    let events = vec![samples, markers.into_events()];
    Document { events, problems, is_readable: true }
}

/// The offset of a value in a text; 0 for one that is absent.
pub(super) fn offset_in(text: &[u8], value: Json<'_>) -> usize {
    let (start, at) = (text.as_ptr() as usize, value.raw().as_ptr() as usize);
    at.checked_sub(start).filter(|&offset| offset < text.len()).unwrap_or_default()
}
