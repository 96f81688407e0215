//! One track event, from its fields to a slice, a counter value or whatever it is.

use std::sync::Arc;

use tpq_ingest::Route;
use tpq_proto::wire::{Field, Fields, Value, repeated};
use tpq_tables::{Stat, Stats, StringId, Tables};

use super::counters::{Counted, ExtraValues, GivenCount};
use super::legacy::{Legacy, Phase};
use super::whose::Whose;
use super::{counters, flows, legacy, names, slices, state, typed_args};
use crate::decode::{Packet, PacketDecoder};
use crate::deferred::{ArgSet, ArgValue};
use crate::track::{EventDefaults, Trackers};

pub(crate) const PACKET: PacketDecoder = PacketDecoder { field: 11, route: Route::Sorted, decode };

/// What an event is, as its `type` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Type {
    #[default]
    Unspecified,
    Begin,
    End,
    Instant,
    Counter,
    State,
    Other,
}

impl Type {
    fn of(number: u64) -> Self {
        match number {
            0 => Self::Unspecified,
            1 => Self::Begin,
            2 => Self::End,
            3 => Self::Instant,
            4 => Self::Counter,
            5 => Self::State,
            _ => Self::Other,
        }
    }
}

/// What an event carries, read in one pass; what few events have is read where it is needed.
#[derive(Default)]
pub(super) struct TrackEvent<'a> {
    pub(super) data: &'a [u8],
    pub(super) fields: Present,
    pub(super) name_iid: u64,
    pub(super) given_name: Option<&'a [u8]>,
    /// The id its category was interned under, where it has one such category only.
    pub(super) category_iid: Option<u64>,
    pub(super) event_type: Option<Type>,
    pub(super) track: Option<u64>,
    pub(super) name: StringId,
    pub(super) category: StringId,
    pub(super) counter: Option<f64>,
    pub(super) double_counter: Option<f64>,
    pub(super) extra: ExtraValues,
    pub(super) double_extra: ExtraValues,
    pub(super) thread_time: GivenCount,
    pub(super) instructions: GivenCount,
    pub(super) legacy: Option<Legacy<'a>>,
}

impl TrackEvent<'_> {
    /// The phase that the older form gives.
    pub(super) fn phase(&self) -> Option<Phase> {
        self.legacy.as_ref()?.phase
    }

    pub(super) fn is(&self, event_type: Type) -> bool {
        self.event_type == Some(event_type)
    }
}

/// Which fields an event has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Present {
    /// A bit for each number below 64; the lowest is for all others.
    bits: u64,
}

impl Present {
    /// Notes a field; tells whether there was one of that bit.
    fn add(&mut self, number: u32) -> bool {
        let bit = if number < 64 { 1 << number } else { 1 };
        let seen = self.any(bit);
        self.bits |= bit;
        seen
    }

    /// Whether there is one of the fields that have a bit in `numbers`.
    pub(super) fn any(self, numbers: u64) -> bool {
        self.bits & numbers != 0
    }
}

/// The bits of field numbers below 64.
pub(super) const fn bits<const N: usize>(numbers: [u32; N]) -> u64 {
    let (mut bits, mut at) = (0, 0);
    while at < N {
        bits |= 1 << numbers[at];
        at += 1;
    }
    bits
}

/// Everything an event is decoded into, and the packet it came in.
pub(super) struct On<'a, 'p> {
    pub(super) packet: &'a Packet<'p>,
    pub(super) trackers: &'a mut Trackers,
    pub(super) tables: &'a mut Tables,
    pub(super) stats: &'a mut Stats,
}

impl On<'_, '_> {
    /// Counts an event that is skipped for `stat`, and enters it with what is known of it.
    pub(super) fn refuse(&mut self, stat: Stat, details: &ArgSet) {
        self.stats.increment(stat);
        self.trackers.log(stat, None, details, self.tables);
    }

    /// Counts an event, or a part of one, that makes no sense.
    pub(super) fn count_error(&mut self) {
        self.stats.increment(Stat::TrackEventParserErrors);
    }

    pub(super) fn intern(&mut self, text: &str) -> StringId {
        self.tables.strings.intern(text)
    }
}

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut on = On { packet, trackers, tables, stats };
    let mut event = read(packet.data);
    let defaults = defaults(packet, on.trackers);
    let Some(counted) = counters::count(&event, &defaults, &mut on) else { return };
    if on.trackers.interest.drops(packet.ts) {
        on.stats.increment(Stat::TrackEventDroppedPacketsOutsideOfRangeOfInterest);
        return;
    }
    if event.event_type.unwrap_or_default() == Type::Unspecified && event.phase().is_none() {
        return on.count_error();
    }
    event.category = names::category(&event, &mut on);
    event.name = names::name(&event, &mut on);
    if import(&event, &defaults, counted, &mut on).is_none() {
        on.count_error();
    }
}

/// Writes an event down; `None` for one that makes no sense.
fn import(
    event: &TrackEvent<'_>,
    defaults: &EventDefaults,
    counted: Counted,
    on: &mut On<'_, '_>,
) -> Option<()> {
    let mut whose = Whose::find(event, defaults, on)?;
    let thread = counted.write(&whose, on);
    match event.event_type {
        Some(Type::Counter) => return counters::write_value(event, &whose, counted, on),
        Some(Type::State) => return state::enter(event, &whose, on),
        _ => {}
    }
    match phase(event, &whose) {
        b'B' => slices::begin(event, &mut whose, thread, on),
        b'E' => slices::end(event, &mut whose, thread, on),
        b'X' => slices::complete(event, &mut whose, thread, on),
        phase @ (b's' | b't' | b'f') => flows::legacy(phase, event, &mut whose, on),
        b'i' | b'I' | b'R' | b'n' | b'T' | b'p' => slices::instant(event, &mut whose, thread, on),
        b'b' | b'S' => slices::begin_async(event, &mut whose, on),
        b'e' | b'F' => slices::end_async(event, &mut whose, on),
        b'M' => legacy::metadata(event, &whose, thread, on),
        _ => legacy::raw(event, &whose, thread, on),
    }
}

/// What an event is, in the letters of the older form; 0 for something else.
fn phase(event: &TrackEvent<'_>, whose: &Whose) -> u8 {
    if let Some(phase) = event.phase() {
        return phase.letter();
    }
    match (event.event_type, whose.utid.is_some()) {
        (Some(Type::Begin), true) => b'B',
        (Some(Type::Begin), false) => b'b',
        (Some(Type::End), true) => b'E',
        (Some(Type::End), false) => b'e',
        (Some(Type::Instant), true) => b'i',
        (Some(Type::Instant), false) => b'n',
        _ => 0,
    }
}

/// Reads an event where it stays: it is too large to be handed around.
#[inline(always)]
fn read(data: &[u8]) -> TrackEvent<'_> {
    let mut event = TrackEvent { data, ..TrackEvent::default() };
    for field in Fields::new(data) {
        let seen = event.fields.add(field.number);
        match field.number {
            3 => {
                let is_single = !seen && matches!(field.value, Value::Varint(_));
                event.category_iid = is_single.then(|| field.as_u64());
            }
            10 => event.name_iid = field.as_u64(),
            23 => event.given_name = Some(field.as_bytes()),
            9 => event.event_type = Some(Type::of(field.as_u64())),
            11 => event.track = Some(field.as_u64()),
            30 => event.counter = Some(field.as_i64() as f64),
            44 => event.double_counter = Some(field.as_f64()),
            12 => repeated(&field).for_each(|value| event.extra.add(value as i64 as f64)),
            31 => event.extra.tracks.extend(repeated(&field)),
            46 => doubles(&field).for_each(|value| event.double_extra.add(value)),
            45 => event.double_extra.tracks.extend(repeated(&field)),
            2 => event.thread_time.delta = Some(in_ns(&field)),
            17 => event.thread_time.absolute = Some(in_ns(&field)),
            8 => event.instructions.delta = Some(field.as_i64()),
            20 => event.instructions.absolute = Some(field.as_i64()),
            6 => event.legacy = Some(Legacy::read(field.as_bytes())),
            _ => {}
        }
    }
    event
}

fn in_ns(us: &Field<'_>) -> i64 {
    us.as_i64().saturating_mul(1000)
}

fn doubles<'a>(field: &Field<'a>) -> impl Iterator<Item = f64> + use<'a> {
    let single = field.as_bytes().is_empty().then(|| field.as_f64());
    let packed = field.as_bytes().chunks_exact(8).filter_map(|bytes| bytes.first_chunk());
    single.into_iter().chain(packed.map(|bytes| f64::from_le_bytes(*bytes)))
}

/// The defaults in force for a packet's sequence.
fn defaults(packet: &Packet<'_>, trackers: &mut Trackers) -> Arc<EventDefaults> {
    if let Some(defaults) = trackers.uuids.defaults.get(&packet.generation) {
        return Arc::clone(defaults);
    }
    let mut defaults = EventDefaults::default();
    for field in Fields::new(packet.interned.defaults(packet.generation)) {
        if field.number != 11 {
            continue;
        }
        for field in Fields::new(field.as_bytes()) {
            match field.number {
                11 => defaults.track = Some(field.as_u64()),
                31 => defaults.counters.extend(repeated(&field)),
                45 => defaults.double_counters.extend(repeated(&field)),
                _ => {}
            }
        }
    }
    let defaults = Arc::new(defaults);
    trackers.uuids.defaults.insert(packet.generation, Arc::clone(&defaults));
    defaults
}

/// What else an event says of itself.
pub(super) fn args(event: &TrackEvent<'_>, whose: &Whose, on: &mut On<'_, '_>) -> ArgSet {
    let mut args = ArgSet::default();
    if let Some(id) = whose.source_id {
        args.add(on.intern("legacy_trace_source_id"), ArgValue::Int(id));
    }
    typed_args::add(event.fields, whose.utid, &mut args, on);
    if let Some(utid) = whose.passthrough {
        let key = on.intern("legacy_event.passthrough_utid");
        args.add_new(key, ArgValue::Uint(u64::from(utid)));
    }
    args
}
