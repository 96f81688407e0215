//! The counter that ticks are read from.

use super::source::TimeSource;
use super::system_clock::{self, SystemClock};

/// Where ticks come from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Counter {
    /// The time stamp counter.
    Tsc(Tsc),
    /// `CLOCK_MONOTONIC`, whose ticks are ns.
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

/// Proof that this machine's time stamp counter can be read and keeps its speed: the only way to
/// one is [`Tsc::detect`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Tsc(Proof);

#[cfg(target_arch = "x86_64")]
type Proof = ();
#[cfg(not(target_arch = "x86_64"))]
type Proof = std::convert::Infallible;

#[cfg(target_arch = "x86_64")]
impl Tsc {
    /// The counter, where CPUID says that it is invariant and that there is `RDTSCP`.
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

    /// The counter now, once all instructions before have run.
    #[inline]
    pub(super) fn read(self) -> u64 {
        // Which CPU it was read on; the counters of all CPUs are taken to be one.
        let mut cpu = 0;
        // There is no safe way to this instruction, and without it every read asks the system,
        // which reads the same counter and takes a quarter longer (`benches/tsc.rs`).
        // SAFETY: the CPU has the instruction, as `self` comes from `detect`; it writes nothing but
        // `cpu`.
        unsafe { std::arch::x86_64::__rdtscp(&raw mut cpu) }
    }
}

#[cfg(not(target_arch = "x86_64"))]
impl Tsc {
    /// There is no such counter.
    pub(super) fn detect() -> Option<Self> {
        None
    }

    /// Never called.
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
