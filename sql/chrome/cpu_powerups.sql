-- What woke CPUs from sleep: the threads that ran first, and their slices.

-- A period in which a CPU kept its depth of sleep.
CREATE PERFETTO VIEW chrome_cpu_power_slice(
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur LONG,
  -- The CPU.
  cpu LONG,
  -- The depth: 0 for awake, higher for deeper.
  power_state LONG,
  -- The depth before.
  previous_power_state LONG,
  -- The number of the period, unique in the trace.
  powerup_id LONG
) AS
WITH depths AS (
  SELECT
    counter.id,
    counter.ts,
    track.cpu,
    CASE WHEN counter.value = 4294967295 THEN 0 ELSE CAST(counter.value AS BIGINT) + 1 END
      AS power_state
  FROM counter
  JOIN cpu_counter_track AS track ON track.id = counter.track_id
  WHERE track.name = 'cpuidle'
)
SELECT
  ts,
  lead(ts) OVER of_cpu - ts AS dur,
  cpu,
  power_state,
  lag(power_state) OVER of_cpu AS previous_power_state,
  id AS powerup_id
FROM depths
WINDOW of_cpu AS (PARTITION BY cpu ORDER BY ts);

-- The first stretch of a thread's running after its CPU woke.
CREATE PERFETTO TABLE chrome_cpu_power_first_sched_slice_after_powerup(
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur LONG,
  -- The CPU.
  cpu LONG,
  -- The stretch.
  sched_id LONG,
  -- The thread.
  utid LONG,
  -- How deep the CPU had slept.
  previous_power_state LONG,
  -- The period awake.
  powerup_id LONG
) AS
SELECT ts, dur, cpu, sched_id, utid, previous_power_state, powerup_id
FROM (
  SELECT
    greatest(sched.ts, power.ts) AS ts,
    least(sched.ts + sched.dur, power.ts + power.dur) - greatest(sched.ts, power.ts) AS dur,
    power.cpu,
    sched.id AS sched_id,
    sched.utid,
    power.previous_power_state,
    power.powerup_id,
    row_number() OVER (PARTITION BY power.powerup_id ORDER BY sched.ts) AS nth
  FROM chrome_cpu_power_slice AS power
  JOIN sched_slice AS sched
    ON sched.cpu = power.cpu
    AND sched.ts < power.ts + power.dur
    AND sched.ts + sched.dur > power.ts
  JOIN thread ON thread.utid = sched.utid
  WHERE power.power_state = 0 AND power.previous_power_state IS NOT NULL AND thread.is_idle = 0
)
WHERE nth = 1
ORDER BY ts;

-- An outermost slice that lay in such a stretch, cut to it.
CREATE PERFETTO TABLE chrome_cpu_power_post_powerup_slice(
  -- When it began.
  ts TIMESTAMP,
  -- How long it lasted.
  dur LONG,
  -- The CPU.
  cpu LONG,
  -- The thread.
  utid LONG,
  -- The stretch of running.
  sched_id LONG,
  -- The slice.
  slice_id LONG,
  -- How deep the CPU had slept.
  previous_power_state LONG,
  -- The period awake.
  powerup_id LONG
) AS
SELECT
  greatest(slice.ts, first_run.ts) AS ts,
  least(slice.ts + slice.dur, first_run.ts + first_run.dur) - greatest(slice.ts, first_run.ts)
    AS dur,
  first_run.cpu,
  first_run.utid,
  first_run.sched_id,
  slice.id AS slice_id,
  first_run.previous_power_state,
  first_run.powerup_id
FROM chrome_cpu_power_first_sched_slice_after_powerup AS first_run
JOIN thread_track AS track ON track.utid = first_run.utid
JOIN slice
  ON slice.track_id = track.id
  AND slice.depth = 0
  AND slice.ts < first_run.ts + first_run.dur
  AND slice.ts + slice.dur > first_run.ts
ORDER BY ts;

-- The first outermost slice after a CPU woke.
CREATE PERFETTO VIEW chrome_cpu_power_first_toplevel_slice_after_powerup(
  -- The slice.
  slice_id LONG,
  -- How deep the CPU had slept.
  previous_power_state LONG
) AS
SELECT slice_id, previous_power_state
FROM (
  SELECT
    slice_id,
    previous_power_state,
    row_number() OVER (PARTITION BY powerup_id ORDER BY ts) AS nth
  FROM chrome_cpu_power_post_powerup_slice
)
WHERE nth = 1;
