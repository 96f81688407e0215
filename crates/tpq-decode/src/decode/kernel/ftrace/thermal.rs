//! Temperatures, cooling devices, and parts that are throttled for lack of power.

use tpq_proto::fields::ftrace::{
    bcl_irq_trigger, cdev_update, ftrace_event, thermal_exynos_acpm_bulk, thermal_temperature,
};
use tpq_tables::{Stat, Stats, Tables};

use super::effects::{Arg, Effects};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::THERMAL_TEMPERATURE, temperature),
    (ftrace_event::CDEV_UPDATE, cooling),
    (ftrace_event::THERMAL_EXYNOS_ACPM_BULK, zone),
    (ftrace_event::THERMAL_EXYNOS_ACPM_HIGH_OVERHEAD, zone),
    (ftrace_event::BCL_IRQ_TRIGGER, battery_limit),
];

const TEMPERATURE: TrackKind = TrackKind::counter("thermal_temperature", None);
const COOLING: TrackKind = TrackKind::counter("cooling_device_counter", None);
const ZONE_TEMPERATURE: TrackKind = TrackKind::counter("acpm_thermal_temperature", None);
const ZONE_COOLING: TrackKind = TrackKind::counter("acpm_cooling_device_counter", None);
const BATTERY_LIMIT: TrackKind = TrackKind::counter("bcl_irq", None);

/// The zones of the power management firmware, by number.
const ZONES: [&str; 7] = ["BIG", "MID", "LITTLE", "GPU", "ISP", "TPU", "AUR"];

fn temperature(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let zone = event.string(thermal_temperature::THERMAL_ZONE);
    let of = effects.by_text("thermal_zone", &zone);
    let value = f64::from(event.int(thermal_temperature::TEMP) as i32);
    effects.count(TEMPERATURE, of, &format!("{zone} Temperature"), value);
}

fn cooling(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let device = event.string(cdev_update::TYPE);
    let of = effects.by_text("linux_device", &device);
    effects.count(
        COOLING,
        of,
        &format!("{device} Cooling Device"),
        event.uint(cdev_update::TARGET) as f64,
    );
}

/// Reports of the power management firmware about a zone.
fn zone(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut effects = event.effects(trackers, tables, stats);
    let number = event.int(thermal_exynos_acpm_bulk::TZ_ID);
    let zone = usize::try_from(number).ok().and_then(|number| ZONES.get(number));
    let Some(zone) = zone else {
        effects.stats.increment(Stat::FtraceThermalExynosAcpmUnknownTzId);
        return;
    };
    let of = effects.by_text("thermal_zone", zone);
    let args = [("thermal_zone_id", Arg::Int(number))];
    let temperature = event.int(thermal_exynos_acpm_bulk::CURRENT_TEMP) as f64;
    effects.count_with(ZONE_TEMPERATURE, of, &format!("{zone} Temperature"), temperature, &args);
    let state = event.int(thermal_exynos_acpm_bulk::CDEV_STATE) as f64;
    effects.count_with(ZONE_COOLING, of, &format!("Tj-{zone} Cooling Device"), state, &args);
}

/// The battery could not give what was asked of it, so that parts are held down, or can again.
fn battery_limit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let throttle = event.int(bcl_irq_trigger::THROTTLE) as i32;
    let while_throttled = |number, otherwise| match throttle {
        0 => otherwise,
        _ => event.int(number) as i32,
    };
    let mut count = |key: &str, value: i32| count_limit(&mut effects, key, value);
    count("bcl_irq_id", while_throttled(bcl_irq_trigger::ID, -1));
    count("bcl_irq_throttle", throttle);
    for (number, part) in [
        (bcl_irq_trigger::CPU0_LIMIT, "cpu0"),
        (bcl_irq_trigger::CPU1_LIMIT, "cpu1"),
        (bcl_irq_trigger::CPU2_LIMIT, "cpu2"),
        (bcl_irq_trigger::TPU_LIMIT, "tpu"),
        (bcl_irq_trigger::GPU_LIMIT, "gpu"),
    ] {
        count(&format!("bcl_irq_{part}"), while_throttled(number, 0));
    }
    count("bcl_irq_voltage", event.int(bcl_irq_trigger::VOLTAGE) as i32);
    count("bcl_irq_capacity", event.int(bcl_irq_trigger::CAPACITY) as i32);
}

fn count_limit(effects: &mut Effects<'_, '_>, key: &str, value: i32) {
    let of = effects.by_text("bcl_key", key);
    effects.count(BATTERY_LIMIT, of, key, f64::from(value));
}
