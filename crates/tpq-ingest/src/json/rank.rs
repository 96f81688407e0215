//! The order of events of one moment.
//!
//! Programs write an event when it is over, so what contains another may stand behind it. Of one
//! moment, ends come first, unless what they end began at that moment; then beginnings; then
//! complete events, the longest first; then the rest, as it stands.

use rustc_hash::FxHashMap;

use super::event::{JsonEvent, JsonId};

const END: u64 = 0;
const BEGIN: u64 = 1;
const LONGEST: u64 = 2;
const REST: u64 = u64::MAX;

/// Ranks the events of a text in turn.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    /// By thread, the moment at which slices last began, and how many of them have not ended.
    begun: FxHashMap<(u32, u32), (i64, u32)>,
}

impl Ranks {
    pub(super) fn rank(&mut self, event: &JsonEvent, ts: i64) -> u64 {
        match event.phase {
            b'E' => {
                let begun = self.begun.entry(thread(event)).or_default();
                match begun {
                    (moment, open) if *moment == ts && *open > 0 => {
                        *open -= 1;
                        REST
                    }
                    _ => END,
                }
            }
            b'B' => {
                let begun = self.begun.entry(thread(event)).or_default();
                *begun = (ts, if begun.0 == ts { begun.1 + 1 } else { 1 });
                BEGIN
            }
            b'X' => {
                let dur = event.dur.unwrap_or_default().max(0) as u64;
                LONGEST + (i64::MAX as u64 - dur)
            }
            _ => REST,
        }
    }
}

fn thread(event: &JsonEvent) -> (u32, u32) {
    let number = |id| match id {
        JsonId::Number(number) => number,
        // Names lie somewhere; those of one text lie apart as a rule.
        JsonId::Name(span) => span.len,
        JsonId::None => 0,
    };
    (number(event.pid), number(event.tid))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(events: &[(u8, i64, i64)]) -> Vec<u64> {
        let mut ranks = Ranks::default();
        let event = |&(phase, ts, dur): &(u8, i64, i64)| {
            ranks.rank(&JsonEvent { phase, dur: Some(dur), ..JsonEvent::default() }, ts)
        };
        events.iter().map(event).collect()
    }

    #[test]
    fn what_contains_comes_before_what_it_contains() {
        let of = ranks(&[(b'i', 5, 0), (b'X', 5, 1), (b'X', 5, 9), (b'B', 5, 0), (b'E', 4, 0)]);
        let mut order: Vec<usize> = (0..of.len()).collect();
        order.sort_by_key(|&index| of[index]);
        assert_eq!(order, [4, 3, 2, 1, 0]);
    }

    #[test]
    fn a_slice_of_no_length_begins_before_it_ends() {
        let of = ranks(&[(b'B', 5, 0), (b'E', 5, 0), (b'E', 5, 0), (b'B', 6, 0), (b'E', 5, 0)]);
        assert_eq!(of, [BEGIN, REST, END, BEGIN, END]);
    }
}
