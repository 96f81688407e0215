//! Traces of methods that Android's runtime called.

use super::{SLICES, kind_and_clock};
use crate::imported::{Imported, STATS, refused};

/// What both traces hold: thread 7 enters run at 5 us after the start at 1,000 us, calls work from
/// 6 us to 8 us, and leaves run at 9 us.
const CALLS: [(u32, u32); 4] = [(0x10, 5), (0x20, 6), (0x21, 8), (0x12, 9)];
const METHODS: [&str; 2] =
    ["0x10\tcom/app/Main\trun\t()V\tMain.java\t12", "0x20\tcom/app/Main\twork\t(I)V\tMain.java"];

fn header(version: u16, size: u16) -> Vec<u8> {
    let mut header = b"SLOW".to_vec();
    header.extend(version.to_le_bytes());
    header.extend([32, 0]);
    header.extend(1_000_u64.to_le_bytes());
    header.extend(size.to_le_bytes());
    header.resize(32, 0);
    header
}

/// A trace with lists before its calls, each with two times.
fn listed() -> Vec<u8> {
    let lists = [
        "*version\n3\ndata-file-overflow=false\nclock=dual\n*threads\n7\tmain\n*methods\n",
        &METHODS.join("\n"),
        "\n*end\n",
    ];
    let mut trace = lists.concat().into_bytes();
    trace.extend(header(3, 14));
    for (method, at) in CALLS {
        trace.extend(7_u16.to_le_bytes());
        // The time of the thread is another.
        trace.extend([method, 99, at].into_iter().flat_map(u32::to_le_bytes));
    }
    trace
}

/// A stream of calls, with one time each.
fn streamed() -> Vec<u8> {
    let mut trace = header(0xf0 ^ 2, 10);
    trace.extend([0, 0, 2, 7, 0, 4, 0]);
    trace.extend(b"main");
    for line in METHODS {
        trace.extend([0, 0, 1, line.len() as u8, 0]);
        trace.extend(line.as_bytes());
    }
    for (method, at) in CALLS {
        trace.extend(7_u16.to_le_bytes());
        trace.extend([method, at].into_iter().flat_map(u32::to_le_bytes));
    }
    trace.extend([0, 0, 3]);
    trace
}

#[test]
fn calls_are_slices_of_threads() {
    for bytes in [listed(), streamed()] {
        let trace = Imported::file(bytes);
        assert_eq!(
            trace.rows(SLICES),
            "\
ts       dur   depth  name                     tid  thread
1005000  4000  0      com/app/Main.run: ()V    7    main
1006000  2000  1      com/app/Main.work: (I)V  7    main
"
        );
        let args = "SELECT key, coalesce(string_value, CAST(int_value AS TEXT)) FROM slice \
            JOIN args USING (arg_set_id) ORDER BY slice.id, key";
        let rows =
            [["line_number", "12"], ["pathname", "com/app/Main.java"], ["pathname", "Main.java"]];
        assert_eq!(trace.cells(args), rows);
        assert_eq!(kind_and_clock(&trace), ("art_method".to_owned(), vec![vec!["3".to_owned()]]));
        assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
    }
}

#[test]
fn calls_that_did_not_fit_are_a_loss() {
    let whole = listed();
    let at = whole.windows(5).position(|it| it == b"false").unwrap();
    let full = [&whole[..at], b"true", &whole[at + 5..]].concat();
    let trace = Imported::file(full);
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "2");
    let lost = "SELECT value, severity FROM stats WHERE name = 'format_records_lost'";
    assert_eq!(trace.cells(lost), [["1", "data_loss"]]);
}

/// Version 1 has threads of one byte, and version 2 of two; both have one time.
#[test]
fn versions_with_one_time() {
    for version in [1, 2] {
        let lists = ["*threads\n7\tmain\n*methods\n", &METHODS.join("\n"), "\n*end\n"].concat();
        let mut bytes = [&b"*version\n"[..], lists.as_bytes()].concat();
        bytes.extend(header(version, 0));
        for (method, at) in CALLS {
            bytes.push(7);
            bytes.extend((version == 2).then_some(0));
            bytes.extend([method, at].into_iter().flat_map(u32::to_le_bytes));
        }
        let trace = Imported::file(bytes);
        let slices = "SELECT ts, dur, tid FROM slice JOIN thread_track t ON t.id = slice.track_id \
            JOIN thread USING (utid) ORDER BY ts";
        let rows = [["1005000", "4000", "7"], ["1006000", "2000", "7"]];
        assert_eq!(trace.cells(slices), rows, "version {version}");
    }
}

#[test]
fn what_comes_before_damage_is_read() {
    let bytes = streamed();
    let trace = Imported::file(&bytes[..bytes.len() - 5]);
    assert_eq!(trace.cell("SELECT count(*) FROM slice"), "2");
    let errors = "SELECT value FROM stats WHERE name = 'format_parse_errors'";
    assert_eq!(trace.cells(errors), [["1"]]);
    let message = refused(&[("a.trace", b"*version\n3\nclock=thread-cpu\n*end\n")]);
    assert!(message.contains("a.trace: byte 11: the trace has only times of threads"), "{message}");
}
