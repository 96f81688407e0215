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
  -- What the cause is, and what to look at.
  cause_description STRING
) AS
SELECT event_latency_stage, cause_process, cause_thread, cause_description
FROM (VALUES
  (
    'GenerationToBrowserMain',
    'Browser',
    'CrBrowserMain',
    'The main thread of the browser runs other tasks, or waits for something, while the input '
    || 'is in its queue. Its slices in this stage show what.'
  ),
  (
    'RendererCompositorQueueingDelay',
    'Renderer',
    'Compositor',
    'The compositor thread has no frame to put the input in. It depends on the main thread of '
    || 'the renderer, for example while event handlers run there.'
  ),
  (
    'RendererCompositorQueueingDelay',
    'GPU',
    'VizCompositorThread',
    'Viz has not asked the renderer for a frame. A fling, which makes many inputs for few '
    || 'frames, has the same effect.'
  ),
  (
    'ReceiveCompositorFrameToStartDraw',
    'GPU',
    'VizCompositorThread',
    'Viz holds the frame back: it waits for the frame of another client up to its deadline, or '
    || 'no buffer is free.'
  ),
  (
    'ReceiveCompositorFrameToStartDraw',
    'GPU',
    'CrGpuMain',
    'The main thread of the GPU process runs other work, so that no buffer becomes free. If it '
    || 'is idle, the system keeps the buffers.'
  ),
  (
    'ReceiveCompositorFrameToStartDraw',
    'Browser',
    'CrBrowserMain',
    'The frame of the browser''s user interface is late, because the main thread runs other '
    || 'tasks.'
  ),
  (
    'BufferReadyToLatch',
    'GPU',
    'VizCompositorThread',
    'The buffer missed the moment at which the system takes one, and waits for that of the next '
    || 'vsync. The stages of the event before show what was slower this time: drawing in Chrome, '
    || 'or the system.'
  ),
  (
    'SwapEndToPresentationCompositorFrame',
    'GPU',
    'VizCompositorThread',
    'The buffer missed its vsync, as in the stage BufferReadyToLatch, and the frame is '
    || 'presented with the next one.'
  ),
  (
    'SwapEndToPresentationCompositorFrame',
    'GPU',
    'CrGpuMain',
    'The main thread of the GPU process is busy or is not scheduled. The event then has a stage '
    || 'StartDrawToBufferAvailable.'
  ),
  (
    'SwapEndToPresentationCompositorFrame',
    'GPU',
    'surfaceflinger',
    'The compositor of Android has not released a buffer for viz to write to. The event then '
    || 'has a stage StartDrawToBufferAvailable.'
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
  -- What the cause is, and what to look at; NULL if the stage has no known cause.
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
