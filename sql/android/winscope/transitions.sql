-- Details of window transitions, recorded for Winscope.

-- A window or layer that a transition changes.
CREATE PERFETTO VIEW android_window_manager_shell_transition_participants(
  -- Transition; join with `window_manager_shell_transitions` on `transition_id`.
  transition_id LONG,
  -- Id of the layer.
  layer_id LONG,
  -- Id of the window.
  window_id LONG,
  -- Kind of change, such as opening or closing, as a number of Android.
  mode LONG,
  -- Bits that describe the change.
  flags LONG,
  -- Id of the display before the transition.
  start_display_id LONG,
  -- Id of the display after the transition.
  end_display_id LONG,
  -- Rotation before the transition, in quarter turns.
  start_rotation LONG,
  -- Rotation after the transition, in quarter turns.
  end_rotation LONG,
  -- Area on the screen before the transition; join with `android_winscope_rect` on `id`.
  start_abs_bounds_rect_id LONG,
  -- Area on the screen after the transition; join with `android_winscope_rect` on `id`.
  end_abs_bounds_rect_id LONG
) AS
SELECT
  transition_id, layer_id, window_id, mode, flags, start_display_id, end_display_id, start_rotation,
  end_rotation, start_abs_bounds_rect_id, end_abs_bounds_rect_id
FROM __intrinsic_window_manager_shell_transition_participants;

-- A recorded message of a transition.
CREATE PERFETTO VIEW android_window_manager_shell_transition_protos(
  -- Transition; join with `window_manager_shell_transitions` on `transition_id`.
  transition_id LONG,
  -- Number of the recorded message; equal messages have equal numbers.
  base64_proto_id LONG
) AS
SELECT transition_id, base64_proto_id
FROM __intrinsic_window_manager_shell_transition_protos;
