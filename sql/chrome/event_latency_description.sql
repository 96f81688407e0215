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
    'From the handling of a blocking touch move by the page to the start of its processing on '
    || 'the main thread of the browser. A touch move blocks if the page has to see it before it '
    || 'can become a scroll.'
  ),
  (
    'GenerationToBrowserMain',
    'From the time that the system gives the input to the start of its processing on the main '
    || 'thread of the browser.'
  ),
  (
    'GenerationToRendererCompositor',
    'From the time that the system gives the input to its handling on the compositor thread of '
    || 'the renderer. The input is a touch press that the browser inserts when a touch becomes a '
    || 'scroll.'
  ),
  (
    'BrowserMainToRendererCompositor',
    'From the start of processing on the main thread of the browser to the start on the '
    || 'compositor thread of the renderer, with the waiting times of the tasks on the IO thread '
    || 'and the compositor thread.'
  ),
  (
    'RendererCompositorQueueingDelay',
    'The input waits in the compositor thread of the renderer for the start of the frame that '
    || 'will contain it.'
  ),
  (
    'RendererCompositorToMain',
    'From the end of processing on the compositor thread of the renderer to the start on its '
    || 'main thread. This stage exists if the compositor thread cannot scroll by itself, for '
    || 'instance because of blocking event listeners of the page or of its layout.'
  ),
  (
    'RendererCompositorProcessing',
    'The compositor thread of the renderer processes the input.'
  ),
  (
    'RendererMainProcessing',
    'The main thread of the renderer processes the input.'
  ),
  (
    'EndActivateToSubmitCompositorFrame',
    'The compositor thread of the renderer waits for the GPU to finish a frame before it '
    || 'submits the next one.'
  ),
  (
    'SubmitCompositorFrameToPresentationCompositorFrame',
    'From the submission of the frame by the renderer to its presentation on the screen. On '
    || 'systems that do not report presentations, such as macOS, iOS and Android WebView, the end '
    || 'is inexact.'
  ),
  (
    'ArrivedInRendererCompositorToTermination',
    'Between the arrival of the input on the compositor thread of the renderer and the decision '
    || 'to ignore the input or to merge it into another frame.'
  ),
  (
    'RendererCompositorStartedToTermination',
    'Between the start of processing on the compositor thread of the renderer and the decision '
    || 'to ignore the input or to merge it into another frame.'
  ),
  (
    'RendererMainFinishedToTermination',
    'Between the end of processing on the main thread of the renderer and the decision to '
    || 'ignore the input or to merge it into another frame.'
  ),
  (
    'RendererCompositorFinishedToTermination',
    'Between the end of processing on the compositor thread of the renderer and the decision to '
    || 'ignore the input or to merge it into another frame.'
  ),
  (
    'RendererMainStartedToTermination',
    'Between the start of processing on the main thread of the renderer and the decision to '
    || 'ignore the input or to merge it into another frame.'
  ),
  (
    'RendererCompositorFinishedToBeginImplFrame',
    'The compositor thread of the renderer has processed the input without a frame, for '
    || 'instance because the main thread was busy, and waits for the next begin of a frame from '
    || 'viz.'
  ),
  (
    'RendererCompositorFinishedToCommit',
    'From the end of processing on the compositor thread of the renderer to the start of the '
    || 'commit by the main thread.'
  ),
  (
    'RendererCompositorFinishedToEndCommit',
    'From the end of processing on the compositor thread of the renderer to the end of the '
    || 'commit by the main thread.'
  ),
  (
    'RendererCompositorFinishedToActivation',
    'From the end of processing on the compositor thread of the renderer to the start of the '
    || 'activation of a tree that was committed before.'
  ),
  (
    'RendererCompositorFinishedToEndActivate',
    'From the end of processing on the compositor thread of the renderer to the end of the '
    || 'activation of the tree.'
  ),
  (
    'RendererCompositorFinishedToSubmitCompositorFrame',
    'From the end of processing on the compositor thread of the renderer to the submission of '
    || 'the frame. The frame needs no commit, and waits only for the GPU to finish the frame '
    || 'before.'
  ),
  (
    'RendererMainFinishedToBeginImplFrame',
    'The main thread of the renderer has processed the input, and the compositor thread waits '
    || 'for the begin of a frame to show the result.'
  ),
  (
    'RendererMainFinishedToSendBeginMainFrame',
    'The main thread of the renderer has processed the input, and waits for the request to '
    || 'produce a frame.'
  ),
  (
    'RendererMainFinishedToCommit',
    'From the end of processing on the main thread of the renderer to the start of its commit.'
  ),
  (
    'BeginImplFrameToSendBeginMainFrame',
    'The compositor thread of the renderer has received the begin of a frame, and passes it on '
    || 'to the main thread.'
  ),
  (
    'RendererCompositorFinishedToSendBeginMainFrame',
    'The compositor thread of the renderer has processed the input, and waits for the begin of '
    || 'a frame that it can pass on to the main thread.'
  ),
  (
    'SendBeginMainFrameToCommit',
    'The main thread of the renderer updates the page: inputs, animations, styles and layout.'
  ),
  (
    'Commit',
    'The main thread of the renderer copies its layer tree to the compositor thread, and is '
    || 'blocked meanwhile.'
  ),
  (
    'EndCommitToActivation',
    'The committed tree waits for its activation.'
  ),
  (
    'Activation',
    'The compositor thread of the renderer replaces the active tree by the pending one.'
  ),
  (
    'SubmitToReceiveCompositorFrame',
    'From the submission of the frame by the compositor thread of the renderer to its arrival '
    || 'in viz.'
  ),
  (
    'ReceiveCompositorFrameToStartDraw',
    'Viz has a first frame and waits for the frames of the other clients, such as the toolbar '
    || 'of the browser, up to its deadline. After that it draws all of them as one.'
  ),
  (
    'StartDrawToSwapStart',
    'Viz combines the surfaces of all clients and issues the commands to draw them, until the '
    || 'GPU thread starts the swap.'
  ),
  (
    'SwapStartToBufferAvailable',
    'First part of the swap: the system prepares the buffer, and Chrome waits until it can '
    || 'write to it.'
  ),
  (
    'BufferAvailableToBufferReady',
    'Part of the swap: Chrome transfers the frame to the buffer.'
  ),
  (
    'BufferReadyToLatch',
    'Part of the swap: the buffer is complete, and waits for the system to take it.'
  ),
  (
    'LatchToSwapEnd',
    'Last part of the swap: the system has taken the buffer, and puts the frame into the queue '
    || 'of frames to present.'
  ),
  (
    'SwapEndToPresentationCompositorFrame',
    'From the end of the swap to the moment at which the screen shows the frame.'
  )
) AS stage(name, description);
