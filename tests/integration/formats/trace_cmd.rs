//! Recordings of `trace-cmd`.

use tpq_testkit::{KernelPage, TraceCmd, gzip};

use super::{PLACES, kind_and_clock};
use crate::imported::{Imported, STATS, refused};

pub(super) const SWITCH: u16 = 316;
pub(super) const PROBE: u16 = 900;
const PRINT: u16 = 5;
const BLOCKED: u16 = 320;

/// A name in 16 bytes.
fn comm(name: &str) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..name.len()].copy_from_slice(name.as_bytes());
    bytes
}

/// The fields of a switch.
pub(super) fn switch(from: (&str, i32), state: i64, to: (&str, i32)) -> Vec<u8> {
    let mut fields = comm(from.0).to_vec();
    fields.extend([from.1, 120].map(i32::to_le_bytes).concat());
    fields.extend(state.to_le_bytes());
    fields.extend(comm(to.0));
    fields.extend([to.1, 100].map(i32::to_le_bytes).concat());
    fields
}

/// The fields of a probe that no kernel has: a number, an array, and a text at offset 28.
pub(super) fn probe(value: i32, text: &str) -> Vec<u8> {
    let mut fields = value.to_le_bytes().to_vec();
    fields.extend([7_u32, 8].map(u32::to_le_bytes).concat());
    fields.extend((28 | (text.len() as u32 + 1) << 16).to_le_bytes());
    fields.extend([0; 4]);
    fields.extend(text.bytes());
    fields.push(0);
    fields
}

/// Two CPUs. On CPU 0 thread 70 runs from 1,010 to 1,110 and then sleeps; on CPU 1 thread 80 writes
/// a marker and is blocked by a function.
pub(super) fn recording(clock: &str) -> TraceCmd {
    let marker = [&0_u64.to_le_bytes()[..], b"B|80|work\n\0"].concat();
    let blocked = [&70_i32.to_le_bytes()[..], &[0; 4], &0xff18_u64.to_le_bytes(), &[1]].concat();
    TraceCmd::new(clock)
        .format(
            "sched_switch",
            SWITCH,
            &[
                ("char prev_comm[16]", 8, 16, false),
                ("pid_t prev_pid", 24, 4, true),
                ("int prev_prio", 28, 4, true),
                ("long prev_state", 32, 8, true),
                ("char next_comm[16]", 40, 16, false),
                ("pid_t next_pid", 56, 4, true),
                ("int next_prio", 60, 4, true),
            ],
        )
        .format(
            "my_probe",
            PROBE,
            &[
                ("int value", 8, 4, true),
                ("u32 list[2]", 12, 8, false),
                ("__data_loc char[] text", 20, 4, true),
                ("const char * elsewhere", 24, 4, false),
            ],
        )
        .format("print", PRINT, &[("unsigned long ip", 8, 8, false), ("char buf[]", 16, 0, false)])
        .format(
            "sched_blocked_reason",
            BLOCKED,
            &[
                ("pid_t pid", 8, 4, true),
                ("void* caller", 16, 8, false),
                ("bool io_wait", 24, 1, false),
            ],
        )
        .kallsyms("000000000000ff00 T wait_long\n000000000000ff20 t other\n")
        .cmdlines("70 worker\n99 never seen\n")
        .page(
            0,
            KernelPage::new(1_000)
                .event(10, SWITCH, 0, &switch(("swapper/0", 0), 0, ("worker", 70)))
                .event(50, PROBE, 70, &probe(-3, "hello"))
                .event(50, SWITCH, 70, &switch(("worker", 70), 1, ("swapper/0", 0))),
        )
        .page(1, KernelPage::new(1_020).skip(1 << 28).event(5, PRINT, 80, &marker))
        .page(1, KernelPage::new(500_000_000).event(0, BLOCKED, 80, &blocked))
}

const EVENTS: &str = "SELECT ts, cpu, ftrace_event.name, tid, common_flags AS flags FROM ftrace_event \
    JOIN thread USING (utid) ORDER BY ts";
const SCHED: &str = "SELECT ts, dur, cpu, tid, thread.name, end_state, priority FROM sched \
    JOIN thread USING (utid) ORDER BY ts";
const ARGS: &str = "SELECT key, int_value AS int, string_value AS text FROM ftrace_event \
    JOIN args USING (arg_set_id) WHERE ftrace_event.name = 'my_probe' ORDER BY key";

/// 2^28 ns after 1,020 is 268,436,476, and 5 more is 268,436,481.
fn assert_rows(file: &[u8]) {
    let trace = Imported::file(file);
    assert_eq!(
        trace.rows(EVENTS),
        "\
ts         cpu  name                  tid  flags
1010       0    sched_switch          0    1
1060       0    my_probe              70   1
1110       0    sched_switch          70   1
268436481  1    print                 80   1
500000000  1    sched_blocked_reason  80   1
"
    );
    assert_eq!(
        trace.rows(SCHED),
        "\
ts    dur  cpu  tid  name     end_state  priority
1010  100  0    70   worker   S          100
1110  -1   0    0    swapper  NULL       100
"
    );
    assert_eq!(
        trace.rows(ARGS),
        "\
key    int   text
list   8     NULL
text   NULL  hello
value  -3    NULL
"
    );
    let slices = "SELECT ts, slice.name, tid FROM slice JOIN thread_track t \
        ON t.id = slice.track_id JOIN thread USING (utid)";
    assert_eq!(trace.cells(slices), [["268436481", "work", "80"]]);
    let blocked = "SELECT string_value FROM ftrace_event JOIN args USING (arg_set_id) \
        WHERE ftrace_event.name = 'sched_blocked_reason' AND key = 'caller'";
    assert_eq!(trace.cells(blocked), [["wait_long"]]);
    let names = "SELECT tid, name FROM thread WHERE tid IN (70, 99) ORDER BY tid";
    assert_eq!(trace.cells(names), [["70", "worker"], ["99", "never seen"]]);
    assert_eq!(trace.rows(STATS), "name  machine  file  value\n");
}

#[test]
fn version_6() {
    let file = recording("boot").version_6();
    assert_rows(&file);
    let trace = Imported::file(file);
    assert_eq!(kind_and_clock(&trace), ("trace_cmd".to_owned(), vec![vec!["6".to_owned()]]));
}

#[test]
fn version_7() {
    for codec in ["none", "zlib", "zstd"] {
        assert_rows(&recording("boot").version_7(codec));
    }
}

#[test]
fn a_compressed_file() {
    assert_rows(&gzip(&recording("boot").version_6()));
}

/// The clocks of the scheduler are that of perf, 10.
#[test]
fn clocks() {
    for (clock, id) in [("mono", "3"), ("mono_raw", "5"), ("local", "10"), ("counter", "128")] {
        for file in [recording(clock).version_6(), recording(clock).version_7("none")] {
            let trace = Imported::file(file);
            assert_eq!(kind_and_clock(&trace).1, [[id]], "{clock}");
            assert_eq!(trace.cell("SELECT count(*) FROM ftrace_event"), "5", "{clock}");
        }
    }
}

/// An offset in ns is added to times; a date in µs makes them wall time, 1. Ticks become ns by a
/// factor and a shift: half a ns each.
#[test]
fn offsets_of_times() {
    let first = "SELECT min(ts) FROM ftrace_event";
    let offset = recording("boot").option(7, b"0x10\0").version_6();
    assert_eq!(Imported::file(offset).cell(first), "1026");
    let date = Imported::file(recording("boot").option(1, b"0x2\0").version_7("none"));
    assert_eq!(date.cell(first), "3010");
    assert_eq!(kind_and_clock(&date).1, [["1"]]);
    let ticks = [&1_u32.to_le_bytes()[..], &1_u32.to_le_bytes(), &[0; 8]].concat();
    let ticks = Imported::file(recording("x86-tsc").option(14, &ticks).version_7("none"));
    assert_eq!(ticks.cell(first), "505");
    assert_eq!(kind_and_clock(&ticks).1, [["10"]]);
}

/// The kernel's version decides the letters of states, and statistics and marks of pages tell of
/// lost events.
#[test]
fn facts_of_the_machine() {
    let stats = "CPU: 1\nentries: 2\noverrun: 3\ncommit overrun: 0\ndropped events: 4\n\0";
    let file = recording("boot")
        .option(5, b"Linux host 6.1.0 #1 SMP x86_64\0")
        .option(2, stats.as_bytes())
        .page(0, KernelPage::new(2_000).missed().event(0, PROBE, 70, &probe(1, "x")))
        .version_7("zstd");
    let trace = Imported::file(file);
    let release = "SELECT str_value FROM metadata WHERE name = 'system_release'";
    assert_eq!(trace.cell(release), "6.1.0");
    let counts = "SELECT name, idx, value FROM stats WHERE value > 0 \
        AND name IN ('ftrace_cpu_overrun_delta', 'ftrace_cpu_dropped_events_delta', \
        'ftrace_cpu_has_data_loss') ORDER BY name";
    assert_eq!(
        trace.cells(counts),
        [
            ["ftrace_cpu_dropped_events_delta", "1", "4"],
            ["ftrace_cpu_has_data_loss", "0", "1"],
            ["ftrace_cpu_overrun_delta", "1", "3"],
        ]
    );
}

#[test]
fn damaged_recordings() {
    let whole = recording("boot").version_6();
    let header = refused(&[("trace.dat", &whole[..30])]);
    let what = "trace.dat: byte 18: the header of the recording cannot be read";
    assert!(header.contains(what), "{header}");
    let other = [&whole[..10], b"9\0", &whole[12..]].concat();
    let message = refused(&[("trace.dat", &other)]);
    let what = "recordings of this version are not read, only of versions 6 and 7";
    assert!(message.contains(&format!("trace.dat: byte 10: {what}")), "{message}");
    // The last page of CPU 1 lies outside of the file.
    let cut = Imported::file(&whole[..whole.len() - 4096]);
    let what = "the file ends before the data that its header lists";
    assert_eq!(cut.cells(PLACES), [["format_parse_errors", "NULL", what]]);
    assert_eq!(cut.cell("SELECT count(*) FROM ftrace_event"), "4");
    // An event without a format.
    let unknown = recording("boot").page(0, KernelPage::new(3_000).event(0, 7, 1, &[0; 4]));
    let trace = Imported::file(unknown.version_6());
    let errors = "SELECT value FROM stats WHERE name = 'ftrace_bundle_tokenizer_errors'";
    assert_eq!(trace.cell(errors), "1");
}
