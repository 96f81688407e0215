//! The counter that ticks are read from.

use super::source::TimeSource;
use super::system_clock::{self, SystemClock};

/// The source of ticks.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counter {
    /// The time stamp counter.
    Tsc(Tsc),
    /// `CLOCK_MONOTONIC`, with ticks of 1 ns.
    Monotonic,
}

impl TimeSource for Counter {
    #[inline]
    fn ticks(&self) -> u64 {
        match self {
            Self::Tsc(tsc) => tsc.read(),
            Self::Monotonic => system_clock::read_ns(SystemClock::Monotonic).cast_unsigned(),
        }
    }
}

/// The time stamp counter of this machine. A value exists only if the counter can be read and is
/// invariant: only [`Tsc::detect`] creates one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tsc(Detected);

#[cfg(target_arch = "x86_64")]
type Detected = ();
#[cfg(not(target_arch = "x86_64"))]
type Detected = std::convert::Infallible;

#[cfg(target_arch = "x86_64")]
impl Tsc {
    /// Returns the counter if CPUID reports that it is invariant and that the instruction `RDTSCP`
    /// exists.
    pub(super) fn detect() -> Option<Self> {
        use std::arch::x86_64::__cpuid;

        const FIRST_EXTENDED: u32 = 0x8000_0000;
        const FEATURES: u32 = 0x8000_0001;
        const POWER: u32 = 0x8000_0007;

        if __cpuid(FIRST_EXTENDED).eax < POWER {
            return None;
        }
        let has_rdtscp = __cpuid(FEATURES).edx & 1 << 27 != 0;
        let is_invariant = __cpuid(POWER).edx & 1 << 8 != 0;
        (has_rdtscp && is_invariant).then_some(Self(()))
    }

    /// Reads the counter after all previous instructions have run.
    #[inline]
    pub(super) fn read(self) -> u64 {
        // The CPU that the counter was read on. It is not used: the counters of all CPUs are
        // assumed to be equal.
        let mut cpu = 0;
        // There is no safe wrapper of this instruction. Without it every read calls the system,
        // which reads the same counter and takes a quarter longer (`benches/tsc.rs`).
        unsafe { std::arch::x86_64::__rdtscp(&raw mut cpu) }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Tsc {
    /// There is no such counter on this architecture.
    pub(super) fn detect() -> Option<Self> {
        None
    }

    /// Never called: there is no value of this type.
    pub(super) fn read(self) -> u64 {
        match self.0 {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn goes_forward(counter: Counter) {
        let mut last = counter.ticks();
        let first = last;
        for _ in 0..100_000 {
            let next = counter.ticks();
            assert!(last <= next, "{counter:?} went from {last} to {next}");
            last = next;
        }
        assert!(first < last, "{counter:?} stands still");
    }

    #[test]
    fn the_time_stamp_counter_goes_forward() {
        match Tsc::detect() {
            Some(tsc) => goes_forward(Counter::Tsc(tsc)),
            None => println!("skipped: no invariant time stamp counter"),
        }
    }

    #[test]
    fn the_system_clock_goes_forward() {
        goes_forward(Counter::Monotonic);
    }
}
