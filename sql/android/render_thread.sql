-- Render threads of apps.

-- A render thread of a process.
CREATE PERFETTO TABLE _render_thread_per_process(
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Thread; join with `thread` on `utid`.
  render_thread_utid JOINID(thread.id)
) AS
SELECT upid, utid AS render_thread_utid
FROM thread
WHERE name = 'RenderThread'
ORDER BY utid;
