//! Which decoder takes which packets: one explicit list.

use tpq_ingest::{Bundle, Route, Router, SplitSink};

use crate::decode;
use crate::decode::PacketDecoder;

/// Every decoder of packets. To add one, write its file and list it here.
pub(crate) const PACKETS: &[&PacketDecoder] = &[
    &decode::cpu_info::PACKET,
    &decode::frame_timeline::PACKET,
    &decode::ftrace::PACKET,
    &decode::ftrace_stats::PACKET,
    &decode::gpu_counter_event::PACKET,
    &decode::gpu_info::PACKET,
    &decode::gpu_mem_total_event::PACKET,
    &decode::perf_sample::PACKET,
    &decode::process_stats::PACKET,
    &decode::process_tree::PACKET,
    &decode::service_event::PACKET,
    &decode::smaps::PACKET,
    &decode::sys_stats::PACKET,
    &decode::system_info::PACKET,
    &decode::trace_config::PACKET,
    &decode::trace_stats::PACKET,
    &decode::trace_uuid::PACKET,
    &decode::track_descriptor::PACKET,
    &decode::track_event::PACKET,
];

/// The decoder of a payload field.
pub(crate) fn packet_decoder(field: u32) -> Option<&'static PacketDecoder> {
    PACKETS.iter().copied().find(|decoder| decoder.field == field)
}

/// Tells the earlier stages which packets are wanted and splits bundles.
#[derive(Debug, Default)]
pub struct PacketRouter {
    last_events: decode::ftrace::LastEvents,
}

impl Router for PacketRouter {
    fn route(&self, kind: u32) -> Route {
        packet_decoder(kind).map_or(Route::Skip, |decoder| decoder.route)
    }

    fn split(&mut self, bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
        decode::ftrace::split(bundle, &mut self.last_events, sink);
    }
}
