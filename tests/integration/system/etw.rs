//! Events of Windows: threads on CPUs, memory, files and disks.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tpq::ImportOptions;
use tpq_testkit::mutate::mutate;
use tpq_testkit::random::Random;
use tpq_testkit::{Message, Packet, TraceBuilder, clock_id};

use super::{COUNTERS, SLICE_ARGS, SLICES, packets};
use crate::imported::Imported;

const ETW_EVENTS: u32 = 95;
const C_SWITCH: u32 = 2;
const READY_THREAD: u32 = 3;
const MEM_INFO: u32 = 6;
const FILE_IO_CREATE: u32 = 7;
const FILE_IO_INFO: u32 = 9;
const FILE_IO_READ_WRITE: u32 = 10;
const FILE_IO_OP_END: u32 = 12;
const STACK_WALK: u32 = 13;
const DISK_IO: u32 = 15;

/// An event of a thread.
fn event(at: u64, thread: u64, field: u32, message: Message) -> Message {
    Message::new().uint(1, at).uint(5, thread).message(field, message)
}

/// An event of a CPU.
fn on_cpu(at: u64, cpu: u64, field: u32, message: Message) -> Message {
    event(at, 0, field, message).uint(4, cpu)
}

/// A packet of events. Those that name no CPU are of CPU 7.
fn bundle(events: impl IntoIterator<Item = Message>) -> Packet {
    let of_cpu = Message::new().uint(1, 7);
    let bundle = events.into_iter().fold(of_cpu, |bundle, it| bundle.message(2, it));
    Packet::new().sequence(1).timestamp(1).payload(ETW_EVENTS, bundle)
}

fn trace(events: impl IntoIterator<Item = Message>) -> Imported {
    packets([bundle(events)])
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// A switch from a thread in a state to another with a priority.
fn switch(old: u64, state: u64, new: u64, priority: i64) -> Message {
    Message::new().uint(1, new).uint(2, old).uint(3, zigzag(priority)).uint(8, state)
}

const LOST: &str = "SELECT name, idx, value FROM stats WHERE value != 0 \
    AND name IN ('malformed_packets', 'task_state_invalid', 'mismatched_sched_switch_tids', \
        'format_records_not_read', 'missing_disk_io_event_name') ORDER BY name, idx";

#[test]
fn threads_on_cpus() {
    let waits = switch(11, 5, 12, 9).uint(6, 2);
    let trace = trace([
        // Events need not be in order, and CPUs may share a packet.
        on_cpu(300, 0, C_SWITCH, waits),
        on_cpu(100, 0, C_SWITCH, switch(0, 2, 11, 8)),
        on_cpu(150, 1, C_SWITCH, switch(0, 2, 13, -1)),
        event(400, 12, READY_THREAD, Message::new().uint(1, 11)),
        on_cpu(500, 0, C_SWITCH, switch(12, 4, 11, 8)),
    ]);
    let sched = "SELECT ts, dur, cpu, tid, end_state, priority FROM sched \
        JOIN thread USING (utid) ORDER BY ts";
    assert_eq!(
        trace.rows(sched),
        "\
ts   dur  cpu  tid  end_state   priority
100  200  0    11   Waiting     8
150  -1   1    13   NULL        -1
300  200  0    12   Terminated  9
500  -1   0    11   NULL        8
"
    );
    let states = "SELECT s.ts, dur, t.tid, state, io_wait, blocked_function AS function, \
        w.tid AS waker FROM thread_state s JOIN thread t USING (utid) \
        LEFT JOIN thread w ON w.utid = waker_utid WHERE t.tid IN (11, 12) ORDER BY s.ts, t.tid";
    assert_eq!(
        trace.rows(states),
        "\
ts   dur  tid  state       io_wait  function  waker
100  200  11   Running     NULL     NULL      NULL
300  100  11   Waiting     1        PageIn    NULL
300  200  12   Running     NULL     NULL      NULL
400  100  11   R           NULL     NULL      12
500  -1   11   Running     NULL     NULL      NULL
500  -1   12   Terminated  NULL     NULL      NULL
"
    );
    assert_eq!(trace.rows(LOST), "name  idx  value\n");
}

#[test]
fn states_as_numbers_threads_without_ids_and_switches_that_do_not_fit() {
    let without_id = Message::new().uint(1, 16).uint(3, zigzag(1)).uint(13, zigzag(5)).uint(11, 6);
    let trace = trace([
        on_cpu(100, 0, C_SWITCH, switch(0, 2, 11, 8)),
        // The CPU ran another thread.
        on_cpu(200, 0, C_SWITCH, switch(12, 1, 13, 8)),
        on_cpu(300, 0, C_SWITCH, switch(13, 8, 14, 8)),
        on_cpu(400, 1, C_SWITCH, without_id),
        // A CPU that no machine has.
        on_cpu(600, 1_024, C_SWITCH, switch(14, 1, 15, 8)),
    ]);
    let sched = "SELECT ts, dur, cpu, tid, end_state FROM sched \
        JOIN thread USING (utid) ORDER BY ts";
    assert_eq!(
        trace.rows(sched),
        "\
ts   dur  cpu  tid  end_state
100  -1   0    11   NULL
200  100  0    13   NULL
300  -1   0    14   NULL
400  -1   1    16   NULL
"
    );
    let waits = "SELECT tid, thread.name, io_wait, blocked_function FROM thread_state \
        JOIN thread USING (utid) WHERE state = 'Waiting'";
    assert_eq!(trace.cells(waits), [["4294967295", "Anonymized Process", "0", "UserRequest"]]);
    assert_eq!(
        trace.rows(LOST),
        "\
name                          idx   value
malformed_packets             NULL  1
mismatched_sched_switch_tids  NULL  1
task_state_invalid            NULL  1
"
    );
}

#[test]
fn the_cpu_of_a_packet_is_that_of_its_events() {
    let event = event(100, 0, C_SWITCH, switch(0, 2, 11, 8));
    let late = Message::new().message(C_SWITCH, switch(11, 1, 0, 0));
    let bundle = Message::new().uint(1, 3).message(2, event).message(2, late);
    let packet = Packet::new().sequence(1).timestamp(1).payload(ETW_EVENTS, bundle);
    let trace = packets([packet]);
    assert_eq!(trace.cells("SELECT ts, cpu FROM sched"), [["100", "3"]]);
    // The second event has no time.
    assert_eq!(trace.rows(LOST), "name               idx   value\nmalformed_packets  NULL  1\n");
}

/// The time of an event is in the clock of the file, although the packet is in another.
#[test]
fn events_without_a_cpu_and_packets_in_another_clock() {
    let memory = || Message::new().uint(2, 100);
    let without_cpu = Message::new().message(2, event(50, 0, MEM_INFO, memory()));
    let with_cpu = Message::new().message(2, on_cpu(5_000, 0, MEM_INFO, memory()));
    let packet = |bundle| Packet::new().sequence(1).timestamp(9_000).payload(ETW_EVENTS, bundle);
    let trace = packets([
        crate::imported::clocks(&[(clock_id::BOOTTIME, 0), (clock_id::REALTIME, 1_000)]),
        packet(without_cpu),
        packet(with_cpu).clock(clock_id::REALTIME),
    ]);
    assert_eq!(trace.cells("SELECT ts, value FROM counter"), [["5000", "100.0"]]);
    assert_eq!(trace.rows(LOST), "name               idx   value\nmalformed_packets  NULL  1\n");
}

#[test]
fn memory_in_pages() {
    let memory = Message::new().uint(2, 100).uint(3, 200).uint(13, 0).uint(7, 5).uint(7, 6);
    let trace = trace([event(100, 0, MEM_INFO, memory)]);
    assert_eq!(
        trace.rows(COUNTERS),
        "\
ts   type         name                      value
100  etw_meminfo  Zero Page Count           100.0
100  etw_meminfo  Free Page Count           200.0
100  etw_meminfo  Commit Page Count         0.0
100  etw_meminfo  Standby Pri-0 Page Count  5.0
100  etw_meminfo  Standby Pri-1 Page Count  6.0
"
    );
    let units = "SELECT DISTINCT unit FROM counter_track WHERE type = 'etw_meminfo'";
    assert_eq!(trace.cell(units), "pages");
}

fn end(request: u64) -> Message {
    Message::new().uint(1, request).uint(3, 0xc0)
}

#[test]
fn operations_on_files() {
    let create = Message::new().uint(1, 0xa0).uint(2, 0xf0).uint(3, 11).bytes(7, "C:\\a.txt");
    let read = Message::new().uint(1, 8).uint(2, 0xb0).uint(6, 4096).uint(8, 67);
    let resize = Message::new().uint(4, 77).uint(6, 20).uint(7, 69);
    let trace = trace([
        event(100, 11, FILE_IO_CREATE, create),
        event(110, 11, FILE_IO_READ_WRITE, read.clone()),
        event(150, 11, FILE_IO_OP_END, end(0xa0)),
        // Without an address no end belongs to it.
        event(160, 11, FILE_IO_INFO, resize),
        // The address is used again, and the end of the first request was lost.
        event(200, 11, FILE_IO_READ_WRITE, read),
        event(230, 11, FILE_IO_OP_END, end(0xb0)),
        event(240, 12, FILE_IO_OP_END, end(0xdd)),
        event(250, 12, FILE_IO_CREATE, Message::new().uint(1, 0xee)),
    ]);
    assert_eq!(
        trace.rows(SLICES),
        "\
ts   dur  type        track  name            category
100  50   etw_fileio  NULL   CreateFile      NULL
110  0    etw_fileio  NULL   ReadFile        NULL
160  0    etw_fileio  NULL   SetInformation  NULL
200  30   etw_fileio  NULL   ReadFile        NULL
240  0    etw_fileio  NULL   EndOperation    NULL
250  0    etw_fileio  NULL   CreateFile      NULL
"
    );
    let args = "SELECT ts, key, value_type AS type, int_value AS int, string_value AS string \
        FROM slice JOIN args USING (arg_set_id) ORDER BY ts, args.id";
    assert_eq!(
        trace.rows(args),
        "\
ts   key                 type     int   string
100  I/O Request Packet  pointer  160   NULL
100  File Object         pointer  240   NULL
100  Thread ID           uint     11    NULL
100  Open Path           string   NULL  C:\\a.txt
100  NT Status           pointer  192   NULL
110  I/O Request Packet  pointer  176   NULL
110  Offset              uint     8     NULL
110  I/O Size            uint     4096  NULL
110  Missing Event       string   NULL  End
160  File Size           uint     77    NULL
160  Info Class          string   NULL  FileEndOfFileInformation
200  I/O Request Packet  pointer  176   NULL
200  Offset              uint     8     NULL
200  I/O Size            uint     4096  NULL
200  NT Status           pointer  192   NULL
240  NT Status           pointer  192   NULL
240  Missing Event       string   NULL  Start
250  I/O Request Packet  pointer  238   NULL
250  Missing Event       string   NULL  End
"
    );
}

#[test]
fn operations_on_disks() {
    let read = Message::new().uint(1, 2).uint(2, 0x43).uint(3, 512).int(4, 4096).uint(6, 0xa0);
    let read = read.int(7, 80).uint(8, 14).uint(9, 10);
    let trace = trace([
        event(100, 11, DISK_IO, read),
        event(120, 11, DISK_IO, Message::new().uint(9, 14)),
        event(130, 11, DISK_IO, Message::new().uint(9, 99)),
        event(135, 11, DISK_IO, Message::new()),
        event(140, 11, STACK_WALK, Message::new().uint(2, 1)),
    ]);
    assert_eq!(
        trace.rows(SLICES),
        "\
ts   dur  type        track  name       category
100  80   etw_diskio  NULL   DiskRead   ETW Disk I/O
120  0    etw_diskio  NULL   DiskFlush  ETW Disk I/O
"
    );
    let keys = "SELECT key, int_value FROM slice JOIN args USING (arg_set_id) ORDER BY args.id";
    assert_eq!(
        trace.cells(keys),
        [
            ["Irp Ptr", "160"],
            ["Disk Number", "2"],
            ["Irp Flags", "67"],
            ["Transfer Size", "512"],
            ["Byte Offset", "4096"],
            ["Response Time (microseconds)", "80"],
            ["Issuing Thread ID", "14"],
        ]
    );
    assert!(!trace.rows(SLICE_ARGS).is_empty());
    // An operation that is none, one that does not say what it is, and a stack, which is not read.
    assert_eq!(
        trace.rows(LOST),
        "\
name                        idx   value
format_records_not_read     13    1
malformed_packets           NULL  1
missing_disk_io_event_name  NULL  1
"
    );
}

/// How many damaged traces are imported.
const MUTATIONS: u64 = 1_000;

#[test]
fn damaged_events_do_not_panic() {
    let memory = Message::new().uint(2, 100).uint(7, 5).uint(8, 6);
    let events = [
        on_cpu(100, 0, C_SWITCH, switch(0, 2, 11, 8)),
        on_cpu(200, 0, C_SWITCH, switch(11, 5, 12, 9).uint(6, 2)),
        event(210, 12, READY_THREAD, Message::new().uint(1, 11)),
        event(220, 12, MEM_INFO, memory),
        event(230, 12, FILE_IO_CREATE, Message::new().uint(1, 0xa0).bytes(7, "C:")),
        event(240, 12, FILE_IO_OP_END, end(0xa0)),
        event(250, 12, FILE_IO_READ_WRITE, Message::new().uint(1, 0xb0).uint(8, 67)),
        event(260, 12, DISK_IO, Message::new().uint(9, 10).int(7, 80)),
    ];
    let seed = TraceBuilder::new().packets([bundle(events.clone()), bundle(events)]).build();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace");
    let options = ImportOptions { threads: Some(1), ..ImportOptions::default() };
    let panics = |number: &u64| {
        let bytes = mutate(&mut Random::new(*number), &[seed.as_slice()]);
        std::fs::write(&path, bytes).unwrap();
        let import = || tpq::import(std::slice::from_ref(&path), &options).map(drop);
        catch_unwind(AssertUnwindSafe(import)).is_err()
    };
    let panicked: Vec<u64> = (0..MUTATIONS).filter(panics).collect();
    assert!(panicked.is_empty(), "{} of {MUTATIONS} panicked: {panicked:?}", panicked.len());
}
