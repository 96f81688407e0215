-- The native memory that was allocated, by the calls that led to it.

INCLUDE PERFETTO MODULE graphs.scan;

-- What was allocated at each place, over all processes: what is still in use, and all.
CREATE PERFETTO TABLE _allocated_at_callsite AS
SELECT
  callsite.id,
  callsite.parent_id,
  callsite.frame_id,
  coalesce(sum(allocation.size), 0) AS self_size,
  coalesce(sum(CASE WHEN allocation.size > 0 THEN allocation.size ELSE 0 END), 0)
    AS self_alloc_size
FROM stack_profile_callsite AS callsite
LEFT JOIN heap_profile_allocation AS allocation ON allocation.callsite_id = callsite.id
GROUP BY callsite.id, callsite.parent_id, callsite.frame_id;

-- The same with all that was called from there.
CREATE PERFETTO TABLE _allocated_from_callsite AS
SELECT id, size, alloc_size
FROM _graph_aggregating_scan!(
  (
    SELECT id AS source_node_id, parent_id AS dest_node_id
    FROM _allocated_at_callsite
    WHERE parent_id IS NOT NULL
  ),
  (
    SELECT leaf.id, leaf.self_size AS size, leaf.self_alloc_size AS alloc_size
    FROM _allocated_at_callsite AS leaf
    LEFT JOIN _allocated_at_callsite AS below ON below.parent_id = leaf.id
    WHERE below.id IS NULL
  ),
  (size, alloc_size),
  (
    SELECT
      t.id,
      sum(t.size) + here.self_size AS size,
      sum(t.alloc_size) + here.self_alloc_size AS alloc_size
    FROM $table AS t
    JOIN _allocated_at_callsite AS here ON here.id = t.id
    GROUP BY t.id, here.self_size, here.self_alloc_size
  )
);

-- A function, called the way that its parents tell, and what was allocated by it and from it.
CREATE PERFETTO TABLE android_heap_profile_summary_tree(
  -- The place in the tree of calls.
  id LONG,
  -- Where it was called from.
  parent_id LONG,
  -- The function.
  name STRING,
  -- The binary or archive it lies in.
  mapping_name STRING,
  -- The file of its source.
  source_file STRING,
  -- The line in that.
  line_number LONG,
  -- The memory it allocated itself that is still in use, in bytes.
  self_size LONG,
  -- The same with what it called.
  cumulative_size LONG,
  -- All memory it allocated itself, in bytes.
  self_alloc_size LONG,
  -- The same with what it called.
  cumulative_alloc_size LONG
) AS
WITH symbols AS (
  SELECT symbol_set_id, name, source_file, line_number
  FROM (
    SELECT *, row_number() OVER (PARTITION BY symbol_set_id ORDER BY id) AS nth
    FROM stack_profile_symbol
  )
  WHERE nth = 1
)
SELECT
  here.id,
  here.parent_id,
  coalesce(symbols.name, frame.deobfuscated_name, frame.name) AS name,
  mapping.name AS mapping_name,
  symbols.source_file,
  symbols.line_number,
  here.self_size,
  everything.size AS cumulative_size,
  here.self_alloc_size,
  everything.alloc_size AS cumulative_alloc_size
FROM _allocated_at_callsite AS here
JOIN _allocated_from_callsite AS everything ON everything.id = here.id
JOIN stack_profile_frame AS frame ON frame.id = here.frame_id
LEFT JOIN stack_profile_mapping AS mapping ON mapping.id = frame.mapping
LEFT JOIN symbols ON symbols.symbol_set_id = frame.symbol_set_id
WHERE everything.alloc_size <> 0
ORDER BY here.id;
