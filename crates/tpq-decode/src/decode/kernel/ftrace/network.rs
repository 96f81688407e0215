//! Packets as network devices send and receive them, and as the kernel drops them.

use tpq_proto::fields::ftrace::{
    ftrace_event, kfree_skb, napi_gro_receive_entry, napi_gro_receive_exit, net_dev_xmit,
    netif_receive_skb,
};
use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, SliceEnd, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::NETIF_RECEIVE_SKB, receive),
    (ftrace_event::NET_DEV_XMIT, transmit),
    (ftrace_event::NAPI_GRO_RECEIVE_ENTRY, napi_entry),
    (ftrace_event::NAPI_GRO_RECEIVE_EXIT, napi_exit),
    (ftrace_event::KFREE_SKB, free),
];

const RECEIVE: TrackKind = TrackKind::counter("net_receive", None);
const TRANSMIT: TrackKind = TrackKind::counter("net_transmit", None);
const DROPPED: TrackKind = TrackKind::counter("net_kfree_skb", None);
const NAPI_GRO: TrackKind = TrackKind::slices("cpu_napi_gro");

/// Protocols of packets, as Ethernet numbers them.
const IP: u64 = 0x800;
const IPV6: u64 = 0x86dd;

fn receive(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let interface = event.text(netif_receive_skb::NAME, tables);
    let total = trackers.source.network.received(interface, event.uint(netif_receive_skb::LEN));
    let name = format!("{} Received KB", event.part(netif_receive_skb::NAME));
    count(event, total, RECEIVE, interface, &name, trackers, tables);
}

fn transmit(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    // The driver may refuse a packet; it is sent again then.
    if event.int(net_dev_xmit::RC) != 0 {
        return;
    }
    let interface = event.text(net_dev_xmit::NAME, tables);
    let total = trackers.source.network.transmitted(interface, event.uint(net_dev_xmit::LEN));
    let name = format!("{} Transmitted KB", event.part(net_dev_xmit::NAME));
    count(event, total, TRANSMIT, interface, &name, trackers, tables);
}

/// A packet passed an interface, through which `total` bytes have gone by now.
fn count(
    event: &FtraceEvent<'_>,
    total: u64,
    kind: TrackKind,
    interface: StringId,
    name: &str,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let name = tables.strings.intern(name);
    let dimensions = Dimensions::machine(event.machine).text("network_interface", interface);
    let cpu = ArgValue::Uint(u64::from(event.cpu));
    let len = ArgValue::Uint(event.uint(netif_receive_skb::LEN));
    let args = ArgSet::of([("cpu", cpu), ("len", len)], &mut tables.strings);
    let kibibytes = (total / 1024) as f64;
    trackers.count_with((event.ts, kibibytes), kind, dimensions, name, &args, tables);
}

/// A packet was dropped. Only those of the internet protocols are counted.
fn free(event: &FtraceEvent<'_>, trackers: &mut Trackers, tables: &mut Tables, _: &mut Stats) {
    let protocol = match event.uint(kfree_skb::PROTOCOL) {
        IP => "IP",
        IPV6 => "IPV6",
        _ => return,
    };
    let total = trackers.source.network.dropped() as f64;
    let name = tables.strings.intern("Kfree Skb IP Prot");
    let protocol = ArgValue::String(tables.strings.intern(protocol));
    let args = ArgSet::of([("protocol", protocol)], &mut tables.strings);
    let dimensions = Dimensions::machine(event.machine);
    trackers.count_with((event.ts, total), DROPPED, dimensions, name, &args, tables);
}

fn napi_entry(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.cpu_track(NAPI_GRO, "Napi Gro", trackers, tables);
    let name = event.text(napi_gro_receive_entry::NAME, tables);
    let category = tables.strings.intern("napi_gro");
    let slice = NewSlice { ts: event.ts, track, name, category, arg_set_id: None };
    let args = ArgSet::of(
        [("len", ArgValue::Int(event.int(napi_gro_receive_entry::LEN)))],
        &mut tables.strings,
    );
    trackers.begin_slice(slice, args, tables, stats);
}

fn napi_exit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let track = event.cpu_track(NAPI_GRO, "Napi Gro", trackers, tables);
    let category = tables.strings.intern("napi_gro");
    let end = SliceEnd { ts: event.ts, track, category, ..SliceEnd::default() };
    let args = ArgSet::of(
        [("ret", ArgValue::Int(event.int(napi_gro_receive_exit::RET)))],
        &mut tables.strings,
    );
    trackers.end_slice(end, &args, tables, stats);
}
