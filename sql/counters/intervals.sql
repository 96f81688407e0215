-- Values of counters as intervals.

-- A value of a counter, from when it was taken to the next one: `id`, `ts`, `dur`, `track_id`,
-- `value`, `next_value` and `delta_value`, by how much it is more than the one before. The last
-- value of a track lasts to the end of the trace. Of values that stay the same, the first two and
-- the one before the next change are kept.
CREATE PERFETTO MACRO counter_leading_intervals(
  -- The values, as `counter` has them: `id`, `ts`, `track_id` and `value`.
  counter_table TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT
    id,
    ts,
    lead(ts, 1, trace_end()) OVER __kept - ts AS dur,
    track_id,
    value,
    lead(value) OVER __kept AS next_value,
    value - lag(value) OVER __kept AS delta_value
  FROM (
    SELECT
      id, ts, track_id, value,
      lag(value) OVER __all AS __before,
      lag(value, 2) OVER __all AS __before_that,
      lead(value) OVER __all AS __after
    FROM $counter_table
    WINDOW __all AS (PARTITION BY track_id ORDER BY ts)
  )
  WHERE
    __before IS NULL OR __before != value
    OR __before_that IS NULL OR __before_that != value
    OR __after != value
  WINDOW __kept AS (PARTITION BY track_id ORDER BY ts)
);
