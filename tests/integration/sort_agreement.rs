//! A trace that was flushed regularly gives the same tables whether events are sorted window by
//! window or all at once.

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use proptest::prelude::*;
use tpq::ImportOptions;
use tpq_tables::{Table, TraceTables};
use tpq_testkit::{
    CompactSched, FtraceBundle, FtraceEvent, Packet, ServiceEvent, Task, TraceBuilder,
    TrackDescriptor, TrackEvent,
};

const CPUS: u32 = 3;
const ROUND: u64 = 10_000;

/// Events of one writer between two flushes.
#[derive(Clone, Debug)]
enum Written {
    /// A bundle of events of one CPU, in full or compact form.
    Kernel { cpu: u32, compact: bool, events: Vec<(u64, Event)> },
    /// Packets of one sequence, each a slice or an instant.
    Program { sequence: u32, events: Vec<(u64, u64)> },
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Switch { next: i32, prev_state: i64 },
    Waking { tid: i32 },
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        (0..5i32, prop::sample::select(vec![0i64, 1, 2]))
            .prop_map(|(next, prev_state)| Event::Switch { next, prev_state }),
        (1..5i32).prop_map(|tid| Event::Waking { tid }),
    ]
}

/// Times within a round, ascending; a coarse grid makes different writers meet at one time.
fn times<T: std::fmt::Debug + Clone>(
    what: impl Strategy<Value = T>,
) -> impl Strategy<Value = Vec<(u64, T)>> {
    prop::collection::vec((0..ROUND / 100, what), 1..12).prop_map(|mut events| {
        events.sort_by_key(|(at, _)| *at);
        events.into_iter().map(|(at, what)| (at * 100, what)).collect()
    })
}

fn written() -> impl Strategy<Value = Written> {
    prop_oneof![
        2 => (0..CPUS, any::<bool>(), times(event()))
            .prop_map(|(cpu, compact, events)| Written::Kernel { cpu, compact, events }),
        1 => (10..13u32, times(0..100u64))
            .prop_map(|(sequence, events)| Written::Program { sequence, events }),
    ]
}

/// Rounds, each ended by a flush. In a round a writer comes once, so that it is in time order.
fn rounds() -> impl Strategy<Value = Vec<Vec<Written>>> {
    let round = prop::collection::vec(written(), 0..6).prop_map(|mut writers| {
        let mut seen = Vec::new();
        writers.retain(|writer| {
            let writer = match writer {
                Written::Kernel { cpu, .. } => *cpu,
                Written::Program { sequence, .. } => *sequence,
            };
            let new = !seen.contains(&writer);
            seen.push(writer);
            new
        });
        writers
    });
    prop::collection::vec(round, 1..8)
}

fn packets(writer: &Written, start: u64, running: &mut [i32]) -> Vec<Packet> {
    match writer {
        Written::Kernel { cpu, compact, events } => {
            let running = &mut running[*cpu as usize];
            let bundle = if *compact {
                compact_bundle(*cpu, start, events, running)
            } else {
                full_bundle(*cpu, start, events, running)
            };
            vec![Packet::new().sequence(1).ftrace(bundle)]
        }
        Written::Program { sequence, events } => {
            let track = u64::from(*sequence);
            let packet = |&(at, kind): &(u64, u64)| {
                let event = match kind % 3 {
                    0 => TrackEvent::begin(track).name("slice"),
                    1 => TrackEvent::end(track),
                    _ => TrackEvent::instant(track).name("instant"),
                };
                Packet::new().sequence(*sequence).timestamp(start + at).track_event(event)
            };
            events.iter().map(packet).collect()
        }
    }
}

fn task(tid: i32) -> Task<'static> {
    Task::new(["swapper", "a", "b", "c", "d"][tid as usize], tid)
}

fn full_bundle(cpu: u32, start: u64, events: &[(u64, Event)], running: &mut i32) -> FtraceBundle {
    events.iter().fold(FtraceBundle::new(cpu), |bundle, &(at, event)| {
        bundle.event(match event {
            Event::Switch { next, prev_state } => {
                let prev = std::mem::replace(running, next);
                FtraceEvent::sched_switch(start + at, task(prev), prev_state, task(next))
            }
            Event::Waking { tid } => {
                FtraceEvent::sched_waking(start + at, *running, task(tid), cpu as i32)
            }
        })
    })
}

fn compact_bundle(
    cpu: u32,
    start: u64,
    events: &[(u64, Event)],
    running: &mut i32,
) -> FtraceBundle {
    let sched = events.iter().fold(CompactSched::new(), |sched, &(at, event)| match event {
        Event::Switch { next, prev_state } => {
            *running = next;
            sched.switch(start + at, prev_state, task(next))
        }
        Event::Waking { tid } => sched.waking(start + at, task(tid), cpu as i32, 0),
    });
    FtraceBundle::new(cpu).compact(sched)
}

fn trace(rounds: &[Vec<Written>]) -> Vec<u8> {
    let mut running = vec![0; CPUS as usize];
    let mut trace = TraceBuilder::new();
    for sequence in 10..13 {
        let track = TrackDescriptor::new(sequence).name("track");
        trace = trace.packet(Packet::new().sequence(sequence as u32).track_descriptor(track));
    }
    for (number, round) in (1..).zip(rounds) {
        let start = number * ROUND;
        for writer in round {
            trace = trace.packets(packets(writer, start, &mut running));
        }
        for event in
            [ServiceEvent::AllDataSourcesFlushed, ServiceEvent::ReadTracingBuffersCompleted]
        {
            let end = start + ROUND;
            trace = trace.packet(Packet::new().sequence(2).timestamp(end).service_event(event));
        }
    }
    trace.build()
}

/// A table as text, without counts that say how the import went rather than what it found.
fn text(table: &Table) -> String {
    let columns: Vec<usize> = (0..table.schema().fields().len()).collect();
    let batches: Vec<RecordBatch> = (0..table.num_chunks())
        .map(|chunk| table.read(chunk, 0..table.chunk_rows(chunk), &columns).unwrap())
        .collect();
    let text = pretty_format_batches(&batches).unwrap().to_string();
    let lines = text.lines().filter(|line| !line.contains("duration") && !line.contains("cache"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The tables of a trace, sorted window by window and all at once.
fn import(bytes: &[u8]) -> [TraceTables; 2] {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    [false, true].map(|full_sort| {
        let options = ImportOptions { full_sort, ..ImportOptions::default() };
        tpq::import(&[file.path().to_owned()], &options).unwrap().0
    })
}

/// The tables that differ, by name, with the text of both.
fn differences(rounds: &[Vec<Written>]) -> Vec<(&'static str, String, String)> {
    let [windowed, full] = import(&trace(rounds));
    let pairs = windowed.iter().zip(full.iter());
    pairs
        .map(|(windowed, full)| (windowed.decl().name, text(windowed), text(full)))
        .filter(|(_, windowed, full)| windowed != full)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn windowed_and_full_sort_agree(rounds in rounds()) {
        for (name, windowed, full) in differences(&rounds) {
            prop_assert_eq!(windowed, full, "table {}", name);
        }
    }
}

/// Events of several CPUs at one time have one order, wherever the window ends.
#[test]
fn events_at_one_time_have_one_order() {
    let kernel = |cpu, times: &[u64]| {
        let event = Event::Switch { next: 0, prev_state: 0 };
        let events = times.iter().map(|at| (*at, event)).collect();
        Written::Kernel { cpu, compact: false, events }
    };
    let rounds = [
        vec![],
        vec![kernel(2, &[0, 8_500]), kernel(0, &[0])],
        vec![kernel(2, &[500]), kernel(0, &[500])],
        vec![],
    ];
    assert_eq!(differences(&rounds), []);
}

/// The property is about something: such traces have rows.
#[test]
fn flushed_traces_have_rows() {
    let events = vec![
        (100, Event::Switch { next: 1, prev_state: 0 }),
        (200, Event::Switch { next: 2, prev_state: 1 }),
    ];
    let kernel = Written::Kernel { cpu: 0, compact: false, events };
    let program = Written::Program { sequence: 10, events: vec![(150, 0), (250, 1)] };
    let [tables, _] = import(&trace(&[vec![kernel, program]]));
    for (name, rows) in [("sched_slice", 2), ("slice", 1)] {
        assert_eq!(tables.get(name).unwrap().num_rows(), rows, "{name}");
    }
}
