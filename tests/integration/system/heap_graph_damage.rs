//! Dumps of Java heaps that are incomplete or damaged.

use tpq_testkit::Message;

use super::heap_graph::{GRAPHS, INDEXED, REFERENCES, graph};
use super::packets;
use crate::heap_packets::*;

/// Packets 1 and 2 are missing in the first dump, the last one in the second.
#[test]
fn incomplete_dumps_are_kept_and_counted() {
    let trace = packets([
        dump(10, 0, true, vec![object(1, 1, 8)]),
        dump(10, 3, false, vec![owner(2, 2, 8, &[5]), (9, class(2, "a.B[]", ARRAY))]),
        dump(20, 0, true, vec![object(1, 1, 6), (9, class(1, "a.C", NORMAL))]),
    ]);
    assert_eq!(
        trace.rows(
            "SELECT o.id, graph_sample_ts AS ts, c.name, self_size, kind \
            FROM heap_graph_object o JOIN heap_graph_class c ON c.id = type_id ORDER BY o.id"
        ),
        // The third object is referred to and was not sent.
        "\
id  ts  name   self_size  kind
0   10  NULL   8          NULL
1   10  a.B[]  8          KIND_ARRAY
2   10  NULL   -1         NULL
3   20  a.C    6          KIND_NORMAL
"
    );
    assert_eq!(
        trace.rows(GRAPHS),
        "\
id  ts  pid  dump_reason  heap_size  truncated
0   10  7    NULL         NULL       1
1   20  7    NULL         NULL       1
"
    );
    assert_eq!(
        trace.rows(INDEXED),
        "\
name                       pid  value
heap_graph_missing_object  7    1
heap_graph_missing_packet  7    1
"
    );
    assert_eq!(
        trace.cell("SELECT value FROM stats WHERE name = 'heap_graph_non_finalized_graph'"),
        "1"
    );
}

/// Objects of another process or time than the dump under way are dropped.
#[test]
fn a_dump_is_of_one_process_and_time() {
    let trace = packets([
        dump(10, 0, true, vec![object(1, 1, 8), (9, class(1, "a.A", NORMAL))]),
        dump_of(8, 2, 10, 1, true, vec![object(2, 1, 8)]),
        dump(11, 2, false, vec![object(3, 1, 8), root(JAVA_FRAME, &[1])]),
    ]);
    let objects = "SELECT count(*) FROM heap_graph_object";
    assert_eq!(trace.cell(objects), "1");
    assert_eq!(
        trace.cell("SELECT value FROM stats WHERE name = 'heap_graph_non_finalized_graph'"),
        "3"
    );
}

/// What is damaged is counted; the rest is kept.
#[test]
fn malformed_parts_are_counted() {
    let (field_number, of_one) = object(2, 1, 8);
    let trace = graph(vec![
        object(1, 1, 8),
        // Two fields and one reference.
        (field_number, of_one.packed(4, [1, 2]).packed(5, [1])),
        // An id that is relative to the object that was skipped.
        (2, Message::new().uint(7, 1).uint(2, 1).uint(3, 7)),
        // No class has this object, which has neither size nor fields.
        object(4, 9, 0),
        // The list ends within a number; the object after it is not read.
        (2, Message::new().uint(1, 5).uint(2, 1).bytes(5, [0x80])),
        object(6, 1, 8),
        (9, class(1, "a.A", NORMAL).uint(2, 77)),
        (9, class(2, "a.B", NORMAL).bytes(6, [0x80])),
        (7, Message::new().bytes(1, [0x80])),
        root(JAVA_FRAME, &[1]),
    ]);
    assert_eq!(
        trace.rows("SELECT self_size, reachable FROM heap_graph_object ORDER BY id"),
        "\
self_size  reachable
8          0
7          0
0          0
"
    );
    // Mismatched lists, the damaged list of an object, of a class and of a root, and the class that
    // was not sent.
    assert_eq!(
        trace.rows(INDEXED),
        "\
name                          pid  value
heap_graph_invalid_string_id  7    1
heap_graph_malformed_packet   7    5
"
    );
}

/// Fields that no superclass lists have no name; nor has a field that was not sent.
#[test]
fn fields_without_a_name_are_counted() {
    let trace = graph(vec![
        owner(1, 1, 8, &[1, 1, 1]),
        (9, class(1, "a.B", NORMAL).uint(5, 2).packed(6, [1])),
        (9, class(2, "a.A", NORMAL).packed(6, [2])),
        field(2, "a.A a.A.next"),
    ]);
    assert_eq!(
        trace.rows(REFERENCES),
        "\
refs  owner  owned  field_name  field_type_name
0     0      0      NULL        NULL
0     0      0      a.A.next    a.A
0     0      0      NULL        NULL
"
    );
    assert_eq!(
        trace.rows(INDEXED),
        "\
name                         pid  value
heap_graph_malformed_packet  7    2
"
    );
}

/// Classes that inherit from themselves have no end.
#[test]
fn circles_of_superclasses_end() {
    let trace = graph(vec![
        owner(1, 1, 8, &[1]),
        owner(2, 3, 8, &[1, 1, 1, 1]),
        (9, class(1, "a.A", NORMAL).uint(5, 2)),
        (9, class(2, "a.B", NORMAL).uint(5, 1)),
        (9, class(3, "a.C", NORMAL).uint(5, 4).packed(6, [1])),
        (9, class(4, "a.D", NORMAL).uint(5, 3)),
        field(1, "a.A a.C.next"),
    ]);
    let named = "SELECT count(*), count(field_name) FROM heap_graph_reference";
    assert_eq!(trace.cells(named), [["5", "4"]]);
}
