//! System calls.

use insta::assert_snapshot;
use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, SystemInfo};

use super::{SLICE_ARGS, SLICES, kernel, packets};
use crate::imported::{Imported, system};

const READ: i64 = 0;
const WRITE: i64 = 1;
const RETURN_FROM_SIGNAL: i64 = 15;

fn enter(at: u64, number: i64, args: &[u64]) -> FtraceEvent {
    let payload = Message::new().int(1, number);
    let payload = args.iter().fold(payload, |payload, &arg| payload.uint(2, arg));
    FtraceEvent::other(at, 101, 329, payload)
}

fn exit(at: u64, number: i64, result: i64) -> FtraceEvent {
    FtraceEvent::other(at, 101, 330, Message::new().int(1, number).int(2, result))
}

/// On 64-bit x86.
fn calls(events: impl IntoIterator<Item = FtraceEvent>) -> Imported {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    packets([system(SystemInfo::linux("6.1")), Packet::new().sequence(1).ftrace(bundle)])
}

#[test]
fn arguments_and_results_of_calls() {
    let imported = calls([enter(10, READ, &[3, u64::MAX]), exit(30, READ, -11)]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name      category
    10  20   thread_execution  NULL   sys_read  NULL
    ");
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name      flat_key  key      type  int  string
    10  sys_read  args      args[0]  uint  3    NULL
    10  sys_read  args      args[1]  uint  -1   NULL
    10  sys_read  ret       ret      int   -11  NULL
    ");
}

/// The return from a signal's handler has no exit.
#[test]
fn the_return_from_a_signal() {
    let imported = calls([enter(10, RETURN_FROM_SIGNAL, &[]), enter(20, READ, &[])]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name              category
    10  0    thread_execution  NULL   sys_rt_sigreturn  NULL
    20  -1   thread_execution  NULL   sys_read          NULL
    ");
}

/// Markers are written by calls. Their slices would cross the calls' if these did not end there.
#[test]
fn a_write_ends_where_its_marker_does_something() {
    let imported = calls([
        enter(10, WRITE, &[]),
        FtraceEvent::print(12, 101, "B|101|work"),
        exit(14, WRITE, 10),
        enter(20, WRITE, &[]),
        FtraceEvent::print(22, 101, "E|101"),
        exit(24, WRITE, 5),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name       category
    10  2    thread_execution  NULL   sys_write  NULL
    12  10   thread_execution  NULL   work       NULL
    20  2    thread_execution  NULL   sys_write  NULL
    ");
    let cut = "SELECT value FROM stats WHERE name = 'truncated_sys_write_duration'";
    assert_eq!(imported.cell(cut), "2");
}

/// Where the architecture is unknown the number is the name, if it can be one.
#[test]
fn without_an_architecture() {
    let imported = kernel([enter(10, 549, &[]), enter(20, 550, &[]), enter(30, -1, &[])]);
    assert_eq!(imported.cell("SELECT name FROM slice"), "sys_549");
}
