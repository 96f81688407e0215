//! Functions of the kernel.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::{SLICES, kernel};

fn call(at: u64, tid: i32, function: u64) -> FtraceEvent {
    FtraceEvent::other(at, tid, 437, Message::new().int(1, 0).uint(2, function))
}

fn returning(at: u64, tid: i32, function: u64) -> FtraceEvent {
    FtraceEvent::other(at, tid, 438, Message::new().int(2, 0).uint(3, function))
}

fn probe(at: u64, kind: i64) -> FtraceEvent {
    FtraceEvent::other(at, 101, 542, Message::new().bytes(1, "do_open").int(2, kind))
}

/// All idle threads have tid 0, so what they call is shown by CPU.
#[test]
fn calls_of_threads_and_of_idle_cpus() {
    let imported = kernel([
        call(10, 101, 0xa),
        call(12, 101, 0xb),
        returning(14, 101, 0xb),
        returning(18, 101, 0xa),
        call(20, 0, 0xc),
        returning(25, 0, 0xc),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track                name  category
    10  8    thread_funcgraph  Funcgraph            0xa   NULL
    12  2    thread_funcgraph  Funcgraph            0xb   NULL
    20  5    cpu_funcgraph     swapper0 -funcgraph  0xc   NULL
    ");
}

#[test]
fn probes() {
    let imported = kernel([probe(10, 1), probe(15, 3), probe(20, 2), probe(30, 0)]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name     category
    10  10   thread_execution  NULL   do_open  NULL
    15  0    thread_execution  NULL   do_open  NULL
    ");
}
