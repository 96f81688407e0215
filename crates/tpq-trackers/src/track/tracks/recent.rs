//! Facts about tracks that events name again and again, found without a search.

/// How many tracks there is room for once events name any.
const LEAST: usize = 4;
/// How many there is room for at most.
const MOST: usize = 256;
/// An odd number that spreads ids over the places, whichever of their bits differ.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Facts by the uuids of tracks. Each uuid has one place, where the fact that came last stays. There
/// are twice as many places once two tracks want the same one: an import may have thousands of files,
/// and most of those name few tracks or none.
pub(in crate::track) struct RecentTracks<T>(Vec<Option<(u64, T)>>);

impl<T> Default for RecentTracks<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Copy> RecentTracks<T> {
    /// The fact about a track, if it is still there.
    #[inline]
    pub(in crate::track) fn get(&self, uuid: u64) -> Option<T> {
        match self.0.get(place(uuid, self.0.len())) {
            Some(&Some((of, fact))) if of == uuid => Some(fact),
            _ => None,
        }
    }

    /// Remembers a fact about a track, which must stay true.
    #[inline]
    pub(in crate::track) fn put(&mut self, uuid: u64, fact: T) {
        let here = self.0.get(place(uuid, self.0.len()));
        let is_free = here.is_some_and(|here| here.is_none_or(|(of, _)| of == uuid));
        if !is_free && self.0.len() < MOST {
            self.grow();
        }
        let place = place(uuid, self.0.len());
        self.0[place] = Some((uuid, fact));
    }

    #[cold]
    fn grow(&mut self) {
        let len = (2 * self.0.len()).max(LEAST);
        let before = std::mem::replace(&mut self.0, vec![None; len]);
        for (uuid, fact) in before.into_iter().flatten() {
            self.0[place(uuid, len)] = Some((uuid, fact));
        }
    }
}

/// The place of a track among `len`, a power of two; any place if there is none.
#[inline]
fn place(uuid: u64, len: usize) -> usize {
    (uuid.wrapping_mul(SPREAD) >> 32) as usize & len.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_stays_until_another_takes_its_place() {
        let mut recent = RecentTracks::default();
        assert_eq!(recent.get(0), None::<u32>);
        recent.put(0, 7);
        recent.put(1, 8);
        assert_eq!([0, 1, 2].map(|uuid| recent.get(uuid)), [Some(7), Some(8), None]);
        let other = (2..).find(|&uuid| place(uuid, MOST) == place(1, MOST)).unwrap();
        assert_eq!(recent.get(other), None);
        recent.put(other, 9);
        assert_eq!([0, 1, other].map(|uuid| recent.get(uuid)), [Some(7), None, Some(9)]);
    }

    /// Each of thousands of files has such facts of its own.
    #[test]
    fn few_tracks_take_little_memory() {
        let mut recent = RecentTracks::<u64>::default();
        assert_eq!((recent.get(3), recent.0.capacity()), (None, 0));
        for fact in 0..10 {
            recent.put(3, fact);
        }
        assert_eq!((recent.get(3), recent.0.len()), (Some(9), LEAST));
        for uuid in 0..10_000 {
            recent.put(uuid, uuid);
            assert_eq!(recent.get(uuid), Some(uuid));
        }
        let kept = (0..10_000).filter(|&uuid| recent.get(uuid) == Some(uuid)).count();
        assert_eq!((kept, recent.0.len()), (MOST, MOST));
    }
}
