-- Frames with scroll updates by version 4 of the scroll jank metric of Chrome, with the stages of
-- their first scroll update.

INCLUDE PERFETTO MODULE chrome.chrome_scrolls;

INCLUDE PERFETTO MODULE chrome.scroll_jank_v4;

-- Frames with their first scroll update and the number of the frame before in the scroll.
CREATE PERFETTO TABLE _chrome_scroll_frames_v4 AS
SELECT
  *,
  lag(number) OVER in_scroll AS number_before,
  row_number() OVER in_scroll AS number_in_scroll,
  max(real_last_input_generation_ts) OVER (
    PARTITION BY scroll_id
    ORDER BY number
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ) AS last_input_before_ts
FROM (
  SELECT
    row_number() OVER (ORDER BY result.ts, result.id) AS number,
    result.id AS result_id,
    result.is_janky AS is_result_janky,
    result.vsync_interval,
    result.first_event_latency_id,
    result.first_scroll_update_type,
    result.damage_type,
    result.real_last_input_generation_ts,
    result.real_abs_total_raw_delta_pixels,
    result.real_total_raw_delta_pixels,
    result.real_max_abs_inertial_raw_delta_pixels AS max_fling_distance,
    info.* EXCLUDE (id, is_janky, is_inertial)
  FROM chrome_scroll_jank_v4_results AS result
  LEFT JOIN chrome_scroll_update_info AS info ON info.id = result.first_event_latency_id
)
WINDOW in_scroll AS (PARTITION BY scroll_id ORDER BY number);

-- A frame with scroll updates, and the stages of the first one. Stages before the dispatch in the
-- compositor thread are NULL if that scroll update is synthetic, and stages after it are NULL if
-- the frame is not damaging.
CREATE PERFETTO TABLE chrome_scroll_frame_info_v4(
  -- Slice of the result; join with `chrome_scroll_jank_v4_results` on `id`.
  id JOINID(slice.id),
  -- First scroll update of the frame; join with `chrome_scroll_update_info` on `id`.
  scroll_update_latency_id LONG,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Interval between vsyncs, ns.
  vsync_interval_dur DURATION,
  -- Whether the frame is janky: `Event.ScrollJank.DelayedFramesPercentage4.FixedWindow` of Chrome.
  is_janky BOOL,
  -- Whether a scroll update of the frame is part of a fling.
  is_inertial BOOL,
  -- Number of the frame in its scroll, from 1.
  frame_index_in_scroll LONG,
  -- Absolute distance of all real scroll updates before prediction, in pixels.
  real_abs_total_raw_delta_pixels DOUBLE,
  -- Distance of all real scroll updates before prediction, in pixels.
  real_total_raw_delta_pixels DOUBLE,
  -- Time from the start of the browser process to the creation of the input, ns.
  browser_uptime_dur DURATION,
  -- Creation time of the first input, ns in trace time.
  first_input_generation_ts TIMESTAMP,
  -- Time until the system has read the input, ns; NULL without the atrace category `input`.
  input_reader_dur DURATION,
  -- Time from there until it is dispatched, ns; NULL without the atrace category `input`.
  input_dispatcher_dur DURATION,
  -- Time since the creation of the last real input of the frames before, ns.
  previous_last_input_to_first_input_generation_dur DURATION,
  -- Main thread of the browser; join with `thread` on `utid`.
  browser_utid JOINID(thread.id),
  -- Time until the browser receives the touch move or, in a fling, makes the scroll update, ns.
  first_input_generation_to_browser_main_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  first_input_generation_to_browser_main_delta_dur DURATION,
  -- Slice that sends the touch move, `STEP_SEND_INPUT_EVENT_UI`; join with `slice` on `id`.
  first_input_touch_move_received_slice_id JOINID(slice.id),
  -- Start of that slice, ns in trace time.
  first_input_touch_move_received_ts TIMESTAMP,
  -- Time until the touch move becomes a scroll update, ns.
  first_input_touch_move_processing_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  first_input_touch_move_processing_delta_dur DURATION,
  -- Slice that sends the scroll update, `STEP_SEND_INPUT_EVENT_UI`; join with `slice` on `id`.
  first_input_scroll_update_created_slice_id JOINID(slice.id),
  -- Start of that slice, ns in trace time.
  first_input_scroll_update_created_ts TIMESTAMP,
  -- Duration of that slice, ns.
  first_input_scroll_update_processing_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  first_input_scroll_update_processing_delta_dur DURATION,
  -- End of that slice, ns in trace time.
  first_input_scroll_update_created_end_ts TIMESTAMP,
  -- Time until the compositor thread dispatches the scroll update, ns.
  first_input_browser_to_compositor_delay_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  first_input_browser_to_compositor_delay_delta_dur DURATION,
  -- Compositor thread of the renderer; join with `thread` on `utid`.
  compositor_utid JOINID(thread.id),
  -- Slice of the dispatch, `STEP_HANDLE_INPUT_EVENT_IMPL`; join with `slice` on `id`.
  first_input_compositor_dispatch_slice_id JOINID(slice.id),
  -- Start of that slice or, if known, of its task, ns in trace time.
  first_input_compositor_dispatch_ts TIMESTAMP,
  -- Duration of the dispatch from there, ns.
  first_input_compositor_dispatch_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  first_input_compositor_dispatch_delta_dur DURATION,
  -- End of the dispatch, ns in trace time.
  first_input_compositor_dispatch_end_ts TIMESTAMP,
  -- Time until the compositor begins the frame, ns.
  first_input_compositor_dispatch_to_on_begin_frame_delay_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur DURATION,
  -- Slice that resamples inputs, `STEP_RESAMPLE_SCROLL_EVENTS`; join with `slice` on `id`.
  compositor_resample_slice_id JOINID(slice.id),
  -- Slice of it, `STEP_DID_HANDLE_INPUT_AND_OVERSCROLL`; join with `slice` on `id`.
  compositor_coalesced_input_handled_slice_id JOINID(slice.id),
  -- Start of the work on inputs for the frame, ns in trace time.
  compositor_on_begin_frame_ts TIMESTAMP,
  -- Duration of the work on inputs for the frame, ns.
  compositor_on_begin_frame_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  compositor_on_begin_frame_delta_dur DURATION,
  -- End of that work, ns in trace time.
  compositor_on_begin_frame_end_ts TIMESTAMP,
  -- Time until the compositor generates the frame, ns.
  compositor_on_begin_frame_to_generation_delay_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  compositor_on_begin_frame_to_generation_delay_delta_dur DURATION,
  -- Slice that generates the frame, `STEP_GENERATE_COMPOSITOR_FRAME`; join with `slice` on `id`.
  compositor_generate_compositor_frame_slice_id JOINID(slice.id),
  -- Start of that slice or, if known, of its task, ns in trace time.
  compositor_generate_compositor_frame_ts TIMESTAMP,
  -- Time until the compositor submits the frame, ns.
  compositor_generate_frame_to_submit_frame_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  compositor_generate_frame_to_submit_frame_delta_dur DURATION,
  -- Slice that submits the frame, `STEP_SUBMIT_COMPOSITOR_FRAME`; join with `slice` on `id`.
  compositor_submit_compositor_frame_slice_id JOINID(slice.id),
  -- Start of that slice, ns in trace time.
  compositor_submit_compositor_frame_ts TIMESTAMP,
  -- Duration of submitting the frame, ns.
  compositor_submit_frame_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  compositor_submit_frame_delta_dur DURATION,
  -- End of that slice, ns in trace time.
  compositor_submit_compositor_frame_end_ts TIMESTAMP,
  -- Compositor thread of viz; join with `thread` on `utid`.
  viz_compositor_utid JOINID(thread.id),
  -- Time until viz receives the frame, ns.
  compositor_to_viz_delay_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  compositor_to_viz_delay_delta_dur DURATION,
  -- Slice that receives the frame, `STEP_RECEIVE_COMPOSITOR_FRAME`; join with `slice` on `id`.
  viz_receive_compositor_frame_slice_id JOINID(slice.id),
  -- Start of that slice or, if known, of its task, ns in trace time.
  viz_receive_compositor_frame_ts TIMESTAMP,
  -- Duration of receiving the frame from there, ns.
  viz_receive_compositor_frame_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  viz_receive_compositor_frame_delta_dur DURATION,
  -- End of that slice, ns in trace time.
  viz_receive_compositor_frame_end_ts TIMESTAMP,
  -- Time until viz draws the frame, ns.
  viz_wait_for_draw_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  viz_wait_for_draw_delta_dur DURATION,
  -- Slice that draws the frame, `STEP_DRAW_AND_SWAP`; join with `slice` on `id`.
  viz_draw_and_swap_slice_id JOINID(slice.id),
  -- Start of that slice or, if known, of its task, ns in trace time.
  viz_draw_and_swap_ts TIMESTAMP,
  -- Time from there until viz has sent the swap of buffers, ns.
  viz_draw_and_swap_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  viz_draw_and_swap_delta_dur DURATION,
  -- Slice that sends the swap, `STEP_SEND_BUFFER_SWAP`; join with `slice` on `id`.
  viz_send_buffer_swap_slice_id JOINID(slice.id),
  -- End of that slice, ns in trace time.
  viz_send_buffer_swap_end_ts TIMESTAMP,
  -- GPU thread of viz; join with `thread` on `utid`.
  viz_gpu_thread_utid JOINID(thread.id),
  -- Time until the GPU thread swaps the buffers, ns.
  viz_to_gpu_delay_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  viz_to_gpu_delay_delta_dur DURATION,
  -- Slice that swaps the buffers, `STEP_BUFFER_SWAP_POST_SUBMIT`; join with `slice` on `id`.
  viz_swap_buffers_slice_id JOINID(slice.id),
  -- Start of that slice or, if known, of its task, ns in trace time.
  viz_swap_buffers_ts TIMESTAMP,
  -- Duration of the swap from there, ns.
  viz_swap_buffers_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  viz_swap_buffers_delta_dur DURATION,
  -- End of that slice, ns in trace time.
  viz_swap_buffers_end_ts TIMESTAMP,
  -- Time until the system latches the buffer, ns.
  viz_swap_buffers_to_latch_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  viz_swap_buffers_to_latch_delta_dur DURATION,
  -- Time when the buffer was available, ns in trace time.
  buffer_available_timestamp TIMESTAMP,
  -- Time until the buffer was complete, ns.
  buffer_available_to_ready_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  buffer_available_to_ready_delta_dur DURATION,
  -- Time when the buffer was complete, ns in trace time.
  buffer_ready_timestamp TIMESTAMP,
  -- Time when the system latched the buffer, ns in trace time.
  latch_timestamp TIMESTAMP,
  -- Time from the latch to the presentation, ns.
  viz_latch_to_presentation_dur DURATION,
  -- Difference to the frame before in the scroll, ns.
  viz_latch_to_presentation_delta_dur DURATION,
  -- Time of the presentation, ns in trace time.
  presentation_ts TIMESTAMP
) AS
SELECT
  frame.result_id AS id,
  frame.first_event_latency_id AS scroll_update_latency_id,
  frame.scroll_id,
  frame.vsync_interval AS vsync_interval_dur,
  frame.is_result_janky AS is_janky,
  frame.max_fling_distance IS NOT NULL AS is_inertial,
  frame.number_in_scroll AS frame_index_in_scroll,
  input.real_abs_total_raw_delta_pixels,
  input.real_total_raw_delta_pixels,
  input.browser_uptime_dur,
  input.generation_ts AS first_input_generation_ts,
  input.input_reader_dur,
  input.input_dispatcher_dur,
  input.generation_ts - input.last_input_before_ts
    AS previous_last_input_to_first_input_generation_dur,
  input.browser_utid,
  input.generation_to_browser_main_dur AS first_input_generation_to_browser_main_dur,
  input.generation_to_browser_main_dur - before.generation_to_browser_main_dur
    AS first_input_generation_to_browser_main_delta_dur,
  input.touch_move_received_slice_id AS first_input_touch_move_received_slice_id,
  input.touch_move_received_ts AS first_input_touch_move_received_ts,
  input.touch_move_processing_dur AS first_input_touch_move_processing_dur,
  input.touch_move_processing_dur - before.touch_move_processing_dur
    AS first_input_touch_move_processing_delta_dur,
  input.scroll_update_created_slice_id AS first_input_scroll_update_created_slice_id,
  input.scroll_update_created_ts AS first_input_scroll_update_created_ts,
  input.scroll_update_processing_dur AS first_input_scroll_update_processing_dur,
  input.scroll_update_processing_dur - before.scroll_update_processing_dur
    AS first_input_scroll_update_processing_delta_dur,
  input.scroll_update_created_end_ts AS first_input_scroll_update_created_end_ts,
  input.browser_to_compositor_delay_dur AS first_input_browser_to_compositor_delay_dur,
  input.browser_to_compositor_delay_dur - before.browser_to_compositor_delay_dur
    AS first_input_browser_to_compositor_delay_delta_dur,
  frame.compositor_utid,
  frame.compositor_dispatch_slice_id AS first_input_compositor_dispatch_slice_id,
  frame.compositor_dispatch_ts AS first_input_compositor_dispatch_ts,
  frame.compositor_dispatch_dur AS first_input_compositor_dispatch_dur,
  frame.compositor_dispatch_dur - before.compositor_dispatch_dur
    AS first_input_compositor_dispatch_delta_dur,
  frame.compositor_dispatch_end_ts AS first_input_compositor_dispatch_end_ts,
  shown.compositor_dispatch_to_on_begin_frame_delay_dur
    AS first_input_compositor_dispatch_to_on_begin_frame_delay_dur,
  shown.compositor_dispatch_to_on_begin_frame_delay_dur
    - before.compositor_dispatch_to_on_begin_frame_delay_dur
    AS first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur,
  shown.compositor_resample_slice_id,
  shown.compositor_coalesced_input_handled_slice_id,
  shown.compositor_on_begin_frame_ts,
  shown.compositor_on_begin_frame_dur,
  shown.compositor_on_begin_frame_dur - before.compositor_on_begin_frame_dur
    AS compositor_on_begin_frame_delta_dur,
  shown.compositor_on_begin_frame_end_ts,
  shown.compositor_on_begin_frame_to_generation_delay_dur,
  shown.compositor_on_begin_frame_to_generation_delay_dur
    - before.compositor_on_begin_frame_to_generation_delay_dur
    AS compositor_on_begin_frame_to_generation_delay_delta_dur,
  shown.compositor_generate_compositor_frame_slice_id,
  shown.compositor_generate_compositor_frame_ts,
  shown.compositor_generate_frame_to_submit_frame_dur,
  shown.compositor_generate_frame_to_submit_frame_dur
    - before.compositor_generate_frame_to_submit_frame_dur
    AS compositor_generate_frame_to_submit_frame_delta_dur,
  shown.compositor_submit_compositor_frame_slice_id,
  shown.compositor_submit_compositor_frame_ts,
  shown.compositor_submit_frame_dur,
  shown.compositor_submit_frame_dur - before.compositor_submit_frame_dur
    AS compositor_submit_frame_delta_dur,
  shown.compositor_submit_compositor_frame_end_ts,
  shown.viz_compositor_utid,
  shown.compositor_to_viz_delay_dur,
  shown.compositor_to_viz_delay_dur - before.compositor_to_viz_delay_dur
    AS compositor_to_viz_delay_delta_dur,
  shown.viz_receive_compositor_frame_slice_id,
  shown.viz_receive_compositor_frame_ts,
  shown.viz_receive_compositor_frame_dur,
  shown.viz_receive_compositor_frame_dur - before.viz_receive_compositor_frame_dur
    AS viz_receive_compositor_frame_delta_dur,
  shown.viz_receive_compositor_frame_end_ts,
  shown.viz_wait_for_draw_dur,
  shown.viz_wait_for_draw_dur - before.viz_wait_for_draw_dur AS viz_wait_for_draw_delta_dur,
  shown.viz_draw_and_swap_slice_id,
  shown.viz_draw_and_swap_ts,
  shown.viz_draw_and_swap_dur,
  shown.viz_draw_and_swap_dur - before.viz_draw_and_swap_dur AS viz_draw_and_swap_delta_dur,
  shown.viz_send_buffer_swap_slice_id,
  shown.viz_send_buffer_swap_end_ts,
  shown.viz_gpu_thread_utid,
  shown.viz_to_gpu_delay_dur,
  shown.viz_to_gpu_delay_dur - before.viz_to_gpu_delay_dur AS viz_to_gpu_delay_delta_dur,
  shown.viz_swap_buffers_slice_id,
  shown.viz_swap_buffers_ts,
  shown.viz_swap_buffers_dur,
  shown.viz_swap_buffers_dur - before.viz_swap_buffers_dur AS viz_swap_buffers_delta_dur,
  shown.viz_swap_buffers_end_ts,
  shown.viz_swap_buffers_to_latch_dur,
  shown.viz_swap_buffers_to_latch_dur - before.viz_swap_buffers_to_latch_dur
    AS viz_swap_buffers_to_latch_delta_dur,
  shown.buffer_available_timestamp,
  shown.buffer_available_to_ready_dur,
  shown.buffer_available_to_ready_dur - before.buffer_available_to_ready_dur
    AS buffer_available_to_ready_delta_dur,
  shown.buffer_ready_timestamp,
  shown.latch_timestamp,
  shown.viz_latch_to_presentation_dur,
  shown.viz_latch_to_presentation_dur - before.viz_latch_to_presentation_dur
    AS viz_latch_to_presentation_delta_dur,
  shown.presentation_timestamp AS presentation_ts
FROM _chrome_scroll_frames_v4 AS frame
LEFT JOIN _chrome_scroll_frames_v4 AS input
  ON input.number = frame.number AND frame.first_scroll_update_type = 'REAL'
LEFT JOIN _chrome_scroll_frames_v4 AS shown
  ON shown.number = frame.number AND frame.damage_type = 'DAMAGING'
LEFT JOIN _chrome_scroll_frames_v4 AS before ON before.number = frame.number_before
ORDER BY frame.number;
