-- Input events from the system to apps and back, with the latency of each step.

INCLUDE PERFETTO MODULE android.frames.timeline;
INCLUDE PERFETTO MODULE android.surfaceflinger;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.intersect;

-- Messages of input channels on both ends, `sendMessage(inputChannel=<name> (server|client), seq=…,
-- type=…)` and `receiveMessage(…)`.
CREATE PERFETTO TABLE _input_messages AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  slice.track_id,
  slice.parent_id,
  slice.name GLOB 'sendMessage(*' AS is_sent,
  split_part(split_part(slice.name, '=', 2), ',', 1) AS channel,
  replace(split_part(split_part(slice.name, '=', 2), ',', 1), '(client)', '(server)')
    AS server_channel,
  split_part(split_part(slice.name, '=', 3), ',', 1) AS seq,
  split_part(split_part(slice.name, '=', 4), ')', 1) AS type,
  split_part(split_part(slice.name, '=', 4), ')', 1) IN ('FINISHED', '0x2') AS is_finish,
  split_part(slice.name, '=', 2) GLOB '*(server)*' AS is_server,
  thread.tid,
  thread.name AS thread_name,
  process.upid,
  process.pid,
  process.name AS process_name
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
JOIN thread USING (utid)
JOIN process USING (upid)
WHERE slice.name GLOB 'sendMessage(*' OR slice.name GLOB 'receiveMessage(*';

-- Input event of each message that the dispatcher sends. The event id is in the name of the slice
-- three levels above the message.
CREATE PERFETTO TABLE _input_event_of_message AS
SELECT
  message.id AS message_id,
  split_part(split_part(enqueuing.name, '=', 3), ')', 1) AS input_event_id
FROM _input_messages AS message
JOIN slice AS publishing ON publishing.id = message.parent_id
JOIN slice AS dispatching ON dispatching.id = publishing.parent_id
JOIN slice AS enqueuing ON enqueuing.id = dispatching.parent_id
WHERE message.is_sent AND message.thread_name = 'InputDispatcher';

-- Slice in which the system read each motion event, the first if there are several.
CREATE PERFETTO TABLE _input_reads AS
SELECT id, input_event_id, ts, dur, track_id
FROM (
  SELECT *, row_number() OVER (PARTITION BY input_event_id ORDER BY ts) AS nth
  FROM (
    SELECT id, regexp_extract(name, 'id=([^,)]*)') AS input_event_id, ts, dur, track_id
    FROM slice
    WHERE name GLOB 'UnwantedInteractionBlocker::notifyMotion*'
  )
)
WHERE nth = 1;

-- First delivery of each event in each app, from slices
-- `deliverInputEvent src=… eventTimeNano=<time> id=<event>` in a slice `… … <action> …`.
CREATE PERFETTO TABLE _input_deliveries AS
SELECT *
FROM (
  SELECT
    *,
    row_number() OVER (PARTITION BY upid, input_event_id ORDER BY ts) AS nth
  FROM (
    SELECT
      delivering.id,
      split_part(delivering.name, '=', 4) AS input_event_id,
      CAST(nullif(split_part(split_part(delivering.name, '=', 3), ' ', 1), '') AS BIGINT)
        AS event_time,
      nullif(split_part(handling.name, ' ', 3), '') AS event_action,
      delivering.ts,
      delivering.ts + delivering.dur AS ts_end,
      thread.utid,
      thread.upid
    FROM slice AS delivering
    JOIN slice AS handling ON handling.id = delivering.parent_id
    JOIN thread_track AS track ON track.id = delivering.track_id
    JOIN thread USING (utid)
    WHERE delivering.name GLOB 'deliverInputEvent src=*'
  )
)
WHERE nth = 1;

-- Frame with the result of each delivery: the frame that the thread was working on, else the next
-- one it started. The next one is a guess.
CREATE PERFETTO TABLE _input_frames AS
SELECT id, upid, frame_id, is_speculative
FROM (
  SELECT
    delivery.id,
    delivery.upid,
    frame.frame_id,
    frame.ts >= delivery.ts_end AS is_speculative,
    row_number() OVER (PARTITION BY delivery.id ORDER BY frame.ts) AS nth
  FROM _input_deliveries AS delivery
  JOIN android_frames_choreographer_do_frame AS frame ON frame.ui_thread_utid = delivery.utid
  JOIN slice ON slice.id = frame.id
  WHERE slice.dur = -1 OR slice.ts + slice.dur > delivery.ts
)
WHERE nth = 1;

-- Frames that apps presented, with the end of the display frame of each.
CREATE PERFETTO TABLE _input_frames_shown AS
SELECT
  app.upid,
  app.surface_frame_token AS frame_id,
  max(compositor.ts + compositor.dur) AS present_time
FROM actual_frame_timeline_slice AS app
JOIN actual_frame_timeline_slice AS compositor
  ON compositor.display_frame_token = app.display_frame_token AND compositor.id <> app.id
WHERE
  coalesce(app.surface_frame_token, 0) <> 0
  AND coalesce(compositor.surface_frame_token, 0) = 0
  AND app.present_type <> 'Dropped Frame'
GROUP BY app.upid, app.surface_frame_token;

-- Time when the frame of each delivery was presented or, if it was dropped, the next one.
CREATE PERFETTO TABLE _input_present_times AS
SELECT id, present_time
FROM (
  SELECT
    frame.id,
    shown.present_time,
    row_number() OVER (PARTITION BY frame.id ORDER BY shown.frame_id) AS nth
  FROM _input_frames AS frame
  JOIN _input_frames_shown AS shown
    ON shown.upid = frame.upid AND shown.frame_id >= frame.frame_id
)
WHERE nth = 1;

-- Returns the name of an input channel without numbers that differ between runs: the id before the
-- name of a window, the id after a colon, the digits at the end.
CREATE PERFETTO FUNCTION _input_channel_name(
  -- Name of the channel.
  channel STRING
)
-- Name without these numbers.
RETURNS STRING AS
SELECT
  CASE
    WHEN $channel GLOB '[[]*] *' THEN $channel
    WHEN $channel GLOB '* *' THEN trim(regexp_extract($channel, '^[^ ]* ([^:]*)'))
    ELSE rtrim($channel, '0123456789')
  END;

-- Input events with the slices of their steps.
CREATE PERFETTO TABLE _input_events AS
SELECT
  received.ts - sent.ts AS dispatch_latency_dur,
  finished.ts - received.ts AS handling_latency_dur,
  acknowledged.ts - finished.ts AS ack_latency_dur,
  acknowledged.ts - sent.ts AS total_latency_dur,
  shown.present_time - reading.ts AS end_to_end_latency_dur,
  finished.tid,
  finished.thread_name,
  finished.upid,
  finished.pid,
  finished.process_name,
  sent.type AS event_type,
  delivery.event_action,
  sent.seq AS event_seq,
  sent.channel AS event_channel,
  _input_channel_name(sent.channel) AS normalized_event_channel,
  event.input_event_id,
  reading.ts AS read_time,
  sent.track_id AS dispatch_track_id,
  sent.ts AS dispatch_ts,
  sent.dur AS dispatch_dur,
  received.ts AS receive_ts,
  received.dur AS receive_dur,
  received.track_id AS receive_track_id,
  frame.frame_id,
  frame.is_speculative AS is_speculative_frame,
  delivery.event_time,
  reading.id AS read_id,
  reading.dur AS read_dur,
  reading.track_id AS read_track_id,
  sent.id AS dispatch_id,
  received.id AS receive_id
FROM _input_messages AS sent
JOIN _input_messages AS received
  ON received.server_channel = sent.channel
  AND received.seq = sent.seq
  AND NOT received.is_sent
  AND NOT received.is_server
  AND NOT received.is_finish
JOIN _input_messages AS finished
  ON finished.server_channel = sent.channel
  AND finished.seq = sent.seq
  AND finished.is_sent
  AND NOT finished.is_server
  AND finished.is_finish
JOIN _input_messages AS acknowledged
  ON acknowledged.channel = sent.channel
  AND acknowledged.seq = sent.seq
  AND NOT acknowledged.is_sent
  AND acknowledged.is_server
  AND acknowledged.is_finish
LEFT JOIN _input_event_of_message AS event ON event.message_id = sent.id
LEFT JOIN _input_reads AS reading ON reading.input_event_id = event.input_event_id
LEFT JOIN _input_deliveries AS delivery
  ON delivery.input_event_id = event.input_event_id AND delivery.upid = received.upid
LEFT JOIN _input_frames AS frame ON frame.id = delivery.id
LEFT JOIN _input_present_times AS shown ON shown.id = delivery.id
WHERE sent.is_sent AND sent.is_server AND NOT sent.is_finish
ORDER BY sent.ts;

-- An input event that the system sent to an app and that the app finished.
CREATE PERFETTO TABLE android_input_events(
  -- Time from sending by the system to receiving by the app, ns.
  dispatch_latency_dur DURATION,
  -- Time from receiving by the app to its finish message, ns.
  handling_latency_dur DURATION,
  -- Time from the finish message to receiving it in the system, ns.
  ack_latency_dur DURATION,
  -- Sum of the dispatch, handling and acknowledge latencies, ns.
  total_latency_dur DURATION,
  -- Time from reading the event in the system to presenting a frame with its result, ns; NULL if no
  -- frame is known.
  end_to_end_latency_dur DURATION,
  -- Kernel id of the app thread.
  tid LONG,
  -- Name of the app thread.
  thread_name STRING,
  -- App process; join with `process` on `upid`.
  upid JOINID(process.upid),
  -- Kernel id of the app process.
  pid LONG,
  -- Name of the app process.
  process_name STRING,
  -- Kind of event, such as `MOTION` or `KEY`.
  event_type STRING,
  -- Action of the event, such as `ACTION_DOWN` or `ACTION_MOVE`.
  event_action STRING,
  -- Sequence number of the event in its channel.
  event_seq STRING,
  -- Input channel.
  event_channel STRING,
  -- Input channel without numbers that differ between runs.
  normalized_event_channel STRING,
  -- Id of the input event.
  input_event_id STRING,
  -- Time when the system read the event, ns in trace time.
  read_time TIMESTAMP,
  -- Track of the system thread; join with `track` on `id`.
  dispatch_track_id JOINID(track.id),
  -- Time when the system sent the event, ns in trace time.
  dispatch_ts TIMESTAMP,
  -- Duration of sending, ns.
  dispatch_dur DURATION,
  -- Time when the app received the event, ns in trace time.
  receive_ts TIMESTAMP,
  -- Duration of receiving, ns.
  receive_dur DURATION,
  -- Track of the app thread; join with `track` on `id`.
  receive_track_id JOINID(track.id),
  -- Number of the frame with the result of the event; NULL if unknown.
  frame_id LONG,
  -- Whether the frame is a guess: the first one after an event that was handled outside of frames.
  is_speculative_frame BOOL,
  -- Time of the event by the clock of the input system, which is the monotonic clock, ns.
  event_time LONG
) AS
SELECT * EXCLUDE (read_id, read_dur, read_track_id, dispatch_id, receive_id)
FROM _input_events
ORDER BY dispatch_ts;

-- Slices in which apps handle an event: `InputConsumer processing on <channel>`. The cookie is the
-- sequence number of the event, written as in `android_input_events.event_seq`.
CREATE PERFETTO TABLE _input_consumers_lookup AS
SELECT
  slice.id,
  slice.track_id,
  slice.ts,
  slice.dur,
  printf('0x%x', cookie.int_value) AS cookie,
  track.upid
FROM slice
JOIN args AS cookie ON cookie.arg_set_id = slice.arg_set_id AND cookie.key = 'cookie'
LEFT JOIN process_track AS track ON track.id = slice.track_id
WHERE slice.name GLOB 'InputConsumer processing on*';

-- Returns the steps of the input events of which a slice is a step: reading, dispatching, receiving
-- or handling.
CREATE PERFETTO FUNCTION _android_input_lifecycle_by_slice_id(
  -- Slice; join with `slice` on `id`.
  slice_id LONG
)
RETURNS TABLE(
  -- Id of the input event.
  input_id STRING,
  -- Input channel.
  channel STRING,
  -- Time from reading the event to presenting a frame with its result, ns; NULL if unknown.
  total_latency LONG,
  -- Time when the system read the event, ns in trace time.
  ts_reader LONG,
  -- Time when the system sent the event, ns in trace time.
  ts_dispatch LONG,
  -- Time when the app received the event, ns in trace time.
  ts_receive LONG,
  -- Time when the app began to handle the event, ns in trace time.
  ts_consume LONG,
  -- Slice that reads the event; join with `slice` on `id`.
  id_reader LONG,
  -- Track of that slice; join with `track` on `id`.
  track_reader LONG,
  -- Duration of that slice, ns.
  dur_reader LONG,
  -- Slice that sends the event; join with `slice` on `id`.
  id_dispatch LONG,
  -- Track of that slice; join with `track` on `id`.
  track_dispatch LONG,
  -- Duration of that slice, ns.
  dur_dispatch LONG,
  -- Slice that receives the event; join with `slice` on `id`.
  id_receive LONG,
  -- Track of that slice; join with `track` on `id`.
  track_receive LONG,
  -- Duration of that slice, ns.
  dur_receive LONG,
  -- Slice that handles the event; join with `slice` on `id`.
  id_consume LONG,
  -- Track of that slice; join with `track` on `id`.
  track_consume LONG,
  -- Duration of that slice, ns.
  dur_consume LONG,
  -- Whether the frame with the result is a guess.
  is_speculative_frame BOOL
) AS
SELECT
  event.input_event_id AS input_id,
  event.event_channel AS channel,
  event.end_to_end_latency_dur AS total_latency,
  event.read_time AS ts_reader,
  event.dispatch_ts AS ts_dispatch,
  event.receive_ts AS ts_receive,
  consumer.ts AS ts_consume,
  event.read_id AS id_reader,
  event.read_track_id AS track_reader,
  event.read_dur AS dur_reader,
  event.dispatch_id AS id_dispatch,
  event.dispatch_track_id AS track_dispatch,
  event.dispatch_dur AS dur_dispatch,
  event.receive_id AS id_receive,
  event.receive_track_id AS track_receive,
  event.receive_dur AS dur_receive,
  consumer.id AS id_consume,
  consumer.track_id AS track_consume,
  consumer.dur AS dur_consume,
  event.is_speculative_frame
FROM _input_events AS event
LEFT JOIN _input_consumers_lookup AS consumer
  ON consumer.cookie = event.event_seq AND consumer.upid = event.upid
WHERE $slice_id IN (event.read_id, event.dispatch_id, event.receive_id, consumer.id);

-- Slice in which SurfaceFlinger composed each frame of an app: `composite <vsync>`.
CREATE PERFETTO TABLE _input_sf_resolved AS
SELECT frame.app_upid, frame.app_vsync, slice.id, slice.track_id, slice.ts, slice.dur
FROM android_app_to_sf_frame_timeline_match AS frame
JOIN (
  SELECT *, CAST(nullif(split_part(name, ' ', 2), '') AS BIGINT) AS vsync
  FROM slice
  WHERE name GLOB 'composite *'
) AS slice ON slice.vsync = frame.sf_vsync
JOIN _android_sf_main_thread AS compositor ON compositor.track_id = slice.track_id;

-- Slices of each frame of an app: the work on the main thread, the drawing and the composition. A
-- slice that is not recorded is NULL.
CREATE PERFETTO VIEW _android_input_frames AS
WITH
  work AS (
    SELECT frame.frame_id, frame.upid, slice.id, slice.track_id, slice.ts, slice.dur
    FROM android_frames_choreographer_do_frame AS frame
    JOIN slice ON slice.id = frame.id
  ),
  drawing AS (
    SELECT frame.frame_id, frame.upid, slice.id, slice.track_id, slice.ts, slice.dur
    FROM android_frames_draw_frame AS frame
    JOIN slice ON slice.id = frame.id
  ),
  -- Each frame of which any slice is recorded.
  known AS (
    SELECT upid, frame_id FROM work
    UNION
    SELECT upid, frame_id FROM drawing
    UNION
    SELECT app_upid, app_vsync FROM _input_sf_resolved
  )
SELECT
  known.upid,
  known.frame_id,
  work.id AS id_do_frame,
  work.track_id AS track_do_frame,
  work.ts AS ts_do_frame,
  work.dur AS dur_do_frame,
  drawing.id AS id_draw_frames,
  drawing.track_id AS track_draw_frames,
  drawing.ts AS ts_draw_frames,
  drawing.dur AS dur_draw_frames,
  composing.id AS id_sf,
  composing.track_id AS track_sf,
  composing.ts AS ts_sf,
  composing.dur AS dur_sf
FROM known
LEFT JOIN work ON work.upid = known.upid AND work.frame_id = known.frame_id
LEFT JOIN drawing ON drawing.upid = known.upid AND drawing.frame_id = known.frame_id
LEFT JOIN _input_sf_resolved AS composing
  ON composing.app_upid = known.upid AND composing.app_vsync = known.frame_id;

-- A key event that the Android framework processed.
CREATE PERFETTO VIEW android_key_events(
  -- Unique id of the row.
  id LONG,
  -- Id of the event, which identifies it throughout the system.
  event_id LONG,
  -- Time when the event was processed, ns in trace time.
  ts TIMESTAMP,
  -- Arguments with further fields; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Kind of input device (source).
  source LONG,
  -- Action: down or up.
  action LONG,
  -- Id of the input device.
  device_id LONG,
  -- Id of the display.
  display_id LONG,
  -- Key code.
  key_code LONG
) AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id, key_code
FROM __intrinsic_android_key_events;

-- A touch or pointer event that the Android framework processed.
CREATE PERFETTO VIEW android_motion_events(
  -- Unique id of the row.
  id LONG,
  -- Id of the event, which identifies it throughout the system.
  event_id LONG,
  -- Time when the event was processed, ns in trace time.
  ts TIMESTAMP,
  -- Arguments with further fields; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Kind of input device (source).
  source LONG,
  -- Action: down, move or up.
  action LONG,
  -- Id of the input device.
  device_id LONG,
  -- Id of the display.
  display_id LONG
) AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id
FROM __intrinsic_android_motion_events;

-- A dispatch of an input event to a window.
CREATE PERFETTO VIEW android_input_event_dispatch(
  -- Unique id of the row.
  id LONG,
  -- Id of the event.
  event_id LONG,
  -- Arguments with further fields; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID,
  -- Vsync id of the window state on which the dispatch was based.
  vsync_id LONG,
  -- Id of the window.
  window_id LONG
) AS
SELECT id, event_id, arg_set_id, vsync_id, window_id
FROM __intrinsic_android_input_event_dispatch;
