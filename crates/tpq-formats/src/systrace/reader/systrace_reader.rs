//! Hands on the lines of a file in batches.

use tpq_clock::Clock;
use tpq_ingest::{
    Batch, EventReader, FileContext, Loss, LossBook, LossEntry, Payload, PendingRun, Run, RunKind,
    SourceId, TextLocation, Timeline, TraceBytes,
};

use super::sections::{Part, Sections};

/// A batch ends after this many events…
const BATCH_EVENTS: usize = 8192;
/// …or this many bytes of text, whichever comes first.
const BATCH_BYTES: usize = 4 << 20;
/// Bytes of a line, what of which is text is kept in memory.
const LARGEST_LINE: u32 = 32 << 20;
/// How far into a file `atrace` may say that the trace begins.
const LOOK_AHEAD: usize = 4096;
/// How it says so.
const ATRACE: &[u8] = b"TRACE:\n";

/// The kind of a line of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::systrace) enum TextLine {
    /// An event, and when it was written, in nanoseconds.
    Event(i64),
    /// A comment, or empty.
    Comment,
    /// Not what it should be.
    Malformed,
}

/// The kinds of runs that a file is read into, as the decoder numbers them, and how
/// to distinguish its lines.
#[derive(Clone, Copy, Debug)]
pub(in crate::systrace) struct SystraceKinds {
    /// Lines of the trace.
    pub(in crate::systrace) lines: RunKind,
    /// Lines of a list of processes, before all others.
    pub(in crate::systrace) processes: RunKind,
    /// Lines of a list of threads, likewise.
    pub(in crate::systrace) threads: RunKind,
    /// The kind of a line of the trace.
    pub(in crate::systrace) read: fn(&[u8]) -> TextLine,
}

/// Reads a file of lines.
pub(in crate::systrace) struct SystraceReader<'a> {
    text: &'a [u8],
    base: u64,
    at: usize,
    sections: Sections,
    file: FileContext,
    clock: Clock,
    timeline: Timeline,
    kinds: SystraceKinds,
    losses: LossBook,
    /// The number of lines so far.
    line: u64,
    /// The number of events so far.
    position: u32,
    earliest: Option<i64>,
    /// The contents of the lists, which hold from the start.
    undated: [Vec<(usize, usize)>; 2],
    done: bool,
}

/// The batch under way.
#[derive(Default)]
struct Open {
    start: usize,
    first_position: u32,
    times: Vec<i64>,
    /// Where each line begins and how long it is.
    ranges: Vec<(usize, usize)>,
}

impl<'a> SystraceReader<'a> {
    /// Begins at the first byte of a file that was prescanned as text.
    pub(in crate::systrace) fn new(
        bytes: &'a TraceBytes<'a>,
        file: FileContext,
        timeline: Timeline,
        kinds: SystraceKinds,
    ) -> Self {
        let (base, len) = file.segments.first().copied().unwrap_or_default();
        let text = bytes.range(base, len);
        let names = file.base.1;
        let at = beginning(text);
        Self {
            text,
            base,
            at,
            sections: Sections::new(text),
            clock: names.clock(0, names.default),
            file,
            timeline,
            kinds,
            losses: LossBook::default(),
            line: memchr::memchr_iter(b'\n', text.get(..at).unwrap_or_default()).count() as u64,
            position: 0,
            earliest: None,
            undated: Default::default(),
            done: false,
        }
    }

    /// Where the next line begins and how long it is, without its end.
    fn next_line(&mut self) -> Option<(usize, usize)> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at = (start + len + 1).min(self.text.len());
        self.line += 1;
        Some((start, len))
    }

    fn take(&mut self, (start, len): (usize, usize), open: &mut Open) {
        let line = &self.text[start..start + len];
        let mut part = self.sections.next(line);
        if part == Part::Start && matches!((self.kinds.read)(line), TextLine::Event(_)) {
            self.sections.begin_trace();
            part = Part::Trace;
        }
        match part {
            Part::Trace => match (self.kinds.read)(line) {
                TextLine::Event(ts) => {
                    self.position = self.position.saturating_add(1);
                    self.earliest = Some(self.earliest.map_or(ts, |earliest| earliest.min(ts)));
                    open.times.push(ts);
                    open.ranges.push((start, len));
                }
                TextLine::Comment => {}
                TextLine::Malformed => self.lose(start, "this is no line of an event"),
            },
            Part::Process => self.undated[0].push((start, len)),
            Part::Thread => self.undated[1].push((start, len)),
            Part::Start | Part::Other => {}
        }
    }

    /// Counts a line that is wrong, and enters where.
    fn lose(&mut self, at: usize, what: &'static str) {
        let entry = LossEntry {
            text: Some(TextLocation { line: self.line, column: 1, what }),
            ..LossEntry::at(
                Loss::MalformedLine,
                self.file.base.0,
                self.base + at as u64,
                self.position,
            )
        };
        self.losses.enter(entry, 1);
    }

    /// Hands on lines of one kind, in the order of time and those of one time as they came.
    fn close(&mut self, kind: RunKind, open: Open, batch: &mut Batch) {
        let Open { start, first_position, times, ranges } = open;
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by_key(|&index| times[index]);
        let (mut timestamps, mut lines) = (Vec::new(), Vec::new());
        for index in order {
            let (at, len) = ranges[index];
            let len = u32::try_from(len).ok().filter(|&len| len <= LARGEST_LINE);
            let range = (u32::try_from(at - start), len);
            let (Ok(offset), Some(len)) = range else {
                self.lose(at, "a line is larger than 32 MiB");
                continue;
            };
            timestamps.push(times[index]);
            lines.push((offset, len));
        }
        if timestamps.is_empty() {
            return;
        }
        let addr = self.base + start as u64;
        let run = Run {
            kind,
            cpu: None,
            source: self.file.base.0,
            generation: 0,
            position: first_position,
            addr,
            timestamps,
            payload: Payload::Bundle { addr, ranges: lines },
        };
        let pending = PendingRun { clock: self.clock, run };
        batch.runs.extend(self.timeline.convert(pending, &mut self.losses));
    }

    /// Hands on what the lists say, as of the first moment.
    fn close_lists(&mut self, batch: &mut Batch) {
        let earliest = self.earliest.unwrap_or_default();
        let kinds = [self.kinds.processes, self.kinds.threads];
        for (kind, ranges) in kinds.into_iter().zip(std::mem::take(&mut self.undated)) {
            let start = ranges.first().map_or(0, |&(start, _)| start);
            let times = vec![earliest; ranges.len()];
            self.close(kind, Open { start, first_position: 0, times, ranges }, batch);
        }
    }
}

/// Where the trace begins: after what `atrace` says before it, and after the number of CPUs that
/// `trace-cmd` begins with.
fn beginning(text: &[u8]) -> usize {
    let head = text.get(..LOOK_AHEAD).unwrap_or(text);
    let start = memchr::memmem::find(head, ATRACE).map_or(0, |at| at + ATRACE.len());
    let rest = text.get(start..).unwrap_or_default();
    let Some(cpus) = rest.strip_prefix(b"cpus=") else { return start };
    let digits = cpus.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match cpus.get(digits) {
        Some(b'\n') => start + b"cpus=".len() + digits + 1,
        _ => start,
    }
}

impl EventReader for SystraceReader<'_> {
    fn next_batch(&mut self) -> Option<Batch> {
        if self.done {
            return None;
        }
        let start = self.at;
        let mut open = Open { start, first_position: self.position, ..Open::default() };
        let mut batch = Batch { file: self.file.base.1.source.file, ..Batch::default() };
        while open.times.len() < BATCH_EVENTS && self.at - start < BATCH_BYTES {
            match self.next_line() {
                Some(line) => self.take(line, &mut open),
                None => {
                    self.done = true;
                    break;
                }
            }
        }
        self.close(self.kinds.lines, open, &mut batch);
        if self.done {
            self.close_lists(&mut batch);
        }
        batch.done = self.at as u64;
        Some(batch)
    }

    fn losses(&self) -> &LossBook {
        &self.losses
    }

    fn event_count(&self) -> u64 {
        u64::from(self.position)
    }

    fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    fn source(&self, _: u32) -> SourceId {
        self.file.base.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_the_trace_begins() {
        for (before, rest) in [
            ("", "# tracer: nop\n"),
            ("capturing trace... done\nTRACE:\n", "# tracer: nop\n"),
            ("cpus=8\n", "a-1 [000] 1.5: e: x\n"),
            ("done\nTRACE:\ncpus=12\n", "a\n"),
            ("", "cpus=many\n"),
            ("", "cpus=8"),
        ] {
            assert_eq!(beginning(format!("{before}{rest}").as_bytes()), before.len());
        }
    }
}
