//! Traces of Fuchsia.

use super::{SLICES, kind_and_clock};
use crate::imported::Imported;

/// Types of records.
const METADATA: u64 = 0;
const INITIALIZATION: u64 = 1;
const STRING: u64 = 2;
const THREAD: u64 = 3;
const EVENT: u64 = 4;
const KERNEL_OBJECT: u64 = 7;
const SCHEDULER: u64 = 8;
/// The reference to a text that follows, with its length.
const INLINE: u64 = 0x8000;

/// A record: its length is the number of words with the first.
fn record(kind: u64, bits: u64, words: &[u64]) -> Vec<u8> {
    let header = kind | (words.len() as u64 + 1) << 4 | bits;
    [&[header][..], words].concat().into_iter().flat_map(u64::to_le_bytes).collect()
}

/// The words of a text.
fn text(text: &str) -> Vec<u64> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

/// An argument: `half` is in its first word, `rest` behind its name.
fn arg(kind: u64, name: &str, half: u32, rest: &[u64]) -> Vec<u64> {
    let name_words = text(name);
    let len = 1 + name_words.len() + rest.len();
    let header =
        kind | (len as u64) << 4 | (INLINE | name.len() as u64) << 16 | u64::from(half) << 32;
    [&[header][..], name_words.as_slice(), rest].concat()
}

/// An event of thread 1 with category 1 and name 2; `words` lie behind its time.
fn event(kind: u64, ticks: u64, args: u64, words: &[u64]) -> Vec<u8> {
    let bits = kind << 16 | args << 20 | 1 << 24 | 1 << 32 | 2 << 48;
    record(EVENT, bits, &[&[ticks][..], words].concat())
}

/// A trace with a tick for each microsecond.
fn trace() -> Vec<u8> {
    let define = |index: u64, name: &str| {
        record(STRING, index << 16 | (name.len() as u64) << 32, &text(name))
    };
    let object = |kind: u64, name: &str, args: u64, words: &[u64]| {
        let bits = kind << 16 | (INLINE | name.len() as u64) << 24 | args << 40;
        record(KERNEL_OBJECT, bits, words)
    };
    let switch = |count: u64, words: &[u64]| {
        record(SCHEDULER, count << 16 | 3 << 20 | 3 << 36 | 1 << 60, words)
    };
    let idle = arg(1, "outgoing_weight", i32::MIN.cast_unsigned(), &[]);
    let count = [arg(1, "a", 7, &[]), arg(6, "b", 1, &[]), vec![0]].concat();
    [
        vec![0x10, 0, 4, 0x46, 0x78, 0x54, 0x16, 0],
        record(METADATA, 1 << 16 | 5 << 20 | 1 << 52, &text("p")),
        record(INITIALIZATION, 0, &[1_000_000]),
        define(1, "cat"),
        define(2, "work"),
        record(THREAD, 1 << 16, &[70, 71]),
        object(1, "app", 0, &[&[70][..], text("app").as_slice()].concat()),
        object(2, "main", 1, &[vec![71], text("main"), arg(8, "process", 0, &[70])].concat()),
        event(3, 200, 0, &[]),
        event(2, 100, 1, &arg(1, "n", 5, &[])),
        event(0, 150, 0, &[]),
        event(4, 300, 0, &[340]),
        event(1, 310, 2, &count),
        event(5, 320, 0, &[9]),
        event(7, 330, 0, &[9]),
        define(2, "later"),
        event(0, 400, 0, &[]),
        switch(1, &[vec![450, 0, 71], idle].concat()),
        switch(0, &[500, 71, 72]),
        record(9, 0, &[1]),
    ]
    .concat()
}

#[test]
fn events_are_slices_counters_and_switches() {
    let trace = Imported::file(trace());
    assert_eq!(
        trace.rows(SLICES),
        "\
ts      dur     depth  name   tid  thread
100000  100000  0      work   71   main
150000  0       1      work   71   main
300000  40000   0      work   71   main
400000  0       0      later  71   main
"
    );
    let args = "SELECT ts, category, key, int_value FROM slice JOIN args USING (arg_set_id)";
    assert_eq!(trace.cells(args), [["100000", "cat", "n", "5"]]);
    let counters = "SELECT ts, value, t.name FROM counter c JOIN track t ON c.track_id = t.id";
    assert_eq!(trace.cells(counters), [["310000", "7.0", "work:a"]]);
    let of_process = "SELECT ts, dur, slice.name, pid, process.name FROM slice \
        JOIN process_track t ON slice.track_id = t.id JOIN process USING (upid)";
    assert_eq!(trace.cells(of_process), [["320000", "10000", "work", "70", "app"]]);
    let sched =
        "SELECT ts, dur, cpu, tid, end_state FROM sched JOIN thread USING (utid) ORDER BY ts";
    assert_eq!(
        trace.cells(sched),
        [["450000", "50000", "3", "71", "S"], ["500000", "-1", "3", "72", "NULL"]]
    );
    let states = "SELECT ts, dur, tid, state FROM thread_state JOIN thread USING (utid) \
        WHERE tid = 71 ORDER BY ts";
    assert_eq!(
        trace.cells(states),
        [["450000", "50000", "71", "Running"], ["500000", "-1", "71", "S"]]
    );
    let stats = "SELECT name, idx, value FROM stats WHERE value != 0 \
        AND name NOT LIKE '%duration%' AND name != 'clock_sync_cache_miss' ORDER BY name";
    let rows =
        [["format_records_not_read", "9", "1"], ["fuchsia_non_numeric_counters", "NULL", "1"]];
    assert_eq!(trace.cells(stats), rows);
    assert_eq!(kind_and_clock(&trace), ("fuchsia".to_owned(), vec![vec!["6".to_owned()]]));
}

/// Event 0 of a provider is that its buffer was full; others are no loss.
#[test]
fn full_buffers_are_losses() {
    let provider_event = |number: u64| record(METADATA, 3 << 16 | 5 << 20 | number << 52, &[]);
    let bytes = [trace(), provider_event(0), provider_event(1)].concat();
    let lost = "SELECT value, severity FROM stats WHERE name = 'format_records_lost'";
    assert_eq!(Imported::file(bytes).cells(lost), [["1", "data_loss"]]);
}

#[test]
fn a_trace_that_was_cut() {
    let bytes = trace();
    let trace = Imported::file(&bytes[..bytes.len() - 8]);
    assert_eq!(trace.cell("SELECT count(*) FROM sched"), "2");
    let errors = "SELECT value FROM stats WHERE name = 'format_parse_errors'";
    assert_eq!(trace.cells(errors), [["1"]]);
}
