//! The order of events of one moment.
//!
//! Programs write an event when it is over, so what contains another may stand behind it. Of one
//! moment, ends come first, unless what they end began at that moment; then beginnings; then
//! complete events, the longest first; then the rest, as it stands.

use std::hash::Hasher;

use rustc_hash::{FxHashMap, FxHasher};

use super::event::{JsonEvent, JsonId};

// Rank 0 is that of what events refer to.
const END: u64 = 1;
const BEGIN: u64 = 2;
const LONGEST: u64 = 3;
const REST: u64 = u64::MAX;

/// Ranks the events of a text in turn.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    threads: FxHashMap<(i64, i64), OpenSlices>,
}

/// Open slices of a thread, as far as the text was read. Hashes distinguish the names.
#[derive(Debug, Default)]
struct OpenSlices {
    /// Slices open since before the moment.
    older: Vec<u64>,
    moment: i64,
    /// Slices that began at the moment and have not ended.
    now: Vec<u64>,
    /// Whether something has begun and ended at the moment: from then on its events stay in order.
    ended: bool,
}

impl OpenSlices {
    fn at(&mut self, ts: i64) -> &mut Self {
        if self.moment != ts {
            self.older.append(&mut self.now);
            (self.moment, self.ended) = (ts, false);
        }
        self
    }

    fn begin(&mut self, name: u64) -> u64 {
        self.now.push(name);
        if self.ended { REST } else { BEGIN }
    }

    /// An end without a name is of what began last. An end with a name that fits an older slice and
    /// what began now is of the older: slices that follow each other are many, slices of no length
    /// few.
    fn end(&mut self, name: Option<u64>) -> u64 {
        let fits = |begun: &Vec<u64>| {
            begun.last().is_some_and(|last| name.is_none_or(|name| name == *last))
        };
        let of_now = fits(&self.now) && (name.is_none() || !fits(&self.older));
        match of_now {
            true => {
                self.now.pop();
                self.ended = true;
                REST
            }
            false => {
                self.older.pop();
                END
            }
        }
    }
}

impl Ranks {
    /// The rank of an event at its moment, `name` being the text of its name.
    pub(super) fn rank(&mut self, event: &JsonEvent, ts: i64, name: &[u8]) -> u64 {
        let hash = |name: &[u8]| {
            let mut hasher = FxHasher::default();
            hasher.write(name);
            hasher.finish()
        };
        match event.phase {
            b'B' => self.threads.entry(thread(event)).or_default().at(ts).begin(hash(name)),
            b'E' => {
                let name = (!name.is_empty()).then(|| hash(name));
                self.threads.entry(thread(event)).or_default().at(ts).end(name)
            }
            b'X' => {
                let dur = event.dur.unwrap_or_default().max(0) as u64;
                LONGEST + (i64::MAX as u64 - dur)
            }
            _ => REST,
        }
    }
}

fn thread(event: &JsonEvent) -> (i64, i64) {
    let number = |id| match id {
        JsonId::Number(number) => number,
        // Names lie somewhere; those of one text lie apart as a rule.
        JsonId::Name(span) => i64::from(span.len),
        JsonId::None => 0,
    };
    (number(event.pid), number(event.tid))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks(events: &[(u8, i64, i64, &str)]) -> Vec<u64> {
        let mut ranks = Ranks::default();
        let event = |&(phase, ts, dur, name): &(u8, i64, i64, &str)| {
            let event = JsonEvent { phase, dur: Some(dur), ..JsonEvent::default() };
            ranks.rank(&event, ts, name.as_bytes())
        };
        events.iter().map(event).collect()
    }

    #[test]
    fn parents_come_before_children() {
        let of = ranks(&[
            (b'i', 5, 0, ""),
            (b'X', 5, 1, ""),
            (b'X', 5, 9, ""),
            (b'B', 5, 0, ""),
            (b'E', 4, 0, ""),
        ]);
        let mut order: Vec<usize> = (0..of.len()).collect();
        order.sort_by_key(|&index| of[index]);
        assert_eq!(order, [4, 3, 2, 1, 0]);
    }

    #[test]
    fn slices_of_no_length_stay_as_they_are_written() {
        let (b, e) = ((b'B', 5, 0, "z"), (b'E', 5, 0, "z"));
        assert_eq!(ranks(&[b, e, b, e]), [BEGIN, REST, REST, REST]);
        let (outer, unnamed) = ((b'B', 1, 0, "outer"), (b'E', 5, 0, ""));
        assert_eq!(ranks(&[outer, b, e]), [BEGIN, BEGIN, REST]);
        assert_eq!(ranks(&[outer, b, unnamed]), [BEGIN, BEGIN, REST]);
    }

    #[test]
    fn slices_that_follow_each_other_end_before_the_next_begins() {
        let (first, next) = ((b'B', 1, 0, "s"), (b'B', 5, 0, "s"));
        let (end, last) = ((b'E', 5, 0, "s"), (b'E', 9, 0, "s"));
        assert_eq!(ranks(&[first, next, end, last]), [BEGIN, BEGIN, END, END]);
        let (a, b) = ((b'B', 1, 0, "a"), (b'B', 5, 0, "b"));
        assert_eq!(ranks(&[a, b, (b'E', 5, 0, "a"), (b'E', 9, 0, "b")]), [BEGIN, BEGIN, END, END]);
    }
}
