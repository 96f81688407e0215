//! Hands on the text of a report, the messages of its logs and the history of its battery.

use tpq_clock::Clock;
use tpq_ingest::{
    Batch, EventReader, FileContext, Loss, LossBook, LossEntry, Payload, PendingRun, Run, RunKind,
    SourceId, TextLocation, Timeline,
};
use tpq_source::ReportDate;

use super::battery::{Step, step};
use super::kernel_log::KernelClock;
use super::sections::{Contents, Line, Sections, lines};
use super::stored_logs::StoredLogs;
use super::{BATTERY, TEXT};
use crate::OpenFile;
use crate::dmesg::{self, KernelMessage};
use crate::logcat::{LogMessage, MESSAGES};

/// A batch ends after this many bytes of text, or where a message of the kernel that has more ends.
const BATCH_BYTES: usize = 4 << 20;
/// The largest line, and the largest message of several lines: it is kept in memory.
const LARGEST_LINE: usize = 32 << 20;
/// Shorter lines of a log are no messages, such as those that name a buffer of it.
const SHORTEST_MESSAGE: usize = 30;

/// Reads a report.
pub(super) struct DumpstateReader<'a> {
    text: &'a [u8],
    base: u64,
    at: usize,
    sections: Sections,
    date: Option<ReportDate>,
    stored: StoredLogs,
    /// The clock of the kernel's log, within its section.
    kernel: Option<KernelClock>,
    /// Time of the last line of the history of the battery, ms.
    battery_ms: i64,
    file: FileContext,
    clock: Clock,
    timeline: Timeline,
    losses: LossBook,
    line: u64,
    position: u32,
    /// Offset and length of the parts of the text that have rows.
    parts: Vec<(usize, u32)>,
    latest: Option<i64>,
    done: bool,
}

/// The events of the batch under way: time, offset in the batch and length of each.
#[derive(Default)]
struct Open {
    messages: Vec<(i64, u32, u32)>,
    history: Vec<(i64, u32, u32)>,
    kernel: Vec<(i64, u32, u32)>,
    /// Whether the next line may continue the last message of the kernel.
    is_in_message: bool,
}

impl Open {
    /// The length of the last message of the kernel with a line that continues it: an indented one.
    /// `None` if it continues none, or one that is too large.
    fn continued(&self, line: &[u8], offset: usize) -> Option<u32> {
        let &(_, first, _) = self.kernel.last().filter(|_| self.is_in_message)?;
        let len = (offset + line.len()).checked_sub(first as usize)?;
        let is_continued = is_indented(line) && len <= LARGEST_LINE;
        u32::try_from(len).ok().filter(|_| is_continued)
    }
}

fn is_indented(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_whitespace)
}

impl<'a> DumpstateReader<'a> {
    pub(super) fn new(open: OpenFile<'a>) -> Self {
        let OpenFile { bytes, file, timeline, report, .. } = open;
        let (base, len) = file.segments.first().copied().unwrap_or_default();
        let names = file.base.1;
        let text = bytes.range(base, len);
        let stored = report.as_ref().map(|report| StoredLogs::of(report, bytes));
        let date = report.map(|report| report.date).or_else(|| ReportDate::of(text, None));
        Self {
            text,
            base,
            at: 0,
            sections: Sections::default(),
            date,
            stored: stored.unwrap_or_default(),
            kernel: None,
            battery_ms: 0,
            clock: names.clock(0, names.default),
            file,
            timeline,
            losses: LossBook::default(),
            line: 0,
            position: 0,
            parts: Vec::new(),
            latest: None,
            done: false,
        }
    }

    /// Reads the lines of a batch, which begins at the current place.
    fn take_lines(&mut self, open: &mut Open) {
        let (start, text) = (self.at, self.text);
        let rest = text.get(start..).unwrap_or_default();
        let mut part = None;
        for (offset, line) in lines(rest) {
            if offset >= BATCH_BYTES && open.continued(line, offset).is_none() {
                self.add_part(start, part, offset);
                self.at = start + offset;
                return;
            }
            self.line += 1;
            if line.len() > LARGEST_LINE {
                self.lose(start + offset, Loss::MalformedRecord, "a line is larger than 32 MiB");
                self.add_part(start, part.take(), offset);
                continue;
            }
            part.get_or_insert(offset);
            // Each log has its own clock: another one may be of an earlier start of the device.
            let begins = matches!(self.sections.next(line), Line::Begin(_));
            if begins || self.sections.contents() != Contents::KernelLog {
                self.kernel = None;
                open.is_in_message = false;
            }
            match self.sections.contents() {
                Contents::KernelLog => self.take_kernel_line(line, start, offset, open),
                Contents::Log => self.take_message(line, start, offset, open),
                Contents::Battery => self.take_history(line, start, offset, open),
                _ => {}
            }
        }
        self.add_part(start, part, rest.len());
        self.at = text.len();
        self.done = true;
    }

    fn add_part(&mut self, start: usize, part: Option<usize>, end: usize) {
        let Some(begin) = part.filter(|&begin| begin < end) else { return };
        // A part is not much larger than a batch and a line.
        if let Ok(len) = u32::try_from(end - begin) {
            self.parts.push((start + begin, len));
        }
    }

    fn take_message(&mut self, line: &[u8], start: usize, offset: usize, open: &mut Open) {
        if line.len() < SHORTEST_MESSAGE || line.starts_with(b"---") {
            return;
        }
        let Some(message) = LogMessage::parse(line) else {
            let what = "this line has no time, thread, priority and tag that can be read";
            return self.lose(start + offset, Loss::MalformedLogLine, what);
        };
        let ts = message.stamp.ts(self.date);
        if !self.stored.take(ts, &message) {
            open.messages.push((ts, offset as u32, line.len() as u32));
            self.note(ts);
        }
    }

    /// Takes a line of the kernel's log, where wall times are known. All lines have rows of text.
    fn take_kernel_line(&mut self, line: &[u8], start: usize, offset: usize, open: &mut Open) {
        if line.is_empty() || line.starts_with(b"---") {
            open.is_in_message = false;
            return;
        }
        let text = self.text;
        let clock = self.kernel.get_or_insert_with(|| {
            KernelClock::of_section(text.get(start + offset..).unwrap_or_default())
        });
        if clock.is_unknown() {
            return;
        }
        if is_indented(line) {
            return match (open.continued(line, offset), open.kernel.last_mut()) {
                (Some(continued), Some((.., len))) => *len = continued,
                _ => {
                    let what = "this line continues no message of the kernel, or one above 32 MiB";
                    self.lose(start + offset, Loss::MalformedLogLine, what);
                }
            };
        }
        let ts = KernelMessage::parse(line).and_then(|message| clock.wall_time(message.ts));
        let Some(ts) = ts else {
            open.is_in_message = false;
            let what = "this line of the kernel's log has no time that can be read";
            return self.lose(start + offset, Loss::MalformedLogLine, what);
        };
        open.kernel.push((ts, offset as u32, line.len() as u32));
        open.is_in_message = true;
        self.note(ts);
    }

    fn take_history(&mut self, line: &[u8], start: usize, offset: usize, open: &mut Open) {
        match step(line) {
            Some(Step::Nothing) => {}
            Some(Step::To(ms)) => self.battery_ms = ms,
            Some(Step::By(ms)) => {
                self.battery_ms = self.battery_ms.saturating_add(ms);
                let ts = self.battery_ms.saturating_mul(1_000_000);
                open.history.push((ts, offset as u32, line.len() as u32));
                self.note(ts);
            }
            None => {
                let what = "this line of the history of the battery has no time that can be read";
                self.lose(start + offset, Loss::MalformedReport, what);
            }
        }
    }

    fn note(&mut self, ts: i64) {
        self.latest = Some(self.latest.map_or(ts, |latest| latest.max(ts)));
    }

    fn lose(&mut self, at: usize, loss: Loss, what: &'static str) {
        let entry = LossEntry {
            text: Some(TextLocation { line: self.line, column: 1, what }),
            ..LossEntry::at(loss, self.file.base.0, self.base + at as u64, self.position)
        };
        self.losses.enter(entry, 1);
    }

    /// Hands on events in the order of time, those of one time as they came.
    fn close(
        &mut self,
        kind: RunKind,
        start: usize,
        mut events: Vec<(i64, u32, u32)>,
        batch: &mut Batch,
    ) {
        if events.is_empty() {
            return;
        }
        events.sort_by_key(|&(ts, ..)| ts);
        let addr = self.base + start as u64;
        let run = Run {
            kind,
            cpu: None,
            source: self.file.base.0,
            generation: 0,
            position: self.position,
            // From here the decoder finds all strings of the file.
            addr: self.base,
            timestamps: events.iter().map(|&(ts, ..)| ts).collect(),
            payload: Payload::Bundle {
                addr,
                ranges: events.iter().map(|&(_, offset, len)| (offset, len)).collect(),
            },
        };
        let count = u32::try_from(events.len()).unwrap_or(u32::MAX);
        self.position = self.position.saturating_add(count);
        let pending = PendingRun { clock: self.clock, run };
        batch.runs.extend(self.timeline.convert(pending, &mut self.losses));
    }

    /// Hands on the text. Its lines have no times; the report was made after all events in it.
    fn close_text(&mut self, batch: &mut Batch) {
        let latest = self.latest.unwrap_or_default();
        for (start, len) in std::mem::take(&mut self.parts) {
            self.close(TEXT, start, vec![(latest, 0, len)], batch);
        }
    }
}

impl EventReader for DumpstateReader<'_> {
    fn next_batch(&mut self) -> Option<Batch> {
        if self.done {
            return None;
        }
        let start = self.at;
        let mut batch = Batch { file: self.file.base.1.source.file, ..Batch::default() };
        let mut open = Open::default();
        self.take_lines(&mut open);
        self.close(MESSAGES, start, open.messages, &mut batch);
        self.close(dmesg::MESSAGES, start, open.kernel, &mut batch);
        self.close(BATTERY, start, open.history, &mut batch);
        if self.done {
            self.close_text(&mut batch);
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
