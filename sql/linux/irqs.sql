-- Interrupts that the kernel handled, and their names.

-- A hardware interrupt.
CREATE PERFETTO VIEW linux_hard_irqs(
  -- Start of the handler, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the interrupt.
  name STRING,
  -- Slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Parent slice; NULL for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(slice.id)
) AS
SELECT s.ts, s.dur, s.name, s.id, s.parent_id
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'cpu_irq';

-- A soft interrupt: work that the kernel deferred from a hardware interrupt.
CREATE PERFETTO VIEW linux_soft_irqs(
  -- Start of the handler, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the soft interrupt.
  name STRING,
  -- Slice; join with `slice` on `id`.
  id JOINID(slice.id)
) AS
SELECT s.ts, s.dur, s.name, s.id
FROM slice AS s
JOIN track AS t ON t.id = s.track_id
WHERE t.type = 'cpu_softirq';

-- A hardware or soft interrupt.
CREATE PERFETTO VIEW linux_irqs(
  -- Start of the handler, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Name of the interrupt.
  name STRING,
  -- Slice; join with `slice` on `id`.
  id JOINID(slice.id),
  -- Parent slice; NULL for a soft interrupt and for a top-level slice. Join with `slice` on `id`.
  parent_id JOINID(slice.id),
  -- Whether this is a soft interrupt.
  is_soft_irq BOOL
) AS
SELECT ts, dur, name, id, parent_id, 0 AS is_soft_irq FROM linux_hard_irqs
UNION ALL
SELECT ts, dur, name, id, NULL, 1 FROM linux_soft_irqs;

-- Name of an interrupt number, as the recorder read it.
CREATE PERFETTO VIEW linux_interrupt_mapping(
  -- Unique id of the row.
  id ID,
  -- Number of the interrupt on its machine.
  irq_id LONG,
  -- Name of the interrupt.
  name STRING,
  -- Machine of the interrupt; join with `machine` on `id`.
  machine_id JOINID(machine.id)
) AS
SELECT id, irq_id, name, machine_id FROM _linux_interrupt_mapping;
