//! Code that was compiled at run time, and what JavaScript engines state of theirs.

use crate::StringId;

declare_table! {
    /// A block of code that was compiled at run time (JIT).
    table "__intrinsic_jit_code" => JitCodeTable, JitCodeRow {
        /// Time when the code was created, ns in trace time.
        create_ts: i64 => Timestamp,
        /// Time when other code replaced it, ns in trace time; NULL if that was not seen.
        estimated_delete_ts: Option<i64> => Timestamp,
        /// Thread that compiled the code; join with `thread` on `utid`.
        utid: u32 => JoinId("thread"),
        /// Start address in memory.
        start_address: i64 => Long,
        /// Size, bytes.
        size: i64 => Long,
        /// Name of the function.
        function_name: StringId => String,
        /// Machine code, in base64; NULL if it was not recorded.
        native_code_base64: StringId => String,
        /// The row's id.
        jit_code_id: u32 => JoinId("__intrinsic_jit_code"),
    }
}

declare_table! {
    /// A frame of a call stack in code that was compiled at run time.
    table "__intrinsic_jit_frame" => JitFrameTable, JitFrameRow {
        /// Code; join with `__intrinsic_jit_code` on `id`.
        jit_code_id: u32 => JoinId("__intrinsic_jit_code"),
        /// Frame; join with `stack_profile_frame` on `id`.
        frame_id: u32 => JoinId("stack_profile_frame"),
    }
}

declare_table! {
    /// An instance of the JavaScript engine V8.
    table "__intrinsic_v8_isolate" => V8IsolateTable, V8IsolateRow {
        /// Process; join with `process` on `upid`.
        upid: u32 => JoinId("process"),
        /// Id that the engine gave the instance.
        internal_isolate_id: i32 => Long,
        /// First address of the code that is built into the engine.
        embedded_blob_code_start_address: i64 => Long,
        /// Size of that code, bytes.
        embedded_blob_code_size: i64 => Long,
        /// First address of the memory for compiled code; NULL if it is not contiguous.
        code_range_base_address: Option<i64> => Long,
        /// Size of that memory, bytes.
        code_range_size: Option<i64> => Long,
        /// Whether the instances of the process share that memory.
        shared_code_range: Option<bool> => Bool,
        /// Address of a copy of the built-in code in that memory; NULL without a copy.
        embedded_blob_code_copy_start_address: Option<i64> => Long,
    }
}

declare_table! {
    /// A JavaScript script.
    table "__intrinsic_v8_js_script" => V8JsScriptTable, V8JsScriptRow {
        /// Instance of the engine; join with `__intrinsic_v8_isolate` on `id`.
        v8_isolate_id: u32 => JoinId("__intrinsic_v8_isolate"),
        /// Id that the engine gave the script.
        internal_script_id: i32 => Long,
        /// Type of the script, such as `NORMAL` or `EVAL`.
        script_type: StringId => String,
        /// Name, often a URL.
        name: StringId => String,
        /// Source code; NULL if it was not recorded.
        source: StringId => String,
    }
}

declare_table! {
    /// A WebAssembly module.
    table "__intrinsic_v8_wasm_script" => V8WasmScriptTable, V8WasmScriptRow {
        /// Instance of the engine; join with `__intrinsic_v8_isolate` on `id`.
        v8_isolate_id: u32 => JoinId("__intrinsic_v8_isolate"),
        /// Id that the engine gave the module.
        internal_script_id: i32 => Long,
        /// URL of the module.
        url: StringId => String,
        /// Module as it was loaded, in base64; NULL if it was not recorded.
        wire_bytes_base64: StringId => String,
        /// Source code; NULL, as traces do not have it.
        source: StringId => String,
    }
}

declare_table! {
    /// A JavaScript function.
    table "__intrinsic_v8_js_function" => V8JsFunctionTable, V8JsFunctionRow {
        /// Name of the function.
        name: StringId => String,
        /// Script; join with `__intrinsic_v8_js_script` on `id`.
        v8_js_script_id: u32 => JoinId("__intrinsic_v8_js_script"),
        /// Whether it is the code of the script outside of functions.
        is_toplevel: bool => Bool,
        /// Kind of the function, such as `ARROW_FUNCTION`.
        kind: StringId => String,
        /// Line number in the script, from 1; NULL if unknown.
        line: Option<u32> => Long,
        /// Column in the line, from 1; NULL if unknown.
        col: Option<u32> => Long,
    }
}

declare_table! {
    /// Code of a JavaScript function.
    table "__intrinsic_v8_js_code" => V8JsCodeTable, V8JsCodeRow {
        /// Machine code; join with `__intrinsic_jit_code` on `id`. NULL for bytecode.
        jit_code_id: Option<u32> => JoinId("__intrinsic_jit_code"),
        /// Function; join with `__intrinsic_v8_js_function` on `id`.
        v8_js_function_id: u32 => JoinId("__intrinsic_v8_js_function"),
        /// Compiler or interpreter of the code, such as `TURBOFAN`.
        tier: StringId => String,
        /// Bytecode, in base64; NULL for machine code or if it was not recorded.
        bytecode_base64: StringId => String,
    }
}

declare_table! {
    /// Code of V8 itself, such as a built-in function.
    table "__intrinsic_v8_internal_code" => V8InternalCodeTable, V8InternalCodeRow {
        /// Machine code; join with `__intrinsic_jit_code` on `id`.
        jit_code_id: u32 => JoinId("__intrinsic_jit_code"),
        /// Instance of the engine; join with `__intrinsic_v8_isolate` on `id`.
        v8_isolate_id: u32 => JoinId("__intrinsic_v8_isolate"),
        /// Name of the code.
        function_name: StringId => String,
        /// Type of the code, such as `BUILTIN`.
        code_type: StringId => String,
    }
}

declare_table! {
    /// Code of a WebAssembly function.
    table "__intrinsic_v8_wasm_code" => V8WasmCodeTable, V8WasmCodeRow {
        /// Machine code; join with `__intrinsic_jit_code` on `id`.
        jit_code_id: u32 => JoinId("__intrinsic_jit_code"),
        /// Instance of the engine; join with `__intrinsic_v8_isolate` on `id`.
        v8_isolate_id: u32 => JoinId("__intrinsic_v8_isolate"),
        /// Module; join with `__intrinsic_v8_wasm_script` on `id`.
        v8_wasm_script_id: u32 => JoinId("__intrinsic_v8_wasm_script"),
        /// Name of the function.
        function_name: StringId => String,
        /// Compiler of the code, such as `LIFTOFF`.
        tier: StringId => String,
        /// Offset of the function in the module, bytes.
        code_offset_in_module: i32 => Long,
    }
}

declare_table! {
    /// Code of a regular expression.
    table "__intrinsic_v8_regexp_code" => V8RegexpCodeTable, V8RegexpCodeRow {
        /// Machine code; join with `__intrinsic_jit_code` on `id`.
        jit_code_id: u32 => JoinId("__intrinsic_jit_code"),
        /// Instance of the engine; join with `__intrinsic_v8_isolate` on `id`.
        v8_isolate_id: u32 => JoinId("__intrinsic_v8_isolate"),
        /// The regular expression.
        pattern: StringId => String,
    }
}
