-- Threads, with a flag for kernel threads.

INCLUDE PERFETTO MODULE linux.threads;

-- Kernel threads of machines that are known to run Linux.
CREATE PERFETTO TABLE _kernel_threads AS
SELECT utid
FROM linux_kernel_threads
WHERE machine_id IN (
  SELECT machine_id FROM metadata WHERE name = 'system_name' AND str_value = 'Linux'
);

-- Threads with a flag for kernel threads.
CREATE PERFETTO TABLE _threads_with_kernel_flag AS
SELECT
  t.id, t.utid, t.upid, t.tid, t.name, t.is_main_thread, t.is_idle, t.machine_id,
  CASE WHEN k.utid IS NULL THEN 0 ELSE 1 END AS is_kernel_thread
FROM thread AS t
LEFT JOIN _kernel_threads AS k ON k.utid = t.utid;
