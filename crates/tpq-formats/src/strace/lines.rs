//! Divides the text into lines.

use tpq_ingest::Loss;

use super::LINES;
use super::call_line::{CallLine, LineError, LineTime, TimeForm};
use crate::text::{Item, TextEvents, split_once, trim_line};

/// What strace says about itself.
const DIAGNOSTIC: &[u8] = b"strace: ";
/// A function of a call stack, which `-k` adds.
const STACK: &[u8] = b" > ";
const NS_PER_DAY: i64 = 86_400_000_000_000;

/// Divides the text into lines. Times of the day begin anew at midnight.
#[derive(Default)]
pub(super) struct CallLines {
    last_of_day: i64,
    days: i64,
    /// Whether times count from the line before, which the first one tells.
    has_differences: Option<bool>,
    /// The sum of the differences so far, ns.
    elapsed: i64,
    /// Whether the line before is of a call stack.
    is_in_stack: bool,
}

impl CallLines {
    /// The time of a line. A time of the day that is far before the last one is of the next day.
    /// Differences are from the line before, of whichever thread, and the first one is 0.
    fn time(&mut self, time: LineTime) -> i64 {
        let LineTime { ns, form } = time;
        if form == TimeForm::OfDay {
            if ns < self.last_of_day - NS_PER_DAY / 2 {
                self.days += 1;
            }
            self.last_of_day = ns;
            return ns.saturating_add(self.days.saturating_mul(NS_PER_DAY));
        }
        let is_difference = form == TimeForm::Difference || ns == 0;
        if !*self.has_differences.get_or_insert(is_difference) {
            return ns;
        }
        self.elapsed = self.elapsed.saturating_add(ns);
        self.elapsed
    }

    /// Passes over a line that is no call. The times after it count from it as well.
    fn skip(&mut self, line: &[u8]) {
        if let Some(time) = LineTime::of(line).filter(|time| time.form == TimeForm::Difference) {
            self.time(time);
        }
    }
}

impl TextEvents for CallLines {
    fn next(&mut self, text: &[u8]) -> (usize, Item) {
        let (line, rest) = split_once(text, b'\n').unwrap_or((text, &[]));
        let len = text.len() - rest.len();
        let trimmed = trim_line(line).trim_ascii_start();
        let was_in_stack = std::mem::replace(&mut self.is_in_stack, line.starts_with(STACK));
        if self.is_in_stack {
            let item = if was_in_stack { Item::Nothing } else { Item::NotRead(Loss::StraceStack) };
            return (len, item);
        }
        if trimmed.is_empty() || trimmed.starts_with(DIAGNOSTIC) {
            return (len, Item::Nothing);
        }
        let item = match CallLine::parse(line) {
            Ok(Some(line)) if line.tid.is_none() => {
                self.time(line.time);
                let what = "this line names no thread; record with `-f`";
                Item::Malformed(Loss::StraceWithoutThread, what)
            }
            Ok(Some(line)) => Item::Event { kind: LINES, ts: self.time(line.time) },
            Ok(None) | Err(LineError::Shape) => {
                self.skip(line);
                let what = "this is no system call, signal or exit";
                Item::Malformed(Loss::MalformedStraceLine, what)
            }
            Err(LineError::Time) => {
                let what = "this line has no time that can be read; record with `-ttt`";
                Item::Malformed(Loss::StraceWithoutTime, what)
            }
        };
        (len, item)
    }
}
