-- A message of the Android log (logcat).
CREATE PERFETTO VIEW android_logs(
  -- Unique id of the message.
  id ID,
  -- Time of the message, ns in trace time.
  ts TIMESTAMP,
  -- Thread that logged the message; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Severity: 2 verbose, 3 debug, 4 info, 5 warning, 6 error, 7 fatal.
  prio LONG,
  -- Tag of the component that logged the message.
  tag STRING,
  -- Text of the message; for an event of the binary log, its arguments.
  msg STRING
) AS
SELECT
  id, ts, utid, prio, tag, msg
FROM logs
WHERE log_source = 'android_logcat';
