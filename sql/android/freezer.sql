-- Background apps that the system froze, with the reason for unfreezing.

INCLUDE PERFETTO MODULE android.process_metadata;

-- Meaning of the reason codes in `Unfreeze <process>:<pid> <reason>`.
CREATE PERFETTO TABLE _unfreeze_reasons AS
SELECT column1 AS reason, column2 AS name
FROM (
  VALUES
    (0, 'none'), (1, 'activity'), (2, 'finish_receiver'), (3, 'start_receiver'),
    (4, 'bind_service'), (5, 'unbind_service'), (6, 'start_service'), (7, 'get_provider'),
    (8, 'remove_provider'), (9, 'ui_visibility'), (10, 'allowlist'), (11, 'process_begin'),
    (12, 'process_end'), (13, 'trim_memory'), (15, 'ping'), (16, 'file_locks'),
    (17, 'file_lock_check_failure'), (18, 'binder_txns'), (19, 'feature_flags'),
    (20, 'short_fgs_timeout'), (21, 'system_init'), (22, 'backup'), (23, 'shell'),
    (24, 'remove_task'), (25, 'uid_idle'), (26, 'stop_service'), (27, 'executing_service'),
    (28, 'restriction_change'), (29, 'component_disabled')
);

-- Freeze and unfreeze events.
CREATE PERFETTO TABLE _freezer_marks AS
WITH marks AS (
  SELECT
    id,
    ts,
    name GLOB 'Freeze *' AS freezes,
    split_part(name, ' ', 2) AS subject,
    CAST(nullif(split_part(name, ' ', 3), '') AS BIGINT) AS reason
  FROM slice
  WHERE name GLOB 'Freeze *:*' OR name GLOB 'Unfreeze *:*'
)
SELECT
  id AS event_id,
  ts,
  freezes,
  -- The name of a process can contain colons.
  CAST(nullif(reverse(split_part(reverse(subject), ':', 1)), '') AS BIGINT) AS pid,
  reason
FROM marks;

-- A period in which a process was frozen.
CREATE PERFETTO TABLE android_freezer_events(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Kernel id of the process.
  pid LONG,
  -- Time when the process was frozen, ns in trace time.
  ts TIMESTAMP,
  -- Time until the process was unfrozen, ns.
  dur DURATION,
  -- Reason code for unfreezing; NULL if unknown.
  unfreeze_reason_int LONG,
  -- Reason for unfreezing; NULL if unknown.
  unfreeze_reason_str STRING
) AS
WITH spans AS (
  SELECT
    found.upid,
    mark.pid,
    mark.freezes,
    mark.ts,
    lead(mark.ts, 1, trace_end()) OVER of_process - mark.ts AS dur,
    lead(mark.reason) OVER of_process AS reason
  FROM _freezer_marks AS mark
  JOIN _android_process_of_pid!(_freezer_marks) AS found ON found.event_id = mark.event_id
  WINDOW of_process AS (PARTITION BY found.upid ORDER BY mark.ts)
)
SELECT
  spans.upid,
  spans.pid,
  spans.ts,
  spans.dur,
  spans.reason AS unfreeze_reason_int,
  reasons.name AS unfreeze_reason_str
FROM spans
LEFT JOIN _unfreeze_reasons AS reasons ON reasons.reason = spans.reason
WHERE spans.freezes
ORDER BY spans.ts;
