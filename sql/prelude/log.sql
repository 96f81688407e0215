-- A message of Android's log.
CREATE PERFETTO VIEW android_logs(
  -- The message's id.
  id ID,
  -- When it was logged.
  ts TIMESTAMP,
  -- The thread that logged it.
  utid JOINID(thread.id),
  -- How grave it is: 2 verbose, 3 debugging, 4 information, 5 warning, 6 error, 7 fatal.
  prio LONG,
  -- What whoever logged it calls itself.
  tag STRING,
  -- The message; for an event of the binary log, its arguments.
  msg STRING
) AS
SELECT
  id, ts, utid, prio, tag, msg
FROM logs
WHERE log_source = 'android_logcat';
