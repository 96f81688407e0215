-- Startups in traces that contain a single app only, as its own profiling records them.

INCLUDE PERFETTO MODULE android.profiling_manager.util;

-- A cold start of the app, until a checkpoint. Each start has a row for each of the two
-- checkpoints.
CREATE PERFETTO TABLE android_profiling_manager_cold_startup(
  -- Start of the slice `bindApplication`, ns in trace time.
  ts TIMESTAMP,
  -- Name of the period: `app_startup_ttff` or `app_startup_tti`.
  name STRING,
  -- Duration until the end of the slice of the checkpoint, ns; NULL if it is not reached.
  dur DURATION,
  -- Checkpoint: `TTFF` for the first frame, `TTI` for the call of `reportFullyDrawn`.
  startup_checkpoint STRING
) AS
SELECT ts, 'app_startup_ttff' AS name, dur, 'TTFF' AS startup_checkpoint
FROM _android_generate_start_to_end_slices('bindApplication', 'Choreographer#doFrame [0-9]*', 1)
UNION ALL
SELECT ts, 'app_startup_tti', dur, 'TTI'
FROM _android_generate_start_to_end_slices('bindApplication', 'reportFullyDrawn*', 1)
ORDER BY ts, startup_checkpoint;
