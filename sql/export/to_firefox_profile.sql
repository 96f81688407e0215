-- Samples of call stacks as a profile for https://profiler.firefox.com.
--
-- The format is declared in
-- https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.js.

-- Functions of each frame: the function itself and those inlined into it. The inline depth counts
-- from the outermost function.
CREATE PERFETTO TABLE _firefox_function AS
SELECT
  f.id AS frame_id,
  coalesce(s.name, f.name, '') AS name,
  row_number() OVER (PARTITION BY f.id ORDER BY s.id DESC) - 1 AS inline_depth,
  row_number() OVER (PARTITION BY f.id ORDER BY s.id) = 1 AS is_innermost
FROM stack_profile_frame AS f
LEFT JOIN stack_profile_symbol AS s ON s.symbol_set_id = f.symbol_set_id;

-- Callsites in the samples of each thread, with all callers.
CREATE PERFETTO TABLE _firefox_callsite AS
WITH RECURSIVE sampled(utid, id) AS (
  SELECT utid, callsite_id FROM perf_sample WHERE callsite_id IS NOT NULL GROUP BY utid, callsite_id
  UNION ALL
  SELECT sampled.utid, c.parent_id
  FROM sampled
  JOIN stack_profile_callsite AS c ON c.id = sampled.id
  WHERE c.parent_id IS NOT NULL
)
SELECT s.utid, c.id, c.parent_id, c.frame_id
FROM (SELECT utid, id FROM sampled GROUP BY utid, id) AS s
JOIN stack_profile_callsite AS c ON c.id = s.id;

-- Stacks of each thread, one for each function of each callsite. The stack, the frame and the
-- function are positions in tables of the thread, from 0. The name is also a position, the same as
-- that of the function.
CREATE PERFETTO TABLE _firefox_stack AS
SELECT
  c.utid,
  c.id AS callsite_id,
  c.parent_id AS parent_callsite_id,
  f.name,
  f.inline_depth,
  f.is_innermost,
  row_number() OVER (PARTITION BY c.utid ORDER BY c.id, f.inline_depth) - 1 AS stack,
  dense_rank() OVER (PARTITION BY c.utid ORDER BY c.frame_id, f.inline_depth) - 1 AS frame,
  dense_rank() OVER (PARTITION BY c.utid ORDER BY f.name) - 1 AS func
FROM _firefox_callsite AS c
JOIN _firefox_function AS f ON f.frame_id = c.frame_id;

-- `SamplesTable` of each thread.
CREATE PERFETTO VIEW _firefox_samples AS
WITH placed AS (
  SELECT s.utid AS sampled_utid, s.id AS sample, s.ts AS sample_ts, k.stack
  FROM perf_sample AS s
  JOIN _firefox_stack AS k ON k.utid = s.utid AND k.callsite_id = s.callsite_id
  WHERE k.is_innermost = 1
)
SELECT
  t.utid,
  json_object(
    'stack', json_group_array(p.stack ORDER BY p.sample) FILTER (WHERE p.stack IS NOT NULL),
    'time', json_group_array(p.sample_ts ORDER BY p.sample) FILTER (WHERE p.stack IS NOT NULL),
    'weight', NULL,
    'weightType', 'samples',
    'length', count(p.stack)
  ) AS samples
FROM thread AS t
LEFT JOIN placed AS p ON p.sampled_utid = t.utid
GROUP BY t.utid;

-- `StackTable` of each thread.
CREATE PERFETTO VIEW _firefox_stack_table AS
WITH prefixed AS (
  SELECT
    k.utid AS sampled_utid, k.stack, k.frame,
    CASE WHEN k.inline_depth > 0 THEN k.stack - 1 ELSE caller.stack END AS prefix
  FROM _firefox_stack AS k
  LEFT JOIN _firefox_stack AS caller
    ON caller.utid = k.utid
    AND caller.callsite_id = k.parent_callsite_id
    AND caller.is_innermost = 1
)
SELECT
  t.utid,
  json_object(
    'frame', json_group_array(p.frame ORDER BY p.stack) FILTER (WHERE p.stack IS NOT NULL),
    'category', json_group_array(0) FILTER (WHERE p.stack IS NOT NULL),
    'subcategory', json_group_array(0) FILTER (WHERE p.stack IS NOT NULL),
    'prefix', json_group_array(p.prefix ORDER BY p.stack) FILTER (WHERE p.stack IS NOT NULL),
    'length', count(p.stack)
  ) AS stack_table
FROM thread AS t
LEFT JOIN prefixed AS p ON p.sampled_utid = t.utid
GROUP BY t.utid;

-- `FrameTable` of each thread.
CREATE PERFETTO VIEW _firefox_frame_table AS
WITH frames AS (
  SELECT utid AS sampled_utid, frame, min(inline_depth) AS inline_depth, min(func) AS func
  FROM _firefox_stack
  GROUP BY utid, frame
)
SELECT
  t.utid,
  json_object(
    'address', json_group_array(-1) FILTER (WHERE f.frame IS NOT NULL),
    'inlineDepth',
    json_group_array(f.inline_depth ORDER BY f.frame) FILTER (WHERE f.frame IS NOT NULL),
    'category', json_group_array(0) FILTER (WHERE f.frame IS NOT NULL),
    'subcategory', json_group_array(0) FILTER (WHERE f.frame IS NOT NULL),
    'func', json_group_array(f.func ORDER BY f.frame) FILTER (WHERE f.frame IS NOT NULL),
    'nativeSymbol', json_group_array(NULL) FILTER (WHERE f.frame IS NOT NULL),
    'innerWindowID', json_group_array(NULL) FILTER (WHERE f.frame IS NOT NULL),
    'implementation', json_group_array(NULL) FILTER (WHERE f.frame IS NOT NULL),
    'line', json_group_array(NULL) FILTER (WHERE f.frame IS NOT NULL),
    'column', json_group_array(NULL) FILTER (WHERE f.frame IS NOT NULL),
    'length', count(f.frame)
  ) AS frame_table
FROM thread AS t
LEFT JOIN frames AS f ON f.sampled_utid = t.utid
GROUP BY t.utid;

-- `FuncTable` of each thread, and the array of strings, which are the names of the functions.
CREATE PERFETTO VIEW _firefox_func_table AS
WITH functions AS (
  SELECT utid AS sampled_utid, func, min(name) AS name FROM _firefox_stack GROUP BY utid, func
)
SELECT
  t.utid,
  json_group_array(f.name ORDER BY f.func) FILTER (WHERE f.func IS NOT NULL) AS strings,
  json_object(
    'name', json_group_array(f.func ORDER BY f.func) FILTER (WHERE f.func IS NOT NULL),
    'isJS', json_group_array(0) FILTER (WHERE f.func IS NOT NULL),
    'relevantForJS', json_group_array(0) FILTER (WHERE f.func IS NOT NULL),
    'resource', json_group_array(-1) FILTER (WHERE f.func IS NOT NULL),
    'fileName', json_group_array(NULL) FILTER (WHERE f.func IS NOT NULL),
    'lineNumber', json_group_array(NULL) FILTER (WHERE f.func IS NOT NULL),
    'columnNumber', json_group_array(NULL) FILTER (WHERE f.func IS NOT NULL),
    'length', count(f.func)
  ) AS func_table
FROM thread AS t
LEFT JOIN functions AS f ON f.sampled_utid = t.utid
GROUP BY t.utid;

-- `Thread` of each thread of a process.
CREATE PERFETTO VIEW _firefox_thread AS
SELECT
  t.utid,
  json_object(
    'processType', 'default',
    'name', coalesce(t.name, ''),
    'isMainThread', 0,
    'pid', coalesce(p.pid, 0),
    'tid', coalesce(t.tid, 0),
    'samples', json(samples.samples),
    'markers',
    json('{"data":[],"name":[],"startTime":[],"endTime":[],"phase":[],"category":[],"length":0}'),
    'stackTable', json(stacks.stack_table),
    'frameTable', json(frames.frame_table),
    'stringArray', json(funcs.strings),
    'funcTable', json(funcs.func_table),
    'resourceTable', json('{"length":0,"lib":[],"name":[],"host":[],"type":[]}'),
    'nativeSymbols',
    json('{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0}')
  ) AS content
FROM thread AS t
JOIN process AS p ON p.upid = t.upid
JOIN _firefox_samples AS samples ON samples.utid = t.utid
JOIN _firefox_stack_table AS stacks ON stacks.utid = t.utid
JOIN _firefox_frame_table AS frames ON frames.utid = t.utid
JOIN _firefox_func_table AS funcs ON funcs.utid = t.utid;

-- Returns the samples of all threads as a profile for https://profiler.firefox.com. A thread that
-- belongs to no process is null.
CREATE PERFETTO FUNCTION export_to_firefox_profile()
-- Profile, as JSON.
RETURNS STRING AS
SELECT
  json_object(
    'meta', json_object(
      'interval', 1,
      'startTime', 0,
      'processType', 0,
      'categories', json('[{"name":"Other","color":"grey","subcategories":["Other"]}]'),
      'product', 'Perfetto',
      'stackwalk', 1,
      'version', 29,
      'preprocessedProfileVersion', 48,
      'markerSchema', json('[]'),
      'sampleUnits', json('{"time":"ms","eventDelay":"ms","threadCPUDelta":"µs"}')
    ),
    'libs', json('[]'),
    'pages', NULL,
    'counters', NULL,
    'profilerOverhead', NULL,
    'threads', json_group_array(json(f.content) ORDER BY t.utid),
    'profilingLog', NULL,
    'profileGatheringLog', NULL
  )
FROM thread AS t
LEFT JOIN _firefox_thread AS f ON f.utid = t.utid;
