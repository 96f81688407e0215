//! Atoms that Android's statsd collected.

use tpq_ingest::{Bundle, FILE_CLOCK, Loss, Payload, Route, SplitSink};
use tpq_proto::fields::{statsd_atom, trace_packet};
use tpq_proto::message::AtomId;
use tpq_proto::wire::{Fields, Value, repeated};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{BundleDecoder, Packet, PacketDecoder, events_of};
use crate::event::RunEvent;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, TrackKind, Trackers};

const FIELD: u32 = trace_packet::STATSD_ATOM;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: FIELD, route: Route::Split, decode: count_undated };

pub(crate) const EVENTS: BundleDecoder = BundleDecoder { field: FIELD, split, decode: decode_atom };

const TRACK: TrackKind = TrackKind::slices("statsd_atoms");
/// Numbers of atoms from here on are of makers of devices, and their meaning is not public.
const FIRST_OF_MAKERS: u32 = 100_000;

/// Splits a packet into atoms, each with the time at the same index. Atoms state the time since
/// boot, whatever clock the packet is in.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    let times =
        Fields::new(bundle.payload).filter(|field| field.number == statsd_atom::TIMESTAMP_NANOS);
    let mut times = times.flat_map(|field| repeated(&field).collect::<Vec<_>>());
    let (mut own, mut packets) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
    let mut fields = Fields::new(bundle.payload);
    while let Some(field) = fields.next() {
        let (statsd_atom::ATOM, Value::Bytes(atom)) = (field.number, field.value) else { continue };
        let stated = times.next().map(|time| time as i64);
        if stated.is_none() {
            sink.immediate(bundle.header(None));
        }
        let (ns, (timestamps, ranges)) = match (stated, bundle.ns) {
            (Some(ns), _) => (ns, &mut own),
            (None, Some(ns)) => (ns, &mut packets),
            (None, None) => {
                sink.lose(Loss::MalformedPacket);
                continue;
            }
        };
        timestamps.push(ns);
        ranges.push(((fields.position() - atom.len()) as u32, atom.len() as u32));
    }
    for (clock, (timestamps, ranges)) in [(FILE_CLOCK, own), (bundle.clock, packets)] {
        let payload = Payload::Bundle { addr: bundle.span.addr, ranges };
        sink.push(clock, bundle.run(events_of(FIELD), timestamps, payload));
    }
}

fn count_undated(_: &Packet<'_>, _: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    stats.increment(Stat::AtomTimestampMissing);
}

/// An atom is a message with one field, which says by its number what it is.
fn decode_atom(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let atom = Fields::new(event.message()).next();
    let number = atom.map(|field| field.number).unwrap_or_default();
    let known = name_of(number);
    if known.is_none() && number < FIRST_OF_MAKERS {
        stats.increment(Stat::AtomUnknown);
    }
    let prefix = known.as_deref().map(|name| format!("{name}.")).unwrap_or_default();
    let mut args = ArgSet::default();
    if let Some(Value::Bytes(message)) = atom.map(|field| field.value) {
        describe(message, &prefix, &mut args, tables);
    }
    let name = known.unwrap_or_else(|| format!("atom_{number}"));
    let name = tables.strings.intern(&name);
    let track = tables.strings.intern("Statsd Atoms");
    let machine = Dimensions::machine(event.machine);
    let track = trackers.source.tracks.get(TRACK, machine, track, &mut trackers.deferred, tables);
    let slice = NewSlice { ts: event.ts, track, name, ..NewSlice::default() };
    trackers.complete(slice, 0, &args, tables, stats);
}

/// The name that statsd gives to atoms of a number.
fn name_of(number: u32) -> Option<String> {
    let id = AtomId::try_from(i32::try_from(number).ok()?).ok()?;
    let name = id.as_str_name().strip_prefix("ATOM_")?;
    (id != AtomId::AtomUnspecified).then(|| name.to_ascii_lowercase())
}

/// The fields of an atom under their numbers: what they are called is not known, nor whether eight
/// bytes are a number of another kind than they seem.
fn describe(message: &[u8], prefix: &str, args: &mut ArgSet, tables: &mut Tables) {
    for field in Fields::new(message) {
        let number = field.number;
        let (key, value) = match field.value {
            Value::Varint(value) => (format!("field_{number}"), ArgValue::Int(value as i64)),
            Value::Bytes(bytes) => {
                let size = tables.strings.intern(&format!("<bytes size={}>", bytes.len()));
                (format!("field_{number}"), ArgValue::String(size))
            }
            Value::Fixed32(_) => {
                (format!("field_{number}_assuming_float"), ArgValue::Real(field.as_f64()))
            }
            Value::Fixed64(_) => {
                (format!("field_{number}_assuming_double"), ArgValue::Real(field.as_f64()))
            }
        };
        args.add(tables.strings.intern(&format!("{prefix}{key}")), value);
    }
}
