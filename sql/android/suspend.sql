-- When the device was suspended, and when it was awake.

-- The suspensions, from the short form of the kernel's events where the trace has it, else from
-- the steps of suspending in which the clock stood.
CREATE PERFETTO TABLE _suspensions AS
WITH told AS (
  SELECT
    slice.ts,
    slice.dur,
    track.name = 'Suspend/Resume Minimal' AS is_minimal,
    max(track.name = 'Suspend/Resume Minimal') OVER () AS has_minimal
  FROM slice
  JOIN track ON track.id = slice.track_id
  WHERE
    track.name = 'Suspend/Resume Minimal'
    OR (
      track.name = 'Suspend/Resume Latency'
      AND slice.name IN ('timekeeping_freeze(0)', 'syscore_resume(0)')
      AND slice.dur >= 0
    )
),
with_next AS (
  SELECT ts, dur, coalesce(lead(ts) OVER (ORDER BY ts), trace_end()) AS next_ts
  FROM told
  WHERE is_minimal = has_minimal
)
-- One that reaches into the next lost its end.
SELECT ts, dur, next_ts
FROM with_next
WHERE ts + dur <= next_ts;

-- The trace's time in periods in which the device was awake or suspended.
CREATE PERFETTO TABLE android_suspend_state(
  -- When the period began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION,
  -- `awake` or `suspended`.
  power_state STRING
) AS
WITH first_suspension AS (
  SELECT coalesce(min(ts), trace_end()) AS ts FROM _suspensions
),
last_of_gap AS (
  SELECT ts, dur, coalesce(lead(ts) OVER (ORDER BY ts), trace_end()) AS next_ts
  FROM _suspensions
)
SELECT * FROM (
  SELECT trace_start() AS ts, ts - trace_start() AS dur, 'awake' AS power_state
  FROM first_suspension
  UNION ALL
  SELECT ts + dur AS ts, next_ts - ts - dur AS dur, 'awake' AS power_state
  FROM last_of_gap
  UNION ALL
  SELECT ts, dur, 'suspended' AS power_state
  FROM _suspensions
)
WHERE dur > 0
ORDER BY ts;

-- How much of a stretch of time the device was awake: a wall clock's duration in a monotonic one's.
CREATE PERFETTO FUNCTION _extract_duration_without_suspend(
  -- When the stretch began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur DURATION
)
-- In ns.
RETURNS LONG AS
SELECT
  $dur - coalesce(
    sum(
      CASE WHEN asleep.ts + asleep.dur < $ts + $dur THEN asleep.ts + asleep.dur ELSE $ts + $dur END
      - CASE WHEN asleep.ts > $ts THEN asleep.ts ELSE $ts END
    ),
    0
  )
FROM _suspensions AS asleep
WHERE asleep.ts < $ts + $dur AND asleep.ts + asleep.dur > $ts;

-- How much of each stretch of time the device was suspended. Takes stretches with `id`, `ts` and
-- `dur`, gives `id` and `asleep_dur`. Stretches and suspensions are put in one order of time: what
-- was slept before each end, less what was before each beginning.
CREATE PERFETTO MACRO _android_asleep_durations(
  -- The stretches.
  spans TableOrSubquery
)
RETURNS TableOrSubquery AS (
  SELECT id, sum(CASE is_end WHEN 1 THEN slept ELSE -slept END) AS asleep_dur
  FROM (
    SELECT
      id,
      is_end,
      begun_dur - CASE WHEN asleep_until > ts THEN asleep_until - ts ELSE 0 END AS slept
    FROM (
      SELECT
        id,
        is_end,
        ts,
        sum(suspension_dur) OVER (ORDER BY ts) AS begun_dur,
        max(suspension_end) OVER (ORDER BY ts) AS asleep_until
      FROM (
        SELECT
          id, ts, 0 AS is_end, 0 AS suspension_dur, CAST(NULL AS BIGINT) AS suspension_end
        FROM $spans
        UNION ALL
        SELECT
          id, ts + dur AS ts, 1 AS is_end, 0 AS suspension_dur,
          CAST(NULL AS BIGINT) AS suspension_end
        FROM $spans
        UNION ALL
        SELECT
          CAST(NULL AS BIGINT) AS id, ts, 0 AS is_end, dur AS suspension_dur,
          ts + dur AS suspension_end
        FROM _suspensions
      )
    )
    WHERE id IS NOT NULL
  )
  GROUP BY id
);
