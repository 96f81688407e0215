-- Descriptions of the causes of scroll jank, by the stage of the input event that takes too long.

INCLUDE PERFETTO MODULE chrome.event_latency_description;

-- A cause of a long stage.
CREATE PERFETTO TABLE chrome_scroll_jank_cause_descriptions(
  -- Name of the stage of an `EventLatency`.
  event_latency_stage STRING,
  -- Type of the process with the cause: `Browser`, `Renderer` or `GPU`.
  cause_process STRING,
  -- Name of the thread with the cause.
  cause_thread STRING,
  -- What the thread does too late.
  cause_description STRING
) AS
SELECT event_latency_stage, cause_process, cause_thread, cause_description
FROM (VALUES
  (
    'GenerationToBrowserMain', 'Browser', 'CrBrowserMain',
    'The main thread of the browser is late to take the input.'
  ),
  (
    'RendererCompositorQueueingDelay', 'Renderer', 'Compositor',
    'The compositor of the page is late to start a frame.'
  ),
  (
    'RendererCompositorQueueingDelay', 'GPU', 'VizCompositorThread',
    'Viz is late to request a frame.'
  ),
  (
    'ReceiveCompositorFrameToStartDraw', 'GPU', 'VizCompositorThread',
    'Viz is late to draw the frame that it has.'
  ),
  (
    'ReceiveCompositorFrameToStartDraw', 'GPU', 'CrGpuMain',
    'The GPU thread is late with the buffer of an earlier frame.'
  ),
  (
    'ReceiveCompositorFrameToStartDraw', 'Browser', 'CrBrowserMain',
    'The browser is late with its own part of the frame, such as the toolbar.'
  ),
  (
    'BufferReadyToLatch', 'GPU', 'VizCompositorThread',
    'The buffer is complete too late for the vsync, and is latched at the next one.'
  ),
  (
    'SwapEndToPresentationCompositorFrame', 'GPU', 'VizCompositorThread',
    'The buffer is latched too late for the vsync, and is presented at the next one.'
  ),
  (
    'SwapEndToPresentationCompositorFrame', 'GPU', 'CrGpuMain',
    'The GPU thread is late to swap the buffers.'
  ),
  (
    'SwapEndToPresentationCompositorFrame', 'GPU', 'surfaceflinger',
    'SurfaceFlinger is late to release a buffer that Chrome can draw into.'
  )
) AS cause(event_latency_stage, cause_process, cause_thread, cause_description);

-- A stage of an input event, with each of its causes.
CREATE PERFETTO VIEW chrome_scroll_jank_causes_with_event_latencies(
  -- Name of the stage.
  name STRING,
  -- What happens in the stage.
  description STRING,
  -- Type of the process with the cause; NULL if the stage has no known cause.
  cause_process STRING,
  -- Name of the thread with the cause; NULL if the stage has no known cause.
  cause_thread STRING,
  -- What the thread does too late; NULL if the stage has no known cause.
  cause_description STRING
) AS
SELECT
  stage.name,
  stage.description,
  cause.cause_process,
  cause.cause_thread,
  cause.cause_description
FROM chrome_event_latency_stage_descriptions AS stage
LEFT JOIN chrome_scroll_jank_cause_descriptions AS cause
  ON cause.event_latency_stage = stage.name;
