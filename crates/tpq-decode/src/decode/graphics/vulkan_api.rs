//! Calls of the Vulkan API: submissions to queues, and names that programs give objects.

use tpq_ingest::Route;
use tpq_proto::fields::{
    trace_packet,
    vulkan_api_event::{
        self, vk_debug_utils_object_name as object_name, vk_queue_submit as submit,
    },
};
use tpq_proto::wire::{Fields, LastFields, repeated};
use tpq_tables::{Stats, Tables};

use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::args::{ArgSet, ArgValue};
use tpq_trackers::track::{Dimensions, NewSlice, TrackKind, Trackers};

pub(crate) const PACKET: PacketDecoder =
    PacketDecoder { field: trace_packet::VULKAN_API_EVENT, route: Route::Sorted, decode };

const EVENTS: TrackKind = TrackKind::slices("vulkan_events");

/// Vulkan's numbers of the types of objects that render stages show.
pub(in crate::decode) mod object_type {
    pub(in crate::decode) const COMMAND_BUFFER: i32 = 6;
    pub(in crate::decode) const RENDER_PASS: i32 = 18;
    pub(in crate::decode) const FRAMEBUFFER: i32 = 24;
}

fn decode(packet: &Packet<'_>, trackers: &mut Trackers, tables: &mut Tables, stats: &mut Stats) {
    let event = LastFields::<3>::new(packet.data);
    if let Some(named) = event.get(vulkan_api_event::VK_DEBUG_UTILS_OBJECT_NAME) {
        let named = LastFields::<6>::new(named.as_bytes());
        let kind = named.int(object_name::OBJECT_TYPE) as i32;
        let name = tables.strings.intern_bytes(named.bytes(object_name::OBJECT_NAME));
        let handle = named.uint(object_name::OBJECT);
        trackers.source.render_stages.name_object(kind, handle, name);
    }
    if let Some(submission) = event.get(vulkan_api_event::VK_QUEUE_SUBMIT) {
        add_submission(packet, submission.as_bytes(), trackers, tables, stats);
    }
}

/// A program gives a queue command buffers to execute.
fn add_submission(
    packet: &Packet<'_>,
    message: &[u8],
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let fields = LastFields::<7>::new(message);
    let title = tables.strings.intern("Vulkan Events");
    let of = Dimensions::machine(packet.machine);
    let track = trackers.source.tracks.get(EVENTS, of, title, &mut trackers.deferred, tables);
    let mut args = ArgSet::default();
    for (key, number) in [("pid", submit::PID), ("tid", submit::TID)] {
        let id = ArgValue::Int(i64::from(fields.uint(number) as u32));
        args.add(tables.strings.intern(key), id);
    }
    add_buffers(message, &mut args, tables);
    let id = ArgValue::Int(i64::from(fields.uint(submit::SUBMISSION_ID) as u32));
    args.add(tables.strings.intern("submission_id"), id);
    let name = tables.strings.intern("vkQueueSubmit");
    let slice = NewSlice { ts: packet.ts(), track, name, ..NewSlice::default() };
    trackers.complete(slice, fields.int(submit::DURATION_NS), &args, tables, stats);
}

/// Adds the command buffers; the first also under a key of its own, as old queries expect it.
fn add_buffers(message: &[u8], args: &mut ArgSet, tables: &mut Tables) {
    let buffers = Fields::new(message);
    let buffers = buffers.filter(|field| field.number == submit::VK_COMMAND_BUFFERS);
    let array = tables.strings.intern("command_buffers");
    for (index, buffer) in buffers.flat_map(|field| repeated(&field)).enumerate() {
        let buffer = ArgValue::Uint(buffer);
        if index == 0 {
            args.add(tables.strings.intern("command_buffer"), buffer);
        }
        let key = tables.strings.intern(&format!("command_buffers[{index}]"));
        args.add_keyed(array, key, buffer);
    }
}
