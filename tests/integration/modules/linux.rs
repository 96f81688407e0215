//! `linux.*`

use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, ProcessTree, TraceBuilder};

use super::{APP_TRACK, lines, scene, slice};
use crate::imported::Imported;

fn kernel(events: impl IntoIterator<Item = FtraceEvent>) -> Imported {
    let bundle = events.into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let end = Packet::new().sequence(1).timestamp(100).process_tree(ProcessTree::new());
    Imported::trace(
        TraceBuilder::new().packet(Packet::new().sequence(1).ftrace(bundle)).packet(end),
    )
}

fn event(at: u64, field: u32, payload: Message) -> FtraceEvent {
    FtraceEvent::other(at, 101, field, payload)
}

#[test]
fn threads_of_the_kernel() {
    let tree = ProcessTree::new()
        .process(1, 0, &["/sbin/init"], 0)
        .process(2, 0, &["kthreadd"], 0)
        .process(3, 2, &["kworker/0:0"], 0)
        .process(4, 1, &["sh"], 0);
    let packet = Packet::new().sequence(1).timestamp(10).process_tree(tree);
    let trace = Imported::trace(TraceBuilder::new().packet(packet));
    let sql = "SELECT pid, tid, process_name FROM linux_kernel_threads ORDER BY pid";
    assert_eq!(lines(&trace, "linux.threads", sql), ["2 2 kthreadd", "3 3 kworker/0:0"]);
}

#[test]
fn interrupts() {
    let trace = kernel([
        event(10, 36, Message::new().int(1, 9).bytes(2, "acpi")),
        event(12, 37, Message::new().int(1, 9).int(2, 1)),
        event(30, 24, Message::new().uint(1, 7)),
        event(35, 25, Message::new().uint(1, 7)),
    ]);
    let rows = |view: &str| {
        lines(&trace, "linux.irqs", &format!("SELECT ts, dur, name FROM {view} ORDER BY ts"))
    };
    assert_eq!(rows("linux_hard_irqs"), ["10 2 IRQ (acpi)"]);
    assert_eq!(rows("linux_soft_irqs"), ["30 5 SCHED"]);
    let sql = "SELECT ts, is_soft_irq, parent_id FROM linux_irqs ORDER BY ts";
    assert_eq!(lines(&trace, "linux.irqs", sql), ["10 0 NULL", "30 1 NULL"]);
}

/// The number of a disk has its driver's number in the bits from 8 on, and its own in those below
/// and above: 271647493 is 10310305 in hexadecimal digits, of which 103 are the driver's.
#[test]
fn work_for_disks() {
    let request =
        |at, field, sector| event(at, field, Message::new().uint(1, 0x80_0010).uint(2, sector));
    let trace = kernel([request(10, 546, 8), request(30, 547, 8)]);
    let sql = "SELECT ts, ops_in_queue_or_device, dev \
        FROM linux_active_block_io_operations_by_device ORDER BY ts";
    assert_eq!(lines(&trace, "linux.block_io", sql), ["10 1 8388624", "30 0 8388624"]);
    let sql = "SELECT linux_device_major_id(271647493), linux_device_minor_id(271647493)";
    assert_eq!(lines(&trace, "linux.block_io", sql), ["259 66309"]);
}

#[test]
fn sleep_of_cpus() {
    let idle = |at, state| event(at, 13, Message::new().uint(1, state).uint(2, 0));
    let trace = kernel([idle(10, 1), idle(40, 0xffff_ffff), idle(50, 1), idle(60, 0)]);
    let sql = "SELECT ts, dur, idle, cpu FROM cpu_idle_counters ORDER BY ts";
    assert_eq!(
        lines(&trace, "linux.cpu.idle", sql),
        ["10 30 1 0", "40 10 -1 0", "50 10 1 0", "60 0 0 0"]
    );
    let sql = "SELECT * FROM cpu_idle_stats ORDER BY state";
    assert_eq!(lines(&trace, "linux.cpu.idle_stats", sql), ["0 1 1 0 0 0.0", "0 2 2 40 20 80.0"]);
}

/// Two readings 1 ms apart of a CPU: 200 µs in C1 and 300 in C6 leave 500 awake.
#[test]
fn sleep_of_cpus_as_the_system_adds_it_up() {
    let poll = |at: u64, shallow, deep| {
        let named = |name: &str, value| Message::new().bytes(1, name).uint(2, value);
        let state = Message::new()
            .uint(1, 2)
            .message(2, named("C1", shallow))
            .message(2, named("C6", deep));
        Packet::new().sequence(1).timestamp(at).payload(7, Message::new().message(16, state))
    };
    let trace = TraceBuilder::new().packets([poll(1_000_000, 10, 20), poll(2_000_000, 210, 320)]);
    let trace = Imported::trace(trace);
    let sql = "SELECT ts, state, cpu, idle_percentage, total_residency, time_slice \
        FROM linux_per_cpu_idle_time_in_state_counters ORDER BY state";
    let module = "linux.cpu.idle_time_in_state";
    assert_eq!(
        lines(&trace, module, sql),
        [
            "2000000 C0 2 50.0 500.0 1000",
            "2000000 C1 2 20.0 200.0 1000",
            "2000000 C6 2 30.0 300.0 1000",
        ]
    );
    let sql = "SELECT ts, state, idle_percentage, total_residency, time_slice \
        FROM linux_cpu_idle_time_in_state_counters ORDER BY state";
    assert_eq!(
        lines(&trace, module, sql),
        ["2000000 C0 50.0 500.0 1000", "2000000 C1 20.0 200.0 1000", "2000000 C6 30.0 300.0 1000",]
    );
}

#[test]
fn frequencies_of_cpus_and_devices() {
    let sql = "SELECT ts, dur, freq, ucpu, cpu FROM cpu_frequency_counters ORDER BY ts";
    // The trace ends at 100 µs.
    assert_eq!(
        lines(&scene(&[]), "linux.cpu.frequency", sql),
        ["5000 55000 1000 0 0", "60000 40000 2000 0 0"]
    );
    let clock = |name: &str, khz| Message::new().bytes(1, name).uint(2, khz);
    let trace = kernel([
        event(40, 541, clock("17000010.devfreq_dsu", 845_000)),
        event(50, 541, clock("17000010.devfreq_mif", 300)),
        event(60, 541, clock("17000010.devfreq_dsu", 900_000)),
    ]);
    let sql = "SELECT ts, dur, dsu_freq FROM linux_devfreq_dsu_counter ORDER BY ts";
    assert_eq!(lines(&trace, "linux.devfreq", sql), ["40 20 845000", "60 0 900000"]);
}

/// Up to 40 µs the main thread runs for 20 and the worker for 20, of which 10 lie before 40: what
/// it runs after that counts nowhere. From 40 to 80 the main thread runs for 30, from 80 on the
/// worker for 20.
#[test]
fn shares_of_periods() {
    let trace = scene(&[]);
    let sql = "SELECT * FROM cpu_utilization_per_period(40000) ORDER BY ts";
    assert_eq!(
        lines(&trace, "linux.cpu.utilization.system", sql),
        ["0 0.75 0.75", "40000 0.75 0.75", "80000 0.5 0.5"]
    );
    let sql = "SELECT ts, round(utilization * 1000000, 3) FROM cpu_utilization_per_second";
    assert_eq!(lines(&trace, "linux.cpu.utilization.system", sql), ["0 90.0"]);
    let thread = |tid: u32, function: &str| {
        let sql = format!(
            "SELECT f.ts, f.utilization FROM thread t JOIN {function}(40000, t.utid) f \
             WHERE t.tid = {tid} ORDER BY f.ts"
        );
        lines(&trace, "linux.cpu.utilization.thread", &sql)
    };
    assert_eq!(thread(100, "cpu_thread_utilization_per_period"), ["0 0.5", "40000 0.75"]);
    assert_eq!(thread(101, "cpu_thread_utilization_per_period"), ["0 0.25", "80000 0.5"]);
    let sql = "SELECT round(f.utilization * 1000000, 3) FROM thread t \
        JOIN cpu_thread_utilization_per_second(t.utid) f WHERE t.tid = 101";
    assert_eq!(lines(&trace, "linux.cpu.utilization.thread", sql), ["40.0"]);
    let sql = "SELECT f.ts, f.unnormalized_utilization FROM process p \
        JOIN cpu_process_utilization_per_period(40000, p.upid) f WHERE p.pid = 100 ORDER BY f.ts";
    assert_eq!(
        lines(&trace, "linux.cpu.utilization.process", sql),
        ["0 0.75", "40000 0.75", "80000 0.5"]
    );
    let sql = "SELECT round(f.utilization * 1000000, 3) FROM process p \
        JOIN cpu_process_utilization_per_second(p.upid) f WHERE p.pid = 100";
    assert_eq!(lines(&trace, "linux.cpu.utilization.process", sql), ["90.0"]);
}

/// The main thread runs 30 µs at 1,000 kHz and 20 at 2,000, the worker 20 at each: a cycle in a
/// thousandth is a kHz for a microsecond, so 70,000 and 60,000 of them.
#[test]
fn cycles() {
    let trace = scene(&[]);
    let columns = "millicycles, megacycles, runtime, min_freq, max_freq, avg_freq";
    let threads = format!(
        "SELECT tid, {columns} FROM cpu_cycles_per_thread JOIN thread USING (utid) ORDER BY tid"
    );
    let of_threads = ["100 70000 0 50000 1000 2000 1400", "101 60000 0 40000 1000 2000 1500"];
    assert_eq!(lines(&trace, "linux.cpu.utilization.thread", &threads), of_threads);
    let both =
        threads.replace("per_thread", "per_thread_per_cpu").replace("tid,", "tid, ucpu, cpu,");
    let of_both = of_threads.map(|line| line.replacen(' ', " 0 0 ", 1));
    assert_eq!(lines(&trace, "linux.cpu.utilization.thread_cpu", &both), of_both);
    let all = "130000 0 90000 1000 2000 1444";
    let sql = format!("SELECT {columns} FROM cpu_cycles");
    assert_eq!(lines(&trace, "linux.cpu.utilization.system", &sql), [all]);
    let sql = format!("SELECT ucpu, cpu, {columns} FROM cpu_cycles_per_cpu");
    assert_eq!(lines(&trace, "linux.cpu.utilization.system", &sql), [format!("0 0 {all}")]);
    let sql =
        format!("SELECT pid, {columns} FROM cpu_cycles_per_process JOIN process USING (upid)");
    assert_eq!(lines(&trace, "linux.cpu.utilization.process", &sql), [format!("100 {all}")]);
}

/// From 55 to 90 µs the main thread runs for 5 at 1,000 kHz and for 20 at 2,000, the worker for 10
/// at 2,000. Clocks were not read, so nothing says that the system was not suspended.
#[test]
fn cycles_within_an_interval() {
    let trace = scene(&[]);
    let columns = "millicycles, megacycles, runtime, min_freq, max_freq, avg_freq";
    let rows = |module: &str, key: &str, function: &str, join: &str| {
        let sql = format!(
            "SELECT {key}{columns} FROM {function}(55000, 35000) AS f {join} ORDER BY runtime DESC"
        );
        lines(&trace, &format!("linux.cpu.utilization.{module}"), &sql)
    };
    let threads = "JOIN thread USING (utid)";
    let of_threads = ["100 45000 0 25000 1000 2000 1800", "101 20000 0 10000 2000 2000 2000"];
    assert_eq!(rows("thread", "tid, ", "cpu_cycles_per_thread_in_interval", threads), of_threads);
    assert_eq!(
        rows("thread_cpu", "tid, ", "cpu_cycles_per_thread_per_cpu_in_interval", threads),
        of_threads
    );
    let all = "65000 0 35000 1000 2000 1857";
    assert_eq!(rows("system", "", "cpu_cycles_in_interval", ""), [all]);
    assert_eq!(rows("system", "", "cpu_cycles_per_cpu_in_interval", ""), [all]);
    assert_eq!(rows("process", "", "cpu_cycles_per_process_in_interval", ""), [all]);
}

#[test]
fn cycles_within_slices() {
    let trace = scene(&[slice(APP_TRACK, 55, 70, "runs")]);
    let sql = "SELECT name, millicycles FROM cpu_cycles_per_thread_slice";
    assert_eq!(lines(&trace, "linux.cpu.utilization.slice", sql), ["runs 25000"]);
}

#[test]
fn time_that_went_to_freeing_memory() {
    use super::{APP, IDLE};
    let daemon = tpq_testkit::Task::new("kswapd0", 50);
    let trace = kernel([
        FtraceEvent::sched_switch(10, IDLE, 0, daemon),
        FtraceEvent::sched_switch(13, daemon, 1, APP),
        FtraceEvent::sched_switch(20, APP, 0, daemon),
        FtraceEvent::sched_switch(22, daemon, 1, IDLE),
    ]);
    // A state without an end counts with its -1 ns.
    let sql = "SELECT * FROM cpu_sched_time";
    assert_eq!(lines(&trace, "linux.cpu.sched_breakdown", sql), ["0 0 11"]);
    let sql = "SELECT * FROM linux_kswapd_cpu_breakdown";
    assert_eq!(lines(&trace, "linux.memory.kswapd", sql), ["0 0 11 5 45.45"]);
}

/// A process with counters that are read at 10, 20 and 40; the trace ends at 50.
fn memory() -> Imported {
    let poll = |at: u64, process: Message| {
        let stats = Message::new().message(1, process.uint(1, 7));
        Packet::new().sequence(1).timestamp(at).payload(9, stats)
    };
    let end = Packet::new().sequence(1).timestamp(50).process_tree(ProcessTree::new());
    let trace = TraceBuilder::new().packets([
        poll(10, Message::new().uint(4, 1).uint(5, 2)),
        poll(20, Message::new().uint(4, 5).uint(6, 1)),
        poll(40, Message::new().uint(4, 2).uint(7, 8)),
        end,
    ]);
    Imported::trace(trace)
}

/// A counter that is not read keeps its value; before it was read first it is unknown.
#[test]
fn memory_of_processes() {
    let sql = "SELECT ts, pid, anon_rss / 1024, file_rss / 1024, shmem_rss / 1024, rss / 1024, \
        swap / 1024, anon_rss_and_swap / 1024, rss_and_swap / 1024 \
        FROM memory_rss_and_swap_per_process ORDER BY ts";
    assert_eq!(
        lines(&memory(), "linux.memory.process", sql),
        ["10 7 1 2 NULL 3 NULL 1 3", "20 7 5 2 1 8 NULL 5 8", "40 7 2 2 1 5 8 10 13",]
    );
    let sql = "SELECT ts, rss_high_watermark / 1024 FROM memory_rss_high_watermark_per_process \
        ORDER BY ts";
    assert_eq!(lines(&memory(), "linux.memory.high_watermark", sql), ["10 3", "20 8", "40 8"]);
    let sql = "SELECT ts, dur, name, value / 1024 FROM _all_counters_per_process \
        WHERE name = 'mem.rss.anon' AND ts < 40 ORDER BY ts";
    assert_eq!(
        lines(&memory(), "linux.memory.general", sql),
        ["10 10 mem.rss.anon 1.0", "20 20 mem.rss.anon 5.0"]
    );
}

#[test]
fn the_journal() {
    let message = Message::new().uint(1, 20).uint(3, 1000).uint(5, 3).bytes(7, "failed");
    let message = message.bytes(8, "sshd").bytes(10, "ssh.service");
    let packet = Packet::new().sequence(1).timestamp(10).payload(132, message);
    let trace = Imported::trace(TraceBuilder::new().packet(packet));
    let sql = "SELECT ts, prio, msg, uid, comm, systemd_unit, hostname \
        FROM linux_systemd_journald_logs";
    assert_eq!(
        lines(&trace, "linux.systemd_journald", sql),
        ["10 3 failed 1000 sshd ssh.service NULL"]
    );
}

/// Older queries include modules by the names that these had.
#[test]
fn older_names() {
    let trace = scene(&[]);
    let sql = "SELECT ts, dur, freq, cpu FROM cpu_freq_counters ORDER BY ts";
    assert_eq!(lines(&trace, "cpu.freq", sql), ["5000 55000 1000 0", "60000 40000 2000 0"]);
    let sql = "SELECT count(*) FROM cpu_frequency_counters";
    assert_eq!(lines(&trace, "cpu.frequency", sql), ["2"]);
    let sql = "SELECT count(*) FROM cpu_utilization_per_period(40000)";
    assert_eq!(lines(&trace, "cpu.utilization.system", sql), ["3"]);
}
