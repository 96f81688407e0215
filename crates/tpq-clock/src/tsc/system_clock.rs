//! The clocks of the operating system.

pub(super) use platform::read_ns;

/// A clock of the operating system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SystemClock {
    /// Time since an arbitrary start; never set, stopped while the machine sleeps.
    Monotonic,
    /// Like [`SystemClock::Monotonic`], but it continues while the machine sleeps. Only on Linux it
    /// is a clock of its own.
    Boottime,
    /// Time since 1970, in UTC. Can be set.
    Realtime,
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod platform {
    use rustix::time::{ClockId, clock_gettime};

    use super::SystemClock;

    /// Reads `clock`, in ns.
    pub(in crate::tsc) fn read_ns(clock: SystemClock) -> i64 {
        let time = clock_gettime(match clock {
            SystemClock::Monotonic => ClockId::Monotonic,
            SystemClock::Boottime => ClockId::Boottime,
            SystemClock::Realtime => ClockId::Realtime,
        });
        time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod platform {
    use std::sync::LazyLock;
    use std::time::{Instant, SystemTime, UNIX_EPOCH};

    use super::SystemClock;

    /// The zero of the monotonic clock, because an `Instant` has no number.
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);

    /// Reads `clock`, in ns.
    pub(in crate::tsc) fn read_ns(clock: SystemClock) -> i64 {
        let since_zero = match clock {
            SystemClock::Monotonic | SystemClock::Boottime => START.elapsed(),
            SystemClock::Realtime => {
                SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
            }
        };
        i64::try_from(since_zero.as_nanos()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{SystemTime, UNIX_EPOCH};

    use super::*;

    #[test]
    fn realtime_counts_from_1970_and_the_others_go_forward() {
        let by_the_library = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let seconds = read_ns(SystemClock::Realtime) / 1_000_000_000;
        assert!(seconds.abs_diff(by_the_library.as_secs().cast_signed()) < 60);
        for clock in [SystemClock::Monotonic, SystemClock::Boottime] {
            let first = read_ns(clock);
            assert!(first <= read_ns(clock), "{clock:?}");
        }
    }
}
