//! Samples that Chromium's profiler streams.

use tpq_testkit::{ClockSnapshot, Message, Packet, clock_id};

use super::{LOST, begin, later, stacks};
use crate::imported::Imported;

const THREAD_DESCRIPTOR: u32 = 44;
const STREAMING_PROFILE_PACKET: u32 = 54;
const TRACK_EVENT: u32 = 11;

const SAMPLES: &str = "SELECT s.ts, tid, pid, callsite_id AS callsite, process_priority AS priority \
    FROM cpu_profile_stack_sample s LEFT JOIN thread USING (utid) \
    LEFT JOIN process USING (upid) ORDER BY s.id";

/// The thread that writes a sequence, and the time that its samples count from, in µs.
fn thread(sequence: u32, reference_us: i64) -> Packet {
    let thread = Message::new().int(1, 100).int(2, 101).int(6, reference_us);
    later(1, sequence).payload(THREAD_DESCRIPTOR, thread)
}

/// A trace of these packets, where the clock of streamed samples equals trace time.
fn trace(all: impl IntoIterator<Item = Packet>) -> Imported {
    let clocks = ClockSnapshot::new().clock(clock_id::BOOTTIME, 1).clock(clock_id::MONOTONIC, 1);
    let clocks = Packet::new().sequence(9).clock_snapshot(clocks);
    super::trace(std::iter::once(clocks).chain(all))
}

fn profile(stacks: &[i64], deltas_us: &[i64]) -> Message {
    let profile = stacks.iter().fold(Message::new(), |it, &stack| it.uint(1, stack as u64));
    deltas_us.iter().fold(profile, |it, &delta| it.int(2, delta))
}

fn streamed(sequence: u32, profile: Message) -> Packet {
    later(1, sequence).payload(STREAMING_PROFILE_PACKET, profile)
}

#[test]
fn times_add_up_over_packets_and_events() {
    // An event 3 µs after the first two samples, of the older form.
    let event = Message::new().int(1, 3).message(6, Message::new().int(2, i64::from(b'I')));
    let trace = trace([
        begin(1, stacks(), Message::new()),
        thread(1, 10),
        streamed(1, profile(&[1, 3], &[5, 7])),
        Packet::new().sequence(1).flags(2).payload(TRACK_EVENT, event),
        streamed(1, profile(&[2], &[-4]).int(3, -10)),
        // Times without samples count on.
        streamed(1, profile(&[], &[20])),
        streamed(1, profile(&[1], &[0])),
    ]);
    // 10 + 5, + 7, + 3 - 4 (the earlier sample is of the later packet), + 20.
    assert_eq!(
        trace.rows(SAMPLES),
        "\
ts     tid  pid  callsite  priority
15000  101  100  1         0
21000  101  100  2         -10
22000  101  100  0         0
41000  101  100  1         0
"
    );
    assert_eq!(
        trace.rows("SELECT source, session_id, count(*) AS n FROM stack_sample GROUP BY 1, 2"),
        "source  session_id  n\nchrome  NULL        4\n"
    );
    assert_eq!(trace.rows(LOST), "name  idx  value\n");
}

#[test]
fn the_same_stack_in_two_processes() {
    let other = Message::new().int(1, 200).int(2, 201).int(6, 0);
    let trace = trace([
        begin(1, stacks(), Message::new()),
        thread(1, 0),
        begin(2, stacks(), Message::new()),
        later(1, 2).payload(THREAD_DESCRIPTOR, other),
        streamed(1, profile(&[3], &[1])),
        streamed(2, profile(&[3], &[2])),
    ]);
    let sql = "SELECT s.ts, pid, f.name, f.mapping FROM cpu_profile_stack_sample s \
        JOIN stack_profile_callsite c ON c.id = callsite_id \
        JOIN stack_profile_frame f ON f.id = frame_id \
        JOIN thread USING (utid) JOIN process USING (upid) ORDER BY s.ts";
    assert_eq!(
        trace.rows(sql),
        "\
ts    pid  name  mapping
1000  100  main  0
2000  200  main  1
"
    );
}

#[test]
fn samples_without_times_and_with_impossible_ones() {
    let trace = trace([
        begin(1, stacks(), Message::new()),
        // Nothing says what the times count from.
        streamed(1, profile(&[1, 3], &[5, 7])),
        thread(1, 10),
        // All samples but the first have no time, which is counted once.
        streamed(1, profile(&[1, 3, 2], &[5])),
        // The first sample lies before the start of time, and the second counts from it.
        streamed(1, profile(&[1, 3], &[-100, 7])),
        thread(1, 50),
        streamed(1, profile(&[1, 2], &[1, i64::MAX])),
        // Stack 9 was never sent.
        thread(1, 70),
        streamed(1, profile(&[9, 3], &[1, 1])),
    ]);
    assert_eq!(
        trace.rows(SAMPLES),
        "\
ts     tid  pid  callsite  priority
15000  101  100  1         0
51000  101  100  1         0
72000  101  100  0         0
"
    );
    assert_eq!(
        trace.rows(LOST),
        "\
name                                 idx   value
interned_data_tokenizer_errors       NULL  1
stackprofile_invalid_callstack_id    NULL  1
stackprofile_parser_error            NULL  2
streaming_profile_invalid_timestamp  NULL  4
"
    );
}
