//! Events that the trace describes itself and that are slices or counters by the names of their
//! fields. They lie on tracks of the thread that was running, or of what the event names instead.

use tpq_proto::ftrace::{DescribedKind, ValueKind};
use tpq_tables::{Stat, Stats, Tables};

use super::effects::Effects;
use super::event::FtraceEvent;
use tpq_trackers::track::{Dimensions, KernelTrackEvent, Tid, TrackContext, TrackKind, Trackers};

const THREAD_SLICES: TrackKind = TrackKind::slices("kernel_trackevent_thread_slice");
const THREAD_COUNTER: TrackKind = TrackKind::counter("kernel_trackevent_thread_counter", None);
const PROCESS_SLICES: TrackKind = TrackKind::slices("kernel_trackevent_process_slice");
const PROCESS_COUNTER: TrackKind = TrackKind::counter("kernel_trackevent_process_counter", None);
const CPU_SLICES: TrackKind = TrackKind::slices("kernel_trackevent_cpu_slice");
const CPU_COUNTER: TrackKind = TrackKind::counter("kernel_trackevent_cpu_counter", None);

/// The rows for events of a kind, by its fields; `None` for the many that are neither.
pub(super) fn track_event(kind: &DescribedKind) -> Option<KernelTrackEvent> {
    let mut event = KernelTrackEvent { name: kind.name.clone(), ..KernelTrackEvent::default() };
    for &(number, ref name, kind) in &kind.fields {
        let integer = matches!(kind, ValueKind::Int | ValueKind::Uint);
        let text = kind == ValueKind::Text;
        match name.as_slice() {
            b"track_event_type" if integer => event.phase = Some(number),
            b"slice_name" if text => event.slice_name = Some(number),
            b"track_name" if text => event.track_name = Some(number),
            b"value" if integer => event.value = Some(number),
            b"context_tgid" if integer => event.context = TrackContext::Process(number),
            b"context_cpu" if integer => event.context = TrackContext::Cpu(number),
            name if name.starts_with(b"context_") => event.context = TrackContext::Unknown,
            _ => {}
        }
    }
    let slice = event.phase.is_some() && event.slice_name.is_some();
    let counter = event.track_name.is_some() && event.value.is_some();
    (slice || counter).then_some(event)
}

/// Decodes an event if its kind is of slices or of a counter.
pub(super) fn decode(
    event: &FtraceEvent<'_>,
    number: u32,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let Some(kind) = trackers.source.kernel_track_events.get(&number).cloned() else { return };
    if kind.context == TrackContext::Unknown {
        return;
    }
    let mut effects = event.effects(trackers, tables, stats);
    if add(&kind, &mut effects).is_none() {
        effects.stats.increment(Stat::KernelTrackeventFormatError);
    }
}

/// `None` when the event lacks what its kind must have.
fn add(kind: &KernelTrackEvent, effects: &mut Effects<'_, '_>) -> Option<()> {
    let event = effects.event;
    let name = match kind.track_name {
        Some(number) => event.field(number)?.as_bytes(),
        None => kind.name.as_slice(),
    };
    let name = String::from_utf8_lossy(name);
    let key = effects.intern(&name);
    let ([slices, counter], of) = scope(kind.context, effects)?;
    let of = of.text("name", key);
    let (Some(phase), Some(slice_name)) = (kind.phase, kind.slice_name) else {
        let value = event.field(kind.value?)?.as_i64() as f64;
        effects.count(counter, of, &name, value);
        return Some(());
    };
    let track = effects.track(slices, of, &name);
    let (phase, slice_name) = (event.field(phase)?, event.field(slice_name)?);
    let slice_name = String::from_utf8_lossy(slice_name.as_bytes());
    match phase.as_u64() as u8 {
        b'B' => effects.begin(track, &*slice_name, &[]),
        b'E' => effects.end(track, &[]),
        b'I' => effects.instant(track, &*slice_name, &[]),
        _ => return None,
    };
    Some(())
}

/// The kinds of track for slices and counters of a context, and the dimensions that distinguish
/// those tracks.
fn scope(
    context: TrackContext,
    effects: &mut Effects<'_, '_>,
) -> Option<([TrackKind; 2], Dimensions)> {
    let event = effects.event;
    Some(match context {
        TrackContext::Thread => {
            ([THREAD_SLICES, THREAD_COUNTER], Dimensions::thread(effects.utid()))
        }
        TrackContext::Process(number) => {
            let pid = Tid { machine: event.machine, id: event.field(number)?.as_i64() };
            let upid = effects.trackers.processes.process(pid, effects.tables);
            ([PROCESS_SLICES, PROCESS_COUNTER], Dimensions::process(upid))
        }
        TrackContext::Cpu(number) => {
            let cpu = event.field(number)?.as_i64();
            ([CPU_SLICES, CPU_COUNTER], effects.cpu(cpu)?)
        }
        TrackContext::Unknown => return None,
    })
}
