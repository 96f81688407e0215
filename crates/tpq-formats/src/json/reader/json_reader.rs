//! Hands on the events of a JSON trace in batches.

use std::ops::Range;

use tpq_clock::Clock;
use tpq_ingest::{
    Batch, EventReader, FIRST_STRING_WORD, FileContext, Loss, LossBook, LossEntry, Payload,
    PendingRun, Run, RunKind, SourceId, Span, Timeline, TraceBytes,
};

use super::event::{JsonEvent, WIDTH};
use super::lines::Lines;
use super::look_ahead::{
    Helper, LARGEST_EVENT, LookAhead, MOST_AHEAD, ReadEvent, Text, Unread, look_ahead,
};
use super::rank::Ranks;
use super::scan::{Part, Scan};

/// A batch ends after this many events…
const BATCH_EVENTS: usize = 8192;
/// …or this many bytes of text, whichever comes first.
const BATCH_BYTES: usize = 4 << 20;

/// Damaged events are walked again up to this many times the size of the text.
const RESUMABLE: usize = 2;
/// An object of at most this many bytes can be an empty one.
const EMPTY: usize = 8;

/// Reads when a line of a system trace was recorded, in ns.
pub(in crate::json) type LineTime = fn(&[u8]) -> Option<i64>;

/// The kinds of runs that a JSON trace is read into, as the decoder numbers them.
#[derive(Clone, Copy, Debug)]
pub(in crate::json) struct JsonKinds {
    /// Events, each as the words of a [`JsonEvent`].
    pub(in crate::json) events: RunKind,
    /// Lines of a system trace, with their escapes.
    pub(in crate::json) lines: RunKind,
    /// The field `metadata` of the outermost object.
    pub(in crate::json) metadata: RunKind,
    /// Elements of the field `samples`.
    pub(in crate::json) samples: RunKind,
    /// The field `stackFrames`; it comes before all events.
    pub(in crate::json) frames: RunKind,
}

/// Reads a JSON trace.
pub(in crate::json) struct JsonReader<'a> {
    text: &'a [u8],
    base: u64,
    scan: Scan<'a>,
    /// Number of events to look ahead; 1 after the scan had to go back.
    ahead: usize,
    most_ahead: usize,
    /// Bytes that were scanned again.
    rewalked: usize,
    helper: Option<Helper>,
    file: FileContext,
    clock: Clock,
    timeline: Timeline,
    kinds: JsonKinds,
    line_time: LineTime,
    losses: LossBook,
    lines: Lines,
    ranks: Ranks,
    /// The number of events so far.
    position: u32,
    latest: i64,
    earliest: i64,
    /// The field `stackFrames`, which mostly stands behind the events that refer to it.
    frames: Option<Range<usize>>,
    /// Bytes of damaged events that can still be scanned again.
    resumable: usize,
    /// Events that may leave out when they were, as the names of threads.
    undated: Events,
    /// Events and spans of the batch before, as the next will have about as many.
    usual: (usize, usize),
    done: bool,
}

/// Events with their times, in the order of the text.
#[derive(Default)]
struct Events {
    times: Vec<i64>,
    ranks: Vec<u64>,
    words: Vec<u32>,
    spans: Vec<Span>,
}

/// Texts with their times, as offset from the start of the batch and length.
type Texts = Vec<(i64, (u32, u32))>;

/// The batch under way.
#[derive(Default)]
struct Open {
    first_position: u32,
    events: Events,
    lines: Texts,
    samples: Texts,
    metadata: Texts,
    start: usize,
}

impl Open {
    /// The number of events in it.
    fn len(&self) -> usize {
        self.events.times.len() + self.lines.len() + self.samples.len()
    }
}

impl<'a> JsonReader<'a> {
    /// Begins at the first byte of a file that was prescanned as text.
    pub(in crate::json) fn new(
        bytes: &'a TraceBytes<'a>,
        file: FileContext,
        timeline: Timeline,
        kinds: JsonKinds,
        line_time: LineTime,
    ) -> Self {
        let (base, len) = file.segments.first().copied().unwrap_or_default();
        let text = bytes.range(base, len);
        let names = file.base.1;
        Self {
            text,
            base,
            scan: Scan::new(text),
            ahead: MOST_AHEAD,
            most_ahead: MOST_AHEAD,
            rewalked: 0,
            helper: None,
            clock: names.clock(0, names.default),
            file,
            timeline,
            kinds,
            line_time,
            losses: LossBook::default(),
            lines: Lines::default(),
            ranks: Ranks::default(),
            position: 0,
            latest: 0,
            earliest: i64::MAX,
            frames: None,
            resumable: text.len().saturating_mul(RESUMABLE),
            undated: Events::default(),
            usual: (0, 0),
            done: false,
        }
    }

    /// Has another thread read events, which does the work that this gives: it ends with the
    /// reader.
    pub(in crate::json) fn helper(&mut self) -> impl FnOnce() + Send + use<'a> {
        let (helper, work) = Helper::new(self.text());
        self.helper = Some(helper);
        work
    }

    fn text(&self) -> Text<'a> {
        Text { bytes: self.text, base: self.base }
    }

    /// Takes the next parts, as many as fit into the batch.
    fn take_parts(&mut self, open: &mut Open) {
        let room = BATCH_EVENTS - open.len();
        let (most, end) = (self.ahead.min(room), open.start + BATCH_BYTES);
        let parts = look_ahead(&mut self.scan, self.helper.as_mut(), most, end);
        self.done = parts.is_empty();
        // While the helper reads what it was given, this thread reads the rest.
        let given = parts.iter().filter(|part| part.given).count();
        let rest = parts.iter().filter(|_| given > 0).filter_map(LookAhead::event).skip(given);
        let own: Vec<ReadEvent> = rest.map(|range| self.text().event(range)).collect();
        let mut own = own.into_iter();
        for LookAhead { part, given, after } in parts {
            let read = match &part {
                Part::Event(range) => {
                    let helper = self.helper.as_mut().filter(|_| given);
                    let read = helper.map_or_else(|| own.next(), Helper::take);
                    Some(read.unwrap_or_else(|| self.text().event(range)))
                }
                _ => None,
            };
            if let Some(at) = self.take(part, read, open) {
                return self.go_back(after, at);
            }
        }
        self.ahead = (2 * self.ahead).min(self.most_ahead);
    }

    /// Returns to `at` in an event; `after` is the scan after that event. The text since then is
    /// scanned again. Once as many bytes as the text has were scanned again, looking ahead stops:
    /// nested events could otherwise make the time quadratic.
    fn go_back(&mut self, after: Scan<'a>, at: usize) {
        self.helper.iter_mut().for_each(Helper::forget);
        let again = self.scan.offset() - after.offset();
        self.rewalked = self.rewalked.saturating_add(again);
        if self.rewalked > self.text.len() {
            self.most_ahead = 1;
        }
        self.scan = after;
        self.scan.resume(at);
        self.ahead = 1;
    }

    /// Takes a part; of an event, `read` is what it says. Gives where the walk has to go back to.
    fn take(&mut self, part: Part, read: Option<ReadEvent>, open: &mut Open) -> Option<usize> {
        match part {
            Part::Event(range) => return self.event(range, read?, open),
            Part::Sample(range) => self.sample(range, open),
            Part::Line(range) => self.line(range, open),
            Part::Field(key, _) if &self.text[key.clone()] == b"displayTimeUnit" => {
                self.losses.at(self.file.base.0).count(Loss::DisplayTimeUnit);
            }
            Part::Field(key, value) if &self.text[key.clone()] == b"metadata" => {
                self.metadata(value, open);
            }
            Part::Field(key, value) if &self.text[key.clone()] == b"stackFrames" => {
                self.frames = Some(value);
            }
            Part::Field(..) => {}
            Part::Stray(at, what) | Part::Broken(at, what) => {
                self.lose(Loss::MalformedText, at, what, 1);
            }
            Part::Cut(at, what) => {
                self.lose(Loss::MalformedText, at, what, 1);
                self.lose(Loss::TruncatedBytes, at, what, (self.text.len() - at) as u64);
            }
        }
        None
    }

    fn event(&mut self, range: Range<usize>, read: ReadEvent, open: &mut Open) -> Option<usize> {
        let (start, len) = (range.start, range.len());
        let event = match read {
            Ok(event) => event,
            Err(Unread::TooLarge) => {
                self.lose(Loss::MalformedText, start, "an event is larger than 32 MiB", 1);
                return None;
            }
            Err(Unread::Wrong((at, what))) => {
                self.lose(Loss::MalformedText, start + at, what, 1);
                return self.resumes_at(start, len, at);
            }
        };
        self.position += 1;
        match (event.phase, event.ts) {
            // A value that some programs write after their last comma.
            (0, _) if event == JsonEvent::default() && len <= EMPTY => self.position -= 1,
            (0, _) => {
                self.lose(Loss::MalformedText, start, "an event has no phase (ph) that is text", 1)
            }
            (_, Some(ts)) => {
                self.saw(ts);
                let name = self.name(&event);
                let rank = self.ranks.rank(&event, ts, name);
                open.events.push(ts, rank, &event);
            }
            (b'M', None) => self.undated.push(0, u64::MAX, &event),
            (_, None) => {
                let what = "an event has no time (ts) that is a number";
                self.lose(Loss::MalformedText, start, what, 1);
            }
        }
        None
    }

    fn name(&self, event: &JsonEvent) -> &'a [u8] {
        let start = event.name.addr.saturating_sub(self.base) as usize;
        self.text.get(start..start + event.name.len as usize).unwrap_or_default()
    }

    /// The position to continue at inside a damaged event: if a brace is missing, the next events
    /// seem to be part of it. The number of bytes that are scanned again is limited.
    fn resumes_at(&mut self, start: usize, len: usize, at: usize) -> Option<usize> {
        let event = &self.text[start..start + len];
        let next = memchr::memchr(b'{', event.get(at.max(1)..).unwrap_or_default())?;
        self.resumable = self.resumable.checked_sub(len)?;
        Some(start + at.max(1) + next)
    }

    fn line(&mut self, range: Range<usize>, open: &mut Open) {
        // A line that does not say when is taken to follow the one before.
        let ts = (self.line_time)(&self.text[range.clone()]).unwrap_or(self.latest);
        let len = u32::try_from(range.len()).ok().filter(|&len| len <= LARGEST_EVENT);
        let (Ok(offset), Some(len)) = (u32::try_from(range.start - open.start), len) else {
            return self.lose(Loss::MalformedText, range.start, "a line is larger than 32 MiB", 1);
        };
        self.position += 1;
        self.saw(ts);
        self.latest = ts;
        open.lines.push((ts, (offset, len)));
    }

    /// An element of `samples`: an event of its own kind, which has no phase.
    fn sample(&mut self, range: Range<usize>, open: &mut Open) {
        let (start, len) = (range.start, range.len() as u32);
        let ts = match self.text().event(&range) {
            Ok(event) => event.ts,
            Err(Unread::TooLarge) => {
                return self.lose(Loss::MalformedText, start, "a sample is larger than 32 MiB", 1);
            }
            Err(Unread::Wrong((at, what))) => {
                return self.lose(Loss::MalformedText, start + at, what, 1);
            }
        };
        self.position += 1;
        let (Some(ts), Ok(offset)) = (ts, u32::try_from(start - open.start)) else {
            let what = "a sample has no time (ts) that is a number";
            return self.lose(Loss::MalformedText, start, what, 1);
        };
        self.saw(ts);
        open.samples.push((ts, (offset, len)));
    }

    fn saw(&mut self, ts: i64) {
        self.latest = self.latest.max(ts);
        self.earliest = self.earliest.min(ts);
    }

    /// The run of `stackFrames`, at the end: of the moment of the first event, with the rank before all events.
    fn frames_at_end(&mut self) -> Option<PendingRun> {
        if !self.done {
            return None;
        }
        let frames =
            self.frames.take().filter(|range| self.text.get(range.start) == Some(&b'{'))?;
        let Ok(len) = u32::try_from(frames.len()) else {
            self.lose(Loss::MalformedText, frames.start, "stackFrames is larger than 4 GiB", 1);
            return None;
        };
        let addr = self.base + frames.start as u64;
        // Events of negative times are dropped.
        let ts = self.earliest.min(self.latest).max(0);
        let run = Run {
            kind: self.kinds.frames,
            cpu: None,
            source: self.file.base.0,
            generation: 0,
            position: 0,
            addr,
            timestamps: vec![ts],
            payload: Payload::Bundle { addr, ranges: vec![(0, len)] },
        };
        Some(PendingRun { clock: self.clock, run })
    }

    /// Facts about the recording, which are of no moment.
    fn metadata(&mut self, range: Range<usize>, open: &mut Open) {
        // Other programs have other fields of this name.
        if self.text.get(range.start) != Some(&b'{') {
            return;
        }
        let len = u32::try_from(range.len()).ok().filter(|&len| len <= LARGEST_EVENT);
        match (u32::try_from(range.start - open.start), len) {
            (Ok(offset), Some(len)) => open.metadata.push((0, (offset, len))),
            _ => {
                let what = "the metadata of the trace is larger than 32 MiB";
                self.lose(Loss::MalformedText, range.start, what, 1);
            }
        }
    }

    /// Counts something that is wrong, and enters where.
    fn lose(&mut self, loss: Loss, at: usize, what: &'static str, count: u64) {
        let entry = LossEntry {
            text: Some(self.lines.location(self.text, at, what)),
            ..LossEntry::at(loss, self.file.base.0, self.base + at as u64, self.position)
        };
        self.losses.enter(entry, count);
    }

    fn close(&mut self, open: Open, batch: &mut Batch) {
        let Open { first_position, events, lines, samples, mut metadata, start } = open;
        metadata.iter_mut().for_each(|(ts, _)| *ts = self.latest);
        let addr = self.base + start as u64;
        let of_texts = |kind: RunKind, mut texts: Texts| {
            texts.sort_by_key(|&(ts, _)| ts);
            let (times, ranges) = texts.into_iter().unzip();
            (kind, times, Payload::Bundle { addr, ranges })
        };
        let (times, payload) = events.into_run();
        let kinds = self.kinds;
        let runs = [
            (kinds.events, times, payload),
            of_texts(kinds.lines, lines),
            of_texts(kinds.samples, samples),
            of_texts(kinds.metadata, metadata),
        ];
        for (kind, timestamps, payload) in runs {
            if timestamps.is_empty() {
                continue;
            }
            // Position 0 is the rank of the frames, which may be of the moment of the first sample.
            let is_after_frames = u32::from(kind == kinds.samples);
            let run = Run {
                kind,
                cpu: None,
                source: self.file.base.0,
                generation: 0,
                position: first_position.saturating_add(is_after_frames),
                addr,
                timestamps,
                payload,
            };
            let pending = PendingRun { clock: self.clock, run };
            batch.runs.extend(self.timeline.convert(pending, &mut self.losses));
        }
    }
}

#[cfg(test)]
impl JsonReader<'_> {
    pub(super) fn rewalked(&self) -> usize {
        self.rewalked
    }
}

impl Events {
    /// None, with room for as many as there were in a batch, and their spans.
    fn with_room((events, spans): (usize, usize)) -> Self {
        Self {
            times: Vec::with_capacity(events),
            ranks: Vec::with_capacity(events),
            words: Vec::with_capacity(events * WIDTH),
            spans: Vec::with_capacity(spans),
        }
    }

    fn push(&mut self, ts: i64, rank: u64, event: &JsonEvent) {
        self.times.push(ts);
        self.ranks.push(rank);
        event.write(&mut self.words, &mut self.spans);
    }

    /// Adds others behind these.
    fn append(&mut self, mut others: Self) {
        let moved = self.spans.len() as u32;
        others
            .words
            .iter_mut()
            .skip(FIRST_STRING_WORD)
            .step_by(WIDTH)
            .for_each(|first| *first += moved);
        self.times.extend(others.times);
        self.ranks.extend(others.ranks);
        self.words.extend(others.words);
        self.spans.extend(others.spans);
    }

    /// The events in the order of time, those of one time as they came.
    fn into_run(self) -> (Vec<i64>, Payload) {
        let Self { times, ranks, words, spans } = self;
        let (width, strings, own_strings) = (WIDTH, spans.into(), true);
        if times.iter().zip(&ranks).is_sorted() {
            return (times, Payload::Words { width, words, strings, ranks, own_strings });
        }
        let mut order: Vec<usize> = (0..times.len()).collect();
        order.sort_by_key(|&index| (times[index], ranks[index]));
        let mut sorted = Vec::with_capacity(words.len());
        order.iter().for_each(|index| sorted.extend_from_slice(&words[index * WIDTH..][..WIDTH]));
        let ranks = order.iter().map(|&index| ranks[index]).collect();
        let payload = Payload::Words { width, words: sorted, strings, ranks, own_strings };
        (order.iter().map(|&index| times[index]).collect(), payload)
    }
}

impl EventReader for JsonReader<'_> {
    fn next_batch(&mut self) -> Option<Batch> {
        if self.done {
            return None;
        }
        let start = self.scan.offset();
        let events = Events::with_room(self.usual);
        let mut open = Open { first_position: self.position, start, events, ..Open::default() };
        while open.len() < BATCH_EVENTS && self.scan.offset() - start < BATCH_BYTES {
            self.take_parts(&mut open);
            if self.done {
                let mut undated = std::mem::take(&mut self.undated);
                undated.times.fill(self.latest);
                open.events.append(undated);
                break;
            }
        }
        self.usual = (open.events.times.len(), open.events.spans.len());
        let done = self.scan.offset() as u64;
        let mut batch = Batch { done, file: self.file.base.1.source.file, ..Batch::default() };
        self.close(open, &mut batch);
        if let Some(frames) = self.frames_at_end() {
            batch.runs.extend(self.timeline.convert(frames, &mut self.losses));
        }
        Some(batch)
    }

    fn event_count(&self) -> u64 {
        u64::from(self.position)
    }

    fn losses(&self) -> &LossBook {
        &self.losses
    }

    fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    fn source(&self, _: u32) -> SourceId {
        self.file.base.0
    }
}
