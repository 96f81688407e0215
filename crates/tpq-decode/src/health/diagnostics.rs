//! Settings of the configuration that do harm, whether or not they did in this recording.

use tpq_proto::fields::trace_packet;
use tpq_tables::table::TraceDiagnosticsRow;
use tpq_tables::{Severity, Stat, Tables};

use super::FileHealth;
use tpq_trackers::track::{FillPolicy, RequestedConfig, RequestedFtrace};

/// A kernel buffer of at least this size is not called small, in KiB.
const ENOUGH_KB: u32 = 1024;
/// A kernel buffer of at most this size is too small for any machine, in KiB.
const TINY_KB: u32 = 64;
/// A buffer that can be filled at this rate between two drains is large enough, in MiB/s.
const ENOUGH_RATE: f64 = 5.0;
/// A buffer that overflows at this rate is too small, in MiB/s.
const LOW_RATE: f64 = 1.0;
/// The period between drains that is neither a burden nor a risk, in ms.
const USUAL_DRAIN_MS: std::ops::RangeInclusive<u32> = 100..=60_000;
/// The period of writing from which on a recording is meant to be a ring buffer, in ms: a week.
const WEEK_MS: u32 = 7 * 24 * 60 * 60 * 1000;
/// Heap profiles are hardly more exact with a smaller interval than this, in bytes.
const USUAL_HEAP_INTERVAL: u64 = 100 * 1024;
/// The kernel's buffer is of the boot up to this time after it, in ns.
const BOOTING_NS: i64 = 5 * 60 * 1_000_000_000;
/// Certainty of a setting that explains losses of the trace.
const PROVEN: f64 = 0.9;

/// Events with fields that are addresses of kernel functions.
const OF_KERNEL_FUNCTIONS: [&str; 2] =
    ["workqueue/workqueue_execute_start", "sched/sched_blocked_reason"];
/// Data sources that write without end.
const OF_STREAMS: [&str; 2] = ["linux.ftrace", "track_event"];
const DISPLAY_VIDEO: &str = "android.display.video";

/// A row of `__intrinsic_trace_diagnostics` to be.
struct Diagnostic {
    key: &'static str,
    title: &'static str,
    description: String,
    remediation: &'static str,
    confidence: f64,
}

/// Writes what a file's configuration does wrong.
pub(super) fn write(file: &FileHealth<'_>, tables: &mut Tables) {
    let Some(requested) = &file.recording.requested else { return };
    let lost = lost_kernel_events(file);
    let mut found = Vec::new();
    for ftrace in &requested.ftrace {
        let rules = [
            preserved_buffer(ftrace, file),
            tiny_buffer(ftrace, lost),
            low_bandwidth(ftrace, lost),
            extreme_period(ftrace),
            all_syscalls(ftrace, lost),
            function_graph(ftrace),
            unnamed_functions(ftrace),
        ];
        found.extend(rules.into_iter().flatten());
    }
    found.extend(discards_while_streaming(requested));
    found.extend(
        requested.heap_sampling_intervals.iter().filter_map(|&it| short_interval(it, file)),
    );
    found.extend(no_video(requested, file));
    for diagnostic in found {
        let Diagnostic { key, title, description, remediation, confidence } = diagnostic;
        let [key, title, description, remediation] =
            [key, title, description.as_str(), remediation].map(|text| tables.strings.intern(text));
        let trace_id = Some(file.file);
        let row =
            TraceDiagnosticsRow { key, title, description, remediation, confidence, trace_id };
        tables.trace_diagnostics.push(row);
    }
}

/// Whether kernel buffers lost events while recording.
fn lost_kernel_events(file: &FileHealth<'_>) -> bool {
    let losses = [
        Stat::FtraceCpuHasDataLoss,
        Stat::FtraceCpuOverrunDelta,
        Stat::FtraceCpuCommitOverrunDelta,
    ];
    losses.into_iter().any(|stat| file.count(stat) > 0)
}

/// The kernel's buffer is kept, though the machine has long been running.
fn preserved_buffer(ftrace: &RequestedFtrace, file: &FileHealth<'_>) -> Option<Diagnostic> {
    let started = file.started_at_boottime.filter(|&started| started > BOOTING_NS)?;
    ftrace.preserve_buffer.then(|| Diagnostic {
        key: "preserve_ftrace_buffer_late_start",
        title: "Old kernel events are kept",
        description: format!(
            "preserve_ftrace_buffer is set, and the recording started {} minutes after boot: the \
             kernel's buffer may hold events from long before it.",
            started / 60_000_000_000,
        ),
        remediation: "Set preserve_ftrace_buffer only in recordings of the boot.",
        confidence: 0.7,
    })
}

fn tiny_buffer(ftrace: &RequestedFtrace, lost: bool) -> Option<Diagnostic> {
    let kb = ftrace.buffer_size_kb.filter(|&kb| kb > 0 && kb < ENOUGH_KB)?;
    // From 0.9 at the tiny size down to 0.2 at the one that is enough.
    let above = f64::from(kb.saturating_sub(TINY_KB)) / f64::from(ENOUGH_KB - TINY_KB);
    Some(Diagnostic {
        key: "tiny_ftrace_buffer",
        title: "Small kernel buffer",
        description: format!(
            "buffer_size_kb of ftrace_config is {kb}: a kernel buffer of less than {ENOUGH_KB} KiB \
             loses events when many come at once."
        ),
        remediation: "Leave buffer_size_kb out; the recorder then chooses a size that fits most \
                      recordings.",
        confidence: if lost { PROVEN } else { PROVEN - above * (PROVEN - 0.2) },
    })
}

fn low_bandwidth(ftrace: &RequestedFtrace, lost: bool) -> Option<Diagnostic> {
    let kb = ftrace.buffer_size_kb.filter(|&kb| kb > 0)?;
    let period_ms = ftrace.drain_period_ms.filter(|&ms| ms > 0)?;
    let rate = (f64::from(kb) / 1024.0) / (f64::from(period_ms) / 1000.0);
    if rate >= ENOUGH_RATE {
        return None;
    }
    let below = ((ENOUGH_RATE - rate) / (ENOUGH_RATE - LOW_RATE)).min(1.0);
    Some(Diagnostic {
        key: "low_ftrace_drain_bandwidth",
        title: "Kernel buffer overflows between drains",
        description: format!(
            "A kernel buffer of buffer_size_kb {kb} that is drained every drain_period_ms \
             {period_ms} overflows at {rate:.2} MiB/s of events on a CPU; {ENOUGH_RATE} MiB/s are \
             common under load."
        ),
        remediation: "Leave buffer_size_kb and drain_period_ms of ftrace_config out, raise the \
                      first, or lower the second.",
        confidence: if lost { PROVEN } else { PROVEN * below },
    })
}

fn extreme_period(ftrace: &RequestedFtrace) -> Option<Diagnostic> {
    let ms = ftrace.drain_period_ms.filter(|ms| !USUAL_DRAIN_MS.contains(ms))?;
    let effect = match ms < *USUAL_DRAIN_MS.start() {
        true => "the recorder wakes up often, which the trace then shows",
        false => "the kernel's buffers may overflow before they are read",
    };
    Some(Diagnostic {
        key: "extreme_ftrace_drain_period",
        title: "Unusual period of reading kernel buffers",
        description: format!("drain_period_ms of ftrace_config is {ms}: {effect}."),
        remediation: "Leave drain_period_ms out, or set it between 100 and 60000.",
        confidence: 0.6,
    })
}

fn all_syscalls(ftrace: &RequestedFtrace, lost: bool) -> Option<Diagnostic> {
    let of_calls = |event: &String| {
        matches!(event.as_str(), "raw_syscalls/sys_enter" | "raw_syscalls/sys_exit")
    };
    let all = ftrace.events.iter().any(of_calls) && !ftrace.filters_syscalls;
    all.then(|| Diagnostic {
        key: "syscalls_without_filter",
        title: "All system calls are recorded",
        description: "raw_syscalls events are recorded without syscall_events, so that every \
                      system call of every process is an event: the trace is large, and recording \
                      slows the machine down."
            .to_owned(),
        remediation: "Name the system calls of interest in syscall_events of ftrace_config, such \
                      as sys_read.",
        confidence: if lost { PROVEN } else { 0.3 },
    })
}

fn function_graph(ftrace: &RequestedFtrace) -> Option<Diagnostic> {
    (ftrace.function_graph && !ftrace.symbolize_ksyms).then(|| Diagnostic {
        key: "function_graph_requires_symbolize_ksyms",
        title: "Calls of kernel functions without names",
        description:
            "enable_function_graph is set without symbolize_ksyms: the calls are recorded \
                      as addresses, which nothing can turn into names afterwards."
                .to_owned(),
        remediation: "Set symbolize_ksyms of ftrace_config to true.",
        confidence: 1.0,
    })
}

fn unnamed_functions(ftrace: &RequestedFtrace) -> Option<Diagnostic> {
    let needs_names = |event: &&String| OF_KERNEL_FUNCTIONS.contains(&event.as_str());
    let event = ftrace.events.iter().find(needs_names).filter(|_| !ftrace.symbolize_ksyms)?;
    Some(Diagnostic {
        key: "events_require_symbolize_ksyms",
        title: "Kernel functions without names",
        description: format!(
            "{event} is recorded without symbolize_ksyms: its functions are recorded as addresses, \
             which nothing can turn into names afterwards."
        ),
        remediation: "Set symbolize_ksyms of ftrace_config to true.",
        confidence: 0.6,
    })
}

/// Sources that write without end into a buffer that discards what comes when it is full.
fn discards_while_streaming(
    requested: &RequestedConfig,
) -> impl Iterator<Item = Diagnostic> + use<'_> {
    let streams = requested.file_write_period_ms.is_some_and(|period| period < WEEK_MS);
    let discards = move |buffer: u32| {
        streams && requested.buffers.get(buffer as usize) == Some(&FillPolicy::Discard)
    };
    let sources = requested
        .sources
        .iter()
        .filter(move |(name, buffer)| OF_STREAMS.contains(&name.as_str()) && discards(*buffer));
    sources.map(|(name, buffer)| Diagnostic {
        key: "discard_buffer_for_streaming",
        title: "Buffer that discards while streaming",
        description: format!(
            "{name} writes into buffer {buffer} of fill policy DISCARD while the recording streams \
             into a file: once the buffer is full, what follows is not recorded."
        ),
        remediation: "Use the fill policy RING_BUFFER for buffers of kernel events and track \
                      events.",
        confidence: 0.8,
    })
}

fn short_interval(bytes: u64, file: &FileHealth<'_>) -> Option<Diagnostic> {
    let failed = || {
        let failures = Stat::ALL.iter().filter(|stat| stat.severity() == Severity::Error);
        let mut of_profiler = failures.filter(|stat| stat.name().starts_with("heapprofd"));
        of_profiler.any(|&stat| file.count(stat) > 0)
    };
    (bytes > 0 && bytes < USUAL_HEAP_INTERVAL).then(|| Diagnostic {
        key: "heapprofd_sampling_interval_too_low",
        title: "Heap profile with many samples",
        description: format!(
            "sampling_interval_bytes of heapprofd_config is {bytes}: below {USUAL_HEAP_INTERVAL} a \
             profile is hardly more exact, and the profiled process slower."
        ),
        remediation: "Set sampling_interval_bytes to 102400 or more.",
        confidence: if failed() { PROVEN } else { 0.3 },
    })
}

/// A video of the display was asked for on a device that allows none unless it is told to.
fn no_video(requested: &RequestedConfig, file: &FileHealth<'_>) -> Option<Diagnostic> {
    let asked = requested.sources.iter().any(|(name, _)| name == DISPLAY_VIDEO);
    let recorded = file.recording.packet_kinds.contains(&trace_packet::VIDEO_FRAME);
    let failed = Stat::ALL.iter().filter(|stat| stat.name().starts_with("android_video_"));
    let failed = failed.map(|&stat| file.count(stat)).any(|count| count > 0);
    (asked && file.recording.is_user_build && !recorded && !failed).then(|| Diagnostic {
        key: "display_video_not_enabled",
        title: "No video of the display",
        description: "android.display.video was asked for, and no frame was recorded: builds for \
                      users allow it only while the property debug.tracing_video_allowed is set."
            .to_owned(),
        remediation: "Run adb shell setprop debug.tracing_video_allowed true before recording, \
                      again after each start of the device.",
        confidence: 0.7,
    })
}
