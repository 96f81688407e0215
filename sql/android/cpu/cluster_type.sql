-- Clusters of CPUs by computing power: little, medium and big.

INCLUDE PERFETTO MODULE intervals.overlap;

-- A CPU with the type of its cluster.
CREATE PERFETTO TABLE android_cpu_cluster_mapping(
  -- CPU, unique across machines; join with `cpu` on `ucpu`.
  ucpu LONG,
  -- CPU number on its machine.
  cpu LONG,
  -- Type of the cluster: `little` for the slowest cluster, `big` for the fastest, `medium` for
  -- those between; NULL unless the CPUs have two to four clusters.
  cluster_type STRING
) AS
SELECT
  cpu.ucpu,
  cpu.cpu,
  CASE
    WHEN known.clusters NOT BETWEEN 2 AND 4 THEN NULL
    WHEN cpu.cluster_id = 0 THEN 'little'
    WHEN cpu.cluster_id = known.clusters - 1 THEN 'big'
    WHEN cpu.cluster_id < known.clusters THEN 'medium'
  END AS cluster_type
FROM cpu
CROSS JOIN (SELECT count(DISTINCT cluster_id) AS clusters FROM cpu) AS known
ORDER BY cpu.ucpu;

-- Returns the number of CPUs of a cluster type that run a thread other than the idle thread, one
-- row for each time at which the number may change.
CREATE PERFETTO FUNCTION _active_cpu_count_for_cluster_type(
  -- Type of the cluster, as in `android_cpu_cluster_mapping.cluster_type`.
  cluster_type STRING
)
RETURNS TABLE(
  -- Time of the change, ns in trace time.
  ts TIMESTAMP,
  -- Number of active CPUs from this time until that of the next row.
  active_cpu_count LONG
) AS
SELECT ts, value AS active_cpu_count
FROM intervals_overlap_count!(
  (
    SELECT sched.ts, sched.dur
    FROM sched
    JOIN android_cpu_cluster_mapping AS core ON core.ucpu = sched.ucpu
    JOIN thread ON thread.utid = sched.utid
    WHERE core.cluster_type = $cluster_type AND thread.is_idle = 0
  ),
  ts,
  dur
)
ORDER BY ts;
