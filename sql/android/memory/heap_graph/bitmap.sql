-- Bitmaps in Java heap dumps.

-- Returns the kind of memory with the pixels of a bitmap.
CREATE PERFETTO FUNCTION _android_bitmap_storage_name(
  -- Id of the bitmap: the pid times 10,000,000, plus the kind of memory times 1,000,000, plus a
  -- count.
  bitmap_id LONG
)
-- `wrapped_pixel_ref`, `heap`, `ashmem` or `hardware`; NULL for another kind.
RETURNS STRING AS
SELECT
  CASE $bitmap_id / 1000000 % 10
    WHEN 0 THEN 'wrapped_pixel_ref'
    WHEN 1 THEN 'heap'
    WHEN 2 THEN 'ashmem'
    WHEN 3 THEN 'hardware'
  END;

-- Bitmaps with the values of their fields. Only dumps in the format of ART have field values.
CREATE PERFETTO TABLE _heap_graph_bitmap_fields AS
SELECT
  object.id AS object_id, object.upid, object.graph_sample_ts, object.self_size,
  object.native_size, object.reachable,
  max(field.int_value) FILTER (WHERE field.field_name = 'android.graphics.Bitmap.mWidth') AS width,
  max(field.int_value) FILTER (WHERE field.field_name = 'android.graphics.Bitmap.mHeight')
    AS height,
  max(field.int_value) FILTER (WHERE field.field_name = 'android.graphics.Bitmap.mDensity')
    AS density,
  max(field.long_value) FILTER (WHERE field.field_name = 'android.graphics.Bitmap.mId')
    AS bitmap_id,
  -- -1 is the id of no bitmap.
  nullif(
    max(field.long_value) FILTER (WHERE field.field_name = 'android.graphics.Bitmap.mSourceId'), -1
  ) AS source_id
FROM heap_graph_object AS object
JOIN heap_graph_class AS class ON class.id = object.type_id
LEFT JOIN heap_graph_object_data AS data ON data.id = object.object_data_id
LEFT JOIN heap_graph_primitive AS field ON field.field_set_id = data.field_set_id
WHERE 'android.graphics.Bitmap' IN (class.name, class.deobfuscated_name)
GROUP BY
  object.id, object.upid, object.graph_sample_ts, object.self_size, object.native_size,
  object.reachable;

-- Processes from which bitmaps were received. A pid is of the last process that had it and ran at
-- the time of the dump.
CREATE PERFETTO TABLE _heap_graph_bitmap_senders AS
SELECT
  bitmap.object_id,
  max(process.upid) AS upid
FROM _heap_graph_bitmap_fields AS bitmap
JOIN process ON process.pid = bitmap.source_id / 10000000
WHERE
  bitmap.graph_sample_ts BETWEEN
    coalesce(process.start_ts, trace_start()) AND coalesce(process.end_ts, trace_end())
GROUP BY bitmap.object_id;

-- A bitmap (`android.graphics.Bitmap`) in a heap dump. Columns of field values are NULL unless the
-- dump is in the format of ART.
CREATE PERFETTO TABLE heap_graph_bitmaps(
  -- Object; join with `heap_graph_object` on `id`.
  object_id JOINID(heap_graph_object.id),
  -- Process; join with `process` on `upid`.
  upid JOINID(process.upid),
  -- Time of the heap dump, ns in trace time.
  graph_sample_ts TIMESTAMP,
  -- Width in pixels.
  width LONG,
  -- Height in pixels.
  height LONG,
  -- Density in dots per inch.
  density LONG,
  -- Id of the bitmap, which contains the pid and the kind of memory of its creation.
  bitmap_id LONG,
  -- Pid of the process that created the bitmap.
  bitmap_pid LONG,
  -- Kind of memory with the pixels: `wrapped_pixel_ref`, `heap`, `ashmem` or `hardware`.
  bitmap_storage_type STRING,
  -- Id of the bitmap in the process that sent it; NULL if it was not received.
  source_id LONG,
  -- Pid of the process that sent it.
  source_pid LONG,
  -- Kind of memory with the pixels in the process that sent it.
  source_storage_type STRING,
  -- Process that sent it; NULL if it is unknown. Join with `process` on `upid`.
  source_upid JOINID(process.upid),
  -- Name of the process that sent it.
  source_process_name STRING,
  -- Size of the object in the Java heap, in bytes.
  self_size LONG,
  -- Size of its native memory in bytes. That includes the pixels only if they are on the heap.
  native_size LONG,
  -- Whether the object is reachable from a root.
  reachable BOOL
) AS
SELECT
  bitmap.object_id, bitmap.upid, bitmap.graph_sample_ts, bitmap.width, bitmap.height,
  bitmap.density, bitmap.bitmap_id,
  bitmap.bitmap_id / 10000000 AS bitmap_pid,
  _android_bitmap_storage_name(bitmap.bitmap_id) AS bitmap_storage_type,
  bitmap.source_id,
  bitmap.source_id / 10000000 AS source_pid,
  _android_bitmap_storage_name(bitmap.source_id) AS source_storage_type,
  process.upid AS source_upid,
  process.name AS source_process_name,
  bitmap.self_size, bitmap.native_size, bitmap.reachable
FROM _heap_graph_bitmap_fields AS bitmap
LEFT JOIN _heap_graph_bitmap_senders AS sender ON sender.object_id = bitmap.object_id
LEFT JOIN process ON process.upid = sender.upid
ORDER BY bitmap.object_id;
