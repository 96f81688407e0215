//! Memory that Vulkan drivers and programs allocate and bind.

use rustc_hash::FxHashMap;
use tpq_ingest::Route;
use tpq_proto::fields::{
    interned_data, trace_packet, vulkan_memory_event as fields,
    vulkan_memory_event_annotation as annotation,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::table::VulkanMemoryRow;
use tpq_tables::{Stats, StringId, Tables};

use crate::decode::graphics::unique_args::UniqueArgs;
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, Tid, TrackKind, Trackers, Upid};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::VULKAN_MEMORY_EVENT, route: Route::Sorted, decode };

const DRIVER: TrackKind = TrackKind::counter("vulkan_driver_mem", None);
const ALLOCATED: TrackKind = TrackKind::counter("vulkan_device_mem_allocation", None);
const BOUND: TrackKind = TrackKind::counter("vulkan_device_mem_bind", None);

const SOURCES: [&str; 6] =
    ["UNSPECIFIED", "DRIVER", "DEVICE", "GPU_DEVICE_MEMORY", "GPU_BUFFER", "GPU_IMAGE"];
const OPERATIONS: [&str; 6] =
    ["UNSPECIFIED", "CREATE", "DESTROY", "BIND", "DESTROY_BOUND", "ANNOTATIONS"];
const SCOPES: [&str; 6] = ["UNSPECIFIED", "COMMAND", "OBJECT", "CACHE", "DEVICE", "INSTANCE"];

/// The memory that a process has, by the kind of track and the scope or type of the memory.
#[derive(Default)]
struct Totals(FxHashMap<(Upid, &'static str, u32), i64>);

/// The fields of an event, the last of each.
type Event<'a> = LastFields<'a, 21>;

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let event = Event::new(packet.data);
    let pid = Tid { machine: packet.machine, id: i64::from(event.uint(fields::PID) as i32) };
    let upid = trackers.processes.process(pid, tables);
    count(packet, &event, upid, trackers, tables);
    let mut name =
        |names: &[&str; 6], number: u32| tables.strings.intern(name_of(names, event.int(number)));
    let source = name(&SOURCES, fields::SOURCE);
    let operation = name(&OPERATIONS, fields::OPERATION);
    let scope = match event.has(fields::ALLOCATION_SCOPE) {
        true => name(&SCOPES, fields::ALLOCATION_SCOPE),
        false => StringId::NULL,
    };
    let long = |number| event.get(number).map(|field| field.as_i64());
    let index = |number| event.get(number).map(|field| field.as_u32());
    let function_name = event.get(fields::CALLER_IID).and_then(|iid| {
        let (kind, iid) = (interned_data::FUNCTION_NAMES, iid.as_u64());
        packet.interned.text(packet.generation, kind, iid, &mut tables.strings, stats)
    });
    let args = annotations(packet, tables, stats);
    tables.vulkan_memory_allocations.push(VulkanMemoryRow {
        arg_set_id: trackers.deferred.intern(&args),
        source,
        operation,
        timestamp: event.int(fields::TIMESTAMP),
        upid: Some(upid),
        device: long(fields::DEVICE),
        device_memory: long(fields::DEVICE_MEMORY),
        memory_type: index(fields::MEMORY_TYPE),
        heap: index(fields::HEAP),
        function_name: function_name.unwrap_or_default(),
        object_handle: long(fields::OBJECT_HANDLE),
        memory_address: long(fields::MEMORY_ADDRESS),
        memory_size: long(fields::MEMORY_SIZE),
        scope,
    });
}

/// The name of a number; a number without a name counts as unspecified.
fn name_of<'a>(names: &[&'a str; 6], number: i64) -> &'a str {
    usize::try_from(number).ok().and_then(|number| names.get(number)).unwrap_or(&names[0])
}

/// Adds a change of memory to the counter of its process, if the event is one.
fn count(
    packet: &Packet<'_>,
    event: &Event<'_>,
    upid: Upid,
    trackers: &mut Trackers,
    tables: &mut Tables,
) {
    let source = name_of(&SOURCES, event.int(fields::SOURCE));
    let grows = match (source, name_of(&OPERATIONS, event.int(fields::OPERATION))) {
        ("DRIVER" | "GPU_DEVICE_MEMORY", "CREATE") | ("GPU_BUFFER" | "GPU_IMAGE", "BIND") => true,
        ("DRIVER" | "GPU_DEVICE_MEMORY", "DESTROY")
        | ("GPU_BUFFER" | "GPU_IMAGE", "DESTROY_BOUND") => false,
        _ => return,
    };
    let memory_type = event.uint(fields::MEMORY_TYPE) as u32;
    let of = Dimensions::process(upid);
    let of_type = of.number("vulkan_memory_type", memory_type.into());
    let (kind, key, of, name) = match source {
        "DRIVER" => {
            let scope = event.int(fields::ALLOCATION_SCOPE);
            let name = name_of(&SCOPES, scope);
            // Memory of no scope belongs to no counter.
            if name == SCOPES[0] {
                return;
            }
            let value = tables.strings.intern(name);
            let of = of.text("vulkan_allocation_scope", value);
            (DRIVER, scope as u32, of, format!("vulkan.mem.driver.scope.{name}"))
        }
        "GPU_DEVICE_MEMORY" => {
            let name = format!("vulkan.mem.device.memory.type.{memory_type}.allocation");
            (ALLOCATED, memory_type, of_type, name)
        }
        _ => {
            let name = format!("vulkan.mem.device.memory.type.{memory_type}.bind");
            (BOUND, memory_type, of_type, name)
        }
    };
    let Totals(totals) = trackers.source.states.get();
    let total = totals.entry((upid, kind.name, key)).or_default();
    let size = event.int(fields::MEMORY_SIZE);
    *total = if grows { total.wrapping_add(size) } else { total.wrapping_sub(size) };
    let value = (moment(packet, event), *total as f64);
    let name = tables.strings.intern(&name);
    trackers.count(value, kind, of, name, tables);
}

/// When memory changed, by the event's own statement if it has one.
fn moment(packet: &Packet<'_>, event: &Event<'_>) -> i64 {
    let stated = event.get(fields::TIMESTAMP).map(|timestamp| timestamp.as_i64());
    stated.filter(|&timestamp| timestamp >= 0).unwrap_or_else(|| packet.ts())
}

/// The annotations of an event.
fn annotations(packet: &Packet<'_>, tables: &mut Tables, stats: &mut Stats) -> ArgSet {
    let mut args = UniqueArgs::default();
    let annotations = Fields::new(packet.data);
    for field in annotations.filter(|field| field.number == fields::ANNOTATIONS) {
        let fields = LastFields::<5>::new(field.as_bytes());
        let mut text = |number: u32| {
            let (kind, iid) = (interned_data::VULKAN_MEMORY_KEYS, fields.uint(number));
            packet.interned.text(packet.generation, kind, iid, &mut tables.strings, stats)
        };
        let Some(key) = text(annotation::KEY_IID) else { continue };
        let value = if let Some(value) = fields.get(annotation::INT_VALUE) {
            ArgValue::Int(value.as_i64())
        } else if let Some(value) = fields.get(annotation::DOUBLE_VALUE) {
            ArgValue::Real(value.as_f64())
        } else if fields.has(annotation::STRING_IID) {
            ArgValue::String(text(annotation::STRING_IID).unwrap_or_default())
        } else {
            continue;
        };
        args.put(key, value);
    }
    args.finish()
}
