-- Code compiled at run time (JIT).

-- A block of JIT code.
CREATE PERFETTO VIEW _jit_code(
  -- Unique id of the code block.
  jit_code_id LONG,
  -- Time when the code was created, ns in trace time.
  create_ts TIMESTAMP,
  -- Estimated time when other code replaced it, ns in trace time; NULL if unknown.
  estimated_delete_ts TIMESTAMP,
  -- Thread that compiled the code; join with `thread` on `utid`.
  utid JOINID(thread.id),
  -- Start address in memory.
  start_address LONG,
  -- Size in bytes.
  size LONG,
  -- Name of the function.
  function_name STRING,
  -- Machine code.
  native_code BYTES
) AS
SELECT
  id AS jit_code_id, create_ts, estimated_delete_ts, utid, start_address, size, function_name,
  base64_decode(native_code_base64) AS native_code
FROM __intrinsic_jit_code;

-- A call stack frame in JIT code.
CREATE PERFETTO VIEW _jit_frame(
  -- Code block; join with `_jit_code` on `jit_code_id`.
  jit_code_id LONG,
  -- Frame; join with `stack_profile_frame` on `id`.
  frame_id LONG
) AS
SELECT jit_code_id, frame_id FROM __intrinsic_jit_frame;
