//! States of things, each until the next.

use super::*;

#[test]
fn a_state_lasts_until_the_next() {
    let track =
        Message::new().uint(1, 50).uint(5, PROCESS).bytes(2, "screen").message(18, Message::new());
    let state = |ts, name: &str| {
        let fields = Message::new().uint(9, 5).uint(11, 50).bytes(22, "ui");
        event(ts, if name.is_empty() { fields } else { fields.bytes(23, name) })
    };
    let trace = imported(
        described(),
        [
            packet().track_descriptor(track.into()),
            state(10, "on"),
            state(30, "dim"),
            state(35, ""),
            state(60, "on"),
            event(70, Message::new().uint(9, 5).bytes(23, "of nothing")),
        ],
    );
    assert_eq!(
        trace.rows(
            "SELECT ts, dur, category, value, t.name AS track, pid FROM state s \
             JOIN process_state_track t ON s.track_id = t.id JOIN process USING (upid) ORDER BY ts"
        ),
        "\
ts  dur  category  value  track   pid
10  20   ui        on     screen  100
30  5    ui        dim    screen  100
60  -1   ui        on     screen  100
"
    );
    assert_eq!(
        trace.rows("SELECT name, type FROM state_track"),
        "name    type\nscreen  process_state_track_event\n"
    );
    assert_eq!(
        trace.rows(STATS),
        "name                                  value\ntrack_event_state_missing_track_uuid  1\n"
    );
}
