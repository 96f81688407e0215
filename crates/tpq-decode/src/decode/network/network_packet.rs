//! Packets of the network that Android's connectivity service saw, one by one or summed up.

use tpq_ingest::{Bundle, Loss, Payload, Route, SplitSink};
use tpq_proto::fields::{
    interned_data, network_packet_bundle, network_packet_context, network_packet_event,
    trace_packet,
};
use tpq_proto::wire::{Fields, LastFields, Value, repeated};
use tpq_tables::table::NetworkPacketRow;
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{BundleDecoder, Packet, PacketDecoder, events_of};
use crate::event::RunEvent;
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, Sharing, TrackKind, Trackers};

const BUNDLE: u32 = trace_packet::NETWORK_PACKET_BUNDLE;

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::NETWORK_PACKET,
    route: Route::Sorted,
    decode: decode_packet,
};

pub(crate) const BUNDLE_HEADER: PacketDecoder =
    PacketDecoder { field: BUNDLE, route: Route::Split, decode: count_damage };

pub(crate) const EVENTS: BundleDecoder =
    BundleDecoder { field: BUNDLE, split, decode: decode_event };

const TRACK: TrackKind = TrackKind::slices("network_packets");

/// Facts that one or several packets share.
type Context<'a> = LastFields<'a, 12>;

/// How many packets there were, and when.
#[derive(Clone, Copy)]
struct Traffic {
    ts: i64,
    dur: i64,
    bytes: i64,
    packets: i64,
}

/// Words of an event: whether its context is interned, then pairs of halves: under which id, how
/// long it took, how many bytes and how many packets there were.
const WORDS: usize = 9;

/// Splits a bundle into its packets, unless it only states what they sum up to.
fn split(bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
    let Some(start) = bundle.ns else {
        sink.lose(Loss::MalformedPacket);
        return;
    };
    let (mut contexts, mut times, mut lengths) = (None, Vec::new(), Vec::new());
    let mut fields = Fields::new(bundle.payload);
    while let Some(field) = fields.next() {
        match (field.number, field.value) {
            (network_packet_bundle::CTX, Value::Bytes(context)) => {
                let at = fields.position() - context.len();
                contexts = Some(bundle.span.inner(at, context.len()));
            }
            (network_packet_bundle::PACKET_TIMESTAMPS, _) => times.extend(repeated(&field)),
            (network_packet_bundle::PACKET_LENGTHS, _) => lengths.extend(repeated(&field)),
            _ => {}
        }
    }
    let stated = LastFields::<8>::new(bundle.payload);
    let iid = stated.get(network_packet_bundle::IID).map(|iid| iid.as_u64());
    let event = |dur, bytes, packets| {
        let words = [iid.unwrap_or_default(), dur, bytes, packets].map(crate::decode::halves);
        [u32::from(iid.is_some())].into_iter().chain(words.into_iter().flatten())
    };
    let (timestamps, words) = if stated.has(network_packet_bundle::TOTAL_LENGTH) {
        let packets = u64::from(stated.uint(network_packet_bundle::TOTAL_PACKETS) as u32);
        let dur = stated.uint(network_packet_bundle::TOTAL_DURATION);
        let bytes = stated.uint(network_packet_bundle::TOTAL_LENGTH);
        (vec![start], event(dur, bytes, packets).collect())
    } else {
        if times.len() != lengths.len() && !has_damaged_lists(bundle.payload) {
            sink.lose(Loss::MalformedPacket);
        }
        let words = lengths.iter().zip(&times).flat_map(|(&bytes, _)| event(0, bytes, 1));
        let words = words.collect();
        let at = |(after, _)| start.saturating_add_unsigned(after);
        (times.into_iter().zip(&lengths).map(at).collect(), words)
    };
    sink.immediate(bundle.header(None));
    let strings = contexts.into_iter().collect::<Vec<_>>().into();
    let payload =
        Payload::Words { width: WORDS, words, strings, ranks: Vec::new(), own_strings: false };
    sink.push(bundle.clock, bundle.run(events_of(BUNDLE), timestamps, payload));
}

/// Counts a bundle with lists that are damaged, or a context that was never interned.
fn count_damage(packet: &Packet<'_>, _: &mut Trackers, _: &mut Tables, stats: &mut Stats) {
    let bundle = LastFields::<8>::new(packet.data);
    if let Some(iid) = bundle.get(network_packet_bundle::IID) {
        let kind = interned_data::PACKET_CONTEXT;
        if packet.interned.message(packet.generation, kind, iid.as_u64()).is_none() {
            stats.increment(Stat::NetworkTraceInternErrors);
        }
    }
    if !bundle.has(network_packet_bundle::TOTAL_LENGTH) && has_damaged_lists(packet.data) {
        stats.increment(Stat::NetworkTraceParseErrors);
    }
}

fn has_damaged_lists(bundle: &[u8]) -> bool {
    let lists = [network_packet_bundle::PACKET_TIMESTAMPS, network_packet_bundle::PACKET_LENGTHS];
    crate::decode::has_damaged_list(bundle, lists)
}

fn decode_packet(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let context = Context::new(packet.data);
    let bytes = context.int(network_packet_event::LENGTH);
    let traffic = Traffic { ts: packet.ts(), dur: 0, bytes, packets: 1 };
    add(packet.machine, traffic, &context, trackers, tables, stats);
}

fn decode_event(
    event: &RunEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let (
        &[interned, iid_high, iid_low, dur_high, dur_low, bytes_high, bytes_low, high, low],
        spans,
    ) = event.words()
    else {
        return;
    };
    let traffic = Traffic {
        ts: event.ts,
        dur: crate::decode::whole(dur_high, dur_low) as i64,
        bytes: crate::decode::whole(bytes_high, bytes_low) as i64,
        packets: crate::decode::whole(high, low) as i64,
    };
    let mut context = spans.first().map_or(&[][..], |&span| event.bytes.get(span));
    if interned != 0 {
        let contexts = interned_data::PACKET_CONTEXT;
        let iid = crate::decode::whole(iid_high, iid_low);
        if let Some(message) = event.interned.message(event.run.generation, contexts, iid) {
            context = LastFields::<3>::new(crate::decode::shorten(message))
                .bytes(network_packet_context::CTX);
        }
    }
    let context = Context::new(crate::decode::shorten(context));
    add(event.machine, traffic, &context, trackers, tables, stats);
}

/// Adds the slice and the row of one or several packets.
fn add(
    machine: u32,
    traffic: Traffic,
    context: &Context<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let uid = context.uint(network_packet_event::UID) as u32;
    let name = trackers.source.packages.of_app(uid);
    let name = name.unwrap_or_else(|| tables.strings.intern(&format!("uid={uid}")));
    let row = row_of(context, traffic, tables);
    let owner = Dimensions::machine(machine)
        .text("net_interface", row.iface)
        .text("net_direction", row.direction);
    let track = format!("{} {}", tables.strings.get(row.iface), tables.strings.get(row.direction));
    let key = Sharing { kind: TRACK, dimensions: owner, name: tables.strings.intern(&track) };
    let Traffic { ts, dur, .. } = traffic;
    let track = trackers.complete_shared(key, ts, dur, tables);
    let args = args_of(&row, context, tables);
    let slice = NewSlice { ts, track, name, ..NewSlice::default() };
    if let Some(slice_id) = trackers.complete(slice, dur, &args, tables, stats) {
        tables.android_network_packets.push(NetworkPacketRow { slice_id, ..row });
    }
}

fn row_of(context: &Context<'_>, traffic: Traffic, tables: &mut Tables) -> NetworkPacketRow {
    let number = |number| context.get(number).map(|field| field.as_u32());
    let strings = &mut tables.strings;
    let direction = match context.uint(network_packet_event::DIRECTION) {
        1 => "Received",
        2 => "Transmitted",
        _ => "DIR_UNKNOWN",
    };
    let tag = context.uint(network_packet_event::TAG) as u32;
    let flags = number(network_packet_event::TCP_FLAGS);
    NetworkPacketRow {
        slice_id: 0,
        iface: strings.intern_bytes(context.bytes(network_packet_event::NETWORK_INTERFACE)),
        direction: strings.intern(direction),
        packet_transport: strings
            .intern(&transport(context.uint(network_packet_event::IP_PROTO) as u32)),
        packet_length: traffic.bytes,
        packet_count: traffic.packets,
        socket_tag: tag,
        socket_tag_str: strings.intern(&format!("{tag:#x}")),
        socket_uid: context.uint(network_packet_event::UID) as u32,
        local_port: number(network_packet_event::LOCAL_PORT),
        remote_port: number(network_packet_event::REMOTE_PORT),
        packet_icmp_type: number(network_packet_event::ICMP_TYPE),
        packet_icmp_code: number(network_packet_event::ICMP_CODE),
        packet_tcp_flags: flags,
        packet_tcp_flags_str: flags
            .map_or(StringId::NULL, |flags| strings.intern(&flag_letters(flags))),
    }
}

fn args_of(row: &NetworkPacketRow, context: &Context<'_>, tables: &mut Tables) -> ArgSet {
    let mut args = ArgSet::default();
    let mut add = |key: &str, value| args.add(tables.strings.intern(key), value);
    add("packet_transport", ArgValue::String(row.packet_transport));
    add("socket_uid", ArgValue::Int(i64::from(row.socket_uid)));
    add("socket_tag", ArgValue::String(row.socket_tag_str));
    if context.has(network_packet_event::TCP_FLAGS) {
        add("packet_tcp_flags", ArgValue::String(row.packet_tcp_flags_str));
    }
    for (key, value) in [
        ("local_port", row.local_port),
        ("remote_port", row.remote_port),
        ("packet_icmp_type", row.packet_icmp_type),
        ("packet_icmp_code", row.packet_icmp_code),
    ] {
        if let Some(value) = value {
            add(key, ArgValue::Int(i64::from(value)));
        }
    }
    add("packet_length", ArgValue::Int(row.packet_length));
    add("packet_count", ArgValue::Int(row.packet_count));
    args
}

/// The name of a protocol above IP.
fn transport(protocol: u32) -> String {
    match protocol {
        1 => "IPPROTO_ICMP".to_owned(),
        6 => "IPPROTO_TCP".to_owned(),
        17 => "IPPROTO_UDP".to_owned(),
        58 => "IPPROTO_ICMPV6".to_owned(),
        other => format!("IPPROTO ({other})"),
    }
}

/// The flags of TCP: a letter for each that is set, from `fin` on, and a dot for each that is not.
fn flag_letters(flags: u32) -> String {
    let letter = |(bit, letter)| if flags >> bit & 1 == 1 { letter } else { '.' };
    "fsrpauec".chars().enumerate().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_letters_at_their_places() {
        assert_eq!(flag_letters(0b0001_0010), ".s..a...");
        assert_eq!(flag_letters(0), "........");
    }
}
