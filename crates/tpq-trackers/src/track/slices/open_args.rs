//! Args of slices that are not over.

use rustc_hash::FxHashMap;
use tpq_ingest::Span;

use crate::args::ArgSet;

/// Args of open slices so far, until their ends add more.
#[derive(Default)]
pub struct OpenArgs {
    sets: FxHashMap<u32, ArgSet>,
    /// The latest system call of each track, if it may be under way and nothing was added to its
    /// args: its slice, and the event that has them. A trace can be made of little else.
    calls: Vec<Option<(u32, Span)>>,
    /// Empty sets with the memory of sets that were written.
    spare: Vec<ArgSet>,
}

impl OpenArgs {
    /// Keeps the args of a slice that has none yet.
    pub fn keep(&mut self, slice: u32, args: ArgSet) {
        if args.is_empty() {
            return self.reuse(args);
        }
        self.sets.insert(slice, args);
    }

    /// An empty set, if possible with memory of one that was written.
    pub fn empty_set(&mut self) -> ArgSet {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes back the memory of a set that was written, unless there is enough, or too much of it.
    pub fn reuse(&mut self, mut set: ArgSet) {
        const MOST_SETS: usize = 32;
        const MOST_PARTS: usize = 16;
        if self.spare.len() < MOST_SETS && (1..=MOST_PARTS).contains(&set.capacity()) {
            set.clear();
            self.spare.push(set);
        }
    }

    /// Keeps those of a system call, which are in the event that began it.
    pub(in crate::track) fn keep_call(&mut self, track: u32, slice: u32, event: Span) {
        let index = track as usize;
        if index >= self.calls.len() {
            self.calls.resize(index + 1, None);
        }
        if let Some((before, event)) = self.calls[index].replace((slice, event)) {
            self.sets.insert(before, ArgSet::of_call(event));
        }
    }

    /// Adds to the args of a slice of a track.
    pub(in crate::track) fn add(&mut self, track: u32, slice: u32, args: &ArgSet) {
        if let Some(event) = self.take_call(track, slice) {
            self.sets.insert(slice, ArgSet::of_call(event));
        }
        self.sets.entry(slice).or_default().append(args);
    }

    /// Takes out those of a slice of a track, which is over.
    pub fn take(&mut self, track: u32, slice: u32) -> ArgSet {
        match self.take_call(track, slice) {
            Some(event) => ArgSet::of_call(event),
            None => self.sets.remove(&slice).unwrap_or_default(),
        }
    }

    /// Takes out those of a system call, if they are still in the event alone.
    pub(in crate::track) fn take_call(&mut self, track: u32, slice: u32) -> Option<Span> {
        let call = self.calls.get_mut(track as usize)?;
        call.take_if(|&mut (latest, _)| latest == slice).map(|(_, event)| event)
    }

    /// Takes out all there are, in the order of slices.
    pub(in crate::track) fn take_all(&mut self) -> Vec<(u32, ArgSet)> {
        let calls = self.calls.drain(..).flatten();
        let calls = calls.map(|(slice, event)| (slice, ArgSet::of_call(event)));
        let mut all: Vec<(u32, ArgSet)> = calls.chain(self.sets.drain()).collect();
        all.sort_unstable_by_key(|&(slice, _)| slice);
        all
    }
}

#[cfg(test)]
mod tests {
    use tpq_tables::StringPool;

    use super::*;
    use crate::args::ArgValue;

    fn span(addr: u64) -> Span {
        Span { addr, len: 1 }
    }

    #[test]
    fn a_call_that_was_never_left_keeps_its_args() {
        let mut open = OpenArgs::default();
        open.keep_call(3, 10, span(1));
        open.keep_call(3, 11, span(2));
        open.keep_call(0, 12, span(3));
        assert_eq!(open.take_call(3, 10), None);
        assert_eq!(open.take(3, 10), ArgSet::of_call(span(1)));
        assert_eq!(open.take_call(3, 11), Some(span(2)));
        assert_eq!(open.take(3, 11), ArgSet::default());
        assert_eq!(open.take_all(), [(12, ArgSet::of_call(span(3)))]);
    }

    #[test]
    fn memory_of_a_written_set_is_used_again() {
        let (mut open, mut strings) = (OpenArgs::default(), StringPool::default());
        let set = ArgSet::of([("key", ArgValue::Int(1))], &mut strings);
        let capacity = set.capacity();
        open.keep(1, set);
        let written = open.take(0, 1);
        open.reuse(written);
        let next = open.empty_set();
        assert!(next.is_empty());
        assert_eq!(next.capacity(), capacity);
        assert_eq!(open.empty_set().capacity(), 0, "there was one");
    }

    #[test]
    fn added_args_follow_those_of_the_call() {
        let (mut open, mut strings) = (OpenArgs::default(), StringPool::default());
        let added = ArgSet::of([("key", ArgValue::Int(1))], &mut strings);
        open.keep_call(0, 5, span(1));
        open.add(0, 5, &added);
        open.add(0, 4, &added);
        assert_eq!(open.take_call(0, 5), None);
        let mut expected = ArgSet::of_call(span(1));
        expected.append(&added);
        assert_eq!(open.take_all(), [(4, added), (5, expected)]);
    }
}
