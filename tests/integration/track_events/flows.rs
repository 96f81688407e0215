//! Flows of the older forms, and which of the newer ones counts.

use super::*;

const FLOWS: &str = "SELECT o.name AS \"from\", i.name AS \"to\", trace_id, \
    max(CASE WHEN key = 'name' THEN string_value END) AS name, \
    max(CASE WHEN key = 'cat' THEN string_value END) AS cat FROM flow f \
    JOIN slice o ON slice_out = o.id JOIN slice i ON slice_in = i.id \
    LEFT JOIN args a ON f.arg_set_id = a.arg_set_id \
    GROUP BY f.id, o.name, i.name, trace_id ORDER BY f.id";

fn id(id: u64) -> Message {
    Message::new().uint(6, id)
}

#[test]
fn a_flow_goes_by_number_category_and_name() {
    let trace = imported(
        described(),
        [
            legacy(10, 's', "ipc", id(1)),
            legacy(20, 'X', "send", Message::new().int(3, 1)),
            legacy(30, 's', "ipc", id(1)),
            legacy(40, 's', "ipc", id(1)),
            legacy(50, 't', "other name", id(1)),
            legacy(1100, 'X', "pass", Message::new().int(3, 1)),
            legacy(1110, 't', "ipc", id(1)),
            legacy(1120, 'f', "ipc", id(1)),
            legacy(2200, 'X', "receive", Message::new().int(3, 1)),
            legacy(2210, 'f', "ipc", id(1).bool(12, true)),
            legacy(2220, 's', "ipc", Message::new()),
        ],
    );
    assert_eq!(
        trace.rows(FLOWS),
        "\
from  to       trace_id  name  cat
send  pass     0         ipc   cat
pass  receive  0         ipc   cat
pass  receive  0         ipc   cat
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                       value
flow_duplicate_id          1
flow_invalid_id            1
flow_no_enclosing_slice    1
flow_step_without_start    1
track_event_parser_errors  1
"
    );
}

#[test]
fn slices_may_be_bound_to_a_flow() {
    let bound = |ts, name: &str, direction: u64| {
        let fields = Message::new().int(3, 1).uint(8, 99);
        legacy(ts, 'X', name, if direction == 0 { fields } else { fields.uint(13, direction) })
    };
    let trace = imported(
        described(),
        [
            bound(10_000, "early", 1),
            bound(20_000, "out", 2),
            bound(30_000, "through", 3),
            bound(40_000, "in", 1),
            bound(50_000, "in again", 1),
            bound(60_000, "nowhere", 0),
        ],
    );
    assert_eq!(
        trace.rows(FLOWS),
        "\
from     to        trace_id  name  cat
out      through   99        NULL  NULL
through  in        99        NULL  NULL
through  in again  99        NULL  NULL
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                    value
flow_end_without_start  1
flow_without_direction  1
"
    );
}

/// The newer encoding hides the older; the end of a slice may state of a flow after what lies in
/// it.
#[test]
fn flows_of_typed_events() {
    let of = |kind: u64, name: &str| Message::new().uint(9, kind).uint(11, THREAD).bytes(23, name);
    let trace = imported(
        described(),
        [
            event(10, of(1, "outer").uint(36, 4).fixed64(47, 5)),
            event(20, of(1, "inner").fixed64(47, 6).uint(42, 5)),
            event(30, of(2, "inner")),
            event(40, of(2, "outer").fixed64(48, 6).fixed64(48, 4)),
        ],
    );
    assert_eq!(
        trace.rows(FLOWS),
        "\
from   to     trace_id  name  cat
outer  inner  5         NULL  NULL
outer  inner  6         NULL  NULL
"
    );
}
