-- Descriptions of the stages of input events.

-- A stage of an input event.
CREATE PERFETTO TABLE chrome_event_latency_stage_descriptions(
  -- Name of the stage, which is that of a child slice of an `EventLatency`.
  name STRING,
  -- What happens in the stage.
  description STRING
) AS
SELECT name, description
FROM (VALUES
  (
    'TouchRendererHandlingToBrowserMain',
    'From the handling of a touch by the page to the main thread of the browser.'
  ),
  (
    'GenerationToBrowserMain',
    'From the creation of the input to the main thread of the browser.'
  ),
  (
    'GenerationToRendererCompositor',
    'From the creation of the input to the compositor thread of the page.'
  ),
  (
    'BrowserMainToRendererCompositor',
    'From the main thread of the browser to the compositor thread of the page.'
  ),
  (
    'RendererCompositorQueueingDelay',
    'In the queue of the compositor thread of the page.'
  ),
  (
    'RendererCompositorToMain',
    'From the compositor thread of the page to its main thread.'
  ),
  (
    'RendererCompositorProcessing',
    'Work on the compositor thread of the page.'
  ),
  (
    'RendererMainProcessing',
    'Work on the main thread of the page.'
  ),
  (
    'EndActivateToSubmitCompositorFrame',
    'From the end of the activation to the submission of the frame.'
  ),
  (
    'SubmitCompositorFrameToPresentationCompositorFrame',
    'From the submission of the frame to its presentation.'
  ),
  (
    'ArrivedInRendererCompositorToTermination',
    'From the arrival on the compositor thread of the page to the end of an event without a '
    || 'frame of its own.'
  ),
  (
    'RendererCompositorStartedToTermination',
    'From the start of the work on the compositor thread of the page to the end of an event '
    || 'without a frame of its own.'
  ),
  (
    'RendererMainFinishedToTermination',
    'From the end of the work on the main thread of the page to the end of an event without a '
    || 'frame of its own.'
  ),
  (
    'RendererCompositorFinishedToTermination',
    'From the end of the work on the compositor thread of the page to the end of an event '
    || 'without a frame of its own.'
  ),
  (
    'RendererMainStartedToTermination',
    'From the start of the work on the main thread of the page to the end of an event without '
    || 'a frame of its own.'
  ),
  (
    'RendererCompositorFinishedToBeginImplFrame',
    'From the end of the work on the compositor thread of the page to the begin of its frame.'
  ),
  (
    'RendererCompositorFinishedToCommit',
    'From the end of the work on the compositor thread of the page to the commit.'
  ),
  (
    'RendererCompositorFinishedToEndCommit',
    'From the end of the work on the compositor thread of the page to the end of the commit.'
  ),
  (
    'RendererCompositorFinishedToActivation',
    'From the end of the work on the compositor thread of the page to the activation.'
  ),
  (
    'RendererCompositorFinishedToEndActivate',
    'From the end of the work on the compositor thread of the page to the end of the activation.'
  ),
  (
    'RendererCompositorFinishedToSubmitCompositorFrame',
    'From the end of the work on the compositor thread of the page to the submission of the '
    || 'frame.'
  ),
  (
    'RendererMainFinishedToBeginImplFrame',
    'From the end of the work on the main thread of the page to the begin of the frame.'
  ),
  (
    'RendererMainFinishedToSendBeginMainFrame',
    'From the end of the work on the main thread of the page to the request for a frame of it.'
  ),
  (
    'RendererMainFinishedToCommit',
    'From the end of the work on the main thread of the page to the commit.'
  ),
  (
    'BeginImplFrameToSendBeginMainFrame',
    'From the begin of the frame on the compositor thread of the page to the request for a '
    || 'frame of its main thread.'
  ),
  (
    'RendererCompositorFinishedToSendBeginMainFrame',
    'From the end of the work on the compositor thread of the page to the request for a frame '
    || 'of its main thread.'
  ),
  (
    'SendBeginMainFrameToCommit',
    'From the request for a frame of the main thread of the page to the commit.'
  ),
  (
    'Commit',
    'Commit: the layers of the main thread of the page become those of its compositor thread.'
  ),
  (
    'EndCommitToActivation',
    'From the end of the commit to the activation.'
  ),
  (
    'Activation',
    'Activation: the committed layers become those that are drawn.'
  ),
  (
    'SubmitToReceiveCompositorFrame',
    'From the submission of the frame by the page to viz.'
  ),
  (
    'ReceiveCompositorFrameToStartDraw',
    'In viz, until it draws the frame.'
  ),
  (
    'StartDrawToSwapStart',
    'Viz draws the frame, until the swap of buffers.'
  ),
  (
    'SwapStartToBufferAvailable',
    'Swap, until the buffer can be written.'
  ),
  (
    'BufferAvailableToBufferReady',
    'Swap, until the buffer is complete.'
  ),
  (
    'BufferReadyToLatch',
    'Swap, until the system latches the buffer.'
  ),
  (
    'LatchToSwapEnd',
    'From the latch to the end of the swap.'
  ),
  (
    'SwapEndToPresentationCompositorFrame',
    'From the end of the swap to the presentation of the frame.'
  )
) AS stage(name, description);
