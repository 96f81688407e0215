//! The field numbers that the builders write, in one module for each message.
//!
//! They are copied by hand from the published format. A test compares each with the list of facts.

/// Declares the field numbers of messages, and a list of all in [`ALL`].
macro_rules! field_numbers {
    ($($module:ident = $message:literal { $($field:ident = $number:literal),+ $(,)? })+) => {
        $(
            #[doc = concat!("Field numbers of `", $message, "`.")]
            #[expect(non_snake_case, reason = "named as the message is")]
            pub mod $module {
                #![expect(non_upper_case_globals, missing_docs, reason = "named as the fields are")]
                $(pub const $field: u32 = $number;)+
            }
        )+

        /// Message, field and number of all fields that the builders can write.
        pub const ALL: &[(&str, &str, u32)] =
            &[$($(($message, stringify!($field), $number),)+)+];
    };
}

field_numbers! {
    Trace = "Trace" { packet = 1 }
    TracePacket = "TracePacket" {
        timestamp = 8, timestamp_clock_id = 58, trusted_packet_sequence_id = 10, trusted_uid = 3,
        trusted_pid = 79, sequence_flags = 13, previous_packet_dropped = 42,
        first_packet_on_sequence = 87, incremental_state_cleared = 41, machine_id = 98,
        interned_data = 12, trace_packet_defaults = 59, clock_snapshot = 6,
        track_descriptor = 60, track_event = 11, ftrace_events = 1, ftrace_stats = 34,
        process_tree = 2, process_stats = 9, trace_stats = 35, trace_config = 33, trace_uuid = 89,
        system_info = 45, service_event = 69, compressed_packets = 50,
        zstd_compressed_packets = 133, remote_clock_sync = 107, for_testing = 900,
    }
    TracePacketDefaults = "TracePacketDefaults" {
        timestamp_clock_id = 58, track_event_defaults = 11,
    }
    TrackEventDefaults = "TrackEventDefaults" { track_uuid = 11, extra_counter_track_uuids = 31 }
    InternedData = "InternedData" {
        event_categories = 1, event_names = 2, debug_annotation_names = 3,
        debug_annotation_string_values = 29,
    }
    EventCategory = "EventCategory" { iid = 1, name = 2 }
    EventName = "EventName" { iid = 1, name = 2 }
    DebugAnnotationName = "DebugAnnotationName" { iid = 1, name = 2 }
    InternedString = "InternedString" { iid = 1, str = 2 }
    ClockSnapshot = "ClockSnapshot" { clocks = 1, primary_trace_clock = 2 }
    Clock = "ClockSnapshot.Clock" {
        clock_id = 1, timestamp = 2, is_incremental = 3, unit_multiplier_ns = 4,
    }
    RemoteClockSync = "RemoteClockSync" { synced_clocks = 1 }
    SyncedClocks = "RemoteClockSync.SyncedClocks" { client_clocks = 2, host_clocks = 3 }
    TrackDescriptor = "TrackDescriptor" {
        uuid = 1, parent_uuid = 5, name = 2, process = 3, thread = 4, counter = 8,
    }
    ProcessDescriptor = "ProcessDescriptor" { pid = 1, cmdline = 2, process_name = 6 }
    ThreadDescriptor = "ThreadDescriptor" { pid = 1, tid = 2, thread_name = 5 }
    CounterDescriptor = "CounterDescriptor" {
        unit = 3, unit_name = 6, unit_multiplier = 4, is_incremental = 5,
    }
    TrackEvent = "TrackEvent" {
        r#type = 9, track_uuid = 11, name = 23, name_iid = 10, categories = 22, category_iids = 3,
        counter_value = 30, double_counter_value = 44, extra_counter_values = 12,
        extra_counter_track_uuids = 31, flow_ids = 47, terminating_flow_ids = 48,
        debug_annotations = 4,
    }
    DebugAnnotation = "DebugAnnotation" {
        name = 10, name_iid = 1, bool_value = 2, uint_value = 3, int_value = 4, double_value = 5,
        string_value = 6, pointer_value = 7, legacy_json_value = 9, dict_entries = 11,
        array_values = 12, string_value_iid = 17,
    }
    FtraceEventBundle = "FtraceEventBundle" {
        cpu = 1, event = 2, lost_events = 3, compact_sched = 4, ftrace_clock = 5,
        ftrace_timestamp = 6, boot_timestamp = 7, last_read_event_timestamp = 9,
        previous_bundle_end_timestamp = 10,
    }
    CompactSched = "FtraceEventBundle.CompactSched" {
        switch_timestamp = 1, switch_prev_state = 2, switch_next_pid = 3, switch_next_prio = 4,
        intern_table = 5, switch_next_comm_index = 6, waking_timestamp = 7, waking_pid = 8,
        waking_target_cpu = 9, waking_prio = 10, waking_comm_index = 11, waking_common_flags = 12,
    }
    FtraceEvent = "FtraceEvent" {
        timestamp = 1, pid = 2, common_flags = 5, print = 3, sched_switch = 4, cpu_frequency = 11,
        sched_wakeup = 17, sched_waking = 20, sched_wakeup_new = 114, task_newtask = 235,
        task_rename = 236, sched_process_exec = 237, sched_process_exit = 238,
        sched_process_fork = 239, sched_process_free = 240,
    }
    SchedSwitch = "SchedSwitchFtraceEvent" {
        prev_comm = 1, prev_pid = 2, prev_prio = 3, prev_state = 4, next_comm = 5, next_pid = 6,
        next_prio = 7,
    }
    SchedWaking = "SchedWakingFtraceEvent" {
        comm = 1, pid = 2, prio = 3, success = 4, target_cpu = 5,
    }
    SchedWakeup = "SchedWakeupFtraceEvent" {
        comm = 1, pid = 2, prio = 3, success = 4, target_cpu = 5,
    }
    SchedWakeupNew = "SchedWakeupNewFtraceEvent" {
        comm = 1, pid = 2, prio = 3, success = 4, target_cpu = 5,
    }
    TaskNewtask = "TaskNewtaskFtraceEvent" { pid = 1, comm = 2, clone_flags = 3, oom_score_adj = 4 }
    TaskRename = "TaskRenameFtraceEvent" { pid = 1, oldcomm = 2, newcomm = 3, oom_score_adj = 4 }
    SchedProcessExit = "SchedProcessExitFtraceEvent" { comm = 1, pid = 2, tgid = 3, prio = 4 }
    SchedProcessFree = "SchedProcessFreeFtraceEvent" { comm = 1, pid = 2, prio = 3 }
    SchedProcessFork = "SchedProcessForkFtraceEvent" {
        parent_comm = 1, parent_pid = 2, child_comm = 3, child_pid = 4,
    }
    SchedProcessExec = "SchedProcessExecFtraceEvent" { filename = 1, pid = 2, old_pid = 3 }
    CpuFrequency = "CpuFrequencyFtraceEvent" { state = 1, cpu_id = 2 }
    Print = "PrintFtraceEvent" { ip = 1, buf = 2 }
    ProcessTree = "ProcessTree" { processes = 1, threads = 2 }
    Process = "ProcessTree.Process" {
        pid = 1, ppid = 2, cmdline = 3, uid = 5, process_start_from_boot = 7,
    }
    Thread = "ProcessTree.Thread" { tid = 1, name = 2, tgid = 3 }
    ProcessStats = "ProcessStats" { processes = 1 }
    ProcessStatsProcess = "ProcessStats.Process" {
        pid = 1, vm_size_kb = 2, vm_rss_kb = 3, oom_score_adj = 10,
    }
    TraceStats = "TraceStats" {
        buffer_stats = 1, producers_connected = 2, producers_seen = 3, data_sources_registered = 4,
        data_sources_seen = 5, tracing_sessions = 6, total_buffers = 7, chunks_discarded = 8,
        patches_discarded = 9, invalid_packets = 10, flushes_requested = 12,
        flushes_succeeded = 13, flushes_failed = 14, writer_stats = 18,
    }
    WriterStats = "TraceStats.WriterStats" { sequence_id = 1, buffer = 4 }
    BufferStats = "TraceStats.BufferStats" {
        buffer_size = 12, bytes_written = 1, bytes_overwritten = 13, chunks_written = 2,
        chunks_overwritten = 3, chunks_discarded = 18, patches_failed = 6, abi_violations = 9,
        trace_writer_packet_loss = 19, write_wrap_count = 4,
    }
    FtraceStats = "FtraceStats" { phase = 1, cpu_stats = 2 }
    FtraceCpuStats = "FtraceCpuStats" {
        cpu = 1, entries = 2, overrun = 3, commit_overrun = 4, bytes_read = 5, dropped_events = 8,
        read_events = 9,
    }
    SystemInfo = "SystemInfo" {
        utsname = 1, android_build_fingerprint = 2, tracing_service_version = 4,
        timezone_off_mins = 7, num_cpus = 8,
        page_size = 6, system_ram_bytes = 16, machine_name = 17,
    }
    Utsname = "Utsname" { sysname = 1, version = 2, release = 3, machine = 4 }
    TraceUuid = "TraceUuid" { msb = 1, lsb = 2 }
    TraceConfig = "TraceConfig" { buffers = 1, duration_ms = 3, unique_session_name = 22 }
    BufferConfig = "TraceConfig.BufferConfig" { size_kb = 1, fill_policy = 4 }
    ServiceEvent = "TracingServiceEvent" {
        all_data_sources_started = 1, tracing_started = 2, all_data_sources_flushed = 3,
        read_tracing_buffers_completed = 4, tracing_disabled = 5, flush_started = 9,
    }
}
