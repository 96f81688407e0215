-- Handling of touches on Pixel phones: the interrupt, the thread of its driver, and the `twoshay`
-- service that computes positions.

INCLUDE PERFETTO MODULE intervals.intersect;

-- Reads the number that a slice name has after a label, such as the 12 of `IN_TS=12.`.
CREATE PERFETTO FUNCTION _pixel_touch_number(
  -- Name of the slice.
  name STRING,
  -- Label with its `=`.
  label STRING
)
-- Number up to the next dot; NULL if the name has no such label.
RETURNS LONG AS
SELECT CAST(str_split(str_split($name, $label, 1), '.', 0) AS INT);

-- Touch frames that the `twoshay` service processes.
CREATE PERFETTO TABLE _pixel_touch_twoshay_events(
  -- Slice of the frame; join with `slice` on `id`.
  twoshay_slice_id JOINID(slice.id),
  -- Start, ns in trace time.
  twoshay_ts TIMESTAMP,
  -- Duration, ns.
  twoshay_dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Time of the touch, as the hardware states it.
  in_ts LONG,
  -- First value of the counter `Resample latency offset` in the frame, ns; 0 if there is none.
  resample_latency_offset LONG
) AS
WITH
  frame AS (
    SELECT id, ts, dur, track_id, _pixel_touch_number(name, 'IN_TS=') AS in_ts
    FROM slice
    WHERE name GLOB 'algo->processFrame:*'
  ),
  offset_value AS (
    SELECT ts, value
    FROM counter
    WHERE track_id = (SELECT min(id) FROM track WHERE name = 'Resample latency offset')
  ),
  frame_offset AS (
    SELECT f.id, first_value(o.value ORDER BY o.ts) AS value
    FROM frame AS f
    JOIN offset_value AS o ON o.ts BETWEEN f.ts AND f.ts + f.dur
    GROUP BY f.id
  )
SELECT
  f.id AS twoshay_slice_id, f.ts AS twoshay_ts, f.dur AS twoshay_dur, f.track_id, f.in_ts,
  CAST(coalesce(o.value, 0) AS INT) AS resample_latency_offset
FROM frame AS f
LEFT JOIN frame_offset AS o ON o.id = f.id
ORDER BY f.ts;

-- Runs of the driver's interrupt thread, the bottom half of the interrupt.
CREATE PERFETTO TABLE _pixel_touch_bottom_half_events(
  -- Slice of the run; join with `slice` on `id`.
  bh_slice_id JOINID(slice.id),
  -- Start, ns in trace time.
  bh_start_ts TIMESTAMP,
  -- Duration, ns.
  bh_dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Number of the interrupt.
  irq_idx LONG,
  -- Time of the touch that the run reads, as the hardware states it; NULL if unknown.
  in_ts LONG
) AS
WITH frame_read AS (
  SELECT parent_id, first_value(name ORDER BY ts, id) AS name
  FROM slice
  WHERE name GLOB 'goog_offload_populate_frame:*'
  GROUP BY parent_id
)
SELECT
  s.id AS bh_slice_id, s.ts AS bh_start_ts, s.dur AS bh_dur, s.track_id,
  _pixel_touch_number(s.name, 'IRQ_IDX=') AS irq_idx,
  _pixel_touch_number(r.name, 'IN_TS=') AS in_ts
FROM slice AS s
LEFT JOIN frame_read AS r ON r.parent_id = s.id
WHERE s.name GLOB 'gti_irq_thread_fn: IRQ_IDX=*'
ORDER BY s.ts;

-- Interrupts of the touch screen, the top half. The driver sets the counter `gti_th_irq_index` to
-- the number of the interrupt while it handles it.
CREATE PERFETTO TABLE _pixel_touch_top_half_events(
  -- Slice of the interrupt; join with `slice` on `id`.
  th_slice_id JOINID(slice.id),
  -- Start, ns in trace time.
  th_start_ts TIMESTAMP,
  -- Duration, ns.
  th_dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  th_track_id JOINID(track.id),
  -- Number of the interrupt.
  irq_idx DOUBLE
) AS
WITH
  interrupt AS (
    SELECT id, ts, dur, track_id FROM slice WHERE name GLOB 'IRQ (*)' AND dur > 0
  ),
  number AS (
    SELECT id, ts, 0 AS dur, value
    FROM counter
    WHERE track_id = (SELECT min(id) FROM track WHERE name = 'gti_th_irq_index')
  )
SELECT
  i.id AS th_slice_id, i.ts AS th_start_ts, i.dur AS th_dur, i.track_id AS th_track_id,
  n.value AS irq_idx
FROM _interval_intersect!((interrupt, number), ()) AS both
JOIN interrupt AS i ON i.id = both.id_0
JOIN number AS n ON n.id = both.id_1
ORDER BY i.ts;

-- A touch frame with the interrupt that announced it. Parts that are unknown are NULL.
CREATE PERFETTO TABLE pixel_touch_events(
  -- Time of the touch, as the hardware states it.
  in_ts LONG,
  -- Start of the interrupt (top half), ns in trace time.
  ts_pixel_touch_th TIMESTAMP,
  -- Duration of the interrupt, ns.
  dur_pixel_touch_th DURATION,
  -- Slice of the interrupt; join with `slice` on `id`.
  id_pixel_touch_th LONG,
  -- Track of the interrupt; join with `track` on `id`.
  track_pixel_touch_th JOINID(track.id),
  -- Start of the run of the interrupt thread (bottom half), ns in trace time.
  ts_pixel_touch_bh TIMESTAMP,
  -- Duration of the run, ns.
  dur_pixel_touch_bh DURATION,
  -- Slice of the run; join with `slice` on `id`.
  id_pixel_touch_bh LONG,
  -- Track of the run; join with `track` on `id`.
  track_pixel_touch_bh JOINID(track.id),
  -- Start of the processing of the frame, ns in trace time.
  ts_pixel_touch TIMESTAMP,
  -- Duration of the processing, ns.
  dur_pixel_touch DURATION,
  -- Slice of the processing; join with `slice` on `id`.
  id_pixel_touch LONG,
  -- Track of the processing; join with `track` on `id`.
  track_pixel_touch JOINID(track.id),
  -- Offset that resampling adds to the latency, ns; 0 if unknown.
  resample_latency_offset LONG
) AS
SELECT
  frame.in_ts,
  top.th_start_ts AS ts_pixel_touch_th,
  top.th_dur AS dur_pixel_touch_th,
  top.th_slice_id AS id_pixel_touch_th,
  top.th_track_id AS track_pixel_touch_th,
  bottom.bh_start_ts AS ts_pixel_touch_bh,
  bottom.bh_dur AS dur_pixel_touch_bh,
  bottom.bh_slice_id AS id_pixel_touch_bh,
  bottom.track_id AS track_pixel_touch_bh,
  frame.twoshay_ts AS ts_pixel_touch,
  frame.twoshay_dur AS dur_pixel_touch,
  frame.twoshay_slice_id AS id_pixel_touch,
  frame.track_id AS track_pixel_touch,
  frame.resample_latency_offset
FROM _pixel_touch_twoshay_events AS frame
LEFT JOIN _pixel_touch_bottom_half_events AS bottom ON bottom.in_ts = frame.in_ts
LEFT JOIN _pixel_touch_top_half_events AS top ON top.irq_idx = bottom.irq_idx
ORDER BY frame.twoshay_ts;
