-- Names of scheduling states.

-- Converts a scheduling state to a readable name. Unknown states are returned unchanged.
CREATE PERFETTO FUNCTION sched_state_to_human_readable_string(
  -- State, as in `thread_state.state` or `sched.end_state`.
  short_name STRING
)
-- Name of the state.
RETURNS STRING AS
SELECT
  CASE $short_name
    WHEN 'R' THEN 'Runnable'
    WHEN 'R+' THEN 'Runnable (Preempted)'
    WHEN 'S' THEN 'Sleeping'
    WHEN 'D' THEN 'Uninterruptible Sleep'
    WHEN 'T' THEN 'Stopped'
    WHEN 't' THEN 'Traced'
    WHEN 'X' THEN 'Exit (Dead)'
    WHEN 'Z' THEN 'Exit (Zombie)'
    WHEN 'x' THEN 'Task Dead'
    WHEN 'I' THEN 'Idle'
    WHEN 'K' THEN 'Wakekill'
    WHEN 'W' THEN 'Waking'
    WHEN 'P' THEN 'Parked'
    WHEN 'N' THEN 'No Load'
    ELSE $short_name
  END;

-- Converts a scheduling state to a readable name that states whether it waits for I/O.
CREATE PERFETTO FUNCTION sched_state_io_to_human_readable_string(
  -- State, as in `thread_state.state`.
  sched_state STRING,
  -- Whether the state waits for I/O; NULL if unknown.
  io_wait BOOL
)
-- Name of the state, followed by ` (IO)` or ` (non-IO)` if `io_wait` is not NULL.
RETURNS STRING AS
SELECT
  coalesce(sched_state_to_human_readable_string($sched_state), '')
  || CASE $io_wait WHEN 1 THEN ' (IO)' WHEN 0 THEN ' (non-IO)' ELSE '' END;
