//! The parts of a line.

use tpq_source::after_strace_annotations;

use crate::text::{number, seconds, split_once, split_word, trim_line};

const NS_PER_S: i64 = 1_000_000_000;
const UNFINISHED: &[u8] = b"<unfinished ...>";
const RESUMED: &[u8] = b" resumed>";
/// Numbers of fewer digits are ids of threads; seconds since the epoch have ten.
const DIGITS_OF_SECONDS: usize = 10;
/// The width to which ids of threads are filled up in a file.
const THREAD_WIDTH: usize = 5;

/// A line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CallLine<'a> {
    /// Thread; `None` if the line names none.
    pub(super) tid: Option<u32>,
    /// Its time.
    pub(super) time: LineTime,
    /// Name of the call or the signal, or the words of an exit.
    pub(super) name: &'a [u8],
    /// Arguments, as they are printed.
    pub(super) args: Option<&'a [u8]>,
    /// Returned value, as it is printed.
    pub(super) ret: Option<&'a [u8]>,
    pub(super) what: What,
}

/// The time that a line states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LineTime {
    /// Time, ns.
    pub(super) ns: i64,
    /// What it counts from.
    pub(super) form: TimeForm,
}

/// What the time of a line counts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TimeForm {
    /// Midnight.
    OfDay,
    /// The epoch, unless the times of the file are differences (`-r` without `-t`).
    Seconds,
    /// The line before: a number that is filled up with spaces to the width of such differences.
    Difference,
}

/// What a line states of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// It was made, and took some ns; 0 if that is unknown.
    Complete(i64),
    /// It began.
    Begun,
    /// It ended.
    Ended,
    /// It was interrupted again.
    Continued,
    /// A signal or an exit.
    Moment,
}

/// The reason why a line cannot be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LineError {
    Shape,
    Time,
}

impl<'a> CallLine<'a> {
    /// Reads a line; `None` if it is empty.
    pub(super) fn parse(line: &'a [u8]) -> Result<Option<Self>, LineError> {
        let line = trim_line(line);
        if line.is_empty() {
            return Ok(None);
        }
        let (tid, time, rest) = thread_and_time(line)?;
        let rest = after_strace_annotations(rest);
        let read = moment(rest).or_else(|| call(rest)).ok_or(LineError::Shape)?;
        let Parts { name, args, ret, what } = read;
        Ok(Some(Self { tid, time, name, args, ret, what }))
    }
}

impl LineTime {
    /// The time of a line that may be of no known shape behind it.
    pub(super) fn of(line: &[u8]) -> Option<Self> {
        let (_, time, _) = thread_and_time(trim_line(line)).ok()?;
        Some(time)
    }
}

/// The parts behind thread and time.
struct Parts<'a> {
    name: &'a [u8],
    args: Option<&'a [u8]>,
    ret: Option<&'a [u8]>,
    what: What,
}

/// The thread, the time, and what follows.
fn thread_and_time(line: &[u8]) -> Result<(Option<u32>, LineTime, &[u8]), LineError> {
    let (tid, spaces, behind) = thread(line.trim_ascii_start())?;
    let rest = if tid.is_some() { behind } else { line };
    let found = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let (word, rest) = split_word(rest).ok_or(LineError::Shape)?;
    let (ns, is_of_day) = time(word)?;
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let form = match is_of_day {
        true => TimeForm::OfDay,
        // Seconds since the epoch are never filled up.
        false if found > spaces && digits < DIGITS_OF_SECONDS => TimeForm::Difference,
        false => TimeForm::Seconds,
    };
    Ok((tid, LineTime { ns, form }, rest))
}

/// The thread, as `1234` or `[pid  1234]`; the number of spaces that come with it; and what follows,
/// with these spaces.
fn thread(line: &[u8]) -> Result<(Option<u32>, usize, &[u8]), LineError> {
    if let Some(rest) = line.strip_prefix(b"[pid") {
        let (tid, rest) = split_once(rest, b']').ok_or(LineError::Shape)?;
        let tid = number(tid.trim_ascii()).ok_or(LineError::Shape)?;
        return Ok((Some(tid), 1, rest));
    }
    match split_word(line) {
        Some((word, _))
            if word.len() < DIGITS_OF_SECONDS && word.iter().all(u8::is_ascii_digit) =>
        {
            let tid = number(word).ok_or(LineError::Shape)?;
            let spaces = THREAD_WIDTH.saturating_sub(word.len()) + 1;
            Ok((Some(tid), spaces, line.get(word.len()..).unwrap_or_default()))
        }
        _ => Ok((None, 0, line)),
    }
}

/// The time in ns, and whether it is one of the day.
fn time(word: &[u8]) -> Result<(i64, bool), LineError> {
    let ns = |text: &[u8]| {
        seconds(text).or_else(|| number::<u32>(text).map(|it| i64::from(it) * NS_PER_S))
    };
    let mut parts = word.split(|&byte| byte == b':');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(time), None, ..) => match ns(time) {
            Some(ts) => Ok((ts, false)),
            None if time.first().is_some_and(u8::is_ascii_digit) => Err(LineError::Time),
            None => Err(LineError::Shape),
        },
        (Some(hours), Some(minutes), Some(time), None) => {
            let of_day = || {
                let (hours, minutes) = (number::<u32>(hours)?, number::<u32>(minutes)?);
                let ns = ns(time).filter(|&ns| ns < 61 * NS_PER_S)?;
                // Of larger numbers the product may not be one.
                (hours < 24 && minutes < 60)
                    .then(|| i64::from(hours * 60 + minutes) * 60 * NS_PER_S + ns)
            };
            of_day().map(|ts| (ts, true)).ok_or(LineError::Time)
        }
        _ => Err(LineError::Shape),
    }
}

/// `--- SIGCHLD {…} ---` and `+++ exited with 0 +++`.
fn moment(rest: &[u8]) -> Option<Parts<'_>> {
    let inside = |mark: &[u8]| Some(rest.strip_prefix(mark)?.strip_suffix(mark)?.trim_ascii());
    if let Some(signal) = inside(b"---") {
        let (name, args) = split_word(signal)?;
        let args = (!args.is_empty()).then_some(args);
        return Some(Parts { name, args, ret: None, what: What::Moment });
    }
    let name = inside(b"+++")?;
    Some(Parts { name, args: None, ret: None, what: What::Moment })
}

/// A system call, or a part of one.
fn call(rest: &[u8]) -> Option<Parts<'_>> {
    let (name, rest, is_resumed) = match rest.strip_prefix(b"<... ") {
        Some(rest) => {
            let end = memchr::memmem::find(rest, RESUMED)?;
            (rest.get(..end)?, rest.get(end + RESUMED.len()..)?, true)
        }
        None => {
            let (name, rest) = split_once(rest, b'(')?;
            (name, rest, false)
        }
    };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    if name.is_empty() || !name.iter().all(is_name) {
        return None;
    }
    if let Some(args) = rest.trim_ascii_end().strip_suffix(UNFINISHED) {
        let args = trim_args(args);
        let what = if is_resumed { What::Continued } else { What::Begun };
        return Some(Parts { name, args, ret: None, what });
    }
    let (args, ret) = args_and_ret(rest)?;
    let (ret, dur) = ret_and_duration(ret);
    let what = if is_resumed { What::Ended } else { What::Complete(dur.unwrap_or_default()) };
    Some(Parts { name, args: trim_args(args), ret: Some(ret), what })
}

/// Arguments without a comma at the end; `None` if there are none.
fn trim_args(args: &[u8]) -> Option<&[u8]> {
    let args = args.trim_ascii();
    let args = args.strip_suffix(b",").unwrap_or(args).trim_ascii_end();
    (!args.is_empty()).then_some(args)
}

/// The arguments before the bracket that closes the call, and the returned value behind `=`. The
/// last such bracket closes the call: arguments may contain any text.
fn args_and_ret(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    memchr::memrchr_iter(b')', rest).find_map(|close| {
        let ret = rest.get(close + 1..)?.trim_ascii_start().strip_prefix(b"=")?;
        Some((rest.get(..close)?, ret.trim_ascii()))
    })
}

/// The returned value without the duration that `-T` adds, and the duration in ns.
fn ret_and_duration(ret: &[u8]) -> (&[u8], Option<i64>) {
    let split = || {
        let inside = ret.strip_suffix(b">")?;
        let open = memchr::memrchr(b'<', inside)?;
        let dur = seconds(inside.get(open + 1..)?)?;
        Some((inside.get(..open)?.trim_ascii_end(), dur))
    };
    match split() {
        Some((ret, dur)) => (ret, Some(dur)),
        None => (ret, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Shown<'a> = (Option<u32>, i64, &'a str, &'a str, &'a str, What);

    fn parts(line: &'static str) -> Shown<'static> {
        let parsed = CallLine::parse(line.as_bytes());
        let Ok(Some(parsed)) = parsed else { panic!("{line:?} gave {parsed:?}") };
        let text = |bytes: Option<&'static [u8]>| {
            std::str::from_utf8(bytes.unwrap_or(b"-")).unwrap_or("?")
        };
        let CallLine { tid, time, name, args, ret, what } = parsed;
        (tid, time.ns / 1000, text(Some(name)), text(args), text(ret), what)
    }

    #[test]
    fn lines_in_each_form() {
        let at = 1_700_000_000_000_000;
        for (line, expected) in [
            (
                "12 1700000000.000005 read(3, \"a) = b\", 9) = 3 <0.000123>",
                (Some(12), at + 5, "read", "3, \"a) = b\", 9", "3", What::Complete(123_000)),
            ),
            (
                "[pid    12] 1700000000 close(2)        = -1 EBADF (Bad file descriptor)",
                (Some(12), at, "close", "2", "-1 EBADF (Bad file descriptor)", What::Complete(0)),
            ),
            (
                "1700000000.5 getpid() = 7",
                (None, at + 500_000, "getpid", "-", "7", What::Complete(0)),
            ),
            (
                "12 00:01:02.5 wait4(-1,  <unfinished ...>",
                (Some(12), 62_500_000, "wait4", "-1", "-", What::Begun),
            ),
            (
                "12 1700000000 <... wait4 resumed>[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 13",
                (
                    Some(12),
                    at,
                    "wait4",
                    "[{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL",
                    "13",
                    What::Ended,
                ),
            ),
            (
                "12 1700000000 <... read resumed> <unfinished ...>",
                (Some(12), at, "read", "-", "-", What::Continued),
            ),
            (
                "12 1700000000 --- SIGCHLD {si_signo=SIGCHLD} ---",
                (Some(12), at, "SIGCHLD", "{si_signo=SIGCHLD}", "-", What::Moment),
            ),
            (
                "12 1700000000 (+     0.000250) getpid() = 7",
                (Some(12), at, "getpid", "-", "7", What::Complete(0)),
            ),
            (
                "12 1700000000 (+ 0.5) [00007f2ff064ac47] --- SIGUSR1 {a=(1)} ---",
                (Some(12), at, "SIGUSR1", "{a=(1)}", "-", What::Moment),
            ),
            (
                "12 1700000000 +++ exited with 0 +++",
                (Some(12), at, "exited with 0", "-", "-", What::Moment),
            ),
            (
                "12 1700000000 exit_group(0) = ?",
                (Some(12), at, "exit_group", "0", "?", What::Complete(0)),
            ),
        ] {
            assert_eq!(parts(line), expected, "{line}");
        }
    }

    /// With `-r` alone, seconds are filled up to six places behind the column of the thread.
    #[test]
    fn times_and_what_they_count_from() {
        for (line, expected) in [
            ("12         0.000250 x", (250_000, TimeForm::Difference)),
            ("[pid    12]      0.000250 x", (250_000, TimeForm::Difference)),
            ("1234567      0.000250 x", (250_000, TimeForm::Difference)),
            ("     0.000250 x", (250_000, TimeForm::Difference)),
            ("12    105.000250 x", (105_000_250_000, TimeForm::Seconds)),
            ("12 0.000250 x", (250_000, TimeForm::Seconds)),
            ("[pid    12] 0.000250 x", (250_000, TimeForm::Seconds)),
            ("12         1700000000.0 x", (1_700_000_000_000_000_000, TimeForm::Seconds)),
            ("12         00:00:01 x", (1_000_000_000, TimeForm::OfDay)),
        ] {
            let time = LineTime::of(line.as_bytes()).map(|time| (time.ns, time.form));
            assert_eq!(time, Some(expected), "{line}");
        }
        assert_eq!(LineTime::of(b"12 x"), None);
    }

    #[test]
    fn lines_that_are_none() {
        for (line, error) in [
            ("read(3) = 1", LineError::Shape),
            ("12 read(3) = 1", LineError::Shape),
            ("12 1.5 read(3)", LineError::Shape),
            ("12 1.5 read 3 = 1", LineError::Shape),
            ("12 1.5 (+ 0.1 read(3", LineError::Shape),
            ("12 25:00:00 read(3) = 1", LineError::Time),
            ("12 4294967295:4294967295:00 read(3) = 1", LineError::Time),
            ("12 1.x read(3) = 1", LineError::Time),
            ("[pid x] 1.5 read(3) = 1", LineError::Shape),
        ] {
            assert_eq!(CallLine::parse(line.as_bytes()), Err(error), "{line}");
        }
        assert_eq!(CallLine::parse(b"  "), Ok(None));
    }
}
