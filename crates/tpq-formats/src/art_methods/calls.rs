//! The parts of a trace.

use super::CALLS;
use crate::document::{Document, Events, Place};
use crate::text::{number, split_once};

const MAGIC: &[u8] = b"SLOW";
/// Bytes of the header before the calls.
const HEADER: usize = 32;
/// The bits that are set in the version of a stream.
const STREAMED: u16 = 0xf0;
/// Bytes of a call with two times: of the thread's clock and of the wall's.
const WITH_TWO_TIMES: usize = 14;
const NS_PER_US: i64 = 1000;

/// A part of a trace.
pub(super) enum Part<'a> {
    /// A thread with its name.
    Thread(u32, &'a [u8]),
    /// A line about a method.
    Method(&'a [u8]),
    Call(Call),
    /// Later calls did not fit into the buffer.
    Overflow,
}

/// A method was entered or left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Call {
    tid: u32,
    method: u32,
    is_exit: bool,
    /// Time, ns.
    ts: i64,
}

/// The position of damage, and what it is.
type Damage = (usize, &'static str);

/// Reads the times of all calls.
pub(super) fn read(trace: &[u8]) -> Document {
    let (mut times, mut words) = (Vec::new(), Vec::new());
    let walked = walk(trace, |part| {
        if let Part::Call(call) = part {
            times.push(call.ts);
            words.extend([call.tid, call.method, u32::from(call.is_exit)]);
        }
    });
    let is_readable = walked.is_ok() || !times.is_empty();
    let events = vec![Events { kind: CALLS, times, place: Place::Numbers(3, words) }];
    Document { events, problems: walked.err().into_iter().collect(), is_readable }
}

/// Hands on the parts of a trace up to its end, or to damage.
pub(super) fn walk<'a>(trace: &'a [u8], mut take: impl FnMut(Part<'a>)) -> Result<(), Damage> {
    match trace.starts_with(MAGIC) {
        true => stream(trace, &mut take),
        false => {
            let at = lists(trace, &mut take)?;
            let layout = Layout::read(trace, at, 0)?;
            let calls = trace.get(at + HEADER..).unwrap_or_default();
            for call in calls.chunks_exact(layout.size) {
                take(Part::Call(layout.call(call)));
            }
            Ok(())
        }
    }
}

/// The layout of calls.
#[derive(Clone, Copy)]
struct Layout {
    /// Bytes of a call.
    size: usize,
    /// Bytes of the thread of a call.
    tid: usize,
    /// Start of the trace, us.
    start: i64,
}

impl Layout {
    /// Reads the header at `at`; some bits of its version are set.
    fn read(trace: &[u8], at: usize, bits: u16) -> Result<Self, Damage> {
        let header = trace.get(at..at.saturating_add(HEADER));
        let header = header.filter(|header| header.starts_with(MAGIC));
        let Some(header) = header else { return Err((at, "the calls have no header")) };
        let (size, tid) = match u16_at(header, 4) ^ bits {
            1 => (9, 1),
            2 => (10, 2),
            3 => (usize::from(u16_at(header, 16)), 2),
            _ => return Err((at + 4, "the version of the calls is not 1, 2 or 3")),
        };
        // A thread, a method and a time.
        if size < tid + 8 {
            return Err((at + 16, "a call is shorter than its thread, method and time"));
        }
        let start = header.get(8..16).and_then(|it| it.try_into().ok());
        Ok(Self { size, tid, start: start.map_or(0, i64::from_le_bytes) })
    }

    fn call(&self, call: &[u8]) -> Call {
        let tid = match self.tid {
            1 => u32::from(call.first().copied().unwrap_or_default()),
            _ => u32::from(u16_at(call, 0)),
        };
        let method = u32_at(call, self.tid);
        let time = if self.size >= WITH_TWO_TIMES { self.tid + 8 } else { self.tid + 4 };
        let us = self.start.saturating_add(i64::from(u32_at(call, time)));
        let ts = us.saturating_mul(NS_PER_US);
        // The lowest bits state whether the method was entered, left, or left by an exception.
        Call { tid, method: method & !3, is_exit: method & 3 != 0, ts }
    }
}

/// Hands on the lists before the calls; returns where the calls begin.
fn lists<'a>(trace: &'a [u8], take: &mut impl FnMut(Part<'a>)) -> Result<usize, Damage> {
    let mut section: &[u8] = b"";
    let mut rest = trace;
    while let Some((line, after)) = split_once(rest, b'\n') {
        let at = trace.len() - rest.len();
        rest = after;
        if line == b"*end" {
            return Ok(trace.len() - after.len());
        }
        if line.starts_with(b"*") {
            section = line;
            continue;
        }
        match section {
            b"*threads" => {
                let thread = split_once(line, b'\t');
                let thread = thread.and_then(|(tid, name)| Some((number(tid)?, name)));
                let Some((tid, name)) = thread else {
                    return Err((at, "a thread has no id and name"));
                };
                take(Part::Thread(tid, name));
            }
            b"*methods" => take(Part::Method(line)),
            _ if line == b"data-file-overflow=true" => take(Part::Overflow),
            _ if line == b"clock=thread-cpu" => {
                return Err((at, "the trace has only times of threads, which cannot be compared"));
            }
            _ => {}
        }
    }
    Err((trace.len() - rest.len(), "the lists have no end"))
}

/// Hands on the parts of a stream, each of which begins with a thread; 0 stands for a list.
fn stream<'a>(trace: &'a [u8], take: &mut impl FnMut(Part<'a>)) -> Result<(), Damage> {
    let layout = Layout::read(trace, 0, STREAMED)?;
    // Streams have threads of two bytes in all versions.
    let layout = Layout { tid: 2, size: layout.size.max(10), ..layout };
    let mut at = HEADER;
    loop {
        let cut = (at, "the trace ends within a call or a list");
        let bytes = |from: usize, len: usize| trace.get(from..from.checked_add(len)?);
        let part = bytes(at, 2).ok_or(cut)?;
        if part != [0, 0] {
            let call = bytes(at, layout.size).ok_or(cut)?;
            take(Part::Call(layout.call(call)));
            at += layout.size;
            continue;
        }
        let kind = bytes(at + 2, 1).and_then(|it| it.first().copied()).ok_or(cut)?;
        match kind {
            1 => {
                let len = usize::from(u16_at(bytes(at + 3, 2).ok_or(cut)?, 0));
                take(Part::Method(bytes(at + 5, len).ok_or(cut)?));
                at += 5 + len;
            }
            2 => {
                let numbers = bytes(at + 3, 4).ok_or(cut)?;
                let (tid, len) = (u16_at(numbers, 0), usize::from(u16_at(numbers, 2)));
                take(Part::Thread(u32::from(tid), bytes(at + 7, len).ok_or(cut)?));
                at += 7 + len;
            }
            // The summary ends the stream.
            3 => return Ok(()),
            _ => return Err((at + 2, "this is no call, thread, method or summary")),
        }
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let number = bytes.get(at..at + 2).and_then(|it| it.try_into().ok());
    number.map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let number = bytes.get(at..at + 4).and_then(|it| it.try_into().ok());
    number.map_or(0, u32::from_le_bytes)
}
