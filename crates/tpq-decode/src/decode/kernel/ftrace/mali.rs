//! Mali GPUs: interrupts, the states of their microcontroller, and their power.

use tpq_tables::{Stats, Tables};

use super::effects::Arg;
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (482, interrupt_start),
    (483, interrupt_end),
    (510, |e, r, t, s| mcu(e, "HCTL_CORES_DOWN_SCALE_NOTIFY_PEND", r, t, s)),
    (511, |e, r, t, s| mcu(e, "HCTL_CORES_NOTIFY_PEND", r, t, s)),
    (512, |e, r, t, s| mcu(e, "HCTL_CORE_INACTIVE_PEND", r, t, s)),
    (513, |e, r, t, s| mcu(e, "HCTL_MCU_ON_RECHECK", r, t, s)),
    (514, |e, r, t, s| mcu(e, "HCTL_SHADERS_CORE_OFF_PEND", r, t, s)),
    (515, |e, r, t, s| mcu(e, "HCTL_SHADERS_PEND_OFF", r, t, s)),
    (516, |e, r, t, s| mcu(e, "HCTL_SHADERS_PEND_ON", r, t, s)),
    (517, |e, r, t, s| mcu(e, "HCTL_SHADERS_READY_OFF", r, t, s)),
    (518, |e, r, t, s| mcu(e, "IN_SLEEP", r, t, s)),
    (519, |e, r, t, s| mcu(e, "OFF", r, t, s)),
    (520, |e, r, t, s| mcu(e, "ON", r, t, s)),
    (521, |e, r, t, s| mcu(e, "ON_CORE_ATTR_UPDATE_PEND", r, t, s)),
    (522, |e, r, t, s| mcu(e, "ON_GLB_REINIT_PEND", r, t, s)),
    (523, |e, r, t, s| mcu(e, "ON_HALT", r, t, s)),
    (524, |e, r, t, s| mcu(e, "ON_HWCNT_DISABLE", r, t, s)),
    (525, |e, r, t, s| mcu(e, "ON_HWCNT_ENABLE", r, t, s)),
    (526, |e, r, t, s| mcu(e, "ON_PEND_HALT", r, t, s)),
    (527, |e, r, t, s| mcu(e, "ON_PEND_SLEEP", r, t, s)),
    (528, |e, r, t, s| mcu(e, "ON_SLEEP_INITIATE", r, t, s)),
    (529, |e, r, t, s| mcu(e, "PEND_OFF", r, t, s)),
    (530, |e, r, t, s| mcu(e, "PEND_ON_RELOAD", r, t, s)),
    (531, |e, r, t, s| mcu(e, "POWER_DOWN", r, t, s)),
    (532, |e, r, t, s| mcu(e, "RESET_WAIT", r, t, s)),
    (548, power_state),
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
    let args = [("info_val", Arg::Uint(event.uint(3)))];
    event.on(trackers, tables, stats).begin(track, INTERRUPT, &args);
}

fn interrupt_end(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = irq_track(event, trackers, tables);
    let args = [("info_val", Arg::Uint(event.uint(3)))];
    event.on(trackers, tables, stats).end_named(track, INTERRUPT, &args);
}

/// The microcontroller left the state it was in for another.
fn mcu(
    event: &FtraceEvent<'_>,
    state: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    let track = on.nameless_track(MCU, Dimensions::machine(event.machine));
    on.end(track, &[]);
    on.begin(track, state, &[]);
}

fn power_state(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut on = event.on(trackers, tables, stats);
    on.count(POWER_STATE, on.machine(), POWER_STATE.name, f64::from(event.int(3) as i32));
}
