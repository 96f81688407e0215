//! Which decoder takes which packets: one explicit list.

use tpq_ingest::{Bundle, Route, Router, SplitSink};

use crate::decode;
use crate::decode::{BundleDecoder, PacketDecoder};

/// Every decoder of packets. To add one, write its file and list it here.
pub(crate) const PACKETS: &[&PacketDecoder] = &[
    &decode::cpu_info::PACKET,
    &decode::frame_timeline::PACKET,
    &decode::ftrace::PACKET,
    &decode::ftrace_stats::PACKET,
    &decode::gpu_counter_event::PACKET,
    &decode::gpu_info::PACKET,
    &decode::gpu_mem_total_event::PACKET,
    &decode::android_log::PACKET,
    &decode::app_wakelock::PACKET,
    &decode::battery::PACKET,
    &decode::bluetooth::PACKET,
    &decode::cpu_per_uid::PACKET,
    &decode::display_state::PACKET,
    &decode::energy_breakdown::PACKET,
    &decode::entity_state::PACKET,
    &decode::game_intervention::PACKET,
    &decode::generic_kernel::CPU_FREQUENCY,
    &decode::generic_kernel::GPU_FREQUENCY,
    &decode::generic_kernel::PROCESS_TREE,
    &decode::generic_kernel::TASK_RENAME,
    &decode::generic_kernel::TASK_STATE,
    &decode::graphics_frame::PACKET,
    &decode::interrupt_info::PACKET,
    &decode::journald::PACKET,
    &decode::kernel_wakelock::PACKET,
    &decode::network_packet::BUNDLE_HEADER,
    &decode::network_packet::PACKET,
    &decode::packages_list::PACKET,
    &decode::perf_sample::PACKET,
    &decode::power_rails::PACKET,
    &decode::process_stats::PACKET,
    &decode::process_tree::PACKET,
    &decode::service_event::PACKET,
    &decode::smaps::PACKET,
    &decode::statsd_atom::PACKET,
    &decode::sys_stats::PACKET,
    &decode::system_info::PACKET,
    &decode::system_property::PACKET,
    &decode::trace_config::PACKET,
    &decode::trace_stats::PACKET,
    &decode::trace_uuid::PACKET,
    &decode::track_descriptor::PACKET,
    &decode::track_event::PACKET,
    &decode::trigger::CHROME,
    &decode::trigger::CLONE,
    &decode::trigger::TRIGGER,
    &decode::ui_state::PACKET,
    &decode::user_list::PACKET,
];

/// Every decoder of packets that are split into events, but for the kernel's.
pub(crate) const BUNDLES: &[&BundleDecoder] = &[
    &decode::android_log::EVENTS,
    &decode::app_wakelock::EVENTS,
    &decode::energy_breakdown::EVENTS,
    &decode::entity_state::EVENTS,
    &decode::network_packet::EVENTS,
    &decode::power_rails::EVENTS,
    &decode::statsd_atom::EVENTS,
];

/// The decoder of bundles of a payload field.
pub(crate) fn bundle_decoder(field: u32) -> Option<&'static BundleDecoder> {
    BUNDLES.iter().copied().find(|decoder| decoder.field == field)
}

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
        match bundle_decoder(kind) {
            Some(_) => Route::Split,
            None => packet_decoder(kind).map_or(Route::Skip, |decoder| decoder.route),
        }
    }

    fn split(&mut self, bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
        match bundle_decoder(bundle.kind) {
            Some(decoder) => (decoder.split)(bundle, sink),
            None => decode::ftrace::split(bundle, &mut self.last_events, sink),
        }
    }
}
