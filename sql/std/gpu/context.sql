-- Contexts in which programs use the GPU.

-- A graphics or compute context of a process.
CREATE PERFETTO VIEW gpu_context(
  -- Unique id of the context.
  id ID,
  -- Handle of the context in its API, such as a `VkDevice`.
  context_id LONG,
  -- Kernel id of the process that owns the context.
  pid LONG,
  -- API of the context, such as `VULKAN`; `UNDEFINED` if not stated.
  api STRING
) AS
SELECT id, context_id, pid, api
FROM __intrinsic_gpu_context;
