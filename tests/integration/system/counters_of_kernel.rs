//! Counters that kernel events carry: frequencies, temperatures, power; and slices that stand for
//! states of the same things.

use insta::assert_snapshot;
use tpq_testkit::{FtraceBundle, FtraceEvent, Message, Packet, TraceBuilder};

use super::event_rows::{THREAD, events, rows, rows_of_events};
use crate::imported::{Imported, STATS, clocks, recording};

/// A message with numbers under the fields from 1 on.
fn numbers(values: impl IntoIterator<Item = i64>) -> Message {
    (1..).zip(values).fold(Message::new(), |message, (field, value)| message.int(field, value))
}

#[test]
fn cpus() {
    let rows = rows_of_events([
        (11, numbers([1_200_000, 3])),
        (12, numbers([300_000, 2_800_000, 2])),
        (13, numbers([0xffff_ffff, 1])),
        (508, numbers([4, 1_500_000])),
        (421, Message::new().uint(2, 1024).uint(4, 2).uint(6, 300).uint(11, 5)),
        // A CPU that no machine has.
        (11, numbers([1_200_000, 100_000])),
    ]);
    assert_snapshot!(rows, @r#"
    10 cpu_frequency "cpufreq" [cpu=3] = 1200000
    20 cpu_max_frequency_limit "Cpu 2 Max Freq Limit" [cpu=2] = 2800000
    20 cpu_min_frequency_limit "Cpu 2 Min Freq Limit" [cpu=2] = 300000
    30 cpu_idle "cpuidle" [cpu=1] = 4294967295
    40 cpu_frequency_throttle "cpufreq_throttle" [cpu=4] = 1500000
    50 cpu_utilization "Cpu 2 Util" [cpu=2] = 300
    50 cpu_capacity "Cpu 2 Cap" [cpu=2] = 1024
    50 cpu_nr_running "Cpu 2 Nr Running" [cpu=2] = 5
    "#);
}

/// Steps of bringing CPU 5 up, done by CPU 0, which recorded them.
#[test]
fn hotplug() {
    let enter = |step| Message::new().uint(1, 5).int(3, step);
    let exit = Message::new().uint(1, 5);
    let steps = [(345, enter(54)), (343, exit.clone()), (344, enter(-1)), (343, exit)];
    assert_snapshot!(rows_of_events(steps), @r#"
    10+10 cpu_hotplug "CPU Hotplug 5" [cpu=5]: cpu/cpuhp(54) {action_cpu=0u cpuhp_idx=54}
    30+10 cpu_hotplug "CPU Hotplug 5" [cpu=5]: cpu/cpuhp(-1) {action_cpu=0u cpuhp_idx=-1}
    "#);
}

#[test]
fn clocks_of_hardware() {
    let clock = |name: &str, state| Message::new().bytes(1, name).uint(2, state);
    let rows = rows_of_events([
        (16, clock("gcc_usb", 19_200_000)),
        (14, clock("gcc_usb", 1)),
        (15, clock("gcc_usb", 0)),
        (541, clock("17000010.devfreq_mif", 845_000)),
        (541, clock("gpu", 400)),
    ]);
    assert_snapshot!(rows, @r#"
    10 clock_frequency "gcc_usb Frequency" [linux_device=gcc_usb] = 19200000
    20 clock_state "gcc_usb State" [linux_device=gcc_usb] = 1
    30 clock_state "gcc_usb State" [linux_device=gcc_usb] = 0
    40 linux_device_frequency "devfreq_mif" [linux_device=17000010.devfreq_mif] = 845000
    50 linux_device_frequency "devfreq_gpu" [linux_device=gpu] = 400
    "#);
}

#[test]
fn temperatures() {
    let known = rows_of_events([
        (341, Message::new().int(2, -1500).bytes(4, "skin")),
        (342, Message::new().uint(1, 3).bytes(2, "fan")),
        (507, Message::new().int(1, 2).uint(2, 45).uint(4, 1)),
    ]);
    assert_snapshot!(known, @r#"
    10 thermal_temperature "skin Temperature" [thermal_zone=skin] = -1500
    20 cooling_device_counter "fan Cooling Device" [linux_device=fan] = 3
    30 acpm_thermal_temperature "LITTLE Temperature" [thermal_zone=LITTLE] = 45 {thermal_zone_id=2}
    30 acpm_cooling_device_counter "Tj-LITTLE Cooling Device" [thermal_zone=LITTLE] = 1 {thermal_zone_id=2}
    "#);
    let unknown = events([(507, Message::new().int(1, 7))]);
    assert_snapshot!(rows(&unknown), @"");
    assert_snapshot!(unknown.rows(STATS), @r"
    name                                      machine  file  value
    ftrace_thermal_exynos_acpm_unknown_tz_id  0        0     1
    ");
}

/// Limits mean something only while parts are held down.
#[test]
fn limits_of_the_battery() {
    let throttled = numbers([7, 1, 11, 12, 13, 14, 15, 3700, 80]);
    let free = numbers([7, 0, 11, 12, 13, 14, 15, 3800, 81]);
    assert_snapshot!(rows_of_events([(533, throttled), (533, free)]), @r#"
    10 bcl_irq "bcl_irq_id" [bcl_key=bcl_irq_id] = 7
    10 bcl_irq "bcl_irq_throttle" [bcl_key=bcl_irq_throttle] = 1
    10 bcl_irq "bcl_irq_cpu0" [bcl_key=bcl_irq_cpu0] = 11
    10 bcl_irq "bcl_irq_cpu1" [bcl_key=bcl_irq_cpu1] = 12
    10 bcl_irq "bcl_irq_cpu2" [bcl_key=bcl_irq_cpu2] = 13
    10 bcl_irq "bcl_irq_tpu" [bcl_key=bcl_irq_tpu] = 14
    10 bcl_irq "bcl_irq_gpu" [bcl_key=bcl_irq_gpu] = 15
    10 bcl_irq "bcl_irq_voltage" [bcl_key=bcl_irq_voltage] = 3700
    10 bcl_irq "bcl_irq_capacity" [bcl_key=bcl_irq_capacity] = 80
    20 bcl_irq "bcl_irq_id" [bcl_key=bcl_irq_id] = -1
    20 bcl_irq "bcl_irq_throttle" [bcl_key=bcl_irq_throttle] = 0
    20 bcl_irq "bcl_irq_cpu0" [bcl_key=bcl_irq_cpu0] = 0
    20 bcl_irq "bcl_irq_cpu1" [bcl_key=bcl_irq_cpu1] = 0
    20 bcl_irq "bcl_irq_cpu2" [bcl_key=bcl_irq_cpu2] = 0
    20 bcl_irq "bcl_irq_tpu" [bcl_key=bcl_irq_tpu] = 0
    20 bcl_irq "bcl_irq_gpu" [bcl_key=bcl_irq_gpu] = 0
    20 bcl_irq "bcl_irq_voltage" [bcl_key=bcl_irq_voltage] = 3800
    20 bcl_irq "bcl_irq_capacity" [bcl_key=bcl_irq_capacity] = 81
    "#);
}

fn suspend(action: &str, value: i64, start: u64) -> (u32, Message) {
    (113, Message::new().bytes(1, action).int(2, value).uint(3, start))
}

/// The action that froze time began on CPU 3 and ends on CPU 0: the CPU is not part of its name.
#[test]
fn suspending_the_machine() {
    let rows = rows_of_events([
        suspend("suspend_enter", 3, 1),
        suspend("timekeeping_freeze", 3, 1),
        suspend("timekeeping_freeze", 0, 0),
        suspend("suspend_enter", 3, 0),
    ]);
    assert_snapshot!(rows, @r#"
    10+30 suspend_resume "Suspend/Resume Latency" [track_compressor_idx=0]: suspend_enter(3) {utid=2u event_type=Main Kernel Suspend Event cpu=0u device_name=NULL driver_name=NULL callback_phase=NULL}
    20+10 suspend_resume "Suspend/Resume Latency" [track_compressor_idx=1]: timekeeping_freeze(0) {utid=2u event_type=Main Kernel Suspend Event cpu=0u device_name=NULL driver_name=NULL callback_phase=NULL}
    "#);
}

/// Processes thaw while they are being frozen: entering failed at 40, which the kernel never says.
#[test]
fn suspending_that_fails() {
    let trace = events([
        suspend("suspend_enter", 3, 1),
        suspend("freeze_processes", 0, 1),
        suspend("thaw_processes", 0, 1),
        suspend("thaw_processes", 0, 0),
        suspend("freeze_processes", 0, 0),
    ]);
    assert_snapshot!(trace.rows("SELECT ts, dur, name FROM slice ORDER BY ts"), @r"
    ts  dur  name
    10  30   suspend_enter(3)
    20  30   freeze_processes(0)
    30  10   thaw_processes(0)
    ");
}

#[test]
fn suspending_in_short() {
    let rows = rows_of_events([(481, numbers([1])), (481, numbers([0]))]);
    assert_snapshot!(rows, @r#"10+10 suspend_resume_minimal "Suspend/Resume Minimal": Suspended"#);
}

#[test]
fn suspending_devices() {
    let start = |device: &str, operations: &str, event| {
        let message = Message::new().bytes(1, device).bytes(2, "pci").bytes(4, operations);
        (504, message.int(5, event))
    };
    let end = |device: &str| (505, Message::new().bytes(1, device).bytes(2, "pci"));
    let trace = events([
        start("a", "late power domain", 0x2),
        start("b", "", 0x10),
        end("a"),
        end("b"),
        start("c", "", 0x20),
        start("d", "noirq driver", 0x3),
        start("e", "", 0x2),
        start("f", "bus", 0x10),
    ]);
    let first = rows(&trace).lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
    assert_snapshot!(first, @r#"
    10+20 suspend_resume "Suspend/Resume Latency" [track_compressor_idx=0]: a pci {utid=2u event_type=Device PM Suspend Event cpu=0u device_name=a driver_name=pci callback_phase=suspend:late}
    20+20 suspend_resume "Suspend/Resume Latency" [track_compressor_idx=1]: b pci {utid=2u event_type=Device PM Suspend Event cpu=0u device_name=b driver_name=pci callback_phase=resume:complete}
    "#);
    let phases = "SELECT ts, string_value AS phase FROM slice JOIN args USING (arg_set_id) \
        WHERE key = 'callback_phase' ORDER BY ts";
    assert_snapshot!(trace.rows(phases), @r"
    ts  phase
    10  suspend:late
    20  resume:complete
    50  thaw
    60  (unknown PM event):noirq
    70  suspend:prepare
    80  resume
    ");
}

/// A device is asleep from 30 to 40, which is no slice.
#[test]
fn devices_that_sleep_when_not_used() {
    let status = |status| (489, Message::new().bytes(1, "usb1").int(2, status));
    let rows = rows_of_events([0, 3, 2, 1, 0, -1].map(status));
    assert_snapshot!(rows, @r#"
    10+10 linux_rpm "-" [linux_device=usb1]: Active
    20+10 linux_rpm "-" [linux_device=usb1]: Suspending
    40+10 linux_rpm "-" [linux_device=usb1]: Resuming
    50+10 linux_rpm "-" [linux_device=usb1]: Active
    60+-1 linux_rpm "-" [linux_device=usb1]: Invalid State
    "#);
}

/// GPU 1 is seen first, so it is number 0 of all.
#[test]
fn gpus() {
    let rows = rows_of_events([
        (332, numbers([1, 585_000])),
        (509, numbers([401, 0])),
        (340, numbers([0, 0, 4096])),
        (340, numbers([0, 100, 1024])),
        // Of a process that is gone.
        (340, numbers([0, 999, 512])),
        (601, numbers([0, 2])),
        (601, numbers([2, 1])),
        (601, numbers([1, 0])),
        (601, numbers([0, 9])),
    ]);
    assert_snapshot!(rows, @r#"
    10 gpu_frequency "gpufreq" [ugpu=0 gpu=1] = 585000
    20 gpu_frequency "gpufreq" [ugpu=1 gpu=0] = 401000
    30 gpu_memory "GPU Memory" [ugpu=1 gpu=0] = 4096
    40 process_gpu_memory "GPU Memory" [upid=1 ugpu=1 gpu=0] = 1024
    60+10 powervr_gpu_power_state "powervr_gpu_power_state": ON
    70+10 powervr_gpu_power_state "powervr_gpu_power_state": PG
    80+10 powervr_gpu_power_state "powervr_gpu_power_state": OFF
    90+-1 powervr_gpu_power_state "powervr_gpu_power_state": Unknown
    "#);
}

#[test]
fn units_of_gpu_counters() {
    let trace = events([
        (332, numbers([1, 585_000])),
        (340, numbers([0, 0, 4096])),
        (340, numbers([0, 100, 1024])),
        (11, numbers([1_200_000, 3])),
    ]);
    assert_snapshot!(trace.rows("SELECT type, unit FROM counter_track ORDER BY type"), @r"
    type                unit
    cpu_frequency       NULL
    gpu_frequency       MHz
    gpu_memory          bytes
    process_gpu_memory  bytes
    ");
}

/// Raw monotonic time is 1000 behind boot time. A period ends when its event is written, but is
/// dated when it began: 1130 raw, 2130 in boot time.
#[test]
fn work_of_gpus() {
    let work = |start, end, active| numbers([0, 10_123, start, end, active]);
    let at_boot = |at, message| FtraceEvent::other(at, THREAD, 488, message);
    let bundle = FtraceBundle::new(0)
        .event(at_boot(2_500, work(1_130, 1_430, 100)))
        .event(at_boot(2_600, work(1_500, 1_400, 100)));
    let trace: TraceBuilder = recording()
        .packet(clocks(&[(6, 2_000), (5, 1_000)]))
        .packet(Packet::new().sequence(1).ftrace(bundle));
    let trace = Imported::trace(trace);
    assert_snapshot!(rows(&trace), @r#"2130+300 android_gpu_work_period "-" [ugpu=0 gpu=0 uid=10123]: %33.33"#);
    assert_snapshot!(trace.rows("SELECT ts, thread_ts, thread_dur FROM slice"), @r"
    ts    thread_ts  thread_dur
    2130  2130       100
    ");
    let refused = "SELECT value FROM stats WHERE name = 'gpu_work_period_negative_duration'";
    assert_eq!(trace.cell(refused), "1");
    // The events themselves are dated when they were written, by the boot clock.
    assert_eq!(
        trace.rows("SELECT ts, name FROM ftrace_event"),
        "\
ts    name
2500  gpu_work_period
2600  gpu_work_period
"
    );
}

/// 192 ticks of the GPU's clock are 10 µs. At 10 µs the clock stood at 1,000 ticks.
#[test]
fn work_of_adreno_gpus() {
    let batch = |context, number| Message::new().uint(1, context).uint(2, number);
    let queued = |context| (534, batch(context, 0));
    let submitted = |context, number, ticks| (535, batch(context, number).uint(5, ticks));
    let synchronized = |context, number, ticks| (536, batch(context, number).uint(3, ticks));
    let retired = |context, number, start: u64, end: u64| {
        (537, batch(context, number).uint(6, start).uint(7, end).int(8, 1))
    };
    let event = |(at, (field, message))| FtraceEvent::other(at, THREAD, field, message);
    // Another CPU was told first that batch 7 is done; two batches overlap, so each has a track.
    let done = [(50_000, retired(4, 7, 1_192, 1_384)), (51_000, retired(4, 8, 1_211, 1_403))];
    let other_cpu = done.map(event).into_iter().fold(FtraceBundle::new(1), FtraceBundle::event);
    let all = [
        (100, queued(5)),
        (10_000, synchronized(4, 7, 1_000)),
        // The more exact of two moments counts.
        (12_000, submitted(4, 8, 1_000)),
        (20_000, synchronized(4, 8, 1_192)),
        (30_000, submitted(5, 7, 1_384)),
        (60_000, retired(5, 7, 1_576, 1_600)),
        // Its submission is lost, and a batch is done once.
        (61_000, retired(4, 9, 1_192, 1_384)),
        (62_000, retired(4, 7, 1_192, 1_384)),
    ];
    let bundle = all.map(event).into_iter().fold(FtraceBundle::new(0), FtraceBundle::event);
    let named = FtraceEvent::task_rename(50, 100, "a", "game");
    let first = FtraceBundle::new(1).event(named);
    let trace = Imported::trace(
        recording()
            .packet(Packet::new().sequence(1).ftrace(first))
            .packet(Packet::new().sequence(1).ftrace(other_cpu))
            .packet(Packet::new().sequence(1).ftrace(bundle)),
    );
    assert_snapshot!(rows(&trace), @r#"
    20000+10000 adreno_gpu_cmdbatch "GPU (Ctx=4, Prio=1)" [context_id=4 prio=1 track_compressor_idx=0]: GPU
    20989+10000 adreno_gpu_cmdbatch "GPU (Ctx=4, Prio=1)" [context_id=4 prio=1 track_compressor_idx=1]: GPU
    40000+1250 adreno_gpu_cmdbatch "GPU game (Ctx=5, Prio=1)" [context_id=5 prio=1 track_compressor_idx=0]: GPU
    "#);
    let unplaced = "SELECT value FROM stats WHERE name = 'adreno_cmdbatch_unplaced'";
    assert_eq!(trace.cell(unplaced), "2");
    // The events themselves are dated when they were written.
    let written = "SELECT ts FROM ftrace_event WHERE name = 'kgsl_adreno_cmdbatch_retired' \
        ORDER BY ts LIMIT 2";
    assert_eq!(trace.rows(written), "ts\n50000\n51000\n");
}

#[test]
fn mali_gpus() {
    let info = |value| Message::new().uint(3, value);
    let rows = rows_of_events([
        (482, info(7)),
        (483, info(8)),
        (519, Message::new()),
        (520, Message::new()),
        (510, Message::new()),
        (548, numbers([0, 0, 2])),
    ]);
    assert_snapshot!(rows, @r#"
    60 mali_gpu_power_state "mali_gpu_power_state" = 2
    10+10 cpu_mali_irq "Mali Irq Cpu 0" [cpu=0]: mali_CSF_INTERRUPT {info_val=8u}
    30+10 mali_mcu_state "-": OFF
    40+10 mali_mcu_state "-": ON
    50+-1 mali_mcu_state "-": HCTL_CORES_DOWN_SCALE_NOTIFY_PEND
    "#);
}

/// The microcontroller's states are events of their own, numbered without gaps.
#[test]
fn states_of_mali_gpus() {
    let trace = events((510..=532).map(|field| (field, Message::new())));
    let states = trace.cells("SELECT name FROM slice ORDER BY ts").concat().join(" ");
    assert_snapshot!(states, @"HCTL_CORES_DOWN_SCALE_NOTIFY_PEND HCTL_CORES_NOTIFY_PEND HCTL_CORE_INACTIVE_PEND HCTL_MCU_ON_RECHECK HCTL_SHADERS_CORE_OFF_PEND HCTL_SHADERS_PEND_OFF HCTL_SHADERS_PEND_ON HCTL_SHADERS_READY_OFF IN_SLEEP OFF ON ON_CORE_ATTR_UPDATE_PEND ON_GLB_REINIT_PEND ON_HALT ON_HWCNT_DISABLE ON_HWCNT_ENABLE ON_PEND_HALT ON_PEND_SLEEP ON_SLEEP_INITIATE PEND_OFF PEND_ON_RELOAD POWER_DOWN RESET_WAIT");
}

/// Values that other processors read have their timestamps, and are recorded when the kernel
/// receives them.
#[test]
fn firmware() {
    let rows = rows_of_events([
        (364, Message::new().int(1, 900).int(2, 700).uint(5, 3).int(6, 750)),
        (502, Message::new().bytes(1, "vote")),
        (503, Message::new().bytes(1, "irm")),
        (543, Message::new().bytes(1, "rail").uint(2, 12).int(3, 5)),
        (596, Message::new().uint(1, 6).bytes(4, "temp").uint(5, 40)),
        (506, Message::new().uint(1, 0).uint(2, 50).uint(4, 2).uint(11, 7)),
    ]);
    assert_snapshot!(rows, @r#"
    5 pixel_cpm_counters "rail" [name=rail] = 12
    6 pixel_fwtp_counters "temp" [name=temp] = 40
    7 acpm_thermal_temperature "BIG Temperature" [thermal_zone=BIG] = 50 {thermal_zone_id=0}
    7 acpm_cooling_device_counter "Tj-BIG Cooling Device" [thermal_zone=BIG] = 2 {thermal_zone_id=0}
    10 cros_ec_sensorhub_data "cros_ec.cros_ec_sensorhub_data.3" [ec_sensor_num=3] = 200 {ec_num=3 ec_delta=50 sample_ts=700}
    20+0 interconnect_events "Interconnect Events": google_icc_event/vote
    30+0 interconnect_events "Interconnect Events": google_irm_event/irm
    "#);
}

#[test]
fn thermal_zones_without_a_name_are_counted() {
    let trace = events([(506, Message::new().uint(1, 99).uint(2, 50).uint(11, 7))]);
    assert_eq!(trace.cell("SELECT count(*) FROM counter"), "0");
    let stat =
        "SELECT sum(value) FROM stats WHERE name = 'ftrace_thermal_exynos_acpm_unknown_tz_id'";
    assert_eq!(trace.cell(stat), "1");
}

/// A slice that begins ends what was open under its name.
#[test]
fn slices_of_firmware() {
    let mark = |at, begin| {
        let message = Message::new().uint(1, at).bytes(3, "boot").bytes(4, "load");
        (600, message.uint(5, begin))
    };
    let rows = rows_of_events([mark(100, 1), mark(150, 1), mark(170, 0)]);
    assert_snapshot!(rows, @r#"
    100+50 pixel_fwtp_slices "load": boot/load
    150+20 pixel_fwtp_slices "load": boot/load
    "#);
}

/// An event that should say when it was, but does not.
#[test]
fn an_event_without_its_own_time() {
    let trace = events([(596, Message::new().bytes(4, "temp").uint(5, 40))]);
    assert_snapshot!(trace.rows(STATS), @r"
    name                            machine  file  value
    ftrace_bundle_tokenizer_errors  0        0     1
    ");
}
