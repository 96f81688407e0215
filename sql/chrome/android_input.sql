-- Path of Android input events to Chrome: the system reads an event, dispatches it, and Chrome
-- delivers it. The trace needs the atrace categories `input` and `view`.

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE slices.with_context;

-- Returns the id of an input event from the name of a slice, such as `0x344bb0f9` from
-- `…(id=0x344bb0f9)`; NULL if there is none.
CREATE PERFETTO MACRO _input_event_id(
  -- Name of the slice.
  slice_name Expr
)
RETURNS Expr AS
CASE
  WHEN instr($slice_name, 'id=') > 0
    THEN rtrim(substr($slice_name, instr($slice_name, 'id=') + 3), ')')
END;

-- Slices of all stages of the path.
CREATE PERFETTO TABLE _chrome_android_input_stages AS
SELECT
  slice.id,
  slice.ts,
  slice.dur,
  track.utid,
  CASE
    WHEN slice.name GLOB 'Unwanted*' THEN 'read'
    WHEN slice.name GLOB 'prepare*' THEN 'dispatch'
    ELSE 'deliver'
  END AS stage,
  _input_event_id!(slice.name) AS android_input_id
FROM slice
JOIN thread_track AS track ON track.id = slice.track_id
WHERE
  slice.name GLOB 'UnwantedInteractionBlocker::notifyMotion*'
  OR slice.name GLOB 'prepareDispatchCycleLocked*chrome*'
  OR slice.name GLOB 'deliverInputEvent*';

-- A delivery of an input event within an app.
CREATE PERFETTO TABLE chrome_deliver_android_input_event(
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Thread that delivers the event; join with `thread` on `utid`.
  utid LONG,
  -- Id that Android gave the event.
  android_input_id STRING
) AS
SELECT ts, dur, utid, android_input_id
FROM _chrome_android_input_stages
WHERE stage = 'deliver'
ORDER BY ts, id;

-- An input event that the system read, with its way to Chrome. Columns of a stage that is not in
-- the trace are NULL.
CREATE PERFETTO TABLE chrome_android_input(
  -- Id that Android gave the event.
  android_input_id STRING,
  -- Start of reading the event (thread InputReader), ns in trace time.
  input_reader_processing_start_ts TIMESTAMP,
  -- End of reading the event, ns in trace time.
  input_reader_processing_end_ts TIMESTAMP,
  -- Thread that read the event; join with `thread` on `utid`.
  input_reader_utid LONG,
  -- Start of dispatching the event to Chrome (thread InputDispatcher), ns in trace time.
  input_dispatcher_processing_start_ts TIMESTAMP,
  -- End of dispatching the event, ns in trace time.
  input_dispatcher_processing_end_ts TIMESTAMP,
  -- Thread that dispatched the event; join with `thread` on `utid`.
  input_dispatcher_utid LONG,
  -- Start of delivering the event in Chrome (main thread of the browser), ns in trace time.
  deliver_input_event_start_ts TIMESTAMP,
  -- End of delivering the event, ns in trace time.
  deliver_input_event_end_ts TIMESTAMP,
  -- Thread that delivered the event; join with `thread` on `utid`.
  deliver_input_event_utid LONG
) AS
SELECT
  reading.android_input_id,
  reading.ts AS input_reader_processing_start_ts,
  reading.ts + reading.dur AS input_reader_processing_end_ts,
  reading.utid AS input_reader_utid,
  dispatching.ts AS input_dispatcher_processing_start_ts,
  dispatching.ts + dispatching.dur AS input_dispatcher_processing_end_ts,
  dispatching.utid AS input_dispatcher_utid,
  delivering.ts AS deliver_input_event_start_ts,
  delivering.ts + delivering.dur AS deliver_input_event_end_ts,
  delivering.utid AS deliver_input_event_utid
FROM _chrome_android_input_stages AS reading
LEFT JOIN _chrome_android_input_stages AS dispatching
  ON dispatching.android_input_id = reading.android_input_id AND dispatching.stage = 'dispatch'
LEFT JOIN _chrome_android_input_stages AS delivering
  ON delivering.android_input_id = reading.android_input_id AND delivering.stage = 'deliver'
WHERE reading.stage = 'read'
ORDER BY reading.ts, reading.id;
