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
    for (number, profile) in (0..).zip(document.get("profiles").elements()) {
        let unit = profile.get("unit").text().unwrap_or_default();
        for event in profile.get("events").elements() {
            // What has no unit is shown as it stands.
            let [at, frame, side] = event.pick(["at", "frame", "type"]);
            let ns = at.ns(ns_of_unit(&unit).unwrap_or(1.0));
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
        if let Some(unit) = ns_of_unit(&unit) {
            read_samples(profile, number, unit, &mut samples, &mut problems);
        }
    }
    let events = vec![
        Events { kind: CALLS, times: calls.times, place: Place::Numbers(3, calls.words) },
        Events { kind: SAMPLES, times: samples.times, place: Place::Numbers(2, samples.words) },
    ];
    Document { events, problems, is_readable: true }
}

/// A sample lasts as long as its weight, and the next one begins then.
fn read_samples(
    profile: Json<'_>,
    number: u32,
    unit: f64,
    samples: &mut Collected,
    problems: &mut Vec<(usize, &'static str)>,
) {
    let mut at = profile.get("startValue").real().unwrap_or_default();
    let mut weights = profile.get("weights").elements();
    for (index, _) in (0..).zip(profile.get("samples").elements()) {
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
