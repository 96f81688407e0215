//! The parts of a line, without a look at what its event means.

/// A line of one event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SystraceLine<'a> {
    /// The name of the thread that was running, at most 15 bytes of it.
    task: &'a [u8],
    /// The id of that thread.
    pub(crate) pid: i32,
    /// The id of its process, where the tracer knew it.
    pub(crate) tgid: Option<i32>,
    /// The CPU it ran on.
    pub(crate) cpu: u32,
    /// Timestamp, ns of the tracer's clock.
    pub(crate) ts: i64,
    /// The name of the event.
    pub(crate) event: &'a [u8],
    /// The details of the event, without spaces around them.
    pub(crate) details: &'a [u8],
}

/// The reason why a line is not an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineError {
    /// It does not have the parts of one.
    Shape,
    /// It does, but a number in there is greater than any can be.
    Number,
}

/// Between CPU and time lie at most this many words, of at most this many bytes: flags, and how
/// late the event is.
const WORDS_BEFORE_TIME: usize = 3;
const MOST_OF_WORD: usize = 16;
/// The text that the tracer writes for a thread with a forgotten name.
const NO_COMM: &[u8] = b"<...>";
const NS_PER_S: i64 = 1_000_000_000;

impl<'a> SystraceLine<'a> {
    /// Separates the parts of a line; `None` for empty lines and comments.
    ///
    /// The name of a thread may hold whatever else a line does. The CPU is found first: the first
    /// number in brackets that a thread's id lies before and a time after.
    pub(crate) fn parse(line: &'a [u8]) -> Result<Option<Self>, LineError> {
        let line = end_of_line(line).trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(None);
        }
        let brackets = line.iter().enumerate().filter(|&(_, &byte)| byte == b'[');
        brackets
            .filter_map(|(at, _)| Self::around(line, at))
            .next()
            .unwrap_or(Err(LineError::Shape))
            .map(Some)
    }

    /// Reads a line with its CPU in the brackets that open at `at`, if possible.
    fn around(line: &'a [u8], at: usize) -> Option<Result<Self, LineError>> {
        let (before, after) = (line.get(..at)?, line.get(at + 1..)?);
        let (cpu, after) = digits(after);
        let after = after.strip_prefix(b"]")?;
        let (before, tgid) = tgid(before.trim_ascii_end());
        let (task, pid) = last_digits(before);
        let task = task.strip_suffix(b"-")?;
        if cpu.is_empty() || pid.is_empty() {
            return None;
        }
        let (seconds, fraction, after) = time(after)?;
        let after = after.trim_ascii_start();
        let colon = after.iter().position(|&byte| byte == b':' || byte.is_ascii_whitespace())?;
        let (event, after) = after.split_at_checked(colon)?;
        let details = after.strip_prefix(b":")?.trim_ascii();
        let read = || {
            Some(Self {
                task: task.trim_ascii(),
                pid: number(pid)?,
                tgid: match tgid {
                    Some(tgid) => Some(number(tgid)?),
                    None => None,
                },
                cpu: number(cpu)?,
                ts: nanoseconds(seconds, fraction)?,
                event,
                details,
            })
        };
        Some(read().ok_or(LineError::Number))
    }

    /// The name of the thread that was running, where the tracer still knew it.
    pub(crate) fn comm(&self) -> Option<&'a [u8]> {
        Some(self.task).filter(|&task| task != NO_COMM && !task.is_empty())
    }
}

/// Lines that were copied into the source of a program end as its strings do.
fn end_of_line(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii_end();
    line.strip_suffix(br"\n\").unwrap_or(line)
}

/// The digits that bytes begin with, and what follows.
fn digits(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(bytes.len());
    bytes.split_at(end)
}

/// The text before trailing digits, and the digits.
fn last_digits(bytes: &[u8]) -> (&[u8], &[u8]) {
    let start = bytes.iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    bytes.split_at(start)
}

/// The id of a process in parentheses at the end, as `(  123)`; dashes stand for an unknown one.
/// Also gives what lies before.
fn tgid(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(open) = bytes.strip_suffix(b")") else { return (bytes, None) };
    let inside = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b' ' | b'-');
    let start = open.iter().rposition(|byte| !inside(byte)).map_or(0, |last| last + 1);
    let (before, tgid) = open.split_at(start);
    let Some(before) = before.strip_suffix(b"(") else { return (bytes, None) };
    let tgid = tgid.trim_ascii();
    let known = !tgid.is_empty() && tgid.iter().all(u8::is_ascii_digit);
    (before.trim_ascii_end(), Some(tgid).filter(|_| known))
}

/// The time, after what the tracer says of interrupts: seconds, their fraction, and what follows.
fn time(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let mut rest = bytes.trim_ascii_start();
    for _ in 0..=WORDS_BEFORE_TIME {
        let (seconds, after) = digits(rest);
        if let Some(after) = after.strip_prefix(b".")
            && let (fraction, after) = digits(after)
            && let Some(after) = after.strip_prefix(b":")
            && !seconds.is_empty()
            && !fraction.is_empty()
        {
            return Some((seconds, fraction, after));
        }
        let word = rest.iter().take(MOST_OF_WORD + 1).position(u8::is_ascii_whitespace)?;
        let (word, after) = rest.split_at_checked(word)?;
        // Another CPU: the brackets before were of the thread's name.
        if word.starts_with(b"[") {
            return None;
        }
        rest = after.trim_ascii_start();
    }
    None
}

/// Exact, unlike a floating-point number. Digits below a nanosecond are ignored.
fn nanoseconds(seconds: &[u8], fraction: &[u8]) -> Option<i64> {
    let digits = fraction.iter().chain(std::iter::repeat(&b'0')).take(9);
    let ns = digits.fold(0, |ns, digit| ns * 10 + i64::from(digit - b'0'));
    number::<i64>(seconds)?.checked_mul(NS_PER_S)?.checked_add(ns)
}

fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> SystraceLine<'_> {
        match SystraceLine::parse(line.as_bytes()) {
            Ok(Some(line)) => line,
            other => panic!("{line:?} gave {other:?}"),
        }
    }

    fn task(line: &str) -> (&str, i32, Option<i32>) {
        let line = parse(line);
        (std::str::from_utf8(line.task).unwrap(), line.pid, line.tgid)
    }

    #[test]
    fn every_part_of_a_line() {
        let line = "  atrace-14662 (14660) [003] d.h2 50260.647576: sched_waking: comm=a pid=1 \n";
        assert_eq!(
            parse(line),
            SystraceLine {
                task: b"atrace",
                pid: 14662,
                tgid: Some(14660),
                cpu: 3,
                ts: 50_260_647_576_000,
                event: b"sched_waking",
                details: b"comm=a pid=1",
            }
        );
    }

    #[test]
    fn parts_that_may_be_missing() {
        assert_eq!(task("<idle>-0 [000] 1.5: e: x"), ("<idle>", 0, None));
        assert_eq!(task("a-1 (-----) [000] .... 1.5: e: x"), ("a", 1, None));
        assert_eq!(task("a-1 (   77) [000] ...1 1.5: e: x"), ("a", 1, Some(77)));
        assert_eq!(task("a-1(77)[000] 1.5: e: x"), ("a", 1, Some(77)));
        assert_eq!(task("a-1 [000] d..2. +3us! 1.5: e: x"), ("a", 1, None));
        assert_eq!(parse("a-1 [000] 1.5: binder_lock:").details, b"");
    }

    #[test]
    fn names_of_threads_may_hold_what_else_a_line_does() {
        assert_eq!(task("Binder Thread #1-12 [000] 1.5: e: x").0, "Binder Thread #1");
        assert_eq!(task("kworker/u16:1-77 [000] 1.5: e: x").0, "kworker/u16:1");
        assert_eq!(task("a-b-c--7 [000] 1.5: e: x"), ("a-b-c-", 7, None));
        assert_eq!(task("x (1) [2]-7 (3) [004] 1.5: e: x"), ("x (1) [2]", 7, Some(3)));
        assert_eq!(task("x-1 [2] y-7 [004] 1.5: e: x"), ("x-1 [2] y", 7, None));
        assert_eq!(task("-7 [004] 1.5: e: x"), ("", 7, None));
        assert_eq!(parse("<...>-7 [004] 1.5: e: x").comm(), None);
        assert_eq!(parse("a-7 [004] 1.5: e: x").comm(), Some(&b"a"[..]));
    }

    #[test]
    fn details_may_look_like_another_line() {
        let line = parse("a-1 [000] 1.5: print: B|1|b-2 [001] 2.5: e: x");
        assert_eq!((line.pid, line.cpu, line.event), (1, 0, &b"print"[..]));
        assert_eq!(line.details, b"B|1|b-2 [001] 2.5: e: x");
        // The name of an event ends at the first colon.
        let line = parse("a-1 [000] 1.5: 0:B|1|x: y");
        assert_eq!((line.event, line.details), (&b"0"[..], &b"B|1|x: y"[..]));
    }

    #[test]
    fn times_are_exact() {
        let ts = |time: &str| parse(&format!("a-1 [000] {time}: e: x")).ts;
        assert_eq!(ts("0.002188"), 2_188_000);
        assert_eq!(ts("4.35"), 4_350_000_000);
        assert_eq!(ts("9007199254.740993001"), 9_007_199_254_740_993_001);
        assert_eq!(ts("1.0000000019"), 1_000_000_001);
    }

    #[test]
    fn lines_without_events() {
        for line in ["", "  \n", "# tracer: nop", "#  TASK-PID    CPU#  ||||    TIMESTAMP"] {
            assert_eq!(SystraceLine::parse(line.as_bytes()), Ok(None), "{line:?}");
        }
    }

    #[test]
    fn lines_copied_into_a_program() {
        assert_eq!(parse("a-1 [000] 1.5: e: prio=120\\n\\\n").details, b"prio=120");
        assert_eq!(SystraceLine::parse(b"\\n\\"), Ok(None));
        assert_eq!(parse("a-1 [000] 1.5: e: a\\n").details, b"a\\n", "what a program wrote");
    }

    #[test]
    fn lines_that_are_none() {
        let shape = [
            "hello",
            "a [000] 1.5: e: x",
            "a-1 000 1.5: e: x",
            "a-1 [] 1.5: e: x",
            "a-1 [0x1] 1.5: e: x",
            "a-1 [000] 15: e: x",
            "a-1 [000] 1.: e: x",
            "a-1 [000] .5: e: x",
            "a-1 [000] 1.5: e",
            "a-1 [000] 1.5: an event: x",
            "a-1 (7 [000] 1.5: e: x",
            "a-1 [000] too many words before 1.5: e: x",
            "a-1 [000] a_word_that_is_too_long 1.5: e: x",
            "CPU:1 [LOST 12 EVENTS]",
            "[",
            "-[0]",
        ];
        for line in shape {
            assert_eq!(SystraceLine::parse(line.as_bytes()), Err(LineError::Shape), "{line:?}");
        }
        let number = [
            "a-2147483648 [000] 1.5: e: x",
            "a-1 (99999999999) [000] 1.5: e: x",
            "a-1 [4294967296] 1.5: e: x",
            "a-1 [000] 9223372036.854775808: e: x",
            "a-1 [000] 99999999999999999999.5: e: x",
        ];
        for line in number {
            assert_eq!(SystraceLine::parse(line.as_bytes()), Err(LineError::Number), "{line:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text() {
        let line = SystraceLine::parse(b"\xff\xfe-1 [000] 1.5: e: \xff").unwrap().unwrap();
        assert_eq!((line.task, line.details), (&b"\xff\xfe"[..], &b"\xff"[..]));
    }

    #[test]
    fn long_lines_of_brackets() {
        for part in ["[", "[0]", "-1 [0] ", "(", "-1 (0) [0]", "0", "-1 [0] 0.0"] {
            let line = part.repeat(10_000_000 / part.len());
            assert_eq!(SystraceLine::parse(line.as_bytes()), Err(LineError::Shape), "{part:?}");
        }
    }
}
