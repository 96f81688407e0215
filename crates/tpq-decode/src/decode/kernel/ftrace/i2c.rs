//! Transfers on I2C buses.

use rustc_hash::FxHashMap;
use tpq_proto::fields::ftrace::{ftrace_event, i2c_read, i2c_result};
use tpq_tables::{Stats, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::{NewSlice, SliceEnd, Trackers, Utid};

pub(super) const EVENTS: Events = &[
    (ftrace_event::I2C_READ, message),
    (ftrace_event::I2C_WRITE, message),
    (ftrace_event::I2C_RESULT, result),
];

/// The most buses a device may have.
const MAX_ADAPTERS: i64 = 256;

/// Transfers under way by thread: the bus, and the number of messages.
#[derive(Default)]
struct Transfers(FxHashMap<Utid, (i64, u32)>);

/// The bus of an event.
fn adapter(event: &FtraceEvent<'_>) -> Option<i64> {
    Some(event.int(i2c_read::ADAPTER_NR)).filter(|adapter| (0..MAX_ADAPTERS).contains(adapter))
}

/// A read or a write. A transfer is made of several, the first of which begins it.
fn message(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(adapter) = adapter(event) else { return };
    let messages = (event.uint(i2c_read::MSG_NR) as u32).saturating_add(1);
    let utid = event.utid(trackers, tables);
    if let Some((_, seen)) = trackers.source.states.get::<Transfers>().0.get_mut(&utid) {
        *seen = messages.max(*seen);
        return;
    }
    trackers.source.states.get::<Transfers>().0.insert(utid, (adapter, messages));
    let track = event.thread_track(trackers, tables);
    let name = tables.strings.intern(&format!("i2c-{adapter}"));
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

/// A transfer is over, if all of its messages were seen.
fn result(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(adapter) = adapter(event) else { return };
    let utid = event.utid(trackers, tables);
    let Transfers(transfers) = trackers.source.states.get();
    if transfers.get(&utid) != Some(&(adapter, event.uint(i2c_result::NR_MSGS) as u32)) {
        return;
    }
    transfers.remove(&utid);
    let track = event.thread_track(trackers, tables);
    let name = tables.strings.intern(&format!("i2c-{adapter}"));
    let end = SliceEnd { ts: event.ts, track, name, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
}
