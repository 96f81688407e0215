//! The sources of events: every machine in each file, numbered.

use tpq_clock::Source;

/// A source, by number.
pub type SourceId = u32;

/// All sources of an import. Those of a file follow each other.
#[derive(Clone, Debug, Default)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// Adds a source and returns its number.
    pub fn add(&mut self, source: Source) -> SourceId {
        self.0.push(source);
        self.0.len() as SourceId - 1
    }

    /// The source of a number; numbers come from [`Sources::add`].
    pub fn get(&self, id: SourceId) -> Source {
        self.0.get(id as usize).copied().unwrap_or_default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them, by number.
    pub fn iter(&self) -> impl Iterator<Item = Source> + '_ {
        self.0.iter().copied()
    }
}
