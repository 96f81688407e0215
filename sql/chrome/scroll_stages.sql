-- Stages of scroll updates in Chrome: of the inputs, up to the compositor thread of the renderer,
-- and of the frames, up to the screen. `chrome.chrome_scrolls` describes the columns.

INCLUDE PERFETTO MODULE chrome.android_input;

INCLUDE PERFETTO MODULE chrome.event_latency;

INCLUDE PERFETTO MODULE chrome.graphics_pipeline;

INCLUDE PERFETTO MODULE chrome.input;

INCLUDE PERFETTO MODULE chrome.scroll_jank.scroll_offsets;

-- Ids of each scroll update in the pipelines of inputs and of frames.
CREATE PERFETTO TABLE _chrome_scroll_ids AS
SELECT
  input.latency_id AS scroll_update_latency_id,
  touch.touch_move_latency_id,
  coalesce(merged.presented_latency_id, input.latency_id) AS presentation_latency_id,
  submitted.surface_frame_trace_id AS surface_frame_id,
  displayed.display_trace_id
FROM chrome_inputs AS input
LEFT JOIN chrome_touch_move_to_scroll_update AS touch
  ON touch.scroll_update_latency_id = input.latency_id
LEFT JOIN chrome_coalesced_inputs AS merged ON merged.coalesced_latency_id = input.latency_id
LEFT JOIN chrome_graphics_pipeline_inputs_to_surface_frames AS submitted
  ON submitted.latency_id = input.latency_id
LEFT JOIN chrome_surface_frame_id_to_first_display_id AS displayed
  ON displayed.surface_frame_trace_id = submitted.surface_frame_trace_id
WHERE input.input_type = 'GESTURE_SCROLL_UPDATE_EVENT'
ORDER BY input.latency_id;

-- Returns a value of a step, as an aggregate.
CREATE PERFETTO MACRO _scroll_step(
  -- Name of the step, without `STEP_`.
  step_name Expr,
  -- Value.
  value Expr
)
RETURNS Expr AS
max($value) FILTER (WHERE step = 'STEP_' || $step_name);

-- Steps of each input. Of a step that occurs on several threads, the last one.
CREATE PERFETTO TABLE _chrome_steps_of_inputs AS
SELECT
  latency_id,
  input_type,
  _scroll_step!('SEND_INPUT_EVENT_UI', slice_id) AS sending_slice_id,
  _scroll_step!('SEND_INPUT_EVENT_UI', utid) AS sending_utid,
  _scroll_step!('SEND_INPUT_EVENT_UI', ts) AS sending_ts,
  _scroll_step!('SEND_INPUT_EVENT_UI', ts + dur) AS sending_end_ts,
  _scroll_step!('HANDLE_INPUT_EVENT_IMPL', slice_id) AS dispatch_slice_id,
  _scroll_step!('HANDLE_INPUT_EVENT_IMPL', utid) AS dispatch_utid,
  _scroll_step!('HANDLE_INPUT_EVENT_IMPL', coalesce(task_start_time_ts, ts)) AS dispatch_ts,
  _scroll_step!('HANDLE_INPUT_EVENT_IMPL', ts + dur) AS dispatch_end_ts,
  _scroll_step!('DID_HANDLE_INPUT_AND_OVERSCROLL', slice_id) AS handled_slice_id,
  _scroll_step!('DID_HANDLE_INPUT_AND_OVERSCROLL', ts) AS handled_ts,
  _scroll_step!('DID_HANDLE_INPUT_AND_OVERSCROLL', ts + dur) AS handled_end_ts,
  _scroll_step!('RESAMPLE_SCROLL_EVENTS', slice_id) AS resample_slice_id,
  _scroll_step!('RESAMPLE_SCROLL_EVENTS', coalesce(task_start_time_ts, ts)) AS resample_ts
FROM (
  SELECT
    *,
    row_number() OVER (PARTITION BY latency_id, step ORDER BY ts DESC, slice_id) AS from_last
  FROM chrome_input_pipeline_steps
)
WHERE from_last = 1
GROUP BY latency_id, input_type;

-- Steps of each surface frame. Of a step that occurs several times, the last one.
CREATE PERFETTO TABLE _chrome_steps_of_surface_frames AS
SELECT
  surface_frame_trace_id,
  _scroll_step!('RECEIVE_BEGIN_FRAME', coalesce(task_start_time_ts, ts)) AS begin_ts,
  _scroll_step!('GENERATE_COMPOSITOR_FRAME', id) AS generate_slice_id,
  _scroll_step!('GENERATE_COMPOSITOR_FRAME', coalesce(task_start_time_ts, ts)) AS generate_ts,
  _scroll_step!('SUBMIT_COMPOSITOR_FRAME', id) AS submit_slice_id,
  _scroll_step!('SUBMIT_COMPOSITOR_FRAME', ts) AS submit_ts,
  _scroll_step!('SUBMIT_COMPOSITOR_FRAME', ts + dur) AS submit_end_ts,
  _scroll_step!('RECEIVE_COMPOSITOR_FRAME', id) AS receive_slice_id,
  _scroll_step!('RECEIVE_COMPOSITOR_FRAME', utid) AS receive_utid,
  _scroll_step!('RECEIVE_COMPOSITOR_FRAME', coalesce(task_start_time_ts, ts)) AS receive_ts,
  _scroll_step!('RECEIVE_COMPOSITOR_FRAME', ts + dur) AS receive_end_ts
FROM (
  SELECT
    *,
    row_number() OVER (PARTITION BY surface_frame_trace_id, step ORDER BY ts DESC, id)
      AS from_last
  FROM chrome_graphics_pipeline_surface_frame_steps
  WHERE surface_frame_trace_id IS NOT NULL
)
WHERE from_last = 1
GROUP BY surface_frame_trace_id;

-- Steps of each display frame. Of a step that occurs on several threads, the last one.
CREATE PERFETTO TABLE _chrome_steps_of_display_frames AS
SELECT
  display_trace_id,
  _scroll_step!('DRAW_AND_SWAP', id) AS draw_slice_id,
  _scroll_step!('DRAW_AND_SWAP', coalesce(task_start_time_ts, ts)) AS draw_ts,
  _scroll_step!('SEND_BUFFER_SWAP', id) AS send_slice_id,
  _scroll_step!('SEND_BUFFER_SWAP', ts + dur) AS send_end_ts,
  _scroll_step!('BUFFER_SWAP_POST_SUBMIT', id) AS swap_slice_id,
  _scroll_step!('BUFFER_SWAP_POST_SUBMIT', utid) AS swap_utid,
  _scroll_step!('BUFFER_SWAP_POST_SUBMIT', coalesce(task_start_time_ts, ts)) AS swap_ts,
  _scroll_step!('BUFFER_SWAP_POST_SUBMIT', ts + dur) AS swap_end_ts
FROM (
  SELECT
    *,
    row_number() OVER (PARTITION BY display_trace_id, step ORDER BY ts DESC, id) AS from_last
  FROM chrome_graphics_pipeline_display_frame_steps
)
WHERE from_last = 1
GROUP BY display_trace_id;

-- End of each stage that the Android input event of a touch move went through in the system.
CREATE PERFETTO TABLE _chrome_touch_moves_in_system AS
SELECT
  touch.touch_move_latency_id,
  min(event.input_reader_processing_end_ts) AS read_end_ts,
  min(event.input_dispatcher_processing_end_ts) AS dispatch_end_ts
FROM chrome_dispatch_android_input_event_to_touch_move AS touch
JOIN chrome_android_input AS event USING (android_input_id)
GROUP BY touch.touch_move_latency_id;

-- Stages of inputs, as `chrome_scroll_update_input_pipeline`.
CREATE PERFETTO TABLE _chrome_scroll_inputs AS
WITH marks AS (
  SELECT
    ids.scroll_update_latency_id AS id,
    ids.presentation_latency_id,
    event.scroll_id,
    event.is_presented,
    event.is_janky,
    event.event_type = 'INERTIAL_GESTURE_SCROLL_UPDATE' AS is_inertial,
    event.event_type = 'FIRST_GESTURE_SCROLL_UPDATE' AS is_first,
    event.ts AS generation_ts,
    system.read_end_ts,
    system.dispatch_end_ts AS system_dispatch_end_ts,
    touch.sending_slice_id AS touch_slice_id,
    touch.sending_ts AS touch_ts,
    -- An input can be stamped later than it arrives.
    max(touch.sending_ts, event.ts) AS touch_arrival_ts,
    step.*
  FROM _chrome_scroll_ids AS ids
  LEFT JOIN chrome_gesture_scroll_updates AS event
    ON event.scroll_update_id = ids.scroll_update_latency_id
  LEFT JOIN _chrome_touch_moves_in_system AS system
    ON system.touch_move_latency_id = ids.touch_move_latency_id
  LEFT JOIN _chrome_steps_of_inputs AS touch
    ON touch.latency_id = ids.touch_move_latency_id AND touch.input_type = 'TOUCH_MOVE_EVENT'
  LEFT JOIN _chrome_steps_of_inputs AS step ON step.latency_id = ids.scroll_update_latency_id
)
SELECT
  id,
  scroll_id,
  presentation_latency_id AS presented_in_frame_id,
  is_presented,
  is_janky,
  is_inertial,
  is_first AS is_first_scroll_update_in_scroll,
  row_number() OVER (
    PARTITION BY presentation_latency_id
    ORDER BY generation_ts, sending_ts, touch_ts NULLS LAST
  ) = 1 AS is_first_scroll_update_in_frame,
  generation_ts,
  read_end_ts AS input_reader_processing_end_ts,
  system_dispatch_end_ts AS input_dispatcher_processing_end_ts,
  CASE
    WHEN is_inertial AND touch_ts IS NULL THEN max(sending_ts, generation_ts)
    ELSE touch_arrival_ts
  END - generation_ts AS generation_to_browser_main_dur,
  sending_utid AS browser_utid,
  touch_slice_id AS touch_move_received_slice_id,
  touch_ts AS touch_move_received_ts,
  sending_ts - touch_arrival_ts AS touch_move_processing_dur,
  sending_slice_id AS scroll_update_created_slice_id,
  sending_ts AS scroll_update_created_ts,
  sending_end_ts - sending_ts AS scroll_update_processing_dur,
  sending_end_ts AS scroll_update_created_end_ts,
  max(dispatch_ts - sending_end_ts, 0) AS browser_to_compositor_delay_dur,
  dispatch_utid AS compositor_utid,
  dispatch_slice_id AS compositor_dispatch_slice_id,
  dispatch_ts AS compositor_dispatch_ts,
  dispatch_end_ts - dispatch_ts AS compositor_dispatch_dur,
  dispatch_end_ts AS compositor_dispatch_end_ts,
  handled_ts - dispatch_end_ts AS compositor_dispatch_to_coalesced_input_handled_dur,
  handled_slice_id AS compositor_coalesced_input_handled_slice_id,
  handled_ts AS compositor_coalesced_input_handled_ts,
  handled_end_ts - handled_ts AS compositor_coalesced_input_handled_dur,
  handled_end_ts AS compositor_coalesced_input_handled_end_ts
FROM marks;

-- Stages of frames, as `chrome_scroll_update_frame_pipeline`.
CREATE PERFETTO TABLE _chrome_scroll_frames AS
SELECT
  ids.scroll_update_latency_id AS id,
  ids.display_trace_id,
  event.vsync_interval_ms,
  input.resample_slice_id AS compositor_resample_slice_id,
  input.resample_ts AS compositor_resample_ts,
  surface.begin_ts AS compositor_receive_begin_frame_ts,
  surface.generate_slice_id AS compositor_generate_compositor_frame_slice_id,
  surface.generate_ts AS compositor_generate_compositor_frame_ts,
  surface.submit_ts - surface.generate_ts AS compositor_generate_frame_to_submit_frame_dur,
  surface.submit_slice_id AS compositor_submit_compositor_frame_slice_id,
  surface.submit_ts AS compositor_submit_compositor_frame_ts,
  surface.submit_end_ts - surface.submit_ts AS compositor_submit_frame_dur,
  surface.submit_end_ts AS compositor_submit_compositor_frame_end_ts,
  surface.receive_ts - surface.submit_end_ts AS compositor_to_viz_delay_dur,
  surface.receive_utid AS viz_compositor_utid,
  surface.receive_slice_id AS viz_receive_compositor_frame_slice_id,
  surface.receive_ts AS viz_receive_compositor_frame_ts,
  surface.receive_end_ts - surface.receive_ts AS viz_receive_compositor_frame_dur,
  surface.receive_end_ts AS viz_receive_compositor_frame_end_ts,
  display.draw_ts - surface.receive_end_ts AS viz_wait_for_draw_dur,
  display.draw_slice_id AS viz_draw_and_swap_slice_id,
  display.draw_ts AS viz_draw_and_swap_ts,
  display.send_end_ts - display.draw_ts AS viz_draw_and_swap_dur,
  display.send_slice_id AS viz_send_buffer_swap_slice_id,
  display.send_end_ts AS viz_send_buffer_swap_end_ts,
  display.swap_ts - display.send_end_ts AS viz_to_gpu_delay_dur,
  display.swap_utid AS viz_gpu_thread_utid,
  display.swap_slice_id AS viz_swap_buffers_slice_id,
  display.swap_ts AS viz_swap_buffers_ts,
  display.swap_end_ts - display.swap_ts AS viz_swap_buffers_dur,
  display.swap_end_ts AS viz_swap_buffers_end_ts,
  event.latch_timestamp - display.swap_end_ts AS viz_swap_buffers_to_latch_dur,
  event.buffer_available_timestamp,
  event.buffer_ready_timestamp - event.buffer_available_timestamp AS buffer_available_to_ready_dur,
  event.buffer_ready_timestamp,
  event.latch_timestamp,
  event.presentation_timestamp - event.latch_timestamp AS viz_latch_to_presentation_dur,
  event.presentation_timestamp
FROM _chrome_scroll_ids AS ids
LEFT JOIN chrome_event_latencies AS event ON event.scroll_update_id = ids.presentation_latency_id
LEFT JOIN _chrome_steps_of_inputs AS input ON input.latency_id = ids.presentation_latency_id
LEFT JOIN _chrome_steps_of_surface_frames AS surface
  ON surface.surface_frame_trace_id = ids.surface_frame_id
LEFT JOIN _chrome_steps_of_display_frames AS display
  ON display.display_trace_id = ids.display_trace_id
-- Inputs that were merged into another one have no frame of their own.
WHERE ids.scroll_update_latency_id = ids.presentation_latency_id;

-- Stages of scroll updates from input to screen, as `chrome_scroll_update_info`.
CREATE PERFETTO TABLE _chrome_scroll_updates AS
WITH both_pipelines AS (
  SELECT
    input.*,
    frame.* EXCLUDE (id),
    -- The compositor begins the frame where it resamples inputs, if it does.
    coalesce(frame.compositor_resample_ts, input.compositor_coalesced_input_handled_ts)
      AS compositor_begin_ts,
    browser.start_ts AS browser_start_ts
  FROM _chrome_scroll_inputs AS input
  LEFT JOIN _chrome_scroll_frames AS frame ON frame.id = input.presented_in_frame_id
  LEFT JOIN thread ON thread.utid = input.browser_utid
  LEFT JOIN process AS browser ON browser.upid = thread.upid
)
SELECT
  id,
  scroll_id,
  lag(id) OVER in_scroll AS previous_input_id,
  display_trace_id AS frame_display_id,
  vsync_interval_ms,
  is_presented,
  is_janky,
  is_inertial,
  is_first_scroll_update_in_scroll,
  is_first_scroll_update_in_frame,
  generation_ts - browser_start_ts AS browser_uptime_dur,
  generation_ts,
  input_reader_processing_end_ts - generation_ts AS input_reader_dur,
  input_dispatcher_processing_end_ts - input_reader_processing_end_ts AS input_dispatcher_dur,
  generation_ts - lag(generation_ts) OVER in_scroll AS since_previous_generation_dur,
  generation_to_browser_main_dur,
  browser_utid,
  touch_move_received_slice_id,
  touch_move_received_ts,
  touch_move_processing_dur,
  scroll_update_created_slice_id,
  scroll_update_created_ts,
  scroll_update_processing_dur,
  scroll_update_created_end_ts,
  browser_to_compositor_delay_dur,
  compositor_utid,
  compositor_dispatch_slice_id,
  compositor_dispatch_ts,
  compositor_dispatch_dur,
  compositor_dispatch_end_ts,
  compositor_begin_ts - compositor_dispatch_end_ts
    AS compositor_dispatch_to_on_begin_frame_delay_dur,
  compositor_resample_slice_id,
  compositor_coalesced_input_handled_slice_id,
  compositor_begin_ts AS compositor_on_begin_frame_ts,
  compositor_coalesced_input_handled_end_ts - compositor_begin_ts AS compositor_on_begin_frame_dur,
  compositor_coalesced_input_handled_end_ts AS compositor_on_begin_frame_end_ts,
  compositor_generate_compositor_frame_ts - compositor_coalesced_input_handled_end_ts
    AS compositor_on_begin_frame_to_generation_delay_dur,
  compositor_generate_compositor_frame_slice_id,
  compositor_generate_compositor_frame_ts,
  compositor_generate_frame_to_submit_frame_dur,
  compositor_submit_compositor_frame_slice_id,
  compositor_submit_compositor_frame_ts,
  compositor_submit_frame_dur,
  compositor_submit_compositor_frame_end_ts,
  compositor_to_viz_delay_dur,
  viz_compositor_utid,
  viz_receive_compositor_frame_slice_id,
  viz_receive_compositor_frame_ts,
  viz_receive_compositor_frame_dur,
  viz_receive_compositor_frame_end_ts,
  viz_wait_for_draw_dur,
  viz_draw_and_swap_slice_id,
  viz_draw_and_swap_ts,
  viz_draw_and_swap_dur,
  viz_send_buffer_swap_slice_id,
  viz_send_buffer_swap_end_ts,
  viz_to_gpu_delay_dur,
  viz_gpu_thread_utid,
  viz_swap_buffers_slice_id,
  viz_swap_buffers_ts,
  viz_swap_buffers_dur,
  viz_swap_buffers_end_ts,
  viz_swap_buffers_to_latch_dur,
  buffer_available_timestamp,
  buffer_available_to_ready_dur,
  buffer_ready_timestamp,
  latch_timestamp,
  viz_latch_to_presentation_dur,
  presentation_timestamp
FROM both_pipelines
WINDOW in_scroll AS (
  PARTITION BY scroll_id
  ORDER BY generation_ts, scroll_update_created_ts, touch_move_received_ts NULLS LAST
)
ORDER BY generation_ts, scroll_update_created_ts, touch_move_received_ts NULLS LAST;

-- Distance of the inputs of each display frame, in pixels.
CREATE PERFETTO TABLE _chrome_display_frame_inputs AS
SELECT info.frame_display_id, sum(moved.delta_y) AS delta_y
FROM _chrome_scroll_updates AS info
JOIN chrome_scroll_input_offsets AS moved ON moved.scroll_update_id = info.id
GROUP BY info.frame_display_id;

-- Frames by their first scroll update, numbered in the order of its creation. Frames that were
-- dropped have no display frame and are left out.
CREATE PERFETTO TABLE _chrome_numbered_scroll_frames AS
SELECT
  *,
  row_number()
    OVER (ORDER BY generation_ts, scroll_update_created_ts, touch_move_received_ts NULLS LAST)
    AS number
FROM _chrome_scroll_updates
WHERE is_first_scroll_update_in_frame AND frame_display_id IS NOT NULL;

-- Stages of frames and their differences to the frame before, as `chrome_scroll_frame_info`.
CREATE PERFETTO TABLE _chrome_scroll_first_updates AS
SELECT
  info.frame_display_id AS id,
  info.scroll_id,
  info.previous_input_id AS last_input_before_this_frame_id,
  info.vsync_interval_ms,
  cast_int!(info.vsync_interval_ms * 1e6) AS vsync_interval_dur,
  info.is_janky,
  info.is_inertial,
  moved.delta_y AS total_input_delta_y,
  shown.delta_y AS presented_scrolled_delta_y,
  info.browser_uptime_dur,
  info.generation_ts AS first_input_generation_ts,
  info.input_reader_dur,
  info.input_dispatcher_dur,
  info.since_previous_generation_dur AS previous_last_input_to_first_input_generation_dur,
  info.browser_utid,
  info.generation_to_browser_main_dur AS first_input_generation_to_browser_main_dur,
  info.presentation_timestamp AS presentation_ts,
  info.generation_to_browser_main_dur - before.generation_to_browser_main_dur
    AS first_input_generation_to_browser_main_delta_dur,
  info.touch_move_processing_dur AS first_input_touch_move_processing_dur,
  info.touch_move_processing_dur - before.touch_move_processing_dur
    AS first_input_touch_move_processing_delta_dur,
  info.compositor_utid,
  info.browser_to_compositor_delay_dur AS first_input_browser_to_compositor_delay_dur,
  info.browser_to_compositor_delay_dur - before.browser_to_compositor_delay_dur
    AS first_input_browser_to_compositor_delay_delta_dur,
  info.compositor_dispatch_dur AS first_input_compositor_dispatch_dur,
  info.compositor_dispatch_dur - before.compositor_dispatch_dur
    AS first_input_compositor_dispatch_delta_dur,
  info.compositor_dispatch_to_on_begin_frame_delay_dur
    AS first_input_compositor_dispatch_to_on_begin_frame_delay_dur,
  info.compositor_dispatch_to_on_begin_frame_delay_dur
    - before.compositor_dispatch_to_on_begin_frame_delay_dur
    AS first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur,
  info.compositor_on_begin_frame_dur,
  info.compositor_on_begin_frame_dur - before.compositor_on_begin_frame_dur
    AS compositor_on_begin_frame_delta_dur,
  info.compositor_on_begin_frame_to_generation_delay_dur,
  info.compositor_on_begin_frame_to_generation_delay_dur
    - before.compositor_on_begin_frame_to_generation_delay_dur
    AS compositor_on_begin_frame_to_generation_delay_delta_dur,
  info.compositor_generate_frame_to_submit_frame_dur,
  info.compositor_generate_frame_to_submit_frame_dur
    - before.compositor_generate_frame_to_submit_frame_dur
    AS compositor_generate_frame_to_submit_frame_delta_dur,
  info.compositor_submit_frame_dur,
  info.compositor_submit_frame_dur - before.compositor_submit_frame_dur
    AS compositor_submit_frame_delta_dur,
  info.viz_compositor_utid,
  info.compositor_to_viz_delay_dur,
  info.compositor_to_viz_delay_dur - before.compositor_to_viz_delay_dur
    AS compositor_to_viz_delay_delta_dur,
  info.viz_receive_compositor_frame_dur,
  info.viz_receive_compositor_frame_dur - before.viz_receive_compositor_frame_dur
    AS viz_receive_compositor_frame_delta_dur,
  info.viz_wait_for_draw_dur,
  info.viz_wait_for_draw_dur - before.viz_wait_for_draw_dur AS viz_wait_for_draw_delta_dur,
  info.viz_draw_and_swap_dur,
  info.viz_draw_and_swap_dur - before.viz_draw_and_swap_dur AS viz_draw_and_swap_delta_dur,
  info.viz_gpu_thread_utid,
  info.viz_to_gpu_delay_dur,
  info.viz_to_gpu_delay_dur - before.viz_to_gpu_delay_dur AS viz_to_gpu_delay_delta_dur,
  info.viz_swap_buffers_dur,
  info.viz_swap_buffers_dur - before.viz_swap_buffers_dur AS viz_swap_buffers_delta_dur,
  info.viz_swap_buffers_to_latch_dur,
  info.viz_swap_buffers_to_latch_dur - before.viz_swap_buffers_to_latch_dur
    AS viz_swap_buffers_to_latch_delta_dur,
  info.buffer_available_to_ready_dur,
  info.buffer_available_to_ready_dur - before.buffer_available_to_ready_dur
    AS buffer_available_to_ready_delta_dur,
  info.viz_latch_to_presentation_dur,
  info.viz_latch_to_presentation_dur - before.viz_latch_to_presentation_dur
    AS viz_latch_to_presentation_delta_dur
FROM _chrome_numbered_scroll_frames AS info
LEFT JOIN _chrome_numbered_scroll_frames AS before
  ON before.number = info.number - 1
  AND NOT coalesce(info.is_first_scroll_update_in_scroll, FALSE)
LEFT JOIN _chrome_display_frame_inputs AS moved
  ON moved.frame_display_id = info.frame_display_id
LEFT JOIN chrome_presented_scroll_offsets AS shown ON shown.scroll_update_id = info.id
ORDER BY info.number;
