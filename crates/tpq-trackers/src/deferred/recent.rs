//! Sets lately made, by what each was made of: most of a trace repeats recent entries,
//! as the same few threads take turns and programs make the same calls again.

use super::index::Ticket;

/// How many sets are remembered.
const REMEMBERED: usize = 1 << 14;

/// The set of something.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub(super) enum SetRef {
    /// There is none.
    #[default]
    None,
    Id(u32),
    /// Its id is not known yet.
    Ticket(Ticket),
}

impl SetRef {
    pub(super) fn of(ticket: Option<Ticket>) -> Self {
        ticket.map_or(Self::None, Self::Ticket)
    }

    /// The id of the set, of which `id` knows those that had none.
    pub(super) fn settled(self, id: impl Fn(Ticket) -> u32) -> Option<u32> {
        match self {
            Self::None => None,
            Self::Id(id) => Some(id),
            Self::Ticket(ticket) => Some(id(ticket)),
        }
    }
}

/// A slot for each set, by the last bits of the fingerprint of its parts.
#[derive(Default)]
pub(super) struct RecentSets {
    sets: Vec<(u64, SetRef)>,
    /// Those of them that are of the batch.
    unsettled: Vec<usize>,
}

impl RecentSets {
    /// The set that was made of what has the fingerprint, unless it was too long ago.
    #[inline]
    pub(super) fn get(&self, print: u64) -> Option<SetRef> {
        let &(known, set) = self.sets.get(print as usize % REMEMBERED)?;
        (known == print).then_some(set)
    }

    pub(super) fn put(&mut self, print: u64, set: SetRef) {
        if self.sets.is_empty() {
            self.sets.resize(REMEMBERED, (0, SetRef::None));
        }
        let slot = print as usize % REMEMBERED;
        self.sets[slot] = (print, set);
        self.unsettled.push(slot);
    }

    /// Takes over the ids of the batch's sets.
    pub(super) fn settle(&mut self, id: impl Fn(Ticket) -> u32) {
        for slot in self.unsettled.drain(..) {
            let set = &mut self.sets[slot].1;
            *set = set.settled(&id).map_or(SetRef::None, SetRef::Id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_remembered_until_another_takes_its_place() {
        let mut recent = RecentSets::default();
        let (one, other) = (7, 7 + REMEMBERED as u64);
        assert_eq!(recent.get(one), None);
        recent.put(one, SetRef::Ticket(Ticket(3)));
        assert_eq!(recent.get(one), Some(SetRef::Ticket(Ticket(3))));
        recent.settle(|ticket| ticket.0 + 10);
        assert_eq!(recent.get(one), Some(SetRef::Id(13)));
        recent.put(other, SetRef::None);
        assert_eq!((recent.get(one), recent.get(other)), (None, Some(SetRef::None)));
    }
}
