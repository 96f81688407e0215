//! How much waits to be sorted as a recording gets longer: by windows, in full, and without the
//! recorder's marks.
//!
//! Run: `cargo bench --bench window`. Writes traces of 1, 4 and 16 times a length, with 20,000
//! events per second from two CPUs; the recorder flushes and reads its buffers every second. Prints
//! the memory of events that wait to be sorted, and its ratio to that of the shortest trace.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, and fails by panicking"
)]

use tpq::{ImportOptions, import};
use tpq_testkit::{FtraceBundle, FtraceEvent, Packet, ServiceEvent, Task, TraceBuilder};

const SECONDS: u64 = 10;
const EVENTS_A_SECOND: u64 = 10_000;
const S: u64 = 1_000_000_000;

/// The bundle of a CPU for one second.
fn bundle(cpu: u32, second: u64) -> Packet {
    let threads = [Task::new("one", 11), Task::new("two", 12)];
    let events = (0..EVENTS_A_SECOND).map(|index| {
        let (from, to) = (index % 2, (index + 1) % 2);
        let at = second * S + index * (S / EVENTS_A_SECOND);
        FtraceEvent::sched_switch(at, threads[from as usize], 1, threads[to as usize])
    });
    let bundle = events.fold(FtraceBundle::new(cpu), FtraceBundle::event);
    Packet::new().sequence(2).ftrace(bundle)
}

fn recording(seconds: u64, marks: bool) -> Vec<u8> {
    let mark = |at, event| Packet::new().sequence(9).timestamp(at).service_event(event);
    let mut trace = TraceBuilder::new();
    for second in 1..=seconds {
        trace = trace.packets([bundle(0, second), bundle(1, second)]);
        if marks {
            let end = (second + 1) * S;
            trace = trace.packets([
                mark(end, ServiceEvent::AllDataSourcesFlushed),
                mark(end, ServiceEvent::ReadTracingBuffersCompleted),
            ]);
        }
    }
    trace.build()
}

fn main() {
    println!("{:<28} {:>4} {:>12} {:>9} {:>7}", "", "", "waiting", "ratio", "a event");
    let no_raw = || ImportOptions { ftrace_raw: false, ..ImportOptions::default() };
    let tight = || ImportOptions { memory_limit: Some(32 << 20), ..no_raw() };
    let cases: [(&str, bool, ImportOptions); 4] = [
        ("windows closed by marks", true, no_raw()),
        ("no marks, 32 MiB allowed", false, tight()),
        ("no marks", false, no_raw()),
        ("full sort", true, ImportOptions { full_sort: true, ..no_raw() }),
    ];
    for (name, marks, options) in cases {
        let mut first = None;
        for times in [1, 4, 16] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("trace");
            std::fs::write(&path, recording(SECONDS * times, marks)).unwrap();
            let (_, summary) = import(&[path], &options).unwrap();
            let peak = summary.sort_peak as f64;
            let first = *first.get_or_insert(peak);
            let events = (SECONDS * times * EVENTS_A_SECOND * 2) as f64;
            println!(
                "{name:<28} {times:>3}x {:>8.2} MiB {:>8.2}x {:>5.1} B",
                peak / f64::from(1 << 20),
                peak / first,
                peak / events,
            );
        }
    }
}
