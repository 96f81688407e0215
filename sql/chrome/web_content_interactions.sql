-- Interactions with web pages in Chrome: taps, clicks, keys and drags.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- A click, tap, key press or drag on a web page: the longest of its events.
CREATE PERFETTO TABLE chrome_web_content_interactions(
  -- Slice of the interaction; join with `slice` on `id`.
  id LONG,
  -- Start of the event, ns in trace time.
  ts TIMESTAMP,
  -- Time until the result of the event was painted, ns.
  dur DURATION,
  -- Kind of interaction, such as `TAP_OR_CLICK`.
  interaction_type STRING,
  -- Renderer process of the page; join with `process` on `upid`.
  renderer_upid JOINID(process.id),
  -- Total duration of all its events, in ms.
  total_duration_ms LONG
) AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  kind.string_value AS interaction_type,
  coalesce(process_track.upid, thread.upid) AS renderer_upid,
  total.int_value AS total_duration_ms
FROM slice
LEFT JOIN args AS kind
  ON kind.arg_set_id = slice.arg_set_id AND kind.key = 'web_content_interaction.type'
LEFT JOIN args AS total
  ON total.arg_set_id = slice.arg_set_id AND total.key = 'web_content_interaction.total_duration_ms'
LEFT JOIN process_track ON process_track.id = slice.track_id
LEFT JOIN thread_track ON thread_track.id = slice.track_id
LEFT JOIN thread ON thread.utid = thread_track.utid
WHERE slice.name = 'Web Interaction'
ORDER BY slice.ts;
