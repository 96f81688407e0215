//! Events that another thread reads, while the walk over the text's structure goes on.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};

use tpq_ingest::Span;

use super::event::{EventError, JsonEvent};
use super::scan::{Part, Scan};

/// Parts that are looked at together at most.
pub(super) const MOST_AHEAD: usize = 4096;
/// Events that are considered together; some of them are given to another thread…
const WORTH_HELP: usize = 512;
/// …this many tenths, since this thread walks meanwhile.
const HELPERS_TENTHS: usize = 6;
/// Events that are handed over at once.
const BATCH: usize = 64;

/// A part that was walked over and not taken yet.
pub(super) struct LookAhead<'a> {
    pub(super) part: Part,
    /// Whether it is an event that the helper reads.
    pub(super) given: bool,
    /// The walk as it was behind it.
    pub(super) after: Scan<'a>,
}

impl LookAhead<'_> {
    pub(super) fn event(&self) -> Option<&Range<usize>> {
        match &self.part {
            Part::Event(range) => Some(range),
            _ => None,
        }
    }
}

/// The next parts: at most `count`, all of which begin before `end` of the text. Most events
/// are given to a helper as soon as they are found.
pub(super) fn look_ahead<'a>(
    scan: &mut Scan<'a>,
    mut helper: Option<&mut Helper>,
    most: usize,
    end: usize,
) -> Vec<LookAhead<'a>> {
    let helpers = if most < WORTH_HELP { 0 } else { most / 10 * HELPERS_TENTHS };
    let mut parts = Vec::with_capacity(most);
    while parts.len() < most && scan.offset() < end {
        let Some(part) = scan.next_part() else { break };
        let given = match (&part, &mut helper) {
            (Part::Event(range), Some(helper)) if parts.len() < helpers => {
                helper.give(range.clone());
                true
            }
            _ => false,
        };
        parts.push(LookAhead { part, given, after: scan.clone() });
    }
    helper.into_iter().for_each(Helper::hand_over);
    parts
}

/// Bytes of an event: it is read as a whole, and what of it is text is kept in memory.
pub(super) const LARGEST_EVENT: u32 = 32 << 20;

/// A text with events, by the addresses it has.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) base: u64,
}

/// Why an event was not read.
pub(super) enum Unread {
    /// It is larger than any event.
    TooLarge,
    /// It is invalid.
    Wrong(EventError),
}

/// The fields read of an event.
pub(super) type ReadEvent = Result<JsonEvent, Unread>;

impl Text<'_> {
    /// Reads the event in a range.
    pub(super) fn event(self, range: &Range<usize>) -> ReadEvent {
        let len = u32::try_from(range.len()).ok().filter(|&len| len <= LARGEST_EVENT);
        let len = len.ok_or(Unread::TooLarge)?;
        let span = Span { addr: self.base + range.start as u64, len };
        JsonEvent::read(&self.bytes[range.clone()], span).map_err(Unread::Wrong)
    }
}

/// Another thread.
pub(super) struct Helper {
    batches: Sender<Vec<Range<usize>>>,
    read: Receiver<Vec<ReadEvent>>,
    /// The next part to hand over.
    batch: Vec<Range<usize>>,
    /// Batches that were handed over and not taken back.
    away: usize,
    /// Events that were taken back and not asked for.
    back: std::vec::IntoIter<ReadEvent>,
}

impl Helper {
    /// A helper, and its work: it ends with the helper.
    pub(super) fn new<'a>(text: Text<'a>) -> (Self, impl FnOnce() + Send + use<'a>) {
        let (batches, receive) = channel::<Vec<Range<usize>>>();
        let (send, read) = channel();
        let work = move || {
            for batch in receive {
                let read = batch.iter().map(|range| text.event(range)).collect();
                if send.send(read).is_err() {
                    break;
                }
            }
        };
        (Self { batches, read, batch: Vec::new(), away: 0, back: Vec::new().into_iter() }, work)
    }

    /// Has an event read.
    pub(super) fn give(&mut self, event: Range<usize>) {
        self.batch.push(event);
        if self.batch.len() == BATCH {
            self.hand_over();
        }
    }

    /// Hands over the events that were given last.
    pub(super) fn hand_over(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        // The receiver has panicked; its scope reports that.
        self.away += usize::from(!batch.is_empty() && self.batches.send(batch).is_ok());
    }

    /// Takes back the next of the events that were given; `None` where that is not to be had.
    pub(super) fn take(&mut self) -> Option<ReadEvent> {
        loop {
            if let Some(event) = self.back.next() {
                return Some(event);
            }
            self.away = self.away.checked_sub(1)?;
            self.back = self.read.recv().ok()?.into_iter();
        }
    }

    /// Takes back everything that was given and drops it.
    pub(super) fn forget(&mut self) {
        self.hand_over();
        while self.take().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{JsonKinds, JsonReader};
    use tpq_ingest::{EventReader, FileContext, Prescan, RunKind, Timeline, TraceBytes};

    /// Has a text read, with a helper or without.
    fn with_reader<T>(text: &str, helped: bool, each: impl FnOnce(JsonReader<'_>) -> T) -> T {
        let mut bytes = Prescan::of_text(text.as_bytes(), 0, 0).bytes;
        let file = FileContext { segments: bytes.take_segments(), ..FileContext::default() };
        let bytes = TraceBytes::new([bytes]);
        let timeline = Timeline::new(Arc::default(), file.base.1.clock(0, 0));
        let [events, lines, metadata, samples, frames] = [1, 2, 3, 4, 5].map(RunKind);
        let kinds = JsonKinds { events, lines, metadata, samples, frames };
        std::thread::scope(|scope| {
            let mut reader = JsonReader::new(&bytes, file, timeline, kinds, |_| None);
            if helped {
                scope.spawn(reader.helper());
            }
            each(reader)
        })
    }

    /// Everything that is read of a text: of each batch the times and what its events say, and all
    /// that was lost, with where.
    fn read(text: &str, helped: bool) -> (Vec<String>, String) {
        with_reader(text, helped, |mut reader| {
            let batches = std::iter::from_fn(|| reader.next_batch());
            let runs = batches.flat_map(|batch| batch.runs);
            let read = runs.map(|run| format!("{:?} {:?}", run.timestamps, run.payload)).collect();
            (read, format!("{:?}", reader.losses().entries()))
        })
    }

    #[test]
    fn a_helper_changes_nothing() {
        let event = |number: usize| match number {
            // Where a comma is missing, an event may follow that is none of its own.
            3_000 | 3_001 | 9_000 => "{\"ph\":\"i\" \"x\":{\"ph\":\"i\",\"ts\":2}}".to_owned(),
            5_000 => "{\"ph\":\"X\",\"ts\":nothing}".to_owned(),
            5_001 => "{\"ts\":4}".to_owned(),
            5_002 => "17".to_owned(),
            _ => format!("{{\"ph\":\"i\",\"ts\":{number},\"name\":\"n{}\"}}", number % 7),
        };
        let events: Vec<String> = (0..20_000).map(event).collect();
        let text = format!("[{}]", events.join(","));
        let (alone, lost) = read(&text, false);
        assert!(alone.len() > 2 && lost.matches("not valid JSON").count() >= 4, "{lost}");
        assert_eq!(read(&text, true), (alone, lost));
    }

    /// Each level of what is nested goes back, behind a few parts that are events or nearly: what
    /// comes then must not be walked again for each.
    #[test]
    fn repeated_rewinds_stay_linear() {
        let nested =
            (0..400).fold("{}".to_owned(), |inner, _| format!("{{!{{}},{{}},{{}},{inner}}}"));
        let large = format!("{{\"ph\":\"i\",\"ts\":1,\"name\":\"{}\"}}", "n".repeat(4 << 20));
        let text = format!("[{nested},{large}]");
        let (events, rewalked) = with_reader(&text, false, |mut reader| {
            let batches = std::iter::from_fn(|| reader.next_batch());
            let runs = batches.flat_map(|batch| batch.runs);
            let events: usize = runs.map(|run| run.timestamps.len()).sum();
            (events, reader.rewalked())
        });
        assert_eq!(events, 1);
        assert!(rewalked <= 2 * text.len(), "{rewalked} of {}", text.len());
    }
}
