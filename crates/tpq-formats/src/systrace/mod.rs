//! The text that the kernel's tracer gives of its events, a line for each:
//!
//! ```text
//!           <idle>-0     (-----) [001] d..3   316.196720: cpu_idle: state=0 cpu_id=1
//! ```
//!
//! [`line`](mod@line) splits a line into its parts, [`details`] the values within the last of
//! them, and [`events`] knows what they mean.

mod details;
mod events;
mod line;
mod message;
mod process_dump;
mod reader;
#[cfg(test)]
mod tests;

use tpq_clock::MONOTONIC;
use tpq_decode::ftrace::FtraceEvent;
use tpq_decode::{FormatDecoder, RunEvent, format_run_kind};
use tpq_ingest::RunKind;
use tpq_tables::{Stat, Stats, Tables};
use tpq_trackers::track::{MAX_CPUS, NamePriority, Trackers};

use self::line::SystraceLine;
use self::process_dump::{decode_process, decode_thread};
use self::reader::{SystraceKinds, SystraceReader, TextLine};
use crate::{DefaultClock, OpenFile, OpenedFile, TraceFormat};

const LINES: RunKind = format_run_kind(2);
const PROCESSES: RunKind = format_run_kind(3);
const THREADS: RunKind = format_run_kind(4);

pub(crate) const FORMAT: TraceFormat = TraceFormat {
    has_packets: false,
    default_clock: DefaultClock::OfFile(MONOTONIC),
    is_windowed: false,
    has_kernel: true,
    has_deferred_args: false,
    prescan: None,
    open,
};

pub(crate) const DECODER: FormatDecoder = FormatDecoder {
    runs: &[(LINES, decode_event), (PROCESSES, decode_process), (THREADS, decode_thread)],
    text_of: |_, _| None,
};

fn open(OpenFile { bytes, file, timeline, .. }: OpenFile<'_>) -> OpenedFile<'_> {
    let kinds = SystraceKinds {
        lines: LINES,
        processes: PROCESSES,
        threads: THREADS,
        read: |line| match SystraceLine::parse(line) {
            Ok(Some(line)) => TextLine::Event(line.ts),
            Ok(None) => TextLine::Comment,
            Err(_) => TextLine::Malformed,
        },
    };
    let reader = SystraceReader::new(bytes, file, timeline, kinds);
    OpenedFile { reader: Box::new(reader), work: None }
}

/// Decodes a line of a file.
pub(crate) fn decode_event(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    decode_line(event.message(), event.ts, event.machine, trackers, tables, stats);
}

/// When a line was written, in nanoseconds of the tracer's clock; `None` for lines that are no
/// event.
pub(crate) fn line_time(line: &[u8]) -> Option<i64> {
    SystraceLine::parse(line).ok().flatten().map(|line| line.ts)
}

/// Decodes a line that was written at `ts` of trace time on the machine of that row.
pub(crate) fn decode_line(
    line: &[u8],
    ts: i64,
    machine: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let line = match SystraceLine::parse(line) {
        Ok(Some(line)) if line.cpu <= MAX_CPUS => line,
        Ok(None) => return,
        _ => {
            stats.increment(Stat::SystraceParseFailure);
            return;
        }
    };
    let event = FtraceEvent::without_packet(ts, (machine, line.cpu), line.pid, &[]);
    meet_thread(&line, &event, trackers, tables);
    let before = rows(tables);
    if events::decode(&line, &event, trackers, tables, stats).is_none() {
        stats.increment(Stat::SystraceParseFailure);
    }
    // A line without effect does not extend the recorded time.
    if rows(tables) != before {
        trackers.bounds.include(ts);
    }
}

/// A line names the thread that was running, and often its process.
fn meet_thread(
    line: &SystraceLine<'_>,
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let utid = event.utid(trackers, tables);
    if let Some(comm) = line.comm() {
        let name = tables.strings.intern_bytes(comm);
        trackers.processes.name_thread(utid, name, NamePriority::Ftrace, tables);
    }
    if let Some(tgid) = line.tgid {
        trackers.processes.thread_of_process(event.tid(line.pid), event.tid(tgid), tables);
    }
}

/// Number of rows of tables with times, except thread states, which are written later.
fn rows(tables: &Tables) -> [u32; 3] {
    let Tables { sched_slice, slice, counter, .. } = tables;
    [sched_slice.len(), slice.len(), counter.len()]
}
