//! How clocks run by each other, and conversion that follows it.

use insta::assert_snapshot;
use tpq::{ImportOptions, Interpolation};
use tpq_testkit::TraceBuilder;
use tpq_testkit::clock_id::{BOOTTIME, MONOTONIC, MONOTONIC_RAW, REALTIME};

use super::INSTANTS;
use crate::imported::{Imported, clocks, instant, recording};

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;

const DRIFT: &str = "SELECT clock_name, by_clock_name, snapshots, rate, ppm, max_residual, jumps \
                     FROM clock_drift ORDER BY clock_id, by_clock_id";
const JUMPS: &str = "SELECT clock_name, by_clock_name, ts, size FROM clock_jump \
                     JOIN clock_drift ON clock_drift_id = clock_drift.id \
                     ORDER BY ts, clock_name, by_clock_name";

/// A snapshot each 10 s for two minutes. The device sleeps for 60 s after the 50th second, in
/// which MONOTONIC stands still; NTP sets wall time 200 ms ahead after the 150th; and the
/// crystal, by which MONOTONIC_RAW goes uncorrected, is 50 ppm fast.
fn two_minutes() -> TraceBuilder {
    let snapshot = |second: u64| {
        let boottime = 1_000 * S + second * S;
        let awake = if second > 50 { second - 60 } else { second };
        let set = if second > 150 { 200 * MS } else { 0 };
        clocks(&[
            (BOOTTIME, boottime),
            (MONOTONIC, 500 * S + awake * S),
            (MONOTONIC_RAW, 500 * S + awake * S + awake * S / 20_000),
            (REALTIME, 2_000_000 * S + second * S + set),
        ])
    };
    let seconds = (0..=50).step_by(10).chain((120..=180).step_by(10));
    recording().packet(instant(1_000 * S, "x")).packets(seconds.map(snapshot))
}

/// Of MONOTONIC, the jump is -60 s: it went 10 s while boot time went 70. MONOTONIC_RAW slept,
/// too: by its rate it would have gone 70.0035 s, and went 10.0005. Wall time was set by 200 ms;
/// what is measured by it jumps the other way, MONOTONIC_RAW by 50 ppm more.
#[test]
fn a_sleep_a_step_and_a_drift() {
    let imported = Imported::trace(two_minutes());
    assert_snapshot!(imported.rows(DRIFT), @r"
    clock_name     by_clock_name  snapshots  rate     ppm   max_residual  jumps
    REALTIME       BOOTTIME       13         1.0      0.0   0             1
    MONOTONIC      REALTIME       13         1.0      0.0   0             2
    MONOTONIC      BOOTTIME       13         1.0      0.0   0             1
    MONOTONIC_RAW  REALTIME       13         1.00005  50.0  0             2
    MONOTONIC_RAW  MONOTONIC      13         1.00005  50.0  0             0
    MONOTONIC_RAW  BOOTTIME       13         1.00005  50.0  0             1
    ");
    assert_snapshot!(imported.rows(JUMPS), @r"
    clock_name     by_clock_name  ts             size
    MONOTONIC      BOOTTIME       1120000000000  -60000000000
    MONOTONIC      REALTIME       1120000000000  -60000000000
    MONOTONIC_RAW  BOOTTIME       1120000000000  -60003000000
    MONOTONIC_RAW  REALTIME       1120000000000  -60003000000
    MONOTONIC      REALTIME       1160000000000  -200000000
    MONOTONIC_RAW  REALTIME       1160000000000  -200010000
    REALTIME       BOOTTIME       1160000000000  200000000
    ");
}

/// One snapshot gives no rate.
#[test]
fn one_snapshot() {
    let trace = recording().packets([clocks(&[(BOOTTIME, 100), (MONOTONIC, 90)])]);
    assert_snapshot!(Imported::trace(trace).rows(DRIFT), @r"
    clock_name  by_clock_name  snapshots  rate  ppm   max_residual  jumps
    MONOTONIC   BOOTTIME       1          NULL  NULL  0             0
    ");
}

/// MONOTONIC goes 10 s while boot time goes 10.001, 100 ppm faster.
fn drifting() -> Vec<u8> {
    let monotonic = |at, name| instant(at, name).clock(MONOTONIC);
    recording()
        .packets([
            clocks(&[(BOOTTIME, 100 * S), (MONOTONIC, 50 * S)]),
            clocks(&[(BOOTTIME, 110 * S + MS), (MONOTONIC, 60 * S)]),
            monotonic(45 * S, "before the first"),
            monotonic(50 * S, "the first"),
            monotonic(55 * S, "between"),
            monotonic(60 * S - 1, "just before the second"),
            monotonic(60 * S, "the second"),
            monotonic(70 * S, "after the second"),
        ])
        .build()
}

fn interpolated(clock_interpolation: Interpolation) -> String {
    let options = ImportOptions { clock_interpolation, ..ImportOptions::default() };
    Imported::with(&[("trace", &drifting())], options).rows(INSTANTS)
}

/// By the offset of the latest snapshot, 50 s and then 50.001.
#[test]
fn nearest() {
    assert_snapshot!(interpolated(Interpolation::Nearest), @r"
    ts            name
    95000000000   before the first
    100000000000  the first
    105000000000  between
    109999999999  just before the second
    110001000000  the second
    120001000000  after the second
    ");
}

/// Along the line: half of the ms in the middle, all of it at the end; outside at the same rate,
/// so half a ms before that would be at 95 s, and a ms further after.
#[test]
fn linear() {
    assert_snapshot!(interpolated(Interpolation::Linear), @r"
    ts            name
    94999500000   before the first
    100000000000  the first
    105000500000  between
    110000999999  just before the second
    110001000000  the second
    120002000000  after the second
    ");
}
