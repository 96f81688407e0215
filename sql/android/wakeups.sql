-- Wakeups of the device from suspension, with their causes.

INCLUDE PERFETTO MODULE android.suspend;

-- Wakeup instants: the reason and its attribution, which share a leading number, and the suspend
-- backoff, which applies to the following wakeup.
CREATE PERFETTO TABLE _wakeup_marks AS
SELECT
  slice.id,
  slice.ts,
  track.name AS kind,
  split_part(slice.name, ' ', 1) AS number,
  substr(slice.name, instr(slice.name, ' ') + 1) AS detail,
  slice.name AS whole
FROM slice
JOIN track ON track.id = slice.track_id
WHERE track.name IN ('wakeup_reason', 'wakeup_attribution', 'suspend_backoff') AND slice.dur = 0;

-- Wakeup reasons with the preceding backoff, `<good or bad> <state> <reason> <count> <ms>`.
CREATE PERFETTO TABLE _wakeups_told AS
WITH ordered AS (
  SELECT
    *,
    lag(kind) OVER (ORDER BY ts, id) AS before_kind,
    lag(whole) OVER (ORDER BY ts, id) AS before
  FROM _wakeup_marks
  WHERE kind IN ('wakeup_reason', 'suspend_backoff')
)
SELECT
  id,
  ts,
  number,
  detail AS raw_wakeup,
  CASE WHEN before_kind = 'suspend_backoff' THEN before END AS backoff
FROM ordered
WHERE kind = 'wakeup_reason';

-- Wakeups with the fields of the backoff, and the duration to attribute to each: after a good
-- suspension until the next suspension or wakeup, at most 5 s; after a bad suspension the backoff
-- time.
CREATE PERFETTO TABLE _wakeups_counted AS
WITH moments AS (
  SELECT ts FROM _wakeups_told
  UNION
  SELECT ts FROM android_suspend_state WHERE power_state = 'suspended'
),
followed AS (
  SELECT ts, lead(ts) OVER (ORDER BY ts) - ts AS until_next
  FROM moments
)
SELECT
  wakeup.id,
  wakeup.ts,
  wakeup.number,
  wakeup.raw_wakeup,
  nullif(split_part(wakeup.backoff, ' ', 1), '') AS suspend_quality,
  nullif(split_part(wakeup.backoff, ' ', 2), '') AS backoff_state,
  nullif(split_part(wakeup.backoff, ' ', 3), '') AS backoff_reason,
  CAST(nullif(split_part(wakeup.backoff, ' ', 4), '') AS BIGINT) AS backoff_count,
  CAST(nullif(split_part(wakeup.backoff, ' ', 5), '') AS BIGINT) AS backoff_millis,
  CASE split_part(wakeup.backoff, ' ', 1)
    WHEN 'good' THEN least(coalesce(followed.until_next, 5000000000), 5000000000)
    WHEN 'bad' THEN CAST(nullif(split_part(wakeup.backoff, ' ', 5), '') AS BIGINT) * 1000000
    ELSE 0
  END AS dur
FROM _wakeups_told AS wakeup
JOIN followed ON followed.ts = wakeup.ts;

-- Kinds of wakeup reasons, split into the sources that each names.
CREATE PERFETTO TABLE _wakeup_sources AS
WITH kinds AS (
  SELECT
    id,
    raw_wakeup,
    CASE
      WHEN raw_wakeup GLOB 'Abort: Pending Wakeup Sources: *' THEN 'abort_pending'
      WHEN raw_wakeup GLOB 'Abort: Last active Wakeup Source: *' THEN 'abort_last_active'
      WHEN raw_wakeup GLOB 'Abort: *' THEN 'abort_other'
      ELSE 'normal'
    END AS type
  FROM _wakeups_told
),
lists AS (
  SELECT
    id,
    type,
    CASE type
      WHEN 'abort_pending' THEN substr(raw_wakeup, length('Abort: Pending Wakeup Sources: ') + 1)
      WHEN 'abort_last_active'
        THEN substr(raw_wakeup, length('Abort: Last active Wakeup Source: ') + 1)
      WHEN 'abort_other' THEN substr(raw_wakeup, length('Abort: ') + 1)
      ELSE raw_wakeup
    END AS list,
    CASE type WHEN 'abort_pending' THEN ' ' WHEN 'normal' THEN ':' ELSE '%none%' END AS between
  FROM kinds
),
-- At most four sources are listed.
places AS (
  SELECT column1 AS place FROM (VALUES (1), (2), (3), (4))
),
items AS (
  SELECT id, type, place, split_part(list, between, place) AS item
  FROM lists
  CROSS JOIN places
)
SELECT
  id,
  type,
  -- The kernel puts the number of an interrupt before its name.
  CASE
    WHEN type = 'normal' THEN coalesce(nullif(split_part(item, ' ', 2), ''), item)
    ELSE item
  END AS item
FROM items
WHERE place = 1 OR item <> '';

-- A wakeup of the device. It has one row for each source that its reason names.
CREATE PERFETTO TABLE android_wakeups(
  -- Time of the wakeup, ns in trace time.
  ts TIMESTAMP,
  -- Duration attributed to the wakeup, ns: until the device could suspend again, at most 5 s, or
  -- the backoff time.
  dur DURATION,
  -- Wakeup reason, as text from the kernel.
  raw_wakeup STRING,
  -- Component to which the device attributes the wakeup; NULL if unknown.
  on_device_attribution STRING,
  -- Kind: `normal`, or the cause of an aborted suspend: `abort_pending`, `abort_last_active`,
  -- `abort_other`.
  type STRING,
  -- Source of the wakeup.
  item STRING,
  -- Quality of the previous suspension: `good` if it was long enough, else `bad`; NULL if unknown.
  suspend_quality STRING,
  -- State of the suspend backoff; NULL if unknown.
  backoff_state STRING,
  -- Reason for the backoff; `none` without backoff.
  backoff_reason STRING,
  -- Number of consecutive backoffs.
  backoff_count LONG,
  -- Duration of the backoff, in ms.
  backoff_millis LONG
) AS
SELECT
  wakeup.ts,
  CAST(wakeup.dur AS BIGINT) AS dur,
  wakeup.raw_wakeup,
  attribution.detail AS on_device_attribution,
  source.type,
  source.item,
  wakeup.suspend_quality,
  wakeup.backoff_state,
  coalesce(wakeup.backoff_reason, 'none') AS backoff_reason,
  wakeup.backoff_count,
  wakeup.backoff_millis
FROM _wakeups_counted AS wakeup
JOIN _wakeup_sources AS source ON source.id = wakeup.id
LEFT JOIN _wakeup_marks AS attribution
  ON attribution.kind = 'wakeup_attribution' AND attribution.number = wakeup.number
ORDER BY wakeup.ts, wakeup.id;
