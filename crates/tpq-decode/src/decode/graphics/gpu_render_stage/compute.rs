//! Kernels of compute APIs, and how they are launched.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;
use tpq_proto::fields::{
    gpu_render_stage_event::{
        compute_kernel_launch as launch, dim3, extra_compute_arg as compute_arg,
    },
    interned_compute_kernel as kernel, interned_data,
};
use tpq_proto::wire::{Fields, LastFields};
use tpq_tables::{Stat, Stats, StringId, Tables};

use crate::decode::Packet;
use crate::decode::graphics::unique_args::UniqueArgs;
use tpq_trackers::args::ArgValue;
use tpq_trackers::track::Trackers;

/// Largest number of args of a kernel. They are args of each of its launches.
const MAX_ARGS: usize = 128;

/// Kernels that were read, by scope and id: each is launched many times.
#[derive(Default)]
struct Kernels(FxHashMap<(u32, u64), Vec<(StringId, ArgValue)>>);

/// Adds the kernel of an id. A missing one is counted.
pub(super) fn add_kernel(
    packet: &Packet<'_>,
    iid: u64,
    args: &mut UniqueArgs,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let key = (packet.interned_scope(), iid);
    let Kernels(kernels) = trackers.source.states.get::<Kernels>();
    let kernel = match kernels.entry(key) {
        Entry::Occupied(kernel) => kernel.into_mut(),
        Entry::Vacant(place) => {
            let kind = interned_data::COMPUTE_KERNELS;
            let Some(message) = packet.interned_message(kind, iid, stats) else { return };
            place.insert(read_kernel(packet, message, tables, stats))
        }
    };
    for &(key, value) in kernel.iter() {
        args.put(key, value);
    }
}

/// The names and the args of a kernel.
fn read_kernel(
    packet: &Packet<'_>,
    message: &[u8],
    tables: &mut Tables,
    stats: &mut Stats,
) -> Vec<(StringId, ArgValue)> {
    let mut args = UniqueArgs::default();
    let fields = LastFields::<5>::new(message);
    for (key, number) in [
        ("kernel_name", kernel::NAME),
        ("kernel_demangled_name", kernel::DEMANGLED_NAME),
        ("arch", kernel::ARCH),
    ] {
        if let Some(field) = fields.get(number) {
            let value = tables.strings.intern_bytes(field.as_bytes());
            args.put_named(key, ArgValue::String(value), tables);
        }
    }
    add_args(packet, message, kernel::ARGS, &mut args, tables, stats);
    if args.len() > MAX_ARGS {
        stats.increment(Stat::GpuRenderStageParserErrors);
    }
    let mut args = args.into_pairs();
    args.truncate(MAX_ARGS);
    args
}

/// Adds the sizes and the args of a launch.
pub(super) fn add_launch(
    packet: &Packet<'_>,
    message: &[u8],
    args: &mut UniqueArgs,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let fields = LastFields::<3>::new(message);
    for (key, number) in
        [("launch.grid_size", launch::GRID_SIZE), ("launch.workgroup_size", launch::WORKGROUP_SIZE)]
    {
        let size = LastFields::<4>::new(fields.bytes(number));
        for (axis, number) in [("x", dim3::X), ("y", dim3::Y), ("z", dim3::Z)] {
            if let Some(field) = size.get(number) {
                let value = ArgValue::Uint(u64::from(field.as_u32()));
                args.put_named(&format!("{key}.{axis}"), value, tables);
            }
        }
    }
    add_args(packet, message, launch::ARGS, args, tables, stats);
}

/// Adds the args in a field of a message.
fn add_args(
    packet: &Packet<'_>,
    message: &[u8],
    number: u32,
    args: &mut UniqueArgs,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    for field in Fields::new(message).filter(|field| field.number == number) {
        let arg = LastFields::<8>::new(field.as_bytes());
        let name = interned_or_own(
            packet,
            &arg,
            (interned_data::COMPUTE_ARG_NAMES, compute_arg::NAME_IID, compute_arg::NAME),
            tables,
            stats,
        );
        let Some(name) = name else { continue };
        if let Some(value) = value(packet, &arg, tables, stats) {
            args.put(name, value);
        }
    }
}

/// The value of an arg; where it has several, which no writer sends, the first of these counts.
fn value(
    packet: &Packet<'_>,
    arg: &LastFields<'_, 8>,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<ArgValue> {
    if let Some(value) = arg.get(compute_arg::INT_VALUE) {
        return Some(ArgValue::Int(value.as_i64()));
    }
    if let Some(value) = arg.get(compute_arg::UINT_VALUE) {
        return Some(ArgValue::Uint(value.as_u64()));
    }
    if let Some(value) = arg.get(compute_arg::DOUBLE_VALUE) {
        return Some(ArgValue::Real(value.as_f64()));
    }
    let strings = interned_data::DEBUG_ANNOTATION_STRING_VALUES;
    let (iid, own) = (compute_arg::STRING_VALUE_IID, compute_arg::STRING_VALUE);
    interned_or_own(packet, arg, (strings, iid, own), tables, stats).map(ArgValue::String)
}

/// A text that is interned under the id in one field, or lies in another. A missing interned text
/// is counted.
fn interned_or_own(
    packet: &Packet<'_>,
    arg: &LastFields<'_, 8>,
    (kind, iid, own): (u32, u32, u32),
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<StringId> {
    match arg.get(iid) {
        Some(iid) => {
            let (generation, strings) = (packet.generation, &mut tables.strings);
            packet.interned.text(generation, kind, iid.as_u64(), strings, stats)
        }
        None => arg.get(own).map(|text| tables.strings.intern_bytes(text.as_bytes())),
    }
}
