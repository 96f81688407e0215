//! The kernel's buffers, one for each CPU: events that were overwritten before they were read.

use tpq_tables::Stat;

use super::amounts::{count, many, size_kb, time};
use super::{FileHealth, Finding};
use tpq_trackers::track::KernelBuffer;

/// The recorder's default where the configuration has none.
const DEFAULT_BUFFER_KB: u32 = 2048;
const DEFAULT_DRAIN_MS: u32 = 100;
/// A period between drains at which the recorder does little else than sleep.
const CALM_DRAIN_MS: u32 = 250;
/// Larger buffers of the kernel are refused on many systems.
const LARGEST_KB: u64 = 131_072;

/// Losses of the kernel's buffers, and events that could not be enabled.
pub(super) fn find(file: &FileHealth<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (&(machine, cpu), buffer) in &file.recording.kernel {
        let lost =
            [overrun(file, buffer, cpu), without_count(file, buffer, cpu), refused(buffer, cpu)];
        let located = |finding: Finding| Finding {
            machine: Some(machine),
            cpu: Some(i64::from(cpu)),
            ..finding
        };
        findings.extend(lost.into_iter().flatten().map(located));
    }
    findings.extend(before_all_cpus(file));
    for error in &file.recording.setup_errors {
        findings.push(Finding {
            kind: "kernel_events_not_recorded",
            what: format!("Kernel events were asked for and not recorded: {error}."),
            remedy: "Take them out of the configuration, or record as a user who may, on a kernel \
                     that has them."
                .to_owned(),
            stat: Some(Stat::FtraceSetupErrors),
            machine: file.host(),
            ..Finding::default()
        });
    }
    findings
}

/// Events were overwritten before they were read.
fn overrun(file: &FileHealth<'_>, buffer: &KernelBuffer, cpu: u32) -> Option<Finding> {
    let lost = buffer.counts.overrun;
    if lost <= 0 {
        return None;
    }
    let share = 100.0 * lost as f64 / buffer.counts.written().max(1) as f64;
    let places = match buffer.lost_in {
        0 => String::new(),
        places => format!(" They were lost in {}.", many(places, "place", "places")),
    };
    Some(Finding {
        kind: "kernel_buffer_overrun",
        what: format!(
            "CPU {cpu} overwrote {} before they were read, {share:.1} % of its events.{places}",
            many(lost, "kernel event", "kernel events"),
        ),
        remedy: remedy(file, buffer),
        between: between(file, buffer),
        amount: Some((lost, "events")),
        stat: Some(Stat::FtraceCpuOverrunEnd),
        ..Finding::default()
    })
}

/// A bundle says that events were lost before it, but the counts do not say how many.
fn without_count(file: &FileHealth<'_>, buffer: &KernelBuffer, cpu: u32) -> Option<Finding> {
    if buffer.counts.overrun > 0 || buffer.lost_in == 0 {
        return None;
    }
    Some(Finding {
        kind: "kernel_buffer_overrun",
        what: format!(
            "CPU {cpu} lost kernel events in {}; nothing says how many.",
            many(buffer.lost_in, "place", "places"),
        ),
        remedy: "Raise buffer_size_kb or lower drain_period_ms of ftrace_config.".to_owned(),
        between: between(file, buffer),
        stat: Some(Stat::FtraceCpuHasDataLoss),
        ..Finding::default()
    })
}

/// Events that the kernel could not write at all.
fn refused(buffer: &KernelBuffer, cpu: u32) -> Option<Finding> {
    let lost = buffer.counts.dropped.max(0).saturating_add(buffer.counts.commit_overrun.max(0));
    (lost > 0).then(|| Finding {
        kind: "kernel_events_dropped",
        what: format!(
            "CPU {cpu} could not write {}: there was no room, or one interrupted another.",
            many(lost, "kernel event", "kernel events"),
        ),
        remedy: "Raise buffer_size_kb of ftrace_config, or record fewer events of interrupts."
            .to_owned(),
        amount: Some((lost, "events")),
        stat: Some(Stat::FtraceCpuDroppedEventsEnd),
        ..Finding::default()
    })
}

/// Events from before all CPUs have data are kept as events, but do not show which threads ran.
fn before_all_cpus(file: &FileHealth<'_>) -> Option<Finding> {
    let left_out = file.count(Stat::FtraceEventsBeforeAllCpus);
    (left_out > 0).then(|| Finding {
        kind: "kernel_events_before_all_cpus",
        only_notice: true,
        what: format!(
            "{} are in ftrace_event alone: not all CPUs have data of that time, so sched and the \
             other tables begin after it.",
            many(left_out, "kernel event", "kernel events"),
        ),
        remedy: match file.recording.buffers.iter().any(|it| it.chunks_overwritten > 0) {
            true => "This follows from the buffer that wrapped; what helps is said of it.",
            false => "",
        }
        .to_owned(),
        between: (None, file.all_cpus_from),
        amount: Some((left_out, "events")),
        stat: Some(Stat::FtraceEventsBeforeAllCpus),
        machine: file.host(),
        ..Finding::default()
    })
}

/// From the first loss to the last; what was lost before the first event that was read, was lost
/// since the recording began.
fn between(file: &FileHealth<'_>, buffer: &KernelBuffer) -> (Option<i64>, Option<i64>) {
    let from = buffer.gaps.iter().map(|gap| gap.0.or(file.recording.started)).min();
    (from.flatten(), buffer.gaps.iter().map(|gap| gap.1).max())
}

/// The buffer that would have held between two drains what was written then: as much larger as
/// more was written than read, with half as much again for bursts.
fn remedy(file: &FileHealth<'_>, buffer: &KernelBuffer) -> String {
    let requested = file.recording.requested.as_ref();
    let size = requested
        .and_then(|it| it.kernel_buffer_kb)
        .or(file.recording.kernel_buffer_kb)
        .unwrap_or(DEFAULT_BUFFER_KB);
    let period = requested.and_then(|it| it.drain_period_ms).unwrap_or(DEFAULT_DRAIN_MS);
    let more = buffer.counts.written() as f64 / buffer.counts.read.max(1) as f64;
    let kb_at = |period_ms: u32| {
        let kb = f64::from(size) * more * 1.5 * f64::from(period_ms) / f64::from(period.max(1));
        // No buffer is larger than that, whatever the counts say.
        (kb.ceil() as u64).min(1 << 40).next_power_of_two()
    };
    let mut better = period.min(CALM_DRAIN_MS);
    while kb_at(better) > LARGEST_KB && better > 10 {
        better /= 2;
    }
    let kb = kb_at(better).min(LARGEST_KB).max(u64::from(size));
    let drain = match better == period {
        true => String::new(),
        false => format!(" and drain_period_ms to {better}"),
    };
    format!(
        "Set buffer_size_kb of ftrace_config to {kb}{drain}: of {} written there, {} were read \
         from {size} KiB every {period} ms.{}{} Or record fewer events.",
        many(buffer.counts.written(), "event", "events"),
        count(buffer.counts.read),
        starved(buffer, period),
        room(file),
    )
}

/// States that the buffer was not read for much longer than configured, if so.
fn starved(buffer: &KernelBuffer, period_ms: u32) -> String {
    let gap = |gap: &(Option<i64>, i64)| gap.1.saturating_sub(gap.0?).into();
    let longest: i64 = buffer.gaps.iter().filter_map(gap).max().unwrap_or_default();
    match longest as f64 > f64::from(period_ms) * 2e6 {
        true => format!(
            " At worst {} were lost at a stretch: the machine was too busy to read them in time.",
            time(longest as f64),
        ),
        false => String::new(),
    }
}

/// That the central buffer would have to hold what is lost now, where it could not.
fn room(file: &FileHealth<'_>) -> String {
    let Some(requested) = &file.recording.requested else { return String::new() };
    let of_kernel = requested.sources.iter().find(|(name, _)| name.starts_with("linux.ftrace"));
    let Some(&(_, number)) = of_kernel else { return String::new() };
    let Some(buffer) = file.recording.buffers.get(number as usize) else { return String::new() };
    let counts = || file.recording.kernel.values().map(|cpu| cpu.counts);
    let read = counts().fold(0_i64, |sum, cpu| sum.saturating_add(cpu.read)).max(1);
    let written = counts().fold(0_i64, |sum, cpu| sum.saturating_add(cpu.written()));
    let needed = buffer.bytes_written as f64 * (written as f64 / read as f64);
    if requested.file_write_period_ms.is_some() || needed <= buffer.size as f64 {
        return String::new();
    }
    format!(" Buffer {number} would then need a size_kb of {} to hold them all.", size_kb(needed))
}
