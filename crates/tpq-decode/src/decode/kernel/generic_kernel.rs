//! Kernels that are not Linux, as their recorders describe them: states and names of threads,
//! processes, and how fast CPUs and GPUs run.

use tpq_ingest::Route;
use tpq_proto::fields::{
    generic_gpu_frequency_event, generic_kernel_cpu_frequency_event,
    generic_kernel_process_tree::{self, process, thread},
    generic_kernel_task_rename_event, generic_kernel_task_state_event, trace_packet,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Packet, PacketDecoder, text};
use tpq_trackers::deferred::StateEvent;
use tpq_trackers::track::{
    Change, Dimensions, MAX_CPUS, NamePriority, Tid, TrackKind, Trackers, Utid,
};

pub(crate) const TASK_STATE: PacketDecoder = PacketDecoder {
    field: trace_packet::GENERIC_KERNEL_TASK_STATE_EVENT,
    route: Route::Sorted,
    decode: decode_task_state,
};
pub(crate) const CPU_FREQUENCY: PacketDecoder = PacketDecoder {
    field: trace_packet::GENERIC_KERNEL_CPU_FREQ_EVENT,
    route: Route::Sorted,
    decode: decode_cpu_frequency,
};
pub(crate) const TASK_RENAME: PacketDecoder = PacketDecoder {
    field: trace_packet::GENERIC_KERNEL_TASK_RENAME_EVENT,
    route: Route::Sorted,
    decode: decode_task_rename,
};
pub(crate) const PROCESS_TREE: PacketDecoder = PacketDecoder {
    field: trace_packet::GENERIC_KERNEL_PROCESS_TREE,
    route: Route::Sorted,
    decode: decode_process_tree,
};
pub(crate) const GPU_FREQUENCY: PacketDecoder = PacketDecoder {
    field: trace_packet::GENERIC_GPU_FREQUENCY_EVENT,
    route: Route::Sorted,
    decode: decode_gpu_frequency,
};

/// The tracks on which Linux's own events lie as well.
const CPU: TrackKind = TrackKind::counter("cpu_frequency", None);
const GPU: TrackKind = TrackKind::counter("gpu_frequency", Some("MHz"));

/// States of threads, by the number of each.
mod state {
    pub(in crate::decode) const CREATED: i64 = 1;
    pub(in crate::decode) const RUNNABLE: i64 = 2;
    pub(in crate::decode) const RUNNING: i64 = 3;
    pub(in crate::decode) const DEAD: i64 = 7;
    pub(in crate::decode) const DESTROYED: i64 = 8;

    /// The name of a state; `None` when it is none.
    pub(in crate::decode) fn name(number: i64) -> Option<&'static str> {
        Some(match number {
            CREATED => "Created",
            RUNNABLE => "R",
            RUNNING => "Running",
            4 => "S",
            5 => "D",
            6 => "T",
            DEAD => "Z",
            DESTROYED => "X",
            _ => return None,
        })
    }
}

fn decode_task_state(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    trackers.bounds.include(packet.ts());
    let event = LastFields::<6>::new(packet.data);
    let number = i64::from(event.int(generic_kernel_task_state_event::STATE) as i32);
    let Some(name) = state::name(number) else {
        stats.increment(Stat::TaskStateInvalid);
        return;
    };
    let state = tables.strings.intern(name);
    let Some(utid) = thread_of(packet, &event, number, trackers, tables, stats) else { return };
    let (ts, cpu) = (packet.ts(), event.int(generic_kernel_task_state_event::CPU) as u32);
    let mut ucpu = None;
    let change = if number == state::RUNNING {
        if cpu > MAX_CPUS {
            stats.increment(Stat::MalformedPackets);
            return;
        }
        let on = trackers.cpus.get(packet.machine, cpu, tables);
        ucpu = Some(on);
        trackers.source.task_states.run(
            ts,
            (cpu, on),
            (utid, event.int(generic_kernel_task_state_event::PRIO) as i32),
            tables,
        )
    } else {
        trackers.source.task_states.stop(ts, cpu, utid, state, tables)
    };
    let (task_states, deferred) = (&mut trackers.source.task_states, &mut trackers.deferred);
    let mut enter = |event, utid, state| {
        task_states.note(utid, state);
        deferred.push_state(event);
    };
    if change == Change::Explained {
        return enter(StateEvent::Correct { utid, state }, utid, state);
    }
    if let Change::Displaced(utid) = change {
        let state = StringId::NULL;
        enter(StateEvent::Change { ts, utid, state, ucpu: None }, utid, state);
    }
    enter(StateEvent::Change { ts, utid, state, ucpu }, utid, state);
}

/// The thread that an event is of; `None` when the state cannot follow on what was seen of it.
fn thread_of(
    packet: &Packet<'_>,
    event: &LastFields<'_, 6>,
    state: i64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<Utid> {
    let (processes, task_states) = (&mut trackers.processes, &mut trackers.source.task_states);
    let tid = Tid { machine: packet.machine, id: event.int(generic_kernel_task_state_event::TID) };
    let known = processes.known_thread(tid, tables);
    let before = known.and_then(|utid| task_states.latest(utid));
    let before = before.map(|state| tables.strings.get(state));
    let disorder = match state {
        state::CREATED => known.is_some(),
        // Nothing follows on death but that what is left is cleared away.
        state::DESTROYED => false,
        state::RUNNING => matches!(before, Some("Running" | "Z")),
        _ => before == Some("Z"),
    };
    if disorder {
        stats.increment(Stat::GenericTaskStateInvalidOrder);
        return None;
    }
    let utid = match known {
        Some(utid) => utid,
        None => {
            let since = (state == state::CREATED).then_some(packet.ts());
            processes.start_thread(since, tid, tables)
        }
    };
    if state != state::DESTROYED || known.is_none() {
        let comm = text(event, generic_kernel_task_state_event::COMM, tables);
        processes.name_thread(utid, comm, NamePriority::Ftrace, tables);
    }
    if state == state::DESTROYED {
        processes.end_thread(packet.ts(), tid, tables);
    }
    Some(utid)
}

fn decode_task_rename(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let event = LastFields::<3>::new(packet.data);
    let tid = Tid { machine: packet.machine, id: event.int(generic_kernel_task_rename_event::TID) };
    let comm = text(&event, generic_kernel_task_rename_event::COMM, tables);
    if comm.is_null() {
        trackers.processes.thread(tid, tables);
    } else {
        trackers.processes.rename(tid, comm, tables);
    }
}

fn decode_cpu_frequency(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let event = LastFields::<3>::new(packet.data);
    let (machine, cpu) =
        (packet.machine, event.int(generic_kernel_cpu_frequency_event::CPU) as u32);
    if cpu > MAX_CPUS {
        stats.increment(Stat::MalformedPackets);
        return;
    }
    trackers.cpus.get(machine, cpu, tables);
    let khz = event.int(generic_kernel_cpu_frequency_event::FREQ_HZ) as f64 / 1000.0;
    let name = tables.strings.intern("cpufreq");
    trackers.count((packet.ts(), khz), CPU, Dimensions::cpu(machine, cpu), name, tables);
}

fn decode_gpu_frequency(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    _: &mut Stats,
) {
    let event = LastFields::<3>::new(packet.data);
    let dimensions = trackers.gpus.dimensions(
        packet.machine,
        event.uint(generic_gpu_frequency_event::GPU_ID) as u32,
        tables,
    );
    let name = tables.strings.intern("gpufreq");
    // In kHz, whatever the track says: what Linux's own event gives is no other.
    let khz = f64::from(event.uint(generic_gpu_frequency_event::FREQUENCY_KHZ) as u32);
    trackers.count((packet.ts(), khz), GPU, dimensions, name, tables);
}

fn decode_process_tree(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let of = |number| Fields::new(packet.data).filter(move |field| field.number == number);
    for process in of(generic_kernel_process_tree::PROCESSES) {
        let process = LastFields::<4>::new(process.as_bytes());
        add_process(packet.machine, &process, trackers, tables, stats);
    }
    for thread in of(generic_kernel_process_tree::THREADS) {
        let thread = LastFields::<6>::new(thread.as_bytes());
        add_thread(packet.machine, &thread, trackers, tables);
    }
}

fn add_process(
    machine: u32,
    process: &LastFields<'_, 4>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(cmdline) = process.get(process::CMDLINE) else { return };
    let cmdline = cmdline.as_bytes();
    let program = cmdline.split(|&byte| byte == b' ').next().unwrap_or(cmdline);
    let [pid, parent] =
        [process::PID, process::PPID].map(|number| Tid { machine, id: process.int(number) });
    let parent = trackers.processes.process_without_main(parent, tables);
    let upid = trackers.processes.process_without_main(pid, tables);
    trackers.processes.set_parent(upid, parent, tables, stats);
    let [name, cmdline] = [program, cmdline].map(|text| tables.strings.intern_bytes(text));
    tables.process.name.set(upid, name);
    tables.process.cmdline.set(upid, cmdline);
}

/// Any thread can be the main one, whatever its id, and there can be idle threads other than 0.
fn add_thread(
    machine: u32,
    thread: &LastFields<'_, 6>,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let [tid, pid] =
        [thread::TID, thread::PID].map(|number| Tid { machine, id: thread.int(number) });
    trackers.processes.process_without_main(pid, tables);
    let utid = trackers.processes.thread_of_process(tid, pid, tables);
    tables
        .thread
        .is_main_thread
        .set(utid, Some(u32::from(thread.uint(thread::IS_MAIN_THREAD) != 0)));
    if thread.uint(thread::IS_IDLE) != 0 {
        tables.thread.is_idle.set(utid, 1);
    }
    let comm = text(thread, thread::COMM, tables);
    trackers.processes.name_thread(utid, comm, NamePriority::ProcessTree, tables);
}
