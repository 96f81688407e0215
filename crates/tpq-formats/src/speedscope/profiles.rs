//! Times of a file: of calls and returns, and of samples.

use super::{CALLS, SAMPLES};
use crate::document::{Document, Events, Json, JsonError, Place};

/// The sides of a call.
pub(super) const OPEN: u32 = 0;
pub(super) const CLOSE: u32 = 1;

/// The nanoseconds of a unit; `None` for units that are no time.
pub(super) fn ns_of_unit(unit: &str) -> Option<f64> {
    match unit {
        "nanoseconds" => Some(1.0),
        "microseconds" => Some(1e3),
        "milliseconds" => Some(1e6),
        "seconds" => Some(1e9),
        _ => None,
    }
}

/// Events of a kind so far.
#[derive(Default)]
struct Collected {
    times: Vec<i64>,
    words: Vec<u32>,
}

/// Reads all times of a file.
pub(super) fn read(text: &[u8]) -> Document {
    let document = match Json::document(text) {
        Ok(document) => document,
        Err(JsonError { at, what }) => return Document::damaged(at, what),
    };
    let (mut calls, mut samples) = (Collected::default(), Collected::default());
    let mut problems = Vec::new();
    for (number, profile) in (0..).zip(document.enter("profiles").elements()) {
        let [unit, events, start, weights, of_profile] =
            profile.pick(["unit", "events", "startValue", "weights", "samples"]);
        let unit = ns_of_unit(&unit.text().unwrap_or_default());
        for event in events.elements() {
            // What has no unit is shown as it stands.
            let [at, frame, side] = event.pick(["at", "frame", "type"]);
            let ns = at.ns(unit.unwrap_or(1.0));
            let function = frame.index().and_then(|it| u32::try_from(it).ok());
            let side = match side.text().as_deref() {
                Some("O") => Some(OPEN),
                Some("C") => Some(CLOSE),
                _ => None,
            };
            let (Some(ns), Some(function), Some(side)) = (ns, function, side) else {
                problems.push((0, "an event has no type O or C, no frame or no time"));
                continue;
            };
            calls.times.push(ns);
            calls.words.extend([number, function, side]);
        }
        if let Some(unit) = unit {
            let count = of_profile.elements().count();
            let start = start.real().unwrap_or_default();
            read_samples((number, count), (start, unit), weights, &mut samples, &mut problems);
        }
    }
    let events = vec![
        Events { kind: CALLS, times: calls.times, place: Place::Numbers(3, calls.words) },
        Events { kind: SAMPLES, times: samples.times, place: Place::Numbers(2, samples.words) },
    ];
    Document { events, problems, is_readable: true }
}

/// Reads the times of the `count` samples of profile `number`. The first begins at `start`, in units
/// of `unit` ns. A sample lasts as long as its weight, and the next one begins then.
fn read_samples(
    (number, count): (u32, usize),
    (start, unit): (f64, f64),
    weights: Json<'_>,
    samples: &mut Collected,
    problems: &mut Vec<(usize, &'static str)>,
) {
    let mut at = start;
    let mut weights = weights.elements();
    for (index, _) in (0..).zip(0..count) {
        let weight = weights.next().and_then(Json::real);
        let ns = (at * unit).round();
        let Some(weight) = weight.filter(|_| ns.abs() < i64::MAX as f64) else {
            problems.push((0, "a sample has no weight"));
            continue;
        };
        samples.times.push(ns as i64);
        samples.words.extend([number, index]);
        at += weight;
    }
}
