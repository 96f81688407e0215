-- Threads and thread states with their processes.

-- Threads with their processes.
CREATE PERFETTO TABLE _thread_process_summary AS
SELECT t.utid, t.upid, t.tid, p.pid, t.name AS thread_name, p.name AS process_name
FROM thread AS t
LEFT JOIN process AS p ON p.upid = t.upid;

-- Thread states with threads and processes.
CREATE PERFETTO TABLE _state_w_thread_process_summary AS
SELECT
  s.ts, s.dur, s.cpu, s.state, t.utid, t.upid, t.tid, t.pid, t.thread_name, t.process_name
FROM thread_state AS s
JOIN _thread_process_summary AS t ON t.utid = s.utid;
