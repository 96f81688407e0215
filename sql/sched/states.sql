-- Names for the kernel's letters for states of threads.

-- The name of a state. What is no letter of the kernel stays as it is.
CREATE PERFETTO FUNCTION sched_state_to_human_readable_string(
  -- A state, as `thread_state.state` or `sched.end_state` has it.
  short_name STRING
)
-- The name.
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

-- The name of a state, with whether it waited for input or output.
CREATE PERFETTO FUNCTION sched_state_io_to_human_readable_string(
  -- A state, as `thread_state.state` has it.
  sched_state STRING,
  -- Whether it waited for input or output; NULL where that is not known.
  io_wait BOOL
)
-- The name, with ` (IO)` or ` (non-IO)` after it where that is known.
RETURNS STRING AS
SELECT
  coalesce(sched_state_to_human_readable_string($sched_state), '')
  || CASE $io_wait WHEN 1 THEN ' (IO)' WHEN 0 THEN ' (non-IO)' ELSE '' END;
