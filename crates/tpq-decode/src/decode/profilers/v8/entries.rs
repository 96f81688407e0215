//! Isolates, scripts and functions of V8 that packets refer to by number.

use rustc_hash::FxHashMap;
use tpq_proto::fields::{
    interned_data,
    interned_v8_isolate::{self, code_range},
    interned_v8_js_function, interned_v8_js_script, interned_v8_wasm_script,
};
use tpq_proto::wire::LastFields;
use tpq_tables::table::{V8IsolateRow, V8JsFunctionRow, V8JsScriptRow, V8WasmScriptRow};
use tpq_tables::{Stat, StringId};

use super::{Context, base64, text};
use tpq_trackers::track::{Tid, Upid};

const SCRIPT_TYPES: [&str; 7] =
    ["UNKNOWN", "NORMAL", "EVAL", "MODULE", "NATIVE", "EXTENSION", "INSPECTOR"];
const FUNCTION_KINDS: [&str; 28] = [
    "UNKNOWN",
    "NORMAL_FUNCTION",
    "MODULE",
    "ASYNC_MODULE",
    "BASE_CONSTRUCTOR",
    "DEFAULT_BASE_CONSTRUCTOR",
    "DEFAULT_DERIVED_CONSTRUCTOR",
    "DERIVED_CONSTRUCTOR",
    "GETTER_FUNCTION",
    "STATIC_GETTER_FUNCTION",
    "SETTER_FUNCTION",
    "STATIC_SETTER_FUNCTION",
    "ARROW_FUNCTION",
    "ASYNC_ARROW_FUNCTION",
    "ASYNC_FUNCTION",
    "ASYNC_CONCISE_METHOD",
    "STATIC_ASYNC_CONCISE_METHOD",
    "ASYNC_CONCISE_GENERATOR_METHOD",
    "STATIC_ASYNC_CONCISE_GENERATOR_METHOD",
    "ASYNC_GENERATOR_FUNCTION",
    "GENERATOR_FUNCTION",
    "CONCISE_GENERATOR_METHOD",
    "STATIC_CONCISE_GENERATOR_METHOD",
    "CONCISE_METHOD",
    "STATIC_CONCISE_METHOD",
    "CLASS_MEMBERS_INITIALIZER_FUNCTION",
    "CLASS_STATIC_INITIALIZER_FUNCTION",
    "INVALID",
];

/// An instance of the engine.
#[derive(Clone, Copy)]
pub(super) struct Isolate {
    pub(super) row: u32,
    pub(super) upid: Upid,
    pub(super) pid: i64,
}

/// A JavaScript function.
#[derive(Clone, Copy)]
pub(super) struct Function {
    pub(super) row: u32,
    pub(super) name: StringId,
    pub(super) script_name: StringId,
    pub(super) line: Option<u32>,
}

/// All columns of a function's row.
type FunctionKey = (StringId, u32, bool, StringId, Option<u32>, Option<u32>);

/// Entries that are known: by scope of the interned data and number, and by their contents, as each
/// sequence sends them anew.
#[derive(Default)]
pub(super) struct Entries {
    /// `None` stands for isolates that do not state where their code is.
    isolates_by_iid: FxHashMap<(u32, u64), Option<Isolate>>,
    isolates: FxHashMap<(Upid, i32), Option<Isolate>>,
    functions_by_iid: FxHashMap<(u32, u64, u32), Function>,
    functions: FxHashMap<FunctionKey, Function>,
    /// By isolate and id in the engine.
    js_scripts: FxHashMap<(u32, i32), u32>,
    wasm_scripts: FxHashMap<(u32, i32), u32>,
}

/// The entries of the source under way.
fn entries<'a>(context: &'a mut Context<'_, '_>) -> &'a mut Entries {
    context.trackers.source.states.get()
}

/// The scope of the interned data of a packet.
fn scope(context: &Context<'_, '_>) -> u32 {
    let generation = context.packet.interned.generation(context.packet.generation);
    generation.map_or(u32::MAX, |generation| generation.interned)
}

impl Entries {
    pub(super) fn isolate(iid: u64, context: &mut Context<'_, '_>) -> Option<Isolate> {
        let key = (scope(context), iid);
        if let Some(&isolate) = entries(context).isolates_by_iid.get(&key) {
            return isolate;
        }
        let message = context.entry(interned_data::V8_ISOLATE, iid)?;
        let isolate = isolate_of(&LastFields::<7>::new(message), context);
        entries(context).isolates_by_iid.insert(key, isolate);
        isolate
    }

    pub(super) fn function(
        iid: u64,
        isolate: Isolate,
        context: &mut Context<'_, '_>,
    ) -> Option<Function> {
        let key = (scope(context), iid, isolate.row);
        if let Some(&function) = entries(context).functions_by_iid.get(&key) {
            return Some(function);
        }
        let message = context.entry(interned_data::V8_JS_FUNCTION, iid)?;
        let fields = LastFields::<9>::new(message);
        let [script, name] = [
            interned_v8_js_function::V8_JS_SCRIPT_IID,
            interned_v8_js_function::V8_JS_FUNCTION_NAME_IID,
        ]
        .map(|number| fields.uint(number));
        let number = |number: u32| fields.get(number).map(|field| field.as_u32());
        let place = (
            number(interned_v8_js_function::LINE),
            number(interned_v8_js_function::COLUMN),
            number(interned_v8_js_function::BYTE_OFFSET),
        );
        let is_toplevel = fields.uint(interned_v8_js_function::IS_TOPLEVEL) != 0;
        let kind = fields.uint(interned_v8_js_function::KIND);
        let script = js_script(script, isolate, context)?;
        let name = context.entry(interned_data::V8_JS_FUNCTION_NAME, name)?;
        let name = text::of_interned(name).unwrap_or_default();
        let name = context.tables.strings.intern(&name);
        let kind = context.name(&FUNCTION_KINDS, kind);
        let (line, col) = match place {
            (Some(line), Some(column), _) => (Some(line), Some(column)),
            // An offset is a place in the first line if nothing is known of lines.
            (_, _, Some(offset)) => (Some(1), Some(offset)),
            _ => (None, None),
        };
        let contents = (name, script, is_toplevel, kind, line, col);
        let function = match entries(context).functions.get(&contents) {
            Some(&function) => function,
            None => {
                let row =
                    V8JsFunctionRow { name, v8_js_script_id: script, is_toplevel, kind, line, col };
                let row = context.tables.v8_js_function.push(row);
                let script_name = context.tables.v8_js_script.name.get(script);
                let function = Function { row, name, script_name, line };
                entries(context).functions.insert(contents, function);
                function
            }
        };
        entries(context).functions_by_iid.insert(key, function);
        Some(function)
    }

    pub(super) fn wasm_script(
        iid: u64,
        isolate: Isolate,
        context: &mut Context<'_, '_>,
    ) -> Option<u32> {
        let script = LastFields::<5>::new(context.entry(interned_data::V8_WASM_SCRIPT, iid)?);
        let id = script.int(interned_v8_wasm_script::SCRIPT_ID) as i32;
        if let Some(&row) = entries(context).wasm_scripts.get(&(isolate.row, id)) {
            return Some(row);
        }
        let wire_bytes = script.get(interned_v8_wasm_script::WIRE_BYTES);
        let row = V8WasmScriptRow {
            v8_isolate_id: isolate.row,
            internal_script_id: id,
            url: context.intern(script.bytes(interned_v8_wasm_script::URL)),
            wire_bytes_base64: base64(wire_bytes, context.tables),
            source: StringId::NULL,
        };
        let row = context.tables.v8_wasm_script.push(row);
        entries(context).wasm_scripts.insert((isolate.row, id), row);
        Some(row)
    }
}

/// The isolate that a message describes; `None`, and counted once, for one without a range of
/// addresses for its code.
fn isolate_of(message: &LastFields<'_, 7>, context: &mut Context<'_, '_>) -> Option<Isolate> {
    let machine = context.packet.machine;
    let pid = i64::from(message.uint(interned_v8_isolate::PID) as u32);
    let upid = context.trackers.processes.process(Tid { machine, id: pid }, context.tables);
    let id = message.int(interned_v8_isolate::ISOLATE_ID) as i32;
    if let Some(&isolate) = entries(context).isolates.get(&(upid, id)) {
        return isolate;
    }
    let isolate = match message.get(interned_v8_isolate::CODE_RANGE) {
        Some(range) => {
            let range = LastFields::<5>::new(range.as_bytes());
            Some(make_isolate(message, &range, (upid, pid), context))
        }
        None => {
            context.stats.increment(Stat::V8IsolateHasNoCodeRange);
            None
        }
    };
    entries(context).isolates.insert((upid, id), isolate);
    isolate
}

/// Writes the row of an isolate, and notes where its code can be.
fn make_isolate(
    message: &LastFields<'_, 7>,
    range: &LastFields<'_, 5>,
    (upid, pid): (Upid, i64),
    context: &mut Context<'_, '_>,
) -> Isolate {
    let id = message.int(interned_v8_isolate::ISOLATE_ID) as i32;
    let blob = [
        interned_v8_isolate::EMBEDDED_BLOB_CODE_START_ADDRESS,
        interned_v8_isolate::EMBEDDED_BLOB_CODE_SIZE,
    ]
    .map(|number| message.uint(number));
    let row = V8IsolateRow {
        upid,
        internal_isolate_id: id,
        embedded_blob_code_start_address: blob[0] as i64,
        embedded_blob_code_size: blob[1] as i64,
        code_range_base_address: Some(range.int(code_range::BASE_ADDRESS)),
        code_range_size: Some(range.int(code_range::SIZE)),
        shared_code_range: Some(range.uint(code_range::IS_PROCESS_WIDE) != 0),
        embedded_blob_code_copy_start_address: range
            .get(code_range::EMBEDDED_BLOB_CODE_COPY_START_ADDRESS)
            .map(|address| address.as_i64()),
    };
    let jit = &mut context.trackers.source.stacks.jit;
    jit.add_range(upid, blob[0], blob[1]);
    jit.add_range(upid, range.uint(code_range::BASE_ADDRESS), range.uint(code_range::SIZE));
    Isolate { row: context.tables.v8_isolate.push(row), upid, pid }
}

/// The row of a script.
fn js_script(iid: u64, isolate: Isolate, context: &mut Context<'_, '_>) -> Option<u32> {
    let script = LastFields::<6>::new(context.entry(interned_data::V8_JS_SCRIPT, iid)?);
    let id = script.int(interned_v8_js_script::SCRIPT_ID) as i32;
    let kind = script.uint(interned_v8_js_script::TYPE);
    if let Some(&row) = entries(context).js_scripts.get(&(isolate.row, id)) {
        return Some(row);
    }
    let name = text::of_string(script.bytes(interned_v8_js_script::NAME)).unwrap_or_default();
    let source = text::of_string(script.bytes(interned_v8_js_script::SOURCE));
    let script_type = context.name(&SCRIPT_TYPES, kind);
    let strings = &mut context.tables.strings;
    let row = V8JsScriptRow {
        v8_isolate_id: isolate.row,
        internal_script_id: id,
        script_type,
        name: strings.intern(&name),
        source: source.map_or(StringId::NULL, |source| strings.intern(&source)),
    };
    let row = context.tables.v8_js_script.push(row);
    entries(context).js_scripts.insert((isolate.row, id), row);
    Some(row)
}
