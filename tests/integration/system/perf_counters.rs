//! Counters that the perf profiler reads.

use tpq_testkit::{Message, NEEDS_STATE, Packet, STATE_CLEARED};

use super::packets;
use crate::imported::{Imported, STATS};

const VALUES: &str = "SELECT ts, t.name, perf_session_id AS session, cpu, is_timebase, value \
    FROM counter c JOIN perf_counter_track t ON track_id = t.id ORDER BY ts, c.id";
const TRACKS: &str = "SELECT name, type, perf_session_id AS session, cpu, is_timebase \
    FROM perf_counter_track ORDER BY id";

/// How a sequence samples.
fn defaults(sequence: u32, defaults: Message) -> Packet {
    let defaults = Message::new().message(12, defaults);
    Packet::new().sequence(sequence).flags(STATE_CLEARED).payload(59, defaults)
}

fn sample(at: u64, sequence: u32, sample: Message) -> Packet {
    let packet = Packet::new().sequence(sequence).flags(NEEDS_STATE);
    packet.timestamp(at).payload(66, sample)
}

fn on_cpu(cpu: u64) -> Message {
    Message::new().uint(1, cpu).uint(2, 100).uint(3, 101)
}

#[test]
fn counters_of_each_session_and_cpu() {
    let timebase = Message::new().message(3, Message::new().bytes(1, "sched:sched_switch"));
    let trace = packets([
        defaults(1, Message::new().message(1, timebase).message(4, Message::new().uint(1, 11))),
        defaults(2, Message::new().message(1, Message::new().uint(4, 10))),
        sample(10, 1, on_cpu(0).uint(6, 1).uint(7, 500)),
        sample(20, 1, on_cpu(3).uint(6, 2).packed(7, [600, 700])),
        sample(30, 2, on_cpu(0).uint(6, 3)),
        sample(40, 1, on_cpu(0)),
    ]);
    // There is one counter next to the timebase, so that of two counts the second is of none.
    assert_eq!(
        trace.rows(VALUES),
        "\
ts  name                session  cpu  is_timebase  value
10  sched:sched_switch  0        0    1            1.0
10  instructions        0        0    0            500.0
20  sched:sched_switch  0        3    1            2.0
20  instructions        0        3    0            600.0
30  cpu-cycles          1        0    1            3.0
"
    );
    assert_eq!(
        trace.rows(
            "SELECT t.name, key, value_type, int_value, string_value FROM track t \
            JOIN args ON dimension_arg_set_id = arg_set_id WHERE t.name = 'cpu-cycles'"
        ),
        "\
name        key              value_type  int_value  string_value
cpu-cycles  cpu              int         0          NULL
cpu-cycles  perf_session_id  int         1          NULL
cpu-cycles  name             string      NULL       cpu-cycles
"
    );
}

#[test]
fn counters_are_called_what_the_configuration_or_the_perf_tool_calls_them() {
    let raw = Message::new().uint(1, 8).uint(2, 0x12).uint(4, 0xff);
    let followers = [
        Message::new().uint(1, 7).bytes(4, "given").uint(5, 2),
        Message::new().uint(1, 7).uint(5, 1).uint(5, 3),
        Message::new().message(3, raw),
        Message::new(),
    ];
    let all = followers.into_iter().fold(Message::new(), |all, one| all.message(4, one));
    let trace = packets([
        defaults(1, all),
        sample(10, 1, on_cpu(0)),
        // A profiler that does not say what it samples by.
        Packet::new().sequence(2).timestamp(20).payload(66, Message::new()),
    ]);
    assert_eq!(
        trace.rows(TRACKS),
        "\
name                   type              session  cpu  is_timebase
unknown                perf_cpu_counter  0        0    1
given:k                perf_cpu_counter  0        0    0
major-faults:uh        perf_cpu_counter  0        0    0
raw.0x8.0x12.0x0.0xff  perf_cpu_counter  0        0    0
cpu-clock              perf_cpu_counter  1        0    1
"
    );
    assert_eq!(trace.cell("SELECT count(*) FROM counter"), "0");
}

fn lossy() -> Imported {
    let shards = Message::new().uint(2, 4).uint(3, 3);
    let reason = |at, reason| sample(at, 1, on_cpu(1).uint(6, 9).uint(18, reason));
    let guardrail = Message::new().message(19, Message::new().uint(1, 1));
    packets([
        defaults(1, shards),
        sample(10, 1, Message::new().uint(1, 2).uint(17, 44)),
        reason(20, 1),
        reason(30, 2),
        reason(40, 3),
        reason(50, 4),
        sample(60, 1, guardrail),
        sample(70, 1, Message::new().uint(1, 4097)),
    ])
}

#[test]
fn samples_without_a_stack_have_counts() {
    let trace = lossy();
    assert_eq!(
        trace.rows("SELECT ts, value FROM counter ORDER BY ts"),
        "\
ts  value
20  9.0
30  9.0
40  9.0
50  9.0
"
    );
    // Of a CPU that only lost samples the counter is known all the same.
    assert_eq!(
        trace.rows("SELECT cpu FROM perf_counter_track ORDER BY id"),
        "\
cpu
2
1
0
"
    );
    assert_eq!(trace.cell("SELECT count(*) FROM thread WHERE tid = 101"), "1");
}

#[test]
fn losses_and_stops_are_counted() {
    let trace = lossy();
    assert_eq!(
        trace.rows(&STATS.replace("SELECT name", "SELECT name, idx")),
        "\
name                           idx   machine  file  value
malformed_packets              NULL  0        0     1
perf_chosen_process_shard      0     0        0     3
perf_cpu_lost_records          2     0        0     44
perf_guardrail_stop_ts         0     0        0     60
perf_process_shard_count       0     0        0     4
perf_samples_skipped           NULL  0        0     2
perf_samples_skipped_dataloss  NULL  0        0     1
"
    );
}

/// A sample takes a few bytes, and may contain hundreds of counters on a CPU that was not seen.
#[test]
fn there_is_an_end_to_the_tracks_that_samples_make() {
    let named = (0..256).fold(Message::new(), |all, number| {
        all.message(4, Message::new().bytes(4, format!("counter {number}")))
    });
    let samples = (0..600).map(|cpu| sample(10 + cpu, 1, on_cpu(cpu).uint(6, 1)));
    let trace = packets(std::iter::once(defaults(1, named)).chain(samples));
    let count = |sql: &str| trace.cell(sql).parse::<u32>().unwrap();
    assert_eq!(count("SELECT count(*) FROM counter"), 600, "each has the timebase");
    assert_eq!(count("SELECT count(*) FROM perf_counter_track"), 600 + (1 << 17));
}
