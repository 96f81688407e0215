-- Interrupts that the kernel handled.

-- An interrupt of the hardware.
CREATE PERFETTO VIEW linux_hard_irqs(
  -- When its handler began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- What it was.
  name STRING,
  -- Its slice.
  id JOINID(slice.id),
  -- The slice it lies in.
  parent_id JOINID(slice.id)
) AS
SELECT s.ts, s.dur, s.name, s.id, s.parent_id
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'cpu_irq';

-- What the kernel put off when the hardware interrupted it, and did later.
CREATE PERFETTO VIEW linux_soft_irqs(
  -- When its handler began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- What it was.
  name STRING,
  -- Its slice.
  id JOINID(slice.id)
) AS
SELECT s.ts, s.dur, s.name, s.id
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'cpu_softirq';

-- An interrupt of either kind.
CREATE PERFETTO VIEW linux_irqs(
  -- When its handler began.
  ts TIMESTAMP,
  -- How long it took.
  dur DURATION,
  -- What it was.
  name STRING,
  -- Its slice.
  id JOINID(slice.id),
  -- The slice it lies in; NULL for what was put off.
  parent_id JOINID(slice.id),
  -- Whether it was put off.
  is_soft_irq BOOL
) AS
SELECT ts, dur, name, id, parent_id, 0 AS is_soft_irq FROM linux_hard_irqs
UNION ALL
SELECT ts, dur, name, id, NULL, 1 FROM linux_soft_irqs;
