//! Energy that went through the rails of a device, by rail.

use std::sync::Arc;

use tpq_clock::BOOTTIME;
use tpq_ingest::{Bundle, Loss, Payload, Route, Span, SplitSink};
use tpq_proto::fields::{
    power_rails::{self, energy_data, rail_descriptor},
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields, Value};
use tpq_tables::table::CounterRow;
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::{BundleDecoder, Packet, PacketDecoder, events_of};
use crate::event::RunEvent;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, TrackKind, Trackers};

const FIELD: u32 = trace_packet::POWER_RAILS;

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: FIELD, route: Route::Split, decode: decode_descriptors };

pub(crate) const EVENTS: BundleDecoder = BundleDecoder { field: FIELD, split, decode: decode_data };

const COUNTER: TrackKind = TrackKind::counter("power_rails", None);
/// Indexes of rails above this are a mistake of the recorder.
const MAX_INDEX: u32 = 256;
const NS_PER_MS: i64 = 1_000_000;

/// Rails by how their names end, with what they feed.
const FRIENDLY_NAMES: &[(&str, &str)] = &[
    ("M_VDD_CPUCL0", "cpu.little"),
    ("M_VDD_CPUCL0_M", "cpu.little.mem"),
    ("M_VDD_CPUCL1", "cpu.mid"),
    ("M_VDD_CPUCL1_M", "cpu.mid.mem"),
    ("M_VDD_CPUCL2", "cpu.big"),
    ("M_VDD_INT", "system.fabric"),
    ("M_VDD_TPU", "tpu"),
    ("VSYS_PWR_DISP", "display"),
    ("VSYS_PWR_DISPLAY", "display"),
    ("M_DISP", "ldo.main.a.display"),
    ("VSYS_PWR_MODEM", "modem"),
    ("M_VDD_MIF", "memory.interface"),
    ("VSYS_PWR_WLAN_BT", "wifi.bt"),
    ("VSYS_PWR_MMWAVE", "mmwave"),
    ("S_VDD_AOC_RET", "aoc.memory"),
    ("S_VDD_AOC", "aoc.logic"),
    ("S_VDDQ_MEM", "ddr.a"),
    ("S_VDD2L", "ddr.b"),
    ("S_VDD2L_MEM", "ddr.b"),
    ("S_VDD2H_MEM", "ddr.c"),
    ("S_VDD_G3D", "gpu"),
    ("S_VDD_G3D_L2", "gpu.l2"),
    ("S_GNSS_CORE", "gps"),
    ("VSYS_PWR_RFFE", "radio.frontend"),
    ("VSYS_PWR_CAMERA", "camera"),
    ("S_VDD_CAM", "multimedia"),
    ("S_UDFPS", "udfps"),
    ("S_PLL_MIPI_UFS", "ufs"),
    ("M_LLDO1", "ldo.main.a"),
    ("M_LLDO2", "ldo.main.b"),
    ("S_LLDO1", "ldo.sub"),
];

/// Words of a reading: which, and the two halves of when its packet was written and of the
/// session it is of.
const WORDS: usize = 5;

/// Splits a packet into readings, which state when they were taken.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    let written = bundle.ns.and_then(|ns| sink.trace_time(bundle.clock, ns));
    let session = LastFields::<4>::new(bundle.payload).uint(power_rails::SESSION_UUID);
    let mut spans = Vec::new();
    // Readings that state their time, and those of the time of their packet.
    let mut own = (Vec::new(), Vec::new());
    let mut packets = (Vec::new(), Vec::new());
    let mut fields = Fields::new(bundle.payload);
    while let Some(field) = fields.next() {
        let (power_rails::ENERGY_DATA, Value::Bytes(data)) = (field.number, field.value) else {
            continue;
        };
        let time = LastFields::<3>::new(data).get(energy_data::TIMESTAMP_MS).map(|ms| ms.as_i64());
        let (at, (times, words)) = match (time, bundle.ns) {
            (Some(ms), _) => (ms.saturating_mul(NS_PER_MS), &mut own),
            (None, Some(ns)) => (ns, &mut packets),
            (None, None) => {
                sink.lose(Loss::MalformedPacket);
                continue;
            }
        };
        times.push(at);
        let written = written.unwrap_or(-1) as u64;
        words.push(spans.len() as u32);
        words.extend(crate::decode::halves(written));
        words.extend(crate::decode::halves(session));
        spans.push(bundle.span.inner(fields.position() - data.len(), data.len()));
    }
    sink.immediate(bundle.header(written));
    let strings: Arc<[Span]> = spans.into();
    for (clock, (times, words)) in [(BOOTTIME, own), (bundle.clock, packets)] {
        let payload = Payload::Words {
            width: WORDS,
            words,
            strings: Arc::clone(&strings),
            ranks: Vec::new(),
            own_strings: false,
        };
        sink.push(clock, bundle.run(events_of(FIELD), times, payload));
    }
}

/// Makes the tracks of the rails that a packet describes.
fn decode_descriptors(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let rails = LastFields::<4>::new(packet.data);
    if !rails.has(power_rails::RAIL_DESCRIPTOR) && !rails.has(power_rails::ENERGY_DATA) {
        stats.increment(Stat::PowerRailEmptyPacket);
    }
    let session = rails.uint(power_rails::SESSION_UUID);
    for rail in
        Fields::new(packet.data).filter(|field| field.number == power_rails::RAIL_DESCRIPTOR)
    {
        let rail = LastFields::<4>::new(rail.as_bytes());
        let index = rail.uint(rail_descriptor::INDEX) as u32;
        if index > MAX_INDEX {
            continue;
        }
        let raw = String::from_utf8_lossy(rail.bytes(rail_descriptor::RAIL_NAME));
        let name = match FRIENDLY_NAMES.iter().find(|(end, _)| raw.ends_with(end)) {
            Some((_, friendly)) => format!("power.rails.{friendly}"),
            None => format!("power.{raw}_uws"),
        };
        let name = tables.strings.intern(&name);
        let raw = tables.strings.intern(&raw);
        let dimensions = Dimensions::machine(packet.machine)
            .text("name", raw)
            .number("session_uuid", session as i64);
        let track =
            trackers.source.tracks.get(COUNTER, dimensions, name, &mut trackers.deferred, tables);
        let mut source = ArgSet::default();
        source.add(tables.strings.intern("raw_name"), ArgValue::String(raw));
        let subsystem = crate::decode::text(&rail, rail_descriptor::SUBSYS_NAME, tables);
        source.add(tables.strings.intern("subsystem_name"), ArgValue::String(subsystem));
        let source = trackers.deferred.intern(&source);
        tables.track.source_arg_set_id.set(track, source);
        trackers.source.power.add_rail(session, index, track);
    }
}

fn decode_data(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (&[which, written_high, written_low, session_high, session_low], spans) = event.words()
    else {
        return;
    };
    let Some(&span) = spans.get(which as usize) else { return };
    let data = LastFields::<4>::new(event.bytes.get(span));
    let session = crate::decode::whole(session_high, session_low);
    let Some(track_id) = trackers.source.power.rail(session, data.uint(energy_data::INDEX) as u32)
    else {
        stats.increment(Stat::PowerRailUnknownIndex);
        return;
    };
    let mut args = ArgSet::default();
    let written = crate::decode::whole(written_high, written_low);
    if written as i64 >= 0 {
        args.add(tables.strings.intern("packet_ts"), ArgValue::Uint(written));
    }
    let arg_set_id = trackers.deferred.intern(&args);
    trackers.bounds.include(event.ts);
    let value = data.uint(energy_data::ENERGY) as f64;
    tables.counter.push(CounterRow { ts: event.ts, track_id, value, arg_set_id });
}
