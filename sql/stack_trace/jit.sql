-- Code that was compiled while the program ran.

-- A piece of such code.
CREATE PERFETTO VIEW _jit_code(
  -- The piece.
  jit_code_id LONG,
  -- When it was made.
  create_ts TIMESTAMP,
  -- When other code took its place, as far as that can be told.
  estimated_delete_ts TIMESTAMP,
  -- The thread that made it.
  utid JOINID(thread.id),
  -- Where it begins in memory.
  start_address LONG,
  -- How long it is, in bytes.
  size LONG,
  -- The function it is of.
  function_name STRING,
  -- The code itself.
  native_code BYTES
) AS
SELECT
  id AS jit_code_id, create_ts, estimated_delete_ts, utid, start_address, size, function_name,
  base64_decode(native_code_base64) AS native_code
FROM __intrinsic_jit_code;

-- A frame of a call stack that lies in such code.
CREATE PERFETTO VIEW _jit_frame(
  -- The piece of code.
  jit_code_id LONG,
  -- The frame.
  frame_id LONG
) AS
SELECT jit_code_id, frame_id FROM __intrinsic_jit_frame;
