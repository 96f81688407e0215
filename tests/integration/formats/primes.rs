//! Traces of Primes.

use tpq_testkit::Message;

use super::{PLACES, kind_and_clock};
use crate::imported::{Imported, refused};

fn time(seconds: u64, nanos: u64) -> Message {
    Message::new().uint(1, seconds).uint(2, nanos)
}

/// An edge so many nanoseconds after the start.
fn edge(id: u64, nanos: u64) -> Message {
    Message::new().uint(1, id).message(2, time(0, nanos))
}

fn details(name: &str, parent: Option<u64>) -> Message {
    let details = Message::new().bytes(1, name);
    parent.into_iter().fold(details, |details, parent| details.uint(2, parent))
}

/// The first slice of an executor.
fn root(executor: u64, name: &str, details: Message) -> Message {
    Message::new().message(1, details).uint(8, executor).bytes(6, name)
}

/// Two executors: on the first `load` with `parse` within it and a mark, on the second `draw`, which
/// follows `parse`. `fetch` runs beside `load`.
fn trace(more: impl IntoIterator<Item = Message>) -> Vec<u8> {
    let begin = |details| Message::new().message(1, details);
    let draw = details("draw", None).uint(3, 2);
    let edges = [
        edge(1, 100).message(3, root(7, "main", details("load", None))),
        edge(2, 200).message(3, begin(details("parse", Some(1)).uint(4, 99))),
        edge(4, 250).message(3, begin(details("fetch", Some(1)))),
        edge(5, 300).message(5, begin(details("ready", Some(2)).uint(4, 99))),
        edge(2, 400).message(4, Message::new()),
        edge(3, 500).message(3, root(8, "render", draw)),
        edge(1, 600).message(4, Message::new()),
        edge(4, 700).message(4, Message::new()),
        edge(3, 900).message(4, Message::new()),
    ];
    let trace = Message::new().fixed64(1, 5).bytes(2, "app").message(4, time(2, 0));
    edges.into_iter().chain(more).fold(trace, |trace, edge| trace.message(7, edge)).into_bytes()
}

const SLICES: &str = "SELECT ts, dur, s.name, t.name AS executor, \
    extract_arg(dimension_arg_set_id, 'executor_id') AS id FROM slice s \
    JOIN track t ON t.id = s.track_id ORDER BY ts, s.id";

#[test]
fn slices_of_executors() {
    let trace = Imported::file(trace([]));
    // What runs beside a slice of its executor has a track of its own, which no edge names.
    assert_eq!(
        trace.rows(SLICES),
        "\
ts          dur  name   executor  id
2000000100  500  load   main      7
2000000200  200  parse  NULL      7
2000000250  450  fetch  NULL      7
2000000300  0    ready  NULL      7
2000000500  400  draw   render    8
"
    );
    let flows = "SELECT o.name, i.name FROM flow JOIN slice o ON o.id = slice_out \
        JOIN slice i ON i.id = slice_in ORDER BY i.ts";
    assert_eq!(trace.cells(flows), [["parse", "ready"], ["parse", "draw"]]);
    assert_eq!(kind_and_clock(&trace), ("primes".to_owned(), vec![vec!["1".to_owned()]]));
    assert_eq!(trace.cell("SELECT type FROM track LIMIT 1"), "primes_executor_slice");
}

#[test]
fn edges_that_make_no_sense_are_counted() {
    let begin = |details| Message::new().message(1, details);
    let trace = Imported::file(trace([
        edge(20, 950),
        edge(21, 950).message(3, begin(details("a", Some(77)))),
        edge(22, 950).message(3, begin(details("b", None))),
        edge(23, 950).message(4, Message::new()),
        edge(24, 950).message(5, Message::new()),
        Message::new().uint(1, 25).message(4, Message::new()),
    ]));
    let lost = "SELECT name, value FROM stats WHERE name LIKE 'primes%' AND value != 0 \
        ORDER BY name";
    assert_eq!(
        trace.cells(lost),
        [
            ["primes_end_without_matching_begin", "1"],
            ["primes_executor_not_found", "1"],
            ["primes_malformed_timestamp", "1"],
            ["primes_missing_entity_details", "1"],
            ["primes_missing_parent_id", "1"],
            ["primes_unknown_edge_type", "1"],
        ]
    );
    assert_eq!(trace.cells(SLICES).len(), 5);
}

#[test]
fn damage_has_a_position() {
    let mut bytes = trace([]);
    bytes.extend([0x3a, 9, 8]);
    let trace = Imported::file(bytes);
    assert_eq!(trace.cells(SLICES).len(), 5);
    let places = trace.cells(PLACES);
    assert_eq!(places.len(), 1, "{places:?}");
    assert_eq!(places[0][2], "from here on this is no field of a trace");
}

#[test]
fn captures_of_tracy_are_named() {
    let message = refused(&[("a.tracy", b"tr\xfdP\x01\x08rest")]);
    assert_eq!(
        message,
        "a.tracy: Tracy capture, which tpq does not read; `tracy-csvexport` makes CSV of its \
         zones, which tpq reads with read_csv()"
    );
}
