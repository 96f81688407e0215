//! Recordings that say from when on they are of interest.

use tpq::ImportOptions;

use super::*;

fn names(crop: bool) -> Imported {
    let instant =
        |ts, name: &str| event(ts, Message::new().uint(9, 3).uint(11, THREAD).bytes(23, name));
    let trace = described()
        .packets([instant(1_999, "before"), instant(2_000, "at"), instant(3_000, "after")])
        .packet(Packet::new().payload(90, Message::new().int(1, 2)))
        .packet(Packet::new().payload(90, Message::new()));
    let options = ImportOptions { crop, ..ImportOptions::default() };
    Imported::with(&[("trace", &trace.build())], options)
}

#[test]
fn events_before_the_range_are_dropped_on_request() {
    let kept = "SELECT name FROM slice ORDER BY ts";
    assert_eq!(names(false).rows(kept), "name\nbefore\nat\nafter\n");
    assert_eq!(names(true).rows(kept), "name\nat\nafter\n");
    let dropped = "SELECT value FROM stats \
        WHERE name = 'track_event_dropped_packets_outside_of_range_of_interest'";
    assert_eq!([false, true].map(|crop| names(crop).cell(dropped)), ["0", "1"]);
    let start = "SELECT int_value FROM metadata WHERE name = 'range_of_interest_start_us'";
    assert_eq!(names(false).cell(start), "2");
    let without = "SELECT value FROM stats \
        WHERE name = 'track_event_range_of_interest_missing_start_us'";
    assert_eq!(names(false).cell(without), "1");
}
