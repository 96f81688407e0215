//! Events of the tracing service: milestones, clones, other sessions, filters, attributes.

use tpq_testkit::{BufferStats, Message, Packet, SystemInfo, TraceStats};

use super::{STATS, of_recorder};
use crate::imported::{Imported, RECORDER, clocks, instant, recording};
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC};

const SERVICE_EVENT: u32 = 69;
const TRACE_ATTRIBUTES: u32 = 126;
const CONCURRENT_SESSION: u32 = 134;

fn facts(trace: &Imported, like: &str) -> String {
    trace.rows(&format!(
        "SELECT name, key_type, int_value, str_value FROM metadata WHERE name LIKE '{like}' \
         ORDER BY id"
    ))
}

/// MONOTONIC is 100 behind the timeline: what the service says at 40 was at 140.
#[test]
fn milestones_are_in_trace_time() {
    let event = |at, field: u32| {
        of_recorder(SERVICE_EVENT, Message::new().uint(field, 1)).timestamp(at).clock(MONOTONIC)
    };
    let trace = recording()
        .packet(clocks(&[(BOOTTIME, 110), (MONOTONIC, 10)]))
        .packets([event(40, 2), event(50, 1), event(60, 3), event(70, 3), event(80, 5)])
        .packet(instant(150, "x"));
    insta::assert_snapshot!(facts(&Imported::trace(trace), "%_ns"), @r"
    name                        key_type  int_value  str_value
    tracing_started_ns          single    140        NULL
    all_data_source_started_ns  single    150        NULL
    all_data_source_flushed_ns  multi     160        NULL
    all_data_source_flushed_ns  multi     170        NULL
    tracing_disabled_ns         single    180        NULL
    ");
}

#[test]
fn data_sources_that_start_late() {
    let source = |producer: &str, name: &str| Message::new().bytes(1, producer).bytes(2, name);
    let late = Message::new().message(1, source("probes", "linux.ftrace"));
    let late = late.message(1, source("app", "track_event"));
    let event = of_recorder(SERVICE_EVENT, Message::new().message(7, late)).timestamp(5);
    let trace = Imported::trace(recording().packet(event).packet(instant(6, "x")));
    insta::assert_snapshot!(facts(&trace, "slow%"), @r"
    name                    key_type  int_value  str_value
    slow_start_data_source  multi     NULL       probes linux.ftrace
    slow_start_data_source  multi     NULL       app track_event
    ");
}

/// The trigger fired at 100; the clone began at 130, and its buffers were done at 150 and 190.
#[test]
fn clones_and_their_latency() {
    let event = |at, field: u32, value| {
        of_recorder(SERVICE_EVENT, Message::new().uint(field, value)).timestamp(at)
    };
    let trigger = of_recorder(113, Message::new().bytes(1, "slow frame")).timestamp(100);
    let trace = recording()
        .packet(trigger)
        .packets([event(130, 10, 1), event(150, 11, 0), event(190, 11, 1)])
        .packet(instant(200, "x"));
    let trace = Imported::trace(trace);
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                                idx   severity  value
    traced_buf_clone_done_timestamp_ns  0     info      150
    traced_buf_clone_done_timestamp_ns  1     info      190
    traced_clone_started_timestamp_ns   NULL  info      130
    traced_clone_trigger_timestamp_ns   NULL  info      100
    ");
    let latency = |table: &str| {
        trace.rows(&format!(
            "INCLUDE PERFETTO MODULE traced.stats; \
             SELECT buffer_id, duration_ns FROM {table} ORDER BY buffer_id"
        ))
    };
    insta::assert_snapshot!(latency("traced_clone_flush_latency"), @r"
    buffer_id  duration_ns
    0          20
    1          60
    ");
    insta::assert_snapshot!(latency("traced_trigger_clone_flush_latency"), @r"
    buffer_id  duration_ns
    0          50
    1          90
    ");
}

/// A session that is disabled is over at once. Of a clone the first state says that it is one, and
/// names its track.
#[test]
fn other_sessions() {
    let event = |at, state: u64, name: &str, id: u64| {
        let event = Message::new().uint(1, state).bytes(2, name).uint(3, id);
        of_recorder(CONCURRENT_SESSION, event.uint(4, 10_000 + id).uint(5, id + 1)).timestamp(at)
    };
    let trace = recording().packets([
        event(10, 2, "boot", 1),
        event(12, 3, "boot", 1),
        event(15, 3, "", 2),
        event(20, 5, "boot", 3),
        event(30, 1, "boot", 3),
        event(40, 4, "boot", 1),
        event(45, 1, "boot", 1),
        event(50, 9, "boot", 1),
    ]);
    let trace = Imported::trace(trace);
    let states = "SELECT track.name, ts, dur, value, \
        extract_arg(state.arg_set_id, 'consumer_uid') AS uid, \
        extract_arg(state.arg_set_id, 'num_data_sources') AS sources, \
        extract_arg(dimension_arg_set_id, 'session_id') AS session \
        FROM state JOIN state_track AS track ON state.track_id = track.id \
        WHERE type = 'concurrent_tracing_sessions' ORDER BY session, ts, state.id";
    insta::assert_snapshot!(trace.rows(states), @r"
    name          ts  dur  value                        uid    sources  session
    boot          10  2    CONFIGURED                   10001  2        1
    boot          12  28   STARTED                      10001  2        1
    boot          40  5    DISABLING_WAITING_STOP_ACKS  10001  2        1
    boot          45  0    DISABLED                     10001  2        1
    Session 2     15  -1   STARTED                      10002  3        2
    boot (clone)  20  10   CLONED_READ_ONLY             10003  4        3
    boot (clone)  30  0    DISABLED                     10003  4        3
    ");
    // The state 9 has no name.
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                                    idx   severity  value
    concurrent_session_event_unknown_state  NULL  error     1
    ");
    let log = "SELECT l.ts, l.name, key, int_value FROM trace_import_logs l \
        JOIN args USING (arg_set_id)";
    insta::assert_snapshot!(trace.rows(log), @r"
    ts  name                                    key    int_value
    50  concurrent_session_event_unknown_state  state  9
    ");
}

#[test]
fn bytes_that_the_filter_removed() {
    let filter = Message::new().uint(1, 7).uint(2, 700).uint(3, 500).uint(4, 1).uint(5, 90);
    let filter = filter.uint(20, 0).uint(20, 30);
    let stats = of_recorder(35, Message::new().message(11, filter));
    let trace = Imported::trace(recording().packet(stats).packet(instant(5, "x")));
    insta::assert_snapshot!(trace.rows(STATS), @r"
    name                           idx   severity  value
    filter_errors                  NULL  error     1
    filter_input_bytes             NULL  info      700
    filter_input_packets           NULL  info      7
    filter_output_bytes            NULL  info      500
    filter_time_taken_ns           NULL  info      90
    traced_buf_bytes_filtered_out  1     info      30
    ");
}

/// Those of the configuration come first; a later value of one key counts.
#[test]
fn attributes() {
    let number = |key: &str, value| Message::new().bytes(1, key).uint(2, value);
    let text = |key: &str, value: &str| Message::new().bytes(1, key).bytes(3, value);
    let attributes = Message::new().message(1, number("run", 5)).message(1, text("of", "ci"));
    let config = Message::new().message(48, attributes);
    let later =
        Message::new().message(1, text("of", "me")).message(1, Message::new().bytes(1, "x"));
    let trace = recording()
        .packet(Packet::new().sequence(RECORDER).trace_config(config))
        .packet(of_recorder(TRACE_ATTRIBUTES, later))
        .packet(instant(5, "x"));
    insta::assert_snapshot!(facts(&Imported::trace(trace), "trace_attribute%"), @r"
    name                 key_type  int_value  str_value
    trace_attribute.run  single    5          NULL
    trace_attribute.of   single    NULL       me
    ");
}

/// The probes were hit 30 times and missed twice while recording. Of three pages that could not be
/// read, one held an entry without data, which some kernels write.
#[test]
fn kernel_probes_and_unreadable_pages() {
    let stats = |phase: u64, hits: u64, misses: u64| {
        let probes = Message::new().uint(1, hits).uint(2, misses);
        Message::new().uint(1, phase).message(10, probes)
    };
    let end = stats(2, 40, 7).uint(9, 12).uint(9, 4).uint(9, 1).uint(9, 15);
    let trace = recording()
        .packets([of_recorder(34, stats(1, 10, 5)), of_recorder(34, end)])
        .packet(instant(5, "x"));
    insta::assert_snapshot!(Imported::trace(trace).rows(STATS), @r"
    name                                        idx   severity   value
    ftrace_abi_errors_skipped_zero_data_length  NULL  info       1
    ftrace_bundle_tokenizer_errors              NULL  error      2
    ftrace_kprobe_hits_begin                    NULL  info       10
    ftrace_kprobe_hits_delta                    NULL  info       30
    ftrace_kprobe_hits_end                      NULL  info       40
    ftrace_kprobe_misses_begin                  NULL  info       5
    ftrace_kprobe_misses_delta                  NULL  data_loss  2
    ftrace_kprobe_misses_end                    NULL  info       7
    ");
}

/// A trace that streams into a file loses what is overwritten; one that writes once a day is meant
/// to be a ring. Services from version 54 on flush before they write.
#[test]
fn streams_that_are_overwritten() {
    let stats = || {
        let buffer = |overwritten| {
            BufferStats::from(Message::from(BufferStats::new(1024)).uint(13, overwritten))
        };
        let stats = TraceStats::new().buffer(buffer(0)).buffer(buffer(77));
        Packet::new().sequence(RECORDER).trace_stats(stats)
    };
    let config = |period: u64| {
        let buffer = || Message::new().uint(1, 1).uint(4, 1);
        let config = Message::new().message(1, buffer()).message(1, buffer());
        config.uint(8, 1).uint(9, period)
    };
    let trace = |period, version: &str| {
        let config = Packet::new().sequence(RECORDER).trace_config(config(period));
        let info = SystemInfo::linux("6.1").service_version(version);
        recording()
            .packets([config, Packet::new().sequence(RECORDER).system_info(info), stats()])
            .packet(instant(5, "x"))
    };
    let counted = |period, version: &str| {
        let trace = Imported::trace(trace(period, version));
        trace.rows(
            "SELECT name, idx, severity, value FROM stats WHERE value != 0 AND \
             name IN ('long_trace_mode_bytes_overwritten', 'config_write_into_file_no_flush') \
             ORDER BY name",
        )
    };
    insta::assert_snapshot!(counted(1000, "Perfetto v53.1 (N/A)"), @r"
    name                               idx   severity   value
    config_write_into_file_no_flush    NULL  error      1
    long_trace_mode_bytes_overwritten  1     data_loss  77
    ");
    insta::assert_snapshot!(counted(1000, "Perfetto v54.0 (N/A)"), @r"
    name                               idx  severity   value
    long_trace_mode_bytes_overwritten  1    data_loss  77
    ");
    insta::assert_snapshot!(counted(86_400_000, "Perfetto v54.0 (N/A)"), @"name  idx  severity  value");
}
