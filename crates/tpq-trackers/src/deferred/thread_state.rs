//! States of threads, from switches and wakeups.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use tpq_ingest::SourceId;
use tpq_tables::table::{
    SpuriousSchedWakeupRow, SpuriousSchedWakeupTable, ThreadStateRow, ThreadStateTable,
};
use tpq_tables::{Packer, Stat, Stats, StringId, StringPool};

use super::rows::Rows;
use crate::ids::{IDLE, Utid};

/// Flags of a kernel event: it was written from a hard or a soft interrupt.
const FLAG_HARD_IRQ: u32 = 0x08;
const FLAG_SOFT_IRQ: u32 = 0x10;
const NONE: u32 = u32::MAX;

fn in_interrupt(common_flags: u32) -> u32 {
    u32::from(common_flags & (FLAG_HARD_IRQ | FLAG_SOFT_IRQ) != 0)
}

/// An event that changes the state of a thread. Names of states are those of tables.
#[derive(Clone, Copy, Debug)]
pub enum StateEvent {
    /// A CPU switched from one thread to another, leaving the first in `state`.
    Switch {
        /// Timestamp, ns of trace time.
        ts: i64,
        /// Row of the CPU in `cpu`.
        ucpu: u32,
        /// The thread that stops running.
        previous: Utid,
        /// State of the previous thread.
        state: StringId,
        /// The thread that starts to run.
        next: Utid,
    },
    /// `waker` woke a thread. A wakeup of one that was not asleep changes nothing, and is written
    /// down as such.
    Wake {
        /// Timestamp, ns of trace time.
        ts: i64,
        /// The thread that is woken.
        utid: Utid,
        /// The thread that wakes it.
        waker: Utid,
        /// Interrupt and preemption state, if known.
        common_flags: Option<u32>,
    },
    /// The cause of a thread's latest sleep, until it runs again; a wakeup may lie between.
    Blocked {
        /// The thread.
        utid: Utid,
        /// Whether it waits for I/O, if known.
        io_wait: Option<bool>,
        /// The kernel function it waits in; NULL if unknown.
        function: StringId,
    },
    /// A thread was created by `waker` and can run.
    Start {
        /// Timestamp, ns of trace time.
        ts: i64,
        /// The new thread.
        utid: Utid,
        /// The thread that created it.
        waker: Utid,
        /// Interrupt and preemption state, if known.
        common_flags: Option<u32>,
    },
    /// A thread's state changed, as the thread states itself; `ucpu` is where it runs, if it does.
    Change {
        /// Timestamp, ns of trace time.
        ts: i64,
        /// The thread.
        utid: Utid,
        /// The new state.
        state: StringId,
        /// Row in `cpu` of the CPU that runs it, if it runs.
        ucpu: Option<u32>,
    },
    /// A thread was in a state for a time, as one event states. Other events do not change it.
    Whole {
        /// Timestamp, ns of trace time.
        ts: i64,
        /// Duration, ns.
        dur: i64,
        /// The thread.
        utid: Utid,
        /// The state.
        state: StringId,
        /// Row in `cpu` of the CPU that ran it, if it is known.
        ucpu: Option<u32>,
        /// Whether it waited for I/O, if known.
        io_wait: Option<bool>,
        /// The kernel function it waited in; NULL if unknown.
        function: StringId,
    },
    /// The source of a thread's latest state.
    Correct {
        /// The thread.
        utid: Utid,
        /// The state.
        state: StringId,
    },
}

/// The names of the states that a thread can be in without being asleep.
#[derive(Clone, Copy)]
pub(super) struct AwakeStates {
    running: StringId,
    runnable: StringId,
}

impl AwakeStates {
    pub(super) fn new(strings: &mut StringPool) -> Self {
        Self { running: strings.intern("Running"), runnable: strings.intern("R") }
    }
}

/// The state of a thread.
#[derive(Clone, Copy, Debug)]
struct Thread {
    /// Its latest row, and what is in there.
    last: u32,
    ts: i64,
    state: StringId,
    /// The row of the sleep that it has not run since.
    asleep: u32,
}

impl Thread {
    const UNKNOWN: Self = Self { last: NONE, ts: 0, state: StringId::NULL, asleep: NONE };
}

/// The threads of a source, by their rows. In an import of many sources most have few of all
/// threads.
enum Threads {
    All(Vec<Thread>),
    Few(FxHashMap<Utid, Thread>),
}

impl Threads {
    /// Largest number of sources that each have a slot for every thread.
    const FEW_SOURCES: usize = 8;

    /// The states for one of `sources` sources.
    fn for_sources(sources: usize) -> Self {
        match sources <= Self::FEW_SOURCES {
            true => Self::All(Vec::new()),
            false => Self::Few(FxHashMap::default()),
        }
    }

    #[inline]
    fn get(&self, utid: Utid) -> Option<&Thread> {
        match self {
            Self::All(threads) => threads.get(utid as usize),
            Self::Few(threads) => threads.get(&utid),
        }
    }

    #[inline]
    fn get_mut(&mut self, utid: Utid) -> Option<&mut Thread> {
        match self {
            Self::All(threads) => threads.get_mut(utid as usize),
            Self::Few(threads) => threads.get_mut(&utid),
        }
    }

    /// The thread, unknown so far if there was none.
    #[inline]
    fn make(&mut self, utid: Utid) -> &mut Thread {
        match self {
            Self::All(threads) => {
                let index = utid as usize;
                if index >= threads.len() {
                    threads.resize(index + 1, Thread::UNKNOWN);
                }
                &mut threads[index]
            }
            Self::Few(threads) => threads.entry(utid).or_insert(Thread::UNKNOWN),
        }
    }
}

/// Writes `thread_state` and `spurious_sched_wakeup`.
pub(super) struct ThreadStates {
    /// The threads of each source.
    threads: Vec<Threads>,
    awake: AwakeStates,
    rows: Rows<ThreadStateRow>,
    table: ThreadStateTable,
    spurious: SpuriousSchedWakeupTable,
    /// When the first and the last state began.
    pub(super) bounds: Option<(i64, i64)>,
}

impl ThreadStates {
    /// Of this many entries.
    pub(super) fn new(sources: usize, awake: AwakeStates) -> Self {
        Self {
            threads: (0..sources).map(|_| Threads::for_sources(sources)).collect(),
            awake,
            rows: Rows::default(),
            table: ThreadStateTable::default(),
            spurious: SpuriousSchedWakeupTable::default(),
            bounds: None,
        }
    }

    /// Has full chunks of rows packed by `packer` from now on.
    pub(super) fn pack_by(&mut self, packer: &Arc<Packer>) {
        self.table.pack_by(packer);
        self.spurious.pack_by(packer);
    }

    /// The tables, complete.
    pub(super) fn finish(mut self) -> (ThreadStateTable, SpuriousSchedWakeupTable) {
        self.rows.flush(|rows| self.table.push_all(rows));
        (self.table, self.spurious)
    }

    /// Writes the events of a source.
    pub(super) fn write(&mut self, source: SourceId, event: &StateEvent, stats: &mut Stats) {
        let Self { threads, awake, rows, table, spurious, bounds } = self;
        let threads = &mut threads[source as usize];
        let mut states = States { threads, awake: *awake, rows, table, bounds };
        match *event {
            StateEvent::Switch { ts, ucpu, previous, state, next } => {
                states.switch(ts, ucpu, (previous, state), next);
            }
            StateEvent::Wake { ts, utid, waker, common_flags } => {
                let awake = states.last(utid).filter(|thread| states.is_awake(thread.state));
                let Some(thread) = awake else {
                    states.close(ts, utid);
                    return states.runnable(ts, utid, waker, common_flags);
                };
                spurious.push(SpuriousSchedWakeupRow {
                    ts,
                    thread_state_id: thread.last,
                    irq_context: common_flags.map(in_interrupt),
                    utid,
                    waker_utid: waker,
                });
            }
            StateEvent::Blocked { utid, io_wait, function } => {
                states.blocked(utid, io_wait, function);
            }
            StateEvent::Start { ts, utid, waker, common_flags } => {
                states.runnable(ts, utid, waker, Some(common_flags.unwrap_or_default()));
            }
            StateEvent::Change { ts, utid, state, ucpu } => {
                states.close(ts, utid);
                if states.last(utid).is_some_and(|thread| thread.ts == ts) {
                    stats.increment(Stat::GenericTaskStateInvalidOrder);
                }
                states.open(ThreadStateRow { ts, utid, state, ucpu, ..ThreadStateRow::default() });
            }
            StateEvent::Whole { ts, dur, utid, state, ucpu, io_wait, function } => {
                states.add(ThreadStateRow {
                    ts,
                    dur,
                    utid,
                    state,
                    io_wait: io_wait.map(u32::from),
                    blocked_function: function,
                    ucpu,
                    ..ThreadStateRow::default()
                });
            }
            StateEvent::Correct { utid, state } => states.correct(utid, state),
        }
    }
}

/// The states of the threads of a source.
struct States<'w> {
    threads: &'w mut Threads,
    awake: AwakeStates,
    rows: &'w mut Rows<ThreadStateRow>,
    table: &'w mut ThreadStateTable,
    bounds: &'w mut Option<(i64, i64)>,
}

impl States<'_> {
    fn switch(&mut self, ts: i64, ucpu: u32, (previous, state): (Utid, StringId), next: Utid) {
        let running = self.awake.running;
        // A thread that was not seen to run is contradicted, and keeps its unknown duration.
        if self.last(previous).is_some_and(|thread| thread.state == running) {
            self.close(ts, previous);
        }
        let row = ThreadStateRow { ts, utid: previous, state, ..ThreadStateRow::default() };
        self.open(row);
        // A thread that migrates may be switched in here before it is switched out there.
        self.close(ts, next);
        let (utid, state, ucpu) = (next, running, Some(ucpu));
        self.open(ThreadStateRow { ts, utid, state, ucpu, ..ThreadStateRow::default() });
    }

    fn blocked(&mut self, utid: Utid, io_wait: Option<bool>, function: StringId) {
        let asleep = self.threads.get(utid).map(|thread| thread.asleep);
        let Some(row) = asleep.filter(|&row| row != NONE) else { return };
        let io_wait = io_wait.map(u32::from);
        if let Some(waiting) = self.rows.get_mut(row) {
            waiting.io_wait = io_wait.or(waiting.io_wait);
            waiting.blocked_function = function.or(waiting.blocked_function);
            return;
        }
        if io_wait.is_some() {
            self.table.io_wait.set(row, io_wait);
        }
        if !function.is_null() {
            self.table.blocked_function.set(row, function);
        }
    }

    fn correct(&mut self, utid: Utid, state: StringId) {
        if let Some(thread) = self.threads.get_mut(utid).filter(|it| it.last != NONE) {
            thread.state = state;
            match self.rows.get_mut(thread.last) {
                Some(waiting) => waiting.state = state,
                None => self.table.state.set(thread.last, state),
            }
        }
    }

    fn runnable(&mut self, ts: i64, utid: Utid, waker: Utid, common_flags: Option<u32>) {
        let AwakeStates { running, runnable } = self.awake;
        let waking = self.last(waker).filter(|thread| thread.state == running);
        self.open(ThreadStateRow {
            ts,
            utid,
            state: runnable,
            waker_utid: Some(waker),
            waker_id: waking.map(|thread| thread.last),
            irq_context: common_flags.map(in_interrupt),
            ..ThreadStateRow::default()
        });
    }

    fn is_awake(&self, state: StringId) -> bool {
        state == self.awake.running || state == self.awake.runnable
    }

    fn last(&self, utid: Utid) -> Option<Thread> {
        self.threads.get(utid).copied().filter(|thread| thread.last != NONE)
    }

    fn open(&mut self, row: ThreadStateRow) {
        let ThreadStateRow { ts, utid, state, .. } = row;
        // It has no states worth a row.
        if utid == IDLE {
            return;
        }
        let table = &mut *self.table;
        let row = ThreadStateRow { dur: -1, ..row };
        let id = self.rows.push(row, |rows| table.push_all(rows));
        let (first, last) = self.bounds.unwrap_or((ts, ts));
        *self.bounds = Some((first.min(ts), last.max(ts)));
        let thread = self.threads.make(utid);
        // A thread that can run waits for what it slept for no more, but the reason may come late.
        let asleep = match state {
            state if state == self.awake.running => NONE,
            state if state == self.awake.runnable => thread.asleep,
            _ => id,
        };
        *thread = Thread { last: id, ts, state, asleep };
    }

    /// Adds a state that is over.
    fn add(&mut self, row: ThreadStateRow) {
        let table = &mut *self.table;
        self.rows.push(row, |rows| table.push_all(rows));
    }

    /// Ends a thread's state.
    fn close(&mut self, ts: i64, utid: Utid) {
        if let Some(thread) = self.last(utid) {
            let dur = ts - thread.ts;
            match self.rows.get_mut(thread.last) {
                Some(waiting) => waiting.dur = dur,
                None => self.table.dur.set(thread.last, dur),
            }
        }
    }
}
