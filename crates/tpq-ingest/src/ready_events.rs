//! Events of several files, each in order, that wait until every other file has said what it has
//! up to then.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::shared::SharedStrings;
use crate::sort::{Head, Sink, SortMemory, Sorter, Stopped, Writer};
use crate::{Emit, Run};

/// When an event happened, and the file it is of: events interleave in this order.
pub(crate) type FileTime = (i64, usize);

/// Bits of a rank for the number of an event among those of its file; the others are the file.
const NUMBER_BITS: u32 = 40;

/// Waiting events of all files: in memory, and those that exceed the memory in the store.
/// Events of a file in the store are older than its events in memory.
pub(crate) struct ReadyEvents {
    files: Vec<VecDeque<Part>>,
    /// The first event of each file that has events in memory.
    heads: BinaryHeap<Reverse<FileTime>>,
    /// Size of the events in memory, in bytes. A run counts as a whole once all of it was taken;
    /// until then its sorter counts it.
    held: u64,
    /// The strings of runs that count.
    strings: SharedStrings,
    stored: Sorter,
    /// How many events were ever stored.
    count: u64,
}

/// Neighbouring events of a run.
struct Part {
    run: Arc<Run>,
    next: u32,
    end: u32,
}

impl Part {
    fn ts(&self) -> i64 {
        self.run.timestamps[self.next as usize]
    }

    /// Whether it has the last event of its run.
    fn is_last(&self) -> bool {
        self.end as usize == self.run.timestamps.len()
    }
}

/// Takes the events of one file.
pub(crate) struct ReadySink<'a> {
    pub(crate) ready_events: &'a mut ReadyEvents,
    pub(crate) file: usize,
    pub(crate) memory: &'a SortMemory,
}

impl Sink for ReadySink<'_> {
    fn take(&mut self, head: Head, run: &Arc<Run>, index: usize) -> Result<(), Stopped> {
        let ReadyEvents { files, heads, held, strings, .. } = self.ready_events;
        let parts = &mut files[self.file];
        let is_last = index + 1 == run.timestamps.len();
        match parts.back_mut() {
            Some(last) if last.end as usize == index && Arc::ptr_eq(&last.run, run) => {
                last.end += 1;
                if !is_last {
                    return Ok(());
                }
            }
            last => {
                if last.is_none() {
                    heads.push(Reverse((head.ts, self.file)));
                }
                let next = index as u32;
                parts.push_back(Part { run: Arc::clone(run), next, end: next + 1 });
                *held += size_of::<Part>() as u64;
            }
        }
        if is_last {
            *held += run.bytes() + strings.add(run);
        }
        match *held > self.memory.most() / 2 {
            true => self.ready_events.spill(self.memory),
            false => Ok(()),
        }
    }
}

impl ReadyEvents {
    pub(crate) fn new(files: usize) -> Self {
        Self {
            files: (0..files).map(|_| VecDeque::new()).collect(),
            heads: BinaryHeap::new(),
            held: 0,
            strings: SharedStrings::default(),
            stored: Sorter::ranked(),
            count: 0,
        }
    }

    /// The bytes of what is in memory.
    pub(crate) fn held(&self) -> u64 {
        self.held + self.stored.held()
    }

    /// Emits events up to a time and file, or all.
    pub(crate) fn flush(
        &mut self,
        bound: Option<FileTime>,
        memory: &SortMemory,
        out: &mut impl Emit,
    ) -> Result<(), Stopped> {
        loop {
            let stored = self.stored.first().map(|(ts, rank)| (ts, (rank >> NUMBER_BITS) as usize));
            let held = self.heads.peek().map(|&Reverse(head)| head);
            let Some(next) = stored.into_iter().chain(held).min() else { return Ok(()) };
            if bound.is_some_and(|bound| next > bound) {
                return Ok(());
            }
            if stored == Some(next) {
                let last = held.into_iter().chain(bound).min().unwrap_or((i64::MAX, usize::MAX));
                self.stored.merge_to((last.0, last_rank(last.1)), memory, out)?;
            } else {
                let emit = |_, run: &Arc<Run>, index, ts| match out.emit(ts, run, index) {
                    ControlFlow::Continue(()) => Ok(()),
                    ControlFlow::Break(()) => Err(Stopped::Unwanted),
                };
                self.drain_first(stored, bound, emit)?;
            }
        }
    }

    /// Writes all that is in memory to the store.
    pub(crate) fn spill(&mut self, memory: &SortMemory) -> Result<(), Stopped> {
        if self.stored.held() > 0 {
            self.stored.spill(memory)?;
        }
        self.spill_parts(memory)
    }

    /// Writes to the store what is in memory and was never there.
    pub(crate) fn spill_parts(&mut self, memory: &SortMemory) -> Result<(), Stopped> {
        if self.heads.is_empty() {
            return Ok(());
        }
        let mut writer = Writer::new(memory, true);
        let mut count = self.count;
        while !self.heads.is_empty() {
            self.drain_first(None, None, |file, run: &Arc<Run>, index, ts| {
                let rank = (file as u64) << NUMBER_BITS | count;
                count += 1;
                writer.take(Head::ranked(ts, rank), run, index)
            })?;
        }
        self.count = count;
        self.stored.add_segment(writer.finish(0)?, memory)
    }

    /// Takes events out of the file with the earliest event in memory, until another file is due:
    /// events before `before`, and up to `bound`.
    fn drain_first(
        &mut self,
        before: Option<FileTime>,
        bound: Option<FileTime>,
        mut take: impl FnMut(usize, &Arc<Run>, usize, i64) -> Result<(), Stopped>,
    ) -> Result<(), Stopped> {
        let Some(Reverse((_, file))) = self.heads.pop() else { return Ok(()) };
        let second = self.heads.peek().map(|&Reverse(head)| head);
        // Of one time, the file that comes first goes first.
        let up_to = |(ts, other): FileTime, same: bool| {
            if file < other || same && file == other { ts } else { ts.saturating_sub(1) }
        };
        let lasts = [
            before.map(|before| up_to(before, false)),
            second.map(|second| up_to(second, true)),
            bound.map(|bound| up_to(bound, true)),
        ];
        let last = lasts.into_iter().flatten().min().unwrap_or(i64::MAX);
        let parts = &mut self.files[file];
        while let Some(part) = parts.front_mut() {
            while part.next < part.end {
                let ts = part.ts();
                if ts > last {
                    self.heads.push(Reverse((ts, file)));
                    return Ok(());
                }
                take(file, &part.run, part.next as usize, ts)?;
                part.next += 1;
            }
            let mut bytes = size_of::<Part>() as u64;
            if part.is_last() {
                bytes += part.run.bytes() + self.strings.remove(&part.run);
            }
            self.held = self.held.saturating_sub(bytes);
            parts.pop_front();
        }
        Ok(())
    }
}

/// The last rank of a file.
fn last_rank(file: usize) -> u64 {
    (file as u64).saturating_add(1).checked_mul(1 << NUMBER_BITS).map_or(u64::MAX, |next| next - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Payload, RunKind, Span};

    struct Ignore;

    impl Emit for Ignore {
        fn emit(&mut self, _: i64, _: &Arc<Run>, _: usize) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    /// Of two runs that alternate and share their strings, each counts as a whole from its last
    /// event on, until that is emitted.
    #[test]
    fn a_run_counts_with_its_strings_until_its_last_event_is_passed_on() {
        let strings: Arc<[Span]> = vec![Span { addr: 0, len: 0 }; 1_000].into();
        let run = |timestamps: Vec<i64>| {
            let payload = Payload::Words {
                width: 1,
                words: vec![0; timestamps.len()],
                strings: Arc::clone(&strings),
                ranks: Vec::new(),
                own_strings: false,
            };
            let kind = RunKind(RunKind::FIRST_SPLIT);
            let (cpu, source, generation, position, addr) = (Some(0), 0, 0, 0, 0);
            Arc::new(Run { kind, cpu, source, generation, position, addr, timestamps, payload })
        };
        let (one, other) = (run(vec![1, 3]), run(vec![2, 4]));
        let memory = SortMemory::in_memory();
        let mut ready_events = ReadyEvents::new(1);
        let mut held = Vec::new();
        for (run, index) in [(&one, 0), (&other, 0), (&one, 1), (&other, 1)] {
            let mut settling =
                ReadySink { ready_events: &mut ready_events, file: 0, memory: &memory };
            let head = Head::ranked(run.timestamps[index], 0);
            settling.take(head, run, index).expect("nothing is stored");
            held.push(ready_events.held());
        }
        let part = size_of::<Part>() as u64;
        let (run, shared) = (one.bytes(), size_of_val(&*strings) as u64);
        let last = 4 * part + 2 * run + shared;
        assert_eq!(held, [part, 2 * part, 3 * part + run + shared, last]);
        let mut flush = |ts| {
            ready_events.flush(Some((ts, 0)), &memory, &mut Ignore).expect("nothing is stored");
            ready_events.held()
        };
        assert_eq!([2, 3, 4].map(&mut flush), [last - 2 * part, part + run + shared, 0]);
    }
}
