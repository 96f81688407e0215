-- A mapping of a process's memory, or several of one name taken together.
CREATE PERFETTO VIEW process_memory_mappings(
  -- The row's id.
  id ID,
  -- The process.
  upid LONG,
  -- When.
  ts TIMESTAMP,
  -- What is mapped: a file, or what the memory is for.
  path STRING,
  -- How many mappings the row stands for.
  aggregate_count LONG,
  -- Whether the file was deleted.
  is_deleted LONG,
  -- Its size in KiB.
  size_kb LONG,
  -- Memory in RAM, in KiB.
  rss_kb LONG,
  -- Memory that no file backs, in KiB.
  anonymous_kb LONG,
  -- Memory that was moved out of RAM, in KiB.
  swap_kb LONG,
  -- Memory of several processes that was not written to, in KiB.
  shared_clean_kb LONG,
  -- Memory of several processes that was written to, in KiB.
  shared_dirty_kb LONG,
  -- Memory of this process alone that was not written to, in KiB.
  private_clean_kb LONG,
  -- Memory of this process alone that was written to, in KiB.
  private_dirty_kb LONG,
  -- Memory that may not leave RAM, in KiB.
  locked_kb LONG,
  -- Memory in RAM, that of several processes divided among them, in KiB.
  pss_kb LONG,
  -- The part of that memory that was written to, in KiB.
  pss_dirty_kb LONG,
  -- Memory moved out of RAM, that of several processes divided among them, in KiB.
  swap_pss_kb LONG
) AS
SELECT
  id, upid, ts, path_trimmed AS path, aggregate_count, is_deleted, size_kb, rss_kb, anonymous_kb,
  swap_kb, shared_clean_resident_kb AS shared_clean_kb,
  shared_dirty_resident_kb AS shared_dirty_kb, private_clean_resident_kb AS private_clean_kb,
  private_dirty_kb, locked_kb, proportional_resident_kb AS pss_kb, pss_dirty_kb, swap_pss_kb
FROM profiler_smaps;
