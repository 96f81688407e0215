-- Threads that can be the cause of scroll jank.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Names of Chrome processes: in traces that Chrome records, and in traces of the system.
CREATE PERFETTO VIEW _chrome_process_types AS
SELECT upid, 'Browser' AS process_type
FROM process
WHERE name = 'Browser' OR name GLOB '*.chrome'
UNION ALL
SELECT upid, 'GPU'
FROM process
WHERE name = 'Gpu' OR name GLOB '*.chrome*:privileged_process*';

-- Returns the threads with a name, in processes of a type, in which a slice starts during an input
-- event.
CREATE PERFETTO FUNCTION chrome_select_scroll_jank_cause_thread(
  -- Slice of the input event, an `EventLatency`.
  event_latency_id LONG,
  -- Type of the process: `Browser`, `Renderer` (that of the input event) or `GPU`.
  process_type STRING,
  -- Name of the thread. A thread `surfaceflinger` is searched in the process of that name, and
  -- belongs to the type `GPU`.
  thread_name STRING
)
RETURNS TABLE(
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id)
) AS
WITH candidates AS (
  SELECT upid
  FROM _chrome_process_types AS typed
  WHERE
    typed.process_type = $process_type
    AND NOT ($process_type = 'GPU' AND $thread_name = 'surfaceflinger')
  UNION
  SELECT min(upid)
  FROM process
  WHERE
    name GLOB '*surfaceflinger*' AND $process_type = 'GPU' AND $thread_name = 'surfaceflinger'
  UNION
  SELECT track.upid
  FROM slice AS event
  JOIN process_track AS track ON track.id = event.track_id
  WHERE event.id = $event_latency_id AND $process_type = 'Renderer'
)
SELECT DISTINCT thread.utid
FROM candidates
JOIN thread ON thread.upid = candidates.upid
JOIN thread_track AS track ON track.utid = thread.utid
JOIN slice AS work ON work.track_id = track.id
JOIN slice AS event ON work.ts BETWEEN event.ts AND event.ts + event.dur
WHERE event.id = $event_latency_id AND thread.name = $thread_name
ORDER BY thread.utid;
