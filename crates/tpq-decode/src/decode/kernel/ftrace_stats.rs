//! Counts of the kernel's buffers at the start and the end of the trace.

use tpq_ingest::Route;
use tpq_proto::decode;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::ftrace_stats::Phase;
use tpq_proto::message::{FtraceCpuStats, FtraceParseStatus, FtraceStats};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{KernelCounts, MAX_CPUS, Recording, Trackers};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::FTRACE_STATS,
    route: Route::Immediate,
    decode: decode_stats,
};

/// A count of a CPU's buffer: at the start, at the end, and how far it rose between.
struct CpuCount {
    begin: Stat,
    end: Stat,
    delta: Option<Stat>,
    of: fn(&FtraceCpuStats) -> i64,
}

const CPU_COUNTS: &[CpuCount] = &[
    CpuCount {
        begin: Stat::FtraceCpuEntriesBegin,
        end: Stat::FtraceCpuEntriesEnd,
        delta: Some(Stat::FtraceCpuEntriesDelta),
        of: |cpu| cpu.entries() as i64,
    },
    CpuCount {
        begin: Stat::FtraceCpuOverrunBegin,
        end: Stat::FtraceCpuOverrunEnd,
        delta: Some(Stat::FtraceCpuOverrunDelta),
        of: |cpu| cpu.overrun() as i64,
    },
    CpuCount {
        begin: Stat::FtraceCpuCommitOverrunBegin,
        end: Stat::FtraceCpuCommitOverrunEnd,
        delta: Some(Stat::FtraceCpuCommitOverrunDelta),
        of: |cpu| cpu.commit_overrun() as i64,
    },
    CpuCount {
        begin: Stat::FtraceCpuBytesBegin,
        end: Stat::FtraceCpuBytesEnd,
        delta: Some(Stat::FtraceCpuBytesDelta),
        of: |cpu| cpu.bytes_read() as i64,
    },
    CpuCount {
        begin: Stat::FtraceCpuOldestEventTsBegin,
        end: Stat::FtraceCpuOldestEventTsEnd,
        delta: None,
        of: |cpu| to_ns(cpu.oldest_event_ts()),
    },
    CpuCount {
        begin: Stat::FtraceCpuNowTsBegin,
        end: Stat::FtraceCpuNowTsEnd,
        delta: None,
        of: |cpu| to_ns(cpu.now_ts()),
    },
    CpuCount {
        begin: Stat::FtraceCpuDroppedEventsBegin,
        end: Stat::FtraceCpuDroppedEventsEnd,
        delta: Some(Stat::FtraceCpuDroppedEventsDelta),
        of: |cpu| cpu.dropped_events() as i64,
    },
    CpuCount {
        begin: Stat::FtraceCpuReadEventsBegin,
        end: Stat::FtraceCpuReadEventsEnd,
        delta: Some(Stat::FtraceCpuReadEventsDelta),
        of: |cpu| cpu.read_events() as i64,
    },
];

fn to_ns(seconds: f64) -> i64 {
    (seconds * 1e9) as i64
}

fn decode_stats(packet: &Packet<'_>, trackers: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let Ok(ftrace) = decode::<FtraceStats>(packet.data) else {
        stats.increment(Stat::MalformedPackets);
        return;
    };
    for cpu in ftrace.cpu_stats.iter().filter(|cpu| cpu.cpu() <= u64::from(MAX_CPUS)) {
        for count in CPU_COUNTS {
            let (index, value) = (cpu.cpu() as i64, (count.of)(cpu));
            match ftrace.phase() {
                Phase::StartOfTrace => stats.set_indexed(count.begin, index, value),
                Phase::EndOfTrace => {
                    stats.set_indexed(count.end, index, value);
                    // Without a count from the start, earlier counts cannot be distinguished.
                    if let (Some(delta), Some(begin)) =
                        (count.delta, stats.get_indexed(count.begin, index))
                    {
                        stats.set_indexed(delta, index, value.saturating_sub(begin));
                    }
                }
                Phase::Unspecified => {}
            }
        }
    }
    count_kprobes(&ftrace, stats);
    count_parse_errors(&ftrace, stats);
    note_buffers(&ftrace, packet, &mut trackers.file.recording);
    note_setup(&ftrace, trackers);
    if !ftrace.atrace_errors().is_empty() {
        stats.increment(Stat::FtraceSetupErrors);
    }
    let failed = ftrace.unknown_ftrace_events.len() + ftrace.failed_ftrace_events.len();
    stats.add(Stat::FtraceSetupErrors, failed as i64);
}

fn count_kprobes(ftrace: &FtraceStats, stats: &mut Stats) {
    let Some(counts) = &ftrace.kprobe_stats else { return };
    let hits =
        (Stat::FtraceKprobeHitsBegin, Stat::FtraceKprobeHitsEnd, Stat::FtraceKprobeHitsDelta);
    let misses =
        (Stat::FtraceKprobeMissesBegin, Stat::FtraceKprobeMissesEnd, Stat::FtraceKprobeMissesDelta);
    for ((begin, end, delta), value) in [(hits, counts.hits()), (misses, counts.misses())] {
        match ftrace.phase() {
            Phase::StartOfTrace => stats.set(begin, value),
            Phase::EndOfTrace => {
                stats.set(end, value);
                stats.set(delta, value.saturating_sub(stats.get(begin)));
            }
            Phase::Unspecified => {}
        }
    }
}

/// Pages of the kernel's buffers that the recorder could not read, as far as it says.
fn count_parse_errors(ftrace: &FtraceStats, stats: &mut Stats) {
    const ZERO_LENGTH: i32 = FtraceParseStatus::FtraceStatusAbiZeroDataLength as i32;
    const OK: i32 = FtraceParseStatus::FtraceStatusOk as i32;
    for &status in &ftrace.ftrace_parse_errors {
        match status {
            ZERO_LENGTH => stats.increment(Stat::FtraceAbiErrorsSkippedZeroDataLength),
            0 | OK => {}
            _ => stats.increment(Stat::FtraceBundleTokenizerErrors),
        }
    }
}

/// Losses of each CPU's buffer while recording.
fn note_buffers(ftrace: &FtraceStats, packet: &Packet<'_>, recording: &mut Recording) {
    const PAGE_KB: u32 = 4;
    let generation = packet.interned.generation(packet.generation);
    let sequence = generation.map_or(0, |generation| generation.sequence);
    for cpu in &ftrace.cpu_stats {
        let Some(number) = u32::try_from(cpu.cpu()).ok().filter(|&cpu| cpu <= MAX_CPUS) else {
            continue;
        };
        let counts = KernelCounts {
            overrun: cpu.overrun() as i64,
            commit_overrun: cpu.commit_overrun() as i64,
            dropped: cpu.dropped_events() as i64,
            read: cpu.read_events() as i64,
        };
        let number = (packet.machine, number);
        match ftrace.phase() {
            Phase::StartOfTrace => recording.count_at_start(sequence, number, counts),
            Phase::EndOfTrace => recording.count_at_end(sequence, number, counts),
            Phase::Unspecified => {}
        }
    }
    if ftrace.cpu_buffer_size_pages() > 0 {
        let size = ftrace.cpu_buffer_size_pages().saturating_mul(PAGE_KB);
        recording.kernel_buffer_kb = Some(size);
    }
}

/// Most errors that are listed one by one; a recording has a handful of them.
const MOST_ERRORS: usize = 100;

/// Events that could not be enabled.
fn note_setup(ftrace: &FtraceStats, trackers: &mut Trackers) {
    let errors = &mut trackers.file.recording.setup_errors;
    let events = |what: &str, events: &[String]| {
        (!events.is_empty()).then(|| format!("{what}: {}", events.join(", ")))
    };
    let atrace = ftrace.atrace_errors().trim();
    let found = [
        (!atrace.is_empty()).then(|| format!("atrace: {atrace}")),
        events("unknown to the kernel", &ftrace.unknown_ftrace_events),
        events("could not be switched on", &ftrace.failed_ftrace_events),
        (!ftrace.exclusive_feature_error().is_empty())
            .then(|| ftrace.exclusive_feature_error().to_owned()),
    ];
    for error in found.into_iter().flatten() {
        if errors.len() < MOST_ERRORS && !errors.contains(&error) {
            errors.push(error);
        }
    }
}
