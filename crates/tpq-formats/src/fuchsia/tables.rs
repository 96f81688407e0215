//! What numbers mean, and from which place in the file on.

use rustc_hash::FxHashMap;
use tpq_tables::{StringId, Tables};

use super::records::{DEFAULT_TICKS, Header, Words, kind};

/// The bit of a reference that states the length of a text, which follows.
const INLINE: u64 = 1 << 15;

/// A process and a thread of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Thread {
    pub(super) pid: u64,
    pub(super) tid: u64,
}

/// Values by the place from which on each holds.
#[derive(Debug)]
struct Since<T>(Vec<(usize, T)>);

impl<T: Copy> Since<T> {
    fn at(&self, offset: usize) -> Option<T> {
        let after = self.0.partition_point(|&(since, _)| since <= offset);
        self.0.get(after.checked_sub(1)?).map(|&(_, value)| value)
    }
}

impl<T> Default for Since<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// All definitions of a trace.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    providers: Since<u64>,
    /// Ticks in a second, by provider.
    ticks: FxHashMap<u64, Since<u64>>,
    /// By provider and number.
    strings: FxHashMap<(u64, u64), Since<StringId>>,
    threads: FxHashMap<(u64, u64), Since<Thread>>,
}

impl Definitions {
    /// Adds what a record at `offset` defines. Records are added in their order. `None` if it is
    /// damaged.
    pub(super) fn add(
        &mut self,
        offset: usize,
        header: Header,
        mut words: Words<'_>,
        tables: &mut Tables,
    ) -> Option<()> {
        if let Some(provider) = header.provider() {
            self.providers.0.push((offset, provider));
            return Some(());
        }
        let provider = self.provider(offset);
        match header.kind() {
            kind::INITIALIZATION => {
                let ticks = words.u64()?;
                self.ticks.entry(provider).or_default().0.push((offset, ticks));
            }
            kind::STRING => {
                let index = header.bits(16, 30);
                let len = header.bits(32, 46);
                let text = words.text(len)?;
                let text = tables.strings.intern_bytes(text);
                self.strings.entry((provider, index)).or_default().0.push((offset, text));
            }
            kind::THREAD => {
                let index = header.bits(16, 23);
                let thread = Thread { pid: words.u64()?, tid: words.u64()? };
                self.threads.entry((provider, index)).or_default().0.push((offset, thread));
            }
            _ => {}
        }
        Some(())
    }

    fn provider(&self, offset: usize) -> u64 {
        self.providers.at(offset).unwrap_or_default()
    }

    /// Ticks in a second at a place.
    pub(super) fn ticks_per_second(&self, offset: usize) -> u64 {
        let ticks = self.ticks.get(&self.provider(offset)).and_then(|ticks| ticks.at(offset));
        ticks.filter(|&ticks| ticks > 0).unwrap_or(DEFAULT_TICKS)
    }

    /// The text that a reference in a record at `offset` means. It may be the next words.
    pub(super) fn string(
        &self,
        offset: usize,
        reference: u64,
        words: &mut Words<'_>,
        tables: &mut Tables,
    ) -> Option<StringId> {
        if reference == 0 {
            return Some(tables.strings.intern(""));
        }
        if reference & INLINE != 0 {
            return words.text(reference & !INLINE).map(|text| tables.strings.intern_bytes(text));
        }
        // A text that was never defined is unknown.
        let strings = self.strings.get(&(self.provider(offset), reference));
        Some(strings.and_then(|strings| strings.at(offset)).unwrap_or(StringId::NULL))
    }

    /// The thread that a reference in a record at `offset` means. It may be the next words.
    pub(super) fn thread(
        &self,
        offset: usize,
        reference: u64,
        words: &mut Words<'_>,
    ) -> Option<Thread> {
        if reference == 0 {
            return Some(Thread { pid: words.u64()?, tid: words.u64()? });
        }
        let threads = self.threads.get(&(self.provider(offset), reference));
        threads.and_then(|threads| threads.at(offset))
    }
}
