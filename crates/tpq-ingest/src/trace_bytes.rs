//! Every byte of a trace under one address: the file's own, then what was inflated from it.

/// Bytes of a trace, by address.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Span {
    /// Where they begin.
    pub addr: u64,
    /// How many they are.
    pub len: u32,
}

impl Span {
    /// The span at `offset` within this one.
    #[must_use]
    pub fn inner(self, offset: usize, len: usize) -> Self {
        Self { addr: self.addr + offset as u64, len: len as u32 }
    }
}

/// The bytes of a trace.
pub struct TraceBytes<'a> {
    file: &'a [u8],
    /// Inflated parts and the address each begins at.
    inflated: Vec<(u64, Vec<u8>)>,
    /// Ranges that hold whole packets, in the order they were recorded.
    segments: Vec<(u64, usize)>,
}

impl<'a> TraceBytes<'a> {
    pub(crate) fn new(file: &'a [u8]) -> Self {
        Self { file, inflated: Vec::new(), segments: Vec::new() }
    }

    /// Appends inflated bytes and gives the address they have.
    pub(crate) fn push_inflated(&mut self, bytes: Vec<u8>) -> u64 {
        let addr = self
            .inflated
            .last()
            .map_or(self.file.len() as u64, |(addr, part)| addr + part.len() as u64);
        self.inflated.push((addr, bytes));
        addr
    }

    pub(crate) fn push_segment(&mut self, addr: u64, len: usize) {
        if len > 0 {
            self.segments.push((addr, len));
        }
    }

    /// The ranges that hold packets, in the order they were recorded.
    pub(crate) fn segments(&self) -> &[(u64, usize)] {
        &self.segments
    }

    /// The number of bytes that hold packets.
    pub fn total(&self) -> u64 {
        self.segments.iter().map(|(_, len)| *len as u64).sum()
    }

    /// The bytes of a span; empty for one that lies outside the trace.
    #[inline]
    pub fn get(&self, span: Span) -> &[u8] {
        self.range(span.addr, span.len as usize)
    }

    #[inline]
    pub(crate) fn range(&self, addr: u64, len: usize) -> &[u8] {
        let (base, part) = match addr < self.file.len() as u64 {
            true => (0, self.file),
            false => {
                let after = self.inflated.partition_point(|(base, _)| *base <= addr);
                match after.checked_sub(1) {
                    Some(index) => (self.inflated[index].0, &self.inflated[index].1[..]),
                    None => return &[],
                }
            }
        };
        let start = (addr - base) as usize;
        part.get(start..start.saturating_add(len)).unwrap_or_default()
    }
}
