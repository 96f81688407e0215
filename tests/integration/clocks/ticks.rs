//! The processor's counter, which snapshots read in ticks.

use insta::assert_snapshot;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, TSC};

use super::INSTANTS;
use crate::imported::{CLOCK_SNAPSHOT, Imported, STATS, clocks, instant, recording};

/// Two ticks to the ns.
#[test]
fn the_rate_is_what_snapshots_show() {
    let trace = recording().packets([
        clocks(&[(BOOTTIME, 10_000), (MONOTONIC, 9_000), (TSC, 50_000)]),
        clocks(&[(BOOTTIME, 20_000), (MONOTONIC, 19_000), (TSC, 70_000)]),
        instant(49_000, "500 before the first").clock(TSC),
        instant(60_000, "in the middle").clock(TSC),
        instant(71_000, "500 after the second").clock(TSC),
    ]);
    let imported = Imported::trace(trace);
    assert_snapshot!(imported.rows(INSTANTS), @r"
    ts     name
    9500   500 before the first
    15000  in the middle
    20500  500 after the second
    ");
    // The table has ticks as they are.
    assert_snapshot!(imported.rows(CLOCK_SNAPSHOT), @r"
    snap  ts     origin    machine  file  clock_id  clock_name  value
    0     10000  snapshot  0        0     6         BOOTTIME    10000
    0     10000  snapshot  0        0     3         MONOTONIC   9000
    0     10000  snapshot  0        0     9         NULL        50000
    1     20000  snapshot  0        0     6         BOOTTIME    20000
    1     20000  snapshot  0        0     3         MONOTONIC   19000
    1     20000  snapshot  0        0     9         NULL        70000
    ");
}

/// Where the rate changed, each stretch goes by its own; before and after by that of the longer
/// half of the stretches.
#[test]
fn each_stretch_has_its_rate() {
    let trace = recording().packets([
        clocks(&[(BOOTTIME, 10_000), (TSC, 50_000)]),
        clocks(&[(BOOTTIME, 20_000), (TSC, 70_000)]),
        clocks(&[(BOOTTIME, 21_000), (TSC, 75_000)]),
        instant(60_000, "2 a ns").clock(TSC),
        instant(72_500, "5 a ns").clock(TSC),
        instant(76_000, "2 a ns again").clock(TSC),
    ]);
    assert_snapshot!(Imported::trace(trace).rows(INSTANTS), @r"
    ts     name
    15000  2 a ns
    20500  5 a ns
    21500  2 a ns again
    ");
}

/// One snapshot does not give the length of a tick, and no guess is made.
#[test]
fn one_snapshot_is_not_enough() {
    let trace = recording()
        .packets([clocks(&[(BOOTTIME, 10_000), (TSC, 50_000)]), instant(50_001, "x").clock(TSC)]);
    let imported = Imported::trace(trace);
    assert_eq!(imported.cell("SELECT count(*) FROM slice"), "0");
    assert_snapshot!(imported.rows(STATS), @r"
    name                        machine  file  value
    clock_sync_failure_no_path  0        0     1
    ");
}
