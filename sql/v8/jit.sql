-- Code that the JavaScript engine V8 compiled at run time (JIT).

-- An isolate, which is an instance of V8.
CREATE PERFETTO VIEW v8_isolate(
  -- Unique id of the isolate.
  v8_isolate_id LONG,
  -- Process; join with `process` on `upid`.
  upid JOINID(process.id),
  -- Id of the isolate within V8, unique in the process.
  internal_isolate_id LONG,
  -- Address of the code that is built into V8.
  embedded_blob_code_start_address LONG,
  -- Size of that code in bytes.
  embedded_blob_code_size LONG,
  -- Start of the address range for compiled code; NULL without one.
  code_range_base_address LONG,
  -- Size of that range in bytes.
  code_range_size LONG,
  -- Whether isolates of the process share the range.
  shared_code_range LONG,
  -- Address of a copy of the built-in code in the range; NULL without one.
  embedded_blob_code_copy_start_address LONG
) AS
SELECT
  id AS v8_isolate_id, upid, internal_isolate_id, embedded_blob_code_start_address,
  embedded_blob_code_size, code_range_base_address, code_range_size, shared_code_range,
  embedded_blob_code_copy_start_address
FROM __intrinsic_v8_isolate;

-- A script from which code was compiled.
CREATE PERFETTO VIEW v8_js_script(
  -- Unique id of the script.
  v8_js_script_id LONG,
  -- Isolate; join with `v8_isolate` on `v8_isolate_id`.
  v8_isolate_id LONG,
  -- Id of the script within V8.
  internal_script_id LONG,
  -- Kind of script.
  script_type STRING,
  -- Name of the script.
  name STRING,
  -- Source code; NULL if it was not recorded.
  source STRING
) AS
SELECT
  id AS v8_js_script_id, v8_isolate_id, internal_script_id, script_type, name, source
FROM __intrinsic_v8_js_script;

-- A WebAssembly module.
CREATE PERFETTO VIEW v8_wasm_script(
  -- Unique id of the module.
  v8_wasm_script_id LONG,
  -- Isolate; join with `v8_isolate` on `v8_isolate_id`.
  v8_isolate_id LONG,
  -- Id of the module within V8.
  internal_script_id LONG,
  -- URL of the source.
  url STRING,
  -- Binary module; NULL if it was not recorded.
  wire_bytes BYTES,
  -- Source code; NULL if it was not recorded.
  source STRING
) AS
SELECT
  id AS v8_wasm_script_id, v8_isolate_id, internal_script_id, url,
  base64_decode(wire_bytes_base64) AS wire_bytes,
  source
FROM __intrinsic_v8_wasm_script;

-- A JavaScript function.
CREATE PERFETTO VIEW v8_js_function(
  -- Unique id of the function.
  v8_js_function_id LONG,
  -- Name of the function.
  name STRING,
  -- Script that contains the function; join with `v8_js_script` on `v8_js_script_id`.
  v8_js_script_id LONG,
  -- Whether it is the top level of the script.
  is_toplevel BOOL,
  -- Kind of function, such as a constructor.
  kind STRING,
  -- Line in the script, from 1.
  line LONG,
  -- Column in the line, from 1.
  col LONG
) AS
SELECT id AS v8_js_function_id, name, v8_js_script_id, is_toplevel, kind, line, col
FROM __intrinsic_v8_js_function;

-- Code of a JavaScript function. A function has several, one for each compilation and each address.
CREATE PERFETTO VIEW _v8_js_code(
  -- Unique id of the code.
  id LONG,
  -- Machine code; NULL for bytecode (tier `IGNITION`). Join with `_jit_code` on `jit_code_id`.
  jit_code_id LONG,
  -- Function; join with `v8_js_function` on `v8_js_function_id`.
  v8_js_function_id LONG,
  -- Compiler of the code, such as `IGNITION`.
  tier STRING,
  -- Bytecode; NULL for other tiers than `IGNITION`.
  bytecode BYTES
) AS
SELECT
  id, jit_code_id, v8_js_function_id, tier, base64_decode(bytecode_base64) AS bytecode
FROM __intrinsic_v8_js_code;

-- Code of a function of V8 itself.
CREATE PERFETTO VIEW _v8_internal_code(
  -- Unique id of the code.
  id LONG,
  -- Machine code; join with `_jit_code` on `jit_code_id`.
  jit_code_id LONG,
  -- Isolate; join with `v8_isolate` on `v8_isolate_id`.
  v8_isolate_id LONG,
  -- Name of the function.
  function_name STRING,
  -- Kind of code.
  code_type STRING
) AS
SELECT id, jit_code_id, v8_isolate_id, function_name, code_type
FROM __intrinsic_v8_internal_code;

-- Code of a WebAssembly function.
CREATE PERFETTO VIEW _v8_wasm_code(
  -- Unique id of the code.
  id LONG,
  -- Machine code; join with `_jit_code` on `jit_code_id`.
  jit_code_id LONG,
  -- Isolate; join with `v8_isolate` on `v8_isolate_id`.
  v8_isolate_id LONG,
  -- Module that contains the function; join with `v8_wasm_script` on `v8_wasm_script_id`.
  v8_wasm_script_id LONG,
  -- Name of the function.
  function_name STRING,
  -- Compiler of the code.
  tier STRING,
  -- Start of the function in the module, in bytes.
  code_offset_in_module LONG
) AS
SELECT
  id, jit_code_id, v8_isolate_id, v8_wasm_script_id, function_name, tier, code_offset_in_module
FROM __intrinsic_v8_wasm_code;

-- Code of a regular expression.
CREATE PERFETTO VIEW _v8_regexp_code(
  -- Unique id of the code.
  id LONG,
  -- Machine code; join with `_jit_code` on `jit_code_id`.
  jit_code_id LONG,
  -- Isolate; join with `v8_isolate` on `v8_isolate_id`.
  v8_isolate_id LONG,
  -- Regular expression.
  pattern STRING
) AS
SELECT id, jit_code_id, v8_isolate_id, pattern
FROM __intrinsic_v8_regexp_code;
