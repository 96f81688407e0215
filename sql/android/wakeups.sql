-- Why the device woke from suspension.

INCLUDE PERFETTO MODULE android.suspend;

-- The instants that tell of waking: the reason and its attribution, each with a number in front
-- that pairs them, and how suspending is held back for some time, which concerns the wakeup after.
CREATE PERFETTO TABLE _wakeup_marks AS
SELECT
  slice.id,
  slice.ts,
  track.name AS kind,
  split_part(slice.name, ' ', 1) AS number,
  substr(slice.name, instr(slice.name, ' ') + 1) AS told,
  slice.name AS whole
FROM slice
JOIN track ON track.id = slice.track_id
WHERE track.name IN ('wakeup_reason', 'wakeup_attribution', 'suspend_backoff') AND slice.dur = 0;

-- The reasons with what was told just before of holding back, as
-- `<good or bad> <state> <reason> <count> <ms>`.
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
  told AS raw_wakeup,
  CASE WHEN before_kind = 'suspend_backoff' THEN before END AS backoff
FROM ordered
WHERE kind = 'wakeup_reason';

-- The same with the parts of that, and how long the wakeup is counted: after a good suspension
-- until the next one or wakeup, 5 s at the most; after a bad one as long as it is held back.
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

-- The kinds of reasons, and what stands before the sources that each names and between them.
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
-- Four sources at the most are told of.
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
  -- The kernel puts an interrupt's number before its name.
  CASE
    WHEN type = 'normal' THEN coalesce(nullif(split_part(item, ' ', 2), ''), item)
    ELSE item
  END AS item
FROM items
WHERE place = 1 OR item <> '';

-- A wakeup, once for each source that its reason names.
CREATE PERFETTO TABLE android_wakeups(
  -- When the device woke.
  ts TIMESTAMP,
  -- How long the wakeup is counted: until the device could suspend again, 5 s at the most, or as
  -- long as suspending was held back.
  dur DURATION,
  -- The reason, in the kernel's words.
  raw_wakeup STRING,
  -- Whom the device itself attributes it to.
  on_device_attribution STRING,
  -- `normal`; or why suspending was given up: `abort_pending`, `abort_last_active`, `abort_other`.
  type STRING,
  -- The source of the wakeup.
  item STRING,
  -- `good` or `bad`: whether the suspension before was long enough.
  suspend_quality STRING,
  -- Whether suspending is held back.
  backoff_state STRING,
  -- Why; `none` where it is not.
  backoff_reason STRING,
  -- How often it was held back in a row.
  backoff_count LONG,
  -- For how long, in ms.
  backoff_millis LONG
) AS
SELECT
  wakeup.ts,
  CAST(wakeup.dur AS BIGINT) AS dur,
  wakeup.raw_wakeup,
  attribution.told AS on_device_attribution,
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
