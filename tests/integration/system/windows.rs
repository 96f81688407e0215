//! How much is held while events are sorted, and what comes of events that were handed over late.

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

fn options(full_sort: bool) -> ImportOptions {
    // A window may hold half of what is allowed.
    ImportOptions { full_sort, memory_limit: Some(200_000), ..ImportOptions::default() }
}

fn imported(seconds: u64, marks: bool, full_sort: bool) -> Imported {
    Imported::with(&[("trace", &recording(seconds, marks))], options(full_sort))
}

/// With marks, a window is two flushes long. Without, it is as large as it may be.
#[test]
fn what_a_window_holds_does_not_grow_with_the_recording() {
    for marks in [true, false] {
        let [short, long] =
            [30, 30 * 16].map(|seconds| imported(seconds, marks, false).summary().sort_peak);
        assert!(long <= short + short / 10, "{marks}: {short} bytes, then {long}");
        assert!(long < 150_000, "{long} bytes of 100,000 allowed");
        let full = imported(30 * 16, marks, true).summary().sort_peak;
        assert!(full > long * 20, "{full} bytes in full, {long} by windows");
    }
}

#[test]
fn late_events_are_dropped_and_counted_by_windows_and_kept_in_full() {
    for marks in [true, false] {
        let of_cpu_1 = "SELECT count(*) FROM ftrace_event WHERE cpu = 1";
        let late = "SELECT value FROM stats WHERE name = 'sorter_push_event_out_of_order'";
        let lost = "SELECT count(*) FROM data_loss WHERE kind = 'late_packets'";
        let windowed = imported(60, marks, false);
        assert_eq!([of_cpu_1, late, lost].map(|sql| windowed.cell(sql)), ["0", "1", "1"]);
        let full = imported(60, marks, true);
        assert_eq!([of_cpu_1, late, lost].map(|sql| full.cell(sql)), ["1", "0", "0"]);
        let rows = "SELECT count(*) FROM ftrace_event WHERE cpu = 0";
        assert_eq!(windowed.cell(rows), (60 * EVENTS).to_string());
        assert_eq!(full.cell(rows), (60 * EVENTS).to_string());
    }
}
