//! Details of events other than annotations.

use tpq_testkit::Annotation;

use super::*;

/// An interned message of a kind.
fn interned(entries: &[(u32, Message)]) -> TraceBuilder {
    let entries = entries.iter().cloned();
    let data = entries.fold(Message::new(), |data, (kind, entry)| data.message(kind, entry));
    with_interned(InternedData::from(data))
}

fn location() -> (u32, Message) {
    // Of a field that is there twice the last counts.
    let place = Message::new().uint(1, 4).bytes(2, "no").bytes(2, "src\\a.cc").bytes(3, "Run");
    (4, place.uint(4, 12))
}

fn instant(ts: u64, fields: Message) -> Packet {
    let head = Message::new().uint(9, 3).uint(11, THREAD).bytes(23, "it");
    event(ts, Message::from_bytes([head.into_bytes(), fields.into_bytes()].concat()))
}

#[test]
fn places_tasks_and_correlations() {
    let trace = imported(
        interned(&[location(), (43, Message::new().uint(1, 9).bytes(2, "interned"))]),
        [
            instant(1, Message::new().uint(34, 4)),
            instant(2, Message::new().message(5, Message::new().uint(1, 4))),
            instant(3, Message::new().uint(52, 77)),
            instant(4, Message::new().bytes(53, "text")),
            instant(5, Message::new().uint(54, 9)),
            instant(6, Message::new().uint(34, 5)),
            instant(7, Message::new().message(5, Message::new())),
        ],
    );
    assert_eq!(
        trace.rows(SLICE_ARGS),
        "\
name  key                             type    int   string
it    source.file_name                string  NULL  src/a.cc
it    source.function_name            string  NULL  Run
it    source.line_number              uint    12    NULL
it    source_location_iid             uint    4     NULL
it    task.posted_from.file_name      string  NULL  src/a.cc
it    task.posted_from.function_name  string  NULL  Run
it    task.posted_from.line_number    uint    12    NULL
it    correlation_id                  string  NULL  tp:#77
it    correlation_id                  string  NULL  text
it    correlation_id                  string  NULL  interned
it    source_location_iid             uint    5     NULL
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                            value
interned_data_tokenizer_errors  1
track_event_parser_errors       2
"
    );
}

/// Log messages of a program are also rows of the log.
#[test]
fn log_messages() {
    let body = (20, Message::new().uint(1, 3).bytes(2, "it broke"));
    let log = |fields: Message| Message::new().message(21, fields.uint(2, 3));
    let trace = imported(
        interned(&[location(), body]),
        [instant(1, log(Message::new().uint(1, 4).uint(3, 6))), instant(2, log(Message::new()))],
    );
    assert_eq!(
        trace.rows(
            "SELECT ts, tid, prio, tag, msg FROM android_logs JOIN thread USING (utid) ORDER BY ts"
        ),
        "\
ts  tid  prio  tag          msg
1   101  6     src\\a.cc:12  it broke
2   101  4     NULL         it broke
"
    );
    assert_eq!(
        trace.rows(SLICE_ARGS),
        "\
name  key                                    type    int   string
it    track_event.log_message                string  NULL  it broke
it    track_event.log_message.file_name      string  NULL  src\\a.cc
it    track_event.log_message.function_name  string  NULL  Run
it    track_event.log_message.line_number    int     12    NULL
it    track_event.priority                   int     6     NULL
it    track_event.log_message                string  NULL  it broke
"
    );
}

#[test]
fn names_and_categories_in_all_forms() {
    let data = InternedData::new().category(1, "net").category(2, "ui").event_name(5, "interned");
    let fields = |fields: Message| {
        let head = Message::new().uint(9, 3).uint(11, THREAD);
        Message::from_bytes([head.into_bytes(), fields.into_bytes()].concat())
    };
    let old_name = Message::new().message(6, Message::new().uint(1, 5));
    let trace = imported(
        with_interned(data),
        [
            event(1, fields(Message::new().packed(3, [1, 2]).bytes(22, "own").uint(10, 5))),
            event(2, fields(Message::new().uint(3, 7).bytes(23, "given"))),
            event(3, fields(old_name)),
            event(4, fields(Message::new().uint(10, 8))),
            event(5, Message::new().bytes(23, "neither type nor phase")),
        ],
    );
    assert_eq!(
        trace.rows("SELECT ts, name, category FROM slice ORDER BY ts"),
        "\
ts  name      category
1   interned  net,ui,own
2   given     unknown(7)
3   interned  NULL
4   NULL      NULL
"
    );
    assert_eq!(
        trace.rows(STATS),
        "\
name                            value
interned_data_tokenizer_errors  2
track_event_parser_errors       1
"
    );
}

#[test]
fn annotations_that_are_json() {
    let text = r#"{"a": [1, 2.5, {"b.c": "x"}], "t": true, "n": null, "e": [], "u": 18446744073709551615}"#;
    let note =
        |text: &str| Message::new().message(4, Message::from(Annotation::named("it").json(text)));
    let trace = imported(described(), [instant(1, note(text)), instant(2, note("{no json"))]);
    assert_eq!(
        trace.rows(
            "SELECT flat_key, key, value_type AS type, display_value AS value FROM slice s \
             JOIN args a ON s.arg_set_id = a.arg_set_id ORDER BY key"
        ),
        "\
flat_key        key                type    value
debug.it.a      debug.it.a[0]      int     1
debug.it.a      debug.it.a[1]      real    2.5
debug.it.a.b.c  debug.it.a[2].b.c  string  x
debug.it.t      debug.it.t         bool    true
debug.it.u      debug.it.u         real    1.8446744073709552e+19
"
    );
}
