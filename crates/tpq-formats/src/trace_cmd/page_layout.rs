//! Pages of the kernel's ring buffer, as its `header_page` describes them: a timestamp, the number
//! of bytes of data, and the data.

use super::event_format::{FormatField, field_of_line};
use super::numbers::ByteOrder;

/// Bits of the number of bytes of data; those above are flags.
const SIZE: u64 = (1 << 27) - 1;
/// Events before the page are lost.
const MISSED_EVENTS: u64 = 1 << 31;
/// Types of entries that are no events.
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// Bits of the time since the entry before.
const DELTA_BITS: u32 = 27;
/// The upper bits of a timestamp that entries with a time lack.
const UPPER_BITS: u64 = 0x1f << 59;

/// The places of the parts of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PageLayout {
    commit: (usize, usize),
    data: usize,
}

impl PageLayout {
    /// The layout of a kernel with numbers of `long` bytes.
    pub(super) fn of_long(long: usize) -> Self {
        Self { commit: (8, long), data: 8 + long }
    }

    /// Reads the kernel's description.
    pub(super) fn read(text: &[u8]) -> Option<Self> {
        let fields: Vec<FormatField<'_>> =
            text.split(|&byte| byte == b'\n').filter_map(field_of_line).collect();
        let find = |name: &[u8]| fields.iter().find(|field| field.name == name);
        let (commit, data) = (find(b"commit")?, find(b"data")?);
        let is_number = (1..=8).contains(&commit.size);
        let is_before = commit.offset.checked_add(commit.size)? <= data.offset;
        (is_number && is_before && data.offset < 64)
            .then_some(Self { commit: (commit.offset, commit.size), data: data.offset })
    }

    /// Calls a function with the time and the data of each event of a page. Returns whether events
    /// before the page were lost, and the offset from which on the page cannot be read.
    pub(super) fn walk<'a>(
        &self,
        page: &'a [u8],
        order: ByteOrder,
        mut each: impl FnMut(u64, &'a [u8]),
    ) -> (bool, Option<usize>) {
        let header = |start: usize, len: usize| {
            page.get(start..start + len).map(|bytes| order.number(bytes))
        };
        let (Some(mut ts), Some(commit)) = (header(0, 8), header(self.commit.0, self.commit.1))
        else {
            return (false, Some(0));
        };
        let base = ts;
        let missed = commit & MISSED_EVENTS != 0;
        let size = (commit & SIZE) as usize;
        let Some(data) = page.get(self.data..self.data.saturating_add(size)) else {
            return (missed, Some(self.commit.0));
        };
        let mut at = 0;
        while at < data.len() {
            let Some(entry) = Entry::read(data, at, order) else {
                return (missed, Some(self.data + at));
            };
            match entry.kind {
                Kind::End => break,
                Kind::Skip => ts = ts.wrapping_add(entry.delta),
                Kind::At => {
                    ts = entry.delta | base & UPPER_BITS;
                    // The upper bits changed since the page began.
                    if ts < base {
                        ts = ts.wrapping_add(1 << 59);
                    }
                }
                Kind::Event(event) => {
                    ts = ts.wrapping_add(entry.delta);
                    each(ts, event);
                }
            }
            at += entry.len;
        }
        (missed, None)
    }
}

/// An entry of a page.
struct Entry<'a> {
    /// Time since the entry before, or the time itself.
    delta: u64,
    kind: Kind<'a>,
    /// Bytes with the header.
    len: usize,
}

enum Kind<'a> {
    /// Nothing follows in the page.
    End,
    /// Time passes.
    Skip,
    /// It states the time.
    At,
    Event(&'a [u8]),
}

impl<'a> Entry<'a> {
    fn read(data: &'a [u8], at: usize, order: ByteOrder) -> Option<Self> {
        let word = |index: usize| {
            let start = at + 4 * index;
            data.get(start..start + 4).map(|bytes| order.number(bytes) as u32)
        };
        let header = word(0)?;
        let (entry_type, delta) = match order {
            ByteOrder::Little => (header & 31, u64::from(header >> 5)),
            ByteOrder::Big => (header >> DELTA_BITS, u64::from(header & ((1 << DELTA_BITS) - 1))),
        };
        let long = || Some(delta | u64::from(word(1)?) << DELTA_BITS);
        Some(match entry_type {
            PADDING if delta == 0 => Self { delta, kind: Kind::End, len: 4 },
            PADDING => {
                Self { delta, kind: Kind::Skip, len: (word(1)? as usize).checked_add(4)?.max(8) }
            }
            TIME_EXTEND => Self { delta: long()?, kind: Kind::Skip, len: 8 },
            TIME_STAMP => Self { delta: long()?, kind: Kind::At, len: 8 },
            0 => {
                let len = (word(1)? as usize).checked_sub(4)?;
                let event = data.get(at + 8..(at + 8).checked_add(len)?)?;
                Self { delta, kind: Kind::Event(event), len: 8 + len.next_multiple_of(4) }
            }
            words => {
                let len = words as usize * 4;
                let event = data.get(at + 4..at + 4 + len)?;
                Self { delta, kind: Kind::Event(event), len: 4 + len }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER_PAGE: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;
";

    #[test]
    fn the_layout_that_a_kernel_describes() {
        assert_eq!(PageLayout::read(HEADER_PAGE.as_bytes()), Some(PageLayout::of_long(8)));
        assert_eq!(PageLayout::read(b""), None);
    }

    /// Times in a page of both byte orders: 100, then 10 more, then an entry that adds 2^27 + 3,
    /// then 5 more, then padding of 4 bytes, and an event of a length of its own at the same time.
    #[test]
    fn events_of_a_page() {
        for order in [ByteOrder::Little, ByteOrder::Big] {
            let word = |value: u32| match order {
                ByteOrder::Little => value.to_le_bytes(),
                ByteOrder::Big => value.to_be_bytes(),
            };
            let entry = |kind: u32, delta: u32| match order {
                ByteOrder::Little => word(delta << 5 | kind),
                ByteOrder::Big => word(kind << 27 | delta),
            };
            let data = [
                entry(1, 10),
                word(7),
                entry(TIME_EXTEND, 3),
                word(1),
                entry(1, 5),
                word(8),
                entry(PADDING, 1),
                word(4),
                entry(0, 0),
                word(4 + 5),
                word(9),
                word(0),
            ]
            .concat();
            let mut page = match order {
                ByteOrder::Little => [100_u64.to_le_bytes(), (data.len() as u64).to_le_bytes()],
                ByteOrder::Big => [100_u64.to_be_bytes(), (data.len() as u64).to_be_bytes()],
            }
            .concat();
            page.extend(&data);
            let mut events = Vec::new();
            let end = PageLayout::of_long(8).walk(&page, order, |ts, event| {
                events.push((ts, event.len(), order.number(&event[..4])));
            });
            let extended = 110 + (1 << 27) + 3 + 5;
            assert_eq!(events, [(110, 4, 7), (extended, 4, 8), (extended + 1, 5, 9)]);
            assert_eq!(end, (false, None));
            let cut = &page[..page.len() - 4];
            assert_eq!(PageLayout::of_long(8).walk(cut, order, |_, _| {}), (false, Some(8)));
        }
    }
}
