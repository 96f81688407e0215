//! Times of the kernel's log in a report.
//!
//! The clock of the log does not count sleep. The kernel states the wall time when it goes to sleep and
//! when it wakes, and between these the clock runs as wall time does:
//!
//! ```text
//! <6>[  100.000000] PM: suspend entry 2022-06-24 14:12:33.123456789 UTC
//! <6>[  100.500000] PM: suspend exit 2022-06-24 14:20:00.000000000 UTC
//! ```

use super::sections::lines;
use crate::dmesg::KernelMessage;
use crate::logcat::Stamp;

/// What precedes the wall time.
const SUSPEND: &[u8] = b"PM: suspend ";
const SIDES: [&[u8]; 2] = [b"entry ", b"exit "];
/// How a section ends.
const MARK: &[u8] = b"------ ";

/// Times of the log with the wall time of each, ns; in the order of the log.
#[derive(Clone, Debug, Default)]
pub(super) struct KernelClock(Vec<(i64, i64)>);

impl KernelClock {
    /// Reads the rest of the section that a text begins in.
    pub(super) fn of_section(text: &[u8]) -> Self {
        let section = lines(text).map(|(_, line)| line).take_while(|line| !line.starts_with(MARK));
        let mut readings: Vec<(i64, i64)> = section.filter_map(reading).collect();
        readings.sort_unstable();
        Self(readings)
    }

    /// Whether the log states no wall time, so that none of its times can be converted.
    pub(super) fn is_unknown(&self) -> bool {
        self.0.is_empty()
    }

    /// The wall time of a time of the log: by the last reading before it, or else by the first.
    pub(super) fn wall_time(&self, ts: i64) -> Option<i64> {
        let after = self.0.partition_point(|&(kernel, _)| kernel <= ts);
        let &(kernel, wall) = self.0.get(after.saturating_sub(1))?;
        wall.checked_add(ts.checked_sub(kernel)?)
    }
}

/// The time and the wall time that a line states.
fn reading(line: &[u8]) -> Option<(i64, i64)> {
    let at = memchr::memmem::find(line, SUSPEND)?;
    let rest = line.get(at + SUSPEND.len()..)?;
    let time = SIDES.iter().find_map(|side| rest.strip_prefix(*side))?;
    // With the year.
    let (stamp, _) = Stamp::parse(time).filter(|_| time.get(4) == Some(&b'-'))?;
    Some((KernelMessage::parse(line)?.ts, stamp.ts(None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 14:12:33 on 24 June 2022 is 1,656,079,953 s.
    #[test]
    fn wall_times_around_sleep() {
        let text = b"<6>[   90.000000] a\n\
            <6>[  100.000000] PM: suspend entry 2022-06-24 14:12:33.500000000 UTC\n\
            <6>[  100.250000][    T7] PM: suspend exit 2022-06-24 14:12:53.500000000 UTC\n\
            ------ 0.1s was the duration of 'KERNEL LOG (dmesg)' ------\n\
            <6>[  200.000000] PM: suspend exit 2023-06-24 14:12:53.500000000 UTC\n";
        let clock = KernelClock::of_section(text);
        let ms = |ts: i64| clock.wall_time(ts * 1_000_000).map(|wall| wall / 1_000_000);
        let entry = 1_656_079_953_500;
        assert_eq!(ms(90_000), Some(entry - 10_000));
        assert_eq!(ms(100_000), Some(entry));
        assert_eq!(ms(100_100), Some(entry + 100));
        assert_eq!(ms(100_250), Some(entry + 20_000));
        assert_eq!(ms(300_250), Some(entry + 220_000));
        assert!(!clock.is_unknown());
    }

    #[test]
    fn logs_without_wall_times() {
        for text in [
            &b""[..],
            b"<6>[  100.000000] PM: suspend entry (deep)\n",
            b"<6>[  100.000000] PM: suspend entry 06-24 14:12:33.500 UTC\n",
            b"PM: suspend entry 2022-06-24 14:12:33.500 UTC\n",
        ] {
            let clock = KernelClock::of_section(text);
            assert!(clock.is_unknown());
            assert_eq!(clock.wall_time(5), None);
        }
    }
}
