-- Network packets that the device sent and received.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE std.metasql.unparenthesize;

-- A network packet, or several packets reported in one row.
CREATE PERFETTO VIEW android_network_packets(
  -- Slice of the packets; join with `slice` on `id`.
  id ID,
  -- Time of the packet, or of the first of several packets, ns in trace time.
  ts TIMESTAMP,
  -- Time from the first to the last packet, ns; 0 for a single packet.
  dur DURATION,
  -- Name of the track: interface and direction.
  track_name STRING,
  -- Package of the app, or `uid=` with its user id.
  package_name STRING,
  -- Network interface.
  iface STRING,
  -- Direction: `Transmitted` or `Received`.
  direction STRING,
  -- Number of packets.
  packet_count LONG,
  -- Total length of the packets in bytes.
  packet_length LONG,
  -- Transport protocol, such as `IPPROTO_TCP`.
  packet_transport STRING,
  -- TCP flags as text.
  packet_tcp_flags STRING,
  -- TCP flags as a bit set: 1 for FIN, 2 for SYN…
  packet_tcp_flags_int LONG,
  -- Socket tag set by the app, in hexadecimal.
  socket_tag STRING,
  -- Socket tag as a number.
  socket_tag_int LONG,
  -- User id that owns the socket.
  socket_uid LONG,
  -- Local port; for TCP and UDP.
  local_port LONG,
  -- Remote port; for TCP and UDP.
  remote_port LONG,
  -- ICMP message type; NULL for other protocols.
  packet_icmp_type LONG,
  -- ICMP message code; NULL for other protocols.
  packet_icmp_code LONG
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
  packet.packet_tcp_flags AS packet_tcp_flags_int,
  packet.socket_tag_str AS socket_tag,
  packet.socket_tag AS socket_tag_int,
  packet.socket_uid,
  packet.local_port,
  packet.remote_port,
  packet.packet_icmp_type,
  packet.packet_icmp_code
FROM __intrinsic_android_network_packets AS packet
JOIN slice ON slice.id = packet.id;

-- Returns a column unchanged; applying it to a list in parentheses gives a list without
-- parentheses.
CREATE PERFETTO MACRO _network_column(
  -- Column.
  column_name Expr
)
RETURNS Expr AS $column_name;

-- Returns the spans in which a network is connected, if it disconnects after a timeout without
-- packets. Output: the partition columns, `ts`, `dur`, and `packet_count` and `packet_length` of
-- the span.
CREATE PERFETTO MACRO android_network_uptime_spans(
  -- Packets with the partition columns, `ts`, `dur`, `packet_count` and `packet_length`.
  src TableOrSubquery,
  -- Columns that identify a network, in parentheses.
  partition_columns ColumnNameList,
  -- Time without packets after which the network disconnects, in ns.
  timeout Expr
)
RETURNS TableOrSubquery AS (
  SELECT
    __intrinsic_token_apply!(_network_column, $partition_columns),
    min(ts) AS ts,
    max(until) - min(ts) AS dur,
    sum(packet_count) AS packet_count,
    sum(packet_length) AS packet_length
  FROM (
    SELECT
      *,
      sum(CASE WHEN connected_until >= ts THEN 0 ELSE 1 END) OVER (
        PARTITION BY __intrinsic_token_apply!(_network_column, $partition_columns)
        ORDER BY ts
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS span
    FROM (
      SELECT
        *,
        ts + dur + $timeout AS until,
        max(ts + dur + $timeout) OVER (
          PARTITION BY __intrinsic_token_apply!(_network_column, $partition_columns)
          ORDER BY ts
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS connected_until
      FROM $src
    )
  )
  GROUP BY __intrinsic_token_apply!(_network_column, $partition_columns), span
);

-- Returns the time for which each row extends the connection of such a network: `id` and
-- `uptime_cost` in ns. Overlapping rows, such as rows with several packets, share their time in
-- proportion to their packet counts.
CREATE PERFETTO MACRO android_network_uptime_cost(
  -- Packets with the partition columns, `id`, `ts`, `dur` and `packet_count`.
  src TableOrSubquery,
  -- Columns that identify a network, in parentheses.
  partition_columns ColumnNameList,
  -- Time without packets after which the network disconnects, in ns.
  timeout Expr
)
RETURNS TableOrSubquery AS (
  SELECT
    id,
    CASE
      WHEN busy_until IS NULL OR ts - busy_until > $timeout THEN $timeout
      WHEN ts > busy_until THEN ts - busy_until
      ELSE 0
    END
    + (max(ts + dur) OVER of_group - min(ts) OVER of_group) * packet_count
      / sum(packet_count) OVER of_group AS uptime_cost
  FROM (
    SELECT
      *,
      sum(CASE WHEN busy_until >= ts THEN 0 ELSE 1 END) OVER (
        PARTITION BY __intrinsic_token_apply!(_network_column, $partition_columns)
        ORDER BY ts
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
      ) AS overlap
    FROM (
      SELECT
        *,
        max(ts + dur) OVER (
          PARTITION BY __intrinsic_token_apply!(_network_column, $partition_columns)
          ORDER BY ts
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS busy_until
      FROM $src
    )
  )
  WINDOW of_group AS (
    PARTITION BY __intrinsic_token_apply!(_network_column, $partition_columns), overlap
  )
);
