//! Neighbouring events of a run as bytes in a store, and back.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::sort_memory::{SortMemory, damaged};
use crate::own_strings::{own_strings, set_first_string};
use crate::{Message, Payload, Run, RunId, RunKind, Span};

/// Neighbouring events of a run that are to be written.
pub(super) struct Slice {
    pub(super) id: RunId,
    pub(super) run: Arc<Run>,
    pub(super) range: Range<usize>,
    /// The rank of each event, where that is not the run's.
    pub(super) ranks: Vec<u64>,
}

/// Neighbouring events of a run that were read back, as a run.
pub(super) struct StoredRun {
    pub(super) id: RunId,
    pub(super) run: Run,
    /// The rank of each event, where that is not the run's.
    pub(super) ranks: Vec<u64>,
}

/// The block that is read, for strings that lie in it.
pub(super) struct Block<'a> {
    pub(super) memory: &'a SortMemory,
    /// Where it lies in the store.
    pub(super) at: u64,
    pub(super) bytes: &'a [u8],
}

const MESSAGES: u32 = 0;
const BUNDLE: u32 = 1;
const WORDS: u32 = 2;
const WORDS_WITH_OWN_STRINGS: u32 = 3;

impl Slice {
    /// Writes the strings that the events share with those of other runs, unless they are written:
    /// behind the bytes of a block, which lies at an offset of the store.
    pub(super) fn write_strings(&self, memory: &SortMemory, at: u64, out: &mut Vec<u8>) {
        if let Payload::Words { strings, own_strings: false, .. } = &self.run.payload
            && memory.offset_of(strings).is_none()
        {
            memory.note_strings(strings, at + out.len() as u64);
            put_spans(out, strings);
        }
    }

    /// Writes the events, once their strings are.
    pub(super) fn write(&self, memory: &SortMemory, out: &mut Vec<u8>) {
        let Self { id, run, range, ranks } = self;
        out.extend(id.to_le_bytes());
        out.extend(run.addr.to_le_bytes());
        for word in [run.kind.0, cpu_word(run.cpu), run.source, run.generation, run.position] {
            out.extend(word.to_le_bytes());
        }
        put_numbers(out, &run.timestamps[range.clone()], |ts| ts.to_le_bytes());
        put_numbers(out, ranks, |rank| rank.to_le_bytes());
        write_payload(&run.payload, range.clone(), memory, out);
    }
}

fn write_payload(payload: &Payload, range: Range<usize>, memory: &SortMemory, out: &mut Vec<u8>) {
    match payload {
        Payload::Messages(messages) => {
            out.extend(MESSAGES.to_le_bytes());
            for message in &messages[range] {
                put_span(out, message.span());
                for word in [message.generation, message.position, message.kind] {
                    out.extend(word.to_le_bytes());
                }
            }
        }
        Payload::Bundle { addr, ranges } => {
            out.extend(BUNDLE.to_le_bytes());
            out.extend(addr.to_le_bytes());
            for (offset, len) in &ranges[range] {
                out.extend(offset.to_le_bytes());
                out.extend(len.to_le_bytes());
            }
        }
        Payload::Words { width, words, strings, ranks, own_strings } => {
            let tag = if *own_strings { WORDS_WITH_OWN_STRINGS } else { WORDS };
            out.extend(tag.to_le_bytes());
            out.extend((*width as u64).to_le_bytes());
            let of_run = &ranks[range.start.min(ranks.len())..range.end.min(ranks.len())];
            put_numbers(out, of_run, |rank| rank.to_le_bytes());
            let words = &words[range.start * width..range.end * width];
            if *own_strings {
                write_own(words, *width, strings, out);
            } else {
                put_numbers(out, words, |word| word.to_le_bytes());
                out.extend(memory.offset_of(strings).unwrap_or(u64::MAX).to_le_bytes());
            }
        }
    }
}

/// Writes words and those of the strings that the events have, in the order of the events.
fn write_own(words: &[u32], width: usize, strings: &[Span], out: &mut Vec<u8>) {
    let mut words = words.to_vec();
    let mut own: Vec<Span> = Vec::new();
    for words in words.chunks_exact_mut(width) {
        let strings = strings.get(own_strings(words)).unwrap_or_default();
        set_first_string(words, own.len() as u32);
        own.extend(strings);
    }
    put_numbers(out, &words, |word| word.to_le_bytes());
    put_spans(out, &own);
}

/// The CPU of a run as a word of the store: 0 for none.
pub(super) fn cpu_word(cpu: Option<u32>) -> u32 {
    cpu.map_or(0, |cpu| cpu.saturating_add(1))
}

/// Reads what [`cpu_word`] returned.
pub(super) fn stored_cpu(word: u32) -> Option<u32> {
    word.checked_sub(1)
}

impl StoredRun {
    /// Reads what [`Slice::write`] wrote, from the beginning of `bytes`.
    pub(super) fn read(bytes: &mut Bytes<'_>, block: &Block<'_>) -> io::Result<Self> {
        let (id, addr) = (bytes.u64()?, bytes.u64()?);
        let [kind, cpu, source, generation, position] = bytes.words()?;
        let cpu = stored_cpu(cpu);
        let timestamps = bytes.numbers(i64::from_le_bytes)?;
        let ranks = bytes.numbers(u64::from_le_bytes)?;
        let payload = read_payload(bytes, timestamps.len(), block)?;
        if !timestamps.is_sorted() || !(ranks.is_empty() || ranks.len() == timestamps.len()) {
            return Err(damaged());
        }
        let kind = RunKind(kind);
        let run = Run { kind, cpu, source, generation, position, addr, timestamps, payload };
        Ok(Self { id, run, ranks })
    }
}

fn read_payload(bytes: &mut Bytes<'_>, events: usize, block: &Block<'_>) -> io::Result<Payload> {
    let [tag] = bytes.words()?;
    Ok(match tag {
        MESSAGES => {
            let message = |bytes: &mut Bytes<'_>| {
                let span = bytes.span()?;
                let [generation, position, kind] = bytes.words()?;
                Ok(Message::new(span, generation, position, kind))
            };
            Payload::Messages((0..events).map(|_| message(bytes)).collect::<io::Result<_>>()?)
        }
        BUNDLE => {
            let addr = bytes.u64()?;
            let range = |bytes: &mut Bytes<'_>| bytes.words().map(|[offset, len]| (offset, len));
            let ranges = (0..events).map(|_| range(bytes)).collect::<io::Result<_>>()?;
            Payload::Bundle { addr, ranges }
        }
        WORDS | WORDS_WITH_OWN_STRINGS => {
            let width = usize::try_from(bytes.u64()?).map_err(|_| damaged())?;
            let ranks = bytes.numbers(u64::from_le_bytes)?;
            let words = bytes.numbers(u32::from_le_bytes)?;
            let own_strings = tag == WORDS_WITH_OWN_STRINGS;
            if events.checked_mul(width) != Some(words.len()) {
                return Err(damaged());
            }
            let strings = if own_strings {
                bytes.spans()?.into()
            } else {
                let at = bytes.u64()?;
                block.memory.strings(at, || block.strings(at))?
            };
            Payload::Words { width, words, strings, ranks, own_strings }
        }
        _ => return Err(damaged()),
    })
}

impl Block<'_> {
    /// The strings at an offset of the store: in this block, or in one before it.
    fn strings(&self, at: u64) -> io::Result<Arc<[Span]>> {
        let inside = at.checked_sub(self.at).and_then(|offset| usize::try_from(offset).ok());
        if let Some(bytes) = inside.and_then(|offset| self.bytes.get(offset..)) {
            return Ok(Bytes(bytes).spans()?.into());
        }
        let len = Bytes(&self.memory.read(COUNT as u64, at)?).u64()?;
        let len = len.checked_mul(SPAN as u64).ok_or_else(damaged)?;
        let bytes = self.memory.read(COUNT as u64 + len, at)?;
        Ok(Bytes(&bytes).spans()?.into())
    }
}

/// Bytes of a count, and of a span.
const COUNT: usize = 8;
const SPAN: usize = 12;

fn put_numbers<T: Copy, const N: usize>(
    out: &mut Vec<u8>,
    numbers: &[T],
    bytes: impl Fn(T) -> [u8; N],
) {
    out.extend((numbers.len() as u64).to_le_bytes());
    out.reserve(numbers.len() * N);
    for &number in numbers {
        out.extend(bytes(number));
    }
}

fn put_span(out: &mut Vec<u8>, span: Span) {
    out.extend(span.addr.to_le_bytes());
    out.extend(span.len.to_le_bytes());
}

fn put_spans(out: &mut Vec<u8>, spans: &[Span]) {
    out.extend((spans.len() as u64).to_le_bytes());
    spans.iter().for_each(|&span| put_span(out, span));
}

/// Bytes of a block that are not read yet.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Bytes<'_> {
    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk().ok_or_else(damaged)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn u64(&mut self) -> io::Result<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> io::Result<i64> {
        self.take().map(i64::from_le_bytes)
    }

    pub(super) fn words<const N: usize>(&mut self) -> io::Result<[u32; N]> {
        let mut words = [0; N];
        for word in &mut words {
            *word = u32::from_le_bytes(self.take()?);
        }
        Ok(words)
    }

    fn numbers<T, const N: usize>(&mut self, number: impl Fn([u8; N]) -> T) -> io::Result<Vec<T>> {
        let count = usize::try_from(self.u64()?).map_err(|_| damaged())?;
        let len = count.checked_mul(N).ok_or_else(damaged)?;
        let (numbers, rest) = self.0.split_at_checked(len).ok_or_else(damaged)?;
        self.0 = rest;
        Ok(numbers.as_chunks().0.iter().map(|bytes| number(*bytes)).collect())
    }

    fn span(&mut self) -> io::Result<Span> {
        Ok(Span { addr: self.u64()?, len: u32::from_le_bytes(self.take()?) })
    }

    fn spans(&mut self) -> io::Result<Vec<Span>> {
        let count = self.u64()?;
        if count > (self.0.len() / SPAN) as u64 {
            return Err(damaged());
        }
        (0..count).map(|_| self.span()).collect()
    }
}
