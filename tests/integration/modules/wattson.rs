//! `wattson.*`, with power curves that the tests make up. Times of events are microseconds.

use tpq_testkit::{
    FtraceBundle, FtraceEvent, Message, Packet, TraceBuilder, TrackDescriptor, TrackEvent, clock_id,
};

use super::{APP, APP_TRACK, IDLE, WORKER, empty, lines, processes, scene, slice, us};
use crate::imported::{Imported, clocks};

/// The idle state that the kernel records for a CPU that is not idle.
const AWAKE: u64 = 0xffff_ffff;

/// A device with a model of SoC: further packets, and the kernel events of each CPU.
fn device(model: &str, packets: Vec<Packet>, cpus: Vec<(u32, Vec<FtraceEvent>)>) -> Imported {
    let system = Packet::new().sequence(9).payload(45, Message::new().bytes(9, model));
    let bundles = cpus.into_iter().map(|(cpu, events)| {
        let bundle = events.into_iter().fold(FtraceBundle::new(cpu), FtraceBundle::event);
        Packet::new().sequence(9).ftrace(bundle)
    });
    let trace = TraceBuilder::new().packet(system).packet(processes()).packets(packets);
    Imported::trace(trace.packets(bundles))
}

fn event(at: u64, field: u32, payload: Message) -> FtraceEvent {
    FtraceEvent::other(us(at), 0, field, payload)
}

fn idle(at: u64, cpu: u32, state: u64) -> FtraceEvent {
    event(at, 13, Message::new().uint(1, state).uint(2, cpu.into()))
}

fn frequency(at: u64, cpu: u32, khz: u32) -> FtraceEvent {
    FtraceEvent::cpu_frequency(us(at), 0, cpu, khz)
}

/// A track without process or thread.
fn track(uuid: u64, name: &str) -> Packet {
    Packet::new().sequence(1).track_descriptor(TrackDescriptor::new(uuid).name(name))
}

/// Replaces a table of power curves, before any estimate is read.
fn set_curves(trace: &Imported, table: &str, columns: &str, rows: &str) {
    let sql = format!(
        "CREATE OR REPLACE PERFETTO TABLE {table} AS \
         WITH curve({columns}) AS (VALUES {rows}) SELECT * FROM curve; SELECT 1"
    );
    assert_eq!(lines(trace, "wattson.curves.utils", &sql), ["1"]);
}

/// CPU 0 of a device with a cluster of four CPUs, which leave idle 450 µs before they say so:
///
/// ```text
///       1000 2550   3100  3200  3300  3500  4000     4100  6000   6100    6500     6600  7000
/// idle  1    | -1                                    | 0   | -1                    | 1
/// kHz   1000                          | 2000
/// runs              app   IRQ   app         swapper               worker  swapper
/// mW    2    | 100                    | 200          | 20  | 200                   | 4
/// ```
///
/// While the CPU is on or in idle state 0 its cluster consumes 6 mW or, from 3500 on, 8 mW.
fn phone() -> Imported {
    let events = vec![
        frequency(1_000, 0, 1_000),
        idle(1_000, 0, 1),
        idle(3_000, 0, AWAKE),
        FtraceEvent::sched_switch(us(3_100), IDLE, 0, APP),
        event(3_200, 36, Message::new().int(1, 9).bytes(2, "acpi")),
        event(3_300, 37, Message::new().int(1, 9).int(2, 1)),
        frequency(3_500, 0, 2_000),
        FtraceEvent::sched_switch(us(4_000), APP, 1, IDLE),
        idle(4_100, 0, 0),
        idle(6_000, 0, AWAKE),
        FtraceEvent::sched_switch(us(6_100), IDLE, 0, WORKER),
        FtraceEvent::sched_switch(us(6_500), WORKER, 1, IDLE),
        idle(6_600, 0, 1),
        FtraceEvent::sched_switch(us(7_000), IDLE, 0, APP),
    ];
    let trace = device("monaco", Vec::new(), vec![(0, events)]);
    set_curves(
        &trace,
        "_device_curves_1d",
        "device, policy, freq_khz, static, active, idle0, idle1",
        "('monaco', 0, 1000, 6.0, 100.0, 10.0, 2.0), ('monaco', 0, 2000, 8.0, 200.0, 20.0, 4.0)",
    );
    trace
}

/// The model of a virtual machine's guest counts first, then that of the device, then the code name
/// in the fingerprint of its build.
#[test]
fn models_of_devices() {
    let model = |system: Message| {
        let packet = Packet::new().sequence(9).payload(45, system);
        let trace = Imported::trace(TraceBuilder::new().packet(packet));
        lines(&trace, "wattson.device_infos", "SELECT name FROM _wattson_device").concat()
    };
    let known = Message::new().bytes(9, "Tensor G5");
    assert_eq!(model(known.clone()), "Tensor G5");
    assert_eq!(model(known.bytes(13, "Tensor G4")), "Tensor G4");
    assert_eq!(model(Message::new().bytes(2, "google/oriole/oriole:16/X/1:user/keys")), "Tensor");
    assert_eq!(model(Message::new().bytes(9, "unknown")), "");
}

#[test]
fn clusters_of_cpus() {
    let trace = device("Tensor G4", Vec::new(), Vec::new());
    let infos = |sql: &str| lines(&trace, "wattson.device_infos", sql);
    let sql = "SELECT policy, min(cpu), max(cpu) FROM _dev_cpu_policy_map GROUP BY policy \
        ORDER BY policy";
    assert_eq!(infos(sql), ["0 0 3", "4 4 6", "7 7 7"]);
    assert_eq!(infos("SELECT * FROM _policy_masks"), ["15 15 15 15 112 112 112 128"]);
    assert_eq!(infos("SELECT devfreq_necessary FROM _use_devfreq_for_calc"), ["1"]);
    assert_eq!(infos("SELECT count(*) FROM _skip_devfreq_for_calc"), ["0"]);
    let sql = "SELECT _bitmask8!(1, 0, 2, 0, 0, 0, 0, 1) AS a, _extract_bit!(5, 2) AS b, \
        _policy_mask!(4, 0, 0, 0, 0, 4, 4, -1, -1) AS c, _dsu_dep!() AS d";
    assert_eq!(lines(&trace, "wattson.utils", sql), ["133 1 48 255"]);
    let trace = device("neo", Vec::new(), Vec::new());
    let sql = "SELECT nominal_idle, override_idle FROM _idle_state_map_override ORDER BY 1";
    assert_eq!(lines(&trace, "wattson.device_infos", sql), ["0 0", "1 1", "2 1", "4294967295 -1"]);
}

#[test]
fn power_of_cpus() {
    let trace = phone();
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, freq, policy FROM _adjusted_cpu_freq \
        WHERE cpu < 2 ORDER BY cpu, ts";
    assert_eq!(
        lines(&trace, "wattson.cpu.freq", sql),
        ["1000 0 NULL 0", "1000 2500 1000 0", "3500 3500 2000 0", "1000 6000 NULL NULL"]
    );
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, cpu0_mw, cpu1_mw, cpu4_mw, dsu_scu_mw \
        FROM _cpu_estimates_mw ORDER BY ts";
    assert_eq!(
        lines(&trace, "wattson.cpu.estimates", sql),
        [
            "1000 1550 2.0 NULL 0.0 0.0",
            "2550 950 100.0 NULL 0.0 6.0",
            "3500 600 200.0 NULL 0.0 8.0",
            "4100 1900 20.0 NULL 0.0 8.0",
            "6000 600 200.0 NULL 0.0 8.0",
            "6600 400 4.0 NULL 0.0 0.0",
        ]
    );
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, cpu0_mw, cpu \
        FROM _system_state_cpu0_mw ORDER BY ts LIMIT 2";
    assert_eq!(
        lines(&trace, "wattson.ui.continuous_estimates", sql),
        ["1000 1550 2.0 0", "2550 950 100.0 0"]
    );
    // 550 µs at 2 mW and 450 at 100 give 46.1 mW in this millisecond; 450 at 6 mW give 2.7.
    let sql = "SELECT cpu0_poli, cpu4_poli, round(cpu0_mw, 3) AS a, round(dsu_scu_mw, 3) AS b, \
        gpu_mw, period_dur, period_id FROM _wattson_base_components_avg_mw!((\
        SELECT 2000000 AS ts, 1000000 AS dur, 7 AS period_id))";
    assert_eq!(lines(&trace, "wattson.estimates", sql), ["0 NULL 46.1 2.7 NULL 1000000 7"]);
}

/// The time from 6000 to 6100 is that of the idle thread, and so is the time in idle before.
#[test]
fn tasks() {
    let trace = phone();
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, cpu, thread_name, process_name, pid \
        FROM _wattson_task_slices WHERE thread_name NOT LIKE 'IRQ%' ORDER BY ts";
    assert_eq!(
        lines(&trace, "wattson.tasks.task_slices", sql),
        [
            "3100 100 0 app /bin/app 100",
            "3300 700 0 app /bin/app 100",
            "4000 100 0 swapper NULL 0",
            "4100 2000 0 swapper NULL 0",
            "6100 400 0 worker /bin/app 100",
            "6500 100 0 swapper NULL 0",
        ]
    );
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, utid = upid AS a, utid = pid AS b, \
        thread_name, process_name FROM _wattson_task_slices WHERE thread_name LIKE 'IRQ%'";
    assert_eq!(
        lines(&trace, "wattson.tasks.task_slices", sql),
        ["3200 100 1 1 IRQ (acpi) IRQ (acpi)"]
    );
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, estimated_mw, thread_name \
        FROM _estimates_w_tasks_attribution ORDER BY ts";
    assert_eq!(
        lines(&trace, "wattson.tasks.attribution", sql),
        [
            "3100 100 100.0 app",
            "3200 100 100.0 IRQ (acpi)",
            "3300 200 100.0 app",
            "3500 500 200.0 app",
            "4000 100 200.0 swapper",
            "4100 1900 20.0 swapper",
            "6000 100 200.0 swapper",
            "6100 400 200.0 worker",
            "6500 100 200.0 swapper",
        ]
    );
    // From 4050 to 8050: half of the time in which the CPU enters idle after `app`, all of that
    // around `worker`.
    let sql = "SELECT coalesce(t.name, '') AS name, round(c.idle_cost_mws * 1000, 3) AS cost, \
        c.cpu FROM _filter_idle_attribution(4050000, 4000000) AS c JOIN thread AS t USING (utid) \
        ORDER BY name";
    assert_eq!(
        lines(&trace, "wattson.tasks.idle_transitions_attribution", sql),
        ["app 10.0 0", "swapper -50.0 0", "worker 20.0 0", "worker 20.0 0"]
    );
}

/// Energies are in µWs here. `app` runs for 300 µs at 100 mW and 500 at 200, and the CPU needs 20
/// µWs to enter idle after it.
#[test]
fn energy() {
    let trace = phone();
    let threads = |macro_call: &str| {
        let sql = format!(
            "INCLUDE PERFETTO MODULE wattson.windows; \
             SELECT period_id, period_dur, thread_name, round(estimated_mws * 1000, 3) AS a, \
             round(estimated_mw, 3) AS b, round(idle_transitions_mws * 1000, 3) AS c, \
             round(total_mws * 1000, 3) AS d FROM {macro_call} ORDER BY thread_name"
        );
        lines(&trace, "wattson.aggregation", &sql)
    };
    assert_eq!(
        threads("wattson_threads_aggregation!(wattson_window_trace)"),
        [
            "1 6000000 IRQ (acpi) 10.0 1.667 0.0 10.0",
            "1 6000000 app 130.0 21.667 20.0 150.0",
            "1 6000000 swapper 98.0 16.333 -60.0 38.0",
            "1 6000000 worker 80.0 13.333 40.0 120.0",
        ]
    );
    let some = "_wattson_threads_aggregation!(\
        (SELECT *, 1 AS period_id FROM _estimates_w_tasks_attribution WHERE utid > 2), \
        wattson_window_trace, (SELECT cpu FROM _wattson_cpus WHERE cpu = 1))";
    let worker = "1 6000000 worker 80.0 13.333 0.0 80.0";
    assert!(threads(some).contains(&worker.to_owned()), "no {worker}");
    let sql = "INCLUDE PERFETTO MODULE wattson.windows; \
        SELECT subsystem, breakdown_type, component_id, parent_id, round(estimated_mw, 3) AS a, \
        round(estimated_mws * 1000, 3) AS b \
        FROM wattson_rails_aggregation!(wattson_window_trace) WHERE estimated_mw > 0 \
        ORDER BY breakdown_type";
    assert_eq!(
        lines(&trace, "wattson.aggregation", sql),
        [
            "CPU CORE 0 0 62.95 377.7",
            "CPU DSU NULL NULL 5.083 30.5",
            "CPU POLICY 0 NULL 62.95 377.7",
            "CPU TOTAL NULL NULL 68.033 408.2",
        ]
    );
    let sql = "SELECT * FROM wattson_metric_metadata";
    assert_eq!(lines(&trace, "wattson.aggregation", sql), ["4 1 0"]);
}

/// Without idle states those of the idle thread count. Its first time slice may have begun before
/// the trace.
#[test]
fn idle_states_from_scheduling() {
    let switch = |at, from, to| FtraceEvent::sched_switch(us(at), from, 1, to);
    let events = vec![
        switch(1_000, IDLE, APP),
        switch(2_000, APP, IDLE),
        switch(3_000, IDLE, WORKER),
        switch(4_000, WORKER, IDLE),
        switch(5_000, IDLE, APP),
    ];
    let trace = device("monaco", Vec::new(), vec![(0, events)]);
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, idle FROM _adjusted_deep_idle \
        WHERE cpu = 0 ORDER BY ts";
    assert_eq!(
        lines(&trace, "wattson.cpu.idle", sql),
        ["1000 2000 NULL", "3000 1000 -1", "4000 550 1", "4550 450 -1"]
    );
    let sql = "SELECT is_crude_estimate FROM wattson_metric_metadata";
    assert_eq!(lines(&trace, "wattson.aggregation", sql), ["1"]);
}

/// CPU 0 takes over for CPU 2 at 120, and CPU 2 is back at 400. From 420 to 450 is too short.
#[test]
fn cpus_that_are_offline() {
    let step = |at, idx| {
        let enter = Message::new().uint(1, 2).int(3, idx);
        let exit = Message::new().uint(1, 2).int(2, idx);
        [event(at, 345, enter), event(at + 10, 343, exit)]
    };
    let on_cpu_0 = [step(120, 2), step(420, 4)].concat();
    let on_cpu_2 = [step(100, 1), step(400, 3), step(450, 5), step(490, 6)].concat();
    let trace = device("Tensor G4", Vec::new(), vec![(0, on_cpu_0), (2, on_cpu_2)]);
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, cpu, offline \
        FROM _gapless_hotplug_slices WHERE cpu BETWEEN 1 AND 2 ORDER BY cpu, ts";
    assert_eq!(
        lines(&trace, "wattson.cpu.hotplug", sql),
        ["100 400 1 0", "100 20 2 0", "120 280 2 1", "400 20 2 0", "420 30 2 0", "450 50 2 0"]
    );
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, suspended FROM _gapless_suspend_slices";
    assert_eq!(lines(&trace, "wattson.cpu.hotplug", sql), ["100 400 0"]);
}

/// The power of CPU 0 depends on the DSU, that of CPU 7 on CPU 5, which consumes more than CPU 4.
/// In 2 ms, 5,000 hits of 2 nJ and 1,000 misses of 4 nJ are 7 mW; 3 are static, 1 is of the bus.
#[test]
fn power_that_depends_on_other_frequencies() {
    let counter = |uuid, name: &str| {
        let descriptor = TrackDescriptor::new(uuid).name(name).counter();
        Packet::new().sequence(1).track_descriptor(descriptor)
    };
    let count = |at, uuid, value| {
        let value = TrackEvent::counter(uuid, value);
        Packet::new().sequence(1).timestamp(us(at)).track_event(value)
    };
    let packets = vec![
        counter(10, "arm_dsu_0/l3d_cache/_cpu0"),
        counter(11, "arm_dsu_0-bus_access"),
        count(1_000, 10, 5_000),
        count(1_000, 11, 100),
        count(3_000, 10, 0),
        count(3_000, 11, 1_100),
    ];
    let clocks = [(0, 1_000), (4, 500), (5, 700), (7, 2_000)];
    let mut cpus: Vec<(u32, Vec<FtraceEvent>)> = clocks
        .into_iter()
        .map(|(cpu, khz)| (cpu, vec![frequency(1_000, cpu, khz), idle(1_000, cpu, AWAKE)]))
        .collect();
    let dsu = Message::new().bytes(1, "17000010.devfreq_dsu").uint(2, 900);
    cpus.push((1, vec![event(1_000, 541, dsu)]));
    let trace = device("Tensor G4", packets, cpus);
    let columns = "device, policy, freq_khz, static, active, idle0, idle1";
    let rows = "('Tensor G4', 4, 500, 0.0, 10.0, 2.0, 1.0), \
        ('Tensor G4', 4, 700, 0.0, 15.0, 3.0, 1.0)";
    set_curves(&trace, "_device_curves_1d", columns, rows);
    let columns = "device, policy, freq_khz, dep_policy, dep_freq, static, active, idle0, idle1, \
        interconnect";
    let rows = "('Tensor G4', 0, 1000, 255, 900, 3.0, 30.0, 5.0, 1.0, 1.0), \
        ('Tensor G4', 7, 2000, 4, 500, 0.0, 60.0, 6.0, 1.0, 0.0), \
        ('Tensor G4', 7, 2000, 4, 700, 0.0, 75.0, 7.0, 1.0, 0.0)";
    set_curves(&trace, "_device_curves_2d", columns, rows);
    let columns = "device, freq_khz, dep_policy, dep_freq, l3_hit, l3_miss";
    set_curves(&trace, "_device_curves_l3", columns, "('Tensor G4', 1000, 255, 900, 2.0, 4.0)");

    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, dsu_freq FROM _wattson_dsu_frequency";
    assert_eq!(lines(&trace, "wattson.cpu.arm_dsu", sql), ["1000 2000 900"]);
    let sql = "SELECT dur, l3_miss_rate, l3_hit_rate FROM _arm_l3_rates";
    assert_eq!(lines(&trace, "wattson.cpu.arm_dsu", sql), ["2000000 0.0005 0.0025"]);
    let sql = "SELECT dep_freq_0, dep_policy_0, dep_freq_7, dep_policy_7, policy_cpus_on_mask \
        FROM _w_dependent_cpus_unique";
    assert_eq!(lines(&trace, "wattson.cpu.pivot", sql), ["900 255 700 4 255"]);
    let sql = "SELECT l3_hit_count, l3_miss_count, dsu_freq FROM _w_independent_cpus_calc";
    assert_eq!(lines(&trace, "wattson.cpu.pivot", sql), ["5000 1000 900"]);
    let sql = "SELECT cpu0_mw, cpu1_mw, cpu4_mw, cpu5_mw, cpu7_mw, round(dsu_scu_mw, 6) AS shared \
        FROM _cpu_estimates_mw";
    assert_eq!(lines(&trace, "wattson.cpu.estimates", sql), ["30.0 NULL 10.0 15.0 75.0 11.0"]);
}

/// From 30 to 50 the GPU reports no frequency and keeps that of before. It works for two user ids
/// from 40 to 45, which share its power, and for none from 55 to 70.
#[test]
fn power_of_gpus() {
    let clock = |at, khz| event(at, 332, Message::new().uint(1, 1).uint(2, khz));
    let power = |at, to| event(at, 548, Message::new().uint(1, us(at)).int(2, 1).int(3, to));
    let work = |uid, from, to| {
        let period = Message::new().uint(1, 1).uint(2, uid).uint(3, us(from)).uint(4, us(to));
        event(to, 488, period.uint(5, us(1)))
    };
    let events = vec![
        clock(10, 400),
        power(20, 2),
        clock(30, 0),
        work(10_001, 35, 45),
        clock(50, 800),
        work(10_002, 40, 55),
        power(60, 0),
        work(10_001, 70, 80),
        frequency(100, 0, 1),
    ];
    let app = Message::new().bytes(1, "com.example").uint(2, 10_001);
    let packages =
        Packet::new().sequence(1).timestamp(1).payload(47, Message::new().message(1, app));
    let clocks = clocks(&[(clock_id::BOOTTIME, 1_000), (clock_id::MONOTONIC_RAW, 1_000)]);
    let trace = device("Tensor", vec![clocks, packages], vec![(0, events)]);
    let rows = "('Tensor', 400, 40.0, 4.0, 1.0), ('Tensor', 800, 80.0, 8.0, 2.0)";
    set_curves(&trace, "_gpu_device_curves", "device, freq_khz, active, idle1, idle2", rows);

    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, freq, power_state \
        FROM _gpu_freq_idle ORDER BY ts";
    assert_eq!(
        lines(&trace, "wattson.gpu.freq_idle", sql),
        ["10 10 400 NULL", "20 10 400 2", "30 20 400 1", "50 10 800 2", "60 40 800 0"]
    );
    let sql = "SELECT ts / 1000 AS at, gpu_mw FROM _gpu_estimates_mw ORDER BY ts";
    assert_eq!(
        lines(&trace, "wattson.gpu.estimates", sql),
        ["20 40.0", "30 4.0", "50 80.0", "60 2.0"]
    );
    let sql = "SELECT ts / 1000 AS at, active_tasks FROM _gpu_active_task_count ORDER BY ts";
    assert_eq!(
        lines(&trace, "wattson.tasks.gpu_tasks", sql),
        ["35 1", "40 2", "45 1", "55 0", "70 1"]
    );
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, cpu, uid, estimated_mw, idle_mw, \
        package_name FROM _gpu_estimates_w_tasks_attribution ORDER BY ts, uid";
    assert_eq!(
        lines(&trace, "wattson.tasks.attribution", sql),
        [
            "35 5 -2 10001 4.0 0.0 com.example",
            "40 5 -2 10001 2.0 0.0 com.example",
            "40 5 -2 10002 2.0 0.0 NULL",
            "45 5 -2 10002 4.0 0.0 NULL",
            "50 5 -2 10002 80.0 0.0 NULL",
            "55 5 -2 -1 0.0 80.0 GPU Idle",
            "60 10 -2 -1 0.0 2.0 GPU Idle",
            "70 10 -2 10001 2.0 0.0 com.example",
        ]
    );
}

/// Two requests run at the same time from 25 to 30.
#[test]
fn power_of_tpus() {
    let tracks = [track(20, "DVFS"), track(21, "TPU Requests"), track(22, "TPU Requests")];
    let slices =
        [slice(20, 20, 40, "500 MHz Cluster 0"), slice(21, 10, 30, "a"), slice(22, 25, 50, "b")];
    let slices = slices.into_iter().flatten().map(|(_, packet)| packet);
    let trace = device("Tensor", tracks.into_iter().chain(slices).collect(), Vec::new());
    let rows = "('Tensor', 0, 500, 1, 50.0), ('Tensor', 0, 500, 2, 70.0)";
    set_curves(&trace, "_tpu_device_curves", "device, cluster, freq, requests, active", rows);
    let sql =
        "SELECT ts / 1000 AS at, dur / 1000 AS lasts, freq, cluster FROM _tpu_freq ORDER BY ts";
    assert_eq!(
        lines(&trace, "wattson.tpu.freq_idle", sql),
        ["10 10 0 0", "20 20 500 0", "40 10 0 0"]
    );
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, requests FROM _tpu_requests_count \
        ORDER BY ts";
    assert_eq!(lines(&trace, "wattson.tpu.freq_idle", sql), ["10 15 1", "25 5 2", "30 20 1"]);
    let sql = "SELECT ts / 1000 AS at, dur / 1000 AS lasts, tpu_mw FROM _tpu_estimates_mw \
        ORDER BY ts";
    assert_eq!(
        lines(&trace, "wattson.tpu.estimates", sql),
        ["20 5 50.0", "25 5 70.0", "30 10 50.0"]
    );
}

#[test]
fn windows() {
    let trace = scene(&[
        slice(APP_TRACK, 20, 21, "wattson_start"),
        slice(APP_TRACK, 60, 62, "wattson_stop"),
    ]);
    let sql = "SELECT ts, dur, period_id FROM wattson_window_markers";
    assert_eq!(lines(&trace, "wattson.windows", sql), ["20000 40000 1"]);
    let sql = "SELECT ts, dur, period_id FROM wattson_window_trace";
    assert_eq!(lines(&trace, "wattson.windows", sql), ["5000 95000 1"]);
    let trace = empty();
    for view in ["markers", "app_startup", "atrace_apps"] {
        let sql = format!("SELECT count(*) FROM wattson_window_{view}");
        assert_eq!(lines(&trace, "wattson.windows", &sql), ["0"], "{view}");
    }
}
