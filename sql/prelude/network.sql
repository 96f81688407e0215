-- One or several packets of the network.
CREATE PERFETTO VIEW __intrinsic_android_network_packets(
  -- The slice of it.
  id ID(slice.id),
  -- The interface of the network.
  iface STRING,
  -- `Received` or `Transmitted`.
  direction STRING,
  -- The protocol above IP, as `IPPROTO_TCP`.
  packet_transport STRING,
  -- Bytes in all.
  packet_length LONG,
  -- How many packets.
  packet_count LONG,
  -- What the socket was tagged with.
  socket_tag LONG,
  -- The same in hexadecimal.
  socket_tag_str STRING,
  -- The user id the socket belongs to.
  socket_uid LONG,
  -- The port on this system.
  local_port LONG,
  -- The port on the other.
  remote_port LONG,
  -- The type of an ICMP message.
  packet_icmp_type LONG,
  -- The code of an ICMP message.
  packet_icmp_code LONG,
  -- The flags of TCP.
  packet_tcp_flags LONG,
  -- The same as letters, with a dot for each flag that is not set.
  packet_tcp_flags_str STRING
) AS
SELECT
  slice_id AS id, iface, direction, packet_transport, packet_length, packet_count, socket_tag,
  socket_tag_str, socket_uid, local_port, remote_port, packet_icmp_type, packet_icmp_code,
  packet_tcp_flags, packet_tcp_flags_str
FROM __stored___intrinsic_android_network_packets;
