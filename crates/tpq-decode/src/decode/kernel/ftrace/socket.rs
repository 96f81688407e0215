//! The states of TCP connections.

use tpq_proto::fields::ftrace::{ftrace_event, inet_sock_set_state, tcp_retransmit_skb};
use tpq_tables::{Stats, StringId, Tables};

use super::event::{Events, FtraceEvent};
use tpq_trackers::args::ArgSet;
use tpq_trackers::track::{Dimensions, NewSlice, SliceEnd, TrackKind, Trackers};

pub(super) const EVENTS: Events = &[
    (ftrace_event::INET_SOCK_SET_STATE, set_state),
    (ftrace_event::TCP_RETRANSMIT_SKB, retransmit),
];

const STATE: TrackKind = TrackKind::slices("net_socket_set_state");
const RETRANSMIT: TrackKind = TrackKind::slices("net_tcp_retransmit_skb");

const TCP: u64 = 6;
/// Address families.
const IP: u64 = 2;
const IPV6: u64 = 10;

/// The kernel's states of a connection, by number.
const STATES: [&str; 13] = [
    "TCP_UNKNOWN",
    "TCP_ESTABLISHED",
    "TCP_SYN_SENT",
    "TCP_SYN_RECV",
    "TCP_FIN_WAIT1",
    "TCP_FIN_WAIT2",
    "TCP_TIME_WAIT",
    "TCP_CLOSE",
    "TCP_CLOSE_WAIT",
    "TCP_LAST_ACK",
    "TCP_LISTEN",
    "TCP_CLOSING",
    "TCP_NEW_SYN_RECV",
];

fn state(number: i64) -> Option<&'static str> {
    STATES.get(usize::try_from(number).ok()?).copied()
}

/// A connection leaves one state for another, in which it stays until its next event.
fn set_state(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    if event.uint(inet_sock_set_state::PROTOCOL) != TCP
        || !matches!(event.uint(inet_sock_set_state::FAMILY), IP | IPV6)
    {
        return;
    }
    let (Some(new), Some(_)) = (
        state(event.int(inet_sock_set_state::NEWSTATE)),
        state(event.int(inet_sock_set_state::OLDSTATE)),
    ) else {
        return;
    };
    let (source, destination) =
        (event.uint(inet_sock_set_state::SPORT), event.uint(inet_sock_set_state::DPORT));
    let name = match new {
        "TCP_SYN_SENT" => format!("{new}(pid={})", event.pid as u32),
        "TCP_ESTABLISHED" => format!("{new}(sport={source},dport={destination})"),
        _ => new.to_owned(),
    };
    let stream = trackers.source.network.stream(event.uint(inet_sock_set_state::SKADDR));
    let title = tables.strings.intern(&format!("TCP stream#{stream}"));
    let dimensions = Dimensions::machine(event.machine).number("tcp_stream_idx", i64::from(stream));
    let track =
        trackers.source.tracks.get(STATE, dimensions, title, &mut trackers.deferred, tables);
    let end = SliceEnd { ts: event.ts, track, ..SliceEnd::default() };
    trackers.end_slice(end, &ArgSet::default(), tables, stats);
    let name = tables.strings.intern(&name);
    let category = tables.strings.intern("tcp_state");
    let slice = NewSlice { ts: event.ts, track, name, category, arg_set_id: None };
    trackers.begin_slice(slice, ArgSet::default(), tables, stats);
}

fn retransmit(
    event: &FtraceEvent<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let title: StringId = tables.strings.intern("TCP Retransmit Skb");
    let dimensions = Dimensions::machine(event.machine);
    let track =
        trackers.source.tracks.get(RETRANSMIT, dimensions, title, &mut trackers.deferred, tables);
    let name = format!(
        "sport={},dport={}",
        event.uint(tcp_retransmit_skb::SPORT),
        event.uint(tcp_retransmit_skb::DPORT)
    );
    let name = tables.strings.intern(&name);
    let category = tables.strings.intern("tcp_event");
    let slice = NewSlice { ts: event.ts, track, name, category, arg_set_id: None };
    trackers.instant(slice, &ArgSet::default(), tables, stats);
}
