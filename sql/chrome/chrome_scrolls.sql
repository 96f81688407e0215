-- Scrolls in Chrome: what happens to each scroll update from the input to the screen, and to each
-- frame that contains scroll updates. Viz is the display compositor of Chrome.

INCLUDE PERFETTO MODULE chrome.scroll_stages;

-- The ids of a scroll update in the pipelines of inputs and of frames.
CREATE PERFETTO TABLE chrome_scroll_update_refs(
  -- Id of the scroll update; join with `chrome_inputs` on `latency_id`.
  scroll_update_latency_id LONG,
  -- Touch move that became the scroll update; NULL in a fling.
  touch_move_latency_id LONG,
  -- Scroll update with which it was merged and presented, which can be itself.
  presentation_latency_id LONG,
  -- Id of the surface frame.
  surface_frame_id LONG,
  -- Id of the display frame.
  display_trace_id LONG
) AS
SELECT * FROM _chrome_scroll_ids;

-- A scroll update on its way from the input to the frame.
CREATE PERFETTO TABLE chrome_scroll_update_input_pipeline(
  -- Id of the scroll update; join with `chrome_inputs` on `latency_id`.
  id LONG,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Scroll update with the same frame; join with `chrome_scroll_update_frame_pipeline` on `id`.
  presented_in_frame_id LONG,
  -- Whether the scroll update was presented.
  is_presented BOOL,
  -- Whether the frame is janky: `Event.ScrollJank.DelayedFramesPercentage.FixedWindow` of Chrome.
  is_janky BOOL,
  -- Whether the scroll update is part of a fling, which has no touch moves.
  is_inertial BOOL,
  -- Whether it is the first scroll update of its scroll.
  is_first_scroll_update_in_scroll BOOL,
  -- Whether it is the first scroll update of its frame.
  is_first_scroll_update_in_frame BOOL,
  -- Creation time of the input, ns in trace time.
  generation_ts TIMESTAMP,
  -- End of reading it in the system, ns in trace time; NULL without the atrace category `input`.
  input_reader_processing_end_ts TIMESTAMP,
  -- End of dispatching it in the system, ns; NULL without the atrace category `input`.
  input_dispatcher_processing_end_ts TIMESTAMP,
  -- Time until the browser receives the touch move or, in a fling, makes the scroll update, ns.
  generation_to_browser_main_dur DURATION,
  -- Main thread of the browser; join with `thread` on `utid`.
  browser_utid LONG,
  -- Slice that sends the touch move, `STEP_SEND_INPUT_EVENT_UI`; join with `slice` on `id`.
  touch_move_received_slice_id LONG,
  -- Start of that slice, ns in trace time.
  touch_move_received_ts TIMESTAMP,
  -- Time until the touch move becomes a scroll update, ns.
  touch_move_processing_dur DURATION,
  -- Slice that sends the scroll update, `STEP_SEND_INPUT_EVENT_UI`; join with `slice` on `id`.
  scroll_update_created_slice_id LONG,
  -- Start of that slice, ns in trace time.
  scroll_update_created_ts TIMESTAMP,
  -- Duration of that slice, ns.
  scroll_update_processing_dur DURATION,
  -- End of that slice, ns in trace time.
  scroll_update_created_end_ts TIMESTAMP,
  -- Time until the compositor thread dispatches the scroll update, ns.
  browser_to_compositor_delay_dur DURATION,
  -- Compositor thread of the renderer; join with `thread` on `utid`.
  compositor_utid LONG,
  -- Slice of the dispatch, `STEP_HANDLE_INPUT_EVENT_IMPL`; join with `slice` on `id`.
  compositor_dispatch_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  compositor_dispatch_ts TIMESTAMP,
  -- Duration of the dispatch from there, ns.
  compositor_dispatch_dur DURATION,
  -- End of the dispatch, ns in trace time.
  compositor_dispatch_end_ts TIMESTAMP,
  -- Time until the compositor handles the merged input, ns.
  compositor_dispatch_to_coalesced_input_handled_dur DURATION,
  -- Slice of it, `STEP_DID_HANDLE_INPUT_AND_OVERSCROLL`; join with `slice` on `id`.
  compositor_coalesced_input_handled_slice_id LONG,
  -- Start of that slice, ns in trace time.
  compositor_coalesced_input_handled_ts TIMESTAMP,
  -- Duration of that slice, ns.
  compositor_coalesced_input_handled_dur DURATION,
  -- End of that slice, ns in trace time.
  compositor_coalesced_input_handled_end_ts TIMESTAMP
) AS
SELECT * FROM _chrome_scroll_inputs;

-- A frame of scroll updates on its way to the screen; it has the id of one of them.
CREATE PERFETTO TABLE chrome_scroll_update_frame_pipeline(
  -- Id of the scroll update; join with `chrome_scroll_update_input_pipeline` on `id`.
  id LONG,
  -- Id of the display frame.
  display_trace_id LONG,
  -- Interval between vsyncs, in ms.
  vsync_interval_ms DOUBLE,
  -- Slice that resamples inputs, `STEP_RESAMPLE_SCROLL_EVENTS`; join with `slice` on `id`.
  compositor_resample_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  compositor_resample_ts TIMESTAMP,
  -- Start of `STEP_RECEIVE_BEGIN_FRAME` or, if known, of its task, ns in trace time.
  compositor_receive_begin_frame_ts TIMESTAMP,
  -- Slice that generates the frame, `STEP_GENERATE_COMPOSITOR_FRAME`; join with `slice` on `id`.
  compositor_generate_compositor_frame_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  compositor_generate_compositor_frame_ts TIMESTAMP,
  -- Time until the compositor submits the frame, ns.
  compositor_generate_frame_to_submit_frame_dur DURATION,
  -- Slice that submits the frame, `STEP_SUBMIT_COMPOSITOR_FRAME`; join with `slice` on `id`.
  compositor_submit_compositor_frame_slice_id LONG,
  -- Start of that slice, ns in trace time.
  compositor_submit_compositor_frame_ts TIMESTAMP,
  -- Duration of submitting the frame, ns.
  compositor_submit_frame_dur DURATION,
  -- End of that slice, ns in trace time.
  compositor_submit_compositor_frame_end_ts TIMESTAMP,
  -- Time until viz receives the frame, ns.
  compositor_to_viz_delay_dur DURATION,
  -- Compositor thread of viz; join with `thread` on `utid`.
  viz_compositor_utid LONG,
  -- Slice that receives the frame, `STEP_RECEIVE_COMPOSITOR_FRAME`; join with `slice` on `id`.
  viz_receive_compositor_frame_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  viz_receive_compositor_frame_ts TIMESTAMP,
  -- Duration of receiving the frame from there, ns.
  viz_receive_compositor_frame_dur DURATION,
  -- End of that slice, ns in trace time.
  viz_receive_compositor_frame_end_ts TIMESTAMP,
  -- Time until viz draws the frame, ns.
  viz_wait_for_draw_dur DURATION,
  -- Slice that draws the frame, `STEP_DRAW_AND_SWAP`; join with `slice` on `id`.
  viz_draw_and_swap_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  viz_draw_and_swap_ts TIMESTAMP,
  -- Time from there until viz has sent the swap of buffers, ns.
  viz_draw_and_swap_dur DURATION,
  -- Slice that sends the swap, `STEP_SEND_BUFFER_SWAP`; join with `slice` on `id`.
  viz_send_buffer_swap_slice_id LONG,
  -- End of that slice, ns in trace time.
  viz_send_buffer_swap_end_ts TIMESTAMP,
  -- Time until the GPU thread swaps the buffers, ns.
  viz_to_gpu_delay_dur DURATION,
  -- GPU thread of viz; join with `thread` on `utid`.
  viz_gpu_thread_utid LONG,
  -- Slice that swaps the buffers, `STEP_BUFFER_SWAP_POST_SUBMIT`; join with `slice` on `id`.
  viz_swap_buffers_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  viz_swap_buffers_ts TIMESTAMP,
  -- Duration of the swap from there, ns.
  viz_swap_buffers_dur DURATION,
  -- End of that slice, ns in trace time.
  viz_swap_buffers_end_ts TIMESTAMP,
  -- Time until the system latches the buffer, ns.
  viz_swap_buffers_to_latch_dur DURATION,
  -- Time when the buffer was available, ns in trace time.
  buffer_available_timestamp TIMESTAMP,
  -- Time until the buffer was complete, ns.
  buffer_available_to_ready_dur DURATION,
  -- Time when the buffer was complete, ns in trace time.
  buffer_ready_timestamp TIMESTAMP,
  -- Time when the system latched the buffer, ns in trace time.
  latch_timestamp TIMESTAMP,
  -- Time from the latch to the presentation, ns.
  viz_latch_to_presentation_dur DURATION,
  -- Time of the presentation, ns in trace time.
  presentation_timestamp TIMESTAMP
) AS
SELECT * FROM _chrome_scroll_frames;

-- A scroll.
CREATE PERFETTO TABLE chrome_scrolls(
  -- Number of the scroll, as `scroll_id` of `chrome_gesture_scroll_updates`.
  id LONG,
  -- Creation time of the first scroll update, ns in trace time.
  ts TIMESTAMP,
  -- Time until the last scroll update ended, ns.
  dur DURATION,
  -- Always NULL.
  gesture_scroll_begin_ts TIMESTAMP,
  -- Always NULL.
  gesture_scroll_end_ts TIMESTAMP
) AS
SELECT
  scroll_id AS id,
  min(ts) AS ts,
  max(ts + dur) - min(ts) AS dur,
  CAST(NULL AS BIGINT) AS gesture_scroll_begin_ts,
  CAST(NULL AS BIGINT) AS gesture_scroll_end_ts
FROM chrome_gesture_scroll_updates
GROUP BY scroll_id
ORDER BY scroll_id;

-- A scroll update on its way from the input to the screen, through both pipelines.
CREATE PERFETTO TABLE chrome_scroll_update_info(
  -- Id of the scroll update; join with `chrome_inputs` on `latency_id`.
  id LONG,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Scroll update before in the scroll; NULL for the first one.
  previous_input_id LONG,
  -- Id of the display frame.
  frame_display_id LONG,
  -- Interval between vsyncs, in ms.
  vsync_interval_ms DOUBLE,
  -- Whether the scroll update was presented.
  is_presented BOOL,
  -- Whether the frame is janky: `Event.ScrollJank.DelayedFramesPercentage.FixedWindow` of Chrome.
  is_janky BOOL,
  -- Whether the scroll update is part of a fling, which has no touch moves.
  is_inertial BOOL,
  -- Whether it is the first scroll update of its scroll.
  is_first_scroll_update_in_scroll BOOL,
  -- Whether it is the first scroll update of its frame.
  is_first_scroll_update_in_frame BOOL,
  -- Time from the start of the browser process to the creation of the input, ns.
  browser_uptime_dur DURATION,
  -- Creation time of the input, ns in trace time.
  generation_ts TIMESTAMP,
  -- Time until the system has read the input, ns; NULL without the atrace category `input`.
  input_reader_dur DURATION,
  -- Time from there until it is dispatched, ns; NULL without the atrace category `input`.
  input_dispatcher_dur DURATION,
  -- Time since the creation of the input before in the scroll, ns.
  since_previous_generation_dur DURATION,
  -- Time until the browser receives the touch move or, in a fling, makes the scroll update, ns.
  generation_to_browser_main_dur DURATION,
  -- Main thread of the browser; join with `thread` on `utid`.
  browser_utid LONG,
  -- Slice that sends the touch move, `STEP_SEND_INPUT_EVENT_UI`; join with `slice` on `id`.
  touch_move_received_slice_id LONG,
  -- Start of that slice, ns in trace time.
  touch_move_received_ts TIMESTAMP,
  -- Time until the touch move becomes a scroll update, ns.
  touch_move_processing_dur DURATION,
  -- Slice that sends the scroll update, `STEP_SEND_INPUT_EVENT_UI`; join with `slice` on `id`.
  scroll_update_created_slice_id LONG,
  -- Start of that slice, ns in trace time.
  scroll_update_created_ts TIMESTAMP,
  -- Duration of that slice, ns.
  scroll_update_processing_dur DURATION,
  -- End of that slice, ns in trace time.
  scroll_update_created_end_ts TIMESTAMP,
  -- Time until the compositor thread dispatches the scroll update, ns.
  browser_to_compositor_delay_dur DURATION,
  -- Compositor thread of the renderer; join with `thread` on `utid`.
  compositor_utid LONG,
  -- Slice of the dispatch, `STEP_HANDLE_INPUT_EVENT_IMPL`; join with `slice` on `id`.
  compositor_dispatch_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  compositor_dispatch_ts TIMESTAMP,
  -- Duration of the dispatch from there, ns.
  compositor_dispatch_dur DURATION,
  -- End of the dispatch, ns in trace time.
  compositor_dispatch_end_ts TIMESTAMP,
  -- Time until the compositor begins the frame, ns.
  compositor_dispatch_to_on_begin_frame_delay_dur DURATION,
  -- Slice that resamples inputs, `STEP_RESAMPLE_SCROLL_EVENTS`; join with `slice` on `id`.
  compositor_resample_slice_id LONG,
  -- Slice of it, `STEP_DID_HANDLE_INPUT_AND_OVERSCROLL`; join with `slice` on `id`.
  compositor_coalesced_input_handled_slice_id LONG,
  -- Start of the work on inputs for the frame, ns in trace time.
  compositor_on_begin_frame_ts TIMESTAMP,
  -- Duration of the work on inputs for the frame, ns.
  compositor_on_begin_frame_dur DURATION,
  -- End of that work, ns in trace time.
  compositor_on_begin_frame_end_ts TIMESTAMP,
  -- Time until the compositor generates the frame, ns.
  compositor_on_begin_frame_to_generation_delay_dur DURATION,
  -- Slice that generates the frame, `STEP_GENERATE_COMPOSITOR_FRAME`; join with `slice` on `id`.
  compositor_generate_compositor_frame_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  compositor_generate_compositor_frame_ts TIMESTAMP,
  -- Time until the compositor submits the frame, ns.
  compositor_generate_frame_to_submit_frame_dur DURATION,
  -- Slice that submits the frame, `STEP_SUBMIT_COMPOSITOR_FRAME`; join with `slice` on `id`.
  compositor_submit_compositor_frame_slice_id LONG,
  -- Start of that slice, ns in trace time.
  compositor_submit_compositor_frame_ts TIMESTAMP,
  -- Duration of submitting the frame, ns.
  compositor_submit_frame_dur DURATION,
  -- End of that slice, ns in trace time.
  compositor_submit_compositor_frame_end_ts TIMESTAMP,
  -- Time until viz receives the frame, ns.
  compositor_to_viz_delay_dur DURATION,
  -- Compositor thread of viz; join with `thread` on `utid`.
  viz_compositor_utid LONG,
  -- Slice that receives the frame, `STEP_RECEIVE_COMPOSITOR_FRAME`; join with `slice` on `id`.
  viz_receive_compositor_frame_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  viz_receive_compositor_frame_ts TIMESTAMP,
  -- Duration of receiving the frame from there, ns.
  viz_receive_compositor_frame_dur DURATION,
  -- End of that slice, ns in trace time.
  viz_receive_compositor_frame_end_ts TIMESTAMP,
  -- Time until viz draws the frame, ns.
  viz_wait_for_draw_dur DURATION,
  -- Slice that draws the frame, `STEP_DRAW_AND_SWAP`; join with `slice` on `id`.
  viz_draw_and_swap_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  viz_draw_and_swap_ts TIMESTAMP,
  -- Time from there until viz has sent the swap of buffers, ns.
  viz_draw_and_swap_dur DURATION,
  -- Slice that sends the swap, `STEP_SEND_BUFFER_SWAP`; join with `slice` on `id`.
  viz_send_buffer_swap_slice_id LONG,
  -- End of that slice, ns in trace time.
  viz_send_buffer_swap_end_ts TIMESTAMP,
  -- Time until the GPU thread swaps the buffers, ns.
  viz_to_gpu_delay_dur DURATION,
  -- GPU thread of viz; join with `thread` on `utid`.
  viz_gpu_thread_utid LONG,
  -- Slice that swaps the buffers, `STEP_BUFFER_SWAP_POST_SUBMIT`; join with `slice` on `id`.
  viz_swap_buffers_slice_id LONG,
  -- Start of that slice or, if known, of its task, ns in trace time.
  viz_swap_buffers_ts TIMESTAMP,
  -- Duration of the swap from there, ns.
  viz_swap_buffers_dur DURATION,
  -- End of that slice, ns in trace time.
  viz_swap_buffers_end_ts TIMESTAMP,
  -- Time until the system latches the buffer, ns.
  viz_swap_buffers_to_latch_dur DURATION,
  -- Time when the buffer was available, ns in trace time.
  buffer_available_timestamp TIMESTAMP,
  -- Time until the buffer was complete, ns.
  buffer_available_to_ready_dur DURATION,
  -- Time when the buffer was complete, ns in trace time.
  buffer_ready_timestamp TIMESTAMP,
  -- Time when the system latched the buffer, ns in trace time.
  latch_timestamp TIMESTAMP,
  -- Time from the latch to the presentation, ns.
  viz_latch_to_presentation_dur DURATION,
  -- Time of the presentation, ns in trace time.
  presentation_timestamp TIMESTAMP
) AS
SELECT * FROM _chrome_scroll_updates;

-- A display frame with scroll updates. Stages of inputs are those of its first scroll update.
CREATE PERFETTO TABLE chrome_scroll_frame_info(
  -- Id of the display frame.
  id LONG,
  -- Number of the scroll; join with `chrome_scrolls` on `id`.
  scroll_id LONG,
  -- Last scroll update before the frame in the scroll; NULL if there is none.
  last_input_before_this_frame_id LONG,
  -- Interval between vsyncs, in ms.
  vsync_interval_ms DOUBLE,
  -- Interval between vsyncs, ns.
  vsync_interval_dur DURATION,
  -- Whether the frame is janky: `Event.ScrollJank.DelayedFramesPercentage.FixedWindow` of Chrome.
  is_janky BOOL,
  -- Whether the scroll update is part of a fling, which has no touch moves.
  is_inertial BOOL,
  -- Vertical distance of all inputs of the frame, in pixels.
  total_input_delta_y DOUBLE,
  -- Vertical distance that the frame moves the page, in pixels.
  presented_scrolled_delta_y DOUBLE,
  -- Time from the start of the browser process to the creation of the input, ns.
  browser_uptime_dur DURATION,
  -- Creation time of the first input, ns in trace time.
  first_input_generation_ts TIMESTAMP,
  -- Time until the system has read the input, ns; NULL without the atrace category `input`.
  input_reader_dur DURATION,
  -- Time from there until it is dispatched, ns; NULL without the atrace category `input`.
  input_dispatcher_dur DURATION,
  -- Time since the creation of the last input before the frame, ns.
  previous_last_input_to_first_input_generation_dur DURATION,
  -- Main thread of the browser; join with `thread` on `utid`.
  browser_utid JOINID(thread.id),
  -- Time until the browser receives the touch move or, in a fling, makes the scroll update, ns.
  first_input_generation_to_browser_main_dur DURATION,
  -- Time of the presentation, ns in trace time.
  presentation_ts TIMESTAMP,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  first_input_generation_to_browser_main_delta_dur DURATION,
  -- Time until the touch move becomes a scroll update, ns.
  first_input_touch_move_processing_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  first_input_touch_move_processing_delta_dur DURATION,
  -- Compositor thread of the renderer; join with `thread` on `utid`.
  compositor_utid JOINID(thread.id),
  -- Time until the compositor thread dispatches the scroll update, ns.
  first_input_browser_to_compositor_delay_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  first_input_browser_to_compositor_delay_delta_dur DURATION,
  -- Duration of the dispatch, ns.
  first_input_compositor_dispatch_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  first_input_compositor_dispatch_delta_dur DURATION,
  -- Time until the compositor begins the frame, ns.
  first_input_compositor_dispatch_to_on_begin_frame_delay_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  first_input_compositor_dispatch_to_on_begin_frame_delay_delta_dur DURATION,
  -- Duration of the work on inputs for the frame, ns.
  compositor_on_begin_frame_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  compositor_on_begin_frame_delta_dur DURATION,
  -- Time until the compositor generates the frame, ns.
  compositor_on_begin_frame_to_generation_delay_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  compositor_on_begin_frame_to_generation_delay_delta_dur DURATION,
  -- Time until the compositor submits the frame, ns.
  compositor_generate_frame_to_submit_frame_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  compositor_generate_frame_to_submit_frame_delta_dur DURATION,
  -- Duration of submitting the frame, ns.
  compositor_submit_frame_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  compositor_submit_frame_delta_dur DURATION,
  -- Compositor thread of viz; join with `thread` on `utid`.
  viz_compositor_utid JOINID(thread.id),
  -- Time until viz receives the frame, ns.
  compositor_to_viz_delay_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  compositor_to_viz_delay_delta_dur DURATION,
  -- Duration of receiving the frame, ns.
  viz_receive_compositor_frame_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  viz_receive_compositor_frame_delta_dur DURATION,
  -- Time until viz draws the frame, ns.
  viz_wait_for_draw_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  viz_wait_for_draw_delta_dur DURATION,
  -- Duration of drawing, until viz has sent the swap of buffers, ns.
  viz_draw_and_swap_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  viz_draw_and_swap_delta_dur DURATION,
  -- GPU thread of viz; join with `thread` on `utid`.
  viz_gpu_thread_utid JOINID(thread.id),
  -- Time until the GPU thread swaps the buffers, ns.
  viz_to_gpu_delay_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  viz_to_gpu_delay_delta_dur DURATION,
  -- Duration of the swap, ns.
  viz_swap_buffers_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  viz_swap_buffers_delta_dur DURATION,
  -- Time until the system latches the buffer, ns.
  viz_swap_buffers_to_latch_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  viz_swap_buffers_to_latch_delta_dur DURATION,
  -- Time until the buffer was complete, ns.
  buffer_available_to_ready_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  buffer_available_to_ready_delta_dur DURATION,
  -- Time from the latch to the presentation, ns.
  viz_latch_to_presentation_dur DURATION,
  -- Difference to the frame before, ns; NULL for the first frame of a scroll.
  viz_latch_to_presentation_delta_dur DURATION
) AS
SELECT * FROM _chrome_scroll_first_updates;

-- A stage of a scroll update, and the columns of `chrome_scroll_update_info` with its times.
CREATE PERFETTO TABLE chrome_scroll_update_info_step_templates(
  -- Name of the stage.
  step_name STRING,
  -- Column with the start.
  ts_column_name STRING,
  -- Column with the duration; NULL for a moment.
  dur_column_name STRING
) AS
SELECT step_name, ts_column_name, dur_column_name
FROM (VALUES
  ('GenerationToBrowserMain', 'generation_ts', 'generation_to_browser_main_dur'),
  ('TouchMoveProcessing', 'touch_move_received_ts', 'touch_move_processing_dur'),
  ('ScrollUpdateProcessing', 'scroll_update_created_ts', 'scroll_update_processing_dur'),
  (
    'BrowserMainToRendererCompositor',
    'scroll_update_created_end_ts', 'browser_to_compositor_delay_dur'
  ),
  ('RendererCompositorDispatch', 'compositor_dispatch_ts', 'compositor_dispatch_dur'),
  (
    'RendererCompositorDispatchToOnBeginFrame',
    'compositor_dispatch_end_ts', 'compositor_dispatch_to_on_begin_frame_delay_dur'
  ),
  ('RendererCompositorBeginFrame', 'compositor_on_begin_frame_ts', 'compositor_on_begin_frame_dur'),
  (
    'RendererCompositorBeginToGenerateFrame',
    'compositor_on_begin_frame_end_ts', 'compositor_on_begin_frame_to_generation_delay_dur'
  ),
  (
    'RendererCompositorGenerateToSubmitFrame',
    'compositor_generate_compositor_frame_ts', 'compositor_generate_frame_to_submit_frame_dur'
  ),
  (
    'RendererCompositorSubmitFrame',
    'compositor_submit_compositor_frame_ts', 'compositor_submit_frame_dur'
  ),
  (
    'RendererCompositorToViz',
    'compositor_submit_compositor_frame_end_ts', 'compositor_to_viz_delay_dur'
  ),
  ('VizReceiveFrame', 'viz_receive_compositor_frame_ts', 'viz_receive_compositor_frame_dur'),
  ('VizReceiveToDrawFrame', 'viz_receive_compositor_frame_end_ts', 'viz_wait_for_draw_dur'),
  ('VizDrawToSwapFrame', 'viz_draw_and_swap_ts', 'viz_draw_and_swap_dur'),
  ('VizToGpu', 'viz_send_buffer_swap_end_ts', 'viz_to_gpu_delay_dur'),
  ('VizSwapBuffers', 'viz_swap_buffers_ts', 'viz_swap_buffers_dur'),
  ('VizSwapBuffersToLatch', 'viz_swap_buffers_end_ts', 'viz_swap_buffers_to_latch_dur'),
  ('VizLatchToPresentation', 'latch_timestamp', 'viz_latch_to_presentation_dur'),
  ('Presentation', 'presentation_timestamp', NULL)
) AS stage(step_name, ts_column_name, dur_column_name);
