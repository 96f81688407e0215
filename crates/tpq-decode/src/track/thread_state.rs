//! What state each thread is in, from switches and wakeups.

use tpq_tables::table::{SpuriousSchedWakeupRow, ThreadStateRow};
use tpq_tables::{Stat, Stats, StringId, StringPool, Tables};

use super::Utid;

/// Flags of a kernel event: it was written from a hard or a soft interrupt.
const FLAG_HARD_IRQ: u32 = 0x08;
const FLAG_SOFT_IRQ: u32 = 0x10;
/// The idle task, which has no states worth a row.
const IDLE: Utid = 0;
const NONE: u32 = u32::MAX;

fn in_interrupt(common_flags: u32) -> u32 {
    u32::from(common_flags & (FLAG_HARD_IRQ | FLAG_SOFT_IRQ) != 0)
}

/// Writes `thread_state` and `spurious_sched_wakeup`.
pub(crate) struct ThreadStates {
    /// Each thread's latest row.
    last: Vec<u32>,
    /// The row of the sleep that each thread has not run since.
    asleep: Vec<u32>,
    running: StringId,
    runnable: StringId,
}

impl ThreadStates {
    pub(crate) fn new(strings: &mut StringPool) -> Self {
        Self {
            last: Vec::new(),
            asleep: Vec::new(),
            running: strings.intern("Running"),
            runnable: strings.intern("R"),
        }
    }

    /// A CPU switched from one thread to another, leaving the first in `state`.
    pub(crate) fn switch(
        &mut self,
        ts: i64,
        ucpu: u32,
        previous: Utid,
        state: StringId,
        next: Utid,
        tables: &mut Tables,
    ) {
        let was_running = self.last_row(previous).map(|row| self.is_running(row, tables));
        self.close(ts, previous, was_running == Some(false), tables);
        self.open(
            ThreadStateRow { ts, utid: previous, state, ..ThreadStateRow::default() },
            tables,
        );

        // A thread that migrates may be switched in here before it is switched out there.
        self.close(ts, next, false, tables);
        let running = self.running;
        self.open(
            ThreadStateRow {
                ts,
                utid: next,
                state: running,
                ucpu: Some(ucpu),
                ..ThreadStateRow::default()
            },
            tables,
        );
    }

    /// `waker` woke a thread. A wakeup of one that was not asleep changes nothing, and is written
    /// down as such.
    pub(crate) fn wake(
        &mut self,
        ts: i64,
        utid: Utid,
        waker: Utid,
        common_flags: Option<u32>,
        tables: &mut Tables,
    ) {
        if let Some(row) = self.last_row(utid) {
            let state = tables.thread_state.state.get(row);
            if state == self.running || state == self.runnable {
                tables.spurious_sched_wakeup.push(SpuriousSchedWakeupRow {
                    ts,
                    thread_state_id: row,
                    irq_context: common_flags.map(in_interrupt),
                    utid,
                    waker_utid: waker,
                });
                return;
            }
        }
        self.close(ts, utid, false, tables);
        self.runnable(ts, utid, waker, common_flags, tables);
    }

    /// What a thread waited for in the sleep it has not run since; a wakeup may lie between.
    pub(crate) fn blocked(
        &mut self,
        utid: Utid,
        io_wait: Option<bool>,
        function: StringId,
        tables: &mut Tables,
    ) {
        let asleep = self.asleep.get(utid as usize).copied().filter(|&row| row != NONE);
        let Some(row) = asleep else { return };
        if let Some(io_wait) = io_wait {
            tables.thread_state.io_wait.set(row, Some(u32::from(io_wait)));
        }
        if !function.is_null() {
            tables.thread_state.blocked_function.set(row, function);
        }
    }

    /// A thread was created by `waker` and can run.
    pub(crate) fn start(
        &mut self,
        ts: i64,
        utid: Utid,
        waker: Utid,
        common_flags: Option<u32>,
        tables: &mut Tables,
    ) {
        self.runnable(ts, utid, waker, Some(common_flags.unwrap_or_default()), tables);
    }

    /// A thread's state changed, by its own word; `ucpu` is where it runs, if it does.
    pub(crate) fn change(
        &mut self,
        ts: i64,
        utid: Utid,
        state: StringId,
        ucpu: Option<u32>,
        tables: &mut Tables,
        stats: &mut Stats,
    ) {
        self.close(ts, utid, false, tables);
        if self.last_row(utid).is_some_and(|row| tables.thread_state.ts.get(row) == ts) {
            stats.increment(Stat::GenericTaskStateInvalidOrder);
        }
        self.open(ThreadStateRow { ts, utid, state, ucpu, ..ThreadStateRow::default() }, tables);
    }

    /// What a thread's latest state is came to be known.
    pub(crate) fn correct(&mut self, utid: Utid, state: StringId, tables: &mut Tables) {
        if let Some(row) = self.last_row(utid) {
            tables.thread_state.state.set(row, state);
        }
    }

    /// The latest state of a thread.
    pub(crate) fn state(&self, utid: Utid, tables: &Tables) -> Option<StringId> {
        self.last_row(utid).map(|row| tables.thread_state.state.get(row))
    }

    fn runnable(
        &mut self,
        ts: i64,
        utid: Utid,
        waker: Utid,
        common_flags: Option<u32>,
        tables: &mut Tables,
    ) {
        let waker_row = self.last_row(waker).filter(|&row| self.is_running(row, tables));
        let irq = common_flags.map(in_interrupt);
        let state = self.runnable;
        self.open(
            ThreadStateRow {
                ts,
                utid,
                state,
                waker_utid: Some(waker),
                waker_id: waker_row,
                irq_context: irq,
                ..ThreadStateRow::default()
            },
            tables,
        );
    }

    fn last_row(&self, utid: Utid) -> Option<u32> {
        self.last.get(utid as usize).copied().filter(|&row| row != NONE)
    }

    fn is_running(&self, row: u32, tables: &Tables) -> bool {
        tables.thread_state.state.get(row) == self.running
    }

    fn open(&mut self, row: ThreadStateRow, tables: &mut Tables) {
        if row.utid == IDLE {
            return;
        }
        let utid = row.utid as usize;
        let id = tables.thread_state.push(ThreadStateRow { dur: -1, ..row });
        if utid >= self.last.len() {
            self.last.resize(utid + 1, NONE);
            self.asleep.resize(utid + 1, NONE);
        }
        self.last[utid] = id;
        // A thread that can run waits for what it slept for no more, but the reason may come late.
        if row.state == self.running {
            self.asleep[utid] = NONE;
        } else if row.state != self.runnable {
            self.asleep[utid] = id;
        }
    }

    /// Ends a thread's state; one that was contradicted keeps its unknown duration.
    fn close(&mut self, ts: i64, utid: Utid, contradicted: bool, tables: &mut Tables) {
        if let Some(row) = self.last_row(utid)
            && !contradicted
        {
            let start = tables.thread_state.ts.get(row);
            tables.thread_state.dur.set(row, ts - start);
        }
    }
}
