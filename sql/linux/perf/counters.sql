-- Counters of Linux perf at samples.

-- Returns the value of a counter at a sample.
CREATE PERFETTO FUNCTION linux_perf_counter_for_sample(
  -- Sample, as in `perf_sample`.
  sample_id JOINID(perf_sample.id),
  -- Name of the counter, such as `instructions`.
  counter_name STRING
)
-- Value; NULL if the counter was not read at the sample.
RETURNS DOUBLE
DELEGATES TO __intrinsic_perf_counter_for_sample;

-- A counter at a perf sample. A sample has a row for each counter.
CREATE PERFETTO VIEW linux_perf_sample_with_counters(
  -- Sample; join with `perf_sample` on `id`.
  sample_id JOINID(perf_sample.id),
  -- Time of the sample, ns in trace time.
  ts TIMESTAMP,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- CPU, numbered per machine.
  cpu LONG,
  -- Mode of the CPU, such as `user` or `kernel`; `unknown` if it was not recorded.
  cpu_mode STRING,
  -- Call stack; join with `stack_profile_callsite` on `id`.
  callsite_id JOINID(stack_profile_callsite.id),
  -- Error that ended the unwinding of the stack; NULL without one.
  unwind_error STRING,
  -- Session of the profiler; join with `perf_session` on `id`.
  perf_session_id JOINID(perf_session.id),
  -- Counter value; join with `counter` on `id`.
  counter_id JOINID(counter.id),
  -- Track of the counter; join with `perf_counter_track` on `id`.
  track_id JOINID(track.id),
  -- Value of the counter.
  counter_value DOUBLE
) AS
SELECT
  sample.id AS sample_id, sample.ts, sample.utid, sample.cpu, sample.cpu_mode, sample.callsite_id,
  sample.unwind_error, sample.perf_session_id,
  counter.id AS counter_id, counter.track_id, counter.value AS counter_value
FROM perf_sample AS sample
JOIN __intrinsic_profiler_sample AS stored ON stored.id = sample.id
JOIN __intrinsic_profiler_counter_set AS of_sample
  ON of_sample.counter_set_id = stored.counter_set_id
JOIN counter ON counter.id = of_sample.counter_id;
