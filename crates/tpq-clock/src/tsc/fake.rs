//! A machine for tests. Its time advances only when it is read.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use super::source::TimeSource;
use super::system_clock::SystemClock;

/// The difference of `CLOCK_BOOTTIME` and `CLOCK_MONOTONIC`, in ns.
pub(super) const SLEPT: i64 = 5_000;
/// The value of `CLOCK_REALTIME` when the counter was 0, in ns.
pub(super) const EPOCH: i64 = 1_700_000_000_000_000_000;

/// A counter at a known rate, and clocks that follow it exactly.
pub(super) struct Fake {
    ticks_per_second: u64,
    ticks: Cell<u64>,
    /// The duration of a read of the counter, in ticks.
    step: u64,
    /// The durations of interruptions of the next reads of a clock, in ticks.
    delays: RefCell<VecDeque<u64>>,
    /// The amount by which `CLOCK_REALTIME` was set ahead, in ns.
    set: Cell<i64>,
}

impl Fake {
    pub(super) fn new(ticks_per_second: u64, step: u64) -> Self {
        Self {
            ticks_per_second,
            ticks: Cell::new(0),
            step,
            delays: RefCell::default(),
            set: Cell::new(0),
        }
    }

    /// Interrupts the next reads of a clock, each for the given number of ticks.
    pub(super) fn delay(&self, ticks: impl IntoIterator<Item = u64>) {
        self.delays.borrow_mut().extend(ticks);
    }

    /// The number of interruptions that have not happened yet.
    pub(super) fn delays_left(&self) -> usize {
        self.delays.borrow().len()
    }

    /// Advances time by this number of ticks.
    pub(super) fn skip(&self, ticks: u64) {
        self.ticks.set(self.ticks.get() + ticks);
    }

    /// Sets `CLOCK_REALTIME` ahead by this many ns.
    pub(super) fn set_realtime(&self, ahead: i64) {
        self.set.set(ahead);
    }
}

impl TimeSource for Fake {
    fn ticks(&self) -> u64 {
        self.skip(self.step);
        self.ticks.get()
    }

    /// The interruption comes before the read, so the clock is read close to the end of a bracket.
    fn system_ns(&self, clock: SystemClock) -> i64 {
        self.skip(self.delays.borrow_mut().pop_front().unwrap_or(0));
        let ticks = u128::from(self.ticks.get());
        let ns = (ticks * 1_000_000_000 / u128::from(self.ticks_per_second)) as i64;
        match clock {
            SystemClock::Monotonic => ns,
            SystemClock::Boottime => ns + SLEPT,
            SystemClock::Realtime => ns + EPOCH + self.set.get(),
        }
    }

    fn pause(&self, time: Duration) {
        self.skip((time.as_nanos() * u128::from(self.ticks_per_second) / 1_000_000_000) as u64);
    }
}
