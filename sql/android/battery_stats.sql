-- States and events that BatteryStats of Android records.

-- Meaning of the values of each counter.
CREATE PERFETTO TABLE _battery_stats_values AS
SELECT column1 AS track_name, column2 AS value, column3 AS value_name
FROM (
  VALUES
    ('battery_stats.audio', 0, 'inactive'),
    ('battery_stats.audio', 1, 'active'),
    ('battery_stats.camera', 0, 'inactive'),
    ('battery_stats.camera', 1, 'active'),
    ('battery_stats.data_conn', 0, 'Out of service'),
    ('battery_stats.data_conn', 1, '2.5G (GPRS)'),
    ('battery_stats.data_conn', 2, '2.7G (EDGE)'),
    ('battery_stats.data_conn', 3, '3G (UMTS)'),
    ('battery_stats.data_conn', 4, '3G (CDMA)'),
    ('battery_stats.data_conn', 5, '3G (EVDO Rel 0)'),
    ('battery_stats.data_conn', 6, '3G (EVDO Rev A)'),
    ('battery_stats.data_conn', 7, '3G (LXRTT)'),
    ('battery_stats.data_conn', 8, '3.5G (HSDPA)'),
    ('battery_stats.data_conn', 9, '3.5G (HSUPA)'),
    ('battery_stats.data_conn', 10, '3.5G (HSPA)'),
    ('battery_stats.data_conn', 11, '2G (IDEN)'),
    ('battery_stats.data_conn', 12, '3G (EVDO Rev B)'),
    ('battery_stats.data_conn', 13, '4G (LTE)'),
    ('battery_stats.data_conn', 14, '3.5G (eHRPD)'),
    ('battery_stats.data_conn', 15, '3.7G (HSPA+)'),
    ('battery_stats.data_conn', 16, '2G (GSM)'),
    ('battery_stats.data_conn', 17, '3G (TD SCDMA)'),
    ('battery_stats.data_conn', 18, 'Wifi calling (IWLAN)'),
    ('battery_stats.data_conn', 19, '4.5G (LTE CA)'),
    ('battery_stats.data_conn', 20, '5G (NR)'),
    ('battery_stats.data_conn', 21, 'Emergency calls only'),
    ('battery_stats.data_conn', 22, 'Other'),
    ('battery_stats.mobile_radio', 0, 'inactive'),
    ('battery_stats.mobile_radio', 1, 'active'),
    ('battery_stats.phone_in_call', 0, 'inactive'),
    ('battery_stats.phone_in_call', 1, 'active'),
    ('battery_stats.phone_signal_strength', 0, '0/4'),
    ('battery_stats.phone_signal_strength', 1, '1/4'),
    ('battery_stats.phone_signal_strength', 2, '2/4'),
    ('battery_stats.phone_signal_strength', 3, '3/4'),
    ('battery_stats.phone_signal_strength', 4, '4/4'),
    ('battery_stats.phone_state', 0, 'in'),
    ('battery_stats.phone_state', 1, 'out'),
    ('battery_stats.phone_state', 2, 'emergency'),
    ('battery_stats.phone_state', 3, 'off'),
    ('battery_stats.power_save', 0, 'inactive'),
    ('battery_stats.power_save', 1, 'active'),
    ('battery_stats.video', 0, 'inactive'),
    ('battery_stats.video', 1, 'active'),
    ('battery_stats.wifi', 0, 'off'),
    ('battery_stats.wifi', 1, 'on'),
    ('battery_stats.wifi_radio', 0, 'inactive'),
    ('battery_stats.wifi_radio', 1, 'active'),
    ('battery_stats.wifi_scan', 0, 'inactive'),
    ('battery_stats.wifi_scan', 1, 'active'),
    ('battery_stats.wifi_signal_strength', 0, '0/4'),
    ('battery_stats.wifi_signal_strength', 1, '1/4'),
    ('battery_stats.wifi_signal_strength', 2, '2/4'),
    ('battery_stats.wifi_signal_strength', 3, '3/4'),
    ('battery_stats.wifi_signal_strength', 4, '4/4'),
    ('battery_stats.wifi_suppl', 0, 'invalid'),
    ('battery_stats.wifi_suppl', 1, 'disconnected'),
    ('battery_stats.wifi_suppl', 2, 'disabled'),
    ('battery_stats.wifi_suppl', 3, 'inactive'),
    ('battery_stats.wifi_suppl', 4, 'scanning'),
    ('battery_stats.wifi_suppl', 5, 'authenticating'),
    ('battery_stats.wifi_suppl', 6, 'associating'),
    ('battery_stats.wifi_suppl', 7, 'associated'),
    ('battery_stats.wifi_suppl', 8, '4-way-handshake'),
    ('battery_stats.wifi_suppl', 9, 'group-handshake'),
    ('battery_stats.wifi_suppl', 10, 'completed'),
    ('battery_stats.wifi_suppl', 11, 'dormant'),
    ('battery_stats.wifi_suppl', 12, 'uninitialized')
);

-- Converts a value of a BatteryStats counter to text.
CREATE PERFETTO FUNCTION android_battery_stats_counter_to_string(
  -- Name of the counter track, such as `battery_stats.audio`.
  track STRING,
  -- Value of the counter.
  value DOUBLE
)
-- Meaning of the value; `unknown` for an unknown value of a known counter; the number itself for an
-- unknown counter.
RETURNS STRING AS
SELECT
  CASE
    WHEN count(*) = 0 THEN CAST($value AS TEXT)
    ELSE coalesce(max(CASE WHEN known.value = $value THEN known.value_name END), 'unknown')
  END
FROM _battery_stats_values AS known
WHERE known.track_name = $track;

-- A period in which a BatteryStats state had one value.
CREATE PERFETTO VIEW android_battery_stats_state(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; -1 where the end is not in the trace.
  dur DURATION,
  -- Like `dur`, but until the end of the trace where the end is not in the trace, ns.
  safe_dur DURATION,
  -- Name of the counter track, such as `battery_stats.audio`.
  track_name STRING,
  -- Value of the state.
  value LONG,
  -- Meaning of the value.
  value_name STRING
) AS
WITH states AS (
  SELECT
    counter.ts,
    lead(counter.ts) OVER (PARTITION BY track.name ORDER BY counter.ts) AS next_ts,
    track.name AS track_name,
    counter.value
  FROM counter
  JOIN counter_track AS track ON track.id = counter.track_id
  WHERE track.name GLOB 'battery_stats.*'
),
named_tracks AS (
  SELECT DISTINCT track_name FROM _battery_stats_values
)
SELECT
  states.ts,
  coalesce(states.next_ts - states.ts, -1) AS dur,
  coalesce(states.next_ts, trace_end()) - states.ts AS safe_dur,
  states.track_name,
  CAST(states.value AS BIGINT) AS value,
  CASE
    WHEN named_tracks.track_name IS NULL THEN CAST(states.value AS TEXT)
    ELSE coalesce(known.value_name, 'unknown')
  END AS value_name
FROM states
LEFT JOIN named_tracks ON named_tracks.track_name = states.track_name
LEFT JOIN _battery_stats_values AS known
  ON known.track_name = states.track_name AND known.value = states.value;

-- A period between a start and an end event of BatteryStats, such as `+top=…` and `-top=…`: an app
-- in the foreground, a job, a long wake.
CREATE PERFETTO VIEW android_battery_stats_event_slices(
  -- Start, ns in trace time; start of the trace where only the end was recorded.
  ts TIMESTAMP,
  -- Duration, ns; -1 where the end is not in the trace.
  dur DURATION,
  -- Like `dur`, but until the end of the trace where the end is not in the trace, ns.
  safe_dur DURATION,
  -- Name of the track of the events, such as `battery_stats.top`.
  track_name STRING,
  -- Quoted text of the event: a package or a job.
  str_value STRING,
  -- Number before the quoted text, usually an app id.
  int_value LONG
) AS
WITH marks AS (
  SELECT
    slice.ts,
    track.name AS track_name,
    split_part(slice.name, '=', 2) AS subject,
    slice.name GLOB '+*' AS begins
  FROM slice
  JOIN track ON track.id = slice.track_id
  WHERE track.name GLOB 'battery_stats.*' AND slice.name GLOB '[+-]*'
),
ordered AS (
  SELECT
    *,
    lead(ts) OVER of_subject AS next_ts,
    row_number() OVER of_subject AS nth
  FROM marks
  WINDOW of_subject AS (PARTITION BY track_name, subject ORDER BY ts)
),
spans AS (
  SELECT track_name, subject, ts, next_ts AS end_ts FROM ordered WHERE begins
  UNION ALL
  SELECT track_name, subject, trace_start() AS ts, ts AS end_ts
  FROM ordered
  WHERE NOT begins AND nth = 1
)
SELECT
  ts,
  coalesce(end_ts - ts, -1) AS dur,
  coalesce(end_ts, trace_end()) - ts AS safe_dur,
  track_name,
  nullif(split_part(subject, '"', 2), '') AS str_value,
  CAST(nullif(split_part(subject, ':', 1), '') AS BIGINT) AS int_value
FROM spans;
