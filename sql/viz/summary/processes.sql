-- Summary of the data of each process.

INCLUDE PERFETTO MODULE viz.summary.slices;
INCLUDE PERFETTO MODULE viz.summary.threads;

-- Number of slices of each process, without slices of its threads.
CREATE PERFETTO TABLE _process_track_summary AS
SELECT t.upid, sum(s.cnt) AS slice_count
FROM process_track AS t
JOIN _slice_track_summary AS s ON s.id = t.id
GROUP BY t.upid;

-- Number of allocations in the heap profile of each process.
CREATE PERFETTO TABLE _heap_profile_allocation_summary AS
SELECT upid, count(*) AS allocation_count FROM heap_profile_allocation GROUP BY upid;

-- Number of objects in the heap dump of each process.
CREATE PERFETTO TABLE _heap_profile_graph_summary AS
SELECT upid, count(*) AS graph_object_count FROM heap_graph_object GROUP BY upid;

-- Data of the threads of each process, combined.
CREATE PERFETTO TABLE _thread_process_grouped_summary AS
SELECT
  t.upid,
  max(s.max_running_dur) AS max_running_dur,
  sum(s.sum_running_dur) AS sum_running_dur,
  sum(s.running_count) AS running_count,
  sum(s.slice_count) AS slice_count,
  sum(s.stack_sample_count) AS stack_sample_count
FROM _thread_available_info_summary AS s
JOIN thread AS t ON t.utid = s.utid
WHERE t.upid IS NOT NULL
GROUP BY t.upid;

-- Processes with any data, with the amounts.
CREATE PERFETTO TABLE _process_available_info_summary AS
SELECT
  p.upid,
  coalesce(t.max_running_dur, 0) AS max_running_dur,
  coalesce(t.sum_running_dur, 0) AS sum_running_dur,
  coalesce(t.running_count, 0) AS running_count,
  coalesce(t.slice_count, 0) AS thread_slice_count,
  coalesce(t.stack_sample_count, 0) AS stack_sample_count,
  coalesce(s.slice_count, 0) AS process_slice_count,
  coalesce(a.allocation_count, 0) AS allocation_count,
  coalesce(g.graph_object_count, 0) AS graph_object_count
FROM process AS p
LEFT JOIN _thread_process_grouped_summary AS t ON t.upid = p.upid
LEFT JOIN _process_track_summary AS s ON s.upid = p.upid
LEFT JOIN _heap_profile_allocation_summary AS a ON a.upid = p.upid
LEFT JOIN _heap_profile_graph_summary AS g ON g.upid = p.upid
WHERE
  coalesce(t.upid, s.upid, a.upid, g.upid) IS NOT NULL
  OR p.upid IN (
    SELECT upid FROM process_counter_track
    UNION ALL
    SELECT upid FROM process_state_track
    UNION ALL
    SELECT upid FROM profiler_smaps
  );
