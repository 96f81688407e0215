-- Counter values as intervals.

-- Converts counter values to intervals that last until the next value: `id`, `ts`, `dur`,
-- `track_id`, `value`, `next_value` and `delta_value`, the difference to the previous value. The
-- last value of a track lasts until the end of the trace. Of a run of equal values, only the first
-- two and the last one are kept.
CREATE PERFETTO MACRO counter_leading_intervals(
  -- Values with the columns of `counter`: `id`, `ts`, `track_id` and `value`.
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
