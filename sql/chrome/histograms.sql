-- Samples of Chrome histograms.

-- A sample of a Chrome histogram.
CREATE PERFETTO TABLE chrome_histograms(
  -- Name of the histogram.
  name STRING,
  -- Value of the sample, in the unit of the histogram.
  value LONG,
  -- Time of the sample, ns in trace time.
  ts TIMESTAMP,
  -- Name of the thread; NULL if only the process is known.
  thread_name STRING,
  -- Thread; NULL if only the process is known. Join with `thread` on `utid`.
  utid LONG,
  -- Kernel id of the thread; NULL if only the process is known.
  tid LONG,
  -- Name of the process.
  process_name STRING,
  -- Process; join with `process` on `upid`.
  upid LONG,
  -- Kernel id of the process.
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
