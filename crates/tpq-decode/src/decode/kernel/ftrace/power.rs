//! Suspend and resume: of the machine, and of its devices.

use tpq_proto::fields::ftrace::{
    device_pm_callback_end, device_pm_callback_start, ftrace_event, rpm_status, suspend_resume,
    suspend_resume_minimal,
};
use tpq_tables::{Stats, Tables};

use super::effects::{Arg, Effects};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Suspend, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::SUSPEND_RESUME, suspend_resume),
    (ftrace_event::SUSPEND_RESUME_MINIMAL, suspend_resume_minimal),
    (ftrace_event::RPM_STATUS, runtime_status),
    (ftrace_event::DEVICE_PM_CALLBACK_START, callback_start),
    (ftrace_event::DEVICE_PM_CALLBACK_END, callback_end),
];

const SUSPEND_RESUME: TrackKind = TrackKind::slices("suspend_resume");
const LATENCY: &str = "Suspend/Resume Latency";
const MINIMAL: TrackKind = TrackKind::slices("suspend_resume_minimal");
/// Holds slices, although its kind is that of counters.
const RUNTIME: TrackKind = TrackKind::counter("linux_rpm", None);

/// An action of suspending or resuming begins or ends.
fn suspend_resume(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let action = event.string(suspend_resume::ACTION);
    // Its value is the CPU, on which the machine need not wake again.
    let value =
        if action == "timekeeping_freeze" { 0 } else { event.int(suspend_resume::VAL) as i32 };
    let name = format!("{action}({value})");
    let cookie = u64::from(effects.intern(&name).0);
    if event.int(suspend_resume::START) == 0 {
        let of = effects.machine();
        effects.end_shared((SUSPEND_RESUME, of, LATENCY), cookie, &[]);
        action_ended(&mut effects, &action);
        return;
    }
    let suspend = &mut effects.trackers.source.kernel.suspend;
    match (action.as_ref(), *suspend) {
        ("suspend_enter", _) => *suspend = Suspend::Entering(cookie),
        ("freeze_processes", Suspend::Entering(entry)) => *suspend = Suspend::Freezing(entry),
        _ => {}
    }
    begin(&mut effects, &name, cookie, "Main Kernel Suspend Event", [Arg::NoText; 3]);
}

/// Entering the suspend ended, or cannot go on: processes thaw while they are being frozen only
/// where that failed.
fn action_ended(effects: &mut Effects<'_, '_>, action: &str) {
    match (action, effects.trackers.source.kernel.suspend) {
        ("suspend_enter", _) => {}
        ("thaw_processes", Suspend::Freezing(entry)) => {
            let of = effects.machine();
            effects.end_shared((SUSPEND_RESUME, of, LATENCY), entry, &[]);
        }
        _ => return,
    }
    effects.trackers.source.kernel.suspend = Suspend::Awake;
}

/// Begins a slice of suspending or resuming; of a device, its name, driver and phase are known.
fn begin(
    effects: &mut Effects<'_, '_>,
    name: &str,
    cookie: u64,
    event_type: &str,
    [device, driver, phase]: [Arg<'_>; 3],
) {
    let utid = effects.utid();
    let args = [
        ("utid", Arg::Uint(utid.into())),
        ("event_type", Arg::Text(event_type)),
        ("cpu", Arg::Uint(effects.event.cpu.into())),
        ("device_name", device),
        ("driver_name", driver),
        ("callback_phase", phase),
    ];
    let of = effects.machine();
    effects.begin_shared((SUSPEND_RESUME, of, LATENCY), cookie, name, &args);
}

fn suspend_resume_minimal(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.track(MINIMAL, effects.machine(), "Suspend/Resume Minimal");
    if event.int(suspend_resume_minimal::START) != 0 {
        effects.begin(track, "Suspended", &[]);
    } else {
        effects.end(track, &[]);
    }
}

/// A device is being suspended or resumed.
fn callback_start(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let (device, driver) = (
        event.string(device_pm_callback_start::DEVICE),
        event.string(device_pm_callback_start::DRIVER),
    );
    let name = format!("{device} {driver}");
    let cookie = u64::from(effects.intern(&name).0);
    let phase = callback_phase(
        &event.string(device_pm_callback_start::PM_OPS),
        event.int(device_pm_callback_start::EVENT) as i32,
    );
    let args = [Arg::Text(&device), Arg::Text(&driver), Arg::Text(&phase)];
    begin(&mut effects, &name, cookie, "Device PM Suspend Event", args);
}

fn callback_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let name = format!(
        "{} {}",
        event.string(device_pm_callback_end::DEVICE),
        event.string(device_pm_callback_end::DRIVER)
    );
    let cookie = u64::from(effects.intern(&name).0);
    let of = effects.machine();
    effects.end_shared((SUSPEND_RESUME, of, LATENCY), cookie, &[]);
}

/// The purpose of a device's callback, such as `suspend:late`.
fn callback_phase(operations: &str, event: i32) -> String {
    let event = match event {
        0x01 => "freeze",
        0x02 => "suspend",
        0x04 => "hibernate",
        0x08 => "quiesce",
        0x10 => "resume",
        0x20 => "thaw",
        0x40 => "restore",
        0x80 => "recover",
        _ => "(unknown PM event)",
    };
    // The kernel does not name the operations of the first and the last phase.
    let phase = match (operations, event) {
        ("", "suspend") => Some("prepare"),
        ("", "resume") => Some("complete"),
        _ => ["early", "late", "noirq"].into_iter().find(|&phase| operations.starts_with(phase)),
    };
    phase.map_or_else(|| event.to_owned(), |phase| format!("{event}:{phase}"))
}

/// A device that the kernel puts to sleep when it is not used changed its state. Asleep, which it
/// is most of the time, is no slice.
fn runtime_status(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let device = event.string(rpm_status::NAME);
    let of = effects.by_text("linux_device", &device);
    let track = effects.nameless_track(RUNTIME, of);
    effects.end(track, &[]);
    let name = match event.int(rpm_status::STATUS) as i32 {
        0 => "Active",
        1 => "Resuming",
        2 => return,
        3 => "Suspending",
        _ => "Invalid State",
    };
    effects.begin(track, name, &[]);
}
