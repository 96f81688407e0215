//! Every byte of every file under one address: the files' own, and what was inflated from them.

use std::borrow::Cow;

/// Bytes of an import, by address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// Address of the first byte.
    pub addr: u64,
    /// Number of bytes.
    pub len: u32,
}

impl Span {
    /// The span at `offset` within this one.
    #[must_use]
    pub fn inner(self, offset: usize, len: usize) -> Self {
        Self { addr: self.addr + offset as u64, len: len as u32 }
    }
}

/// A stretch of bytes and the addresses it has.
struct Part<'a> {
    base: u64,
    bytes: Cow<'a, [u8]>,
    /// Offset of the compressed data in its file; `None` for data that was not compressed.
    compressed_at: Option<u64>,
}

impl Part<'_> {
    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }
}

/// The bytes of one file: its own and what was inflated from it.
pub struct FileBytes<'a> {
    parts: Vec<Part<'a>>,
    /// Ranges that hold whole packets, in the order they were recorded.
    segments: Vec<(u64, usize)>,
}

impl<'a> FileBytes<'a> {
    /// A file with the addresses from `base` on.
    pub(crate) fn new(file: &'a [u8], base: u64) -> Self {
        let whole = Part { base, bytes: Cow::Borrowed(file), compressed_at: None };
        Self { parts: vec![whole], segments: Vec::new() }
    }

    /// The address of the first byte.
    pub fn base(&self) -> u64 {
        self.parts.first().map_or(0, |part| part.base)
    }

    /// The first address after this file.
    pub fn end(&self) -> u64 {
        self.parts.last().map_or(0, Part::end)
    }

    /// How many bytes were inflated.
    pub fn inflated(&self) -> u64 {
        self.end() - self.parts.first().map_or(0, Part::end)
    }

    /// Appends what was inflated from `offset` of the file and gives the address it has.
    pub(crate) fn push_inflated(&mut self, bytes: Cow<'a, [u8]>, offset: u64) -> u64 {
        let base = self.end();
        self.parts.push(Part { base, bytes, compressed_at: Some(offset) });
        base
    }

    pub(crate) fn push_segment(&mut self, addr: u64, len: usize) {
        if len > 0 {
            self.segments.push((addr, len));
        }
    }

    /// Takes out the ranges that hold packets.
    pub fn take_segments(&mut self) -> Vec<(u64, usize)> {
        std::mem::take(&mut self.segments)
    }
}

/// The bytes of all files.
pub struct TraceBytes<'a> {
    parts: Vec<Part<'a>>,
    /// The end of the first part; an uncompressed file alone has no other part.
    first_end: u64,
}

impl<'a> TraceBytes<'a> {
    /// Files with consecutive addresses.
    pub fn new(files: impl IntoIterator<Item = FileBytes<'a>>) -> Self {
        let parts: Vec<Part<'a>> = files.into_iter().flat_map(|file| file.parts).collect();
        let first_end = parts.first().map_or(0, Part::end);
        Self { parts, first_end }
    }

    /// The bytes of a span; empty for one that lies outside.
    #[inline]
    pub fn get(&self, span: Span) -> &[u8] {
        self.range(span.addr, span.len as usize)
    }

    /// The `len` bytes at an address; empty where they are not all in one part.
    #[inline]
    pub fn range(&self, addr: u64, len: usize) -> &[u8] {
        let Some(part) = self.part(addr) else { return &[] };
        let start = (addr - part.base) as usize;
        part.bytes.get(start..start.saturating_add(len)).unwrap_or_default()
    }

    /// The bytes from an address to the end of its part.
    pub fn whole(&self, addr: u64) -> &[u8] {
        let Some(part) = self.part(addr) else { return &[] };
        part.bytes.get((addr - part.base) as usize..).unwrap_or_default()
    }

    #[inline]
    fn part(&self, addr: u64) -> Option<&Part<'a>> {
        if addr < self.first_end {
            return self.parts.first();
        }
        let after = self.parts.partition_point(|part| part.base <= addr);
        self.parts.get(after.checked_sub(1)?)
    }

    /// Has the processor fetch the first bytes of a span, which are read soon.
    #[inline]
    pub fn fetch(&self, span: Span) {
        let bytes = self.get(span);
        fetch(bytes);
        if let Some(next) = bytes.get(LINE..) {
            fetch(next);
        }
    }

    /// The offset of an address in its file; for inflated data, that of the compressed data.
    pub fn offset_in_file(&self, addr: u64) -> Option<u64> {
        let part = self.part(addr)?;
        Some(part.compressed_at.unwrap_or(addr - part.base))
    }
}

/// Bytes of a line of the processor's cache.
const LINE: usize = 64;

/// Has the processor fetch the first of some values, which are read soon.
///
/// Events come in the order of time, and so from all over the trace: each begins in a line that no
/// cache holds, and in a page that none knows.
#[inline]
pub fn fetch<T>(values: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the processor passes over an address that it cannot read. Without it, waiting
        // for memory takes a tenth of the import of a browser's trace.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(values.as_ptr().cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}
