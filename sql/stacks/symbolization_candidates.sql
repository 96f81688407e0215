-- Code addresses that need symbols.

INCLUDE PERFETTO MODULE stacks.cpu_profiling;

-- Converts a build id to the id under which symbols of Chrome are stored (Breakpad): a GUID with
-- the first three fields in reverse byte order, followed by 0.
CREATE PERFETTO FUNCTION _to_breakpad_module(
  -- Path of the binary.
  mapping STRING,
  -- Build id in hexadecimal.
  build_id STRING
)
-- Breakpad id; NULL for a binary that is no part of Chrome or has a short build id.
RETURNS STRING AS
SELECT
  CASE
    WHEN
      length($build_id) >= 40
      AND (
        $mapping GLOB '*libchrome.so'
        OR $mapping GLOB '*libchromium_android_linker.so'
        OR $mapping GLOB '*libmonochrome.so'
        OR $mapping GLOB '*libmonochrome_64.so'
        OR $mapping GLOB '*libwebviewchromium.so'
      )
    THEN regexp_replace(
      $build_id,
      '^(..)(..)(..)(..)(..)(..)(..)(..)(.{16}).*$',
      '$4$3$2$1$6$5$8$7${9}0'
    )
  END;

-- Callsites of the samples and allocations of each process, and their callers.
CREATE PERFETTO TABLE _stacks_callsites_of_process AS
WITH RECURSIVE
  used(upid, id) AS (
    SELECT thread.upid, sample.callsite_id
    FROM cpu_profiling_samples AS sample
    JOIN thread ON thread.utid = sample.utid
    UNION
    SELECT upid, callsite_id FROM heap_profile_allocation
  ),
  reached(upid, id, frame_id, parent_id) AS (
    SELECT used.upid, callsite.id, callsite.frame_id, callsite.parent_id
    FROM used
    JOIN stack_profile_callsite AS callsite ON callsite.id = used.id
    UNION
    SELECT reached.upid, caller.id, caller.frame_id, caller.parent_id
    FROM reached
    JOIN stack_profile_callsite AS caller ON caller.id = reached.parent_id
  )
SELECT upid, id, frame_id FROM reached;

-- A code address in the call stacks of a process for which there is no symbol.
CREATE PERFETTO TABLE _stacks_symbolization_candidates(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Path of the binary.
  module STRING,
  -- Build id of the binary, written by the linker.
  build_id STRING,
  -- Address relative to the start of the binary.
  rel_pc LONG,
  -- Id of the symbols of the binary in Breakpad; NULL for a binary that is no part of Chrome.
  breakpad_module_id STRING
) AS
SELECT
  address.upid,
  mapping.name AS module,
  mapping.build_id,
  address.rel_pc,
  _to_breakpad_module(mapping.name, mapping.build_id) AS breakpad_module_id
FROM (
  SELECT DISTINCT callsite.upid, frame.mapping, frame.rel_pc
  FROM _stacks_callsites_of_process AS callsite
  JOIN stack_profile_frame AS frame ON frame.id = callsite.frame_id
  WHERE frame.symbol_set_id IS NULL
) AS address
JOIN stack_profile_mapping AS mapping ON mapping.id = address.mapping
WHERE mapping.build_id != ''
ORDER BY address.upid, mapping.id, address.rel_pc;
