//! Gives back the memory of trace bytes that were read or decoded.
//!
//! Reading goes through a file from its beginning to its end. Decoding goes wherever the events lie
//! that are next in time: all over a file, where each writer's packets lie together.

use std::ops::Range;

use tpq_ingest::Span;
use tpq_source::{Entry, Inputs, Scratch};

/// Bytes that are given back at once behind the reader: doing so is a call of the system.
const STEP: usize = 2 << 20;
/// Bytes behind the reader that stay, for where decoding follows closely.
const STAY: usize = 2 << 20;
/// Bytes that stay or go together behind the decoder. The system loads at least as many around each
/// that is not there.
const REGION: u64 = 64 << 10;
/// Regions that the decoder goes to before all others go.
const REGIONS: usize = 64;

/// A file with events.
#[derive(Clone, Copy)]
struct File<'a> {
    entry: &'a Entry,
    /// Where what was inflated from all files is kept.
    scratch: &'a Scratch,
    /// Where in there what was inflated from it begins, and how much that is: its addresses follow
    /// those of its own bytes.
    inflated: (usize, usize),
    /// The address of its first byte.
    base: u64,
}

impl File<'_> {
    /// Gives back bytes of its own and of what was inflated from it, by their addresses from `base`
    /// on.
    fn release(&self, range: Range<usize>) {
        let len = self.entry.bytes().len();
        if range.start < len {
            self.entry.release(range.start..range.end.min(len));
        }
        if range.end > len {
            self.release_inflated(range.start.saturating_sub(len)..range.end - len);
        }
    }

    /// Gives back bytes of what was inflated from it.
    fn release_inflated(&self, range: Range<usize>) {
        let (begin, len) = self.inflated;
        let range = begin + range.start.min(len)..begin + range.end.min(len);
        if !range.is_empty() {
            self.scratch.release(range);
        }
    }
}

/// The files with events, in the order of their addresses.
#[derive(Clone)]
pub(crate) struct TraceMemory<'a> {
    files: Vec<File<'a>>,
}

impl<'a> TraceMemory<'a> {
    /// `addresses` has those of each file with events and of what was inflated from it, which
    /// `scratch` keeps, file after file.
    pub(crate) fn new(
        inputs: &'a Inputs,
        scratch: &'a Scratch,
        addresses: impl IntoIterator<Item = Range<u64>>,
    ) -> Self {
        let mut before = 0;
        let file = |((_, entry), addresses): ((usize, &'a Entry), Range<u64>)| {
            let all = (addresses.end - addresses.start) as usize;
            let inflated = (before, all.saturating_sub(entry.bytes().len()));
            before += inflated.1;
            File { entry, scratch, inflated, base: addresses.start }
        };
        Self { files: inputs.traces().zip(addresses).map(file).collect() }
    }
}

impl TraceMemory<'_> {
    /// Gives all of it back.
    pub(crate) fn release(&self) {
        self.files.iter().for_each(|file| file.release(0..usize::MAX));
    }
}

/// What was given back behind the readers of all files.
pub(crate) struct BehindReaders<'a> {
    files: Vec<File<'a>>,
    /// How much of each file, and of what was inflated from it.
    released: Vec<[usize; 2]>,
}

impl<'a> BehindReaders<'a> {
    pub(crate) fn new(memory: &TraceMemory<'a>) -> Self {
        Self { files: memory.files.clone(), released: vec![[0; 2]; memory.files.len()] }
    }

    /// Notes how much of a file was read, by its number. What waits to be decoded is read again.
    pub(crate) fn read(&mut self, file: usize, done: u64) {
        let (file, released) = (&self.files[file], &mut self.released[file]);
        let [of_file, of_inflated] = released;
        let (done, len) = (done as usize, file.entry.bytes().len());
        release_behind(of_file, done.min(len), |range| file.entry.release(range));
        release_behind(of_inflated, done, |range| file.release_inflated(range));
    }
}

/// Gives back what lies some way before `passed`, and notes how far that is in `released`.
fn release_behind(released: &mut usize, passed: usize, release: impl FnOnce(Range<usize>)) {
    let end = passed.saturating_sub(STAY);
    if end >= *released + STEP {
        release(*released..end);
        *released = end;
    }
}

/// A region, by the number of its file and its own number there.
type Region = (usize, usize);

/// Which regions the decoder has gone to of late.
#[derive(Default)]
struct Regions {
    /// By the number of the file and of the region, whether it is among `now`.
    are_now: Vec<Vec<bool>>,
    now: Vec<Region>,
    /// The files of those before.
    before: Vec<usize>,
}

impl Regions {
    fn new(files: usize) -> Self {
        Self { are_now: vec![Vec::new(); files], ..Self::default() }
    }

    /// Notes that the decoder goes to a region.
    fn enter(&mut self, region: Region) {
        let are_now = &mut self.are_now[region.0];
        if are_now.len() <= region.1 {
            are_now.resize(region.1 + 1, false);
        }
        if !std::mem::replace(&mut are_now[region.1], true) {
            self.now.push(region);
        }
    }

    /// Once these are many, everything but them, in the files of these and of those before: what was
    /// read again since it was given back, and what the system loaded along, is noted nowhere.
    fn leave(&mut self) -> Vec<(usize, Range<usize>)> {
        if self.now.len() < REGIONS {
            return Vec::new();
        }
        let mut stay = std::mem::take(&mut self.now);
        stay.sort_unstable();
        let mut files: Vec<usize> = stay.iter().map(|region| region.0).collect();
        files.dedup();
        let mut all = [files.as_slice(), &self.before].concat();
        all.sort_unstable();
        all.dedup();
        let mut others = Vec::new();
        for file in all {
            let mut begin = 0;
            for &(_, region) in stay.iter().filter(|region| region.0 == file) {
                others.push((file, begin..region));
                begin = region + 1;
            }
            others.push((file, begin..usize::MAX));
        }
        others.retain(|(_, regions)| !regions.is_empty());
        stay.iter().for_each(|&(file, region)| self.are_now[file][region] = false);
        self.before = files;
        others
    }
}

/// What is to be given back behind the decoder. Whoever writes up what it said reads the same bytes
/// a little later, which is why those stay that were gone to last.
pub(crate) struct BehindDecoder<'a> {
    files: Vec<File<'a>>,
    regions: Regions,
    /// The addresses of the region that was gone to last.
    here: Range<u64>,
}

impl<'a> BehindDecoder<'a> {
    pub(crate) fn new(memory: &TraceMemory<'a>) -> Self {
        Self { files: memory.files.clone(), regions: Regions::new(memory.files.len()), here: 0..0 }
    }

    /// Notes that a span is going to be decoded.
    #[inline]
    pub(crate) fn enter(&mut self, span: Span) {
        let end = span.addr.saturating_add(u64::from(span.len));
        if !self.here.contains(&span.addr) || end > self.here.end {
            self.go(span);
        }
    }

    fn go(&mut self, span: Span) {
        let after = self.files.partition_point(|file| file.base <= span.addr);
        let Some(file) = after.checked_sub(1) else { return };
        let base = self.files[file].base;
        let first = span.addr - base;
        let last = first.saturating_add(u64::from(span.len.saturating_sub(1)));
        for region in first / REGION..=last / REGION {
            self.regions.enter((file, region as usize));
        }
        let begin = base + last / REGION * REGION;
        let next = self.files.get(after).map_or(u64::MAX, |file| file.base);
        self.here = begin..next.min(begin + REGION);
        for (file, regions) in self.regions.leave() {
            // What was counted so far is counted anew.
            self.here = 0..0;
            let at = |region: usize| region.saturating_mul(REGION as usize);
            self.files[file].release(at(regions.start)..at(regions.end));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use tpq_source::UNPACK_LIMIT;

    use super::*;

    fn left(
        regions: &mut Regions,
        entered: impl IntoIterator<Item = Region>,
    ) -> Vec<(usize, Range<usize>)> {
        let leave = |region| {
            regions.enter(region);
            regions.leave()
        };
        entered.into_iter().flat_map(leave).collect()
    }

    #[test]
    fn regions_stay_that_were_gone_to_last() {
        let mut regions = Regions::new(2);
        let here = |range: Range<usize>| range.map(|region| (0, region));
        assert_eq!(left(&mut regions, here(5..REGIONS + 3)), []);
        // Going to the same ones again changes nothing.
        assert_eq!(left(&mut regions, here(5..REGIONS + 3)), []);
        assert_eq!(left(&mut regions, [(0, 1)]), []);
        let rest =
            [(0, 0..1), (0, 2..5), (0, REGIONS + 3..usize::MAX), (1, 0..7), (1, 8..usize::MAX)];
        assert_eq!(left(&mut regions, [(1, 7)]), rest);
        // Of the other file nothing stays, and after that there is nothing to give back of it.
        let mine = [(0, 0..100), (0, 100 + REGIONS..usize::MAX), (1, 0..usize::MAX)];
        assert_eq!(left(&mut regions, here(100..100 + REGIONS)), mine);
        assert_eq!(left(&mut regions, here(100..100 + REGIONS)), mine[..2]);
    }

    /// A file of so many bytes.
    fn file(folder: &Path, name: &str, len: u64) -> PathBuf {
        let path = folder.join(name);
        let byte = |at: u64| (at / REGION) as u8;
        // Of a packet, as far as the first bytes go.
        let head = [10, 2, 64, 1];
        let bytes: Vec<u8> = head.into_iter().chain((4..len).map(byte)).collect();
        std::fs::write(&path, bytes).expect("can be written");
        path
    }

    #[test]
    fn spans_are_of_the_file_and_the_regions_they_lie_in() {
        let folder = tempfile::tempdir().expect("a folder");
        let lens = [3 * REGION + 5, 400 * REGION];
        let paths =
            [("a", lens[0]), ("b", lens[1])].map(|(name, len)| file(folder.path(), name, len));
        let inputs = Inputs::open(&paths, UNPACK_LIMIT, |_| {}).expect("can be read");
        let scratch = Scratch::default();
        // Behind the first file come 100 bytes that were inflated from it.
        let bases = [0, lens[0] + 100];
        let addresses = [0..bases[1], bases[1]..bases[1] + lens[1]];
        let memory = TraceMemory::new(&inputs, &scratch, addresses);
        assert_eq!(
            memory.files.iter().map(|file| file.inflated).collect::<Vec<_>>(),
            [(0, 100), (100, 0)]
        );
        let mut behind = BehindDecoder::new(&memory);
        let mut enter = |addr, len| {
            behind.enter(Span { addr, len });
            behind.regions.now.clone()
        };
        assert_eq!(enter(7, 0), [(0, 0)]);
        assert_eq!(enter(8, 100), [(0, 0)]);
        assert_eq!(enter(REGION - 1, 1), [(0, 0)]);
        assert_eq!(enter(REGION - 1, 2), [(0, 0), (0, 1)]);
        assert_eq!(enter(lens[0], 100)[2..], [(0, 3)]);
        assert_eq!(enter(bases[1], 1)[3..], [(1, 0)]);
        // A span of more regions than may stay: there is nothing more to go to before these go.
        assert!(enter(bases[1], 300 * REGION as u32).is_empty());
        assert_eq!(behind.regions.before, [0, 1]);
        // Who stays in the last of them is there anew.
        behind.enter(Span { addr: bases[1] + 299 * REGION + 1, len: 1 });
        assert_eq!(behind.regions.now, [(1, 299)]);
        // What was given back is read again from the file.
        let (_, second) = inputs.traces().nth(1).expect("is there");
        assert!((1..400).all(|region| second.bytes()[region * REGION as usize] == region as u8));
    }
}
