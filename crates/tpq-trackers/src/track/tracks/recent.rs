//! Facts about tracks that events name again and again, found without a search.

/// A power of two: how many tracks there is room for.
const PLACES: usize = 256;
/// An odd number that spreads ids over the places, whichever of their bits differ.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Facts by the uuids of tracks. Each uuid has one place, where the fact that came last stays.
pub(in crate::track) struct RecentTracks<T>(Box<[Option<(u64, T)>; PLACES]>);

impl<T: Copy> Default for RecentTracks<T> {
    fn default() -> Self {
        Self(Box::new([None; PLACES]))
    }
}

impl<T: Copy> RecentTracks<T> {
    /// The fact about a track, if it is still there.
    #[inline]
    pub(in crate::track) fn get(&self, uuid: u64) -> Option<T> {
        match self.0[place(uuid)] {
            Some((of, fact)) if of == uuid => Some(fact),
            _ => None,
        }
    }

    /// Remembers a fact about a track, which must stay true.
    #[inline]
    pub(in crate::track) fn put(&mut self, uuid: u64, fact: T) {
        self.0[place(uuid)] = Some((uuid, fact));
    }
}

#[inline]
fn place(uuid: u64) -> usize {
    (uuid.wrapping_mul(SPREAD) >> 32) as usize % PLACES
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
        let other = (2..).find(|&uuid| place(uuid) == place(1)).unwrap();
        assert_eq!(recent.get(other), None);
        recent.put(other, 9);
        assert_eq!([1, other].map(|uuid| recent.get(uuid)), [None, Some(9)]);
    }
}
