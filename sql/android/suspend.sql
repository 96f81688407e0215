-- Periods in which machines were suspended or awake.

INCLUDE PERFETTO MODULE intervals.fill_gaps;

-- Suspensions of each machine: from the minimal kernel events if the machine has them, else from
-- the suspend steps during which the clock is frozen.
CREATE PERFETTO TABLE _suspensions AS
WITH reported AS (
  SELECT
    slice.ts,
    slice.dur,
    track.machine_id,
    track.name = 'Suspend/Resume Minimal' AS is_minimal,
    max(track.name = 'Suspend/Resume Minimal') OVER (PARTITION BY track.machine_id) AS has_minimal
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
  SELECT
    ts, dur, machine_id,
    lead(ts, 1, trace_end()) OVER (PARTITION BY machine_id ORDER BY ts) AS next_ts
  FROM reported
  WHERE is_minimal = has_minimal
)
-- A suspension that overlaps the next one has lost its end; leave it out.
SELECT ts, dur, machine_id
FROM with_next
WHERE ts + dur <= next_ts;

-- A period in which a machine was awake or suspended. The periods of a machine cover the whole
-- trace. A machine without suspensions has no periods, except the first machine: it recorded the
-- trace and so was awake.
CREATE PERFETTO TABLE android_suspend_state(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Machine; join with `machine` on `id`.
  machine_id JOINID(machine.id),
  -- Power state: `awake` or `suspended`.
  power_state STRING
) AS
SELECT ts, dur, machine_id, coalesce(power_state, 'awake') AS power_state
FROM intervals_fill_gaps!(
  (machine_id),
  (power_state),
  (
    SELECT ts, dur, machine_id, 'suspended' AS power_state FROM _suspensions
    UNION ALL
    -- Of no length: its only effect is that the first machine has gaps to fill.
    SELECT trace_start(), 0, 0, NULL
  )
)
ORDER BY ts;

-- Returns the time of a span in which the first machine was awake, which converts a wall-clock duration to
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
WHERE asleep.machine_id = 0 AND asleep.ts < $ts + $dur AND asleep.ts + asleep.dur > $ts;

-- Returns the time in which the first machine was suspended during each span. Input: spans with
-- `id`, `ts` and `dur`. Output: `id` and `asleep_dur`. Spans and suspensions are merged in time
-- order: the suspended time before the end of a span minus that before its start.
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
        WHERE machine_id = 0
      )
    )
    WHERE id IS NOT NULL
  )
  GROUP BY id
);
