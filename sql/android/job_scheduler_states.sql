-- Jobs of the JobScheduler with their constraints, from the atom `ScheduledJobStateChanged` of
-- statsd, and the states of the charger and the screen while they ran.

INCLUDE PERFETTO MODULE android.battery.charging_states;

INCLUDE PERFETTO MODULE android.screen_state;

INCLUDE PERFETTO MODULE intervals.intersect;

-- Number in an atom of a job.
CREATE PERFETTO MACRO _job_number(
  -- Name of the field, with a dot before it.
  field Expr
)
RETURNS Expr AS
max(CASE WHEN field.key = 'scheduled_job_state_changed' || $field THEN field.int_value END);

-- Text in an atom of a job.
CREATE PERFETTO MACRO _job_text(
  -- Name of the field, with a dot before it.
  field Expr
)
RETURNS Expr AS
max(CASE WHEN field.key = 'scheduled_job_state_changed' || $field THEN field.string_value END);

-- Changes of the state of jobs: one row for each atom.
CREATE PERFETTO TABLE _job_state_changes AS
SELECT
  slice.id AS slice_id,
  slice.ts,
  _job_text!('.job_name') AS job_name,
  _job_number!('.attribution_node[0].uid') AS uid,
  _job_number!('.job_id') AS job_id,
  _job_text!('.state') AS state,
  _job_number!('.effective_priority') AS effective_priority,
  _job_number!('.has_battery_not_low_constraint') AS has_battery_not_low_constraint,
  _job_number!('.has_charging_constraint') AS has_charging_constraint,
  _job_number!('.has_connectivity_constraint') AS has_connectivity_constraint,
  _job_number!('.has_content_trigger_constraint') AS has_content_trigger_constraint,
  _job_number!('.has_deadline_constraint') AS has_deadline_constraint,
  _job_number!('.has_idle_constraint') AS has_idle_constraint,
  _job_number!('.has_storage_not_low_constraint') AS has_storage_not_low_constraint,
  _job_number!('.has_timing_delay_constraint') AS has_timing_delay_constraint,
  _job_number!('.is_prefetch') AS is_prefetch,
  _job_number!('.is_requested_expedited_job') AS is_requested_expedited_job,
  _job_number!('.is_running_as_expedited_job') AS is_running_as_expedited_job,
  _job_number!('.num_previous_attempts') AS num_previous_attempts,
  _job_number!('.requested_priority') AS requested_priority,
  _job_text!('.standby_bucket') AS standby_bucket,
  _job_number!('.is_periodic') AS is_periodic,
  _job_number!('.is_requested_as_user_initiated_job') AS is_requested_as_user_initiated_job,
  _job_number!('.is_running_as_user_initiated_job') AS is_running_as_user_initiated_job,
  _job_number!('.deadline_ms') AS deadline_ms,
  _job_number!('.job_start_latency_ms') AS job_start_latency_ms,
  _job_number!('.num_uncompleted_work_items') AS num_uncompleted_work_items,
  _job_text!('.proc_state') AS proc_state,
  _job_text!('.internal_stop_reason') AS internal_stop_reason,
  _job_text!('.public_stop_reason') AS public_stop_reason
FROM slice
JOIN track ON track.id = slice.track_id
LEFT JOIN args AS field ON field.arg_set_id = slice.arg_set_id
WHERE slice.name = 'scheduled_job_state_changed' AND track.name = 'Statsd Atoms'
GROUP BY slice.id, slice.ts;

-- Changes of the state of jobs with the next change of the same job. Cancellations do not count: a
-- job that is canceled before it starts has no run, and one that runs is finished as well.
CREATE PERFETTO TABLE _job_state_pairs AS
SELECT
  *,
  lead(ts) OVER of_job AS next_ts,
  lead(state) OVER of_job AS next_state,
  lead(internal_stop_reason) OVER of_job AS next_internal_stop_reason,
  lead(public_stop_reason) OVER of_job AS next_public_stop_reason
FROM _job_state_changes
WHERE state != 'CANCELLED'
WINDOW of_job AS (PARTITION BY uid, job_name, job_id ORDER BY ts, slice_id);

-- A run of a job, from its start until it finishes or is scheduled again. A run without a recorded
-- end is left out.
CREATE PERFETTO TABLE android_job_scheduler_states(
  -- Unique id of the run, in order of time.
  id ID,
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Slice of the atom that starts the run; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Name of the job: `<package>/<service>`, `@<namespace>@<package>/<service>`, or, for a job with
  -- a tag, `<tag>:<package>` with or without `@<namespace>@` before it.
  job_name STRING,
  -- User id of the app.
  uid LONG,
  -- Job id, assigned by the app or, from Android 14 on, by the system.
  job_id LONG,
  -- Package of the job: the part of `job_name` before the slash and after the namespace, or the
  -- part after the slash if that begins with `com`.
  package_name STRING,
  -- Namespace of the job; the service if `job_name` has no namespace.
  job_namespace STRING,
  -- Priority at which the job ran.
  effective_priority LONG,
  -- Whether the job requires that the battery is not low.
  has_battery_not_low_constraint BOOL,
  -- Whether the job requires that the device is charging.
  has_charging_constraint BOOL,
  -- Whether the job requires a network.
  has_connectivity_constraint BOOL,
  -- Whether a change of content starts the job.
  has_content_trigger_constraint BOOL,
  -- Whether the job has a deadline.
  has_deadline_constraint BOOL,
  -- Whether the job requires that the device is idle.
  has_idle_constraint BOOL,
  -- Whether the job requires that storage is not low.
  has_storage_not_low_constraint BOOL,
  -- Whether the job has a minimum delay.
  has_timing_delay_constraint BOOL,
  -- Whether the job prefetches data for the next start of the app.
  is_prefetch BOOL,
  -- Whether the app requested an expedited job.
  is_requested_expedited_job BOOL,
  -- Whether the job ran as an expedited job.
  is_running_as_expedited_job BOOL,
  -- Number of earlier attempts to run the job.
  num_previous_attempts LONG,
  -- Priority that the app requested.
  requested_priority LONG,
  -- Standby bucket of the app, such as `ACTIVE` or `RARE`.
  standby_bucket STRING,
  -- Whether the job is repeated in intervals.
  is_periodic BOOL,
  -- Same as `is_periodic`.
  has_flex_constraint BOOL,
  -- Whether the app requested a user-initiated job.
  is_requested_as_user_initiated_job BOOL,
  -- Whether the job ran as a user-initiated job.
  is_running_as_user_initiated_job BOOL,
  -- Deadline of the job, ms; of use if `has_deadline_constraint` is 1.
  deadline_ms LONG,
  -- Time from the scheduling to the start of the job, ms.
  job_start_latency_ms LONG,
  -- Number of work items that are not complete.
  num_uncompleted_work_items LONG,
  -- State of the process that runs the job.
  proc_state STRING,
  -- Internal reason for the end of the run.
  internal_stop_reason STRING,
  -- Reason for the end of the run that the app is told.
  public_stop_reason STRING
) AS
WITH runs AS (
  SELECT
    *,
    split_part(job_name, '/', 1) AS before_slash,
    split_part(job_name, '/', 2) AS after_slash,
    job_name GLOB '@*' AS has_namespace
  FROM _job_state_pairs
  WHERE state = 'STARTED' AND next_state IN ('FINISHED', 'SCHEDULED') AND next_ts > ts
)
SELECT
  row_number() OVER (ORDER BY ts, slice_id) AS id,
  ts,
  next_ts - ts AS dur,
  slice_id,
  job_name,
  uid,
  job_id,
  nullif(
    CASE
      WHEN NOT has_namespace THEN before_slash
      WHEN after_slash GLOB 'com*' THEN after_slash
      ELSE split_part(before_slash, '@', 3)
    END,
    ''
  ) AS package_name,
  nullif(CASE WHEN has_namespace THEN split_part(job_name, '@', 2) ELSE after_slash END, '')
    AS job_namespace,
  effective_priority,
  has_battery_not_low_constraint,
  has_charging_constraint,
  has_connectivity_constraint,
  has_content_trigger_constraint,
  has_deadline_constraint,
  has_idle_constraint,
  has_storage_not_low_constraint,
  has_timing_delay_constraint,
  is_prefetch,
  is_requested_expedited_job,
  is_running_as_expedited_job,
  num_previous_attempts,
  requested_priority,
  standby_bucket,
  is_periodic,
  is_periodic AS has_flex_constraint,
  is_requested_as_user_initiated_job,
  is_running_as_user_initiated_job,
  deadline_ms,
  job_start_latency_ms,
  num_uncompleted_work_items,
  proc_state,
  next_internal_stop_reason AS internal_stop_reason,
  next_public_stop_reason AS public_stop_reason
FROM runs
ORDER BY 1;

-- A part of a run of a job in which neither the charging state nor the screen state changed.
CREATE PERFETTO TABLE android_job_scheduler_with_screen_charging_states(
  -- Start of the part, ns in trace time.
  ts TIMESTAMP,
  -- Duration of the part, ns.
  dur DURATION,
  -- Slice of the atom that starts the run; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- Name and id of the job: `<name>_<id>`.
  job_name STRING,
  -- User id of the app.
  uid LONG,
  -- Job id.
  job_id LONG,
  -- Duration of the whole run, ns.
  job_dur DURATION,
  -- Package of the job.
  package_name STRING,
  -- Namespace of the job; the service if the job has no namespace.
  job_namespace STRING,
  -- Charging state, as in `android_charging_states.charging_state`.
  charging_state STRING,
  -- Screen state, as in `android_screen_state.screen_state`.
  screen_state STRING,
  -- Priority at which the job ran.
  effective_priority LONG,
  -- Whether the job requires that the battery is not low.
  has_battery_not_low_constraint BOOL,
  -- Whether the job requires that the device is charging.
  has_charging_constraint BOOL,
  -- Whether the job requires a network.
  has_connectivity_constraint BOOL,
  -- Whether a change of content starts the job.
  has_content_trigger_constraint BOOL,
  -- Whether the job has a deadline.
  has_deadline_constraint BOOL,
  -- Whether the job requires that the device is idle.
  has_idle_constraint BOOL,
  -- Whether the job requires that storage is not low.
  has_storage_not_low_constraint BOOL,
  -- Whether the job has a minimum delay.
  has_timing_delay_constraint BOOL,
  -- Whether the job prefetches data for the next start of the app.
  is_prefetch BOOL,
  -- Whether the app requested an expedited job.
  is_requested_expedited_job BOOL,
  -- Whether the job ran as an expedited job.
  is_running_as_expedited_job BOOL,
  -- Number of earlier attempts to run the job.
  num_previous_attempts LONG,
  -- Priority that the app requested.
  requested_priority LONG,
  -- Standby bucket of the app, such as `ACTIVE` or `RARE`.
  standby_bucket STRING,
  -- Whether the job is repeated in intervals.
  is_periodic BOOL,
  -- Same as `is_periodic`.
  has_flex_constraint BOOL,
  -- Whether the app requested a user-initiated job.
  is_requested_as_user_initiated_job BOOL,
  -- Whether the job ran as a user-initiated job.
  is_running_as_user_initiated_job BOOL,
  -- Deadline of the job, ms; of use if `has_deadline_constraint` is 1.
  deadline_ms LONG,
  -- Time from the scheduling to the start of the job, ms.
  job_start_latency_ms LONG,
  -- Number of work items that are not complete.
  num_uncompleted_work_items LONG,
  -- State of the process that runs the job.
  proc_state STRING,
  -- Internal reason for the end of the run.
  internal_stop_reason STRING,
  -- Reason for the end of the run that the app is told.
  public_stop_reason STRING
) AS
SELECT
  part.ts,
  part.dur,
  job.slice_id,
  job.job_name || '_' || job.job_id AS job_name,
  job.uid,
  job.job_id,
  job.dur AS job_dur,
  job.package_name,
  job.job_namespace,
  charging.charging_state,
  screen.screen_state,
  job.* EXCLUDE (id, ts, dur, slice_id, job_name, uid, job_id, package_name, job_namespace)
FROM _interval_intersect!(
  (android_job_scheduler_states, android_charging_states, android_screen_state), ()
) AS part
JOIN android_job_scheduler_states AS job ON job.id = part.id_0
JOIN android_charging_states AS charging ON charging.id = part.id_1
JOIN android_screen_state AS screen ON screen.id = part.id_2
ORDER BY part.ts, part.id_0;
