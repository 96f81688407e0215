-- Samples of ARM's Statistical Profiling Extension (SPE).

-- A sampled operation of a CPU. Latencies are in clock cycles.
CREATE PERFETTO VIEW linux_perf_spe_record(
  -- Time of the sample, ns in trace time.
  ts TIMESTAMP,
  -- Thread; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Exception level of the instruction, such as `EL0` for user mode.
  exception_level STRING,
  -- Frame of the instruction; join with `stack_profile_frame` on `id`.
  instruction_frame_id LONG,
  -- Kind of operation.
  operation STRING,
  -- Virtual address of the accessed memory; 0 if the operation accessed none.
  data_virtual_address LONG,
  -- Physical address of the accessed memory; 0 if the operation accessed none.
  data_physical_address LONG,
  -- Time from dispatch to completion.
  total_latency LONG,
  -- Time from dispatch to the start of execution.
  issue_latency LONG,
  -- Time of the translation from the virtual to the physical address.
  translation_latency LONG,
  -- Source of loaded data, such as a cache.
  data_source STRING,
  -- Whether the operation caused an exception.
  exception_gen BOOL,
  -- Whether the operation was retired.
  retired BOOL,
  -- Whether it accessed the level 1 data cache.
  l1d_access BOOL,
  -- Whether it refilled a line of the level 1 data cache.
  l1d_refill BOOL,
  -- Whether it accessed the TLB.
  tlb_access BOOL,
  -- Whether it refilled the TLB by a walk of a translation table.
  tlb_refill BOOL,
  -- Whether the condition of the instruction was false.
  not_taken BOOL,
  -- Whether it is a mispredicted branch.
  mispred BOOL,
  -- Whether it accessed the last level cache.
  llc_access BOOL,
  -- Whether it missed the last level cache.
  llc_refill BOOL,
  -- Whether it accessed another socket.
  remote_access BOOL,
  -- Whether its address was misaligned and delayed it.
  alignment BOOL,
  -- Whether it ran in a memory transaction.
  tme_transaction BOOL,
  -- Whether some elements of the predicate of its vector were false.
  sve_partial_pred BOOL,
  -- Whether all elements of the predicate of its vector were false.
  sve_empty_pred BOOL,
  -- Whether it accessed the level 2 data cache or a higher one.
  l2d_access BOOL,
  -- Whether it accessed and missed the level 2 data cache.
  l2d_hit BOOL,
  -- Whether it accessed modified data in a cache.
  cache_data_modified BOOL,
  -- Whether it hit a line of a cache that was fetched recently.
  recenty_fetched BOOL,
  -- Whether its data came from a cache of another core.
  data_snooped BOOL
) AS
SELECT
  ts, utid, exception_level, instruction_frame_id, operation, data_virtual_address,
  data_physical_address, total_latency, issue_latency, translation_latency, data_source,
  events_bitmask & 1 AS exception_gen,
  events_bitmask >> 1 & 1 AS retired,
  events_bitmask >> 2 & 1 AS l1d_access,
  events_bitmask >> 3 & 1 AS l1d_refill,
  events_bitmask >> 4 & 1 AS tlb_access,
  events_bitmask >> 5 & 1 AS tlb_refill,
  events_bitmask >> 6 & 1 AS not_taken,
  events_bitmask >> 7 & 1 AS mispred,
  events_bitmask >> 8 & 1 AS llc_access,
  events_bitmask >> 9 & 1 AS llc_refill,
  events_bitmask >> 10 & 1 AS remote_access,
  events_bitmask >> 11 & 1 AS alignment,
  events_bitmask >> 16 & 1 AS tme_transaction,
  events_bitmask >> 17 & 1 AS sve_partial_pred,
  events_bitmask >> 18 & 1 AS sve_empty_pred,
  events_bitmask >> 19 & 1 AS l2d_access,
  events_bitmask >> 20 & 1 AS l2d_hit,
  events_bitmask >> 21 & 1 AS cache_data_modified,
  events_bitmask >> 22 & 1 AS recenty_fetched,
  events_bitmask >> 23 & 1 AS data_snooped
FROM __intrinsic_spe_record;
