//! Strings that several runs share: what they take counts once, for as long as one of the runs is
//! held.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::{Run, Span};

/// Number of held runs that refer to strings, by the address of the strings.
#[derive(Default)]
pub(crate) struct SharedStrings(FxHashMap<usize, u32>);

impl SharedStrings {
    /// Notes that a run is held; gives the bytes of its strings, unless they are held already.
    #[inline]
    pub(crate) fn add(&mut self, run: &Run) -> u64 {
        let Some(strings) = run.shared_strings() else { return 0 };
        let runs = self.0.entry(address(strings)).or_default();
        *runs += 1;
        if *runs == 1 { bytes(strings) } else { 0 }
    }

    /// Notes that a run is to be dropped; gives the bytes of strings that are then held no more.
    #[inline]
    pub(crate) fn remove(&mut self, run: &Run) -> u64 {
        let Some(strings) = run.shared_strings() else { return 0 };
        let Some(runs) = self.0.get_mut(&address(strings)) else { return 0 };
        *runs -= 1;
        if *runs > 0 {
            return 0;
        }
        self.0.remove(&address(strings));
        bytes(strings)
    }

    /// Notes that no run is held.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

fn address(strings: &Arc<[Span]>) -> usize {
    Arc::as_ptr(strings).addr()
}

fn bytes(strings: &[Span]) -> u64 {
    size_of_val(strings) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Payload, RunKind};

    #[test]
    fn strings_count_once_until_the_last_run_is_dropped() {
        let strings: Arc<[Span]> = vec![Span { addr: 0, len: 0 }; 10].into();
        let payload =
            Payload::Words { width: 0, words: vec![], strings, ranks: vec![], own_strings: false };
        let run = Run {
            kind: RunKind(RunKind::FIRST_SPLIT),
            cpu: Some(0),
            source: 0,
            generation: 0,
            position: 0,
            addr: 0,
            timestamps: vec![1],
            payload,
        };
        let mut shared = SharedStrings::default();
        let bytes = 10 * size_of::<Span>() as u64;
        assert_eq!([shared.add(&run), shared.add(&run.clone())], [bytes, 0]);
        assert_eq!([shared.remove(&run), shared.remove(&run)], [0, bytes]);
        assert_eq!([shared.remove(&run), shared.add(&run)], [0, bytes]);
        shared.clear();
        assert_eq!(shared.add(&run), bytes);
    }
}
