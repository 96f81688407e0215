-- What the reasons for janky frames, as in `actual_frame_timeline_slice.jank_type`, say about who
-- was late.

-- Whether the compositor, or what lies below it, was late.
CREATE PERFETTO FUNCTION android_is_sf_jank_type(
  -- The reasons, separated by commas.
  jank_type STRING
)
-- 1 where one of them is the compositor's, else 0.
RETURNS BOOL AS
SELECT
  $jank_type GLOB '*SurfaceFlinger [CG]PU Deadline Missed*'
  OR $jank_type GLOB '*SurfaceFlinger Scheduling*'
  OR $jank_type GLOB '*Prediction Error*'
  OR $jank_type GLOB '*Display HAL*';

-- Whether the app was late.
CREATE PERFETTO FUNCTION android_is_app_jank_type(
  -- The reasons, separated by commas.
  jank_type STRING
)
-- 1 where one of them is the app's, else 0.
RETURNS BOOL AS
SELECT $jank_type GLOB '*App Deadline Missed*' OR $jank_type GLOB '*App Resynced Jitter*';

-- Whether the frame was not shown when it should have been: somebody was late, or it was dropped.
CREATE PERFETTO FUNCTION android_is_missed_frame_type(
  -- The reasons, separated by commas.
  jank_type STRING
)
-- 1 where one of them means a missed frame, else 0.
RETURNS BOOL AS
SELECT
  android_is_sf_jank_type($jank_type)
  OR android_is_app_jank_type($jank_type)
  OR $jank_type GLOB '*Dropped Frame*';
