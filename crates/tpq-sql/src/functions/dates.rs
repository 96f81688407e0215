//! `date`, `time`, `datetime`, `julianday`, `unixepoch`, `strftime` and `timediff`, in UTC.

use chrono::{Datelike, Days, Months, NaiveDate, NaiveDateTime, TimeDelta, Timelike};
use datafusion::common::Result;

use super::number::real_prefix;
use super::per_row::{PerRow, integer, real, text};
use super::value::Value;

/// The Julian day number of 1970-01-01 00:00.
const EPOCH_DAY: f64 = 2_440_587.5;
const DAY_MS: f64 = 86_400_000.0;
/// Julian day 0, in seconds from 1970 on: the first time that SQLite supports.
const FIRST_SECOND: i64 = -210_866_760_000;

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new("date", 0..=usize::MAX, text, |values| {
            Ok(formatted(values, "%Y-%m-%d", "%Y-%m-%d"))
        }),
        PerRow::new("time", 0..=usize::MAX, text, |values| {
            Ok(formatted(values, "%H:%M:%S", "%H:%M:%S%.3f"))
        }),
        PerRow::new("datetime", 0..=usize::MAX, text, |values| {
            Ok(formatted(values, "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S%.3f"))
        }),
        PerRow::new("julianday", 0..=usize::MAX, real, |values| {
            let moment = evaluate(values);
            Ok(moment.map_or(Value::Null, |moment| Value::Real(julian_day(moment.datetime))))
        }),
        PerRow::new("unixepoch", 0..=usize::MAX, integer, |values| {
            let seconds = evaluate(values).map(|moment| moment.datetime.and_utc().timestamp());
            Ok(seconds.map_or(Value::Null, Value::Integer))
        }),
        PerRow::new("strftime", 1..=usize::MAX, text, strftime),
        PerRow::new("timediff", 2..=2, text, |values| {
            let times = evaluate(&values[..1]).zip(evaluate(&values[1..]));
            let difference =
                times.and_then(|(to, from)| time_difference(from.datetime, to.datetime));
            Ok(difference.map_or(Value::Null, Value::text))
        }),
    ]
}

/// A time that modifiers change.
#[derive(Clone, Copy)]
struct Moment {
    datetime: NaiveDateTime,
    /// The first of the month and the day as they were written, which may be after the end of the
    /// month: `+1 year` counts from there.
    written: Option<(NaiveDate, u32)>,
    /// The days by which the last month or date was left: `floor` takes them back.
    over: u32,
    /// Whether fractions of seconds are shown.
    has_fraction: bool,
}

impl Moment {
    fn at(datetime: NaiveDateTime) -> Self {
        Self { datetime, written: None, over: 0, has_fraction: false }
    }

    /// A day of a month, which may be after its end.
    fn of_day(first: NaiveDate, day: u32) -> Option<Self> {
        let date = first.checked_add_days(Days::new(u64::from(day.checked_sub(1)?)))?;
        let over = if date.month() == first.month() { 0 } else { date.day() };
        let written = Some((first, day));
        Some(Self { written, over, ..Self::at(date.and_hms_opt(0, 0, 0)?) })
    }

    fn later(self, delta: TimeDelta) -> Option<Self> {
        let datetime = self.datetime.checked_add_signed(delta)?;
        Some(Self { datetime, written: None, over: 0, ..self })
    }

    fn start_of(self, date: Option<NaiveDate>) -> Option<Self> {
        let datetime = date?.and_hms_opt(0, 0, 0)?;
        Some(Self { datetime, written: None, over: 0, ..self })
    }

    /// Adds months. The 31st of a month with 30 days becomes the 1st of the next month.
    fn months_later(self, months: i64) -> Option<Self> {
        let date = self.datetime.date();
        let (first, day) = self.written.unwrap_or((date.with_day(1)?, date.day()));
        let count = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
        let first = match months < 0 {
            true => first.checked_sub_months(count),
            false => first.checked_add_months(count),
        }?;
        let moved = Self::of_day(first, day)?;
        let datetime = moved.datetime.date().and_time(self.datetime.time());
        Some(Self { datetime, written: None, ..Self { has_fraction: self.has_fraction, ..moved } })
    }
}

fn julian_day(datetime: NaiveDateTime) -> f64 {
    datetime.and_utc().timestamp_millis() as f64 / DAY_MS + EPOCH_DAY
}

fn formatted<'a>(values: &[Value<'a>], format: &str, exact: &str) -> Value<'a> {
    evaluate(values).map_or(Value::Null, |moment| {
        let format = if moment.has_fraction { exact } else { format };
        Value::text(shown(moment.datetime, format))
    })
}

/// A time in a format of `chrono`. Its `%Y` has a sign before years of other lengths than 4.
fn shown(datetime: NaiveDateTime, format: &str) -> String {
    datetime.format(format).to_string()
}

/// Evaluates a time value and the modifiers after it; without a time value, the current time.
fn evaluate(values: &[Value]) -> Option<Moment> {
    let Some((value, modifiers)) = values.split_first() else {
        return now().map(Moment::at);
    };
    let mut modifiers = modifiers.iter();
    let number = match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Real(value) => Some(*value),
        Value::Text(text) => Some(real_prefix(text)).filter(|(_, whole)| *whole).map(|(n, _)| n),
        _ => None,
    };
    let mut moment = match number {
        Some(number) => {
            let next = modifiers.clone().next().and_then(Value::as_text).unwrap_or_default();
            let unix = next.eq_ignore_ascii_case("unixepoch")
                || next.eq_ignore_ascii_case("auto") && !(0.0..5_373_484.5).contains(&number);
            let is_unit = ["unixepoch", "auto", "julianday"]
                .iter()
                .any(|unit| next.eq_ignore_ascii_case(unit));
            if is_unit {
                modifiers.next();
            }
            let ms = if unix { number * 1000.0 } else { (number - EPOCH_DAY) * DAY_MS };
            Moment::at(at_ms(ms)?)
        }
        None => {
            let is_auto = |value: &Value| {
                value.as_text().is_some_and(|text| text.eq_ignore_ascii_case("auto"))
            };
            // It is about numbers.
            if modifiers.clone().next().is_some_and(is_auto) {
                modifiers.next();
            }
            parse(&value.as_text()?)?
        }
    };
    for modifier in modifiers {
        moment = apply_modifier(moment, modifier.as_text()?.trim())?;
    }
    let seconds = moment.datetime.and_utc().timestamp();
    (seconds >= FIRST_SECOND && moment.datetime.year() <= 9999).then_some(moment)
}

fn now() -> Option<NaiveDateTime> {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?;
    at_ms(since.as_millis() as f64)
}

fn at_ms(ms: f64) -> Option<NaiveDateTime> {
    if !ms.is_finite() || ms.abs() > 1e15 {
        return None;
    }
    Some(chrono::DateTime::from_timestamp_millis(ms.round() as i64)?.naive_utc())
}

/// Parses `2024-02-29`, `2024-02-29 12:34`, `2024-02-29T12:34:56.789Z`, `12:34:56`, `now`.
fn parse(text: &str) -> Option<Moment> {
    if text.eq_ignore_ascii_case("now") {
        return now().map(Moment::at);
    }
    let Some((first, day, rest)) = parse_date(text) else {
        let midnight = Moment::of_day(NaiveDate::from_ymd_opt(2000, 1, 1)?, 1)?;
        return midnight.later(parse_time(text)?);
    };
    let moment = Moment::of_day(first, day)?;
    let rest = rest.trim_start_matches([' ', 'T']);
    if rest.is_empty() {
        return Some(moment);
    }
    let time = parse_time(rest)?;
    Some(Moment { datetime: moment.datetime.checked_add_signed(time)?, ..moment })
}

/// A number of so many digits, and the text after it.
fn digits(text: &str, count: usize) -> Option<(u32, &str)> {
    let (number, rest) = text.split_at_checked(count)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| is_number)?, rest))
}

/// Parses `2024-02-29`: the first of the month, the day, and the text after it. Years before the
/// year 0 have a sign.
fn parse_date(text: &str) -> Option<(NaiveDate, u32, &str)> {
    let before_zero = text.strip_prefix('-');
    let (year, rest) = digits(before_zero.unwrap_or(text), 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let year = i32::try_from(year).ok()?;
    let year = if before_zero.is_some() { -year } else { year };
    let first = NaiveDate::from_ymd_opt(year, month, 1)?;
    (1..=31).contains(&day).then_some((first, day, rest))
}

/// Parses a time of day, with the offset of its time zone: the time from midnight UTC on.
fn parse_time(text: &str) -> Option<TimeDelta> {
    let (time, rest) = parse_clock(text)?;
    let rest = rest.trim_start();
    let (offset, rest) = match rest.chars().next() {
        Some('Z' | 'z') => (TimeDelta::zero(), rest.get(1..)?),
        Some(sign @ ('+' | '-')) => {
            let (hours, rest) = digits(rest.get(1..)?, 2)?;
            let (minutes, rest) = digits(rest.strip_prefix(':')?, 2)?;
            let minutes = i64::from(hours) * 60 + i64::from(minutes);
            (TimeDelta::try_minutes(if sign == '-' { -minutes } else { minutes })?, rest)
        }
        _ => (TimeDelta::zero(), rest),
    };
    if rest.trim().is_empty() { time.checked_sub(&offset) } else { None }
}

/// Parses `12:34`, `12:34:56` or `12:34:56.789`; also returns the text after it.
fn parse_clock(text: &str) -> Option<(TimeDelta, &str)> {
    let (hours, rest) = digits(text, 2)?;
    let (minutes, mut rest) = digits(rest.strip_prefix(':')?, 2)?;
    let (mut seconds, mut fraction) = (0, 0.0);
    if let Some(after) = rest.strip_prefix(':') {
        (seconds, rest) = digits(after, 2)?;
        let places =
            rest.strip_prefix('.').map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count());
        if let Some(places) = places.filter(|&places| places > 0) {
            fraction = rest.get(..=places)?.parse::<f64>().ok()?;
            rest = rest.get(places + 1..)?;
        }
    }
    let total = i64::from(hours) * 3_600 + i64::from(minutes) * 60 + i64::from(seconds);
    let is_time = minutes < 60 && seconds < 60 && total <= 86_400;
    let ms = total * 1_000 + (fraction * 1_000.0_f64).round() as i64;
    Some((TimeDelta::try_milliseconds(ms).filter(|_| is_time)?, rest))
}

fn apply_modifier(moment: Moment, modifier: &str) -> Option<Moment> {
    let modifier = modifier.to_ascii_lowercase();
    let date = moment.datetime.date();
    match modifier.as_str() {
        "start of day" => return moment.start_of(Some(date)),
        "start of month" => return moment.start_of(date.with_day(1)),
        "start of year" => return moment.start_of(NaiveDate::from_ymd_opt(date.year(), 1, 1)),
        "utc" | "localtime" => return Some(moment),
        "subsec" | "subsecond" => return Some(Moment { has_fraction: true, ..moment }),
        "floor" => return moment.later(TimeDelta::try_days(-i64::from(moment.over))?),
        "ceiling" => return Some(Moment { written: None, over: 0, ..moment }),
        _ => {}
    }
    if let Some(day) = modifier.strip_prefix("weekday ") {
        let day: f64 = day.trim().parse().ok()?;
        if !(0.0..7.0).contains(&day) || day.fract() != 0.0 {
            return None;
        }
        let today = i64::from(date.weekday().num_days_from_sunday());
        return moment.later(TimeDelta::try_days((day as i64 - today).rem_euclid(7))?);
    }
    if let Some(moved) = moved_by_parts(moment, &modifier) {
        return moved;
    }
    let (amount, unit) = modifier.split_once(' ')?;
    let amount: f64 = amount.trim_start_matches('+').parse().ok()?;
    let ms_later = |moment: Moment, days: f64| {
        moment.later(TimeDelta::try_milliseconds((days * DAY_MS).round() as i64)?)
    };
    let days = match unit.trim().trim_end_matches('s') {
        "second" => 1.0 / 86_400.0,
        "minute" => 1.0 / 1_440.0,
        "hour" => 1.0 / 24.0,
        "day" => 1.0,
        "month" => {
            let moved = moment.months_later(amount as i64)?;
            let rest = amount.fract() * 30.0;
            return if rest == 0.0 { Some(moved) } else { ms_later(moved, rest) };
        }
        "year" => {
            let moved = moment.months_later((amount as i64).checked_mul(12)?)?;
            let rest = amount.fract() * 365.0;
            return if rest == 0.0 { Some(moved) } else { ms_later(moved, rest) };
        }
        _ => return None,
    };
    ms_later(moment, amount * days)
}

/// Applies `±YYYY-MM-DD`, `±YYYY-MM-DD HH:MM:SS` or `±HH:MM:SS`; the outer `None` is for modifiers
/// of other forms.
fn moved_by_parts(moment: Moment, modifier: &str) -> Option<Option<Moment>> {
    let is_back = modifier.starts_with('-');
    let parts = modifier.trim_start_matches(['+', '-']);
    let signed = |number: i64| if is_back { -number } else { number };
    let (moved, rest) = match parts_of_date(parts).filter(|_| parts.len() < modifier.len()) {
        Some((years, months, days, rest)) => {
            let moved = moment
                .months_later(signed(i64::from(years) * 12 + i64::from(months)))
                .and_then(|moved| moved.later(TimeDelta::try_days(signed(i64::from(days)))?));
            if rest.is_empty() {
                return Some(moved);
            }
            (moved, rest.strip_prefix(' ')?)
        }
        None => (Some(moment), parts),
    };
    let (time, rest) = parse_clock(rest)?;
    if !rest.is_empty() {
        return Some(None);
    }
    Some(moved.and_then(|moved| moved.later(if is_back { -time } else { time })))
}

/// Parses `0001-02-03`: years, months, days, and the text after them.
fn parts_of_date(text: &str) -> Option<(u32, u32, u32, &str)> {
    let (years, rest) = digits(text, 4)?;
    let (months, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (days, rest) = digits(rest.strip_prefix('-')?, 2)?;
    (months < 12 && days < 31).then_some((years, months, days, rest))
}

/// The difference from one time to another in the parts of a calendar: whole months, then what is
/// left of days and time. Added to the first time as a modifier, it gives the second.
fn time_difference(from: NaiveDateTime, to: NaiveDateTime) -> Option<String> {
    let sign: i64 = if to < from { -1 } else { 1 };
    let month_number = |time: NaiveDateTime| i64::from(time.year()) * 12 + i64::from(time.month0());
    let mut months = (month_number(to) - month_number(from)).abs();
    let left = loop {
        let reached = Moment::at(from).months_later(sign * months)?.datetime;
        let left = if sign < 0 { reached - to } else { to - reached };
        if left >= TimeDelta::zero() {
            break left;
        }
        months -= 1;
    };
    let (seconds, ms) = (left.num_seconds(), left.num_milliseconds() % 1_000);
    Some(format!(
        "{}{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{ms:03}",
        if sign < 0 { '-' } else { '+' },
        months / 12,
        months % 12,
        seconds / 86_400,
        seconds / 3_600 % 24,
        seconds / 60 % 60,
        seconds % 60,
    ))
}

fn strftime<'a>(values: &[Value<'a>]) -> Result<Value<'a>> {
    let (Some(format), Some(moment)) = (values[0].as_text(), evaluate(&values[1..])) else {
        return Ok(Value::Null);
    };
    let mut out = String::new();
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match characters.next().and_then(|letter| conversion(letter, moment)) {
            Some(text) => out.push_str(&text),
            None => return Ok(Value::Null),
        }
    }
    Ok(Value::text(out))
}

fn conversion(letter: char, moment: Moment) -> Option<String> {
    let datetime = moment.datetime;
    Some(match letter {
        'd' | 'e' | 'F' | 'G' | 'g' | 'H' | 'I' | 'j' | 'k' | 'l' | 'm' | 'M' | 'p' | 'P' | 'R'
        | 'S' | 'T' | 'u' | 'U' | 'V' | 'w' | 'W' | 'Y' => {
            datetime.format(&format!("%{letter}")).to_string()
        }
        'f' => {
            let ms = datetime.nanosecond() / 1_000_000;
            format!("{:02}.{ms:03}", datetime.second())
        }
        'J' => super::number::general(julian_day(datetime), 16, false, false),
        's' if moment.has_fraction => {
            format!("{:.3}", datetime.and_utc().timestamp_millis() as f64 / 1_000.0)
        }
        's' => datetime.and_utc().timestamp().to_string(),
        '%' => "%".into(),
        _ => return None,
    })
}
