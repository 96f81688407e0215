-- Entries of the systemd journal.

-- An entry of the systemd journal.
CREATE PERFETTO VIEW linux_systemd_journald_logs(
  -- Id of the row; join with `logs` on `id`.
  id ID,
  -- Time of the entry, ns in trace time.
  ts TIMESTAMP,
  -- Thread that wrote the entry; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Severity from 0 (most severe) to 7.
  prio LONG,
  -- Tag of the program (syslog identifier).
  tag STRING,
  -- Text of the message.
  msg STRING,
  -- User id of the program.
  uid LONG,
  -- Kernel name (comm) of the program.
  comm STRING,
  -- systemd unit of the program.
  systemd_unit STRING,
  -- Host name of the machine.
  hostname STRING,
  -- Transport by which the journal received the entry.
  transport STRING
) AS
WITH reported AS (
  SELECT
    arg_set_id,
    max(CASE WHEN key = 'uid' THEN int_value END) AS uid,
    max(CASE WHEN key = 'comm' THEN string_value END) AS comm,
    max(CASE WHEN key = 'systemd_unit' THEN string_value END) AS systemd_unit,
    max(CASE WHEN key = 'hostname' THEN string_value END) AS hostname,
    max(CASE WHEN key = 'transport' THEN string_value END) AS transport
  FROM args
  WHERE key IN ('uid', 'comm', 'systemd_unit', 'hostname', 'transport')
  GROUP BY arg_set_id
)
SELECT
  l.id, l.ts, l.utid, l.prio, l.tag, l.msg,
  t.uid, t.comm, t.systemd_unit, t.hostname, t.transport
FROM logs AS l
LEFT JOIN reported AS t ON t.arg_set_id = l.arg_set_id
WHERE l.log_source IN ('journald', 'systemd_journald');
