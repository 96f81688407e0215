//! Android bug reports: archives with a text of many sections, `bugreport-….txt`, and logs that the
//! device stored. Facts in the text hold for the logs as well.

use crate::archive::plain;
use crate::text::{is_number, split_once};

/// The largest difference of local time to UTC, ms.
const MAX_UTC_OFFSET_MS: i64 = 26 * 3_600_000;
const NS_PER_MS: i64 = 1_000_000;
const MS_PER_DAY: i64 = 86_400_000;
/// What precedes the date in the first lines of the text.
const HEADER: &[u8] = b"== dumpstate: ";
/// The number of bytes at the start of the text that have the date.
const HEADER_LEN: usize = 256;
/// What precedes the time in the dump of the alarm service, in UTC and as local time.
const NOW: &[u8] = b"\n  nowRTC=";

/// A date that a bug report was made on, and the local time of its logs. Dates in logs have no year
/// and no time zone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReportDate {
    year: i64,
    month: i64,
    day: i64,
    /// Local time minus UTC, ns.
    utc_offset: i64,
}

impl ReportDate {
    /// The date of a bug report by its text, or else by the name of its file; `None` if neither
    /// states one.
    pub fn of(text: &[u8], name: Option<&str>) -> Option<Self> {
        let head = text.get(..HEADER_LEN).unwrap_or(text);
        let in_text = memchr::memmem::find(head, HEADER).and_then(|at| {
            let line = head.get(at + HEADER.len()..)?;
            date(line.get(..10)?)
        });
        let (year, month, day) = in_text.or_else(|| name.and_then(date_of_name))?;
        let utc_offset = utc_offset(text).unwrap_or_default();
        Some(Self { year, month, day, utc_offset })
    }

    /// The year of a date without one: the latest in which the date is not after that of the
    /// report. A log may be ahead of it by a day. `month` and `day` count from 1.
    pub fn year_of(&self, month: i64, day: i64) -> i64 {
        let is_later = days_from_epoch(self.year, month, day)
            > days_from_epoch(self.year, self.month, self.day) + 1;
        self.year - i64::from(is_later)
    }

    /// Local time minus UTC, ns.
    pub fn utc_offset(&self) -> i64 {
        self.utc_offset
    }
}

/// Whether a file of an archive is the text of a bug report.
pub(crate) fn is_report_text(name: &str) -> bool {
    plain(name).starts_with("bugreport-") && name.ends_with(".txt") && date_of_name(name).is_some()
}

/// Whether a file of a bug report is a log that the device stored.
pub(crate) fn is_stored_log(name: &str) -> bool {
    plain(name).starts_with("FS/data/misc/logd/logcat") && !name.ends_with("logcat.id")
}

/// The date in a name such as `bugreport-product-TP1A.220623.001-2022-06-24-16-24-37.txt`.
fn date_of_name(name: &str) -> Option<(i64, i64, i64)> {
    let stem = name.as_bytes().strip_suffix(b".txt")?;
    let start = stem.len().checked_sub("2022-06-24-16-24-37".len())?;
    date(stem.get(start..start + 10)?)
}

/// A date as `YYYY-MM-DD`.
fn date(text: &[u8]) -> Option<(i64, i64, i64)> {
    let [year @ .., b'-', m1, m2, b'-', d1, d2] = text else { return None };
    let (year, month, day) = (number(year)?, number(&[*m1, *m2])?, number(&[*d1, *d2])?);
    let is_date =
        (1970..10_000).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then_some((year, month, day))
}

/// Local time minus UTC in ns, as the alarm service states it:
/// `nowRTC=1629844744041=2021-08-24 23:39:04.041 nowELAPSED=403532`.
fn utc_offset(text: &[u8]) -> Option<i64> {
    let at = memchr::memmem::find(text, NOW)? + NOW.len();
    let line = text.get(at..)?.split(|&byte| byte == b'\n').next()?;
    let (utc, rest) = split_once(line, b'=')?;
    let (local_date, rest) = split_once(rest, b' ')?;
    let local_time = rest.split(|&byte| byte == b' ').next()?;
    let (time, ms) = split_once(local_time, b'.')?;
    let mut parts = time.split(|&byte| byte == b':').map(number);
    let [hour, minute, second] = [parts.next()??, parts.next()??, parts.next()??];
    let (year, month, day) = date(local_date)?;
    if hour > 23 || minute > 59 || second > 60 || ms.len() != 3 {
        return None;
    }
    let local = days_from_epoch(year, month, day) * MS_PER_DAY
        + ((hour * 60 + minute) * 60 + second) * 1000
        + number(ms)?;
    let offset = local.checked_sub(number(utc)?)?;
    (offset.abs() <= MAX_UTC_OFFSET_MS).then(|| offset * NS_PER_MS)
}

/// The number of days from the epoch to a date of the Gregorian calendar. Years begin in March here,
/// so that the day of a leap year is the last one.
fn days_from_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468
}

fn number(digits: &[u8]) -> Option<i64> {
    std::str::from_utf8(digits).ok().filter(|_| is_number(digits))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_in_texts_and_names() {
        let header = "========\n== dumpstate: 2024-02-03 10:11:12\n========\n";
        let name = Some("bugreport-a-B.1-2022-06-24-16-24-37.txt");
        let parts = |date: ReportDate| (date.year, date.month, date.day, date.utc_offset);
        let of = |text: &str, name| ReportDate::of(text.as_bytes(), name).map(parts);
        assert_eq!(of(header, name), Some((2024, 2, 3, 0)));
        assert_eq!(of("", name), Some((2022, 6, 24, 0)));
        assert_eq!(of("", Some("bugreport.txt")), None);
        assert_eq!(of("== dumpstate: 2024-13-03 ", None), None);
    }

    /// The time in the example is 16:24:37 UTC and 18:24:37 local time.
    #[test]
    fn offsets_of_local_time() {
        let text = |utc: &str, local: &str| {
            format!("== dumpstate: 2022-06-24 \n  nowRTC={utc}={local} nowELAPSED=4\n")
        };
        let offset = |utc, local| {
            ReportDate::of(text(utc, local).as_bytes(), None).map(|date| date.utc_offset)
        };
        assert_eq!(offset("1656087877000", "2022-06-24 18:24:37.000"), Some(7_200_000_000_000));
        assert_eq!(offset("1656087877000", "2022-06-24 10:24:37.000"), Some(-21_600_000_000_000));
        assert_eq!(offset("1656087877000", "2023-06-24 18:24:37.000"), Some(0), "no such zone");
        assert_eq!(offset("1656087877000", "18:24:37.000"), Some(0));
        assert_eq!(offset("x", "2022-06-24 18:24:37.000"), Some(0));
        assert_eq!(offset("9223372036854775807", "2022-06-24 18:24:37.000"), Some(0), "far away");
    }

    #[test]
    fn years_of_dates_without_one() {
        let date = ReportDate { year: 2024, month: 1, day: 2, utc_offset: 0 };
        assert_eq!(date.year_of(1, 2), 2024);
        assert_eq!(date.year_of(1, 3), 2024);
        assert_eq!(date.year_of(1, 4), 2023);
        assert_eq!(date.year_of(12, 31), 2023);
    }

    #[test]
    fn files_of_reports() {
        assert!(is_report_text("bugreport-a-B.1-2022-06-24-16-24-37.txt"));
        assert!(is_report_text("./bugreport-a-B.1-2022-06-24-16-24-37.txt"));
        assert!(!is_report_text("bugreport-a.txt"));
        assert!(!is_report_text("x/bugreport-a-B.1-2022-06-24-16-24-37.txt"));
        assert!(is_stored_log("FS/data/misc/logd/logcat.01"));
        assert!(!is_stored_log("FS/data/misc/logd/logcat.id"));
        assert!(!is_stored_log("FS/data/anr/x"));
    }
}
