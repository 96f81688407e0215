-- Breakdown of the main-thread time of app startups by reason.

INCLUDE PERFETTO MODULE android.binder_breakdown;

INCLUDE PERFETTO MODULE android.startup.startups;

-- Derives a reason from the name of a slice.
CREATE PERFETTO FUNCTION _normalize_android_string(
  -- Name of the slice.
  name STRING
)
-- Reason, such as `verify_class`; NULL if the name does not indicate a reason.
RETURNS STRING AS
SELECT
  coalesce(
    _android_slice_waits_for($name),
    CASE $name
      WHEN 'inflate' THEN 'inflate'
      WHEN 'bindApplication' THEN 'bind_application'
      WHEN 'activityStart' THEN 'activity_start'
      WHEN 'activityResume' THEN 'activity_resume'
      WHEN 'activityRestart' THEN 'activity_restart'
      WHEN 'clientTransactionExecuted' THEN 'client_transaction_executed'
      WHEN 'ResourcesManager#getResources' THEN 'resources_manager_get_resources'
    END,
    CASE
      WHEN $name GLOB 'dlopen*' THEN 'dlopen'
      WHEN $name GLOB 'VerifyClass*' THEN 'verify_class'
      WHEN $name GLOB 'OpenDexFilesFromOat*' THEN 'open_dex_files_from_oat'
      WHEN $name GLOB 'Choreographer#doFrame*' THEN 'choreographer_do_frame'
    END
  );

-- Startups with their main threads. If several overlap on a thread, the first one counts.
CREATE PERFETTO TABLE _startup_roots AS
WITH main_threads AS (
  SELECT
    row_number() OVER (ORDER BY ts, startup_id, utid) AS root_id,
    startup_id,
    utid,
    ts,
    dur,
    max(ts + dur) OVER (
      PARTITION BY utid
      ORDER BY ts, startup_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS busy_until
  FROM android_startup_threads
  WHERE is_main_thread = 1 AND dur > 0
)
SELECT root_id, startup_id, utid, ts, dur
FROM main_threads
WHERE busy_until IS NULL OR busy_until <= ts;

-- Slices during each startup with a known reason, clipped to the startup.
CREATE PERFETTO TABLE _startup_telling_slices AS
SELECT root_id, id, ts, until - ts AS dur, depth, reason
FROM (
  SELECT
    root.root_id,
    slice.id,
    greatest(slice.ts, root.ts) AS ts,
    least(slice.ts + slice.dur, root.ts + root.dur) AS until,
    slice.depth,
    _normalize_android_string(slice.name) AS reason
  FROM _startup_roots AS root
  JOIN thread_track AS track USING (utid)
  JOIN slice ON slice.track_id = track.id
)
WHERE until > ts AND reason IS NOT NULL;

-- The same slices, with the nearest ancestor among them.
CREATE PERFETTO TABLE _startup_nested_slices AS
WITH parents AS (
  SELECT
    telling.root_id,
    telling.id,
    outer_slice.id AS parent_id,
    row_number() OVER (PARTITION BY telling.root_id, telling.id ORDER BY above.depth DESC) AS nth
  FROM _startup_telling_slices AS telling, ancestor_slice(telling.id) AS above
  JOIN _startup_telling_slices AS outer_slice
    ON outer_slice.id = above.id AND outer_slice.root_id = telling.root_id
)
SELECT root_id, id, nearest.parent_id, ts, dur, depth
FROM _startup_telling_slices
LEFT JOIN (SELECT * FROM parents WHERE nth = 1) AS nearest USING (root_id, id);

-- Scheduling states of the main thread during each startup.
CREATE PERFETTO TABLE _startup_states AS
SELECT root_id, state_id AS id, state_ts AS ts, state_dur AS dur
FROM _android_states_within!(_startup_roots);

-- A segment of a startup on the main thread, with its reason.
CREATE PERFETTO TABLE android_startup_opinionated_breakdown(
  -- Startup; join with `android_startups` on `startup_id`.
  startup_id JOINID(android_startups.startup_id),
  -- Innermost slice with a known reason; NULL if only the thread state gives a reason. Join with
  -- `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Scheduling state of the main thread; join with `thread_state` on `id`.
  thread_state_id JOINID(thread_state.id),
  -- Start of the interval, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Reason: `io`, else the reason of the innermost slice such as `verify_class`, else `irq`, else
  -- the thread state; `launch_delay` before the main thread exists.
  reason STRING
) AS
SELECT
  root.startup_id,
  piece.over_id AS slice_id,
  piece.base_id AS thread_state_id,
  piece.ts,
  piece.dur,
  CASE
    WHEN state.io_wait = 1 THEN 'io'
    WHEN telling.reason IS NOT NULL THEN telling.reason
    WHEN state.irq_context = 1 THEN 'irq'
    ELSE state.state
  END AS reason
FROM _android_overlay!(
  _startup_states,
  _android_innermost_slices!(_startup_nested_slices)
) AS piece
JOIN _startup_roots AS root ON root.root_id = piece.root_id
JOIN thread_state AS state ON state.id = piece.base_id
LEFT JOIN _startup_telling_slices AS telling
  ON telling.root_id = piece.root_id AND telling.id = piece.over_id
UNION ALL
SELECT
  root.startup_id,
  CAST(NULL AS BIGINT) AS slice_id,
  CAST(NULL AS BIGINT) AS thread_state_id,
  root.ts,
  min(state.ts) - root.ts AS dur,
  'launch_delay' AS reason
FROM _startup_roots AS root
JOIN _startup_states AS state ON state.root_id = root.root_id
GROUP BY root.root_id, root.startup_id, root.ts
HAVING min(state.ts) > root.ts
ORDER BY ts;
