-- What systemd's journal says.

-- An entry of the journal.
CREATE PERFETTO VIEW linux_systemd_journald_logs(
  -- The row's id in `logs`.
  id ID,
  -- When it was written.
  ts TIMESTAMP,
  -- The thread that wrote it.
  utid JOINID(thread.id),
  -- How grave it is, from 0, the gravest, to 7.
  prio LONG,
  -- What the program calls itself.
  tag STRING,
  -- What it says.
  msg STRING,
  -- The user the program ran as.
  uid LONG,
  -- The kernel's name for the program.
  comm STRING,
  -- The unit that started the program.
  systemd_unit STRING,
  -- The computer's name.
  hostname STRING,
  -- How the entry came to the journal.
  transport STRING
) AS
WITH told AS (
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
LEFT JOIN told AS t ON t.arg_set_id = l.arg_set_id
WHERE l.log_source IN ('journald', 'systemd_journald');
