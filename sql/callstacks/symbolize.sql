-- Symbolization of addresses.

-- Returns the functions at addresses: `function_name`, `file_name`, `line_number`, `mapping_id` and
-- `address`. There is no symbolizer, so there are no rows.
CREATE PERFETTO MACRO _callstack_frame_symbolize(
  -- Frames with `file_name` (path of the ELF file), `rel_pc` (address in it), `mapping_id` and
  -- `address`.
  frames TableOrSubquery
)
RETURNS TableOrSubquery AS
(
  SELECT function_name, file_name, line_number, mapping_id, address
  FROM __intrinsic_table_ptr(
    __intrinsic_symbolize((
      SELECT __intrinsic_symbolize_agg(
        __frame.file_name, __frame.rel_pc, __frame.mapping_id, __frame.address
      )
      FROM $frames AS __frame
    ))
  )
);
