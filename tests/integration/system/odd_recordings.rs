//! The reports of losses in rare recordings: several sources of kernel events, counts
//! beyond belief, moments out of order.

use tpq::ImportOptions;
use tpq_testkit::{
    BufferStats, FtraceBundle, FtraceCpuStats, FtraceEvent, FtraceStats, Message, Packet, Task,
    TraceBuilder, TraceStats, prev_state,
};

use super::packets;
use crate::imported::{Imported, recording};

/// Losses: kind, amount, location and file.
const LOSSES: &str =
    "SELECT kind, amount, cpu, buffer, trace_id AS file FROM data_loss ORDER BY id";
const REMEDIES: &str = "SELECT remedy FROM data_loss ORDER BY id";

fn kernel_stats(sequence: u32, stats: FtraceStats) -> Packet {
    Packet::new().sequence(sequence).ftrace_stats(stats)
}

fn cpu(overrun: u64, read: u64) -> FtraceCpuStats {
    FtraceCpuStats::new(0).overrun(overrun).read_events(read)
}

fn service(at: u64, field: u32) -> Packet {
    Packet::new().sequence(9).timestamp(at).payload(69, Message::new().bool(field, true))
}

/// A configuration with one buffer of kernel events.
fn kernel_config(buffer_size_kb: u64) -> Packet {
    let ftrace = Message::new().uint(10, buffer_size_kb).uint(11, 250);
    let source = Message::new().bytes(1, "linux.ftrace").message(100, ftrace);
    let config = Message::new().message(2, Message::new().message(1, source));
    Packet::new().sequence(9).trace_config(config)
}

#[test]
fn of_two_sources_of_kernel_events_neither_hides_what_the_other_lost() {
    let found = packets([
        kernel_stats(1, FtraceStats::at_start().cpu(cpu(10, 0))),
        kernel_stats(2, FtraceStats::at_start().cpu(cpu(0, 0))),
        kernel_stats(1, FtraceStats::at_end().cpu(cpu(40, 270))),
        kernel_stats(2, FtraceStats::at_end().cpu(cpu(0, 100))),
    ]);
    insta::assert_snapshot!(found.rows("SELECT kind, amount, cpu, what FROM data_loss"), @"
    kind                   amount  cpu  what
    kernel_buffer_overrun  30      0    CPU 0 overwrote 30 kernel events before they were read, 10.0 % of its events.
    ");
}

#[test]
fn a_kernel_buffer_that_is_larger_than_is_advised_stays_as_it_is() {
    let found = packets([
        kernel_config(262_144),
        kernel_stats(1, FtraceStats::at_start().cpu(cpu(0, 0))),
        kernel_stats(1, FtraceStats::at_end().cpu(cpu(30, 70))),
    ]);
    insta::assert_snapshot!(found.rows(REMEDIES), @r"
    remedy
    Set buffer_size_kb of ftrace_config to 262144 and drain_period_ms to 31: of 100 events written there, 70 were read from 262144 KiB every 250 ms. Or record fewer events.
    They are written when a recording ends: let it end by itself, and copy the whole file.
    ");
}

#[test]
fn a_ring_that_wrapped_between_two_drains_was_too_small_whatever_it_held_on_average() {
    let buffer = Message::new().uint(1, 8_192);
    let config = Message::new().message(1, buffer).bool(8, true).uint(9, 1_000).uint(13, 1_000);
    let stats = BufferStats::new(8 << 20).written(10, 100_000).chunks_overwritten(1);
    let found = packets([
        Packet::new().sequence(9).trace_config(config),
        service(1_000, 2),
        service(10_000_001_000, 5),
        Packet::new().sequence(9).trace_stats(TraceStats::new().buffer(stats)),
    ]);
    insta::assert_snapshot!(found.rows(REMEDIES), @r"
    remedy
    Set size_kb of buffer 0 to 18432 or more: 10 KiB/s were written, and the file is written every 1000 ms. Or lower file_write_period_ms.
    ");
}

#[test]
fn counts_that_no_recording_reaches_and_a_stop_before_the_start() {
    let stats = BufferStats::new(0)
        .written(1, u64::MAX)
        .chunks_overwritten(u64::MAX)
        .chunks_discarded(u64::MAX)
        .packet_loss(u64::MAX);
    let found = packets([
        kernel_config(u64::from(u32::MAX)),
        kernel_stats(1, FtraceStats::at_start().cpu(cpu(0, 0))),
        kernel_stats(1, FtraceStats::at_end().cpu(cpu(i64::MAX as u64, i64::MAX as u64))),
        service(2_000, 2),
        service(1_000, 5),
        Packet::new().sequence(9).trace_stats(TraceStats::new().buffer(stats)),
    ]);
    insta::assert_snapshot!(found.rows(LOSSES), @r"
    kind                   amount               cpu   buffer  file
    ring_buffer_wrapped    9223372036854775807  NULL  0       0
    buffer_full            9223372036854775807  NULL  0       0
    shared_memory_full     9223372036854775807  NULL  0       0
    kernel_buffer_overrun  9223372036854775807  0     NULL    0
    ");
    let buffers = "SELECT size, written, lost, fill, write_rate FROM trace_buffer";
    insta::assert_snapshot!(found.rows(buffers), @"
    size  written              lost                 fill  write_rate
    0     9223372036854775807  9223372036854775807  1.0   NULL
    ");
}

#[test]
fn files_that_are_merged_lost_what_each_lost() {
    let of = |overrun| {
        TraceBuilder::new()
            .packet(kernel_stats(1, FtraceStats::at_start().cpu(cpu(0, 0))))
            .packet(kernel_stats(1, FtraceStats::at_end().cpu(cpu(overrun, 90))))
            .packet(crate::imported::thread_track(7, 7))
            .packet(crate::imported::instant(1_000, "here"))
            .build()
    };
    let found = Imported::files(&[("a", &of(5)), ("b", &of(0)), ("c", &of(7))]);
    insta::assert_snapshot!(found.rows(LOSSES), @"
    kind                   amount  cpu  buffer  file
    kernel_buffer_overrun  5       0    NULL    0
    kernel_buffer_overrun  7       0    NULL    2
    ");
}

/// The tables that do not hold kernel events as such: all CPUs, and all counts.
#[test]
fn leaving_out_kernel_events_changes_no_other_table() {
    let idle = Task::new("swapper", 0);
    let work = Task::new("work", 5);
    let switch = FtraceEvent::sched_switch(2_000, idle, prev_state::RUNNABLE, work);
    // A function without a name, in an event that nothing else is made of.
    let queued = FtraceEvent::other(1_000, 5, 56, Message::new().uint(2, 77));
    let bundle = |cpu, event| FtraceBundle::new(cpu).event(event);
    let trace = recording()
        .packet(Packet::new().sequence(1).ftrace(bundle(0, switch)))
        .packet(Packet::new().sequence(1).ftrace(bundle(2, queued)))
        .build();
    let with = |ftrace_raw| {
        let options = ImportOptions { ftrace_raw, ..ImportOptions::default() };
        let found = Imported::with(&[("trace", &trace)], options);
        let tables = [
            "SELECT id, cpu, machine_id FROM cpu ORDER BY id",
            "SELECT name, value FROM stats WHERE value != 0 AND name NOT LIKE '%duration%' \
                ORDER BY name",
            "SELECT ts, dur, utid, end_state FROM sched ORDER BY id",
        ];
        tables.map(|sql| found.rows(sql))
    };
    let [cpus, stats, _] = with(true);
    // CPU 1 was never seen.
    assert_eq!(cpus.lines().count(), 1 + 2, "{cpus}");
    assert!(stats.contains("interned_data_tokenizer_errors"), "{stats}");
    assert_eq!(with(false), with(true));
}

/// Each would be compared with all that came before: twenty thousand million comparisons.
#[test]
fn an_event_of_many_fields_is_read_as_far_as_an_event_may_reach() {
    let fields = 200_000;
    let payload = (1..=fields).fold(Message::new(), |all, number| all.uint(number, 1));
    let event = FtraceEvent::other(1_000, 5, 9_999, payload);
    let bundle = FtraceBundle::new(0).event(event);
    let found = packets([Packet::new().sequence(1).ftrace(bundle)]);
    let args = "SELECT count(*) FROM ftrace_event JOIN args USING (arg_set_id)";
    assert_eq!(found.cell(args), "1000");
}

/// CPUs that no machine has and buffers that no recorder makes are not reported: each would be
/// many rows.
#[test]
fn only_possible_cpus_and_buffers_are_reported() {
    let of = |phase: FtraceStats, overrun| {
        let cpu = |cpu: u64| FtraceCpuStats::new(cpu).overrun(overrun);
        kernel_stats(
            1,
            [0, 4_096, 4_097, u64::MAX].map(cpu).into_iter().fold(phase, FtraceStats::cpu),
        )
    };
    let buffers = (0..300).fold(TraceStats::new(), |all, _| all.buffer(BufferStats::new(1)));
    let found = packets([
        of(FtraceStats::at_start(), 0),
        of(FtraceStats::at_end(), 2),
        Packet::new().sequence(9).trace_stats(buffers),
    ]);
    let cpus = "SELECT cpu FROM data_loss ORDER BY cpu";
    assert_eq!(found.cells(cpus), [["0"], ["4096"]]);
    assert_eq!(found.cell("SELECT count(*) FROM trace_buffer"), "256");
    let counted = "SELECT count(*) FROM stats WHERE name = 'traced_buf_buffer_size'";
    assert_eq!(found.cell(counted), "256");
}

#[test]
fn a_loss_does_not_end_before_it_begins() {
    let stats = BufferStats::new(4_096).written(1, 4_096).chunks_discarded(1);
    let found = packets([
        Packet::new().sequence(9).trace_stats(TraceStats::new().buffer(stats).writer(1, 0)),
        service(100, 2),
        crate::imported::instant(5_000, "handed over late"),
        service(4_000, 5),
    ]);
    assert_eq!(
        found.cells("SELECT kind, ts, ts_end FROM data_loss"),
        [["buffer_full", "5000", "5000"]]
    );
}
