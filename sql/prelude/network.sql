-- A network packet, or several packets in one row.
CREATE PERFETTO VIEW __intrinsic_android_network_packets(
  -- Slice of the packets; join with `slice` on `id`.
  id ID(slice.id),
  -- Network interface.
  iface STRING,
  -- Direction: `Received` or `Transmitted`.
  direction STRING,
  -- Transport protocol, such as `IPPROTO_TCP`.
  packet_transport STRING,
  -- Total length of the packets in bytes.
  packet_length LONG,
  -- Number of packets.
  packet_count LONG,
  -- Tag that Android gave the socket, as a number.
  socket_tag LONG,
  -- Tag of the socket in hexadecimal.
  socket_tag_str STRING,
  -- User id that owns the socket.
  socket_uid LONG,
  -- Local port.
  local_port LONG,
  -- Remote port.
  remote_port LONG,
  -- ICMP message type; NULL for other protocols.
  packet_icmp_type LONG,
  -- ICMP message code; NULL for other protocols.
  packet_icmp_code LONG,
  -- TCP flags as a bit set; NULL for other protocols.
  packet_tcp_flags LONG,
  -- TCP flags as letters, with a dot for each flag that is not set.
  packet_tcp_flags_str STRING
) AS
SELECT
  slice_id AS id, iface, direction, packet_transport, packet_length, packet_count, socket_tag,
  socket_tag_str, socket_uid, local_port, remote_port, packet_icmp_type, packet_icmp_code,
  packet_tcp_flags, packet_tcp_flags_str
FROM __stored___intrinsic_android_network_packets;
