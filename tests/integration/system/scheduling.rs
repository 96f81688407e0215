//! States of threads: why they slept, and their wakers.

use insta::assert_snapshot;
use tpq_testkit::{FtraceBundle, FtraceEvent, InternedData, Message, Packet, Task};

use crate::imported::{Imported, recording};

const STATES: &str = "SELECT ts, dur, t.tid, state, io_wait, blocked_function AS function, \
    w.tid AS waker, irq_context AS irq FROM thread_state s JOIN thread t USING (utid) \
    LEFT JOIN thread w ON waker_utid = w.utid ORDER BY s.id";

fn imported(events: impl IntoIterator<Item = FtraceEvent>) -> Imported {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let symbol = Message::new().uint(1, 1).bytes(2, "wait_on_page");
    let interned = InternedData::from(Message::new().message(26, symbol));
    let packet = Packet::new().sequence(1).flags(tpq_testkit::STATE_CLEARED);
    Imported::trace(recording().packet(packet.interned(interned).ftrace(bundle)))
}

/// sched_blocked_reason: pid, caller, io_wait.
fn blocked(at: u64, pid: i64, caller: u64, io_wait: u64) -> FtraceEvent {
    let reason = Message::new().int(1, pid).uint(2, caller).uint(3, io_wait);
    FtraceEvent::other(at, 12, 18, reason)
}

const SLEEPER: Task<'_> = Task::new("sleeper", 11);
const OTHER: Task<'_> = Task::new("other", 12);

/// The reason of a sleep comes when it ends: before the wakeup, or after it.
#[test]
fn why_a_thread_slept() {
    let imported = imported([
        FtraceEvent::sched_switch(10, SLEEPER, 2, OTHER),
        blocked(20, 11, 1, 1),
        FtraceEvent::sched_waking(21, 12, SLEEPER, 0),
        FtraceEvent::sched_switch(30, OTHER, 0, SLEEPER),
        FtraceEvent::sched_switch(40, SLEEPER, 2, OTHER),
        FtraceEvent::sched_waking(50, 12, SLEEPER, 0),
        blocked(51, 11, 2, 0),
        FtraceEvent::sched_switch(60, OTHER, 0, SLEEPER),
        // It runs, so there is no sleep that this could be of.
        blocked(61, 11, 1, 1),
    ]);
    assert_snapshot!(imported.rows(STATES), @r"
    ts  dur  tid  state    io_wait  function      waker  irq
    10  11   11   D        1        wait_on_page  NULL   NULL
    10  20   12   Running  NULL     NULL          NULL   NULL
    21  9    11   R        NULL     NULL          12     NULL
    30  10   12   R        NULL     NULL          NULL   NULL
    30  10   11   Running  NULL     NULL          NULL   NULL
    40  10   11   D        0        NULL          NULL   NULL
    40  20   12   Running  NULL     NULL          NULL   NULL
    50  10   11   R        NULL     NULL          12     NULL
    60  -1   12   R        NULL     NULL          NULL   NULL
    60  -1   11   Running  NULL     NULL          NULL   NULL
    ");
}

/// A wakeup from an interrupt names the thread that was interrupted, and says so.
#[test]
fn wakeups_of_threads_that_are_awake() {
    let imported = imported([
        FtraceEvent::sched_switch(10, SLEEPER, 1, OTHER),
        FtraceEvent::sched_waking(20, 12, SLEEPER, 0).common_flags(0x10),
        FtraceEvent::sched_waking(30, 12, SLEEPER, 0).common_flags(0),
        FtraceEvent::sched_waking(31, 12, OTHER, 0).common_flags(8),
    ]);
    assert_snapshot!(imported.rows(STATES), @r"
    ts  dur  tid  state    io_wait  function  waker  irq
    10  10   11   S        NULL     NULL      NULL   NULL
    10  -1   12   Running  NULL     NULL      NULL   NULL
    20  -1   11   R        NULL     NULL      12     1
    ");
    let spurious = "SELECT s.ts, s.irq_context AS irq, t.tid, w.tid AS waker, state \
        FROM spurious_sched_wakeup s JOIN thread t USING (utid) JOIN thread w \
        ON s.waker_utid = w.utid JOIN thread_state st ON s.thread_state_id = st.id ORDER BY s.ts";
    assert_snapshot!(imported.rows(spurious), @r"
    ts  irq  tid  waker  state
    30  0    11   12     R
    31  1    12   12     Running
    ");
}
