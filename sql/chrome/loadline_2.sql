-- Runs of the LoadLine benchmark, version 2, which loads pages.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Marks of pages, `LoadLine2/<page>/<mark>`. Marks of renderers are on the main thread if they are
-- moments, and on a track of the process if they are measures.
CREATE PERFETTO TABLE _chrome_loadline_2_marks AS
SELECT
  slice.ts,
  split_part(slice.name, '/', 2) AS page,
  split_part(slice.name, '/', 3) AS mark,
  coalesce(process_track.upid, thread.upid) AS upid
FROM slice
LEFT JOIN process_track ON process_track.id = slice.track_id
LEFT JOIN thread_track ON thread_track.id = slice.track_id
LEFT JOIN thread ON thread.utid = thread_track.utid
WHERE
  slice.category = 'blink.user_timing'
  AND slice.name GLOB 'LoadLine2/*/*'
  AND coalesce(process_track.upid, thread.upid) IS NOT NULL;

-- Returns the time of the first mark with a name, as an aggregate.
CREATE PERFETTO MACRO _loadline_2_mark(
  -- Name of the mark.
  mark_name Expr
)
RETURNS Expr AS
min(ts) FILTER (WHERE mark = $mark_name);

-- Returns the process of the first mark with a name, as an aggregate.
CREATE PERFETTO MACRO _loadline_2_process(
  -- Name of the mark.
  mark_name Expr
)
RETURNS Expr AS
arg_min(upid, ts) FILTER (WHERE mark = $mark_name);

-- Times and processes of the marks of each page that started and finished.
CREATE PERFETTO TABLE _chrome_loadline_2_pages AS
SELECT
  page,
  _loadline_2_mark!('start') AS story_start,
  _loadline_2_mark!('visual') AS visual_mark,
  _loadline_2_process!('visual') AS visual_upid,
  _loadline_2_mark!('visual_raf') AS visual_raf,
  _loadline_2_mark!('interactive') AS interactive_mark,
  _loadline_2_process!('interactive') AS interactive_upid,
  _loadline_2_mark!('interactive_raf') AS interactive_raf,
  _loadline_2_mark!('finish') AS story_finish,
  _loadline_2_process!('finish') AS upid
FROM _chrome_loadline_2_marks
GROUP BY page
HAVING _loadline_2_mark!('start') IS NOT NULL AND _loadline_2_mark!('finish') IS NOT NULL;

-- Steps of navigations that pages are compared with.
CREATE PERFETTO TABLE _chrome_loadline_2_steps AS
SELECT slice.name, slice.ts, thread.upid
FROM slice
LEFT JOIN thread_track AS track ON track.id = slice.track_id
LEFT JOIN thread ON thread.utid = track.utid
WHERE
  slice.name IN (
    'WillStartRequest', 'CommitSentToFirstSubresourceLoadStart', 'DocumentLoader::CommitNavigation'
  );

-- First step of each kind after the start of each page.
CREATE PERFETTO TABLE _chrome_loadline_2_first_steps AS
SELECT
  page.page,
  min(step.ts) FILTER (WHERE step.name = 'WillStartRequest') AS start_request,
  min(step.ts) FILTER (WHERE step.name = 'CommitSentToFirstSubresourceLoadStart') AS end_request,
  min(step.ts) FILTER (
    WHERE step.name = 'DocumentLoader::CommitNavigation' AND step.upid = page.upid
  ) AS renderer_ready
FROM _chrome_loadline_2_pages AS page
JOIN _chrome_loadline_2_steps AS step ON step.ts >= page.story_start
GROUP BY page.page;

-- Commits of frames that were presented in full, with the time of the presentation.
CREATE PERFETTO TABLE _chrome_loadline_2_commits AS
SELECT track.upid, part.ts, frame.ts + frame.dur AS presentation_ts
FROM slice AS part
JOIN slice AS frame ON frame.id = part.parent_id
JOIN process_track AS track ON track.id = part.track_id
WHERE
  part.name = 'Commit'
  AND frame.name = 'PipelineReporter'
  AND frame.arg_set_id IN (
    SELECT arg_set_id
    FROM args
    WHERE
      -- The key depends on the Chrome version.
      key IN ('frame_reporter.state', 'chrome_frame_reporter.state')
      AND string_value = 'STATE_PRESENTED_ALL'
  );

-- A page with the times of the stages of loading it, ns in trace time. A time that is not in the
-- trace is NULL.
CREATE PERFETTO TABLE chrome_loadline2_stages(
  -- Name of the page.
  page STRING,
  -- Start of the page, ns in trace time.
  story_start TIMESTAMP,
  -- Start of the first request, ns in trace time.
  start_request TIMESTAMP,
  -- Time of the first load of a subresource, ns in trace time.
  end_request TIMESTAMP,
  -- Time when the renderer committed the navigation, ns in trace time.
  renderer_ready TIMESTAMP,
  -- Time when the page marked itself as visible, ns in trace time.
  visual_mark TIMESTAMP,
  -- Time of the second animation frame after that, ns in trace time.
  visual_raf TIMESTAMP,
  -- Time when the first frame after the mark was presented, ns in trace time.
  visual_presentation TIMESTAMP,
  -- Time when the page marked itself as interactive, ns in trace time.
  interactive_mark TIMESTAMP,
  -- Time of the second animation frame after that, ns in trace time.
  interactive_raf TIMESTAMP,
  -- Time when the first frame after the mark was presented, ns in trace time.
  interactive_presentation TIMESTAMP,
  -- End of the page, ns in trace time.
  story_finish TIMESTAMP
) AS
WITH visual AS (
  SELECT page.page, min(shown.presentation_ts) AS presentation_ts
  FROM _chrome_loadline_2_pages AS page
  JOIN _chrome_loadline_2_commits AS shown
    ON shown.upid = page.visual_upid AND shown.ts > page.visual_mark
  GROUP BY page.page
),
interactive AS (
  SELECT page.page, min(shown.presentation_ts) AS presentation_ts
  FROM _chrome_loadline_2_pages AS page
  JOIN _chrome_loadline_2_commits AS shown
    ON shown.upid = page.interactive_upid AND shown.ts > page.interactive_mark
  GROUP BY page.page
)
SELECT
  page,
  marked.story_start,
  step.start_request,
  step.end_request,
  step.renderer_ready,
  marked.visual_mark,
  marked.visual_raf,
  visual.presentation_ts AS visual_presentation,
  marked.interactive_mark,
  marked.interactive_raf,
  interactive.presentation_ts AS interactive_presentation,
  marked.story_finish
FROM _chrome_loadline_2_pages AS marked
LEFT JOIN _chrome_loadline_2_first_steps AS step USING (page)
LEFT JOIN visual USING (page)
LEFT JOIN interactive USING (page)
ORDER BY marked.story_start, page;
