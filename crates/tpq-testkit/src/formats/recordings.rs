//! Recordings of perf and trace-cmd.

use crate::{KernelPage, Message, PerfData, PerfSample, TraceCmd};

/// Numbers of events of the kernel's tracer.
const SWITCH: u16 = 316;
const MARKER: u16 = 5;

pub(super) fn perf_data() -> PerfData {
    let chain = vec![512_u64.wrapping_neg(), 0x1010, 0x1101, 128_u64.wrapping_neg(), 0xf010];
    let sample = PerfSample { event: 100, task: (70, 71), time: 3_000, cpu: 2, period: 10, chain };
    PerfData::new()
        .event(0, 0)
        .event(1, 1)
        .mmap(u32::MAX, (0xf000, 0x1000, 0), "[kernel.kallsyms]_text")
        .mmap2(70, (0x1000, 0x800, 0x200), "/bin/app")
        .comm((70, 71), "worker", 5)
        .fork((80, 80), (70, 71), 6)
        .exec(80, "child", 7)
        .exit((80, 80), (70, 71), 8)
        .record(11, 0, &[[1_u8; 24].as_slice(), &[0; 40]].concat())
        .record(70, 0, &[1; 8])
        .sample(&sample)
        .lost(3, 3_500, 1)
        .os_release("6.1")
        .cmdline(&["perf"])
        .event_names(&["cycles", "faults"])
}

/// Tracepoints with their formats.
pub(super) fn perf_tracepoints() -> PerfData {
    let sample = |event, tid, time| {
        let (task, chain) = ((tid, tid), vec![0x1010]);
        PerfSample { event, task, time, cpu: 1, period: 1, chain }
    };
    PerfData::new()
        .tracepoint(SWITCH)
        .tracepoint(MARKER)
        .formats(trace_cmd().tracing_data())
        .traced(&sample(100, 0, 1_000), SWITCH, &switch(0, 1))
        .traced(&sample(101, 1, 1_050), MARKER, &marker())
        .traced(&sample(100, 1, 1_100), SWITCH, &switch(1, 0))
}

/// Binaries with their symbols, and build ids.
pub(super) fn perf_simpleperf() -> PerfData {
    let symbol = Message::new().uint(1, 0x210).uint(2, 0x20).bytes(3, "work");
    let binary = Message::new()
        .bytes(1, "/bin/app")
        .uint(2, 2)
        .uint(3, 0x1000)
        .message(4, symbol)
        .message(6, Message::new().uint(1, 0x1000));
    let size = (binary.as_bytes().len() as u32).to_le_bytes();
    perf_data()
        .build_id(-1, &[1; 20], true, "[kernel.kallsyms]_text")
        .build_id(70, &[2; 8], false, "/bin/app")
        .feature(129, b"event_type_info\0cycles,0,0\nfaults,1,1\0".to_vec())
        .feature(132, [&size[..], binary.as_bytes()].concat())
}

/// A switch between two threads.
fn switch(from: i32, to: i32) -> Vec<u8> {
    let name = |tid: i32| [&[b'a'; 8][..], &[b'0' + tid as u8], &[0; 7]].concat();
    let numbers = |tid: i32| [tid, 120].map(i32::to_le_bytes).concat();
    [name(from), numbers(from), 1_i64.to_le_bytes().to_vec(), name(to), numbers(to)].concat()
}

fn marker() -> Vec<u8> {
    [&0_u64.to_le_bytes()[..], b"B|80|work\n\0"].concat()
}

pub(super) fn trace_cmd() -> TraceCmd {
    TraceCmd::new("boot")
        .format(
            "sched_switch",
            316,
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
        .format("print", 5, &[("unsigned long ip", 8, 8, false), ("char buf[]", 16, 0, false)])
        .format("my_probe", 9, &[("__data_loc char[] text", 8, 4, true), ("u8 x", 12, 1, false)])
        .kallsyms("000000000000ff00 T wait_long\n")
        .cmdlines("1 worker\n")
        .option(5, b"Linux host 6.1.0 #1 SMP x86_64\0")
        .option(2, b"CPU: 1\nentries: 2\noverrun: 3\ndropped events: 4\n\0")
        .page(
            0,
            KernelPage::new(1_000).event(10, 316, 0, &switch(0, 1)).event(9, 316, 1, &switch(1, 0)),
        )
        .page(1, KernelPage::new(900).skip(1 << 28).event(5, 5, 2, &marker()))
        .page(1, KernelPage::new(500_000_000).missed().event(1, 9, 2, &[13, 0, 2, 0, 7, b'x', 0]))
}
