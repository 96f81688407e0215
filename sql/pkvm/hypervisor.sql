-- Time that CPUs spend in the protected KVM hypervisor of Android.

-- A period in which a CPU ran the hypervisor.
CREATE PERFETTO VIEW pkvm_hypervisor_events(
  -- Slice of the period; join with `slice` on `id`.
  slice_id JOINID(slice.id),
  -- CPU number.
  cpu JOINID(cpu.cpu),
  -- Start, ns in trace time.
  ts TIMESTAMP,
  -- Duration, ns.
  dur DURATION,
  -- Reason for entering the hypervisor, such as `host_hcall`; NULL if unknown.
  reason STRING
) AS
SELECT
  s.id AS slice_id, t.cpu, s.ts, s.dur, extract_arg(s.arg_set_id, 'hyp_enter_reason') AS reason
FROM cpu_track AS t
JOIN slice AS s ON s.track_id = t.id
WHERE s.category = 'pkvm_hyp';
