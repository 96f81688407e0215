-- Summary of the data of each thread.

INCLUDE PERFETTO MODULE viz.summary.slices;

-- Time slices of each thread except idle threads.
CREATE PERFETTO TABLE _sched_summary AS
SELECT
  s.utid, max(s.dur) AS max_running_dur, sum(s.dur) AS sum_running_dur, count(*) AS running_count
FROM sched AS s
JOIN thread AS t ON t.utid = s.utid
WHERE s.dur != -1 AND coalesce(t.is_idle, 0) = 0
GROUP BY s.utid;

-- Number of slices of each thread.
CREATE PERFETTO TABLE _thread_track_summary AS
SELECT t.utid, sum(s.cnt) AS slice_count
FROM thread_track AS t
JOIN _slice_track_summary AS s ON s.id = t.id
GROUP BY t.utid;

-- Number of stack samples of each thread.
CREATE PERFETTO TABLE _stack_sample_summary AS
SELECT c.utid, count(*) AS sample_count
FROM stack_sample_task_context AS c
JOIN stack_sample AS s ON s.task_context_id = c.id
WHERE c.utid IS NOT NULL
GROUP BY c.utid;

-- Threads with any data, with the amounts.
CREATE PERFETTO TABLE _thread_available_info_summary AS
SELECT
  t.utid,
  coalesce(r.max_running_dur, 0) AS max_running_dur,
  coalesce(r.sum_running_dur, 0) AS sum_running_dur,
  coalesce(r.running_count, 0) AS running_count,
  coalesce(s.slice_count, 0) AS slice_count,
  coalesce(k.sample_count, 0) AS stack_sample_count
FROM thread AS t
LEFT JOIN _sched_summary AS r ON r.utid = t.utid
LEFT JOIN _thread_track_summary AS s ON s.utid = t.utid
LEFT JOIN _stack_sample_summary AS k ON k.utid = t.utid
WHERE
  coalesce(r.utid, s.utid, k.utid) IS NOT NULL
  OR t.utid IN (SELECT utid FROM thread_counter_track);
