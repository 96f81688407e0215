//! The time that a line of the log begins with.

use tpq_source::ReportDate;

use crate::text::{number, seconds, split_once, split_word};

const NS_PER_S: i64 = 1_000_000_000;

/// The time of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Stamp {
    /// Ns since the epoch, or since boot for logs of the monotonic clock. Local time unless a zone
    /// is stated.
    ts: i64,
    /// Month and day of a date without a year, which is of 1970 in `ts`.
    yearless: Option<(i64, i64)>,
    /// Whether it is wall time of an unknown zone.
    is_local: bool,
}

/// The year of dates without one. A log does not state its year; this one leaves times as they are
/// apart from it.
const NO_YEAR: i64 = 1970;

impl Stamp {
    /// Reads a time, and returns the text behind it: `[YYYY-]MM-DD hh:mm:ss.fraction [zone]`, or
    /// seconds with a fraction.
    pub(crate) fn parse(line: &[u8]) -> Option<(Self, &[u8])> {
        let (date, rest) = split_word(line)?;
        if let Some(ts) = seconds(date) {
            return Some((Self { ts, yearless: None, is_local: false }, rest));
        }
        let (time, mut rest) = split_word(rest)?;
        let (time, fraction) = split_once(time, b'.')?;
        let mut time = time.split(|&byte| byte == b':').map(number::<u32>);
        let [hour, minute, second] = [time.next()??, time.next()??, time.next()??];
        if time.next().is_some() || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let seconds_of_day = i64::from(hour * 3600 + minute * 60 + second);
        let fraction = seconds(&[b"0.", fraction].concat())?;
        let (year, month, day) = read_date(date)?;
        let days = days_from_epoch(year.unwrap_or(NO_YEAR), month, day);
        let mut ts = (days * 86_400 + seconds_of_day).checked_mul(NS_PER_S)?;
        ts = ts.checked_add(fraction)?;
        let mut is_local = true;
        if let Some((word, after)) = split_word(rest)
            && let Some(offset) = zone(word)
        {
            ts = ts.checked_sub(offset * NS_PER_S)?;
            is_local = false;
            rest = after;
        }
        let yearless = Some((month, day)).filter(|_| year.is_none());
        Some((Self { ts, yearless, is_local }, rest))
    }

    /// Reads the header of a message in the format `long`; returns what stands in its brackets
    /// behind the time.
    pub(super) fn of_long_header(line: &[u8]) -> Option<(Self, &[u8])> {
        Self::parse(line.strip_prefix(b"[ ")?.strip_suffix(b" ]")?)
    }

    /// The time in ns. The date of a bug report gives the year and the zone that its logs lack.
    pub(crate) fn ts(self, report: Option<ReportDate>) -> i64 {
        let Some(report) = report else { return self.ts };
        let days = self.yearless.map_or(0, |(month, day)| {
            let year = report.year_of(month, day);
            days_from_epoch(year, month, day) - days_from_epoch(NO_YEAR, month, day)
        });
        let offset = if self.is_local { report.utc_offset() } else { 0 };
        self.ts.saturating_add(days.saturating_mul(86_400 * NS_PER_S)).saturating_sub(offset)
    }
}

/// Year, month and day of a date, `MM-DD` or `YYYY-MM-DD`.
fn read_date(date: &[u8]) -> Option<(Option<i64>, i64, i64)> {
    let parts: Vec<&[u8]> = date.split(|&byte| byte == b'-').collect();
    let (year, month, day) = match parts[..] {
        [month, day] => (None, month, day),
        [year, month, day] => (Some(number(year)?), month, day),
        _ => return None,
    };
    let (month, day): (i64, i64) = (number(month)?, number(day)?);
    let is_date = (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && year.is_none_or(|year| (NO_YEAR..10_000).contains(&year));
    is_date.then_some((year, month, day))
}

/// The number of days from the epoch to a date of the Gregorian calendar. Years begin in March here,
/// so that the day of a leap year is the last one.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

/// Seconds that a zone is ahead of UTC, for `+hhmm` and `-hhmm`.
fn zone(word: &[u8]) -> Option<i64> {
    let (sign, digits) = match word {
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = digits.split_at_checked(2).filter(|_| digits.len() == 4)?;
    Some(sign * (number::<i64>(hours)? * 3600 + number::<i64>(minutes)? * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ts(text: &str) -> Option<i64> {
        Stamp::parse(text.as_bytes()).map(|(stamp, _)| stamp.ts(None))
    }

    #[test]
    fn times_in_each_form() {
        // 346 days, 10 hours, 32 minutes and 20.03 seconds.
        assert_eq!(ts("12-13 10:32:20.030 x"), Some(29_932_340_030_000_000));
        assert_eq!(ts("1970-12-13 10:32:20.030"), Some(29_932_340_030_000_000));
        assert_eq!(ts("2000-03-01 00:00:00.000000001"), Some(951_868_800_000_000_001));
        assert_eq!(ts("2024-02-29 12:00:00.5 +0100 x"), Some(1_709_204_400_500_000_000));
        assert_eq!(ts("1709204400.500000 x"), Some(1_709_204_400_500_000_000));
        for text in ["12-13", "12-13 10:32:20", "00-13 1:2:3.4", "1-2-3-4 1:2:3.4", "x 1:2:3.4"] {
            assert_eq!(ts(text), None, "{text}");
        }
    }

    /// 31 December is before the report, 3 January after it and so of the year before. The zone of
    /// the report is two hours ahead.
    #[test]
    fn times_of_bug_reports() {
        let text = b"== dumpstate: 2000-01-01 \n  nowRTC=0=1970-01-01 02:00:00.000 nowELAPSED=1\n";
        let report = ReportDate::of(text, None);
        let ts = |text: &str| {
            Stamp::parse(text.as_bytes()).map(|(stamp, _)| stamp.ts(report) / 1_000_000_000)
        };
        // 2000-01-01 is 946,684,800 s after the epoch, and 1999-01-03 is 915,321,600.
        assert_eq!(ts("01-01 02:00:00.0 x"), Some(946_684_800));
        assert_eq!(ts("12-31 02:00:00.0 x"), Some(946_684_800 - 86_400));
        assert_eq!(ts("01-03 02:00:00.0 x"), Some(915_321_600));
        assert_eq!(ts("1999-01-03 02:00:00.0 +0200 x"), Some(915_321_600));
        assert_eq!(ts("915321600.5 x"), Some(915_321_600));
    }

    #[test]
    fn the_text_behind_a_time() {
        let rest = |text| Stamp::parse(text).map(|(_, rest)| rest);
        assert_eq!(rest(b"12-13 10:32:20.030  -0200  a b"), Some(&b"a b"[..]));
        assert_eq!(rest(b"12-13 10:32:20.030  a b"), Some(&b"a b"[..]));
        let header = Stamp::of_long_header(b"[ 12-13 10:32:20.030 1: 2 I/a ]");
        assert_eq!(header.map(|(_, inside)| inside), Some(&b"1: 2 I/a"[..]));
    }
}
