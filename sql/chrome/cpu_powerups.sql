-- Wakeups of CPUs from idle states, with the thread that ran first and its slices.

-- A period in which a CPU was in one idle state.
CREATE PERFETTO VIEW chrome_cpu_power_slice(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG,
  -- CPU number on its machine.
  cpu LONG,
  -- Idle state: 0 when awake; a higher value is a deeper idle state.
  power_state LONG,
  -- Previous idle state; NULL for the first period of the CPU.
  previous_power_state LONG,
  -- Unique id of the period.
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

-- The first span in which a thread ran after its CPU woke up.
CREATE PERFETTO TABLE chrome_cpu_power_first_sched_slice_after_powerup(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG,
  -- CPU number on its machine.
  cpu LONG,
  -- Row of `sched_slice`; join with `sched_slice` on `id`.
  sched_id LONG,
  -- Thread; join with `thread` on `utid`.
  utid LONG,
  -- Idle state before the wakeup; a higher value is a deeper state.
  previous_power_state LONG,
  -- Period in which the CPU was awake; join with `chrome_cpu_power_slice` on `powerup_id`.
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

-- A top-level slice within such a span, clipped to it.
CREATE PERFETTO TABLE chrome_cpu_power_post_powerup_slice(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur LONG,
  -- CPU number on its machine.
  cpu LONG,
  -- Thread; join with `thread` on `utid`.
  utid LONG,
  -- Row of `sched_slice`; join with `sched_slice` on `id`.
  sched_id LONG,
  -- Slice; join with `slice` on `id`.
  slice_id LONG,
  -- Idle state before the wakeup; a higher value is a deeper state.
  previous_power_state LONG,
  -- Period in which the CPU was awake; join with `chrome_cpu_power_slice` on `powerup_id`.
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

-- The first top-level slice after a CPU woke up.
CREATE PERFETTO VIEW chrome_cpu_power_first_toplevel_slice_after_powerup(
  -- Slice; join with `slice` on `id`.
  slice_id LONG,
  -- Idle state before the wakeup; a higher value is a deeper state.
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
