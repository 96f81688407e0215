//! The list of decoders, by payload field.

use tpq_ingest::{Bundle, Route, Router, RunKind, SplitSink};
use tpq_proto::fields::trace_packet;
use tpq_tables::{TableGroup, TableGroups};

use crate::decode;
use crate::decode::{BundleDecoder, DecodeEvent, PacketDecoder};

/// Every decoder of packets. To add one, write its file and list it here.
pub(crate) const PACKETS: &[&PacketDecoder] = &[
    &decode::android::aflags::PACKET,
    &decode::android::android_log::PACKET,
    &decode::power::app_wakelock::PACKET,
    &decode::power::battery::PACKET,
    &decode::network::bluetooth::PACKET,
    &decode::chrome::chrome_events::PACKET,
    &decode::chrome::chrome_metadata::BENCHMARK,
    &decode::chrome::chrome_metadata::PACKET,
    &decode::chrome::memory_tracker_snapshot::PACKET,
    &decode::kernel::cpu_info::PACKET,
    &decode::power::cpu_per_uid::PACKET,
    &decode::graphics::display_state::PACKET,
    &decode::power::energy_breakdown::PACKET,
    &decode::power::entity_state::PACKET,
    &decode::recorder::extension_descriptor::PACKET,
    &decode::graphics::frame_timeline::PACKET,
    &decode::kernel::ftrace::PACKET,
    &decode::kernel::ftrace_stats::PACKET,
    &decode::android::game_intervention::PACKET,
    &decode::kernel::generic_kernel::CPU_FREQUENCY,
    &decode::kernel::generic_kernel::GPU_FREQUENCY,
    &decode::kernel::generic_kernel::PROCESS_TREE,
    &decode::kernel::generic_kernel::TASK_RENAME,
    &decode::kernel::generic_kernel::TASK_STATE,
    &decode::graphics::gpu_counter_event::PACKET,
    &decode::graphics::gpu_info::PACKET,
    &decode::graphics::gpu_log::PACKET,
    &decode::graphics::gpu_mem_total_event::PACKET,
    &decode::graphics::gpu_render_stage::PACKET,
    &decode::graphics::graphics_frame::PACKET,
    &decode::heap::art_process_metadata::PACKET,
    &decode::heap::heap_graph::PACKET,
    &decode::heap::heap_profile::PACKET,
    &decode::kernel::interrupt_info::PACKET,
    &decode::kernel::journald::PACKET,
    &decode::power::kernel_wakelock::PACKET,
    &decode::network::network_packet::BUNDLE_HEADER,
    &decode::network::network_packet::PACKET,
    &decode::android::packages_list::PACKET,
    &decode::android::pixel_modem::PACKET,
    &decode::android::pixel_modem::TOKENS,
    &decode::profilers::deobfuscation::PACKET,
    &decode::profilers::perf_sample::PACKET,
    &decode::profilers::stack_sample::PACKET,
    &decode::profilers::symbols::PACKET,
    &decode::profilers::v8::CODE_MOVE,
    &decode::profilers::v8::INTERNAL_CODE,
    &decode::profilers::v8::JS_CODE,
    &decode::profilers::v8::REGEXP_CODE,
    &decode::profilers::v8::WASM_CODE,
    &decode::power::power_rails::PACKET,
    &decode::process::process_descriptor::PACKET,
    &decode::process::process_stats::PACKET,
    &decode::process::process_tree::PACKET,
    &decode::recorder::metatrace::PACKET,
    &decode::recorder::service_event::PACKET,
    &decode::process::smaps::PACKET,
    &decode::android::statsd_atom::PACKET,
    &decode::kernel::sys_stats::PACKET,
    &decode::kernel::system_info::PACKET,
    &decode::android::system_property::PACKET,
    &decode::process::thread_descriptor::PACKET,
    &decode::recorder::trace_attributes::PACKET,
    &decode::recorder::concurrent_session::PACKET,
    &decode::recorder::trace_config::PACKET,
    &decode::recorder::trace_stats::PACKET,
    &decode::recorder::trace_uuid::PACKET,
    &decode::track_event::track_descriptor::PACKET,
    &decode::track_event::PACKET,
    &decode::track_event::RANGE_OF_INTEREST,
    &decode::recorder::trigger::CHROME,
    &decode::recorder::trigger::CLONE,
    &decode::recorder::trigger::TRIGGER,
    &decode::recorder::ui_state::PACKET,
    &decode::android::user_list::PACKET,
    &decode::graphics::vulkan_api::PACKET,
    &decode::graphics::vulkan_memory::PACKET,
    &decode::android::video_frame::ERROR,
    &decode::winscope::LAYERS,
    &decode::winscope::protolog::MESSAGE,
    &decode::winscope::protolog::VIEWER_CONFIG,
    &decode::winscope::shell_transition::HANDLERS,
    &decode::winscope::shell_transition::TRANSITION,
    &decode::winscope::transactions::PACKET,
    &decode::winscope::winscope_extensions::PACKET,
];

/// Every decoder of packets that are split into events, except the kernel's.
pub(crate) const BUNDLES: &[&BundleDecoder] = &[
    &decode::android::android_log::EVENTS,
    &decode::power::app_wakelock::EVENTS,
    &decode::android::pixel_modem::EVENTS,
    &decode::power::energy_breakdown::EVENTS,
    &decode::power::entity_state::EVENTS,
    &decode::kernel::etw::EVENTS,
    &decode::network::network_packet::EVENTS,
    &decode::power::power_rails::EVENTS,
    &decode::profilers::streaming_profile::EVENTS,
    &decode::android::statsd_atom::EVENTS,
    &decode::android::video_frame::FRAMES,
];

/// The decoder of bundles of a payload field.
pub(crate) fn bundle_decoder(field: u32) -> Option<&'static BundleDecoder> {
    BUNDLES.iter().copied().find(|decoder| decoder.field == field)
}

/// The decoder of events of a run.
pub(crate) fn event_decoder(kind: RunKind) -> Option<DecodeEvent> {
    match decode::field_of(kind) {
        None => Some(decode::kernel::ftrace::decode_run_event),
        Some(field) => bundle_decoder(field).map(|decoder| decoder.decode),
    }
}

/// The decoder of a payload field.
pub(crate) fn packet_decoder(field: u32) -> Option<&'static PacketDecoder> {
    PACKETS.iter().copied().find(|decoder| decoder.field == field)
}

/// The decoders of packets of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Treatment {
    /// They contain other packets or clock snapshots, or say what other packets mean or how to patch
    /// them; they are read before all events.
    Transport,
    /// A decoder reads them.
    Decoded,
    /// The trace processor fills no table from them, and no decoder reads them; they are counted by
    /// kind.
    NoTable,
    /// No decoder reads them; they are counted by kind.
    NotYet,
}

/// Kinds of packets that the stages before decoding read.
const TRANSPORT: &[u32] = &[
    trace_packet::CLOCK_SNAPSHOT,
    trace_packet::SYNCHRONIZATION_MARKER,
    trace_packet::COMPRESSED_PACKETS,
    trace_packet::ZSTD_COMPRESSED_PACKETS,
    trace_packet::REMOTE_CLOCK_SYNC,
    trace_packet::TRANSLATION_TABLE,
    trace_packet::TRACE_PROVENANCE,
    trace_packet::PROTOVMS,
];

/// Kinds of packets that the trace processor fills no table from.
const NO_TABLE: &[u32] = &[
    trace_packet::INODE_FILE_MAP,
    trace_packet::STREAMING_ALLOCATION,
    trace_packet::STREAMING_FREE,
    trace_packet::EVDEV_EVENT,
    trace_packet::FOR_TESTING,
    trace_packet::ANDROID_PROCESS_STATE,
    trace_packet::ANDROID_FREEZER_STATE,
];

/// The route of packets with this payload field.
pub fn treatment(field: u32) -> Treatment {
    if TRANSPORT.contains(&field) {
        return Treatment::Transport;
    }
    match packet_decoder(field).is_some() || bundle_decoder(field).is_some() {
        true => Treatment::Decoded,
        false if NO_TABLE.contains(&field) => Treatment::NoTable,
        false => Treatment::NotYet,
    }
}

/// The kernel's events that become rows of tables other than `ftrace_event`, by name.
pub fn kernel_events_with_tables() -> Vec<&'static str> {
    let kinds = decode::kernel::ftrace::numbers().filter_map(tpq_proto::ftrace::event_kind);
    let mut names: Vec<&str> = kinds.map(|kind| kind.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Declares the wanted packets to the earlier stages, and splits bundles.
#[derive(Debug)]
pub struct PacketRouter {
    /// By payload field.
    routes: Vec<Route>,
    kernel: decode::kernel::ftrace::KernelBundles,
}

impl Default for PacketRouter {
    fn default() -> Self {
        Self::new(TableGroups::NONE)
    }
}

impl PacketRouter {
    /// A router that leaves out events which only the tables of `left_out` have, as far as it
    /// can tell.
    pub fn new(left_out: TableGroups) -> Self {
        let packets = PACKETS.iter().map(|decoder| (decoder.field, decoder.route));
        let bundles = BUNDLES.iter().map(|decoder| (decoder.field, Route::Split));
        let mut routes = Vec::new();
        // A packet that is split may have a decoder for what its events share.
        for (field, route) in packets.chain(bundles) {
            let field = field as usize;
            if field >= routes.len() {
                routes.resize(field + 1, Route::Skip);
            }
            routes[field] = route;
        }
        let leaves_out_tracks = left_out.contains(TableGroup::Tracks);
        Self { routes, kernel: decode::kernel::ftrace::KernelBundles::new(leaves_out_tracks) }
    }
}

impl Router for PacketRouter {
    fn route(&self, kind: u32) -> Route {
        self.routes.get(kind as usize).copied().unwrap_or(Route::Skip)
    }

    fn split(&mut self, bundle: Bundle<'_>, sink: &mut SplitSink<'_>) {
        match bundle_decoder(bundle.kind) {
            Some(decoder) => (decoder.split)(bundle, sink),
            None => decode::kernel::ftrace::split(bundle, &mut self.kernel, sink),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_has_one_decoder() {
        let mut fields: Vec<u32> = PACKETS.iter().map(|decoder| decoder.field).collect();
        fields.sort_unstable();
        assert!(fields.windows(2).all(|pair| pair[0] != pair[1]), "{fields:?}");
        let mut events: Vec<u32> = decode::kernel::ftrace::numbers().collect();
        events.sort_unstable();
        let twice: Vec<_> = events.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "kernel events with two decoders: {twice:?}");
    }

    #[test]
    fn routes_of_packets() {
        assert_eq!(treatment(1), Treatment::Decoded);
        assert_eq!(treatment(trace_packet::COMPRESSED_PACKETS), Treatment::Transport);
        assert_eq!(treatment(60_000), Treatment::NotYet);
        assert!(kernel_events_with_tables().contains(&"sched_switch"));
    }
}
