//! How much is held while events are sorted, and the handling of late events.

use tpq::ImportOptions;
use tpq_testkit::{FtraceBundle, FtraceEvent, Packet, ServiceEvent, Task, TraceBuilder};

use crate::imported::Imported;

const S: u64 = 1_000_000_000;
/// Events of the busy CPU in each second.
const EVENTS: u64 = 500;

fn switches(cpu: u32, from: u64, count: u64) -> Packet {
    let threads = [Task::new("one", 11), Task::new("two", 12)];
    let events = (0..count).map(|index| {
        let (out, into) = (threads[index as usize % 2], threads[(index as usize + 1) % 2]);
        FtraceEvent::sched_switch(from + index * (S / EVENTS), out, 1, into)
    });
    let bundle = events.fold(FtraceBundle::new(cpu), FtraceBundle::event);
    Packet::new().sequence(2).ftrace(bundle)
}

/// CPU 0 is busy. CPU 1 did one thing in the third second, and a page of it lay in a buffer until
/// the end. Flushes do not reach it.
fn recording(seconds: u64, marks: bool) -> Vec<u8> {
    let mark = |at, event| Packet::new().sequence(9).timestamp(at).service_event(event);
    let mut trace = TraceBuilder::new();
    for second in 1..=seconds {
        trace = trace.packet(switches(0, second * S, EVENTS));
        if marks {
            let end = (second + 1) * S;
            trace = trace.packets([
                mark(end, ServiceEvent::AllDataSourcesFlushed),
                mark(end, ServiceEvent::ReadTracingBuffersCompleted),
            ]);
        }
    }
    trace.packet(switches(1, 3 * S, 1)).build()
}

fn imported(recording: &[u8], full_sort: bool, memory_limit: Option<u64>) -> Imported {
    let options = ImportOptions { full_sort, memory_limit, ..ImportOptions::default() };
    Imported::with(&[("trace", recording)], options)
}

/// A window is two flushes long.
#[test]
fn window_memory_does_not_grow_with_the_recording() {
    let [short, long] = [30, 30 * 16].map(|seconds| recording(seconds, true));
    let peak = |trace: &[u8], full| imported(trace, full, None).summary().sort_peak;
    let (of_short, of_long) = (peak(&short, false), peak(&long, false));
    assert!(of_long <= of_short + of_short / 10, "{of_short} bytes, then {of_long}");
    let full = peak(&long, true);
    assert!(full > of_long * 20, "{full} bytes in full, {of_long} by windows");
}

/// All events wait until the last is read, those that memory has no room for in a file.
#[test]
fn without_flushes_events_wait_within_the_memory_limit() {
    let least = ImportOptions::LEAST_MEMORY;
    let trace = recording(1_200, false);
    let all = imported(&trace, false, None);
    assert!(all.summary().sort_peak > least / 2, "{}", all.summary().sort_peak);
    let limited = imported(&trace, false, Some(least));
    assert!(limited.summary().sort_peak < least / 2, "{}", limited.summary().sort_peak);
    for sql in [
        "SELECT cpu, count(*), min(ts), max(ts), sum(id % 1000 * (ts % 1000)) FROM ftrace_event \
            GROUP BY cpu ORDER BY cpu",
        "SELECT value FROM stats WHERE name = 'sorter_push_event_out_of_order'",
    ] {
        assert_eq!(limited.rows(sql), all.rows(sql), "{sql}");
    }
}

/// The dropped events depend on flushes, not on the number of waiting events or on its limit.
#[test]
fn late_events_are_dropped_and_counted_where_flushes_closed_their_window() {
    let of_cpu_1 = "SELECT count(*) FROM ftrace_event WHERE cpu = 1";
    let late = "SELECT value FROM stats WHERE name = 'sorter_push_event_out_of_order'";
    let lost = "SELECT count(*) FROM data_loss WHERE kind = 'late_packets'";
    for marks in [true, false] {
        let trace = recording(60, marks);
        for memory_limit in [None, Some(ImportOptions::LEAST_MEMORY)] {
            for full_sort in [false, true] {
                let imported = imported(&trace, full_sort, memory_limit);
                let expected = if marks && !full_sort { ["0", "1", "1"] } else { ["1", "0", "0"] };
                assert_eq!([of_cpu_1, late, lost].map(|sql| imported.cell(sql)), expected);
                let rows = "SELECT count(*) FROM ftrace_event WHERE cpu = 0";
                assert_eq!(imported.cell(rows), (60 * EVENTS).to_string());
            }
        }
    }
}
