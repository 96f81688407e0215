//! Reports of processors other than the CPUs through the kernel: power management, interconnects
//! and sensors.

use tpq_proto::fields::ftrace::{
    cros_ec_sensorhub_data, ftrace_event, fwtp_perfetto_counter, fwtp_perfetto_slice,
    google_irm_event, param_set_value_cpm,
};
use tpq_tables::{Stats, Tables};

use super::effects::{Arg, Effects};
use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::CROS_EC_SENSORHUB_DATA, sensor),
    (ftrace_event::GOOGLE_ICC_EVENT, interconnect),
    (ftrace_event::GOOGLE_IRM_EVENT, resources),
    (ftrace_event::PARAM_SET_VALUE_CPM, power_counter),
    (ftrace_event::FWTP_PERFETTO_COUNTER, counter),
    (ftrace_event::FWTP_PERFETTO_SLICE, slice),
];

const SENSOR: TrackKind = TrackKind::counter("cros_ec_sensorhub_data", None);
const INTERCONNECT: TrackKind = TrackKind::slices("interconnect_events");
const POWER_COUNTER: TrackKind = TrackKind::counter("pixel_cpm_counters", None);
const COUNTER: TrackKind = TrackKind::counter("pixel_fwtp_counters", None);
const SLICE: TrackKind = TrackKind::slices("pixel_fwtp_slices");

/// How old a sensor's sample was when it was passed on.
fn sensor(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let number = event.int(cros_ec_sensorhub_data::EC_SENSOR_NUM) as u32;
    let (now, sampled, queued) = (
        event.int(cros_ec_sensorhub_data::CURRENT_TIME),
        event.int(cros_ec_sensorhub_data::CURRENT_TIMESTAMP),
        event.int(cros_ec_sensorhub_data::FIFO_TIMESTAMP),
    );
    let of = effects.machine().number("ec_sensor_num", number.into());
    let args = [
        ("ec_num", Arg::Int(number.into())),
        ("ec_delta", Arg::Int(queued.wrapping_sub(sampled))),
        ("sample_ts", Arg::Int(sampled)),
    ];
    let name = format!("cros_ec.cros_ec_sensorhub_data.{number}");
    effects.count_with(SENSOR, of, &name, now.wrapping_sub(sampled) as f64, &args);
}

fn interconnect(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    interconnect_event(&mut event.effects(trackers, tables, stats), "google_icc_event");
}

fn resources(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    interconnect_event(&mut event.effects(trackers, tables, stats), "google_irm_event");
}

fn interconnect_event(effects: &mut Effects<'_, '_>, category: &str) {
    let name = effects.event.string(google_irm_event::EVENT);
    let track = effects.track(INTERCONNECT, effects.machine(), "Interconnect Events");
    effects.instant(track, (category, name.as_ref()), &[]);
}

/// The event is dated when the counter was read.
fn power_counter(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    named_counter(
        &mut event.effects(trackers, tables, stats),
        POWER_COUNTER,
        param_set_value_cpm::BODY,
        param_set_value_cpm::VALUE,
    );
}

fn counter(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    named_counter(
        &mut event.effects(trackers, tables, stats),
        COUNTER,
        fwtp_perfetto_counter::NAME,
        fwtp_perfetto_counter::VALUE,
    );
}

/// A counter with its name and value in these fields.
fn named_counter(effects: &mut Effects<'_, '_>, kind: TrackKind, name: u32, value: u32) {
    let name = effects.event.string(name);
    let of = effects.by_text("name", &name);
    effects.count(kind, of, &name, f64::from(effects.event.int(value) as u32));
}

/// Slices of one name do not overlap: one that begins ends what was open.
fn slice(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut effects = event.effects(trackers, tables, stats);
    let (category, name) =
        (event.string(fwtp_perfetto_slice::CATEGORY), event.string(fwtp_perfetto_slice::NAME));
    let track = effects.track(SLICE, Dimensions::machine(event.machine), &name);
    effects.end(track, &[]);
    if event.int(fwtp_perfetto_slice::BEGIN) != 0 {
        effects.begin(track, (category.as_ref(), name.as_ref()), &[]);
    }
}
