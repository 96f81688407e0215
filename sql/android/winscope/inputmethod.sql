-- State of input methods (on-screen keyboards), recorded for Winscope.

-- A dump of the state of the clients of an input method.
CREATE PERFETTO VIEW android_inputmethod_clients(
  -- Unique id of the dump.
  id LONG,
  -- Time of the dump, ns in trace time.
  ts TIMESTAMP,
  -- Fields of the recorded message; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT id, ts, arg_set_id FROM __intrinsic_inputmethod_clients;

-- A dump of the state of the service that manages input methods.
CREATE PERFETTO VIEW android_inputmethod_manager_service(
  -- Unique id of the dump.
  id LONG,
  -- Time of the dump, ns in trace time.
  ts TIMESTAMP,
  -- Fields of the recorded message; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT id, ts, arg_set_id FROM __intrinsic_inputmethod_manager_service;

-- A dump of the state of an input method.
CREATE PERFETTO VIEW android_inputmethod_service(
  -- Unique id of the dump.
  id LONG,
  -- Time of the dump, ns in trace time.
  ts TIMESTAMP,
  -- Fields of the recorded message; join with `args` on `arg_set_id`.
  arg_set_id ARGSETID
) AS
SELECT id, ts, arg_set_id FROM __intrinsic_inputmethod_service;
