//! The args of a stage.

use std::fmt::Write;

use tpq_proto::fields::gpu_render_stage_event::{self as fields, extra_data};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stats, StringId, Tables};

use super::{Event, compute, specification};
use crate::decode::graphics::unique_args::UniqueArgs;
use crate::decode::graphics::vulkan_api::object_type;
use crate::decode::{Packet, text};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Tid, Trackers};

/// Largest number of masks of subpasses that are read, of 64 subpasses each.
const MAX_MASKS: usize = 64;

/// What a stage belongs to.
pub(super) struct Owner {
    /// The id of its queue.
    pub(super) queue: u64,
    /// The kernel's id of its process; 0 where it is not known.
    pub(super) pid: i32,
}

/// The id of an event's queue: that of interned data, or its own number.
pub(super) fn queue_id(event: &Event<'_>) -> u64 {
    match event.get(fields::HW_QUEUE_IID) {
        Some(iid) => iid.as_u64(),
        None => u64::from(event.uint(fields::HW_QUEUE_ID) as u32),
    }
}

/// The args of an event.
pub(super) fn args(
    packet: &Packet<'_>,
    event: &Event<'_>,
    of: Owner,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> ArgSet {
    let mut args = UniqueArgs::default();
    add_stage(packet, event, &mut args, trackers, tables, stats);
    if let Some(iid) = event.get(fields::KERNEL_IID) {
        compute::add_kernel(packet, iid.as_u64(), &mut args, trackers, tables, stats);
    }
    if let Some(launch) = event.get(fields::LAUNCH) {
        compute::add_launch(packet, launch.as_bytes(), &mut args, tables, stats);
    }
    let instance = event.uint(fields::RENDER_PASS_INSTANCE_ID);
    if instance != 0 {
        let id = ArgValue::String(tables.strings.intern(&format!("rp:#{instance}")));
        args.put_named("correlation_id", id, tables);
    }
    for field in Fields::new(packet.data).filter(|field| field.number == fields::EXTRA_DATA) {
        let extra = LastFields::<3>::new(field.as_bytes());
        let key = tables.strings.intern_bytes(extra.bytes(extra_data::NAME));
        args.put(key, ArgValue::String(text(&extra, extra_data::VALUE, tables)));
    }
    add_objects(packet, event, &mut args, trackers, tables);
    let submission = event.uint(fields::SUBMISSION_ID) as u32;
    args.put_named("submission_id", ArgValue::Int(i64::from(submission)), tables);
    args.put_named("hw_queue_id", ArgValue::Uint(of.queue), tables);
    let pid = Tid { machine: packet.machine, id: i64::from(of.pid) };
    let upid = trackers.processes.process(pid, tables);
    args.put_named("upid", ArgValue::Int(i64::from(upid)), tables);
    args.finish()
}

/// Adds what the specification of the stage says.
fn add_stage(
    packet: &Packet<'_>,
    event: &Event<'_>,
    args: &mut UniqueArgs,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let description = if let Some(iid) = event.get(fields::STAGE_IID) {
        let stage = specification::interned(packet, iid.as_u64(), trackers, tables, stats);
        stage.map(|stage| {
            args.put_named("render_stage_category", ArgValue::Int(stage.category), tables);
            stage.description.text
        })
    } else if event.has(fields::STAGE_ID) {
        let stage = trackers.source.render_stages.stage(specification::stage_id(event));
        stage.map(|stage| stage.text).filter(|text| !text.is_null())
    } else {
        None
    };
    if let Some(description) = description {
        args.put_named("description", ArgValue::String(description), tables);
    }
}

/// Adds the objects of Vulkan and of other APIs that the stage works on, with the names that
/// programs gave them.
fn add_objects(
    packet: &Packet<'_>,
    event: &Event<'_>,
    args: &mut UniqueArgs,
    trackers: &Trackers,
    tables: &mut Tables,
) {
    let handle = |number| ArgValue::Uint(event.uint(number));
    let name = |kind, number| {
        let name = trackers.source.render_stages.object_name(kind, event.uint(number));
        ArgValue::String(name)
    };
    let target = fields::RENDER_TARGET_HANDLE;
    let pass = fields::RENDER_PASS_HANDLE;
    let buffer = fields::COMMAND_BUFFER_HANDLE;
    let subpasses = ArgValue::String(subpasses(packet.data, tables));
    for (key, value) in [
        ("context_id", handle(fields::CONTEXT)),
        ("render_target", handle(target)),
        ("render_target_name", name(object_type::FRAMEBUFFER, target)),
        ("render_pass", handle(pass)),
        ("render_pass_name", name(object_type::RENDER_PASS, pass)),
        ("render_subpasses", subpasses),
        ("command_buffer", handle(buffer)),
        ("command_buffer_name", name(object_type::COMMAND_BUFFER, buffer)),
    ] {
        args.put_named(key, value, tables);
    }
}

/// The numbers of the subpasses in an event's masks, separated by commas; NULL without masks.
fn subpasses(event: &[u8], tables: &mut Tables) -> StringId {
    let masks = Fields::new(event);
    let masks = masks.filter(|field| field.number == fields::RENDER_SUBPASS_INDEX_MASK);
    let (mut list, mut is_present) = (String::new(), false);
    for (mask, first) in
        masks.flat_map(|field| repeated(&field)).take(MAX_MASKS).zip((0..).step_by(64))
    {
        is_present = true;
        for bit in (0..64_u32).filter(|bit| mask >> bit & 1 != 0) {
            let comma = if list.is_empty() { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(list, "{comma}{}", first + bit);
        }
    }
    if is_present { tables.strings.intern(&list) } else { StringId::NULL }
}
