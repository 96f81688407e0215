//! Conversion keeps the order of timestamps of a clock.

use proptest::prelude::*;
use tpq::{ImportOptions, Interpolation};
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC};

use crate::imported::{Imported, clocks, instant, recording};

/// Steps from snapshot to snapshot: how far MONOTONIC goes, and how far boot time.
type Steps = Vec<(u64, u64)>;

/// The order in which events of MONOTONIC come on the timeline, by their order in MONOTONIC.
fn order(steps: &Steps, events: &[u64], clock_interpolation: Interpolation) -> Vec<(i64, usize)> {
    let (mut monotonic, mut boottime) = (10_000, 20_000);
    let mut trace = recording().packet(clocks(&[(MONOTONIC, monotonic), (BOOTTIME, boottime)]));
    for &(own, other) in steps {
        monotonic += own;
        boottime += other;
        trace = trace.packet(clocks(&[(MONOTONIC, monotonic), (BOOTTIME, boottime)]));
    }
    for (index, &at) in events.iter().enumerate() {
        trace = trace.packet(instant(9_000 + at, &index.to_string()).clock(MONOTONIC));
    }
    let options = ImportOptions { clock_interpolation, ..ImportOptions::default() };
    let rows = Imported::with(&[("trace", &trace.build())], options)
        .rows("SELECT ts, name FROM slice ORDER BY CAST(name AS BIGINT)");
    let row = |line: &str| {
        let mut cells = line.split_whitespace();
        (cells.next().unwrap().parse().unwrap(), cells.next().unwrap().parse().unwrap())
    };
    rows.lines().skip(1).map(row).collect()
}

fn events() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(0..6_000_u64, 1..20).prop_map(|mut events| {
        events.sort_unstable();
        events
    })
}

fn check(rows: &[(i64, usize)], events: &[u64]) -> Result<(), TestCaseError> {
    prop_assert_eq!(rows.len(), events.len());
    for (pair, (_, index)) in rows.windows(2).zip(rows) {
        let (earlier, later) = (pair[0].0, pair[1].0);
        prop_assert!(earlier <= later, "event {} at {}, the next at {}", index, earlier, later);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// By offset, where the timeline's clock goes at least as fast: a sleep opens a gap and never
    /// closes one.
    #[test]
    fn by_offset(
        steps in prop::collection::vec((0..900_u64, 0..900_u64), 0..6),
        events in events(),
    ) {
        let steps: Steps = steps.into_iter().map(|(own, slept)| (own, own + slept)).collect();
        check(&order(&steps, &events, Interpolation::Nearest), &events)?;
    }

    /// Along the line, wherever both clocks go forward.
    #[test]
    fn along_the_line(
        steps in prop::collection::vec((1..900_u64, 0..900_u64), 0..6),
        events in events(),
    ) {
        check(&order(&steps, &events, Interpolation::Linear), &events)?;
    }
}
