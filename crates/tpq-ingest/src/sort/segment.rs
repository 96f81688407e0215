//! Segments: sorted events in a store, in blocks that are read one at a time.
//!
//! A block holds events that follow each other in the order of the sorter, as stored runs of runs.
//! Read back, the stored runs take part in the merge like any runs; so the order of a segment is
//! written nowhere, and what a block says of it is only where it begins.

use std::io;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::lane::Head;
use super::sort_memory::{SortMemory, damaged};
use super::stored_run::{Block, Bytes, Slice, StoredRun, cpu_word, stored_cpu};
use super::{LaneKey, Sink, Stopped};
use crate::Run;
use crate::shared::SharedStrings;

/// The position of an event in the order of a sorter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Key {
    pub(super) ts: i64,
    pub(super) lane: LaneKey,
    pub(super) rank: u64,
    pub(super) run: u64,
}

impl Key {
    /// As the head of a segment or run.
    pub(super) fn head(self, slot: u32) -> Head {
        Head { ts: self.ts, rank: self.rank, run: self.run, slot }
    }
}

/// The rest of a segment.
#[derive(Clone, Copy)]
pub(crate) struct Segment {
    /// Where the next block begins in the order.
    pub(super) key: Key,
    /// How often its events were merged with those of other segments.
    pub(super) level: u32,
    /// Where in the store the next block lies, and its length.
    at: u64,
    len: u64,
    /// Where the last one ends.
    end: u64,
}

/// Bytes before the stored runs of a block: its length, the number of stored runs, where they
/// begin, the key.
const HEADER: usize = 8 + 8 + 8 + 32;

impl Segment {
    /// Reads the next block; gives its stored runs, and what is left then.
    pub(super) fn read(self, memory: &SortMemory) -> io::Result<(Vec<StoredRun>, Option<Self>)> {
        let next = self.at + self.len;
        let next_header_len = if next < self.end { HEADER as u64 } else { 0 };
        let bytes = memory.read(self.len + next_header_len, self.at)?;
        let (bytes, next_header) = bytes.split_at(self.len as usize);
        let mut header = Bytes(bytes);
        let (_, count, first) = (header.u64()?, header.u64()?, header.u64()?);
        let first = usize::try_from(first).map_err(|_| damaged())?;
        let mut rest = Bytes(bytes.get(first..).ok_or_else(damaged)?);
        let block = Block { memory, at: self.at, bytes };
        let stored_runs =
            (0..count).map(|_| StoredRun::read(&mut rest, &block)).collect::<io::Result<_>>()?;
        if next_header.is_empty() {
            return Ok((stored_runs, None));
        }
        let mut header = Bytes(next_header);
        let (len, _, _) = (header.u64()?, header.u64()?, header.u64()?);
        let (ts, [source, cpu]) = (header.i64()?, header.words()?);
        let key =
            Key { ts, lane: (source, stored_cpu(cpu)), rank: header.u64()?, run: header.u64()? };
        if len < HEADER as u64 || len > self.end - next {
            return Err(damaged());
        }
        Ok((stored_runs, Some(Self { key, at: next, len, ..self })))
    }
}

/// Writes events, which come in order, as a segment.
pub(crate) struct Writer<'a> {
    memory: &'a SortMemory,
    /// Whether ranks come with the events: then all are in one lane, and runs have no numbers.
    ranked: bool,
    /// Where the next block goes.
    at: u64,
    /// The first block: its offset, length and key.
    first: Option<(u64, u64, Key)>,
    /// The greatest key so far.
    latest: Option<Key>,
    /// The block under way: its key, the events, where those of a run are, the strings they have,
    /// and bytes in all once it is read back.
    key: Option<Key>,
    slices: Vec<Slice>,
    by_run: FxHashMap<usize, usize>,
    strings: SharedStrings,
    bytes: u64,
}

impl<'a> Writer<'a> {
    pub(crate) fn new(memory: &'a SortMemory, ranked: bool) -> Self {
        Self {
            memory,
            ranked,
            at: memory.begin(),
            first: None,
            latest: None,
            key: None,
            slices: Vec::new(),
            by_run: FxHashMap::default(),
            strings: SharedStrings::default(),
            bytes: 0,
        }
    }

    /// Writes the block under way.
    fn close(&mut self) -> io::Result<()> {
        let Some(key) = self.key.take() else { return Ok(()) };
        let mut bytes = vec![0; HEADER];
        for slice in &self.slices {
            slice.write_strings(self.memory, self.at, &mut bytes);
        }
        let stored_runs = bytes.len() as u64;
        for slice in &self.slices {
            slice.write(self.memory, &mut bytes);
        }
        let len = bytes.len() as u64;
        let mut header = Vec::with_capacity(HEADER);
        for number in [len, self.slices.len() as u64, stored_runs, key.ts.cast_unsigned()] {
            header.extend(number.to_le_bytes());
        }
        header.extend(key.lane.0.to_le_bytes());
        header.extend(cpu_word(key.lane.1).to_le_bytes());
        header.extend(key.rank.to_le_bytes());
        header.extend(key.run.to_le_bytes());
        bytes[..HEADER].copy_from_slice(&header);
        self.memory.write(&bytes, self.at)?;
        self.first.get_or_insert((self.at, len, key));
        self.at += len;
        self.slices.clear();
        self.by_run.clear();
        self.strings.clear();
        self.bytes = 0;
        Ok(())
    }

    /// The written segment; `None` where nothing was written.
    pub(crate) fn finish(mut self, level: u32) -> io::Result<Option<Segment>> {
        self.close()?;
        let Some((at, len, key)) = self.first else {
            self.memory.release();
            return Ok(None);
        };
        Ok(Some(Segment { key, level, at, len, end: self.at }))
    }
}

impl Sink for Writer<'_> {
    fn take(&mut self, head: Head, run: &Arc<Run>, index: usize) -> Result<(), Stopped> {
        let lane = if self.ranked { (0, None) } else { (run.source, run.cpu) };
        let key = Key { ts: head.ts, lane, rank: head.rank, run: head.run };
        // Events of a run that share a key, or have a lower one than an event before them, keep
        // their order only within one block.
        if self.bytes >= self.memory.block && self.latest < Some(key) {
            self.close()?;
        }
        self.latest = self.latest.max(Some(key));
        self.key.get_or_insert(key);
        let slices = &mut self.slices;
        let at = self.by_run.entry(Arc::as_ptr(run).addr()).or_insert(usize::MAX);
        if slices.get(*at).is_none_or(|slice| slice.range.end != index) {
            *at = slices.len();
            let range = index..index;
            slices.push(Slice { id: head.run, run: Arc::clone(run), range, ranks: Vec::new() });
            self.bytes += size_of::<Run>() as u64 + self.strings.add(run);
        }
        let slice = &mut slices[*at];
        slice.range.end += 1;
        if self.ranked {
            slice.ranks.push(head.rank);
        }
        self.bytes += run.event_bytes();
        Ok(())
    }
}
