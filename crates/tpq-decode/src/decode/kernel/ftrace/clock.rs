//! Clocks of hardware, and devices that choose how fast to run.

use tpq_proto::fields::ftrace::{clock_set_rate, devfreq_frequency, ftrace_event};
use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::track::{TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::CLOCK_ENABLE, state),
    (ftrace_event::CLOCK_DISABLE, state),
    (ftrace_event::CLOCK_SET_RATE, set_rate),
    (ftrace_event::DEVFREQ_FREQUENCY, device_frequency),
];

const FREQUENCY: TrackKind = TrackKind::counter("clock_frequency", None);
const STATE: TrackKind = TrackKind::counter("clock_state", None);
const DEVICE_FREQUENCY: TrackKind = TrackKind::counter("linux_device_frequency", None);

fn set_rate(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    count(event, FREQUENCY, "Frequency", trackers, tables, stats);
}

/// A clock was enabled or disabled; the event gives its new state.
fn state(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    count(event, STATE, "State", trackers, tables, stats);
}

fn count(
    event: &FtraceEvent<'_>,
    kind: TrackKind,
    what: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let clock = event.string(clock_set_rate::NAME);
    let of = effects.by_text("linux_device", &clock);
    effects.count(kind, of, &format!("{clock} {what}"), event.uint(clock_set_rate::STATE) as f64);
}

/// Names of devices begin with an address, which the track's name leaves out.
fn device_frequency(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut effects = event.effects(trackers, tables, stats);
    let device = event.string(clock_set_rate::NAME);
    let name = match device.find("devfreq_") {
        Some(start) => device[start..].to_owned(),
        None => format!("devfreq_{device}"),
    };
    let of = effects.by_text("linux_device", &device);
    effects.count(DEVICE_FREQUENCY, of, &name, event.uint(devfreq_frequency::FREQ) as f64);
}
