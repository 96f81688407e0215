-- Scroll jank by version 4 of the metric of Chrome, as Chrome itself computes it (from Chrome 145,
-- and in 144.0.7559.31).

-- Returns the integer value of an argument of a result, as an aggregate.
CREATE PERFETTO MACRO _scroll_jank_v4_int(
  -- Key of the argument, without `scroll_jank_v4.`.
  key Expr
)
RETURNS Expr AS
max(arg.int_value) FILTER (WHERE arg.key = 'scroll_jank_v4.' || $key);

-- Returns the real value of an argument of a result, as an aggregate.
CREATE PERFETTO MACRO _scroll_jank_v4_real(
  -- Key of the argument, without `scroll_jank_v4.`.
  key Expr
)
RETURNS Expr AS
max(coalesce(arg.real_value, arg.int_value * 1.0))
  FILTER (WHERE arg.key = 'scroll_jank_v4.' || $key);

-- Returns the text of an argument of a result, as an aggregate.
CREATE PERFETTO MACRO _scroll_jank_v4_text(
  -- Key of the argument, without `scroll_jank_v4.`.
  key Expr
)
RETURNS Expr AS
max(arg.string_value) FILTER (WHERE arg.key = 'scroll_jank_v4.' || $key);

-- Results, from the arguments of their slices.
CREATE PERFETTO TABLE _chrome_scroll_jank_v4_args AS
SELECT
  slice.id,
  slice.name,
  slice.ts,
  slice.dur,
  _scroll_jank_v4_int!('result_id') AS result_id,
  _scroll_jank_v4_int!('is_janky') AS is_janky,
  _scroll_jank_v4_int!('vsyncs_since_previous_frame') AS vsyncs_since_previous_frame,
  _scroll_jank_v4_int!('running_delivery_cutoff_us') AS running_delivery_cutoff,
  _scroll_jank_v4_int!('adjusted_delivery_cutoff_us') AS adjusted_delivery_cutoff,
  _scroll_jank_v4_int!('current_delivery_cutoff_us') AS current_delivery_cutoff,
  _scroll_jank_v4_int!('updates.real.first_event_latency_id') AS real_id,
  _scroll_jank_v4_real!('updates.real.abs_total_raw_delta_pixels') AS real_path,
  _scroll_jank_v4_real!('updates.real.total_raw_delta_pixels') AS real_distance,
  _scroll_jank_v4_real!('updates.real.max_abs_inertial_raw_delta_pixels') AS fling_distance,
  _scroll_jank_v4_int!('updates.synthetic.first_event_latency_id') AS synthetic_id,
  _scroll_jank_v4_text!('updates.first_scroll_update_type') AS first_scroll_update_type,
  _scroll_jank_v4_text!('damage_type') AS damage_type,
  _scroll_jank_v4_int!('vsync_interval_us') AS vsync_interval
FROM slice
LEFT JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
WHERE slice.name = 'ScrollJankV4'
GROUP BY slice.id, slice.name, slice.ts, slice.dur;

-- Names of the slices in which Chrome records the moments of a result.
CREATE PERFETTO VIEW _chrome_scroll_jank_v4_moment_names AS
SELECT name, moment
FROM (VALUES
  ('Real scroll update input generation', 'real input'),
  ('Extrapolated first synthetic scroll update input generation', 'synthetic input'),
  ('First synthetic scroll update original begin frame', 'synthetic frame'),
  ('Begin frame', 'frame'),
  ('Presentation', 'presentation'),
  ('Extrapolated presentation', 'presentation')
) AS names(name, moment);

-- Moments of each result. They have the id of the result as an argument or, of older Chrome
-- versions, are descendants of its slice.
CREATE PERFETTO TABLE _chrome_scroll_jank_v4_moments AS
SELECT result.id, names.moment, slice.ts, slice.dur, slice.id AS slice_id
FROM _chrome_scroll_jank_v4_args AS result
JOIN args AS arg
  ON arg.int_value = result.result_id AND arg.key = 'scroll_jank_v4.result_id'
JOIN slice ON slice.arg_set_id = arg.arg_set_id
JOIN _chrome_scroll_jank_v4_moment_names AS names ON names.name = slice.name
UNION ALL
SELECT result.id, names.moment, below.ts, below.dur, below.id AS slice_id
FROM (
  SELECT id
  FROM _chrome_scroll_jank_v4_args
  WHERE (SELECT count(result_id) FROM _chrome_scroll_jank_v4_args) = 0
) AS result, descendant_slice(result.id) AS below
JOIN _chrome_scroll_jank_v4_moment_names AS names ON names.name = below.name;

-- Returns a value of the first moment of a kind, as an aggregate.
CREATE PERFETTO MACRO _scroll_jank_v4_moment(
  -- Kind of moment.
  kind Expr,
  -- Value.
  value Expr
)
RETURNS Expr AS
max($value) FILTER (WHERE moment = $kind);

-- First moment of each kind of each result.
CREATE PERFETTO TABLE _chrome_scroll_jank_v4_times AS
SELECT
  id,
  _scroll_jank_v4_moment!('real input', ts) AS first_real_ts,
  _scroll_jank_v4_moment!('real input', ts + dur) AS last_real_ts,
  _scroll_jank_v4_moment!('synthetic input', ts) AS synthetic_ts,
  _scroll_jank_v4_moment!('synthetic frame', ts) AS synthetic_frame_ts,
  _scroll_jank_v4_moment!('frame', ts) AS frame_ts,
  _scroll_jank_v4_moment!('presentation', ts) AS presentation_ts
FROM (
  SELECT *, row_number() OVER (PARTITION BY id, moment ORDER BY ts, slice_id) AS nth
  FROM _chrome_scroll_jank_v4_moments
)
WHERE nth = 1
GROUP BY id;

-- A frame with scroll updates, and the result of the metric. Scroll updates are real if they come
-- from inputs, and synthetic if Chrome makes them. A frame is damaging if it, or a frame between it
-- and the last presented one, changes what the page shows.
CREATE PERFETTO TABLE chrome_scroll_jank_v4_results(
  -- Slice of the result; join with `slice` on `id`.
  id ID(slice.id),
  -- Always `ScrollJankV4`.
  name STRING,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Id of the result; NULL in traces of old Chrome versions.
  result_id LONG,
  -- Whether the frame is janky; `chrome_scroll_jank_v4_reasons` has the reasons.
  is_janky BOOL,
  -- Number of vsyncs since the frame before; NULL for the first frame of a scroll. Janky frames
  -- have more than one.
  vsyncs_since_previous_frame LONG,
  -- Delivery cutoff from the frames before, ns: how late an input can come for its frame. NULL
  -- without a damaging frame before, in the scroll and since the last janky frame.
  running_delivery_cutoff DURATION,
  -- Running delivery cutoff adjusted to this frame, ns. NULL as well for a frame that is not
  -- damaging or that follows the frame before without a gap.
  adjusted_delivery_cutoff DURATION,
  -- Delivery cutoff of this frame, ns; NULL if it is not damaging.
  current_delivery_cutoff DURATION,
  -- First real scroll update, NULL if there is none; join with `chrome_event_latencies` on
  -- `scroll_update_id`.
  real_first_event_latency_id LONG,
  -- Creation time of the first real scroll update, ns in trace time; NULL if there is none.
  real_first_input_generation_ts TIMESTAMP,
  -- Creation time of the last real scroll update, ns in trace time; NULL if there is none.
  real_last_input_generation_ts TIMESTAMP,
  -- Absolute distance of all real scroll updates before prediction, in pixels; NULL if there are
  -- none.
  real_abs_total_raw_delta_pixels DOUBLE,
  -- Distance of all real scroll updates before prediction, in pixels; NULL if there are none, and
  -- in traces of old Chrome versions.
  real_total_raw_delta_pixels DOUBLE,
  -- Longest absolute distance of a scroll update of a fling, in pixels; NULL if there are none.
  real_max_abs_inertial_raw_delta_pixels DOUBLE,
  -- First synthetic scroll update, NULL if there is none; join with `chrome_event_latencies` on
  -- `scroll_update_id`.
  synthetic_first_event_latency_id LONG,
  -- Creation time of the first synthetic scroll update, extrapolated from the last real one, ns in
  -- trace time; NULL if it cannot be extrapolated.
  synthetic_first_extrapolated_input_generation_ts TIMESTAMP,
  -- Time of the frame for which Chrome made the first synthetic scroll update, ns in trace time;
  -- NULL if there is none.
  synthetic_first_original_begin_frame_ts TIMESTAMP,
  -- Kind of the scroll update that was created first: `REAL`,
  -- `SYNTHETIC_WITH_EXTRAPOLATED_INPUT_GENERATION_TIMESTAMP` or
  -- `SYNTHETIC_WITHOUT_EXTRAPOLATED_INPUT_GENERATION_TIMESTAMP`.
  first_scroll_update_type STRING,
  -- That scroll update; join with `chrome_event_latencies` on `scroll_update_id`.
  first_event_latency_id LONG,
  -- Kind of frame: `DAMAGING`, `NON_DAMAGING_WITH_EXTRAPOLATED_PRESENTATION_TIMESTAMP` or
  -- `NON_DAMAGING_WITHOUT_EXTRAPOLATED_PRESENTATION_TIMESTAMP`.
  damage_type STRING,
  -- Interval between vsyncs, ns.
  vsync_interval DURATION,
  -- Time at which the frame began, ns in trace time. Old Chrome versions do not record it for
  -- frames without a time of presentation.
  begin_frame_ts TIMESTAMP,
  -- Time of the presentation, ns in trace time, extrapolated from the last damaging frame if this
  -- one is not damaging. NULL if it cannot be extrapolated, and in traces of old Chrome versions.
  presentation_ts TIMESTAMP
) AS
SELECT
  id,
  result.name,
  result.ts,
  result.dur,
  result.result_id,
  result.is_janky,
  result.vsyncs_since_previous_frame,
  result.running_delivery_cutoff,
  result.adjusted_delivery_cutoff,
  result.current_delivery_cutoff,
  result.real_id AS real_first_event_latency_id,
  times.first_real_ts AS real_first_input_generation_ts,
  times.last_real_ts AS real_last_input_generation_ts,
  coalesce(result.real_path, abs(result.real_distance)) AS real_abs_total_raw_delta_pixels,
  result.real_distance AS real_total_raw_delta_pixels,
  result.fling_distance AS real_max_abs_inertial_raw_delta_pixels,
  result.synthetic_id AS synthetic_first_event_latency_id,
  times.synthetic_ts AS synthetic_first_extrapolated_input_generation_ts,
  times.synthetic_frame_ts AS synthetic_first_original_begin_frame_ts,
  result.first_scroll_update_type,
  CASE
    WHEN result.first_scroll_update_type = 'REAL' THEN result.real_id
    WHEN
      result.first_scroll_update_type IN (
        'SYNTHETIC_WITH_EXTRAPOLATED_INPUT_GENERATION_TIMESTAMP',
        'SYNTHETIC_WITHOUT_EXTRAPOLATED_INPUT_GENERATION_TIMESTAMP'
      )
      THEN result.synthetic_id
    ELSE coalesce(result.real_id, result.synthetic_id)
  END AS first_event_latency_id,
  result.damage_type,
  result.vsync_interval,
  times.frame_ts AS begin_frame_ts,
  times.presentation_ts
FROM _chrome_scroll_jank_v4_args AS result
LEFT JOIN _chrome_scroll_jank_v4_times AS times USING (id)
ORDER BY result.ts, id;

-- A reason why a frame is janky. A frame can have several.
CREATE PERFETTO TABLE chrome_scroll_jank_v4_reasons(
  -- Slice of the result; join with `chrome_scroll_jank_v4_results` on `id`.
  id JOINID(slice.id),
  -- Reason. Chrome missed vsyncs because frames came later after their inputs than before
  -- (`MISSED_VSYNC_DUE_TO_DECELERATING_INPUT_FRAME_DELIVERY`), within a fast scroll
  -- (`MISSED_VSYNC_DURING_FAST_SCROLL`), between a fast scroll and a fling
  -- (`MISSED_VSYNC_AT_START_OF_FLING`) or within a fling (`MISSED_VSYNC_DURING_FLING`).
  jank_reason STRING,
  -- Number of vsyncs missed for this reason.
  missed_vsyncs LONG
) AS
SELECT
  slice.id,
  max(arg.string_value) FILTER (WHERE arg.key GLOB '*.jank_reason') AS jank_reason,
  max(arg.int_value) FILTER (WHERE arg.key GLOB '*.missed_vsyncs') AS missed_vsyncs
FROM slice
JOIN args AS arg ON arg.arg_set_id = slice.arg_set_id
WHERE
  slice.name = 'ScrollJankV4'
  AND arg.flat_key GLOB 'scroll_jank_v4.missed_vsyncs_per_jank_reason.*'
-- Keys of one reason share a number in brackets.
GROUP BY slice.id, split_part(arg.key, ']', 1)
ORDER BY slice.id;
