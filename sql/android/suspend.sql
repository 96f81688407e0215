-- Periods in which the device was suspended or awake.

-- Suspensions: from the minimal kernel events if the trace has them, else from the suspend steps
-- during which the clock is frozen.
CREATE PERFETTO TABLE _suspensions AS
WITH reported AS (
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
  FROM reported
  WHERE is_minimal = has_minimal
)
-- A suspension that overlaps the next one has lost its end; leave it out.
SELECT ts, dur, next_ts
FROM with_next
WHERE ts + dur <= next_ts;

-- A period in which the device was awake or suspended. The periods cover the whole trace.
CREATE PERFETTO TABLE android_suspend_state(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Power state: `awake` or `suspended`.
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

-- Returns the time of a span in which the device was awake, which converts a wall-clock duration to
-- a monotonic duration.
CREATE PERFETTO FUNCTION _extract_duration_without_suspend(
  -- Start of the span, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the span, ns.
  dur DURATION
)
-- Time awake, in ns.
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

-- Returns the suspended time of each span. Input: spans with `id`, `ts` and `dur`. Output: `id` and
-- `asleep_dur`. Spans and suspensions are merged in time order: the suspended time before the end
-- of a span minus that before its start.
CREATE PERFETTO MACRO _android_asleep_durations(
  -- Spans with `id`, `ts` and `dur`.
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
