//! Reading a clock: the time stamp counter against the clock of the standard library.
//!
//! Run: `cargo bench -p tpq-clock --bench tsc`
//!
//! `now` reads a clock and nothing more. `elapsed` is what a span costs: two reads, and the time
//! between them. `to_system_time` is the time of day of a moment that was read before, against
//! reading the time of day from the system. `std` is the baseline, `quanta` another clock on the
//! same counter, which reads it without waiting for the instructions before. Where there is no
//! invariant time stamp counter, `tsc` is the same as `tsc_on_system_clock`. `snapshot` and `start`
//! are seldom called.

use std::time::{Instant, SystemTime};

use divan::{Bencher, black_box};
use tpq_clock::tsc::TscClock;

fn main() {
    divan::main();
}

mod now {
    use super::*;

    #[divan::bench]
    fn std() -> Instant {
        Instant::now()
    }

    #[divan::bench]
    fn quanta(bencher: Bencher<'_, '_>) {
        let clock = quanta::Clock::new();
        bencher.bench(|| black_box(&clock).now());
    }

    #[divan::bench]
    fn quanta_raw(bencher: Bencher<'_, '_>) {
        let clock = quanta::Clock::new();
        bencher.bench(|| black_box(&clock).raw());
    }

    #[divan::bench]
    fn tsc(bencher: Bencher<'_, '_>) {
        let clock = TscClock::global();
        bencher.bench(|| black_box(clock).now());
    }

    #[divan::bench]
    fn tsc_on_system_clock(bencher: Bencher<'_, '_>) {
        let clock = TscClock::on_system_clock();
        bencher.bench(|| black_box(&clock).now());
    }
}

mod elapsed {
    use super::*;

    #[divan::bench]
    fn std(bencher: Bencher<'_, '_>) {
        bencher.bench(|| Instant::now().elapsed());
    }

    #[divan::bench]
    fn quanta(bencher: Bencher<'_, '_>) {
        let clock = quanta::Clock::new();
        bencher.bench(|| {
            let start = clock.now();
            clock.now().duration_since(start)
        });
    }

    #[divan::bench]
    fn tsc(bencher: Bencher<'_, '_>) {
        let clock = TscClock::global();
        bencher.bench(|| clock.elapsed(clock.now()));
    }
}

mod to_system_time {
    use super::*;

    #[divan::bench]
    fn std() -> SystemTime {
        SystemTime::now()
    }

    #[divan::bench]
    fn tsc(bencher: Bencher<'_, '_>) {
        let clock = TscClock::global();
        let ticks = clock.now();
        bencher.bench(|| clock.to_system_time(black_box(ticks)));
    }
}

#[divan::bench]
fn snapshot(bencher: Bencher<'_, '_>) {
    let clock = TscClock::global();
    bencher.bench(|| clock.snapshot());
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn start() -> TscClock {
    TscClock::start()
}
