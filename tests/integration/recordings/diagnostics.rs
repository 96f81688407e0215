//! Settings of a configuration that do harm.

use tpq_testkit::{FtraceCpuStats, FtraceStats, Message, Packet, ServiceEvent, SystemInfo};

use super::{ftrace, recorded_with, source};
use crate::imported::{Imported, RECORDER, instant, recording};

const DIAGNOSTICS: &str = "SELECT key, round(confidence, 3) AS confidence, trace_id AS file \
    FROM trace_diagnostics ORDER BY id";
const TEXTS: &str = "SELECT title, description, remediation FROM __intrinsic_trace_diagnostics";

/// Fields of `ftrace_config`.
const EVENTS: u32 = 1;
const BUFFER_SIZE_KB: u32 = 10;
const DRAIN_PERIOD_MS: u32 = 11;
const SYMBOLIZE_KSYMS: u32 = 13;
const SYSCALL_EVENTS: u32 = 18;
const FUNCTION_GRAPH: u32 = 19;
const PRESERVE_BUFFER: u32 = 23;

fn rows(sources: impl IntoIterator<Item = Message>) -> String {
    Imported::trace(recorded_with(sources)).rows(DIAGNOSTICS)
}

/// Buffers from 64 KiB on are less certainly too small: 544 KiB is half way to 1 MiB, and so 0.55
/// is half way from 0.9 to 0.2.
#[test]
fn small_kernel_buffers() {
    let buffers = [0, 1, 64, 544, 1023, 1024];
    let sources = buffers.map(|kb| ftrace(Message::new().uint(BUFFER_SIZE_KB, kb)));
    insta::assert_snapshot!(rows(sources), @r"
    key                 confidence  file
    tiny_ftrace_buffer  0.9         0
    tiny_ftrace_buffer  0.9         0
    tiny_ftrace_buffer  0.55        0
    tiny_ftrace_buffer  0.201       0
    ");
}

/// 2,048 KiB every 1,000 ms are 2 MiB/s, three quarters of the way from 5 to 1: 0.9 * 0.75. 4,096
/// KiB every 800 ms are 5 MiB/s.
#[test]
fn buffers_that_overflow_between_drains() {
    let periods = [(2048, 1000), (1024, 2000), (4096, 800), (2048, 0), (0, 1000)];
    let sources = periods
        .map(|(kb, ms)| ftrace(Message::new().uint(BUFFER_SIZE_KB, kb).uint(DRAIN_PERIOD_MS, ms)));
    // A period of 0 is no usual one.
    insta::assert_snapshot!(rows(sources), @r"
    key                          confidence  file
    low_ftrace_drain_bandwidth   0.675       0
    low_ftrace_drain_bandwidth   0.9         0
    extreme_ftrace_drain_period  0.6         0
    ");
}

#[test]
fn unusual_periods() {
    let sources =
        [99, 100, 60_000, 60_001].map(|ms| ftrace(Message::new().uint(DRAIN_PERIOD_MS, ms)));
    let trace = Imported::trace(recorded_with(sources));
    insta::assert_snapshot!(trace.rows("SELECT key, description FROM trace_diagnostics"), @r"
    key                          description
    extreme_ftrace_drain_period  drain_period_ms of ftrace_config is 99: the recorder wakes up often, which the trace then shows.
    extreme_ftrace_drain_period  drain_period_ms of ftrace_config is 60001: the kernel's buffers may overflow before they are read.
    ");
}

/// Losses of the trace that a setting explains make it certain.
#[test]
fn losses_are_evidence() {
    let settings = Message::new()
        .uint(BUFFER_SIZE_KB, 512)
        .uint(DRAIN_PERIOD_MS, 150)
        .bytes(EVENTS, "raw_syscalls/sys_enter");
    let stats = |stats: FtraceStats, overrun| {
        let cpu = FtraceCpuStats::new(0).overrun(overrun).read_events(10);
        Packet::new().sequence(RECORDER).ftrace_stats(stats.cpu(cpu))
    };
    // 512 KiB every 150 ms are 3.33 MiB/s: 0.9 * 1.667 / 4. 512 KiB is 448 of 960 KiB from the
    // tiny size: 0.9 - 0.467 * 0.7.
    let base = recorded_with([ftrace(settings)]);
    insta::assert_snapshot!(Imported::trace(base.clone()).rows(DIAGNOSTICS), @r"
    key                         confidence  file
    tiny_ftrace_buffer          0.573       0
    low_ftrace_drain_bandwidth  0.375       0
    syscalls_without_filter     0.3         0
    ");
    let lossy =
        base.packet(stats(FtraceStats::at_start(), 5)).packet(stats(FtraceStats::at_end(), 6));
    insta::assert_snapshot!(Imported::trace(lossy).rows(DIAGNOSTICS), @r"
    key                         confidence  file
    tiny_ftrace_buffer          0.9         0
    low_ftrace_drain_bandwidth  0.9         0
    syscalls_without_filter     0.9         0
    ");
}

#[test]
fn system_calls_and_kernel_functions() {
    let events = |names: &[&str]| {
        names.iter().fold(Message::new(), |config, name| config.bytes(EVENTS, name))
    };
    let sources = [
        events(&["raw_syscalls/sys_exit"]),
        events(&["raw_syscalls/sys_exit"]).bytes(SYSCALL_EVENTS, "sys_read"),
        events(&["sched/sched_switch", "sched/sched_blocked_reason"]),
        events(&["workqueue/workqueue_execute_start"]).uint(FUNCTION_GRAPH, 1),
        events(&["sched/sched_blocked_reason"]).uint(FUNCTION_GRAPH, 1).uint(SYMBOLIZE_KSYMS, 1),
    ];
    insta::assert_snapshot!(rows(sources.map(ftrace)), @r"
    key                                      confidence  file
    syscalls_without_filter                  0.3         0
    events_require_symbolize_ksyms           0.6         0
    function_graph_requires_symbolize_ksyms  1.0         0
    events_require_symbolize_ksyms           0.6         0
    ");
}

/// A week between writes is how a ring buffer is told to end up in a file.
#[test]
fn buffers_that_discard_while_streaming() {
    let buffer = |policy: u64| Message::new().uint(1, 1024).uint(4, policy);
    let of = |name: &str, buffer: u64| {
        Message::new().message(1, Message::new().bytes(1, name).uint(2, buffer))
    };
    let config = |streams: Message| {
        let config = streams.message(1, buffer(1)).message(1, buffer(2));
        let names = [("linux.ftrace", 0), ("track_event", 1), ("android.log", 1)];
        let sources = names.map(|(name, buffer)| of(name, buffer));
        let config = sources.into_iter().fold(config, |config, source| config.message(2, source));
        recording().packet(Packet::new().sequence(RECORDER).trace_config(config))
    };
    let texts = |streams| Imported::trace(config(streams)).cells(TEXTS).concat();
    assert!(texts(Message::new()).is_empty());
    assert!(texts(Message::new().uint(8, 1).uint(9, 604_800_000)).is_empty());
    assert_eq!(
        texts(Message::new().uint(8, 1)),
        [
            "Buffer that discards while streaming",
            "track_event writes into buffer 1 of fill policy DISCARD while the recording streams \
             into a file: once the buffer is full, what follows is not recorded.",
            "Use the fill policy RING_BUFFER for buffers of kernel events and track events.",
        ]
    );
}

#[test]
fn intervals_of_heap_profiles() {
    let interval = |bytes| source("android.heapprofd", Some((105, Message::new().uint(1, bytes))));
    insta::assert_snapshot!(rows([0, 4096, 102_399, 102_400].map(interval)), @r"
    key                                  confidence  file
    heapprofd_sampling_interval_too_low  0.3         0
    heapprofd_sampling_interval_too_low  0.3         0
    ");
}

/// Builds for users allow videos of the display only when they are told to.
#[test]
fn videos_of_the_display() {
    let asked = || recorded_with([source("android.display.video", None)]);
    let build = |kind: &str| {
        let fingerprint = format!("google/akita/akita:16/BP1A.1/12345:{kind}/release-keys");
        let info = Message::new().bytes(2, &fingerprint);
        Packet::new().sequence(RECORDER).payload(45, info)
    };
    let rows = |trace| Imported::trace(trace).rows(DIAGNOSTICS);
    let nothing = "key  confidence  file\n";
    assert_eq!(rows(asked()), nothing);
    assert_eq!(rows(asked().packet(build("userdebug"))), nothing);
    insta::assert_snapshot!(rows(asked().packet(build("user"))), @r"
    key                        confidence  file
    display_video_not_enabled  0.7         0
    ");
}

/// Five minutes after boot are the limit.
#[test]
fn buffers_from_before_the_recording() {
    let started = |seconds: u64| {
        let at = seconds * 1_000_000_000;
        let started = Packet::new().sequence(RECORDER).timestamp(at);
        recorded_with([ftrace(Message::new().uint(PRESERVE_BUFFER, 1))])
            .packet(started.service_event(ServiceEvent::TracingStarted))
            .packet(instant(at, "x"))
    };
    let rows = |seconds| Imported::trace(started(seconds)).rows(DIAGNOSTICS);
    assert_eq!(rows(300), "key  confidence  file\n");
    insta::assert_snapshot!(rows(301), @r"
    key                                confidence  file
    preserve_ftrace_buffer_late_start  0.7         0
    ");
}

/// Each configuration has its file, and one without faults has no row.
#[test]
fn files_and_faultless_settings() {
    let good = Message::new()
        .uint(BUFFER_SIZE_KB, 8192)
        .uint(DRAIN_PERIOD_MS, 250)
        .bytes(EVENTS, "sched/sched_switch");
    let bad = Message::new().uint(BUFFER_SIZE_KB, 16);
    let info = Packet::new().sequence(RECORDER).system_info(SystemInfo::linux("6.1"));
    let [good, bad] =
        [good, bad].map(|it| recorded_with([ftrace(it)]).packet(info.clone()).build());
    let trace = Imported::files(&[("a.pftrace", &good), ("b.pftrace", &bad)]);
    insta::assert_snapshot!(trace.rows(DIAGNOSTICS), @r"
    key                 confidence  file
    tiny_ftrace_buffer  0.9         1
    ");
}
