//! A host, and a guest that sends its recording to the host.
//!
//! | clock | host | guest, at the same moment |
//! |---|---|---|
//! | BOOTTIME | 1,100,000 | 500,000 |
//! | MONOTONIC | 1,000,000 | |
//! | REALTIME | 1.7e18 + 100,000 | |
//! | the kernel's global clock | | 20,000 |
//!
//! The boot time of the guest was compared with that of the host; each message takes 10. The kernel
//! events of the guest are in the global clock, which bundles relate to its boot time. Both
//! machines have a thread 100, the main thread of a process 100.

use crate::{
    ClockSnapshot, FtraceBundle, FtraceEvent, Packet, ProcessTree, RemoteClockSync, SystemInfo,
    Task, TraceBuilder, TrackDescriptor, TrackEvent, clock_id, ftrace_clock, prev_state,
};

const SERVICE: u32 = 1;
const KERNEL: u32 = 2;
const PROGRAM: u32 = 3;
const GUEST: u32 = 7;

const TRACK: u64 = 9;
const EPOCH: u64 = 1_700_000_000_000_000_000;

pub fn trace() -> TraceBuilder {
    let guest = |packet: Packet| packet.machine(GUEST);
    TraceBuilder::new()
        .packet(
            of_service().clock_snapshot(
                ClockSnapshot::new()
                    .clock(clock_id::BOOTTIME, 1_000_000)
                    .clock(clock_id::MONOTONIC, 900_000)
                    .clock(clock_id::REALTIME, EPOCH),
            ),
        )
        .packet(of_service().system_info(system("6.1.0", "server")))
        .packet(guest(of_service().system_info(system("6.6.0", "virtual machine"))))
        .packet(guest(of_service().remote_clock_sync(sync())))
        .packet(processes("host app"))
        .packet(guest(processes("guest app")))
        .packet(track())
        .packet(guest(track()))
        .packet(kernel(FtraceBundle::new(0), 1_050_000, 1_050_500))
        .packet(guest(kernel(
            FtraceBundle::new(0).clock(ftrace_clock::GLOBAL).clock_reading(20_000, 500_000),
            20_100,
            20_700,
        )))
        .packet(instant(1_060_000, "host"))
        .packet(guest(instant(501_000, "guest")))
}

fn of_service() -> Packet {
    Packet::new().sequence(SERVICE)
}

fn system(release: &str, name: &str) -> SystemInfo {
    SystemInfo::linux(release).machine_name(name).num_cpus(1)
}

fn sync() -> RemoteClockSync {
    let reading = |value| ClockSnapshot::new().clock(clock_id::BOOTTIME, value);
    RemoteClockSync::new()
        .exchange(reading(500_000), reading(1_100_010))
        .exchange(reading(500_020), reading(1_100_030))
}

fn processes(cmdline: &str) -> Packet {
    of_service().timestamp(1).process_tree(ProcessTree::new().process(100, 1, &[cmdline], 1000))
}

fn track() -> Packet {
    let track = TrackDescriptor::new(TRACK).thread(100, 100, "main");
    Packet::new().sequence(PROGRAM).track_descriptor(track)
}

/// The thread runs from `from` to `to`.
fn kernel(bundle: FtraceBundle, from: u64, to: u64) -> Packet {
    let (idle, app) = (Task::new("swapper", 0), Task::new("app", 100));
    let bundle = bundle
        .event(FtraceEvent::sched_switch(from, idle, prev_state::RUNNABLE, app))
        .event(FtraceEvent::sched_switch(to, app, prev_state::SLEEPING, idle));
    Packet::new().sequence(KERNEL).ftrace(bundle)
}

fn instant(at: u64, name: &str) -> Packet {
    let event = TrackEvent::instant(TRACK).name(name);
    Packet::new().sequence(PROGRAM).timestamp(at).track_event(event)
}
