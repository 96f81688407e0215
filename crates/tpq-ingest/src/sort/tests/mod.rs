//! Runs in memory; those in a store are tested in `spilled`.

pub(crate) mod spilled;

use super::*;
use crate::{Payload, RunKind};

/// What came out: time and the number of the run's packet.
#[derive(Default)]
struct Out(Vec<(i64, u32)>);

impl Emit for Out {
    fn emit(&mut self, ts: i64, run: &Arc<Run>, _: usize) -> ControlFlow<()> {
        self.0.push((ts, run.position));
        ControlFlow::Continue(())
    }
}

fn run(lane: u32, position: u32, timestamps: &[i64]) -> Run {
    Run {
        kind: RunKind(RunKind::FIRST_SPLIT),
        cpu: lane.checked_sub(1),
        source: 0,
        generation: 0,
        position,
        addr: 0,
        timestamps: timestamps.to_vec(),
        payload: Payload::Bundle { addr: 0, ranges: vec![(0, 0); timestamps.len()] },
    }
}

fn sorted(windowed: bool, steps: &[Result<Run, RecorderEvent>]) -> (Vec<(i64, u32)>, u64) {
    let mut sorter = Sorter::new(windowed);
    let memory = SortMemory::in_memory();
    let mut out = Out::default();
    for step in steps {
        match step {
            Ok(run) => sorter.push(run.clone()),
            Err(event) => {
                sorter.handle_event(*event, &memory, &mut out).expect("nothing is stored")
            }
        }
    }
    sorter.finish(&memory, &mut out).expect("nothing is stored");
    (out.0, sorter.losses().get(Loss::OutOfOrder))
}

#[test]
fn runs_of_several_lanes_merge_by_time_then_lane_then_packet() {
    let steps = [Ok(run(2, 0, &[1, 5, 9])), Ok(run(1, 1, &[2, 5])), Ok(run(1, 2, &[2, 7]))];
    let expected = vec![(1, 0), (2, 1), (2, 2), (5, 1), (5, 0), (7, 2), (9, 0)];
    assert_eq!(sorted(true, &steps), (expected.clone(), 0));
    assert_eq!(sorted(false, &steps), (expected, 0));
}

#[test]
fn without_a_word_from_the_recorder_nothing_is_dropped() {
    let mut steps: Vec<_> = (1..100_u32).map(|at| Ok(run(1, at, &[i64::from(at) * 10]))).collect();
    steps.push(Ok(run(2, 100, &[5])));
    let (events, lost) = sorted(true, &steps);
    assert_eq!((events[0], events.len(), lost), ((5, 100), 100, 0));
}

/// Two flushes and a read set where the window ends; the next such read closes it.
fn close_a_window() -> [Result<Run, RecorderEvent>; 3] {
    [Err(RecorderEvent::Flushed), Err(RecorderEvent::Flushed), Err(RecorderEvent::ReadBuffers)]
}

#[test]
fn late_events_are_dropped_and_counted() {
    let mut steps = vec![Ok(run(1, 0, &[10, 20]))];
    steps.extend(close_a_window());
    steps.extend(close_a_window());
    steps.push(Ok(run(1, 1, &[15, 30])));
    assert_eq!(sorted(true, &steps), (vec![(10, 0), (20, 0), (30, 1)], 1));
    assert_eq!(sorted(false, &steps), (vec![(10, 0), (15, 1), (20, 0), (30, 1)], 0));
}

#[test]
fn a_window_does_not_close_over_what_was_written_after_it() {
    let mut steps = vec![Ok(run(1, 0, &[10, 20]))];
    steps.extend(close_a_window());
    steps.push(Ok(run(2, 1, &[15])));
    steps.extend(close_a_window());
    steps.push(Ok(run(1, 2, &[18])));
    let expected = vec![(10, 0), (15, 1), (18, 2), (20, 0)];
    assert_eq!(sorted(true, &steps), (expected, 0));
}

/// More events of the first run could have been emitted until the window closed.
#[test]
fn events_between_what_was_emitted_and_the_end_of_a_window_are_nearly_late() {
    let nearly_late = |ts: i64| {
        let mut sorter = Sorter::new(true);
        let mut steps = vec![Ok(run(1, 0, &[10, 20]))];
        steps.extend(close_a_window());
        steps.push(Ok(run(2, 1, &[17])));
        steps.extend(close_a_window());
        steps.push(Ok(run(1, 2, &[ts, 30])));
        for step in steps {
            match step {
                Ok(run) => sorter.push(run),
                Err(event) => sorter
                    .handle_event(event, &SortMemory::in_memory(), &mut Out::default())
                    .expect("nothing is stored"),
            }
        }
        (sorter.has_nearly_late(), sorter.losses().get(Loss::OutOfOrder))
    };
    assert_eq!(nearly_late(9), (false, 1));
    assert_eq!(nearly_late(10), (true, 0));
    assert_eq!(nearly_late(16), (true, 0));
    assert_eq!(nearly_late(17), (false, 0));
}

proptest::proptest! {
    /// More runs overlap than are kept in order next to the heap, in several lanes.
    #[test]
    fn events_come_as_a_stable_sort_has_them(
        runs in proptest::collection::vec(
            (0..3_u32, proptest::collection::vec(0..50_i64, 1..6)), 1..300,
        ),
    ) {
        let mut sorter = Sorter::new(false);
        let mut expected = Vec::new();
        for (position, (lane, mut timestamps)) in (0..).zip(runs) {
            timestamps.sort_unstable();
            expected.extend(timestamps.iter().map(|&ts| (ts, lane, position)));
            sorter.push(run(lane, position, &timestamps));
        }
        let mut out = Out::default();
        sorter.finish(&SortMemory::in_memory(), &mut out).expect("nothing is stored");
        expected.sort();
        let expected: Vec<_> = expected.iter().map(|&(ts, _, position)| (ts, position)).collect();
        proptest::prop_assert_eq!(out.0, expected);
    }
}
