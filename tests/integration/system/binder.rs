//! Transactions of binder, and its locks.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::{FLOWS, SLICE_ARGS, SLICES, kernel};

const CLIENT: i32 = 10;
const SERVER: i32 = 20;

const ONE_WAY: u64 = 1;
const WITH_FILES: u64 = 0x10;

/// A transaction to process 19.
fn send(at: u64, by: i32, id: i64, to_thread: i32, reply: bool, flags: u64) -> FtraceEvent {
    let payload = Message::new()
        .int(1, id)
        .int(2, 77)
        .int(3, 19)
        .int(4, to_thread.into())
        .int(5, reply.into())
        .uint(6, 2)
        .uint(7, flags);
    FtraceEvent::other(at, by, 50, payload)
}

fn receive(at: u64, by: i32, id: i64) -> FtraceEvent {
    FtraceEvent::other(at, by, 51, Message::new().int(1, id))
}

fn command(at: u64, by: i32, number: u64) -> FtraceEvent {
    FtraceEvent::other(at, by, 485, Message::new().uint(1, number))
}

fn returned(at: u64, by: i32, number: u64) -> FtraceEvent {
    FtraceEvent::other(at, by, 486, Message::new().uint(1, number))
}

/// A call lasts until its reply arrives; the reply lasts from the call's arrival until it is sent.
#[test]
fn a_call_and_its_reply() {
    let imported = kernel([
        FtraceEvent::task_rename(5, SERVER, "old", "server"),
        send(10, CLIENT, 1, 0, false, WITH_FILES),
        FtraceEvent::other(11, CLIENT, 323, Message::new().uint(1, 96).int(2, 1).uint(3, 8)),
        receive(20, SERVER, 1),
        send(40, SERVER, 2, CLIENT, true, 0),
        receive(50, CLIENT, 2),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name                category
    10  40   thread_execution  NULL   binder transaction  binder
    20  20   thread_execution  NULL   binder reply        binder
    ");
    assert_snapshot!(imported.rows(FLOWS), @r"
    from  to  trace_id
    10    20  NULL
    ");
    // The reply has the args of its own transaction, and of the thread it goes to, which has no
    // name. The call has its own, its buffer's, and its receiver.
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name                flat_key             key                  type    int   string
    10  binder transaction  transaction id       transaction id       int     1     NULL
    10  binder transaction  destination node     destination node     int     77    NULL
    10  binder transaction  destination process  destination process  int     19    NULL
    10  binder transaction  reply transaction?   reply transaction?   bool    0     NULL
    10  binder transaction  flags                flags                string  NULL  0x10 allow replies with file descriptors;
    10  binder transaction  code                 code                 string  NULL  0x02 Java Layer Dependent
    10  binder transaction  calling tid          calling tid          uint    10    NULL
    10  binder transaction  data size            data size            uint    96    NULL
    10  binder transaction  offsets size         offsets size         uint    8     NULL
    10  binder transaction  destination thread   destination thread   uint    20    NULL
    10  binder transaction  destination name     destination name     string  NULL  server
    20  binder reply        destination thread   destination thread   int     10    NULL
    20  binder reply        transaction id       transaction id       int     2     NULL
    20  binder reply        destination node     destination node     int     77    NULL
    20  binder reply        destination process  destination process  int     19    NULL
    20  binder reply        reply transaction?   reply transaction?   bool    1     NULL
    20  binder reply        flags                flags                string  NULL  0x00 No Flags Set
    20  binder reply        code                 code                 string  NULL  0x02 Java Layer Dependent
    20  binder reply        calling tid          calling tid          uint    20    NULL
    ");
}

/// No thread waits for a call in one direction: both sides are instants, with the same args.
#[test]
fn a_call_in_one_direction() {
    let imported = kernel([
        send(10, CLIENT, 1, 0, false, ONE_WAY | WITH_FILES),
        receive(20, SERVER, 1),
        receive(30, SERVER, 99),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name                      category
    10  0    thread_execution  NULL   binder transaction async  binder
    20  0    thread_execution  NULL   binder async rcv          binder
    ");
    assert_snapshot!(imported.rows(FLOWS), @r"
    from  to  trace_id
    10    20  NULL
    ");
    let sets = "SELECT count(DISTINCT arg_set_id) FROM slice WHERE arg_set_id IS NOT NULL";
    assert_eq!(imported.cell(sets), "1");
    let flags = "SELECT DISTINCT string_value FROM args WHERE key = 'flags'";
    assert_eq!(
        imported.cell(flags),
        "0x11 this is a one-way call: async, no return; allow replies with file descriptors; "
    );
}

/// The driver says that a call failed at 30, and one that was never sent at 60.
#[test]
fn calls_that_fail() {
    let (send_call, failed, complete) = (0x4040_6300, 0x7211, 0x7206);
    let imported = kernel([
        command(9, CLIENT, send_call),
        send(10, CLIENT, 1, 0, false, 0),
        returned(20, CLIENT, complete),
        returned(30, CLIENT, failed),
        FtraceEvent::print(40, CLIENT, "B|10|open"),
        command(50, CLIENT, send_call),
        returned(60, CLIENT, failed),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name                category
    10  20   thread_execution  NULL   binder transaction  binder
    40  -1   thread_execution  NULL   open                NULL
    ");
}

/// A thread waits for the lock from 10 to 15 and holds it until 30. The wait for the lock that
/// another thread holds at 20 is not in the trace.
#[test]
fn the_lock() {
    let event = |at, by, field| FtraceEvent::other(at, by, field, Message::new());
    let imported = kernel([
        event(10, CLIENT, 53),
        event(15, CLIENT, 54),
        event(20, SERVER, 54),
        event(25, SERVER, 55),
        event(30, CLIENT, 55),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type              track  name                 category
    10  5    thread_execution  NULL   binder lock waiting  binder
    15  15   thread_execution  NULL   binder lock held     binder
    ");
}
