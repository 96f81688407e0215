-- Input events from the system to apps and back, with the latency of each step.

INCLUDE PERFETTO MODULE android.frames.timeline;

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

-- Time when the system read each event.
CREATE PERFETTO TABLE _input_read_times AS
SELECT split_part(split_part(name, '=', 2), ')', 1) AS input_event_id, min(ts) AS read_time
FROM slice
WHERE name GLOB 'UnwantedInteractionBlocker::notifyMotion*'
GROUP BY 1;

-- Slices in which apps handle each event, with the action of the event.
CREATE PERFETTO TABLE _input_handled AS
SELECT
  delivering.id,
  split_part(delivering.name, '=', 4) AS input_event_id,
  nullif(split_part(split_part(handling.name, '_', 2), ' ', 1), '') AS event_action,
  handling.ts,
  thread.upid
FROM slice AS delivering
JOIN slice AS handling ON handling.id = delivering.parent_id
JOIN thread_track AS track ON track.id = delivering.track_id
JOIN thread USING (utid)
WHERE delivering.name GLOB 'deliverInputEvent src=*';

-- Frames that apps presented, with the end of the display frame of each.
CREATE PERFETTO TABLE _input_frames_shown AS
SELECT
  app.upid,
  app.ts,
  app.surface_frame_token AS frame_id,
  max(compositor.ts + compositor.dur) AS present_time
FROM actual_frame_timeline_slice AS app
JOIN actual_frame_timeline_slice AS compositor
  ON compositor.display_frame_token = app.display_frame_token AND compositor.id <> app.id
WHERE
  coalesce(app.surface_frame_token, 0) <> 0
  AND coalesce(compositor.surface_frame_token, 0) = 0
  AND app.present_type <> 'Dropped Frame'
GROUP BY app.upid, app.ts, app.surface_frame_token;

-- First frame that each app started after it handled an event and that was presented.
CREATE PERFETTO TABLE _input_first_frames AS
SELECT id, upid, input_event_id, event_action, frame_id, present_time
FROM (
  SELECT
    handled.id,
    handled.upid,
    handled.input_event_id,
    handled.event_action,
    shown.frame_id,
    shown.present_time,
    row_number() OVER (PARTITION BY handled.id ORDER BY shown.ts) AS nth
  FROM _input_handled AS handled
  LEFT JOIN _input_frames_shown AS shown ON shown.upid = handled.upid AND shown.ts >= handled.ts
)
WHERE nth = 1;

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
  -- Kernel id of the app process.
  pid LONG,
  -- Name of the app process.
  process_name STRING,
  -- Kind of event, such as `MOTION` or `KEY`.
  event_type STRING,
  -- Action of the event, such as `DOWN` or `MOVE`.
  event_action STRING,
  -- Sequence number of the event in its channel.
  event_seq STRING,
  -- Input channel.
  event_channel STRING,
  -- Id of the input event.
  input_event_id STRING,
  -- Time when the system read the event, ns in trace time.
  read_time LONG,
  -- Track of the system thread; join with `track` on `id`.
  dispatch_track_id JOINID(track.id),
  -- Time when the system sent the event, ns in trace time.
  dispatch_ts TIMESTAMP,
  -- Duration of sending, ns.
  dispatch_dur DURATION,
  -- Track of the app thread; join with `track` on `id`.
  receive_track_id JOINID(track.id),
  -- Time when the app received the event, ns in trace time.
  receive_ts TIMESTAMP,
  -- Duration of receiving, ns.
  receive_dur DURATION,
  -- Number of the frame with the result of the event; NULL if unknown.
  frame_id LONG
) AS
SELECT
  received.ts - sent.ts AS dispatch_latency_dur,
  finished.ts - received.ts AS handling_latency_dur,
  acknowledged.ts - finished.ts AS ack_latency_dur,
  acknowledged.ts - sent.ts AS total_latency_dur,
  shown.present_time - reading.read_time AS end_to_end_latency_dur,
  finished.tid,
  finished.thread_name,
  finished.pid,
  finished.process_name,
  sent.type AS event_type,
  shown.event_action,
  sent.seq AS event_seq,
  sent.channel AS event_channel,
  event.input_event_id,
  reading.read_time,
  sent.track_id AS dispatch_track_id,
  sent.ts AS dispatch_ts,
  sent.dur AS dispatch_dur,
  received.track_id AS receive_track_id,
  received.ts AS receive_ts,
  received.dur AS receive_dur,
  shown.frame_id
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
LEFT JOIN _input_read_times AS reading ON reading.input_event_id = event.input_event_id
LEFT JOIN _input_first_frames AS shown
  ON shown.input_event_id = event.input_event_id AND shown.upid = received.upid
WHERE sent.is_sent AND sent.is_server AND NOT sent.is_finish
ORDER BY sent.ts;

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
