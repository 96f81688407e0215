//! Code that the JavaScript engine V8 compiles.
//!
//! `entries.rs` finds the isolates, scripts and functions that packets refer to by number.

mod entries;
mod text;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use tpq_ingest::Route;
use tpq_proto::fields::{
    trace_packet, trace_packet_defaults, v8_code_defaults, v8_code_move, v8_internal_code,
    v8_js_code, v8_reg_exp_code, v8_wasm_code,
};
use tpq_proto::wire::{Field, Fields, LastFields};
use tpq_tables::table::{V8InternalCodeRow, V8JsCodeRow, V8RegexpCodeRow, V8WasmCodeRow};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::{Decode, Packet, PacketDecoder};
use entries::{Entries, Isolate};
use tpq_trackers::stacks::{NewCode, SourceLine};
use tpq_trackers::track::{Tid, Trackers, Utid};

pub(crate) const JS_CODE: PacketDecoder = sorted(trace_packet::V8_JS_CODE, js_code);
pub(crate) const INTERNAL_CODE: PacketDecoder =
    sorted(trace_packet::V8_INTERNAL_CODE, internal_code);
pub(crate) const WASM_CODE: PacketDecoder = sorted(trace_packet::V8_WASM_CODE, wasm_code);
pub(crate) const REGEXP_CODE: PacketDecoder = sorted(trace_packet::V8_REG_EXP_CODE, regexp_code);
pub(crate) const CODE_MOVE: PacketDecoder = sorted(trace_packet::V8_CODE_MOVE, code_move);

const fn sorted(field: u32, decode: Decode) -> PacketDecoder {
    PacketDecoder { field, route: Route::Sorted, decode }
}

/// The compilers and the interpreter of JavaScript, by number; 0 is an unknown one.
const JS_TIERS: [&str; 6] =
    ["UNKNOWN", "IGNITION", "SPARKPLUG", "MAGLEV", "TURBOSHAFT", "TURBOFAN"];
/// The number of the interpreter.
const IGNITION: usize = 1;
const WASM_TIERS: [&str; 3] = ["UNKNOWN", "LIFTOFF", "TURBOFAN"];
const INTERNAL_TYPES: [&str; 10] = [
    "UNKNOWN",
    "BYTECODE_HANDLER",
    "FOR_TESTING",
    "BUILTIN",
    "WASM_FUNCTION",
    "WASM_TO_CAPI_FUNCTION",
    "WASM_TO_JS_FUNCTION",
    "JS_TO_WASM_FUNCTION",
    "JS_TO_JS_FUNCTION",
    "C_WASM_ENTRY",
];
/// The name of the code of regular expressions.
const REGEXP_NAME: &str = "[RegExp]";

/// What decoding a packet reads and writes.
struct Context<'a, 'p> {
    packet: &'a Packet<'p>,
    trackers: &'a mut Trackers,
    tables: &'a mut Tables,
    stats: &'a mut Stats,
}

/// Where the code of an event lies.
#[derive(Clone, Copy)]
struct Place {
    isolate: Isolate,
    utid: Utid,
    start: u64,
    size: u64,
}

fn js_code(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut context = Context { packet, trackers, tables, stats };
    let code = LastFields::<9>::new(packet.data);
    let numbers = [v8_js_code::V8_ISOLATE_IID, v8_js_code::TID];
    let range = [v8_js_code::INSTRUCTION_START, v8_js_code::INSTRUCTION_SIZE_BYTES];
    let Some(place) = context.place(&code, numbers, range) else { return };
    let iid = code.uint(v8_js_code::V8_JS_FUNCTION_IID);
    let Some(function) = Entries::function(iid, place.isolate, &mut context) else { return };
    let tier = code.uint(v8_js_code::TIER) as usize;
    if tier == 0 || tier >= JS_TIERS.len() {
        context.stats.increment(Stat::V8UnknownCodeType);
        return;
    }
    // The interpreter has machine code of its own for a function only if it was told to.
    if tier == IGNITION && place.size == 0 {
        context.stats.increment(Stat::V8CodeLoadMissingCodeRange);
    }
    let is_bytecode = tier == IGNITION && !context.is_in_range(place);
    let mut row = V8JsCodeRow {
        v8_js_function_id: function.row,
        tier: context.tables.strings.intern(JS_TIERS[tier]),
        ..V8JsCodeRow::default()
    };
    match is_bytecode {
        true => row.bytecode_base64 = base64(code.get(v8_js_code::BYTECODE), context.tables),
        false => {
            let source = SourceLine { file: function.script_name, line: function.line };
            let native = code.get(v8_js_code::MACHINE_CODE);
            row.jit_code_id = context.add_code(place, function.name, Some(source), native);
            if row.jit_code_id.is_none() {
                return;
            }
        }
    }
    context.tables.v8_js_code.push(row);
}

fn internal_code(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut context = Context { packet, trackers, tables, stats };
    let code = LastFields::<9>::new(packet.data);
    let numbers = [v8_internal_code::V8_ISOLATE_IID, v8_internal_code::TID];
    let range = [v8_internal_code::INSTRUCTION_START, v8_internal_code::INSTRUCTION_SIZE_BYTES];
    let Some(place) = context.place(&code, numbers, range) else { return };
    let function_name = context.intern(code.bytes(v8_internal_code::NAME));
    let native = code.get(v8_internal_code::MACHINE_CODE);
    let Some(jit_code_id) = context.add_code(place, function_name, None, native) else { return };
    let code_type = context.name(&INTERNAL_TYPES, code.uint(v8_internal_code::TYPE));
    let v8_isolate_id = place.isolate.row;
    let row = V8InternalCodeRow { jit_code_id, v8_isolate_id, function_name, code_type };
    context.tables.v8_internal_code.push(row);
}

fn wasm_code(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut context = Context { packet, trackers, tables, stats };
    let code = LastFields::<10>::new(packet.data);
    let numbers = [v8_wasm_code::V8_ISOLATE_IID, v8_wasm_code::TID];
    let range = [v8_wasm_code::INSTRUCTION_START, v8_wasm_code::INSTRUCTION_SIZE_BYTES];
    let Some(place) = context.place(&code, numbers, range) else { return };
    let iid = code.uint(v8_wasm_code::V8_WASM_SCRIPT_IID);
    let Some(script) = Entries::wasm_script(iid, place.isolate, &mut context) else { return };
    let function_name = context.intern(code.bytes(v8_wasm_code::FUNCTION_NAME));
    let native = code.get(v8_wasm_code::MACHINE_CODE);
    let Some(jit_code_id) = context.add_code(place, function_name, None, native) else { return };
    let row = V8WasmCodeRow {
        jit_code_id,
        v8_isolate_id: place.isolate.row,
        v8_wasm_script_id: script,
        function_name,
        tier: context.name(&WASM_TIERS, code.uint(v8_wasm_code::TIER)),
        code_offset_in_module: code.int(v8_wasm_code::CODE_OFFSET_IN_MODULE) as i32,
    };
    context.tables.v8_wasm_code.push(row);
}

fn regexp_code(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let mut context = Context { packet, trackers, tables, stats };
    let code = LastFields::<7>::new(packet.data);
    let numbers = [v8_reg_exp_code::V8_ISOLATE_IID, v8_reg_exp_code::TID];
    let range = [v8_reg_exp_code::INSTRUCTION_START, v8_reg_exp_code::INSTRUCTION_SIZE_BYTES];
    let Some(place) = context.place(&code, numbers, range) else { return };
    let name = context.tables.strings.intern(REGEXP_NAME);
    let native = code.get(v8_reg_exp_code::MACHINE_CODE);
    let Some(jit_code_id) = context.add_code(place, name, None, native) else { return };
    let pattern = text::of_string(code.bytes(v8_reg_exp_code::PATTERN)).unwrap_or_default();
    let pattern = context.tables.strings.intern(&pattern);
    let row = V8RegexpCodeRow { jit_code_id, v8_isolate_id: place.isolate.row, pattern };
    context.tables.v8_regexp_code.push(row);
}

fn code_move(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let mut context = Context { packet, trackers, tables, stats };
    let moved = LastFields::<6>::new(packet.data);
    let numbers = [v8_code_move::ISOLATE_IID, v8_code_move::TID];
    let range =
        [v8_code_move::FROM_INSTRUCTION_START_ADDRESS, v8_code_move::INSTRUCTION_SIZE_BYTES];
    let Some(place) = context.place(&moved, numbers, range) else { return };
    if !moved.has(range[0]) || !context.expect_range(place) {
        return;
    }
    let to = moved.uint(v8_code_move::TO_INSTRUCTION_START_ADDRESS);
    let jit = &mut context.trackers.source.stacks.jit;
    jit.move_code(packet.ts(), place.isolate.upid, (place.start, to), context.tables);
}

impl<'p> Context<'_, 'p> {
    /// The isolate, the thread and the addresses of an event, given the numbers of its fields for
    /// isolate and thread, and for start and size. `None`, and counted, if one is not known.
    fn place<const N: usize>(
        &mut self,
        code: &LastFields<'_, N>,
        [isolate, tid]: [u32; 2],
        [start, size]: [u32; 2],
    ) -> Option<Place> {
        let isolate = Entries::isolate(code.uint(isolate), self)?;
        let Some(tid) = code.get(tid).or_else(|| self.default_tid()) else {
            self.stats.increment(Stat::V8NoDefaults);
            return None;
        };
        let machine = self.packet.machine;
        let tid = Tid { machine, id: i64::from(tid.as_u32()) };
        let pid = Tid { machine, id: isolate.pid };
        let utid = self.trackers.processes.thread_of_process(tid, pid, self.tables);
        Some(Place { isolate, utid, start: code.uint(start), size: code.uint(size) })
    }

    /// The thread of events that name none.
    fn default_tid(&self) -> Option<Field<'p>> {
        let defaults = self.packet.interned.defaults(self.packet.generation);
        let number = trace_packet_defaults::V8_CODE_DEFAULTS;
        let defaults = Fields::new(defaults).filter(|field| field.number == number).last()?;
        LastFields::<2>::new(defaults.as_bytes()).get(v8_code_defaults::TID)
    }

    /// Whether code has addresses, in the memory that its process keeps code in.
    fn is_in_range(&self, place: Place) -> bool {
        let jit = &self.trackers.source.stacks.jit;
        place.size > 0 && jit.is_in_range(place.isolate.upid, (place.start, place.size))
    }

    /// The same; code with other addresses, or without any, is counted.
    fn expect_range(&mut self, place: Place) -> bool {
        let is_in_range = self.is_in_range(place);
        if !is_in_range {
            let has_no_addresses = place.size == 0 || place.start.checked_add(place.size).is_none();
            self.stats.increment(match has_no_addresses {
                true => Stat::V8CodeLoadMissingCodeRange,
                false => Stat::V8NoCodeRange,
            });
        }
        is_in_range
    }

    /// Adds code; `None`, and counted, if it does not lie in the memory for code.
    fn add_code(
        &mut self,
        place: Place,
        name: StringId,
        source: Option<SourceLine>,
        native: Option<Field<'_>>,
    ) -> Option<u32> {
        if !self.expect_range(place) {
            return None;
        }
        let code = NewCode {
            ts: self.packet.ts(),
            utid: place.utid,
            upid: place.isolate.upid,
            start: place.start,
            size: place.size,
            name,
            source,
            native_code: base64(native, self.tables),
        };
        self.trackers.bounds.include(self.packet.ts());
        self.trackers.source.stacks.jit.add(code, self.tables)
    }

    fn intern(&mut self, text: &[u8]) -> StringId {
        self.tables.strings.intern_bytes(text)
    }

    /// The name of a number; the first one for numbers that have none.
    fn name(&mut self, names: &[&str], number: u64) -> StringId {
        let name = names.get(number as usize).or(names.first()).copied().unwrap_or_default();
        self.tables.strings.intern(name)
    }

    /// An interned entry; one that was never sent is counted.
    fn entry(&mut self, kind: u32, iid: u64) -> Option<&'p [u8]> {
        let message = self.packet.interned.message(self.packet.generation, kind, iid);
        if message.is_none() {
            self.stats.increment(Stat::V8InternErrors);
        }
        message
    }
}

/// Bytes in base64; NULL if there are none.
fn base64(bytes: Option<Field<'_>>, tables: &mut Tables) -> StringId {
    match bytes {
        None => StringId::NULL,
        Some(bytes) => tables.strings.intern(&BASE64_STANDARD.encode(bytes.as_bytes())),
    }
}
