-- Functions that classify the reasons in `actual_frame_timeline_slice.jank_type`.

-- Tests whether SurfaceFlinger or a layer below it caused the jank.
CREATE PERFETTO FUNCTION android_is_sf_jank_type(
  -- Jank reasons, separated by commas.
  jank_type STRING
)
-- 1 if a reason refers to SurfaceFlinger, else 0.
RETURNS BOOL AS
SELECT
  $jank_type GLOB '*SurfaceFlinger [CG]PU Deadline Missed*'
  OR $jank_type GLOB '*SurfaceFlinger Scheduling*'
  OR $jank_type GLOB '*Prediction Error*'
  OR $jank_type GLOB '*Display HAL*';

-- Tests whether the app caused the jank.
CREATE PERFETTO FUNCTION android_is_app_jank_type(
  -- Jank reasons, separated by commas.
  jank_type STRING
)
-- 1 if a reason refers to the app, else 0.
RETURNS BOOL AS
SELECT $jank_type GLOB '*App Deadline Missed*' OR $jank_type GLOB '*App Resynced Jitter*';

-- Tests whether a frame missed its presentation: jank of the app or of SurfaceFlinger, or a dropped
-- frame.
CREATE PERFETTO FUNCTION android_is_missed_frame_type(
  -- Jank reasons, separated by commas.
  jank_type STRING
)
-- 1 if a reason means a missed frame, else 0.
RETURNS BOOL AS
SELECT
  android_is_sf_jank_type($jank_type)
  OR android_is_app_jank_type($jank_type)
  OR $jank_type GLOB '*Dropped Frame*';
