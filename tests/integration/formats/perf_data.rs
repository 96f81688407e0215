//! Recordings of perf and of simpleperf.

use tpq_testkit::{Message, PerfData, PerfSample};

use super::kind_and_clock;
use super::trace_cmd::{self, PROBE, SWITCH, probe, switch};
use crate::imported::{Imported, STATS, refused};

/// Marks in call chains: code of the kernel, and of a process.
const KERNEL: u64 = 128_u64.wrapping_neg();
const USER: u64 = 512_u64.wrapping_neg();

fn sample(event: u64, time: u64, period: u64, chain: &[u64]) -> PerfSample {
    PerfSample { event, task: (70, 71), time, cpu: 2, period, chain: chain.to_vec() }
}

/// Process 70 with thread 71. The kernel is mapped at 0xf000, the program at 0x1000 with offset
/// 0x200 in its file.
fn recording() -> PerfData {
    PerfData::new()
        .event(0, 0)
        .event(1, 9)
        .mmap(u32::MAX, (0xf000, 0x1000, 0), "[kernel.kallsyms]_text")
        .mmap2(70, (0x1000, 0x800, 0x200), "/bin/app")
        .comm((70, 71), "worker", 0)
        .sample(&sample(100, 3_000, 10, &[USER, 0x1010, 0x1101]))
        .sample(&sample(100, 2_000, 5, &[KERNEL, 0xf010, USER, 0x1101, 0x9999]))
        .sample(&sample(101, 4_000, 7, &[]))
        .os_release("6.1")
        .cmdline(&["perf", "record"])
        .event_names(&["cycles", "faults"])
}

/// Frames of the samples: mapping and address in it, the outermost first.
const FRAMES: &str = "WITH RECURSIVE stack(id, next, frames) AS ( \
    SELECT c.id, c.parent_id, m.name || '+' || rel_pc FROM stack_profile_callsite c \
    JOIN stack_profile_frame f ON f.id = c.frame_id \
    JOIN stack_profile_mapping m ON m.id = f.mapping \
    UNION ALL SELECT stack.id, c.parent_id, m.name || '+' || rel_pc || ' ' || frames FROM stack \
    JOIN stack_profile_callsite c ON c.id = stack.next \
    JOIN stack_profile_frame f ON f.id = c.frame_id \
    JOIN stack_profile_mapping m ON m.id = f.mapping) \
    SELECT s.ts, tid, s.cpu, s.cpu_mode, frames FROM perf_sample s \
    JOIN thread USING (utid) LEFT JOIN stack ON stack.id = s.callsite_id AND next IS NULL \
    ORDER BY s.ts";

/// Addresses of callers lie behind the call: 0x1101 becomes 0x1100, which is 0x300 = 768 in the
/// file. 0x9999 is in no mapping: as a caller it is 0x9998 = 39320. 0x1010 is 0x210 = 528.
const FRAME_ROWS: &str = "\
ts    tid  cpu  cpu_mode  frames
2000  71   2    user      +39320 /bin/app+768 [kernel.kallsyms]_text+16
3000  71   2    user      /bin/app+768 /bin/app+528
4000  71   2    user      +0
";

/// The counter of an event grows by the period of each of its samples.
const COUNTERS: &str = "SELECT ts, t.name, t.cpu, value, is_timebase FROM counter c \
    JOIN perf_counter_track t ON c.track_id = t.id ORDER BY ts";

fn assert_rows(trace: &Imported) {
    assert_eq!(trace.rows(FRAMES), FRAME_ROWS);
    let rows = [
        ["2000", "cycles", "2", "5.0", "1"],
        ["3000", "cycles", "2", "15.0", "1"],
        ["4000", "faults", "2", "7.0", "1"],
    ];
    assert_eq!(trace.cells(COUNTERS), rows);
    let sessions = trace.cells("SELECT DISTINCT cmdline FROM perf_session");
    assert_eq!(sessions, [["perf record"]]);
    let threads = "SELECT tid, thread.name, pid FROM thread JOIN process USING (upid) \
        WHERE tid != 0 ORDER BY tid";
    assert_eq!(trace.cells(threads), [["70", "NULL", "70"], ["71", "worker", "70"]]);
    let release = "SELECT str_value FROM metadata WHERE name = 'system_release'";
    assert_eq!(trace.cell(release), "6.1");
    // The clock that the events were asked to use.
    assert_eq!(kind_and_clock(trace), ("perf".to_owned(), vec![vec!["3".to_owned()]]));
    let build_id = "SELECT build_id FROM stack_profile_mapping WHERE name = '/bin/app'";
    assert_eq!(trace.cell(build_id), "0102030405060708090a0b0c0d0e0f1011121314");
    let dummy = "SELECT value FROM stats WHERE name = 'perf_dummy_mapping_used'";
    assert_eq!(trace.cell(dummy), "2", "0x9999, and the address 0 of a sample without a chain");
    assert_eq!(trace.cells("SELECT start_ts, end_ts FROM trace_bounds"), [["2000", "4000"]]);
}

#[test]
fn a_file() {
    assert_rows(&Imported::file(recording().file()));
}

#[test]
fn a_pipe() {
    assert_rows(&Imported::file(recording().pipe()));
}

#[test]
fn compressed_records() {
    assert_rows(&Imported::file(recording().compressed().file()));
    assert_rows(&Imported::file(recording().compressed_with_length().file()));
}

/// What is counted of recordings of perf.
const PERF_STATS: &str = "SELECT name, idx, value FROM stats \
    WHERE value != 0 AND name LIKE 'perf_%' ORDER BY name, idx";

/// Process 70 was there before the recording, with thread 71, which creates thread 72. Process 80
/// is created twice; the first runs another program. Each event reports a fork and an exit, and the
/// kernel may take samples of a task that has reported its end.
#[test]
fn forks_and_exits() {
    let at = |time| PerfSample { task: (80, 80), ..sample(100, time, 1, &[USER, 0x1010]) };
    let recording = PerfData::new()
        .event(0, 0)
        .comm((70, 70), "parent", 0)
        .mmap(70, (0x1000, 0x800, 0x200), "/bin/app")
        .fork((70, 71), (70, 70), 0)
        .comm((70, 71), "worker", 0)
        .fork((70, 72), (70, 71), 1_000)
        .fork((80, 80), (70, 70), 2_000)
        .fork((80, 80), (70, 70), 2_001)
        .sample(&at(2_500))
        .exec(80, "child", 3_000)
        .sample(&at(3_500))
        .exit((80, 80), (70, 70), 4_000)
        .exit((80, 80), (70, 70), 4_001)
        .sample(&at(4_002))
        .exit((70, 72), (70, 71), 5_000)
        .exit((70, 70), (1, 1), 6_000)
        .fork((80, 80), (70, 70), 7_000)
        .sample(&at(7_500));
    for file in [recording.file(), recording.pipe(), recording.clone().compressed().file()] {
        let trace = Imported::file(file);
        let threads = "SELECT tid, thread.name, pid, thread.start_ts, thread.end_ts \
            FROM thread JOIN process USING (upid) WHERE tid != 0 ORDER BY tid, thread.start_ts";
        // Process 70 has no end, as its start is not recorded.
        assert_eq!(
            trace.cells(threads),
            [
                ["70", "parent", "70", "NULL", "NULL"],
                ["71", "worker", "70", "NULL", "NULL"],
                ["72", "worker", "70", "1000", "5000"],
                ["80", "child", "80", "2000", "4000"],
                ["80", "parent", "80", "7000", "NULL"],
            ]
        );
        let processes = "SELECT p.pid, p.name, p.start_ts, p.end_ts, q.pid AS parent \
            FROM process p LEFT JOIN process q ON p.parent_upid = q.upid WHERE p.pid != 0 \
            ORDER BY p.pid, p.start_ts";
        assert_eq!(
            trace.cells(processes),
            [
                ["70", "parent", "NULL", "NULL", "NULL"],
                ["80", "child", "2000", "4000", "70"],
                ["80", "parent", "7000", "NULL", "70"],
            ]
        );
        let samples = "SELECT s.ts, thread.start_ts, m.name, f.rel_pc FROM perf_sample s \
            JOIN thread USING (utid) JOIN stack_profile_callsite c ON c.id = s.callsite_id \
            JOIN stack_profile_frame f ON f.id = c.frame_id \
            JOIN stack_profile_mapping m ON m.id = f.mapping ORDER BY s.ts";
        // A new process has the mappings of its parent, where 0x1010 is 0x210 = 528 in the file,
        // until it runs another program.
        assert_eq!(
            trace.cells(samples),
            [
                ["2500", "2000", "/bin/app", "528"],
                ["3500", "2000", "", "4112"],
                ["4002", "2000", "", "4112"],
                ["7500", "7000", "/bin/app", "528"],
            ]
        );
        assert_eq!(trace.cells(PERF_STATS), [["perf_dummy_mapping_used", "NULL", "2"]]);
    }
}

/// Kinds of records that are in ordinary recordings.
#[test]
fn records_that_are_no_rows() {
    let words = |words: &[u64]| words.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<u8>>();
    let mut recording = PerfData::new().event(0, 0);
    for kind in [5, 6, 12, 16, 17, 18, 19, 20, 21, 65, 68, 69, 73, 74, 75, 79, 82, 84] {
        recording = recording.record(kind, 0, &[0; 24]);
    }
    // Samples that a filter of the recorder left out are no loss.
    recording = recording.record(13, 1 << 15, &words(&[5]));
    let trace = Imported::file(recording.file());
    assert!(trace.cells(PERF_STATS).is_empty(), "{}", trace.rows(PERF_STATS));
    // A piece of a hardware trace that was cut, has gaps and overwrote another.
    let recording = recording
        .record(14, 0, &[0; 24])
        .record(71, 0, &[0; 40])
        .record(70, 0, &words(&[1]))
        .record(71, 0, &[0; 40])
        .record(11, 0, &words(&[0, 64, 1 << 0 | 1 << 2 | 1 << 3]));
    let rows = [
        ["perf_aux_collision", "NULL", "1"],
        ["perf_aux_partial", "NULL", "1"],
        ["perf_aux_truncated", "NULL", "1"],
        ["perf_auxtrace_missing", "NULL", "1"],
        ["perf_unknown_aux_data", "1", "1"],
        ["perf_unknown_record_type", "14", "1"],
    ];
    assert_eq!(Imported::file(recording.file()).cells(PERF_STATS), rows);
}

#[test]
fn unknown_and_damaged_records_are_counted() {
    let recording = PerfData::new()
        .event(0, 0)
        .record(60, 0, &[0; 24])
        .record(4, 0, &[0; 8])
        .lost(12, 1_500, 2)
        .record(9, 2, &[0; 8])
        .record(68, 0, &[])
        .sample(&sample(100, 2_000, 5, &[USER, 0x10]));
    let mut file = recording.feature(9, vec![0; 4]).file();
    let trace = Imported::file(&file);
    let rows = [
        ["perf_cpu_lost_records", "2", "12"],
        ["perf_dummy_mapping_used", "NULL", "1"],
        ["perf_features_skipped", "9", "1"],
        ["perf_record_skipped", "4", "1"],
        ["perf_record_skipped", "60", "1"],
        ["perf_samples_skipped", "NULL", "1"],
        ["perf_unknown_record_type", "60", "1"],
    ];
    assert_eq!(trace.cells(PERF_STATS), rows);
    // A recorder that was killed leaves a file without the size of its records.
    file[48..56].fill(0);
    let trace = Imported::file(&file);
    assert_eq!(trace.cell("SELECT count(*) FROM perf_sample"), "1");
}

#[test]
fn a_file_that_was_cut() {
    let file = PerfData::new()
        .event(0, 0)
        .comm((70, 71), "worker", 0)
        .sample(&sample(100, 2_000, 5, &[USER, 0x10]))
        .file();
    let trace = Imported::file(&file[..file.len() - 8]);
    assert_eq!(trace.cell("SELECT count(*) FROM perf_sample"), "0");
    assert!(trace.rows(STATS).contains("trace_truncated_bytes"));
    let message = refused(&[("a.data", b"PERFILE2\x68")]);
    assert!(message.contains("a.data: byte 8: the header of the file is damaged"), "{message}");
}

/// Hidden addresses of the kernel are 0, for all of its modules.
#[test]
fn mappings_without_a_size_are_left_out() {
    let file = PerfData::new()
        .event(0, 0)
        .mmap(u32::MAX, (0, 0, 0), "[kernel.kallsyms]_text")
        .mmap(u32::MAX, (0, 0, 0), "/lib/modules/a.ko")
        .mmap(u32::MAX, (0, u64::MAX, 0), "/lib/modules/b.ko")
        .file();
    let trace = Imported::file(file);
    let names = trace.cells("SELECT name FROM stack_profile_mapping ORDER BY id");
    assert_eq!(names, [["[kernel.kallsyms]_text"], ["/lib/modules/b.ko"]]);
}

/// Build ids that stand apart from mappings are of a path in a process, or in any. One without a
/// length has 20, 16 or 8 bytes, of which the last are not 0.
#[test]
fn build_ids_of_paths() {
    let recording = PerfData::new()
        .event(0, 0)
        .mmap(70, (0x1000, 0x800, 0), "/bin/app")
        .mmap(71, (0x1000, 0x800, 0), "/bin/app")
        .mmap(70, (0x2000, 0x800, 0), "/lib/a.so")
        .mmap(70, (0x3000, 0x800, 0), "/lib/b.so")
        .mmap(70, (0x4000, 0x800, 0), "/lib/c.so")
        .build_id(-1, &[1; 20], true, "/bin/app")
        .build_id(71, &[2; 4], true, "/bin/app")
        .build_id(-1, &[3; 16], false, "/lib/a.so")
        .build_id(-1, &[4; 8], false, "/lib/b.so");
    for file in [recording.file(), recording.pipe()] {
        let trace = Imported::file(file);
        let ids = trace.cells("SELECT name, build_id FROM stack_profile_mapping ORDER BY id");
        assert_eq!(
            ids,
            [
                ["/bin/app", "01".repeat(20).as_str()],
                ["/bin/app", "02020202"],
                ["/lib/a.so", "03".repeat(16).as_str()],
                ["/lib/b.so", "04".repeat(8).as_str()],
                ["/lib/c.so", ""],
            ]
        );
        assert!(trace.cells(PERF_STATS).is_empty(), "{}", trace.rows(PERF_STATS));
    }
}

/// Call stacks that have to be found in copies of memory are not; each such sample is counted.
#[test]
fn copies_of_stacks_are_counted() {
    let file = PerfData::new()
        .event_with_stacks(0, 0)
        .sample(&sample(100, 2_000, 5, &[USER, 0x10]))
        .sample(&sample(100, 3_000, 5, &[USER, 0x10]))
        .file();
    let trace = Imported::file(file);
    assert_eq!(trace.cell("SELECT count(*) FROM perf_sample"), "2");
    let unread = "SELECT idx, value FROM stats WHERE name = 'format_records_not_read'";
    assert_eq!(trace.cells(unread), [[(1 << 13).to_string().as_str(), "2"]]);
}

/// Simpleperf states the names of functions. Those of a binary are by addresses of its symbols: its
/// code lies at 0x100 more than its place in the file. Those of the kernel are by its addresses.
#[test]
fn functions_of_simpleperf() {
    let symbol = |address, len, name: &str| {
        Message::new().uint(1, address).uint(2, len).bytes(3, name.as_bytes())
    };
    let app = Message::new()
        .bytes(1, "/bin/app")
        .uint(2, 2)
        .uint(3, 0x1100)
        .message(4, symbol(0x310, 0x10, "work"))
        .message(4, symbol(0x400, 0x80, "main"))
        .message(6, Message::new().uint(1, 0x1000));
    let kernel =
        Message::new().bytes(1, "[kernel.kallsyms]").message(4, symbol(0xf000, 0x20, "idle"));
    let mut files = Vec::new();
    for file in [app, kernel] {
        files.extend((file.as_bytes().len() as u32).to_le_bytes());
        files.extend(file.as_bytes());
    }
    let file = PerfData::new()
        .event(0, 0)
        .event(0, 7)
        .mmap(u32::MAX, (0xf000, 0x1000, 0), "[kernel.kallsyms]_text")
        .mmap(70, (0x1000, 0x800, 0x200), "/bin/app")
        .sample(&sample(100, 2_000, 5, &[KERNEL, 0xf010, USER, 0x1010, 0x1100, 0x1700]))
        .feature(129, b"event_type_info\0cycles,0,0\nfaults,0,7\0".to_vec())
        .feature(132, files)
        .file();
    let trace = Imported::file(file);
    let frames = "SELECT name FROM stack_profile_frame ORDER BY id";
    // 0x1700 is 0xa00 among the addresses of symbols, where there is none. Simpleperf corrects the
    // addresses of callers itself, so 0x1100 stays as it is.
    assert_eq!(trace.cells(frames), [[""], ["main"], ["work"], ["idle"]]);
    assert_eq!(trace.cells("SELECT name FROM track"), [["cycles"]]);
    let skipped = "SELECT count(*) FROM stats WHERE name = 'perf_features_skipped'";
    assert_eq!(trace.cell(skipped), "0");
}

/// A sample of event `index` from thread `tid`, at a time on a CPU.
fn traced(index: u64, tid: u32, time: u64, cpu: u32) -> PerfSample {
    PerfSample { event: 100 + index, task: (tid, tid), time, cpu, period: 1, chain: Vec::new() }
}

/// The tracepoints of a switch and of a probe, with their formats.
fn tracepoints() -> PerfData {
    let formats = trace_cmd::recording("perf").tracing_data();
    PerfData::new().tracepoint(SWITCH).tracepoint(PROBE).formats(formats)
}

const EVENTS: &str = "SELECT ts, cpu, f.name, tid FROM ftrace_event f JOIN thread USING (utid) \
    ORDER BY ts";
const SCHED: &str = "SELECT ts, dur, cpu, tid, thread.name, end_state, priority FROM sched \
    JOIN thread USING (utid) ORDER BY ts";

/// Thread 70 runs on CPU 0 from 1,000 to 1,100, when it sleeps. The records of CPU 1 come first.
#[test]
fn events_of_the_kernels_tracer() {
    let recording = tracepoints()
        .traced(&traced(1, 80, 1_050, 1), PROBE, &probe(-3, "hello"))
        .traced(&traced(0, 0, 1_000, 0), SWITCH, &switch(("swapper/0", 0), 0, ("worker", 70)))
        .traced(&traced(0, 70, 1_100, 0), SWITCH, &switch(("worker", 70), 1, ("swapper/0", 0)));
    for file in [recording.file(), recording.pipe(), recording.clone().compressed().file()] {
        let trace = Imported::file(file);
        assert_eq!(
            trace.rows(EVENTS),
            "\
ts    cpu  name          tid
1000  0    sched_switch  0
1050  1    my_probe      80
1100  0    sched_switch  70
"
        );
        assert_eq!(
            trace.rows(SCHED),
            "\
ts    dur  cpu  tid  name     end_state  priority
1000  100  0    70   worker   S          100
1100  -1   0    0    swapper  NULL       100
"
        );
        let args = "SELECT key, coalesce(string_value, CAST(int_value AS TEXT)) \
            FROM ftrace_event f JOIN args USING (arg_set_id) WHERE f.name = 'my_probe' \
            ORDER BY key";
        assert_eq!(trace.cells(args), [["list", "8"], ["text", "hello"], ["value", "-3"]]);
        // They are samples as well.
        assert_eq!(trace.cell("SELECT count(*) FROM perf_sample"), "3");
        let idle = "SELECT count(*) FROM thread WHERE tid = 0";
        assert_eq!(trace.cell(idle), "1");
        let lost = trace.rows(STATS);
        assert!(!lost.contains("skipped") && !lost.contains("error"), "{lost}");
    }
}

/// A recording of one thread has only the switches from it. What runs afterwards, and for how long,
/// is not known.
#[test]
fn switches_of_some_threads_are_no_sched_slices() {
    let from = |time, to| {
        let fields = switch(("worker", 70), 1, ("other", to));
        (traced(0, 70, time, 0), fields)
    };
    let recording = [from(1_000, 81), from(2_000, 82), from(3_000, 83)]
        .iter()
        .fold(tracepoints(), |recording, (sample, fields)| {
            recording.traced(sample, SWITCH, fields)
        });
    let trace = Imported::file(recording.file());
    assert_eq!(trace.cell("SELECT count(*) FROM sched"), "0");
    let next = "SELECT ts, f.name, int_value FROM ftrace_event f JOIN args USING (arg_set_id) \
        WHERE key = 'next_pid' ORDER BY ts";
    assert_eq!(
        trace.cells(next),
        [
            ["1000", "sched_switch", "81"],
            ["2000", "sched_switch", "82"],
            ["3000", "sched_switch", "83"]
        ]
    );
}
