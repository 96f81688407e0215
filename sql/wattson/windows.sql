-- Periods for which Wattson sums up energy. All views have the same columns, so that the macros of
-- wattson.aggregation take each of them.

INCLUDE PERFETTO MODULE android.cujs.base;
INCLUDE PERFETTO MODULE android.startup.startups;
INCLUDE PERFETTO MODULE wattson.utils;

-- The period between the slices `wattson_start` and `wattson_stop`.
CREATE PERFETTO VIEW wattson_window_markers(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns; NULL without a stop.
  dur DURATION,
  -- Number of the period: 1.
  period_id LONG
) AS
SELECT ts, dur, 1 AS period_id
FROM _wattson_markers_window;

-- The whole trace.
CREATE PERFETTO VIEW wattson_window_trace(
  -- Start of the trace, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Number of the period: 1.
  period_id LONG
) AS
SELECT start_ts AS ts, end_ts - start_ts AS dur, 1 AS period_id
FROM trace_bounds;

-- Startups of Android apps.
CREATE PERFETTO VIEW wattson_window_app_startup(
  -- Start of the startup, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Startup; join with `android_startups` on `startup_id`.
  period_id LONG
) AS
SELECT ts, dur, startup_id AS period_id
FROM android_startups;

-- User journeys (CUJs) that Android checks for jank.
CREATE PERFETTO VIEW wattson_window_atrace_apps(
  -- Start of the journey, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Journey; join with `android_jank_cuj` on `cuj_id`.
  period_id LONG
) AS
SELECT ts, dur, cuj_id AS period_id
FROM android_jank_cuj;
