//! What a configuration asks for, and whether the trace has any of it.

use std::collections::BTreeSet;

use tpq_proto::fields::trace_packet as packet;
use tpq_tables::Tables;
use tpq_tables::table::TraceRequestRow;

use super::FileHealth;

/// Requests of one file that are listed; configurations name a few hundred.
const MOST_REQUESTS: usize = 10_000;

/// Data sources, by name, and the payload fields of packets that they write.
const SOURCES: &[(&str, &[u32])] = &[
    ("android.aflags", &[packet::ANDROID_AFLAGS]),
    ("android.app_wakelocks", &[packet::APP_WAKELOCK_BUNDLE]),
    ("android.cpu_per_uid", &[packet::CPU_PER_UID_DATA]),
    ("android.display.video", &[packet::VIDEO_FRAME]),
    ("android.game_interventions", &[packet::ANDROID_GAME_INTERVENTION_LIST]),
    ("android.gpu.memory", &[packet::GPU_MEM_TOTAL_EVENT]),
    ("android.heapprofd", &[packet::PROFILE_PACKET]),
    ("android.java_hprof", &[packet::HEAP_GRAPH]),
    ("android.kernel_wakelocks", &[packet::KERNEL_WAKELOCK_DATA]),
    ("android.log", &[packet::ANDROID_LOG]),
    ("android.network_packets", &[packet::NETWORK_PACKET, packet::NETWORK_PACKET_BUNDLE]),
    ("android.packages_list", &[packet::PACKAGES_LIST]),
    ("android.polled_state", &[packet::INITIAL_DISPLAY_STATE]),
    (
        "android.power",
        &[
            packet::BATTERY,
            packet::POWER_RAILS,
            packet::ENTITY_STATE_RESIDENCY,
            packet::ANDROID_ENERGY_ESTIMATION_BREAKDOWN,
        ],
    ),
    ("android.protolog", &[packet::PROTOLOG_MESSAGE]),
    ("android.statsd", &[packet::STATSD_ATOM]),
    ("android.surfaceflinger.frame", &[packet::GRAPHICS_FRAME_EVENT]),
    ("android.surfaceflinger.frametimeline", &[packet::FRAME_TIMELINE_EVENT]),
    ("android.surfaceflinger.layers", &[packet::SURFACEFLINGER_LAYERS_SNAPSHOT]),
    ("android.surfaceflinger.transactions", &[packet::SURFACEFLINGER_TRANSACTIONS]),
    ("android.system_property", &[packet::ANDROID_SYSTEM_PROPERTY]),
    ("android.user_list", &[packet::USER_LIST]),
    ("com.android.wm.shell.transition", &[packet::SHELL_TRANSITION]),
    ("gpu.counters", &[packet::GPU_COUNTER_EVENT]),
    ("gpu.renderstages", &[packet::GPU_RENDER_STAGE_EVENT]),
    ("linux.ftrace", &[packet::FTRACE_EVENTS]),
    ("linux.inode_file_map", &[packet::INODE_FILE_MAP]),
    ("linux.perf", &[packet::PERF_SAMPLE]),
    ("linux.process_stats", &[packet::PROCESS_TREE, packet::PROCESS_STATS]),
    ("linux.sys_stats", &[packet::SYS_STATS]),
    ("linux.system_info", &[packet::CPU_INFO]),
    ("linux.systemd_journald", &[packet::JOURNALD_EVENT]),
    ("org.chromium.trace_event", &[packet::TRACK_EVENT, packet::CHROME_EVENTS]),
    ("org.chromium.trace_metadata", &[packet::CHROME_METADATA, packet::CHROME_EVENTS]),
    ("track_event", &[packet::TRACK_EVENT]),
    ("vulkan.memory_tracker", &[packet::VULKAN_MEMORY_EVENT]),
];

/// Writes what a file's configuration asks for; `kernel_events` are those that the file has.
pub(super) fn write(file: &FileHealth<'_>, kernel_events: &BTreeSet<String>, tables: &mut Tables) {
    let Some(requested) = &file.recording.requested else { return };
    let kinds = &file.recording.packet_kinds;
    let mut listed = BTreeSet::new();
    let sources = requested.sources.iter().map(|(name, _)| {
        let packets = SOURCES.iter().find(|(source, _)| source == name);
        let is_recorded = packets.map(|(_, packets)| packets.iter().any(|it| kinds.contains(it)));
        ("data_source", name.as_str(), is_recorded)
    });
    let events = requested.ftrace.iter().flat_map(|ftrace| &ftrace.events);
    // What a pattern stands for depends on the kernel.
    let events = events
        .filter(|event| !event.contains('*'))
        .map(|event| ("kernel_event", event.as_str(), Some(has_event(kernel_events, event))));
    for (kind, name, is_recorded) in sources.chain(events).take(MOST_REQUESTS) {
        if listed.insert((kind, name)) {
            let [kind, name] = [kind, name].map(|text| tables.strings.intern(text));
            let is_recorded = is_recorded.map(u32::from);
            let trace_id = file.file;
            tables.trace_request.push(TraceRequestRow { kind, name, is_recorded, trace_id });
        }
    }
}

/// Whether there are events of a name such as `sched/sched_switch`. In traces, the name of an
/// event has its group where other groups have an event of the same name.
fn has_event(seen: &BTreeSet<String>, event: &str) -> bool {
    match event.split_once('/') {
        Some((group, name)) => seen.contains(name) || seen.contains(&format!("{group}_{name}")),
        None => seen.contains(event),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_source_is_listed_once() {
        assert!(SOURCES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn events_are_found_by_name_or_with_their_group() {
        let seen = BTreeSet::from(["sched_switch", "mali_tracing_mark_write"].map(str::to_owned));
        assert!(has_event(&seen, "sched/sched_switch"));
        assert!(has_event(&seen, "sched_switch"));
        assert!(has_event(&seen, "mali/tracing_mark_write"));
        assert!(!has_event(&seen, "dpu/tracing_mark_write"));
    }
}
