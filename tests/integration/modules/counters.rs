//! `counters.*`

use tpq_testkit::{Packet, TraceBuilder, TrackDescriptor, TrackEvent};

use super::{empty, lines};
use crate::imported::Imported;

/// Values of a counter, one each 10 ns from 10 on, in a trace that ends at 100.
fn counted(values: &[i64]) -> Imported {
    let packet = |at: u64, event| Packet::new().sequence(1).timestamp(at).track_event(event);
    let at = |place: usize| 10 * (place as u64 + 1);
    let counter = TrackDescriptor::new(1).name("count").counter();
    let track = TrackDescriptor::new(2).name("end");
    let trace = TraceBuilder::new()
        .packet(Packet::new().sequence(1).track_descriptor(counter))
        .packet(Packet::new().sequence(1).track_descriptor(track));
    let values = values.iter().enumerate();
    let values = values.map(|(place, &value)| packet(at(place), TrackEvent::counter(1, value)));
    let end = packet(100, TrackEvent::instant(2).name("end"));
    Imported::trace(trace.packets(values).packet(end))
}

fn intervals(values: &[i64]) -> Vec<String> {
    let sql = "SELECT ts, dur, value, next_value, delta_value \
        FROM counter_leading_intervals!(counter) ORDER BY ts";
    lines(&counted(values), "counters.intervals", sql)
}

#[test]
fn a_value_lasts_to_the_next_one() {
    assert_eq!(
        intervals(&[5, 7, 4]),
        ["10 10 5.0 7.0 NULL", "20 10 7.0 4.0 2.0", "30 70 4.0 NULL -3.0"]
    );
}

/// Of the five values of 5, the first two and the last one before the change are kept; of those
/// at the end, the first two.
#[test]
fn values_that_stay_the_same_are_thinned() {
    assert_eq!(
        intervals(&[5, 5, 5, 5, 5, 7, 7, 7]),
        [
            "10 10 5.0 5.0 NULL",
            "20 30 5.0 5.0 0.0",
            "50 10 5.0 7.0 0.0",
            "60 10 7.0 7.0 2.0",
            "70 30 7.0 NULL 0.0",
        ]
    );
}

#[test]
fn tracks_with_one_name_and_different_dimensions() {
    let sql = "SELECT _counter_track_is_only_name_dimension(99)";
    assert_eq!(lines(&empty(), "counters.global_tracks", sql), ["1"]);
}
