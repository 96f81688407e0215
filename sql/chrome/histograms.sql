-- The samples of Chrome's histograms.

-- A sample of a histogram.
CREATE PERFETTO TABLE chrome_histograms(
  -- The histogram.
  name STRING,
  -- The sample's value, in the histogram's unit.
  value LONG,
  -- When it was taken.
  ts TIMESTAMP,
  -- The name of the thread that took it; NULL where only its process is known.
  thread_name STRING,
  -- The thread.
  utid LONG,
  -- The thread's number.
  tid LONG,
  -- The process's name.
  process_name STRING,
  -- The process.
  upid LONG,
  -- The process's number.
  pid LONG
) AS
SELECT
  histogram.string_value AS name,
  sample.int_value AS value,
  slice.ts,
  thread.name AS thread_name,
  thread.utid,
  thread.tid,
  process.name AS process_name,
  process.upid,
  process.pid
FROM slice
LEFT JOIN args AS histogram
  ON histogram.arg_set_id = slice.arg_set_id AND histogram.key = 'chrome_histogram_sample.name'
LEFT JOIN args AS sample
  ON sample.arg_set_id = slice.arg_set_id AND sample.key = 'chrome_histogram_sample.sample'
LEFT JOIN thread_track ON thread_track.id = slice.track_id
LEFT JOIN thread ON thread.utid = thread_track.utid
LEFT JOIN process_track ON process_track.id = slice.track_id
LEFT JOIN process ON process.upid = coalesce(thread.upid, process_track.upid)
WHERE
  slice.name = 'HistogramSample'
  AND slice.category = 'disabled-by-default-histogram_samples'
  AND (thread.utid IS NOT NULL OR process.upid IS NOT NULL)
ORDER BY slice.ts;
