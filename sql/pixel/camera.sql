-- Frames and memory of the camera on Pixel phones.

INCLUDE PERFETTO MODULE counters.global_tracks;
INCLUDE PERFETTO MODULE linux.memory.process;
INCLUDE PERFETTO MODULE slices.with_context;

-- A step of a node of the camera pipeline, from slices `cam<id>_<node>:<ports> (frame <number>)`.
CREATE PERFETTO TABLE pixel_camera_frames(
  -- Unique id of the slice.
  id ID(slice.id),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Track of the slice; join with `track` on `id`.
  track_id JOINID(track.id),
  -- Thread that runs the step; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Name of the thread.
  thread_name STRING,
  -- Name of the node.
  node STRING,
  -- Name of the group of ports of the node.
  port_group STRING,
  -- Frame number.
  frame_number LONG,
  -- Number of the camera.
  cam_id LONG
) AS
WITH step AS (
  SELECT
    *,
    str_split(name, ':', 0) AS camera_and_node,
    str_split(name, ':', 1) AS ports_and_frame
  FROM thread_slice
  WHERE name GLOB 'cam*_*:* (frame *)' AND dur != -1
)
SELECT
  id, ts, dur, track_id, utid, thread_name,
  -- The name of the node starts after `cam`, one digit and `_`.
  substr(camera_and_node, 6) AS node,
  str_split(ports_and_frame, ' (', 0) AS port_group,
  CAST(str_split(str_split(name, '(frame', 1), ')', 0) AS INT) AS frame_number,
  CAST(str_split(str_split(name, 'cam', 1), '_', 0) AS INT) AS cam_id
FROM step
ORDER BY ts;

-- Resident memory of each process, from one change to the next.
CREATE PERFETTO VIEW _pixel_camera_rss AS
SELECT
  m.upid, m.ts, m.dur, p.name, p.start_ts,
  coalesce(m.file_rss, 0) + coalesce(m.anon_rss, 0) + coalesce(m.shmem_rss, 0) AS rss
FROM memory_rss_and_swap_per_process AS m
JOIN process AS p ON p.upid = m.upid;

-- Memory of the camera app, the process of that name that has the most.
CREATE PERFETTO VIEW _rss_gca AS
SELECT ts, dur, rss AS gca_rss_val
FROM _pixel_camera_rss
WHERE upid = (
  SELECT upid
  FROM _pixel_camera_rss
  WHERE
    name GLOB '*GoogleCamera'
    OR name GLOB '*googlecamera.fishfood'
    OR name GLOB '*GoogleCameraEng'
  ORDER BY rss DESC, upid
  LIMIT 1
);

-- Memory of the camera HAL, the latest process of that name.
CREATE PERFETTO VIEW _rss_camera_hal AS
SELECT ts, dur, rss AS hal_rss_val
FROM _pixel_camera_rss
WHERE upid = (
  SELECT upid FROM process WHERE name GLOB '*camera.provider*' ORDER BY start_ts DESC, upid LIMIT 1
);

-- Memory of the camera server, the latest process of that name.
CREATE PERFETTO VIEW _rss_cameraserver AS
SELECT ts, dur, rss AS cameraserver_rss_val
FROM _pixel_camera_rss
WHERE upid = (
  SELECT upid FROM process WHERE name GLOB '*cameraserver' ORDER BY start_ts DESC, upid LIMIT 1
);

-- Size of the DMA heap of the system, from one change to the next.
CREATE PERFETTO VIEW _dma_span AS
SELECT
  c.ts,
  lead(c.ts, 1, trace_end()) OVER (PARTITION BY c.track_id ORDER BY c.ts) - c.ts AS dur,
  c.value AS dma_val
FROM counter AS c
JOIN counter_track AS t ON t.id = c.track_id
WHERE t.name = 'mem.dma_heap' AND _counter_track_is_only_name_dimension(t.id);

-- Memory of the app and the HAL.
CREATE VIRTUAL TABLE _rss_gca_hal USING span_outer_join(_rss_gca, _rss_camera_hal);

-- Memory of the app, the HAL and the server.
CREATE VIRTUAL TABLE _rss_all_camera USING span_outer_join(_rss_gca_hal, _rss_cameraserver);

-- Memory of the app, the HAL and the server, and of the DMA heap.
CREATE VIRTUAL TABLE _rss_and_dma_all_camera_join
USING span_outer_join(_dma_span, _rss_all_camera);

-- A period in which no memory of the camera changed. Unknown memory counts as 0.
CREATE PERFETTO TABLE pixel_camera_memory_span(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Resident memory of the camera app, bytes.
  gca_rss LONG,
  -- Resident memory of the camera HAL, bytes.
  hal_rss LONG,
  -- Resident memory of the camera server, bytes.
  cameraserver_rss LONG,
  -- Size of the DMA heap of the system, bytes.
  dma LONG,
  -- Sum of the four, bytes.
  rss_and_dma LONG
) AS
WITH known AS (
  SELECT
    ts, dur,
    CAST(coalesce(gca_rss_val, 0) AS INT) AS gca_rss,
    CAST(coalesce(hal_rss_val, 0) AS INT) AS hal_rss,
    CAST(coalesce(cameraserver_rss_val, 0) AS INT) AS cameraserver_rss,
    CAST(coalesce(dma_val, 0) AS INT) AS dma
  FROM _rss_and_dma_all_camera_join
)
SELECT *, gca_rss + hal_rss + cameraserver_rss + dma AS rss_and_dma
FROM known
ORDER BY ts;
