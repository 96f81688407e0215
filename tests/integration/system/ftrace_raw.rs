//! Every kernel event, with its arguments.

use insta::assert_snapshot;
use tpq::ImportOptions;
use tpq_testkit::{CompactSched, FtraceBundle, FtraceEvent, InternedData, Message, Packet, Task};

use crate::imported::{Imported, recording};

/// Events, each argument a row.
const ARGS: &str = "SELECT ts, name, cpu, tid, key, value_type AS type, int_value AS int, \
    string_value AS text FROM (SELECT f.ts, f.name, f.cpu, t.tid, f.arg_set_id, f.id FROM \
    ftrace_event f JOIN thread t USING (utid)) f LEFT JOIN args a USING (arg_set_id) \
    ORDER BY f.id, a.id";

fn bundle(bundle: FtraceBundle) -> Imported {
    Imported::trace(recording().packet(Packet::new().sequence(1).ftrace(bundle)))
}

#[test]
fn arguments_by_the_names_and_types_of_the_format() {
    // sched_migrate_task (491): comm, pid, prio, orig_cpu, dest_cpu; int32 that is negative.
    let migrate = Message::new().bytes(1, "app").int(2, 7).int(3, -1).int(4, 0).int(5, 1);
    // irq_handler_exit (37): irq, ret; then softirq_raise (26): vec, unsigned.
    let events = [
        FtraceEvent::other(10, 7, 37, Message::new().int(1, 24).int(2, 1)).common_flags(8),
        FtraceEvent::other(20, 7, 26, Message::new().uint(1, 3)),
        FtraceEvent::other(30, 7, 491, migrate),
    ];
    let kinds = "SELECT name FROM ftrace_event ORDER BY id";
    let imported = bundle(events.into_iter().fold(FtraceBundle::new(1), FtraceBundle::event));
    assert_snapshot!(imported.rows(ARGS), @r"
    ts  name                cpu  tid  key       type    int   text
    10  irq_handler_exit    1    7    irq       int     24    NULL
    10  irq_handler_exit    1    7    ret       int     1     NULL
    20  softirq_raise       1    7    vec       uint    3     NULL
    30  sched_migrate_task  1    7    comm      string  NULL  app
    30  sched_migrate_task  1    7    pid       int     7     NULL
    30  sched_migrate_task  1    7    prio      int     -1    NULL
    30  sched_migrate_task  1    7    orig_cpu  int     0     NULL
    30  sched_migrate_task  1    7    dest_cpu  int     1     NULL
    ");
    assert_snapshot!(imported.rows(kinds), @r"
    name
    irq_handler_exit
    softirq_raise
    sched_migrate_task
    ");
    assert_snapshot!(imported.rows("SELECT common_flags FROM raw ORDER BY id"), @r"
    common_flags
    8
    0
    0
    ");
}

/// An event with a time and a thread alone is none of any kind.
#[test]
fn events_of_no_kind_are_counted() {
    let of_no_kind = Message::new().uint(1, 10).uint(2, 7);
    let known = of_no_kind.clone().message(26, Message::new().uint(1, 3));
    let bundle = Message::new().uint(1, 0).message(2, of_no_kind).message(2, known);
    let imported =
        Imported::trace(recording().packet(Packet::new().sequence(1).payload(1, bundle)));
    assert_eq!(imported.cells("SELECT ts, name FROM ftrace_event"), [["10", "softirq_raise"]]);
    let stat = "SELECT value FROM stats WHERE name = 'ftrace_missing_event_id'";
    assert_eq!(imported.cell(stat), "1");
}

/// Events that say the same share one set; the later of two values under one key counts.
#[test]
fn equal_arguments_are_one_set() {
    // sys_enter (329): id, args repeated.
    let enter = |fd| Message::new().int(1, 3).uint(2, 9).uint(2, fd);
    let events = [(10, 5), (20, 5), (30, 6)];
    let events = events.map(|(at, fd)| FtraceEvent::other(at, 7, 329, enter(fd)));
    let imported = bundle(events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event));
    let sets = "SELECT count(*) AS events, count(DISTINCT arg_set_id) AS sets FROM ftrace_event";
    assert_snapshot!(imported.rows(sets), @r"
    events  sets
    3       2
    ");
    let values = "SELECT f.ts, key, int_value FROM ftrace_event f JOIN args USING (arg_set_id) \
        ORDER BY f.ts, key";
    assert_snapshot!(imported.rows(values), @r"
    ts  key   int_value
    10  args  5
    10  id    3
    20  args  5
    20  id    3
    30  args  6
    30  id    3
    ");
}

/// An event may contain its names, the bundle may describe its kind, or neither.
#[test]
fn events_that_no_message_was_written_for() {
    let field = |name, value: fn(Message) -> Message| value(Message::new().bytes(1, name));
    let generic = Message::new()
        .bytes(1, "own_probe")
        .message(2, field("text", |field| field.bytes(3, "hello")))
        .message(2, field("number", |field| field.int(4, -5)));
    // DescriptorProto: name; fields with name, number, type (4 uint64, 9 string, 5 int32).
    let described =
        |name, number, kind| Message::new().bytes(1, name).uint(3, number).uint(4, 1).uint(5, kind);
    let descriptor = Message::new()
        .bytes(1, "new_probe")
        .message(2, described("size", 1, 4))
        .message(2, described("who", 3, 9))
        .message(2, described("ret", 4, 5));
    let descriptors = Message::new().int(1, 70_000).bytes(2, descriptor.as_bytes());
    let events = [
        FtraceEvent::other(10, 7, 327, generic),
        FtraceEvent::other(20, 7, 70_000, Message::new().uint(1, 8).bytes(3, "me").int(4, -1)),
        FtraceEvent::other(30, 7, 71_000, Message::new().uint(1, 8).bytes(2, "x")),
    ];
    let events = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let events = FtraceBundle::from(Message::from(events).message(11, descriptors));
    assert_snapshot!(bundle(events).rows(ARGS), @r"
    ts  name                cpu  tid  key      type    int   text
    10  own_probe           0    7    text     string  NULL  hello
    10  own_probe           0    7    number   int     -5    NULL
    20  new_probe           0    7    size     uint    8     NULL
    20  new_probe           0    7    who      string  NULL  me
    20  new_probe           0    7    ret      int     -1    NULL
    30  ftrace_event_71000  0    7    field_1  int     8     NULL
    30  ftrace_event_71000  0    7    field_2  string  NULL  x
    ");
}

/// Compact events leave out what the switch before contains; the first of a CPU is unknown.
#[test]
fn compact_events_are_events_too() {
    let sched = CompactSched::new()
        .switch(10, 0, Task::new("first", 11).prio(110))
        .switch(20, 1, Task::new("second", 12).prio(120))
        .waking(30, Task::new("first", 11).prio(110), 1, 8)
        .switch(40, 2, Task::new("first", 11).prio(110));
    assert_snapshot!(bundle(FtraceBundle::new(0).compact(sched)).rows(ARGS), @r"
    ts  name          cpu  tid  key         type    int   text
    20  sched_switch  0    11   prev_comm   string  NULL  first
    20  sched_switch  0    11   prev_pid    int     11    NULL
    20  sched_switch  0    11   prev_prio   int     110   NULL
    20  sched_switch  0    11   prev_state  int     1     NULL
    20  sched_switch  0    11   next_comm   string  NULL  second
    20  sched_switch  0    11   next_pid    int     12    NULL
    20  sched_switch  0    11   next_prio   int     120   NULL
    30  sched_waking  0    12   comm        string  NULL  first
    30  sched_waking  0    12   pid         int     11    NULL
    30  sched_waking  0    12   prio        int     110   NULL
    30  sched_waking  0    12   target_cpu  int     1     NULL
    40  sched_switch  0    12   prev_comm   string  NULL  second
    40  sched_switch  0    12   prev_pid    int     12    NULL
    40  sched_switch  0    12   prev_prio   int     120   NULL
    40  sched_switch  0    12   prev_state  int     2     NULL
    40  sched_switch  0    12   next_comm   string  NULL  first
    40  sched_switch  0    12   next_pid    int     11    NULL
    40  sched_switch  0    12   next_prio   int     110   NULL
    ");
}

/// A function of the kernel goes by its name where the trace has it.
#[test]
fn functions_by_name() {
    // sched_blocked_reason (18): pid, caller, io_wait.
    let blocked = |caller| Message::new().int(1, 7).uint(2, caller).uint(3, 1);
    let events = FtraceBundle::new(0)
        .event(FtraceEvent::other(10, 7, 18, blocked(1)))
        .event(FtraceEvent::other(20, 7, 18, blocked(2)));
    let symbol = Message::new().uint(1, 1).bytes(2, "do_wait");
    let interned = InternedData::from(Message::new().message(26, symbol));
    let packet = Packet::new().sequence(1).flags(tpq_testkit::STATE_CLEARED);
    let imported = Imported::trace(recording().packet(packet.interned(interned).ftrace(events)));
    let caller = "SELECT ts, value_type, int_value, string_value FROM ftrace_event \
        JOIN args USING (arg_set_id) WHERE key = 'caller' ORDER BY ts";
    assert_snapshot!(imported.rows(caller), @r"
    ts  value_type  int_value  string_value
    10  string      NULL       do_wait
    20  uint        2          NULL
    ");
}

#[test]
fn without_raw_events_the_tables_made_from_them_stay() {
    let switch = FtraceEvent::sched_switch(10, Task::new("a", 11), 1, Task::new("b", 12));
    let bundle = FtraceBundle::new(0).event(switch);
    let trace = recording().packet(Packet::new().sequence(1).ftrace(bundle)).build();
    let options = ImportOptions { ftrace_raw: false, ..ImportOptions::default() };
    let imported = Imported::with(&[("trace", &trace)], options);
    assert_eq!(imported.cell("SELECT count(*) FROM ftrace_event"), "0");
    assert_eq!(imported.cell("SELECT count(*) FROM args WHERE key = 'next_pid'"), "0");
    assert_eq!(imported.cell("SELECT count(*) FROM sched"), "1");
}
