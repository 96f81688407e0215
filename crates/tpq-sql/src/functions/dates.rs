//! `date`, `time`, `datetime`, `julianday`, `unixepoch`, `strftime` and `timediff`, in UTC.

use chrono::{Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use datafusion::common::Result;

use super::number::real_prefix;
use super::per_row::{PerRow, integer, real, text};
use super::value::Value;

/// The Julian day number of 1970-01-01 00:00.
const EPOCH_DAY: f64 = 2_440_587.5;
const DAY_MS: f64 = 86_400_000.0;
/// The Julian day number of 10000-01-01 00:00.
const END_OF_DAYS: f64 = 5_373_484.5;

pub(super) fn functions() -> Vec<PerRow> {
    vec![
        PerRow::new("date", 0..=usize::MAX, text, |values| Ok(formatted(values, "%Y-%m-%d"))),
        PerRow::new("time", 0..=usize::MAX, text, |values| Ok(formatted(values, "%H:%M:%S"))),
        PerRow::new("datetime", 0..=usize::MAX, text, |values| {
            Ok(formatted(values, "%Y-%m-%d %H:%M:%S"))
        }),
        PerRow::new("julianday", 0..=usize::MAX, real, |values| {
            Ok(evaluate(values).map_or(Value::Null, |datetime| Value::Real(julian_day(datetime))))
        }),
        PerRow::new("unixepoch", 0..=usize::MAX, integer, |values| {
            let seconds = evaluate(values).map(|datetime| datetime.and_utc().timestamp());
            Ok(seconds.map_or(Value::Null, Value::Integer))
        }),
        PerRow::new("strftime", 1..=usize::MAX, text, strftime),
        PerRow::new("timediff", 2..=2, text, |values| {
            let times = evaluate(&values[..1]).zip(evaluate(&values[1..]));
            let difference = times.and_then(|(to, from)| time_difference(from, to));
            Ok(difference.map_or(Value::Null, Value::text))
        }),
    ]
}

fn julian_day(datetime: NaiveDateTime) -> f64 {
    datetime.and_utc().timestamp_millis() as f64 / DAY_MS + EPOCH_DAY
}

fn formatted<'a>(values: &[Value<'a>], format: &str) -> Value<'a> {
    evaluate(values)
        .map_or(Value::Null, |datetime| Value::text(datetime.format(format).to_string()))
}

/// Evaluates a time value and the modifiers after it; without a time value, the current time.
fn evaluate(values: &[Value]) -> Option<NaiveDateTime> {
    let Some((value, modifiers)) = values.split_first() else {
        return now();
    };
    let mut modifiers = modifiers.iter();
    let number = match value {
        Value::Integer(value) => Some(*value as f64),
        Value::Real(value) => Some(*value),
        Value::Text(text) => Some(real_prefix(text)).filter(|(_, whole)| *whole).map(|(n, _)| n),
        _ => None,
    };
    let mut datetime = match number {
        Some(number) => {
            let next = modifiers.clone().next().and_then(Value::as_text).unwrap_or_default();
            let unix = next.eq_ignore_ascii_case("unixepoch")
                || next.eq_ignore_ascii_case("auto") && !(0.0..END_OF_DAYS).contains(&number);
            let is_unit = ["unixepoch", "auto", "julianday"]
                .iter()
                .any(|unit| next.eq_ignore_ascii_case(unit));
            if is_unit {
                modifiers.next();
            }
            let ms = if unix { number * 1000.0 } else { (number - EPOCH_DAY) * DAY_MS };
            at_ms(ms)?
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
        datetime = apply_modifier(datetime, modifier.as_text()?.trim())?;
    }
    // SQLite's times begin with the Julian days, in the year -4713, and end with the year 9999.
    (0.0..END_OF_DAYS).contains(&julian_day(datetime)).then_some(datetime)
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
fn parse(text: &str) -> Option<NaiveDateTime> {
    let text = text.trim();
    if text.eq_ignore_ascii_case("now") {
        return now();
    }
    let date = text.get(..10).and_then(|date| NaiveDate::parse_from_str(date, "%Y-%m-%d").ok());
    let Some(date) = date else {
        return Some(NaiveDate::from_ymd_opt(2000, 1, 1)?.and_time(parse_time(text)?.0));
    };
    let rest = text.get(10..)?;
    if rest.is_empty() {
        return date.and_hms_opt(0, 0, 0);
    }
    let (time, offset) = parse_time(rest.strip_prefix(['T', ' '])?.trim_start())?;
    date.and_time(time).checked_sub_signed(offset)
}

/// Parses a time of day; also returns the offset of its time zone from UTC.
fn parse_time(text: &str) -> Option<(NaiveTime, TimeDelta)> {
    let text = text.trim_end_matches(['Z', 'z']).trim_end();
    let (time, offset) = match text.rfind(['+', '-']) {
        Some(at) => {
            let (hours, minutes) = text.get(at + 1..)?.split_once(':')?;
            let minutes = hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?;
            let sign = if text.get(at..=at)? == "-" { -1 } else { 1 };
            (text.get(..at)?.trim_end(), TimeDelta::try_minutes(sign * minutes)?)
        }
        None => (text, TimeDelta::zero()),
    };
    let formats = ["%H:%M", "%H:%M:%S", "%H:%M:%S%.f"];
    let parsed = formats.iter().find_map(|format| NaiveTime::parse_from_str(time, format).ok());
    Some((parsed?, offset))
}

fn apply_modifier(datetime: NaiveDateTime, modifier: &str) -> Option<NaiveDateTime> {
    let modifier = modifier.to_ascii_lowercase();
    let date = datetime.date();
    match modifier.as_str() {
        "start of day" => return date.and_hms_opt(0, 0, 0),
        "start of month" => return date.with_day(1)?.and_hms_opt(0, 0, 0),
        "start of year" => return date.with_day(1)?.with_month(1)?.and_hms_opt(0, 0, 0),
        "utc" | "localtime" | "subsec" | "subsecond" => return Some(datetime),
        _ => {}
    }
    if let Some(day) = modifier.strip_prefix("weekday ") {
        let wanted: i64 = day.trim().parse().ok()?;
        let ahead = (wanted - i64::from(date.weekday().num_days_from_sunday())).rem_euclid(7);
        return datetime.checked_add_days(Days::new(ahead.unsigned_abs()));
    }
    let (amount, unit) = modifier.split_once(' ')?;
    let amount: f64 = amount.trim_start_matches('+').parse().ok()?;
    let seconds = match unit.trim().trim_end_matches('s') {
        "second" => 1.0,
        "minute" => 60.0,
        "hour" => 3_600.0,
        "day" => 86_400.0,
        "month" => return months_later(datetime, amount as i64),
        "year" => return months_later(datetime, (amount as i64).checked_mul(12)?),
        _ => return None,
    };
    let ms = amount * seconds * 1000.0;
    datetime.checked_add_signed(TimeDelta::try_milliseconds(ms.round() as i64)?)
}

/// Adds months. The 31st of a month with 30 days becomes the 1st of the next month.
fn months_later(datetime: NaiveDateTime, months: i64) -> Option<NaiveDateTime> {
    let first = datetime.with_day(1)?;
    let count = Months::new(u32::try_from(months.unsigned_abs()).ok()?);
    let moved =
        if months < 0 { first.checked_sub_months(count) } else { first.checked_add_months(count) }?;
    moved.checked_add_days(Days::new(u64::from(datetime.day() - 1)))
}

/// The difference from one time to another in the parts of a calendar: whole months, then what is
/// left of days and time. Added to the first time as a modifier, it gives the second.
fn time_difference(from: NaiveDateTime, to: NaiveDateTime) -> Option<String> {
    let sign: i64 = if to < from { -1 } else { 1 };
    let month_number = |time: NaiveDateTime| i64::from(time.year()) * 12 + i64::from(time.month0());
    let mut months = (month_number(to) - month_number(from)).abs();
    let left = loop {
        let reached = months_later(from, sign * months)?;
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
    let (Some(format), Some(datetime)) = (values[0].as_text(), evaluate(&values[1..])) else {
        return Ok(Value::Null);
    };
    let mut out = String::new();
    let mut characters = format.chars();
    while let Some(c) = characters.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        match characters.next().and_then(|letter| conversion(letter, datetime)) {
            Some(text) => out.push_str(&text),
            None => return Ok(Value::Null),
        }
    }
    Ok(Value::text(out))
}

fn conversion(letter: char, datetime: NaiveDateTime) -> Option<String> {
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
        's' => datetime.and_utc().timestamp().to_string(),
        '%' => "%".into(),
        _ => return None,
    })
}
