-- Input events on their way from the system to apps and back, and how long each leg took.

INCLUDE PERFETTO MODULE android.frames.timeline;

-- The messages of input channels, `sendMessage(inputChannel=<name> (server|client), seq=…, type=…)`
-- and `receiveMessage(…)`, on both ends.
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

-- The event that each message of the dispatcher sends: its id is in the name of the slice three
-- levels up.
CREATE PERFETTO TABLE _input_event_of_message AS
SELECT
  message.id AS message_id,
  split_part(split_part(enqueuing.name, '=', 3), ')', 1) AS input_event_id
FROM _input_messages AS message
JOIN slice AS publishing ON publishing.id = message.parent_id
JOIN slice AS dispatching ON dispatching.id = publishing.parent_id
JOIN slice AS enqueuing ON enqueuing.id = dispatching.parent_id
WHERE message.is_sent AND message.thread_name = 'InputDispatcher';

-- When the system read each event.
CREATE PERFETTO TABLE _input_read_times AS
SELECT split_part(split_part(name, '=', 2), ')', 1) AS input_event_id, min(ts) AS read_time
FROM slice
WHERE name GLOB 'UnwantedInteractionBlocker::notifyMotion*'
GROUP BY 1;

-- Where apps handle each event, with what kind of action it is.
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

-- The frames that apps showed, and when the compositor's frame of each ended.
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

-- The first frame that each app showed of those that it began after it had handled an event.
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

-- An input event that the system sent to an app, and that the app said to have finished.
CREATE PERFETTO TABLE android_input_events(
  -- From the system's sending to the app's receiving.
  dispatch_latency_dur DURATION,
  -- From there to the app's saying that it has finished.
  handling_latency_dur DURATION,
  -- From there to the system's receiving that.
  ack_latency_dur DURATION,
  -- All three.
  total_latency_dur DURATION,
  -- From the system's reading the event until a frame with its result was shown; NULL where no
  -- frame is known.
  end_to_end_latency_dur DURATION,
  -- The number of the app's thread.
  tid LONG,
  -- The app's thread.
  thread_name STRING,
  -- The number of the app's process.
  pid LONG,
  -- The app's process.
  process_name STRING,
  -- The kind of event, as `MOTION` or `KEY`.
  event_type STRING,
  -- The action, as `DOWN` or `MOVE`.
  event_action STRING,
  -- The event's number in its channel.
  event_seq STRING,
  -- The channel.
  event_channel STRING,
  -- The event's id.
  input_event_id STRING,
  -- When the system read the event.
  read_time LONG,
  -- The track of the system's thread.
  dispatch_track_id JOINID(track.id),
  -- When the system sent the event.
  dispatch_ts TIMESTAMP,
  -- How long sending took.
  dispatch_dur DURATION,
  -- The track of the app's thread.
  receive_track_id JOINID(track.id),
  -- When the app received the event.
  receive_ts TIMESTAMP,
  -- How long receiving took.
  receive_dur DURATION,
  -- The frame that shows the result.
  frame_id LONG
) AS
SELECT
  received.ts - sent.ts AS dispatch_latency_dur,
  finished.ts - received.ts AS handling_latency_dur,
  told.ts - finished.ts AS ack_latency_dur,
  told.ts - sent.ts AS total_latency_dur,
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
JOIN _input_messages AS told
  ON told.channel = sent.channel
  AND told.seq = sent.seq
  AND NOT told.is_sent
  AND told.is_server
  AND told.is_finish
LEFT JOIN _input_event_of_message AS event ON event.message_id = sent.id
LEFT JOIN _input_read_times AS reading ON reading.input_event_id = event.input_event_id
LEFT JOIN _input_first_frames AS shown
  ON shown.input_event_id = event.input_event_id AND shown.upid = received.upid
WHERE sent.is_sent AND sent.is_server AND NOT sent.is_finish
ORDER BY sent.ts;

-- A key event that Android's framework processed.
CREATE PERFETTO VIEW android_key_events(
  -- The entry's number.
  id LONG,
  -- The event's id, which goes with it through the system.
  event_id LONG,
  -- When it was processed.
  ts TIMESTAMP,
  -- What else is told of it.
  arg_set_id ARGSETID,
  -- The kind of device it came from.
  source LONG,
  -- The action: down or up.
  action LONG,
  -- The device.
  device_id LONG,
  -- The display.
  display_id LONG,
  -- The key.
  key_code LONG
) AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id, key_code
FROM __intrinsic_android_key_events;

-- A touch or a pointer's motion that Android's framework processed.
CREATE PERFETTO VIEW android_motion_events(
  -- The entry's number.
  id LONG,
  -- The event's id, which goes with it through the system.
  event_id LONG,
  -- When it was processed.
  ts TIMESTAMP,
  -- What else is told of it.
  arg_set_id ARGSETID,
  -- The kind of device it came from.
  source LONG,
  -- The action: down, move or up.
  action LONG,
  -- The device.
  device_id LONG,
  -- The display.
  display_id LONG
) AS
SELECT id, event_id, ts, arg_set_id, source, action, device_id, display_id
FROM __intrinsic_android_motion_events;

-- An event that was sent to a window.
CREATE PERFETTO VIEW android_input_event_dispatch(
  -- The entry's number.
  id LONG,
  -- The event's id.
  event_id LONG,
  -- What else is told of it.
  arg_set_id ARGSETID,
  -- The state of the windows by which this was decided.
  vsync_id LONG,
  -- The window.
  window_id LONG
) AS
SELECT id, event_id, arg_set_id, vsync_id, window_id
FROM __intrinsic_android_input_event_dispatch;
