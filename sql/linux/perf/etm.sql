-- Instruction traces of ARM's Embedded Trace Macrocell (ETM).

-- Returns the executed instructions of a chunk of trace data. Instruction traces are not decoded,
-- so there are no rows.
CREATE PERFETTO FUNCTION _linux_perf_etm_metadata(
  -- Chunk of trace data, as in `__intrinsic_etm_v4_chunk`.
  chunk_id LONG
)
RETURNS TABLE(
  -- Path of the file that contains the instruction.
  file_name STRING,
  -- Address relative to the start of the file.
  rel_pc LONG,
  -- Mapping of the file; join with `stack_profile_mapping` on `id`.
  mapping_id LONG,
  -- Address in memory.
  address LONG
) AS
SELECT
  file.name AS file_name, mapping.start AS rel_pc, mapping.id AS mapping_id,
  mapping.start AS address
FROM __intrinsic_etm_v4_chunk AS chunk
CROSS JOIN stack_profile_mapping AS mapping
JOIN __intrinsic_elf_file AS binary ON binary.build_id = mapping.build_id
JOIN __intrinsic_file AS file ON file.id = binary.file_id
WHERE chunk.id = $chunk_id AND FALSE;
