-- The packets that the device sent and received.

-- A packet, or several that were told together.
CREATE PERFETTO VIEW android_network_packets(
  -- The slice.
  id ID,
  -- When.
  ts TIMESTAMP,
  -- How long; 0 for one packet.
  dur DURATION,
  -- The track: the interface and the direction.
  track_name STRING,
  -- The app's package, or `uid=` with its user id.
  package_name STRING,
  -- The interface.
  iface STRING,
  -- `Transmitted` or `Received`.
  direction STRING,
  -- How many packets.
  packet_count LONG,
  -- How many bytes they had on the wire.
  packet_length LONG,
  -- The protocol, as `IPPROTO_TCP`.
  packet_transport STRING,
  -- The flags of TCP, in words.
  packet_tcp_flags STRING,
  -- The tag that the app gave the socket, in hexadecimal.
  socket_tag STRING,
  -- The socket's user id.
  socket_uid LONG,
  -- The device's port, of TCP and UDP.
  local_port LONG,
  -- The other side's port, of TCP and UDP.
  remote_port LONG,
  -- The type, of ICMP.
  packet_icmp_type LONG,
  -- The code, of ICMP.
  packet_icmp_code LONG,
  -- The flags of TCP as bits: 1 for FIN, 2 for SYN…
  packet_tcp_flags_int LONG,
  -- The socket's tag as a number.
  socket_tag_int LONG
) AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  slice.category AS track_name,
  slice.name AS package_name,
  packet.iface,
  packet.direction,
  packet.packet_count,
  packet.packet_length,
  packet.packet_transport,
  packet.packet_tcp_flags_str AS packet_tcp_flags,
  packet.socket_tag_str AS socket_tag,
  packet.socket_uid,
  packet.local_port,
  packet.remote_port,
  packet.packet_icmp_type,
  packet.packet_icmp_code,
  packet.packet_tcp_flags AS packet_tcp_flags_int,
  packet.socket_tag AS socket_tag_int
FROM __intrinsic_android_network_packets AS packet
JOIN slice ON slice.id = packet.id;
