//! The configuration the trace was recorded with.

use tpq_ingest::Route;
use tpq_proto::fields::trace_packet;
use tpq_proto::message::trace_config::BufferConfig;
use tpq_proto::message::trace_config::buffer_config::FillPolicy;
use tpq_proto::message::{FtraceConfig, TraceConfig};
use tpq_proto::{decode, text};
use tpq_tables::{Stat, Stats, Tables};

use crate::decode::recorder::trace_attributes;
use crate::decode::recorder::trace_uuid::format_uuid;
use crate::decode::{Packet, PacketDecoder};
use tpq_trackers::track::{self, MetadataValue, RequestedConfig, RequestedFtrace, Trackers};

pub(crate) const PACKET: PacketDecoder = PacketDecoder {
    field: trace_packet::TRACE_CONFIG,
    route: Route::Immediate,
    decode: decode_config,
};

fn decode_config(
    packet: &Packet<'_>,
    trackers: &mut Trackers,
    tables: &mut Tables,
    stats: &mut Stats,
) {
    let config = text::print::<TraceConfig>(packet.data);
    trackers.metadata.set_text("trace_config_pbtxt", &config, tables);
    let Ok(config) = decode::<TraceConfig>(packet.data) else { return };
    // Recorders that write no packet of its own for the id state it here.
    if let (Some(msb), Some(lsb)) = (config.trace_uuid_msb, config.trace_uuid_lsb) {
        let uuid = format_uuid(msb as u64, lsb as u64);
        trackers.metadata.set_text("trace_uuid", &uuid, tables);
    }
    let name = config.unique_session_name();
    trackers.metadata.set_text("unique_session_name", name, tables);
    trackers.file.recording.requested = Some(requested(&config));
    for attribute in config.trace_attributes.iter().flat_map(|it| &it.attribute) {
        trace_attributes::note(attribute, &mut trackers.metadata, tables);
    }
    let statsd = config.statsd_metadata.as_ref();
    if let Some(subscription) = statsd.and_then(|statsd| statsd.triggering_subscription_id) {
        let subscription = MetadataValue::Int(subscription);
        trackers.metadata.set("statsd_triggering_subscription_id", subscription, tables);
    }
    if config.write_into_file() {
        // A buffer that is drained into a file does not fill up while it is drained in time, so
        // one that discards loses data where a ring would lose none.
        for (index, buffer) in config.buffers.iter().enumerate() {
            if buffer.fill_policy() == FillPolicy::Discard {
                stats.set_indexed(Stat::ConfigWriteIntoFileDiscard, index as i64, 1);
            }
        }
    }
}

/// The parts of the configuration that decide possible losses.
fn requested(config: &TraceConfig) -> RequestedConfig {
    let policy = |buffer: &BufferConfig| match buffer.fill_policy() {
        FillPolicy::Discard => track::FillPolicy::Discard,
        _ => track::FillPolicy::Ring,
    };
    let sources = || config.data_sources.iter().filter_map(|source| source.config.as_ref());
    let ftrace = || sources().filter_map(|source| source.ftrace_config.as_ref());
    let given = |value: u32| Some(value).filter(|&value| value > 0);
    RequestedConfig {
        buffers: config.buffers.iter().map(policy).collect(),
        sources: sources().map(|it| (it.name().to_owned(), it.target_buffer())).collect(),
        // The recorder's own period where none is given.
        file_write_period_ms: config
            .write_into_file()
            .then(|| given(config.file_write_period_ms()).unwrap_or(5000)),
        flush_period_ms: given(config.flush_period_ms()),
        clear_period_ms: config
            .incremental_state_config
            .as_ref()
            .and_then(|state| given(state.clear_period_ms())),
        shmem_size_kb: config.producers.iter().map(|it| it.shm_size_kb()).max().and_then(given),
        kernel_buffer_kb: ftrace().map(|it| it.buffer_size_kb()).max().and_then(given),
        drain_period_ms: ftrace().map(|it| it.drain_period_ms()).max().and_then(given),
        ftrace: ftrace().map(requested_ftrace).collect(),
        heap_sampling_intervals: sources()
            .filter_map(|source| source.heapprofd_config.as_ref()?.sampling_interval_bytes)
            .collect(),
    }
}

fn requested_ftrace(config: &FtraceConfig) -> RequestedFtrace {
    RequestedFtrace {
        events: config.ftrace_events.clone(),
        buffer_size_kb: config.buffer_size_kb,
        drain_period_ms: config.drain_period_ms,
        filters_syscalls: !config.syscall_events.is_empty(),
        symbolize_ksyms: config.symbolize_ksyms(),
        function_graph: config.enable_function_graph(),
        preserve_buffer: config.preserve_ftrace_buffer(),
    }
}
