//! Releases the memory of trace pages that were read or decoded.
//!
//! Readers go through a file from its start to its end. The decoder takes events in the order of
//! time, so it jumps around in a file in which the packets of each writer lie together.

use std::ops::Range;

use tpq_ingest::Span;
use tpq_source::{Entry, Inputs, Scratch};

/// Bytes that are released at once behind a reader: each release is a system call.
const RELEASE_STEP: usize = 2 << 20;
/// Bytes behind a reader that are kept, because decoding may follow closely.
const KEEP_BEHIND: usize = 2 << 20;
/// Bytes that are kept or released together behind the decoder. The system loads at least as many
/// around each page that is missing.
const REGION_BYTES: u64 = 64 << 10;
/// Distinct regions that the decoder enters before all other regions are released.
const MAX_RECENT_REGIONS: usize = 64;

/// A file with events.
#[derive(Clone, Copy)]
struct File<'a> {
    entry: &'a Entry,
    /// The store of the inflated data of all files.
    scratch: &'a Scratch,
    /// Start and length, in `scratch`, of the data inflated from this file. Its addresses follow
    /// those of the file's own bytes.
    inflated: (usize, usize),
    /// The address of the file's first byte.
    base: u64,
}

impl File<'_> {
    /// Releases bytes of the file and of its inflated data. `range` counts from `base`.
    fn release(&self, range: Range<usize>) {
        let len = self.entry.bytes().len();
        if range.start < len {
            self.entry.release(range.start..range.end.min(len));
        }
        if range.end > len {
            self.release_inflated(range.start.saturating_sub(len)..range.end - len);
        }
    }

    /// Releases bytes of the file's inflated data.
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
    /// `addresses` has one range per file with events: the file's bytes, then its inflated data.
    /// `scratch` holds the inflated data, file after file.
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
    /// Releases all pages.
    pub(crate) fn release(&self) {
        self.files.iter().for_each(|file| file.release(0..usize::MAX));
    }
}

/// Releases pages behind the readers of all files.
pub(crate) struct ReaderPageRelease<'a> {
    files: Vec<File<'a>>,
    /// How many bytes are released: of each file, and of its inflated data.
    released: Vec<[usize; 2]>,
}

impl<'a> ReaderPageRelease<'a> {
    pub(crate) fn new(memory: &TraceMemory<'a>) -> Self {
        Self { files: memory.files.clone(), released: vec![[0; 2]; memory.files.len()] }
    }

    /// Notes that `done` bytes of file number `file` were read. Undecoded events cause their pages
    /// to be read again.
    pub(crate) fn read(&mut self, file: usize, done: u64) {
        let (file, released) = (&self.files[file], &mut self.released[file]);
        let [of_file, of_inflated] = released;
        let (done, len) = (done as usize, file.entry.bytes().len());
        release_passed(of_file, done.min(len), |range| file.entry.release(range));
        release_passed(of_inflated, done, |range| file.release_inflated(range));
    }
}

/// Releases the bytes up to [`KEEP_BEHIND`] before `passed`, and stores the new end in `released`.
fn release_passed(released: &mut usize, passed: usize, release: impl FnOnce(Range<usize>)) {
    let end = passed.saturating_sub(KEEP_BEHIND);
    if end >= *released + RELEASE_STEP {
        release(*released..end);
        *released = end;
    }
}

/// A region: the number of its file, and its own number in that file.
type Region = (usize, usize);

/// The regions that the decoder entered recently.
#[derive(Default)]
struct Regions {
    /// By file number and region number: whether the region is in `recent`.
    is_recent: Vec<Vec<bool>>,
    recent: Vec<Region>,
    /// The files of the previous set of recent regions.
    previous_files: Vec<usize>,
}

impl Regions {
    fn new(files: usize) -> Self {
        Self { is_recent: vec![Vec::new(); files], ..Self::default() }
    }

    /// Notes that the decoder enters a region.
    fn enter(&mut self, region: Region) {
        let is_recent = &mut self.is_recent[region.0];
        if is_recent.len() <= region.1 {
            is_recent.resize(region.1 + 1, false);
        }
        if !std::mem::replace(&mut is_recent[region.1], true) {
            self.recent.push(region);
        }
    }

    /// Once there are [`MAX_RECENT_REGIONS`] recent regions, returns everything to release: all
    /// other regions in the files of this set and of the previous one. Whole files are released,
    /// because nothing records which pages were loaded again since the last release, or which pages
    /// the system loaded in addition.
    fn take_released(&mut self) -> Vec<(usize, Range<usize>)> {
        if self.recent.len() < MAX_RECENT_REGIONS {
            return Vec::new();
        }
        let mut kept = std::mem::take(&mut self.recent);
        kept.sort_unstable();
        let mut files: Vec<usize> = kept.iter().map(|region| region.0).collect();
        files.dedup();
        let mut all = [files.as_slice(), &self.previous_files].concat();
        all.sort_unstable();
        all.dedup();
        let mut others = Vec::new();
        for file in all {
            let mut begin = 0;
            for &(_, region) in kept.iter().filter(|region| region.0 == file) {
                others.push((file, begin..region));
                begin = region + 1;
            }
            others.push((file, begin..usize::MAX));
        }
        others.retain(|(_, regions)| !regions.is_empty());
        kept.iter().for_each(|&(file, region)| self.is_recent[file][region] = false);
        self.previous_files = files;
        others
    }
}

/// Releases pages behind the decoder. The deferred writer reads the same bytes a little later, so
/// the regions that were entered last stay.
pub(crate) struct DecoderPageRelease<'a> {
    files: Vec<File<'a>>,
    regions: Regions,
    /// The addresses of the region that was entered last.
    current: Range<u64>,
}

impl<'a> DecoderPageRelease<'a> {
    pub(crate) fn new(memory: &TraceMemory<'a>) -> Self {
        Self {
            files: memory.files.clone(),
            regions: Regions::new(memory.files.len()),
            current: 0..0,
        }
    }

    /// Notes that a span is about to be decoded.
    #[inline]
    pub(crate) fn enter(&mut self, span: Span) {
        let end = span.addr.saturating_add(u64::from(span.len));
        if !self.current.contains(&span.addr) || end > self.current.end {
            self.enter_other_region(span);
        }
    }

    fn enter_other_region(&mut self, span: Span) {
        let after = self.files.partition_point(|file| file.base <= span.addr);
        let Some(file) = after.checked_sub(1) else { return };
        let base = self.files[file].base;
        let first = span.addr - base;
        let last = first.saturating_add(u64::from(span.len.saturating_sub(1)));
        for region in first / REGION_BYTES..=last / REGION_BYTES {
            self.regions.enter((file, region as usize));
        }
        let begin = base + last / REGION_BYTES * REGION_BYTES;
        let next = self.files.get(after).map_or(u64::MAX, |file| file.base);
        self.current = begin..next.min(begin + REGION_BYTES);
        for (file, regions) in self.regions.take_released() {
            // The recent regions were reset, so the next span must be counted again.
            self.current = 0..0;
            let at = |region: usize| region.saturating_mul(REGION_BYTES as usize);
            self.files[file].release(at(regions.start)..at(regions.end));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use tpq_source::UNPACK_LIMIT;

    use super::*;

    fn released(
        regions: &mut Regions,
        entered: impl IntoIterator<Item = Region>,
    ) -> Vec<(usize, Range<usize>)> {
        let take_released = |region| {
            regions.enter(region);
            regions.take_released()
        };
        entered.into_iter().flat_map(take_released).collect()
    }

    #[test]
    fn the_regions_entered_last_stay() {
        let mut regions = Regions::new(2);
        let here = |range: Range<usize>| range.map(|region| (0, region));
        assert_eq!(released(&mut regions, here(5..MAX_RECENT_REGIONS + 3)), []);
        // Entering the same regions again changes nothing.
        assert_eq!(released(&mut regions, here(5..MAX_RECENT_REGIONS + 3)), []);
        assert_eq!(released(&mut regions, [(0, 1)]), []);
        let rest = [
            (0, 0..1),
            (0, 2..5),
            (0, MAX_RECENT_REGIONS + 3..usize::MAX),
            (1, 0..7),
            (1, 8..usize::MAX),
        ];
        assert_eq!(released(&mut regions, [(1, 7)]), rest);
        // No region of the other file stays, and then there is nothing more to release in it.
        let mine = [(0, 0..100), (0, 100 + MAX_RECENT_REGIONS..usize::MAX), (1, 0..usize::MAX)];
        assert_eq!(released(&mut regions, here(100..100 + MAX_RECENT_REGIONS)), mine);
        assert_eq!(released(&mut regions, here(100..100 + MAX_RECENT_REGIONS)), mine[..2]);
    }

    /// Writes a file of `len` bytes.
    fn file(folder: &Path, name: &str, len: u64) -> PathBuf {
        let path = folder.join(name);
        let byte = |at: u64| (at / REGION_BYTES) as u8;
        // The first bytes are those of a packet.
        let head = [10, 2, 64, 1];
        let bytes: Vec<u8> = head.into_iter().chain((4..len).map(byte)).collect();
        std::fs::write(&path, bytes).expect("can be written");
        path
    }

    #[test]
    fn spans_map_to_their_file_and_regions() {
        let folder = tempfile::tempdir().expect("a folder");
        let lens = [3 * REGION_BYTES + 5, 400 * REGION_BYTES];
        let paths =
            [("a", lens[0]), ("b", lens[1])].map(|(name, len)| file(folder.path(), name, len));
        let inputs = Inputs::open(&paths, UNPACK_LIMIT, |_| {}).expect("can be read");
        let scratch = Scratch::default();
        // The addresses after the first file are 100 bytes that were inflated from it.
        let bases = [0, lens[0] + 100];
        let addresses = [0..bases[1], bases[1]..bases[1] + lens[1]];
        let memory = TraceMemory::new(&inputs, &scratch, addresses);
        assert_eq!(
            memory.files.iter().map(|file| file.inflated).collect::<Vec<_>>(),
            [(0, 100), (100, 0)]
        );
        let mut page_release = DecoderPageRelease::new(&memory);
        let mut enter = |addr, len| {
            page_release.enter(Span { addr, len });
            page_release.regions.recent.clone()
        };
        assert_eq!(enter(7, 0), [(0, 0)]);
        assert_eq!(enter(8, 100), [(0, 0)]);
        assert_eq!(enter(REGION_BYTES - 1, 1), [(0, 0)]);
        assert_eq!(enter(REGION_BYTES - 1, 2), [(0, 0), (0, 1)]);
        assert_eq!(enter(lens[0], 100)[2..], [(0, 3)]);
        assert_eq!(enter(bases[1], 1)[3..], [(1, 0)]);
        // A span of more regions than may stay: all of them are released at once.
        assert!(enter(bases[1], 300 * REGION_BYTES as u32).is_empty());
        assert_eq!(page_release.regions.previous_files, [0, 1]);
        // A later span in the last of these regions is counted again.
        page_release.enter(Span { addr: bases[1] + 299 * REGION_BYTES + 1, len: 1 });
        assert_eq!(page_release.regions.recent, [(1, 299)]);
        // Released bytes are read from the file again.
        let (_, second) = inputs.traces().nth(1).expect("is there");
        assert!(
            (1..400).all(|region| second.bytes()[region * REGION_BYTES as usize] == region as u8)
        );
    }
}
