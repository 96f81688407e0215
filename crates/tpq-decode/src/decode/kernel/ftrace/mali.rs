//! Mali GPUs: interrupts, the states of their microcontroller, and their power.

use tpq_proto::fields::ftrace::{
    ftrace_event, mali_gpu_power_state, mali_mali_csfinterruptend, mali_mali_csfinterruptstart,
};
use tpq_tables::{Stats, Tables};

use super::effects::Arg;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::MALI_MALI_CSF_INTERRUPT_START, interrupt_start),
    (ftrace_event::MALI_MALI_CSF_INTERRUPT_END, interrupt_end),
    (ftrace_event::MALI_MALI_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND, |e, r, t, s| {
        mcu(e, "HCTL_CORES_DOWN_SCALE_NOTIFY_PEND", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_HCTL_CORES_NOTIFY_PEND, |e, r, t, s| {
        mcu(e, "HCTL_CORES_NOTIFY_PEND", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_HCTL_CORE_INACTIVE_PEND, |e, r, t, s| {
        mcu(e, "HCTL_CORE_INACTIVE_PEND", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_HCTL_MCU_ON_RECHECK, |e, r, t, s| {
        mcu(e, "HCTL_MCU_ON_RECHECK", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_HCTL_SHADERS_CORE_OFF_PEND, |e, r, t, s| {
        mcu(e, "HCTL_SHADERS_CORE_OFF_PEND", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_HCTL_SHADERS_PEND_OFF, |e, r, t, s| {
        mcu(e, "HCTL_SHADERS_PEND_OFF", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_HCTL_SHADERS_PEND_ON, |e, r, t, s| {
        mcu(e, "HCTL_SHADERS_PEND_ON", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_HCTL_SHADERS_READY_OFF, |e, r, t, s| {
        mcu(e, "HCTL_SHADERS_READY_OFF", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_IN_SLEEP, |e, r, t, s| mcu(e, "IN_SLEEP", r, t, s)),
    (ftrace_event::MALI_MALI_PM_MCU_OFF, |e, r, t, s| mcu(e, "OFF", r, t, s)),
    (ftrace_event::MALI_MALI_PM_MCU_ON, |e, r, t, s| mcu(e, "ON", r, t, s)),
    (ftrace_event::MALI_MALI_PM_MCU_ON_CORE_ATTR_UPDATE_PEND, |e, r, t, s| {
        mcu(e, "ON_CORE_ATTR_UPDATE_PEND", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_ON_GLB_REINIT_PEND, |e, r, t, s| {
        mcu(e, "ON_GLB_REINIT_PEND", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_ON_HALT, |e, r, t, s| mcu(e, "ON_HALT", r, t, s)),
    (ftrace_event::MALI_MALI_PM_MCU_ON_HWCNT_DISABLE, |e, r, t, s| {
        mcu(e, "ON_HWCNT_DISABLE", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_ON_HWCNT_ENABLE, |e, r, t, s| {
        mcu(e, "ON_HWCNT_ENABLE", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_ON_PEND_HALT, |e, r, t, s| mcu(e, "ON_PEND_HALT", r, t, s)),
    (ftrace_event::MALI_MALI_PM_MCU_ON_PEND_SLEEP, |e, r, t, s| mcu(e, "ON_PEND_SLEEP", r, t, s)),
    (ftrace_event::MALI_MALI_PM_MCU_ON_SLEEP_INITIATE, |e, r, t, s| {
        mcu(e, "ON_SLEEP_INITIATE", r, t, s)
    }),
    (ftrace_event::MALI_MALI_PM_MCU_PEND_OFF, |e, r, t, s| mcu(e, "PEND_OFF", r, t, s)),
    (ftrace_event::MALI_MALI_PM_MCU_PEND_ON_RELOAD, |e, r, t, s| mcu(e, "PEND_ON_RELOAD", r, t, s)),
    (ftrace_event::MALI_MALI_PM_MCU_POWER_DOWN, |e, r, t, s| mcu(e, "POWER_DOWN", r, t, s)),
    (ftrace_event::MALI_MALI_PM_MCU_RESET_WAIT, |e, r, t, s| mcu(e, "RESET_WAIT", r, t, s)),
    (ftrace_event::MALI_GPU_POWER_STATE, power_state),
];

const IRQ: TrackKind = TrackKind::slices("cpu_mali_irq");
const MCU: TrackKind = TrackKind::slices("mali_mcu_state");
const POWER_STATE: TrackKind = TrackKind::counter("mali_gpu_power_state", None);
const INTERRUPT: &str = "mali_CSF_INTERRUPT";

fn irq_track(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables) -> u32 {
    event.cpu_track(IRQ, "Mali Irq", trackers, tables)
}

/// Interrupts are of no thread or process, so their track is the CPU's.
fn interrupt_start(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = irq_track(event, trackers, tables);
    let args = [("info_val", Arg::Uint(event.uint(mali_mali_csfinterruptstart::INFO_VAL)))];
    event.effects(trackers, tables, stats).begin(track, INTERRUPT, &args);
}

fn interrupt_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = irq_track(event, trackers, tables);
    let args = [("info_val", Arg::Uint(event.uint(mali_mali_csfinterruptend::INFO_VAL)))];
    event.effects(trackers, tables, stats).end_named(track, INTERRUPT, &args);
}

/// The microcontroller left the state it was in for another.
fn mcu(
    event: &FtraceEvent<'_>,
    state: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let track = effects.nameless_track(MCU, Dimensions::machine(event.machine));
    effects.end(track, &[]);
    effects.begin(track, state, &[]);
}

fn power_state(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    effects.count(
        POWER_STATE,
        effects.machine(),
        POWER_STATE.name,
        f64::from(event.int(mali_gpu_power_state::TO_STATE) as i32),
    );
}
