-- Tags that say what can have caused scroll jank, for each janky frame.

INCLUDE PERFETTO MODULE chrome.chrome_scrolls;

INCLUDE PERFETTO MODULE chrome.chrome_scrolls_v4;

INCLUDE PERFETTO MODULE chrome.graphics_pipeline;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE time.conversion;

-- Tags for stages that take long, with the time that is too long, in ms. A vsync interval is too
-- long for most stages; some are usually much shorter, and the latch usually takes a whole
-- interval.
CREATE PERFETTO VIEW _chrome_scroll_jank_stage_tags AS
SELECT tag, limit_ms
FROM (VALUES
  ('long_generation_to_browser_main', 6),
  ('long_touch_move', 16),
  ('long_browser_to_compositor', 16),
  ('long_compositor_dispatch', 16),
  ('long_wait_for_begin_frame', 16),
  ('long_on_begin_frame', 16),
  ('long_on_begin_frame_to_generation', 16),
  ('long_generate_to_submit', 16),
  ('long_submit_frame', 16),
  ('long_compositor_to_viz', 16),
  ('long_viz_receive_frame', 16),
  ('long_viz_wait_for_draw', 16),
  ('long_viz_draw_and_swap', 16),
  ('long_viz_to_gpu', 6),
  ('long_viz_swap_buffers', 6),
  ('long_viz_swap_to_latch', 17),
  ('long_buffer_available_to_ready', 6)
) AS stage(tag, limit_ms);

-- Tags for other conditions.
CREATE PERFETTO VIEW _chrome_scroll_jank_condition_tags AS
SELECT tag
FROM (VALUES
  ('inconsistent_input'),
  ('inconsistent_fling_input'),
  ('infrequent_input_cc_scheduling'),
  ('infrequent_input_viz_scheduling'),
  ('generation_to_browser_main_spike'),
  ('slow_input'),
  ('long_generation_to_dispatch_end_dur')
) AS condition(tag);

-- Returns the tags of janky frames: `frame_id` and `tag`.
CREATE PERFETTO MACRO _tags_of_scroll_frames(
  -- Frames, with the columns of `chrome_scroll_frame_info` and `abs_input_delta`, the distance of
  -- the inputs of a frame without its sign, in pixels.
  frames TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT __frame.id AS frame_id, __stage.tag
  FROM $frames AS __frame
  CROSS JOIN _chrome_scroll_jank_stage_tags AS __stage
  WHERE
    __frame.is_janky
    AND __stage.limit_ms * 1000000 < CASE __stage.tag
      WHEN 'long_generation_to_browser_main' THEN __frame.first_input_generation_to_browser_main_dur
      WHEN 'long_touch_move' THEN __frame.first_input_touch_move_processing_dur
      WHEN 'long_browser_to_compositor' THEN __frame.first_input_browser_to_compositor_delay_dur
      WHEN 'long_compositor_dispatch' THEN __frame.first_input_compositor_dispatch_dur
      WHEN 'long_wait_for_begin_frame'
        THEN __frame.first_input_compositor_dispatch_to_on_begin_frame_delay_dur
      WHEN 'long_on_begin_frame' THEN __frame.compositor_on_begin_frame_dur
      WHEN 'long_on_begin_frame_to_generation'
        THEN __frame.compositor_on_begin_frame_to_generation_delay_dur
      WHEN 'long_generate_to_submit' THEN __frame.compositor_generate_frame_to_submit_frame_dur
      WHEN 'long_submit_frame' THEN __frame.compositor_submit_frame_dur
      WHEN 'long_compositor_to_viz' THEN __frame.compositor_to_viz_delay_dur
      WHEN 'long_viz_receive_frame' THEN __frame.viz_receive_compositor_frame_dur
      WHEN 'long_viz_wait_for_draw' THEN __frame.viz_wait_for_draw_dur
      WHEN 'long_viz_draw_and_swap' THEN __frame.viz_draw_and_swap_dur
      WHEN 'long_viz_to_gpu' THEN __frame.viz_to_gpu_delay_dur
      WHEN 'long_viz_swap_buffers' THEN __frame.viz_swap_buffers_dur
      WHEN 'long_viz_swap_to_latch' THEN __frame.viz_swap_buffers_to_latch_dur
      WHEN 'long_buffer_available_to_ready' THEN __frame.buffer_available_to_ready_dur
    END
  UNION ALL
  SELECT __frame.id AS frame_id, __condition.tag
  FROM (
    SELECT
      *,
      cast_double!(previous_last_input_to_first_input_generation_dur) / vsync_interval_dur
        AS __input_gap,
      cast_double!(first_input_compositor_dispatch_to_on_begin_frame_delay_dur)
        / vsync_interval_dur AS __compositor_wait,
      cast_double!(viz_wait_for_draw_dur) / vsync_interval_dur AS __viz_wait
    FROM $frames
  ) AS __frame
  CROSS JOIN _chrome_scroll_jank_condition_tags AS __condition
  WHERE
    __frame.is_janky
    AND CASE __condition.tag
      -- There should be an input in each vsync interval.
      WHEN 'inconsistent_input' THEN NOT __frame.is_inertial AND __frame.__input_gap >= 1.2
      WHEN 'inconsistent_fling_input' THEN __frame.is_inertial AND __frame.__input_gap >= 1.2
      -- A frame with a single input waits for most of a vsync interval.
      WHEN 'infrequent_input_cc_scheduling'
        THEN __frame.__input_gap BETWEEN 0.75 AND 1.2 AND __frame.__compositor_wait > 0.66
      WHEN 'infrequent_input_viz_scheduling'
        THEN __frame.__input_gap BETWEEN 0.75 AND 1.2 AND __frame.__viz_wait > 0.66
      WHEN 'generation_to_browser_main_spike'
        THEN __frame.first_input_generation_to_browser_main_delta_dur > 3000000
      WHEN 'slow_input' THEN __frame.abs_input_delta <= 2.001
      WHEN 'long_generation_to_dispatch_end_dur'
        THEN __frame.input_reader_dur + __frame.input_dispatcher_dur > 3000000
    END
);

-- A tag of a frame that is janky by version 1 of the metric. A frame can have several.
CREATE PERFETTO TABLE chrome_scroll_jank_tags(
  -- Id of the display frame; join with `chrome_scroll_frame_info` on `id`.
  frame_id LONG,
  -- Tag, such as `long_touch_move`; `dropped_previous_frame/…` has the reason why the frame before
  -- was dropped.
  tag STRING
) AS
SELECT frame_id, tag
FROM _tags_of_scroll_frames!((
  SELECT *, abs(total_input_delta_y) AS abs_input_delta FROM chrome_scroll_frame_info
))
UNION ALL
SELECT
  frame.id AS frame_id,
  'dropped_previous_frame/' || coalesce(reason.string_value, '') AS tag
FROM chrome_scroll_frame_info AS frame
JOIN chrome_scroll_update_refs AS input_before
  ON input_before.scroll_update_latency_id = frame.last_input_before_this_frame_id
JOIN chrome_graphics_pipeline_surface_frame_steps AS dropping
  ON dropping.surface_frame_trace_id = input_before.surface_frame_id
  AND dropping.step = 'STEP_DID_NOT_PRODUCE_COMPOSITOR_FRAME'
JOIN slice ON slice.id = dropping.id
LEFT JOIN args AS reason
  ON reason.arg_set_id = slice.arg_set_id
  AND reason.key = 'chrome_graphics_pipeline.frame_skipped_reason'
WHERE frame.is_janky;

-- A tag of a frame that is janky by version 4 of the metric. A frame can have several.
CREATE PERFETTO TABLE chrome_scroll_jank_tags_v4(
  -- Slice of the result; join with `chrome_scroll_frame_info_v4` on `id`.
  frame_id JOINID(slice.id),
  -- Tag, such as `long_touch_move`.
  tag STRING
) AS
SELECT frame_id, tag
FROM _tags_of_scroll_frames!((
  SELECT *, real_abs_total_raw_delta_pixels AS abs_input_delta FROM chrome_scroll_frame_info_v4
));

-- A frame that is janky by version 1 of the metric, with its tags.
CREATE PERFETTO TABLE chrome_tagged_janky_scroll_frames(
  -- Id of the display frame; join with `chrome_scroll_frame_info` on `id`.
  frame_id LONG,
  -- Whether the frame has tags.
  tagged BOOL,
  -- Tags in alphabetical order, separated by commas; NULL if there are none.
  tags STRING
) AS
SELECT
  frame.id AS frame_id,
  count(tag.tag) > 0 AS tagged,
  group_concat(tag.tag, ',' ORDER BY tag.tag) AS tags
FROM chrome_scroll_frame_info AS frame
LEFT JOIN chrome_scroll_jank_tags AS tag ON tag.frame_id = frame.id
WHERE frame.is_janky
GROUP BY frame.id
ORDER BY frame.id;

-- A frame that is janky by version 4 of the metric, with its tags.
CREATE PERFETTO TABLE chrome_tagged_janky_scroll_frames_v4(
  -- Slice of the result; join with `chrome_scroll_frame_info_v4` on `id`.
  frame_id JOINID(slice.id),
  -- Whether the frame has tags.
  tagged BOOL,
  -- Tags in alphabetical order, separated by commas; NULL if there are none.
  tags STRING
) AS
SELECT
  frame.id AS frame_id,
  count(tag.tag) > 0 AS tagged,
  group_concat(tag.tag, ',' ORDER BY tag.tag) AS tags
FROM chrome_scroll_frame_info_v4 AS frame
LEFT JOIN chrome_scroll_jank_tags_v4 AS tag ON tag.frame_id = frame.id
WHERE frame.is_janky
GROUP BY frame.id
ORDER BY frame.id;
