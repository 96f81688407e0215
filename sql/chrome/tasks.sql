-- Tasks of Chrome threads, and the Java views of Chrome on Android.

-- Mojo messages and replies that processes received, with their interface.
CREATE PERFETTO TABLE _chrome_mojo_slices AS
WITH reported AS (
  SELECT
    slice.id,
    slice.name,
    max(
      CASE
        WHEN arg.key = 'chrome_mojo_event_info.mojo_interface_tag' THEN arg.string_value
      END
    ) AS interface_name,
    max(CASE WHEN arg.key = 'chrome_mojo_event_info.ipc_hash' THEN arg.int_value END) AS ipc_hash
  FROM slice
  JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
  WHERE slice.category GLOB '*mojom*' AND slice.name GLOB 'Receive *'
  GROUP BY slice.id, slice.name
)
SELECT
  id,
  interface_name,
  ipc_hash,
  CASE WHEN name = 'Receive mojo reply' THEN 'reply' ELSE 'message' END AS message_type,
  CASE
    WHEN name IN ('Receive mojo message', 'Receive mojo reply')
      THEN interface_name
        || CASE WHEN name = 'Receive mojo reply' THEN ' reply (hash=' ELSE ' message (hash=' END
        || ipc_hash || ')'
    ELSE substr(name, length('Receive ') + 1)
  END AS task_name
FROM reported;

-- Java views with the name of the view: that of the slice without the phase of drawing, measuring or
-- layout. Views of frameworks, which occur around any other view, are left out.
CREATE PERFETTO TABLE _chrome_named_java_views AS
SELECT id, view_name
FROM (
  SELECT
    id,
    regexp_replace_simple(name, '\.(draw|onLayout|onMeasure|Layout|Measure)$', '') AS view_name
  FROM slice
  WHERE category GLOB '*Java*' AND NOT category GLOB '*toplevel*' AND dur > 0
)
WHERE view_name NOT IN (
  'AppCompatImageButton', 'ComponentHost', 'CompositorView:finalizeLayers',
  'CompositorViewHolder', 'CompositorViewHolder:layout',
  'CompositorViewHolder:updateContentViewChildrenDimension', 'ContentFrameLayout',
  'CoordinatorLayout', 'CoordinatorLayoutForPointer', 'FitWindowsFrameLayout',
  'FitWindowsLinearLayout', 'LayoutDriver:onUpdate', 'OptimizedFrameLayout',
  'ScrollingBottomViewResourceFrameLayout', 'ViewResourceAdapter:captureWithHardwareDraw',
  'ViewResourceAdapter:captureWithSoftwareDraw', 'ViewResourceAdapter:getBitmap',
  'ViewResourceFrameLayout'
);

-- A Java view of Chrome that was measured, laid out or drawn. Views within another view and views
-- of frameworks are left out.
CREATE PERFETTO VIEW chrome_java_views(
  -- Name of the view.
  filtered_name STRING,
  -- Whether the slice is part of a screenshot of the toolbar that was drawn by the CPU.
  is_software_screenshot BOOL,
  -- Whether the slice is part of a screenshot of the toolbar that was drawn by the GPU.
  is_hardware_screenshot BOOL,
  -- Slice of the view; join with `slice` on `id`.
  slice_id LONG
) AS
WITH enclosed AS (
  SELECT
    view.id,
    max(around.id IS NOT NULL) AS is_inner,
    max(above.name = 'ViewResourceAdapter:captureWithSoftwareDraw') AS is_software_screenshot,
    max(above.name = 'ViewResourceAdapter:captureWithHardwareDraw') AS is_hardware_screenshot
  FROM _chrome_named_java_views AS view, ancestor_slice(view.id) AS above
  LEFT JOIN _chrome_named_java_views AS around ON around.id = above.id
  GROUP BY view.id
)
SELECT
  view.view_name AS filtered_name,
  coalesce(enclosed.is_software_screenshot, 0) AS is_software_screenshot,
  coalesce(enclosed.is_hardware_screenshot, 0) AS is_hardware_screenshot,
  view.id AS slice_id
FROM _chrome_named_java_views AS view
LEFT JOIN enclosed ON enclosed.id = view.id
WHERE coalesce(enclosed.is_inner, 0) = 0;

-- A task that a Chrome scheduler ran.
CREATE PERFETTO VIEW chrome_scheduler_tasks(
  -- Slice of the task; join with `slice` on `id`.
  id INT,
  -- Always `chrome_scheduler_tasks`.
  type STRING,
  -- Name, `RunTask(posted_from=…)` with the source location that posted the task.
  name STRING,
  -- Start, ns in trace time.
  ts INT,
  -- Duration, ns.
  dur INT,
  -- Thread; join with `thread` on `utid`.
  utid INT,
  -- Name of the thread.
  thread_name STRING,
  -- Process; join with `process` on `upid`.
  upid INT,
  -- Name of the process.
  process_name STRING,
  -- Track of the slice; join with `track` on `id`.
  track_id INT,
  -- Categories of the slice, separated by commas.
  category STRING,
  -- Number of ancestor slices on the track; 0 for a top-level slice.
  depth INT,
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id INT,
  -- Arguments of the slice; join with `args` on `arg_set_id`.
  arg_set_id INT,
  -- CPU time of the thread at the start of the slice, ns; NULL if not recorded.
  thread_ts INT,
  -- CPU time of the thread during the slice, ns; NULL if not recorded.
  thread_dur INT,
  -- Source location that posted the task, `file:function`.
  posted_from STRING
) AS
WITH posted AS (
  SELECT
    slice.id,
    max(CASE WHEN arg.key = 'task.posted_from.file_name' THEN arg.string_value END) AS file_name,
    max(CASE WHEN arg.key = 'task.posted_from.function_name' THEN arg.string_value END)
      AS function_name
  FROM slice
  JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
  WHERE slice.name IN ('ThreadControllerImpl::RunTask', 'ThreadPool_RunTask')
  GROUP BY slice.id
)
SELECT
  slice.id,
  'chrome_scheduler_tasks' AS type,
  'RunTask(posted_from=' || posted.file_name || ':' || posted.function_name || ')' AS name,
  slice.ts,
  slice.dur,
  thread.utid,
  thread.name AS thread_name,
  process.upid,
  process.name AS process_name,
  slice.track_id,
  slice.category,
  slice.depth,
  slice.parent_id,
  slice.arg_set_id,
  slice.thread_ts,
  slice.thread_dur,
  posted.file_name || ':' || posted.function_name AS posted_from
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread ON thread.utid = track.utid
LEFT JOIN process ON process.upid = thread.upid
LEFT JOIN posted ON posted.id = slice.id
WHERE slice.name IN ('ThreadControllerImpl::RunTask', 'ThreadPool_RunTask')
ORDER BY slice.id;

-- Candidates for tasks: thread slices of the categories `toplevel` and `Java`.
CREATE PERFETTO TABLE _chrome_toplevel_slices AS
SELECT
  slice.*,
  thread.utid,
  thread.name AS thread_name,
  process.upid,
  process.name AS process_name,
  slice.category GLOB '*toplevel*' AS is_toplevel
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread ON thread.utid = track.utid
LEFT JOIN process ON process.upid = thread.upid
WHERE slice.category GLOB '*toplevel*' OR slice.category = 'Java';

-- Candidates without an ancestor among the candidates. A `Java` slice does not count as ancestor of
-- a `toplevel` slice.
CREATE PERFETTO TABLE _chrome_outermost_slices AS
WITH inner_ones AS (
  SELECT DISTINCT candidate.id
  FROM _chrome_toplevel_slices AS candidate, ancestor_slice(candidate.id) AS above
  JOIN _chrome_toplevel_slices AS outer_one ON outer_one.id = above.id
  WHERE candidate.is_toplevel <= outer_one.is_toplevel
)
SELECT candidate.*
FROM _chrome_toplevel_slices AS candidate
LEFT JOIN inner_ones ON inner_ones.id = candidate.id
WHERE inner_ones.id IS NULL;

-- Mojo message that each task handles: the first `toplevel` descendant of the task, if it is a
-- received message. Slices that are part of receiving do not count.
CREATE PERFETTO TABLE _chrome_mojo_of_task AS
SELECT first_slice.task_id, mojo.task_name
FROM (
  SELECT
    task.id AS task_id,
    below.id,
    row_number() OVER (PARTITION BY task.id ORDER BY below.depth, below.ts) AS nth
  FROM (
    SELECT id FROM _chrome_outermost_slices WHERE name GLOB '*RunTask'
  ) AS task, descendant_slice(task.id) AS below
  WHERE
    below.category GLOB '*toplevel*'
    AND below.name NOT IN (
      'ScopedSetIpcHash', 'MessagePipe peer closed', 'SimpleWatcher::OnHandleReady'
    )
) AS first_slice
JOIN _chrome_mojo_slices AS mojo ON mojo.id = first_slice.id
WHERE first_slice.nth = 1;

-- A task: a top-level unit of work of a Chrome thread. Tasks of a thread do not overlap.
CREATE PERFETTO VIEW chrome_tasks(
  -- Slice of the task; join with `slice` on `id`.
  id INT,
  -- Name: the Mojo message that was handled, else the source location that posted the task, else
  -- the slice name.
  name STRING,
  -- Type: `mojo`, `scheduler`, `java`, `choreographer` or `other`.
  task_type STRING,
  -- Name of the thread.
  thread_name STRING,
  -- Thread; join with `thread` on `utid`.
  utid INT,
  -- Name of the process.
  process_name STRING,
  -- Process; join with `process` on `upid`.
  upid INT,
  -- Start, ns in trace time.
  ts INT,
  -- Duration, ns.
  dur INT,
  -- Track of the slice; join with `track` on `id`.
  track_id INT,
  -- Categories of the slice, separated by commas.
  category STRING,
  -- Arguments of the slice; join with `args` on `arg_set_id`.
  arg_set_id INT,
  -- CPU time of the thread at the start of the slice, ns; NULL if not recorded.
  thread_ts INT,
  -- CPU time of the thread during the slice, ns; NULL if not recorded.
  thread_dur INT,
  -- Same as `name`.
  full_name STRING
) AS
WITH named AS (
  SELECT
    task.*,
    CASE
      WHEN handled.task_name IS NOT NULL OR mojo.task_name IS NOT NULL THEN 'mojo'
      WHEN scheduled.id IS NOT NULL THEN 'scheduler'
      WHEN task.name GLOB 'Looper.dispatch: android.view.Choreographer$FrameHandler*'
        THEN 'choreographer'
      WHEN task.is_toplevel THEN 'other'
      ELSE 'java'
    END AS task_type,
    coalesce(handled.task_name, mojo.task_name, scheduled.name, task.name) AS full_name
  FROM _chrome_outermost_slices AS task
  LEFT JOIN _chrome_mojo_of_task AS handled ON handled.task_id = task.id
  LEFT JOIN _chrome_mojo_slices AS mojo ON mojo.id = task.id
  LEFT JOIN chrome_scheduler_tasks AS scheduled ON scheduled.id = task.id
)
SELECT
  id, full_name AS name, task_type, thread_name, utid, process_name, upid, ts, dur, track_id,
  category, arg_set_id, thread_ts, thread_dur, full_name
FROM named
ORDER BY id;
