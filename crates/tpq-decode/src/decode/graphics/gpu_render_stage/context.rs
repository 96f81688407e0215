//! Contexts in which programs use a GPU.

use tpq_proto::fields::{interned_data, interned_graphics_context};
use tpq_proto::message::interned_graphics_context::Api;
use tpq_proto::wire::LastFields;
use tpq_tables::table::GpuContextRow;
use tpq_tables::{Stats, StringId, Tables};

use crate::decode::Packet;
use tpq_trackers::track::Trackers;

/// A context that was interned.
pub(super) struct Context {
    /// The kernel's id of the process; 0 where it is not stated.
    pub(super) pid: i32,
}

/// The interned context of an id, which gets a row. A missing one is counted.
pub(super) fn find(
    packet: &Packet<'_>,
    id: u64,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) -> Option<Context> {
    let message = packet.interned_message(interned_data::GRAPHICS_CONTEXTS, id, stats)?;
    let fields = LastFields::<4>::new(message);
    let pid = fields.get(interned_graphics_context::PID).map(|pid| pid.as_i32());
    let api = match fields.get(interned_graphics_context::API) {
        Some(api) => tables.strings.intern(api_name(api.as_i32())),
        None => StringId::NULL,
    };
    let row = GpuContextRow { context_id: id as i64, pid: pid.map(|pid| pid as u32), api };
    trackers.source.render_stages.add_context(row, tables);
    Some(Context { pid: pid.unwrap_or_default() })
}

fn api_name(api: i32) -> &'static str {
    match Api::try_from(api) {
        Ok(Api::OpenGl) => "OPEN_GL",
        Ok(Api::Vulkan) => "VULKAN",
        Ok(Api::OpenCl) => "OPEN_CL",
        Ok(Api::Cuda) => "CUDA",
        Ok(Api::Hip) => "HIP",
        Ok(Api::Undefined) | Err(_) => "UNDEFINED",
    }
}
