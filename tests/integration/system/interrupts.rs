//! Interrupts and deferred work: softirqs, tasklets and work queues.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::{SLICE_ARGS, SLICES, kernel};

fn event(at: u64, field: u32, payload: Message) -> FtraceEvent {
    FtraceEvent::other(at, 101, field, payload)
}

#[test]
fn hard_and_soft_interrupts() {
    let imported = kernel([
        event(10, 36, Message::new().int(1, 9).bytes(2, "acpi")),
        event(12, 37, Message::new().int(1, 9).int(2, 1)),
        event(20, 559, Message::new().int(1, 236)),
        event(24, 560, Message::new().int(1, 236)),
        event(30, 24, Message::new().uint(1, 7)),
        event(35, 25, Message::new().uint(1, 7)),
        event(40, 24, Message::new().uint(1, 10)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type         track          name              category
    10  2    cpu_irq      Irq Cpu 0      IRQ (acpi)        irq
    20  4    cpu_irq      Irq Cpu 0      IRQ (LocalTimer)  irq
    30  5    cpu_softirq  SoftIrq Cpu 0  SCHED             irq
    ");
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name        flat_key  key  type    int   string
    10  IRQ (acpi)  ret       ret  string  NULL  handled
    30  SCHED       vec       vec  int     7     NULL
    ");
}

/// Work is named by the address of its function where the trace does not name functions.
#[test]
fn work_that_was_put_off() {
    let imported = kernel([
        event(10, 59, Message::new().uint(1, 5).uint(2, 0xabc)),
        event(20, 58, Message::new().uint(1, 5).uint(2, 0xabc)),
        event(30, 57, Message::new().uint(1, 5).uint(2, 0xabc)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name   category
    20  10   thread_execution  NULL   0xabc  workqueue
    ");
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name   flat_key  key  type  int  string
    20  0xabc  cpu       cpu  int   0    NULL
    ");
}

/// A timer that expires runs its function on the CPU, whichever thread is there.
#[test]
fn timers_that_expire() {
    let imported = kernel([
        event(10, 553, Message::new().uint(1, 5).int(2, 9).uint(3, 0xabc)),
        event(14, 554, Message::new().uint(1, 5)),
        // What began before the recording.
        event(20, 554, Message::new().uint(1, 6)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type         track          name   category
    10  4    cpu_hrtimer  Hrtimer Cpu 0  0xabc  hrtimer
    ");
}

/// A signal is sent to thread 102, which gets it; thread 101 gets one that the kernel sends.
#[test]
fn signals() {
    let imported = kernel([
        event(10, 324, Message::new().int(1, 1).uint(2, 2).int(3, 9)),
        event(20, 325, Message::new().int(1, 1).bytes(2, "other").int(4, 102).int(6, 15)),
        FtraceEvent::other(30, 102, 324, Message::new().int(3, 15)),
    ]);
    let signals = "SELECT slice.ts, dur, slice.name, tid, int_value AS signal FROM slice \
        JOIN thread_track t ON track_id = t.id JOIN thread USING (utid) \
        JOIN args ON slice.arg_set_id = args.arg_set_id AND key = 'signal.sig' ORDER BY slice.ts";
    assert_snapshot!(imported.rows(signals), @r"
    ts  dur  name             tid  signal
    10  0    signal_deliver   101  9
    20  0    signal_generate  102  15
    30  0    signal_deliver   102  15
    ");
}
