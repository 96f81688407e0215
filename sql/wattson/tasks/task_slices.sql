-- Threads and interrupts on each CPU, as far as they cause power consumption.

INCLUDE PERFETTO MODULE android.process_metadata;
INCLUDE PERFETTO MODULE linux.irqs;
INCLUDE PERFETTO MODULE wattson.cpu.idle;

-- Statements that include this module may use these as well.
INCLUDE PERFETTO MODULE intervals.overlap;

-- A period in which a CPU was not idle.
CREATE PERFETTO TABLE _idle_exits(
  -- Start of the period, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- CPU.
  cpu LONG,
  -- Idle state: -1.
  idle LONG,
  -- Number of the period.
  group_id LONG
) AS
SELECT ts, dur, cpu, idle, row_number() OVER (ORDER BY cpu, ts) AS group_id
FROM _adjusted_deep_idle
WHERE idle = -1;

-- Time slices of threads.
CREATE PERFETTO VIEW _thread_spans AS
SELECT ts, dur, cpu, utid
FROM sched
WHERE dur > 0;

-- Handlers of soft interrupts.
CREATE PERFETTO VIEW _soft_irq_spans AS
SELECT irq.ts, irq.dur, track.cpu, irq.name AS soft_irq
FROM linux_soft_irqs AS irq
JOIN slice ON slice.id = irq.id
JOIN cpu_track AS track ON track.id = slice.track_id
WHERE irq.dur > 0;

-- Handlers of hardware interrupts without the time in which another one interrupted them. A handler
-- continues where it starts and where one within it ends, until the next such moment.
CREATE PERFETTO VIEW _hard_irq_spans AS
WITH
  changes AS (
    SELECT id, ts, 1 AS is_running FROM linux_hard_irqs WHERE dur > 0
    UNION ALL
    SELECT id, ts + dur, 0 FROM linux_hard_irqs WHERE dur > 0
    UNION ALL
    SELECT parent_id, ts, 0 FROM linux_hard_irqs WHERE dur > 0 AND parent_id IS NOT NULL
    UNION ALL
    SELECT parent_id, ts + dur, 1 FROM linux_hard_irqs WHERE dur > 0 AND parent_id IS NOT NULL
  ),
  parts AS (
    SELECT
      id, ts, is_running,
      lead(ts) OVER (PARTITION BY id ORDER BY ts, is_running DESC) - ts AS dur
    FROM changes
  )
SELECT parts.ts, parts.dur, track.cpu, slice.name AS hard_irq
FROM parts
JOIN slice ON slice.id = parts.id
JOIN cpu_track AS track ON track.id = slice.track_id
WHERE parts.is_running = 1 AND parts.dur > 0;

-- Threads, with the soft interrupts that interrupted them.
CREATE VIRTUAL TABLE _threads_and_soft_irqs USING SPAN_OUTER_JOIN(
  _thread_spans PARTITIONED cpu,
  _soft_irq_spans PARTITIONED cpu
);

-- The same with hardware interrupts.
CREATE VIRTUAL TABLE _threads_and_irqs USING SPAN_OUTER_JOIN(
  _threads_and_soft_irqs PARTITIONED cpu,
  _hard_irq_spans PARTITIONED cpu
);

-- The same while the CPU was not idle.
CREATE VIRTUAL TABLE _active_threads_and_irqs USING SPAN_JOIN(
  _threads_and_irqs PARTITIONED cpu,
  _idle_exits PARTITIONED cpu
);

-- Threads and interrupts on each CPU while it was not idle. `irq` is the interrupt that the CPU
-- handled. `cause_ts` is the start of the cause of the wakeup: the first thread, or the first
-- interrupt if no thread ran.
CREATE PERFETTO TABLE _active_spans AS
SELECT
  ts, dur, cpu, group_id, utid, irq,
  coalesce(
    min(CASE WHEN irq IS NULL AND utid > 0 THEN ts END) OVER (PARTITION BY group_id),
    min(ts) OVER (PARTITION BY group_id)
  ) AS cause_ts
FROM (
  SELECT ts, dur, cpu, group_id, utid, coalesce(hard_irq, soft_irq) AS irq
  FROM _active_threads_and_irqs
);

-- A span in which a thread ran on a CPU or the CPU handled an interrupt. The spans between them
-- have the idle thread, up to the cause of the next wakeup.
CREATE PERFETTO TABLE _wattson_task_slices(
  -- Start of the span, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- CPU.
  cpu LONG,
  -- Thread; join with `thread` on `utid`. For an interrupt, this and the other ids are a number
  -- that depends on its name.
  utid LONG,
  -- Process; join with `process` on `upid`.
  upid LONG,
  -- Kernel id of the thread.
  tid LONG,
  -- Kernel id of the process.
  pid LONG,
  -- User id of the package.
  uid LONG,
  -- Name of the thread. For an interrupt, this and the other names are its name.
  thread_name STRING,
  -- Name of the process.
  process_name STRING,
  -- Name of the package.
  package_name STRING
) AS
WITH
  caused AS (
    SELECT ts, dur, cpu, group_id, utid, irq, hash(irq) AS irq_id
    FROM _active_spans
    WHERE ts >= cause_ts
  ),
  idle AS (
    SELECT cpu, end_ts AS ts, lead(ts) OVER (PARTITION BY cpu ORDER BY ts) - end_ts AS dur
    FROM (
      SELECT cpu, min(ts) AS ts, max(ts + dur) AS end_ts
      FROM caused
      GROUP BY cpu, group_id
    )
  )
SELECT
  caused.ts, caused.dur, caused.cpu,
  thread.utid, thread.upid, thread.tid, process.pid, package.uid,
  thread.name AS thread_name, process.name AS process_name, package.package_name
FROM caused
JOIN thread ON thread.utid = caused.utid
LEFT JOIN process ON process.upid = thread.upid
LEFT JOIN android_process_metadata AS package ON package.upid = thread.upid
WHERE caused.irq IS NULL
UNION ALL
SELECT ts, dur, cpu, irq_id, irq_id, irq_id, irq_id, irq_id, irq, irq, irq
FROM caused
WHERE irq IS NOT NULL
UNION ALL
SELECT ts, dur, cpu, 0, 0, 0, 0, NULL, 'swapper', NULL, NULL
FROM idle
WHERE dur > 0;
