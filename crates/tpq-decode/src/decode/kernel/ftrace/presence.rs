//! Threads that a bundle shows, where an import leaves out the events that show them.
//!
//! Without tables of kernel events, states of threads, tracks and counts, a wakeup or a system call
//! shows only that its thread exists. In each bundle the first one of a thread is kept. A presence
//! is the time from it to the last one. If the thread ends within its presence, a new thread may
//! have the tid, and an event that was left out may be the first to show it. Then the import is
//! done again with all events.

use std::sync::{Arc, LazyLock};

use tpq_ingest::{Payload, RunKind};
use tpq_proto::fields::ftrace::ftrace_event;
use tpq_proto::wire::read_varint;
use tpq_tables::Tables;
use tpq_trackers::track::{Tid, Trackers};

use super::event::Events;
use super::{interrupt, syscall, timer};
use crate::event::RunEvent;

/// Runs of beginnings and ends of presences: words are pid, number, and 1 for an end.
pub(crate) const PRESENCES: RunKind = RunKind(RunKind::FIRST_SPLIT + 4);
const WORDS: usize = 3;

/// The areas with events that write slices of their thread or CPU alone, and change nothing else
/// but that their thread exists.
const OF_TRACKS: &[Events] = &[interrupt::EVENTS, timer::EVENTS, syscall::EVENTS];

/// Whether an event, by its number, shows no more than its thread where tables on tracks are left
/// out.
pub(super) fn is_of_tracks(number: u32) -> bool {
    static NUMBERS: LazyLock<Vec<bool>> = LazyLock::new(|| {
        let numbers = || OF_TRACKS.iter().flat_map(|area| area.iter()).map(|event| event.0);
        let last = numbers().max().unwrap_or_default();
        let mut are_of_tracks = vec![false; last as usize + 1];
        numbers().for_each(|number| are_of_tracks[number as usize] = true);
        are_of_tracks
    });
    NUMBERS.get(number as usize).copied().unwrap_or_default()
}

/// Threads that are remembered at a time. One that is forgotten has two presences.
const SLOTS: usize = 512;

/// The threads that a run has shown so far.
#[derive(Debug)]
pub(crate) struct SeenThreads {
    /// By the lowest bits of the pid: the run, the pid, and the index of its presence.
    slots: Vec<(u32, i32, u32)>,
    /// The number of the run.
    run: u32,
    presences: Vec<Presence>,
    /// The time of the latest event of the run.
    latest: Option<i64>,
    is_disordered: bool,
    /// The number of the next presence.
    next: u32,
}

/// Times are those of the bundle.
#[derive(Debug)]
struct Presence {
    pid: i32,
    first: i64,
    /// The last event that was left out, if any was.
    last: Option<i64>,
}

impl Default for SeenThreads {
    fn default() -> Self {
        Self {
            slots: vec![(0, 0, 0); SLOTS],
            run: 1,
            presences: Vec::new(),
            latest: None,
            is_disordered: false,
            next: 0,
        }
    }
}

impl SeenThreads {
    /// Whether an event of a thread, or a wakeup of it, is to be kept.
    #[inline]
    pub(super) fn is_first(&mut self, pid: i32, ts: i64) -> bool {
        self.is_disordered |= self.latest.replace(ts).is_some_and(|latest| ts < latest);
        let slot = &mut self.slots[pid as usize % SLOTS];
        let (run, known, index) = *slot;
        if (run, known) == (self.run, pid) {
            let presence = &mut self.presences[index as usize];
            // Between events of one moment the thread may end and begin anew.
            if ts == presence.first {
                return true;
            }
            presence.last = Some(ts);
            return false;
        }
        *slot = (self.run, pid, self.presences.len() as u32);
        self.presences.push(Presence { pid, first: ts, last: None });
        true
    }

    /// From the first event of the run to the last, if it has any.
    pub(super) fn span(&self) -> Option<(i64, i64)> {
        Some((self.presences.first()?.first, self.latest?))
    }

    /// Notes that the times of the run may not have the order of their events.
    pub(super) fn note_disorder(&mut self) {
        self.is_disordered = true;
    }

    /// Ends the run: gives the beginnings and ends of its presences, in the order of time.
    pub(super) fn take(&mut self) -> (Vec<i64>, Payload) {
        let mut events: Vec<(i64, [u32; WORDS])> = Vec::new();
        for Presence { pid, first, last } in self.presences.drain(..) {
            let Some(last) = last else { continue };
            // In a run without order, the first event need not be the earliest. An end without a
            // beginning has everything imported.
            if !self.is_disordered {
                events.push((first, [pid as u32, self.next, 0]));
            }
            events.push((last, [pid as u32, self.next, 1]));
            self.next = self.next.wrapping_add(1);
        }
        events.sort_by_key(|&(ts, [_, _, is_end])| (ts, is_end));
        self.run = self.run.wrapping_add(1);
        self.latest = None;
        self.is_disordered = false;
        let words = events.iter().flat_map(|(_, words)| words).copied().collect();
        let payload = Payload::Words {
            width: WORDS,
            words,
            strings: Arc::default(),
            ranks: Vec::new(),
            own_strings: false,
        };
        (events.into_iter().map(|(ts, _)| ts).collect(), payload)
    }
}

/// The number of the field in which the message of an event lies, and its pid. `None` for an event
/// that recorders do not write in this way: the message is not its last field.
pub(super) fn kind_and_pid(event: &[u8]) -> Option<(u32, i32)> {
    /// The least tag of a field: fields are numbered from 1.
    const FIRST_TAG: u32 = 1 << 3;
    let (mut at, mut pid) = (0, 0);
    loop {
        let tag = u32::try_from(read_varint(event, &mut at)?).ok()?;
        // Reading ends at a field without a number, so what follows it is not of the event.
        if tag < FIRST_TAG {
            return None;
        }
        let number = tag >> 3;
        let value = read_varint(event, &mut at)?;
        match tag & 7 {
            0 if number == ftrace_event::PID => pid = value as i32,
            0 => {}
            2 => {
                let is_last = event.len() - at == usize::try_from(value).ok()?;
                return is_last.then_some((number, pid));
            }
            _ => return None,
        }
    }
}

/// Decodes the beginning or the end of a presence.
pub(super) fn decode(event: &RunEvent<'_>, trackers: &mut Trackers, tables: &Tables) {
    let (&[pid, number, is_end], _) = event.words() else { return };
    let tid = Tid { machine: event.machine, id: i64::from(pid as i32) };
    let thread = trackers.processes.known_thread(tid, tables);
    let id = (event.run.source, number);
    match is_end {
        0 => trackers.presences.begin(id, thread),
        _ => trackers.presences.end(id, thread),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(payload: Payload) -> Vec<u32> {
        match payload {
            Payload::Words { words, .. } => words,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_first_event_of_each_thread_is_kept() {
        let mut seen = SeenThreads::default();
        let events = [(7, 10), (8, 11), (7, 12), (7, 13), (9, 14), (8, 15)];
        let kept = events.map(|(pid, ts)| seen.is_first(pid, ts));
        assert_eq!(kept, [true, true, false, false, true, false]);
        let (times, payload) = seen.take();
        assert_eq!(times, [10, 11, 13, 15]);
        assert_eq!(words(payload), [7, 0, 0, 8, 1, 0, 7, 0, 1, 8, 1, 1]);
        assert!(seen.is_first(7, 20), "another run");
        let (times, _) = seen.take();
        assert!(times.is_empty(), "nothing was left out");
    }

    #[test]
    fn threads_share_a_slot() {
        let mut seen = SeenThreads::default();
        let other = 7 + SLOTS as i32;
        let kept = [(7, 1), (7, 2), (other, 3), (7, 4)].map(|(pid, ts)| seen.is_first(pid, ts));
        assert_eq!(kept, [true, false, true, true]);
        assert!(!seen.is_first(7, 5));
        assert_eq!(seen.take().0, [1, 2, 4, 5]);
        assert!(seen.is_first(-1, 6), "a pid that is none");
    }

    #[test]
    fn events_of_the_moment_of_the_first_are_kept() {
        let mut seen = SeenThreads::default();
        let kept = [10, 10, 11, 11].map(|ts| seen.is_first(7, ts));
        assert_eq!(kept, [true, true, false, false]);
        assert_eq!(seen.span(), Some((10, 11)));
        assert_eq!(seen.take().0, [10, 11]);
        assert_eq!(seen.span(), None);
    }

    #[test]
    fn times_without_the_order_of_events_have_ends_alone() {
        let mut seen = SeenThreads::default();
        assert!(seen.is_first(7, 10) && !seen.is_first(7, 12));
        seen.note_disorder();
        let (times, payload) = seen.take();
        assert_eq!((times, words(payload)), (vec![12], vec![7, 0, 1]));
    }

    #[test]
    fn a_run_without_order_has_ends_alone() {
        let mut seen = SeenThreads::default();
        assert!(seen.is_first(7, 10) && !seen.is_first(7, 9));
        let (times, payload) = seen.take();
        assert_eq!((times, words(payload)), (vec![9], vec![7, 0, 1]));
    }

    #[test]
    fn kinds_and_pids_are_read_of_whole_events_only() {
        // Timestamp 5, pid 300, then field 327 with two bytes.
        let event = [0x08, 5, 0x10, 0xac, 0x02, 0xba, 0x14, 2, 0x08, 1];
        assert_eq!(kind_and_pid(&event), Some((327, 300)));
        assert_eq!(kind_and_pid(&event[..9]), None);
        assert_eq!(kind_and_pid(&[&event[..], &[0x10, 1]].concat()), None);
        assert_eq!(kind_and_pid(&[0x08, 5]), None);
        // A field without a number, and one with a number that is too large.
        assert_eq!(kind_and_pid(&[&[0x00, 1][..], &event[..]].concat()), None);
        let large = [0x80, 0x80, 0x80, 0x80, 0x10, 1];
        assert_eq!(kind_and_pid(&[&large[..], &event[..]].concat()), None);
    }
}
