-- Periods in which the GPU worked for apps.

INCLUDE PERFETTO MODULE android.gpu.work_period;
INCLUDE PERFETTO MODULE intervals.overlap;

-- A period in which a GPU worked for a user id.
CREATE PERFETTO TABLE _gpu_tasks(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- User id.
  uid LONG,
  -- GPU number.
  gpu_id LONG
) AS
SELECT slice.ts, slice.dur, track.uid, track.gpu_id
FROM android_gpu_work_period_track AS track
JOIN slice ON slice.track_id = track.id
WHERE slice.dur > 0;

-- A period in which the GPU worked for a constant number of user ids, from the first to the last
-- work.
CREATE PERFETTO TABLE _gpu_active_task_count(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Number of user ids; 0 between periods of work.
  active_tasks LONG
) AS
SELECT ts, dur, active_tasks
FROM (
  SELECT ts, lead(ts) OVER (ORDER BY ts) - ts AS dur, value AS active_tasks
  FROM intervals_overlap_count!(_gpu_tasks, ts, dur)
)
WHERE dur > 0;
