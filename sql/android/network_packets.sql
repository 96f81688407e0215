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

-- A column as it is: what makes a list without parentheses of one with them.
CREATE PERFETTO MACRO _network_column(
  -- The column.
  column_name Expr
)
RETURNS Expr AS $column_name;

-- The spans of time in which a network stays connected that disconnects after some time without
-- packets: the columns they are told apart by, `ts`, `dur`, and the spans' `packet_count` and
-- `packet_length`.
CREATE PERFETTO MACRO android_network_uptime_spans(
  -- Packets, with the columns below, `ts`, `dur`, `packet_count` and `packet_length`.
  src TableOrSubquery,
  -- The columns that tell networks apart, in parentheses.
  partition_columns ColumnNameList,
  -- After how much time without packets they disconnect, in ns.
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

-- How much longer each row keeps such a network connected: `id` and `uptime_cost` in ns. Rows that
-- overlap, as those that stand for several packets do, share their time by their packets.
CREATE PERFETTO MACRO android_network_uptime_cost(
  -- Packets, with the columns below, `id`, `ts`, `dur` and `packet_count`.
  src TableOrSubquery,
  -- The columns that tell networks apart, in parentheses.
  partition_columns ColumnNameList,
  -- After how much time without packets they disconnect, in ns.
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
