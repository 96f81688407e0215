//! Network traffic.

use insta::assert_snapshot;
use tpq_testkit::{FtraceEvent, Message};

use super::{COUNTER_ARGS, COUNTERS, DIMENSIONS, SLICE_ARGS, SLICES, kernel};

fn event(at: u64, field: u32, payload: Message) -> FtraceEvent {
    FtraceEvent::other(at, 101, field, payload)
}

fn received(at: u64, interface: &str, len: u64) -> FtraceEvent {
    event(at, 360, Message::new().uint(1, len).bytes(2, interface).uint(3, 1))
}

fn sent(at: u64, interface: &str, len: u64, result: i64) -> FtraceEvent {
    event(at, 361, Message::new().uint(1, len).bytes(2, interface).int(3, result))
}

/// Totals of each interface, in whole KiB: 1000 bytes are none yet, 2100 are two. Packets
/// that the driver refused do not count as sent.
#[test]
fn totals_of_interfaces() {
    let imported = kernel([
        received(10, "eth0", 1000),
        received(20, "eth0", 1100),
        received(30, "lo", 1024),
        sent(40, "eth0", 5000, 16),
        sent(50, "eth0", 5000, 0),
    ]);
    assert_snapshot!(imported.rows(COUNTERS), @r"
    ts  type          name                 value
    10  net_receive   eth0 Received KB     0.0
    20  net_receive   eth0 Received KB     2.0
    30  net_receive   lo Received KB       1.0
    50  net_transmit  eth0 Transmitted KB  4.0
    ");
    assert_snapshot!(imported.rows(COUNTER_ARGS), @r"
    ts  key  type  int   string
    10  cpu  uint  0     NULL
    10  len  uint  1000  NULL
    20  cpu  uint  0     NULL
    20  len  uint  1100  NULL
    30  cpu  uint  0     NULL
    30  len  uint  1024  NULL
    50  cpu  uint  0     NULL
    50  len  uint  5000  NULL
    ");
    assert_snapshot!(imported.rows(DIMENSIONS), @r"
    type          name                 key                value_type  int_value  string_value
    net_receive   eth0 Received KB     network_interface  string      NULL       eth0
    net_receive   lo Received KB       network_interface  string      NULL       lo
    net_transmit  eth0 Transmitted KB  network_interface  string      NULL       eth0
    ");
}

/// Packets of other protocols than IP are not counted.
#[test]
fn dropped_packets() {
    let dropped = |at, protocol| event(at, 367, Message::new().uint(1, 9).uint(2, protocol));
    let imported = kernel([dropped(10, 0x800), dropped(20, 0x806), dropped(30, 0x86dd)]);
    assert_snapshot!(imported.rows(COUNTERS), @r"
    ts  type           name               value
    10  net_kfree_skb  Kfree Skb IP Prot  1.0
    30  net_kfree_skb  Kfree Skb IP Prot  2.0
    ");
    assert_snapshot!(imported.rows(COUNTER_ARGS), @r"
    ts  key       type    int   string
    10  protocol  string  NULL  IP
    30  protocol  string  NULL  IPV6
    ");
}

/// A connection is in one state until it enters another. Connections other than TCP have none, and
/// states beyond those of TCP are not shown.
#[test]
fn states_of_connections() {
    let state = |at, protocol, socket, from, to| {
        let payload = Message::new()
            .uint(2, 443)
            .uint(3, 2)
            .int(4, to)
            .int(5, from)
            .uint(6, protocol)
            .uint(8, socket)
            .uint(9, 5000);
        event(at, 362, payload)
    };
    let imported = kernel([
        state(10, 6, 0xaa, 7, 2),
        state(20, 6, 0xaa, 2, 1),
        state(25, 6, 0xbb, 7, 10),
        state(26, 17, 0xcc, 7, 2),
        state(27, 6, 0xcc, 7, 13),
        state(30, 6, 0xaa, 1, 4),
        event(40, 363, Message::new().uint(2, 443).uint(6, 5000)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type                    track               name                                   category
    10  10   net_socket_set_state    TCP stream#1        TCP_SYN_SENT(pid=101)                  tcp_state
    20  10   net_socket_set_state    TCP stream#1        TCP_ESTABLISHED(sport=5000,dport=443)  tcp_state
    25  -1   net_socket_set_state    TCP stream#2        TCP_LISTEN                             tcp_state
    30  -1   net_socket_set_state    TCP stream#1        TCP_FIN_WAIT1                          tcp_state
    40  0    net_tcp_retransmit_skb  TCP Retransmit Skb  sport=5000,dport=443                   tcp_event
    ");
    assert_snapshot!(imported.rows(DIMENSIONS), @r"
    type                  name          key             value_type  int_value  string_value
    net_socket_set_state  TCP stream#1  tcp_stream_idx  int         1          NULL
    net_socket_set_state  TCP stream#2  tcp_stream_idx  int         2          NULL
    ");
}

#[test]
fn packets_merged_as_they_arrive() {
    let imported = kernel([
        event(10, 365, Message::new().uint(7, 1500).bytes(10, "wlan0")),
        event(30, 366, Message::new().int(1, 3)),
    ]);
    assert_snapshot!(imported.rows(SLICES), @r"
    ts  dur  type          track           name   category
    10  20   cpu_napi_gro  Napi Gro Cpu 0  wlan0  napi_gro
    ");
    assert_snapshot!(imported.rows(SLICE_ARGS), @r"
    ts  name   flat_key  key  type  int   string
    10  wlan0  len       len  int   1500  NULL
    10  wlan0  ret       ret  int   3     NULL
    ");
}
