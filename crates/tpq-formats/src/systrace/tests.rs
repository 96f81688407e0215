//! What lines of each kind of event come to. Times are in microseconds after a second.

use tpq_clock::Source;
use tpq_ingest::Sources;
use tpq_tables::StringId;
use tpq_tables::table::MachineRow;

use super::*;
use tpq_trackers::setup::{MachineInfo, Setup};

/// Lines, and what became of them.
struct Fixture {
    trackers: Trackers,
    tables: Tables,
    stats: Stats,
}

impl Fixture {
    fn of(lines: &[&str]) -> Self {
        let mut sources = Sources::default();
        sources.add(Source { machine: 0, file: 0 });
        let machines = vec![MachineInfo { raw_id: 0, name: None }];
        let setup = Setup { machines, sources, files: 1, ..Setup::default() };
        let mut tables = Tables::default();
        let mut trackers = Trackers::new(&setup, &mut tables);
        trackers.enter(0);
        tables.machine.push(MachineRow::default());
        trackers.processes.add_machine(0, &mut tables);
        trackers.processes.idle_is_zero(0, &mut tables);
        let mut fixture = Self { trackers, tables, stats: Stats::default() };
        for line in lines {
            fixture.line(line.as_bytes());
        }
        let open = fixture.trackers.open_args();
        fixture.trackers.close_args(&open, &mut fixture.tables);
        fixture.trackers.decide_counters(&mut fixture.tables);
        fixture.trackers.write_deferred(&mut fixture.tables);
        fixture
    }

    fn line(&mut self, line: &[u8]) {
        let ts = line_time(line).map_or(0, |ts| (ts - 1_000_000_000) / 1000);
        let Self { trackers, tables, stats } = self;
        decode_line(line, ts, 0, trackers, tables, stats);
    }

    fn text(&self, id: StringId) -> &str {
        self.tables.strings.get(id)
    }

    /// Each slice with its track's kind and its args.
    fn slices(&self) -> Vec<String> {
        let slice = &self.tables.slice;
        let show = |row| {
            let (ts, dur) = (slice.ts.get(row), slice.dur.get(row));
            let track = self.text(self.tables.track.track_type.get(slice.track_id.get(row)));
            let name = self.text(slice.name.get(row));
            let category = self.text(slice.category.get(row));
            let args = self.args(slice.arg_set_id.get(row).map(|number| number.0));
            format!("{ts}+{dur} {track} {category}:{name}{args}")
        };
        (0..slice.len()).map(show).collect()
    }

    fn args(&self, set: Option<u32>) -> String {
        let args = &self.tables.args;
        let rows = (0..args.len()).filter(|&row| Some(args.arg_set_id.get(row)) == set);
        let show = |row| {
            let text = args.string_value.get(row);
            let value = match args.int_value.get(row) {
                Some(value) => value.to_string(),
                None => self.text(text).to_owned(),
            };
            format!(" {}={value}", self.text(args.key.get(row)))
        };
        rows.map(show).collect()
    }

    /// Each counter value with its track's kind and name.
    fn counters(&self) -> Vec<String> {
        let counter = &self.tables.counter;
        let show = |row| {
            let track = counter.track_id.get(row);
            let kind = self.text(self.tables.track.track_type.get(track));
            let name = self.text(self.tables.track.name.get(track));
            format!("{} {kind} {name} {}", counter.ts.get(row), counter.value.get(row))
        };
        (0..counter.len()).map(show).collect()
    }

    /// What each thread did, and why it slept.
    fn states(&self) -> Vec<String> {
        let states = &self.tables.thread_state;
        let show = |row| {
            let tid = self.tables.thread.tid.get(states.utid.get(row));
            let state = self.text(states.state.get(row));
            let (ts, dur) = (states.ts.get(row), states.dur.get(row));
            let cpu = states.ucpu.get(row).map_or_else(String::new, |cpu| format!(" on {cpu}"));
            let function = self.text(states.blocked_function.get(row));
            let io = states.io_wait.get(row).map_or_else(String::new, |io| format!(" io {io}"));
            format!("{ts}+{dur} {tid} {state}{cpu}{io} {function}").trim_end().to_owned()
        };
        (0..states.len()).map(show).collect()
    }

    /// Each thread but the idle one: tid, pid and name.
    fn threads(&self) -> Vec<String> {
        let thread = &self.tables.thread;
        let show = |row| {
            let pid = thread.upid.get(row).map(|upid| self.tables.process.pid.get(upid));
            let pid = pid.map_or_else(|| "?".to_owned(), |pid| pid.to_string());
            format!("{} of {pid}: {}", thread.tid.get(row), self.text(thread.name.get(row)))
        };
        (1..thread.len()).map(show).collect()
    }

    fn failures(&self) -> i64 {
        self.stats.get(Stat::SystraceParseFailure)
    }
}

/// A line of thread 7 of process 5, on CPU 1.
fn at(us: u32, event: &str) -> String {
    format!("worker-7 (    5) [001] .... 1.{us:06}: {event}")
}

fn of(events: &[(u32, &str)]) -> Fixture {
    let lines: Vec<String> = events.iter().map(|&(us, event)| at(us, event)).collect();
    let fixture = Fixture::of(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(fixture.failures(), 0, "{lines:?}");
    fixture
}

fn slices(events: &[(u32, &str)]) -> Vec<String> {
    of(events).slices()
}

fn counters(events: &[(u32, &str)]) -> Vec<String> {
    of(events).counters()
}

#[test]
fn events_are_called_as_their_messages_are() {
    for &(name, field, _) in events::PAIRS {
        assert_eq!(tpq_proto::ftrace::event_kind(field).unwrap().name, name);
    }
}

#[test]
fn a_line_names_its_thread_and_process() {
    let fixture = Fixture::of(&[
        "<...>-7 (-----) [001] .... 1.0: nothing: x",
        "worker one-7 (-----) [001] .... 1.0: nothing: x",
        "<...>-7 (    5) [001] .... 1.0: nothing: x",
        "<idle>-0 (-----) [001] .... 1.0: nothing: x",
    ]);
    assert_eq!(fixture.threads(), ["7 of 5: worker one", "5 of 5: "]);
    assert_eq!(fixture.tables.thread.len(), 3, "the idle thread exists already");
    assert_eq!(fixture.text(fixture.tables.thread.name.get(0)), "swapper");
    assert_eq!(fixture.trackers.bounds.get(), None, "nothing happened");
    assert_eq!(fixture.failures(), 0, "an event may be one that tells nothing");
}

#[test]
fn switches_and_wakeups() {
    let fixture = Fixture::of(&[
        "<idle>-0 (-----) [001] d..3 1.000010: sched_switch: prev_comm=swapper prev_pid=0 \
         prev_prio=120 prev_state=R ==> next_comm=Binder Thread #1 next_pid=7 next_prio=98",
        "Binder Thread-7 (-----) [001] d..3 1.000030: sched_switch: prev_comm=Binder Thread #1 \
         prev_pid=7 prev_prio=98 prev_state=D|K ==> next_comm=b next_pid=8 next_prio=120",
        "b-8 (-----) [001] d..3 1.000040: sched_blocked_reason: pid=7 iowait=1 \
         caller=io_schedule+0x10/0x20",
        "b-8 (-----) [001] d..3 1.000050: sched_waking: comm=Binder Thread #1 pid=7 prio=98 \
         target_cpu=001",
        "b-8 (-----) [001] d..3 1.000050: sched_wakeup: comm=Binder Thread #1 pid=7 prio=98",
        "b-8 (-----) [001] d..3 1.000070: sched_switch: prev_comm=b prev_pid=8 prev_prio=120 \
         prev_state=R+ ==> next_comm=Binder Thread #1 next_pid=7 next_prio=98",
        "b-8 (-----) [001] d..3 1.000080: sched_waking: comm=never ran pid=9 prio=98 target_cpu=0",
    ]);
    assert_eq!(
        fixture.states(),
        [
            "10+20 7 Running on 1",
            "30+20 7 DK io 1 io_schedule+0x10/0x20",
            "30+40 8 Running on 1",
            "50+20 7 R",
            "70+-1 8 R+",
            "70+-1 7 Running on 1",
            "80+-1 9 R",
        ]
    );
    assert_eq!(fixture.threads(), ["7 of ?: Binder Thread #1", "8 of ?: b", "9 of ?: never ran"]);
    let sched = &fixture.tables.sched_slice;
    let dur: Vec<i64> = (0..3).map(|row| sched.dur.get(row)).collect();
    let priority: Vec<i32> = (0..3).map(|row| sched.priority.get(row)).collect();
    assert_eq!((dur, priority), (vec![20, 40, -1], vec![98, 120, 98]));
    assert_eq!(fixture.trackers.bounds.get(), Some((10, 80)));
    assert_eq!(fixture.failures(), 0);
}

#[test]
fn switches_and_wakeups_in_short() {
    let fixture = Fixture::of(&[
        "<idle>-0 [001] 1.000010: sched_switch: swapper/1:0 [120] R ==> kworker/0:0:7 [98]",
        "kworker/0:0-7 [001] 1.000020: sched_waking: a b:8 [120] CPU:001",
        "kworker/0:0-7 [001] 1.000030: sched_switch: kworker/0:0:7 [98] S ==> swapper/1:0 [120]",
    ]);
    assert_eq!(fixture.states(), ["10+20 7 Running on 1", "20+-1 8 R", "30+-1 7 S"]);
    assert_eq!(fixture.threads(), ["7 of ?: kworker/0:0", "8 of ?: a b"]);
    assert_eq!(fixture.failures(), 0);
}

#[test]
fn every_letter_of_a_state() {
    for (state, shown) in [
        ("R", "R"),
        ("S", "S"),
        ("D", "D"),
        ("T", "T"),
        ("t", "t"),
        ("X", "X"),
        ("Z", "Z"),
        ("x", "x"),
        ("W", "W"),
        ("P", "P"),
        ("N", "N"),
        ("I", "I"),
        ("D|W", "DW"),
        ("R+", "R+"),
        ("S+", "S"),
        ("?", ""),
    ] {
        let line = format!(
            "a-7 [0] 1.0: sched_switch: prev_comm=a prev_pid=7 prev_prio=1 prev_state={state} ==> \
             next_comm=b next_pid=0 next_prio=1"
        );
        let fixture = Fixture::of(&[line.as_str()]);
        assert_eq!(fixture.states(), [format!("0+-1 7 {shown}").trim_end()]);
        let invalid = fixture.stats.get(Stat::TaskStateInvalid);
        assert_eq!(invalid, i64::from(shown.is_empty()), "{state}");
    }
}

#[test]
fn markers() {
    let fixture = of(&[
        (1, "tracing_mark_write: B|5|outer|part"),
        (2, "0: B|5|inner"),
        (3, "print: tracing_mark_write: E|5"),
        (5, "tracing_mark_write: E"),
        (6, "tracing_mark_write: S|5|load|77"),
        (9, "tracing_mark_write: F|5|load|77"),
        (10, "tracing_mark_write: C|5|queue|-3"),
        (11, "tracing_mark_write: I|5|now"),
        (12, "tracing_mark_write: trace_event_clock_sync: parent_ts=12.5"),
    ]);
    assert_eq!(
        fixture.slices(),
        [
            "1+4 thread_execution :outer|part",
            "2+1 thread_execution :inner",
            "6+3 atrace_async_slice :load cookie=77 legacy_unnestable_begin_count=1 \
             legacy_unnestable_last_begin_ts=6",
            "11+0 thread_execution :now",
        ]
    );
    assert_eq!(fixture.counters(), ["10 atrace_counter queue -3"]);
    let failed = Fixture::of(&[&at(1, "tracing_mark_write: hello"), &at(1, "print: x: B|5|a")]);
    assert_eq!(failed.failures(), 2);
}

#[test]
fn frequencies_and_states() {
    let got = counters(&[
        (1, "cpu_frequency: state=300000 cpu_id=3"),
        (2, "cpu_idle: state=4294967295 cpu_id=3"),
        (3, "cpu_frequency_limits: min=300000 max=1800000 cpu_id=3"),
        (4, "cpu_frequency_limits: min_freq=1 max_freq=2 cpu_id=3"),
        (5, "clock_set_rate: gcc_usb30 clk=x state=19200000 cpu_id=1"),
        (6, "clock_enable: gcc_usb30 state=1 cpu_id=1"),
        (7, "clock_disable: gcc_usb30 state=0 cpu_id=1"),
        (8, "thermal_temperature: thermal_zone=pm8994 tz id=10 temp_prev=1 temp=-37000"),
        (9, "cdev_update: type=thermal-cpufreq-0 target=4"),
        (10, "gpu_frequency: state=585000000 gpu_id=0"),
    ]);
    assert_eq!(
        got,
        [
            "1 cpu_frequency cpufreq 300000",
            "2 cpu_idle cpuidle 4294967295",
            "3 cpu_max_frequency_limit Cpu 3 Max Freq Limit 1800000",
            "3 cpu_min_frequency_limit Cpu 3 Min Freq Limit 300000",
            "4 cpu_max_frequency_limit Cpu 3 Max Freq Limit 2",
            "4 cpu_min_frequency_limit Cpu 3 Min Freq Limit 1",
            "5 clock_frequency gcc_usb30 Frequency 19200000",
            "6 clock_state gcc_usb30 State 1",
            "7 clock_state gcc_usb30 State 0",
            "8 thermal_temperature pm8994 tz Temperature -37000",
            "9 cooling_device_counter thermal-cpufreq-0 Cooling Device 4",
            "10 gpu_frequency gpufreq 585000000",
        ]
    );
}

#[test]
fn memory() {
    let got = counters(&[
        (1, "rss_stat: mm_id=2824390453 curr=1 member=1 size=8437760B"),
        (2, "rss_stat: size=4096 member=0 curr=0 mm_id=2824390453"),
        (3, "rss_stat: mm_id=2824390453 curr=1 type=MM_SWAPENTS size=0B"),
        (4, "rss_stat: member=3 size=12"),
        (5, "dmabuf_rss_stat: rss=65536 diff=4096 i_ino=1"),
        (6, "oom_score_adj_update: pid=7 comm=worker oom_score_adj=-800"),
        (7, "gpu_mem_total: gpu_id=0 pid=5 size=1234"),
    ]);
    assert_eq!(
        got,
        [
            "1 process_memory mem.rss.anon 8437760",
            "2 process_memory mem.rss.file 4096",
            "3 process_memory mem.swap 0",
            "4 process_memory mem.rss.shmem 12",
            "5 process_memory mem.dmabuf_rss 65536",
            "6 oom_score_adj oom_score_adj -800",
            "7 process_gpu_memory GPU Memory 1234",
        ]
    );
    let fixture = of(&[(1, "rss_stat: mm_id=1 curr=0 member=1 size=8B")]);
    assert_eq!(fixture.stats.get(Stat::RssStatUnknownThreadForMmId), 1);
    let fixture = of(&[(1, "rss_stat: member=1 size=-8B")]);
    assert_eq!(fixture.stats.get(Stat::RssStatNegativeSize), 1);
}

#[test]
fn work_and_interrupts() {
    let got = slices(&[
        (1, "workqueue_execute_start: work struct 00000000c5d1: function pm runtime work"),
        (2, "irq_handler_entry: irq=409 name=inv irq"),
        (4, "irq_handler_exit: irq=409 ret=handled"),
        (5, "softirq_entry: vec=9 [action=RCU]"),
        (6, "softirq_exit: vec=9 [action=RCU]"),
        (7, "irq_handler_entry: irq=1 name=a"),
        (8, "irq_handler_exit: irq=1 ret=unhandled"),
        (9, "workqueue_execute_end: work struct 00000000c5d1"),
    ]);
    assert_eq!(
        got,
        [
            "1+8 thread_execution workqueue:pm runtime work",
            "2+2 cpu_irq irq:IRQ (inv irq) ret=handled",
            "5+1 cpu_softirq irq:RCU vec=9",
            "7+1 cpu_irq irq:IRQ (a) ret=unhandled",
        ]
    );
}

#[test]
fn calls_by_binder() {
    let lines = [
        "a-7 (5) [0] 1.000001: binder_transaction: transaction=90 dest_node=4 dest_proc=8 \
         dest_thread=0 reply=0 flags=0x10 code=0x3",
        "a-7 (5) [0] 1.000002: binder_transaction_alloc_buf: transaction=90 data_size=100 \
         offsets_size=8",
        "b-9 (8) [1] 1.000003: binder_transaction_received: transaction=90",
        "b-9 (8) [1] 1.000005: binder_transaction: transaction=91 dest_node=0 dest_proc=5 \
         dest_thread=7 reply=1 flags=0x0 code=0x0",
        "a-7 (5) [0] 1.000008: binder_transaction_received: transaction=91",
    ];
    let fixture = Fixture::of(&lines);
    assert_eq!(
        fixture.slices(),
        [
            "1+7 thread_execution binder:binder transaction transaction id=90 destination node=4 \
             destination process=8 reply transaction?=0 flags=0x10 allow replies with file \
             descriptors;  code=0x3 Java Layer Dependent calling tid=7 data size=100 offsets \
             size=8 destination thread=9 destination name=b",
            "3+2 thread_execution binder:binder reply destination thread=7 destination name=a \
             transaction id=91 destination node=0 destination process=5 reply transaction?=1 \
             flags=0x00 No Flags Set code=0x0 Java Layer Dependent calling tid=9",
        ]
    );
    assert_eq!((fixture.tables.flow.len(), fixture.failures()), (1, 0));
}

#[test]
fn the_lock_and_commands_of_binder() {
    let got = slices(&[
        (1, "binder_lock: tag=binder_ioctl"),
        (3, "binder_locked: tag=binder_ioctl"),
        (6, "binder_unlock: tag=binder_ioctl"),
    ]);
    assert_eq!(
        got,
        [
            "1+2 thread_execution binder:binder lock waiting",
            "3+3 thread_execution binder:binder lock held",
        ]
    );
    // A transaction that is refused ends at once.
    let got = slices(&[
        (1, "binder_command: cmd=0x40406300 BC_TRANSACTION"),
        (
            2,
            "binder_transaction: transaction=1 dest_node=1 dest_proc=8 dest_thread=0 reply=0 \
             flags=0x0 code=0x1",
        ),
        (4, "binder_return: cmd=0x7211 BR_FAILED_REPLY"),
    ]);
    assert!(got[0].starts_with("2+2 thread_execution binder:binder transaction "), "{got:?}");
}

#[test]
fn calls_of_the_kernel() {
    let got = slices(&[(1, "sys_enter: NR 63 (1, ff, 0, 0, 0, 0)"), (4, "sys_exit: NR 63 = -11")]);
    assert_eq!(
        got,
        ["1+3 thread_execution :sys_63 args[0]=1 args[1]=255 args[2]=0 args[3]=0 args[4]=0 \
          args[5]=0 ret=-11"]
    );
}

#[test]
fn suspending() {
    let got = slices(&[
        (1, "suspend_resume: machine_suspend[3] begin"),
        (4, "suspend_resume: machine_suspend[3] end"),
    ]);
    assert_eq!(got.len(), 1);
    assert!(got[0].starts_with("1+3 suspend_resume :machine_suspend(3) utid="), "{got:?}");
    let got = slices(&[
        (1, "wakeup_source_activate: alarmtimer state=0x1"),
        (3, "wakeup_source_deactivate: alarmtimer state=0x2"),
    ]);
    assert_eq!(got, ["1+2 wakesource_wakelock :Wakelock(alarmtimer)"]);
}

#[test]
fn tasks() {
    let fixture = of(&[
        (1, "task_newtask: pid=20 comm=a b clone_flags=3d0f00 oom_score_adj=0"),
        (2, "task_newtask: pid=21 comm=child clone_flags=1200011 oom_score_adj=0"),
        (3, "task_rename: pid=20 oldcomm=a b newcomm=c d oom_score_adj=0"),
        (4, "sched_process_free: comm=child pid=21 prio=120"),
        (5, "signal_generate: sig=9 errno=0 code=0 comm=c d pid=20 grp=1 res=0"),
        (6, "signal_deliver: sig=9 errno=0 code=0 sa_handler=7f00 sa_flags=14000000"),
        (7, "mark_victim: pid=20"),
    ]);
    assert_eq!(
        fixture.threads(),
        ["7 of 5: worker", "5 of 5: ", "20 of 5: c d", "21 of 21: child"]
    );
    let process = &fixture.tables.process;
    assert_eq!(process.start_ts.get(2), Some(2));
    assert_eq!(process.end_ts.get(2), Some(4));
    assert_eq!(
        fixture.slices(),
        [
            "5+0 thread_execution :signal_generate signal.sig=9",
            "6+0 thread_execution :signal_deliver signal.sig=9",
            "7+0 thread_execution :mem.oom_kill",
        ]
    );
}

#[test]
fn details_that_are_not_what_they_should_be() {
    for event in [
        "sched_switch: prev_comm=a prev_pid=1 prev_state=S ==> next_comm=b next_pid=2",
        "sched_switch: a:1 [120] S ==> b:2",
        "sched_switch: nonsense",
        "sched_waking: comm=a pid=x",
        "sched_waking: comm=a pid=99999999999",
        "sched_blocked_reason: pid=1 caller=x",
        "cpu_idle: state=0",
        "cpu_frequency: state=fast cpu_id=0",
        "cpu_frequency_limits: min=1 cpu_id=0",
        "clock_set_rate: x state=",
        "workqueue_execute_start: work struct 0",
        "binder_transaction: transaction=1",
        "binder_command: cmd=x",
        "irq_handler_exit: ret=handled",
        "rss_stat: size=1 type=MM_OTHER",
        "rss_stat: member=1 size=1kB",
        "suspend_resume: machine_suspend begin",
        "suspend_resume: machine_suspend[x] begin",
        "sys_enter: NR 1 (x)",
        "sys_exit: NR 1",
        "task_newtask: pid=1 comm=a clone_flags=xyz",
    ] {
        let fixture = Fixture::of(&[&at(1, event)]);
        assert_eq!(fixture.failures(), 1, "{event}");
        assert_eq!(rows(&fixture.tables), [0; 3], "{event}");
        assert_eq!(fixture.trackers.bounds.get(), None, "{event}");
    }
}

#[test]
fn lines_that_are_none() {
    for line in
        ["hello", "a-1 [4097] 1.5: cpu_idle: state=1 cpu_id=1", "a-99999999999 [0] 1.5: e: x"]
    {
        let fixture = Fixture::of(&[line]);
        assert_eq!((fixture.failures(), fixture.tables.thread.len()), (1, 1), "{line}");
    }
    let fixture = Fixture::of(&["", "# tracer: nop"]);
    assert_eq!((fixture.failures(), fixture.tables.thread.len()), (0, 1));
    assert_eq!(line_time(b"hello"), None);
    assert_eq!(line_time(b"# tracer: nop"), None);
    assert_eq!(line_time(b"a-1 [0] 2.000000003: e: x"), Some(2_000_000_003));
}

/// Every event with its details cut short, repeated, and with bytes that are no text.
#[test]
fn hostile_details() {
    let names = events::PAIRS.iter().map(|&(name, ..)| name);
    let names = names.chain(events::OTHERS.iter().map(|&(name, _)| name));
    let details = [
        &b"state=1 cpu_id=9999999999 pid=-1 comm=\xff name=\x00 size=-9223372036854775808"[..],
        b"pid=2147483647 prio=-1 next_pid=2147483648 prev_pid=0 prev_prio=1 next_prio=1",
        b"vec=18446744073709551615 irq=-5 sig=300 cmd=0xffffffffffffffff member=99 size=1",
        b"NR -1 (ffffffffffffffff) = 18446744073709551615",
        b"[0] ==> [ ] function ",
        b"= == ===",
        b"B|\xff|",
    ];
    let mut fixture = Fixture::of(&[]);
    for name in names {
        for details in details {
            for len in 0..=details.len() {
                let mut line = format!("\u{0}-7 [1] 1.0: {name}: ").into_bytes();
                line.extend(&details[..len]);
                fixture.line(&line);
            }
        }
    }
    assert!(fixture.tables.cpu.len() <= MAX_CPUS + 1);
}

#[test]
fn long_lines() {
    let long = "x=1 ".repeat(10_000_000 / 4);
    for (name, _) in events::OTHERS {
        let fixture = Fixture::of(&[&at(1, &format!("{name}: {long}"))]);
        assert_eq!(fixture.failures(), 1, "{name}");
    }
    let name = "n".repeat(10_000_000);
    let fixture = of(&[(1, &format!("tracing_mark_write: B|5|{name}"))]);
    assert_eq!(fixture.text(fixture.tables.slice.name.get(0)).len(), name.len());
}
