//! The strings of entries: those that decoders interned, and those that only the writer has
//! read.
//!
//! Decoders and the writer are on threads of their own, so each interns into a pool of its own. The
//! writer is sent the text of every string of the other pool before it meets its id, and gives
//! equal text one id: equal sets are found by it. Into tables it writes the decoders' id where
//! there was one when it met the text, and its own, marked as foreign, where there was none; these
//! are replaced at the end.

use tpq_tables::{StringId, StringPool};

/// The texts of strings, one after another.
#[derive(Debug, Default)]
pub(super) struct SentTexts {
    bytes: String,
    /// Where each ends.
    ends: Vec<usize>,
}

impl SentTexts {
    pub(super) fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }

    /// Whether it takes much more memory than most do.
    pub(super) fn is_large(&self) -> bool {
        const MUCH: usize = 1 << 20;
        self.bytes.capacity() > MUCH
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn iter(&self) -> impl Iterator<Item = &str> {
        let begins = [0].into_iter().chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, &end)| &self.bytes[begin..end])
    }
}

/// The writer's strings.
pub(super) struct Texts {
    pub(super) pool: StringPool,
    /// Whether texts are sent at all. Where nothing is read here, the decoders' ids will do.
    sent: bool,
    /// The writer's id of each string of the decoders.
    of_decoders: Vec<StringId>,
    /// The string id in tables for each string of the writer.
    in_tables: Vec<StringId>,
}

impl Texts {
    /// Strings of a writer that is sent all texts.
    pub(super) fn sent() -> Self {
        let null = vec![StringId::NULL];
        let in_tables = null.clone();
        Self { pool: StringPool::default(), sent: true, of_decoders: null, in_tables }
    }

    /// Strings of a writer that reads nothing itself.
    pub(super) fn of_tables() -> Self {
        Self { sent: false, ..Self::sent() }
    }

    /// Takes the texts that the decoders have interned since.
    pub(super) fn take(&mut self, texts: &SentTexts) {
        for text in texts.iter() {
            self.note_own();
            let own = self.pool.intern(text);
            if own.0 as usize == self.in_tables.len() {
                self.in_tables.push(StringId(self.of_decoders.len() as u32));
            }
            self.of_decoders.push(own);
        }
    }

    /// Marks what the writer has interned since as unknown to the decoder.
    pub(super) fn note_own(&mut self) {
        for id in self.in_tables.len()..=self.pool.len() {
            self.in_tables.push(StringId(StringId::FOREIGN | id as u32));
        }
    }

    /// The writer's id of a string that the decoders interned.
    #[inline]
    pub(super) fn own(&self, id: StringId) -> StringId {
        if !self.sent {
            return id;
        }
        self.of_decoders.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// The string id in tables for a string.
    #[inline]
    pub(super) fn in_tables(&self, own: StringId) -> StringId {
        if !self.sent {
            return own;
        }
        let known = self.in_tables.get(own.0 as usize).copied();
        known.unwrap_or(StringId(StringId::FOREIGN | own.0))
    }

    /// Interns what only the writer has read, and gives what the ids in its tables become by it.
    pub(super) fn become_part_of(&self, strings: &mut StringPool) -> impl Fn(u32) -> u32 + use<> {
        let foreign = |own: &StringId| own.0 & StringId::FOREIGN != 0;
        let read = |id: usize| match self.in_tables.get(id) {
            Some(known) if !foreign(known) => 0,
            _ => strings.intern(self.pool.get(StringId(id as u32))).0,
        };
        let ids: Vec<u32> = (0..=self.pool.len()).map(read).collect();
        move |id| match id & StringId::FOREIGN {
            0 => id,
            _ => ids.get((id & !StringId::FOREIGN) as usize).copied().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_text_has_one_id_wherever_it_was_met_first() {
        let mut decoders = StringPool::default();
        let (mut texts, mut sent) = (Texts::sent(), SentTexts::default());
        let early = decoders.intern("met by both, here first");
        decoders.since(1).for_each(|text| sent.push(text));
        texts.take(&sent);
        let there = texts.pool.intern("met there first");
        let same = texts.pool.intern("met by both, here first");
        let (late, other) = (decoders.intern("met there first"), decoders.intern("other"));
        sent.clear();
        decoders.since(2).for_each(|text| sent.push(text));
        texts.take(&sent);
        let own = texts.pool.intern("never met here");
        assert_eq!([texts.own(early), texts.own(late)], [same, there]);
        assert_eq!(texts.in_tables(same), early);
        assert_eq!(texts.in_tables(texts.own(other)), other);
        let [late_row, own_row] = [there, own].map(|id| texts.in_tables(id).0);
        assert_ne!(late_row & StringId::FOREIGN, 0);
        let id = texts.become_part_of(&mut decoders);
        assert_eq!(id(late_row), late.0);
        assert_eq!(decoders.get(StringId(id(own_row))), "never met here");
        assert_eq!([id(early.0), id(other.0), id(0)], [early.0, other.0, 0]);
    }
}
