//! Code that the JavaScript engine V8 compiles.

use tpq_testkit::{Message, Packet};

use super::{
    LOST, PERF_SAMPLE, SYMBOLS, begin, callstack, frame, interned, later, mapping, perf_sample,
    string, trace,
};
use crate::imported::Imported;

const JS_CODE: u32 = 99;
const INTERNAL_CODE: u32 = 100;
const WASM_CODE: u32 = 101;
const REGEXP_CODE: u32 = 102;
const CODE_MOVE: u32 = 103;

const FUNCTION_NAMES: u32 = 31;
const FUNCTIONS: u32 = 32;
const SCRIPTS: u32 = 33;
const WASM_SCRIPTS: u32 = 34;
const ISOLATES: u32 = 35;

const JIT_CODE: &str = "SELECT c.id, create_ts AS created, estimated_delete_ts AS deleted, tid, \
    start_address AS start, size, function_name AS function, native_code_base64 AS code \
    FROM __intrinsic_jit_code c JOIN thread USING (utid) ORDER BY c.id";

/// An isolate of process 100 with code at 0x10000…0x20000 and built-in code at 0x800…0x900; a
/// script with two functions, one of them the script itself; a WebAssembly module; and what stacks
/// need: frames at 0x10010, 0x10110, 0x850 and 0x1ff00.
fn data() -> Message {
    let code_range = Message::new().uint(1, 0x10000).uint(2, 0x10000).uint(4, 1);
    let isolate = Message::new().uint(1, 1).uint(2, 100).int(3, 5).message(4, code_range);
    let isolate = isolate.uint(5, 0x800).uint(6, 0x100);
    let latin1 = |text: &[u8]| Message::new().bytes(1, text);
    let utf16 = Message::new().bytes(2, [b'l', 0, b'e', 0, b't', 0]);
    let script = Message::new().uint(1, 1).int(2, 77).uint(3, 3);
    let script = script.message(4, latin1(b"\xfc.js")).message(5, utf16);
    let function = |iid: u64, name: u64| Message::new().uint(1, iid).uint(2, name).uint(3, 1);
    let name = |iid: u64, text: &str| Message::new().uint(1, iid).bytes(2, text);
    let wasm = Message::new().uint(1, 1).int(2, 9).bytes(3, "http://x/a.wasm").bytes(4, [0, 97]);
    let mut data = Message::new()
        .message(ISOLATES, isolate)
        .message(SCRIPTS, script)
        .message(FUNCTION_NAMES, name(1, "add"))
        .message(FUNCTION_NAMES, name(2, ""))
        .message(FUNCTIONS, function(1, 1).uint(5, 12).uint(7, 3).uint(8, 14))
        .message(FUNCTIONS, function(2, 2).uint(4, 1).uint(5, 99).uint(6, 40))
        .message(WASM_SCRIPTS, wasm)
        .message(interned::MAPPING_PATHS, string(1, "anon"))
        .message(interned::MAPPINGS, mapping(1, (0x400, 0x30000), [1]));
    for (iid, address) in [(1, 0x10010), (2, 0x10110), (3, 0x850), (4, 0x1ff00), (5, 0x400)] {
        data = data
            .message(interned::FRAMES, frame(iid, 0, 1, address - 0x400))
            .message(interned::CALLSTACKS, callstack(iid, [iid]));
    }
    data
}

fn defaults() -> Message {
    Message::new().message(99, Message::new().uint(1, 102))
}

/// JavaScript code: when, of which function, of which tier, and where.
fn js_code(at: u64, function: u64, tier: u64, (start, size): (u64, u64)) -> Packet {
    let code = Message::new().uint(1, 1).uint(3, function).uint(4, tier);
    later(at, 1).payload(JS_CODE, code.uint(5, start).uint(6, size).bytes(7, "M"))
}

fn sample(at: u64, stack: u64) -> Packet {
    later(at, 1).payload(PERF_SAMPLE, perf_sample(0, (100, 100), stack))
}

fn imported() -> Imported {
    let bytecode = Message::new().uint(1, 1).uint(2, 101).uint(3, 2).uint(4, 1).bytes(8, "BC");
    let builtin = Message::new().uint(1, 1).uint(2, 101).bytes(3, "Array.map").uint(4, 3);
    let wasm = Message::new().uint(1, 1).uint(3, 1).bytes(4, "f").uint(5, 1).int(6, 16);
    let regexp = Message::new().uint(1, 1).message(3, Message::new().bytes(1, "a+b"));
    let moved = Message::new().uint(1, 1).uint(3, 0x10100).uint(4, 0x10200).uint(5, 0x40);
    trace([
        begin(1, data(), defaults()),
        later(10, 1).payload(JS_CODE, bytecode),
        js_code(20, 1, 2, (0x10000, 0x80)),
        sample(25, 1),
        // Optimised code, in place of the former.
        js_code(30, 1, 5, (0x10000, 0x100)),
        sample(35, 1),
        later(40, 1).payload(INTERNAL_CODE, builtin.uint(6, 0x800).uint(7, 0x100)),
        later(50, 1).payload(WASM_CODE, wasm.uint(7, 0x10100).uint(8, 0x40)),
        sample(55, 2),
        later(60, 1).payload(CODE_MOVE, moved),
        later(70, 1).payload(REGEXP_CODE, regexp.uint(4, 0x10100).uint(5, 0x20)),
        sample(75, 2),
        sample(80, 3),
        sample(90, 4),
        sample(95, 5),
        sample(96, 4),
    ])
}

#[test]
fn code_with_its_script_and_function() {
    let imported = imported();
    let module = |sql: &str| imported.rows(&format!("INCLUDE PERFETTO MODULE v8.jit; {sql}"));
    assert_eq!(
        module(
            "SELECT v8_isolate_id AS id, pid, internal_isolate_id AS internal, \
            embedded_blob_code_start_address AS blob, embedded_blob_code_size AS blob_size, \
            code_range_base_address AS base, code_range_size AS size, shared_code_range AS shared, \
            embedded_blob_code_copy_start_address AS copy FROM v8_isolate JOIN process USING (upid)"
        ),
        "\
id  pid  internal  blob  blob_size  base   size   shared  copy
0   100  5         2048  256        65536  65536  1       NULL
"
    );
    assert_eq!(
        module("SELECT * FROM v8_js_script"),
        "\
v8_js_script_id  v8_isolate_id  internal_script_id  script_type  name  source
0                0              77                  MODULE       ü.js  let
"
    );
    // An offset counts in the first line.
    assert_eq!(
        module("SELECT * FROM v8_js_function ORDER BY 1"),
        "\
v8_js_function_id  name  v8_js_script_id  is_toplevel  kind            line  col
0                        0                1            UNKNOWN         1     40
1                  add   0                0            ARROW_FUNCTION  3     14
"
    );
    assert_eq!(
        module(
            "SELECT id, jit_code_id AS jit, v8_js_function_id AS function, tier, \
            CAST(bytecode AS TEXT) AS bytecode FROM _v8_js_code ORDER BY id"
        ),
        "\
id  jit   function  tier       bytecode
0   NULL  0         IGNITION   BC
1   0     1         SPARKPLUG  NULL
2   1     1         TURBOFAN   NULL
"
    );
    assert_eq!(
        module("SELECT * FROM _v8_internal_code"),
        "\
id  jit_code_id  v8_isolate_id  function_name  code_type
0   2            0              Array.map      BUILTIN
"
    );
    assert_eq!(
        module(
            "SELECT jit_code_id AS jit, v8_wasm_script_id AS script, function_name AS name, tier, \
            code_offset_in_module AS offs, url FROM _v8_wasm_code JOIN v8_wasm_script \
            USING (v8_wasm_script_id)"
        ),
        "\
jit  script  name  tier     offs  url
3    0       f     LIFTOFF  16    http://x/a.wasm
"
    );
    assert_eq!(
        module("SELECT jit_code_id AS jit, pattern FROM _v8_regexp_code"),
        "jit  pattern\n4    a+b\n"
    );
}

#[test]
fn later_code_replaces_what_lay_there() {
    // Code of no thread is of the default one.
    assert_eq!(
        imported().rows(JIT_CODE),
        "\
id  created  deleted  tid  start  size  function   code
0   20       30       102  65536  128   add        TQ==
1   30       NULL     102  65536  256   add        TQ==
2   40       NULL     101  2048   256   Array.map  NULL
3   50       NULL     102  65792  64    f          NULL
4   70       NULL     102  65792  32    [RegExp]   NULL
"
    );
    assert_eq!(
        imported().rows(SYMBOLS),
        "\
id  symbols  name  file  line  inlined
0   0        add   ü.js  3     NULL
1   1        add   ü.js  3     NULL
"
    );
}

#[test]
fn frames_are_of_the_code_at_the_time() {
    let imported = imported();
    // 0x1ff00 is in the memory for code, but no code is known there. 0x400 is not.
    let sql = "SELECT s.ts, f.id AS frame, f.name, f.symbol_set_id AS symbols, \
        jit_code_id AS code FROM perf_sample s JOIN stack_profile_callsite c ON c.id = callsite_id \
        JOIN stack_profile_frame f ON f.id = c.frame_id \
        LEFT JOIN __intrinsic_jit_frame j ON j.frame_id = f.id ORDER BY s.ts";
    assert_eq!(
        imported.rows(sql),
        "\
ts  frame  name        symbols  code
25  0      add         0        0
35  1      add         1        1
55  2      f           NULL     3
75  3      [RegExp]    NULL     4
80  4      Array.map   NULL     2
90  5      [+0x1fb00]  NULL     NULL
95  6                  NULL     NULL
96  5      [+0x1fb00]  NULL     NULL
"
    );
    assert_eq!(
        imported.rows(LOST),
        "\
name                             idx   value
jit_unknown_frame                NULL  1
v8_code_load_missing_code_range  NULL  1
"
    );
}

/// Code lies in the memory of its isolate: at 0x10000…0x20000, or at 0x800…0x900.
#[test]
fn code_outside_of_the_memory_for_code() {
    let builtin = |at: u64, isolate: u64, start: u64, size: u64| {
        let code = Message::new().uint(1, isolate).uint(2, 101).bytes(3, "x").uint(4, 3);
        later(at, 1).payload(INTERNAL_CODE, code.uint(6, start).uint(7, size))
    };
    let no_range = Message::new().uint(1, 2).uint(2, 100).int(3, 6);
    let moved = Message::new().uint(1, 1).uint(3, 0x9000).uint(4, 0x10000).uint(5, 0x40);
    let trace = trace([
        begin(1, data().message(ISOLATES, no_range), defaults()),
        builtin(10, 1, 0x9000, 16),
        builtin(20, 1, 0x1fff8, 16),
        builtin(30, 1, 0x1fff0, 16),
        builtin(40, 2, 0x10000, 16),
        builtin(50, 2, 0x10000, 16),
        later(60, 1).payload(CODE_MOVE, moved),
    ]);
    assert_eq!(trace.cells("SELECT start_address FROM __intrinsic_jit_code"), [["131056"]]);
    assert_eq!(trace.cell("SELECT count(*) FROM __intrinsic_v8_isolate"), "1");
    assert_eq!(
        trace.rows(LOST),
        "\
name                          idx   value
v8_isolate_has_no_code_range  NULL  1
v8_no_code_range              NULL  3
"
    );
}

/// Built-in code may be a part of the memory for code: there is code before and behind it.
#[test]
fn code_around_built_in_code() {
    let code_range = Message::new().uint(1, 0x10000).uint(2, 0x10000);
    let isolate = Message::new().uint(1, 1).uint(2, 100).int(3, 5).message(4, code_range);
    let isolate = isolate.uint(5, 0x14000).uint(6, 0x1000);
    let code = |start: u64| {
        let code = Message::new().uint(1, 1).uint(2, 101).bytes(3, "x").uint(4, 3);
        later(start, 1).payload(INTERNAL_CODE, code.uint(6, start).uint(7, 16))
    };
    let trace = trace([
        begin(1, Message::new().message(ISOLATES, isolate), defaults()),
        code(0x10000),
        code(0x14000),
        code(0x18000),
    ]);
    let sql = "SELECT start_address FROM __intrinsic_jit_code ORDER BY id";
    assert_eq!(trace.cells(sql), [["65536"], ["81920"], ["98304"]]);
}

#[test]
fn code_that_says_too_little() {
    let no_isolate = Message::new().uint(1, 9).uint(2, 101).bytes(3, "x").uint(6, 1).uint(7, 1);
    let no_place = Message::new().uint(1, 1).uint(2, 101).bytes(3, "x");
    let wrapped = Message::new().uint(1, 1).uint(2, 101).uint(6, u64::MAX).uint(7, 2);
    let no_thread = Message::new().uint(1, 1).bytes(3, "x").uint(6, 1).uint(7, 1);
    let trace = trace([
        begin(1, data(), Message::new()),
        later(10, 1).payload(INTERNAL_CODE, no_isolate),
        later(20, 1).payload(INTERNAL_CODE, no_place),
        later(30, 1).payload(INTERNAL_CODE, wrapped),
        later(40, 1).payload(INTERNAL_CODE, no_thread),
        begin(1, data(), defaults()),
        // Functions 1 and 2, in tiers that are not known; function 9 was never sent.
        js_code(50, 1, 0, (0x10000, 1)),
        js_code(60, 2, 6, (0x10000, 1)),
        js_code(70, 9, 5, (0x10000, 1)),
    ]);
    assert_eq!(trace.rows("SELECT count(*) AS n FROM __intrinsic_jit_code"), "n\n0\n");
    assert_eq!(
        trace.rows(LOST),
        "\
name                             idx   value
v8_code_load_missing_code_range  NULL  2
v8_intern_errors                 NULL  2
v8_no_defaults                   NULL  1
v8_unknown_code_type             NULL  2
"
    );
}
