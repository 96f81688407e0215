//! Described tracks: names, parents, order, and merging.

use super::*;

const TRACKS: &str = "SELECT t.name, t.type, p.name AS parent, key, value_type AS value, \
    int_value AS int, string_value AS string FROM track t LEFT JOIN track p ON t.parent_id = p.id \
    JOIN args a ON a.arg_set_id IN (t.dimension_arg_set_id, t.source_arg_set_id) \
    ORDER BY t.id, a.id";

fn track(fields: Message) -> Packet {
    packet().track_descriptor(fields.into())
}

fn instant(ts: u64, uuid: u64, name: &str) -> Packet {
    event(ts, Message::new().uint(9, 3).uint(11, uuid).bytes(23, name))
}

fn begin(ts: u64, uuid: u64) -> Packet {
    event(ts, Message::new().uint(9, 1).uint(11, uuid).bytes(23, "x"))
}

/// One of its own with everything a descriptor can say, under one that is ordered by words.
#[test]
fn tracks_say_what_their_descriptors_say() {
    let parent = Message::new().uint(1, 10).uint(5, PROCESS).bytes(2, "group").uint(11, 3);
    let child = Message::new().uint(1, 11).uint(5, 10).bytes(2, "line").uint(15, 2);
    let child = child.int(12, -4).bytes(14, "what it is").uint(11, 1);
    let trace =
        imported(described(), [track(parent.uint(15, 2)), track(child), instant(5, 11, "x")]);
    assert_eq!(
        trace.rows(TRACKS),
        "\
name   type                 parent  key                           value   int   string
NULL   process_track_event  NULL    upid                          int     1     NULL
NULL   process_track_event  NULL    track_uuid                    int     2     NULL
NULL   process_track_event  NULL    source                        string  NULL  descriptor
NULL   process_track_event  NULL    trace_id                      int     2     NULL
NULL   process_track_event  NULL    is_root_in_scope              bool    1     NULL
NULL   process_track_event  NULL    has_first_packet_on_sequence  bool    1     NULL
group  process_track_event  NULL    upid                          int     1     NULL
group  process_track_event  NULL    track_uuid                    int     10    NULL
group  process_track_event  NULL    source                        string  NULL  descriptor
group  process_track_event  NULL    trace_id                      int     10    NULL
group  process_track_event  NULL    is_root_in_scope              bool    0     NULL
group  process_track_event  NULL    has_first_packet_on_sequence  bool    1     NULL
group  process_track_event  NULL    child_ordering                string  NULL  explicit
line   process_track_event  group   upid                          int     1     NULL
line   process_track_event  group   track_uuid                    int     11    NULL
line   process_track_event  group   source                        string  NULL  descriptor
line   process_track_event  group   trace_id                      int     11    NULL
line   process_track_event  group   is_root_in_scope              bool    0     NULL
line   process_track_event  group   has_first_packet_on_sequence  bool    1     NULL
line   process_track_event  group   child_ordering                string  NULL  lexicographic
line   process_track_event  group   sibling_order_rank            int     -4    NULL
line   process_track_event  group   description                   string  NULL  what it is
"
    );
}

/// Siblings of one name or one key are shown as one, as far as their slices do not overlap.
#[test]
fn siblings_are_shown_as_one() {
    let keyed = |uuid, key: Message| {
        let fields = Message::new().uint(1, uuid).uint(5, THREAD).uint(15, 3);
        let both = [fields.into_bytes(), key.into_bytes()].concat();
        track(Message::from_bytes(both))
    };
    let named = |uuid| track(Message::new().uint(1, uuid).uint(5, THREAD).bytes(2, "same"));
    let trace = imported(
        described(),
        [
            named(30),
            named(31),
            keyed(32, Message::new().bytes(2, "one").bytes(16, "key")),
            keyed(33, Message::new().bytes(2, "two").bytes(16, "key")),
            keyed(34, Message::new().bytes(2, "number").uint(17, 6)),
            begin(10, 30),
            begin(20, 31),
            instant(30, 32, "x"),
            instant(40, 33, "x"),
            instant(50, 34, "x"),
        ],
    );
    assert_eq!(
        trace.rows(
            "SELECT t.name, t.type, count(DISTINCT track_group_id) AS groups, \
             max(CASE WHEN key = 'parent_track_uuid' THEN int_value END) AS parent, \
             max(CASE WHEN key = 'merge_key_type' THEN int_value END) AS kind, \
             max(CASE WHEN key = 'merge_key_value' THEN string_value END) AS key, \
             max(CASE WHEN key = 'track_compressor_idx' THEN int_value END) AS idx \
             FROM track t JOIN args ON dimension_arg_set_id = arg_set_id \
             WHERE t.type LIKE '%merged%' GROUP BY t.id, t.name, t.type ORDER BY t.id"
        ),
        "\
name    type                       groups  parent  kind  key                      idx
same    thread_merged_track_event  1       1       0     same                     0
same    thread_merged_track_event  1       1       0     same                     1
one     thread_merged_track_event  1       1       2     key                      0
number  thread_merged_track_event  1       1       2     sibling_merge_key_int:6  0
"
    );
}

/// A track that only events mention goes by the first of them; one without a parent that it
/// names cannot be placed.
#[test]
fn tracks_that_are_not_described_and_ancestors_that_lead_nowhere() {
    let child = |uuid, parent| track(Message::new().uint(1, uuid).uint(5, parent).bytes(2, "lost"));
    let chain = (200..310).map(|uuid| child(uuid, if uuid == 309 { 0 } else { uuid + 1 }));
    let events = [
        instant(10, 40, "first"),
        instant(20, 40, "second"),
        instant(30, 41, "of an orphan"),
        instant(40, 60, "in a circle"),
        instant(50, 200, "too deep"),
        instant(60, 300, "not too deep"),
    ];
    let trace = imported(
        described(),
        [child(41, 999), child(60, 61), child(61, 60)].into_iter().chain(chain).chain(events),
    );
    assert_eq!(
        trace.rows(SLICES),
        "\
ts  dur  depth  type                       track  name
10  0    0      global_merged_track_event  first  first
20  0    0      global_merged_track_event  first  second
60  0    0      global_merged_track_event  lost   not too deep
"
    );
    // Each descriptor, and each event: an orphan, two in a circle, and those above the hundredth.
    assert_eq!(
        trace.rows(STATS),
        "\
name                                  value
track_event_parser_errors             17
track_event_track_hierarchy_loop      3
track_event_track_hierarchy_too_deep  12
track_hierarchy_missing_uuid          2
"
    );
}
