//! Every stat there is: name, kind, severity, source, scope and meaning.
//!
//! Severities follow the rule that whatever was recorded and then lost is `data_loss`, however it
//! was lost: a wrapped ring buffer and an overrun kernel buffer count.

catalogue! {
    AndroidAflagsErrors = "android_aflags_errors": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidBrParseErrors = "android_br_parse_errors": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidLogNumFailed = "android_log_num_failed": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidLogFormatInvalid = "android_log_format_invalid": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidLogNumSkipped = "android_log_num_skipped": Single, Info, Trace, MachineAndTrace,
        "";
    AndroidLogNumTotal = "android_log_num_total": Single, Info, Trace, MachineAndTrace,
        "";
    AndroidVideoSizeCapHit = "android_video_size_cap_hit": Single, DataLoss, Trace, MachineAndTrace,
        "";
    AndroidVideoCodecError = "android_video_codec_error": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidVideoDisplayGone = "android_video_display_gone": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidVideoNoEncoder = "android_video_no_encoder": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidVideoDisplayNotFound = "android_video_display_not_found": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidVideoEncoderSetupFailed = "android_video_encoder_setup_failed": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidVideoVirtualDisplayFailed = "android_video_virtual_display_failed": Single, Error, Trace, MachineAndTrace,
        "";
    AndroidVideoParseSizeCapHit = "android_video_parse_size_cap_hit": Single, DataLoss, Trace, MachineAndTrace,
        "";
    DeobfuscateLocationParseError = "deobfuscate_location_parse_error": Single, Error, Analysis, Global,
        "";
    EnergyBreakdownMissingValues = "energy_breakdown_missing_values": Single, Error, Analysis, MachineAndTrace,
        "";
    EnergyDescriptorInvalid = "energy_descriptor_invalid": Single, Error, Analysis, MachineAndTrace,
        "";
    EntityStateDescriptorInvalid = "entity_state_descriptor_invalid": Single, Error, Analysis, MachineAndTrace,
        "";
    EntityStateResidencyInvalid = "entity_state_residency_invalid": Single, Error, Analysis, MachineAndTrace,
        "";
    EntityStateResidencyLookupFailed = "entity_state_residency_lookup_failed": Single, Error, Analysis, MachineAndTrace,
        "";
    EnergyUidBreakdownMissingValues = "energy_uid_breakdown_missing_values": Single, Error, Analysis, MachineAndTrace,
        "";
    FrameTimelineEventParserErrors = "frame_timeline_event_parser_errors": Single, Info, Analysis, MachineAndTrace,
        "";
    FrameTimelineUnpairedEndEvent = "frame_timeline_unpaired_end_event": Single, Info, Analysis, MachineAndTrace,
        "";
    FtraceBundleTokenizerErrors = "ftrace_bundle_tokenizer_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    FtraceCpuBytesBegin = "ftrace_cpu_bytes_begin": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuBytesEnd = "ftrace_cpu_bytes_end": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuBytesDelta = "ftrace_cpu_bytes_delta": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuCommitOverrunBegin = "ftrace_cpu_commit_overrun_begin": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuCommitOverrunEnd = "ftrace_cpu_commit_overrun_end": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuCommitOverrunDelta = "ftrace_cpu_commit_overrun_delta": Indexed, Error, Trace, MachineAndTrace,
        "";
    FtraceCpuDroppedEventsBegin = "ftrace_cpu_dropped_events_begin": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuDroppedEventsEnd = "ftrace_cpu_dropped_events_end": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuDroppedEventsDelta = "ftrace_cpu_dropped_events_delta": Indexed, Error, Trace, MachineAndTrace,
        "";
    FtraceCpuEntriesBegin = "ftrace_cpu_entries_begin": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuEntriesEnd = "ftrace_cpu_entries_end": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuEntriesDelta = "ftrace_cpu_entries_delta": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuNowTsBegin = "ftrace_cpu_now_ts_begin": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuNowTsEnd = "ftrace_cpu_now_ts_end": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuOldestEventTsBegin = "ftrace_cpu_oldest_event_ts_begin": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuOldestEventTsEnd = "ftrace_cpu_oldest_event_ts_end": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuOverrunBegin = "ftrace_cpu_overrun_begin": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuOverrunEnd = "ftrace_cpu_overrun_end": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    FtraceCpuOverrunDelta = "ftrace_cpu_overrun_delta": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuReadEventsBegin = "ftrace_cpu_read_events_begin": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuReadEventsEnd = "ftrace_cpu_read_events_end": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuReadEventsDelta = "ftrace_cpu_read_events_delta": Indexed, Info, Trace, MachineAndTrace,
        "";
    FtraceCpuHasDataLoss = "ftrace_cpu_has_data_loss": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    FtraceKprobeHitsBegin = "ftrace_kprobe_hits_begin": Single, Info, Trace, MachineAndTrace,
        "";
    FtraceKprobeHitsEnd = "ftrace_kprobe_hits_end": Single, Info, Trace, MachineAndTrace,
        "";
    FtraceKprobeHitsDelta = "ftrace_kprobe_hits_delta": Single, Info, Trace, MachineAndTrace,
        "";
    FtraceKprobeMissesBegin = "ftrace_kprobe_misses_begin": Single, Info, Trace, MachineAndTrace,
        "";
    FtraceKprobeMissesEnd = "ftrace_kprobe_misses_end": Single, Info, Trace, MachineAndTrace,
        "";
    FtraceKprobeMissesDelta = "ftrace_kprobe_misses_delta": Single, DataLoss, Trace, MachineAndTrace,
        "";
    FtraceSetupErrors = "ftrace_setup_errors": Single, Notice, Trace, MachineAndTrace,
        "";
    FtraceGenericDescriptorErrors = "ftrace_generic_descriptor_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    FuchsiaNonNumericCounters = "fuchsia_non_numeric_counters": Single, Error, Analysis, MachineAndTrace,
        "";
    FuchsiaTimestampOverflow = "fuchsia_timestamp_overflow": Single, Error, Analysis, MachineAndTrace,
        "";
    FuchsiaRecordReadError = "fuchsia_record_read_error": Single, Error, Analysis, MachineAndTrace,
        "";
    FuchsiaInvalidEvent = "fuchsia_invalid_event": Single, Error, Analysis, MachineAndTrace,
        "";
    FuchsiaInvalidEventArgType = "fuchsia_invalid_event_arg_type": Single, Error, Analysis, MachineAndTrace,
        "";
    FuchsiaInvalidEventArgName = "fuchsia_invalid_event_arg_name": Single, Error, Analysis, MachineAndTrace,
        "";
    FuchsiaUnknownEventArg = "fuchsia_unknown_event_arg": Single, Error, Analysis, MachineAndTrace,
        "";
    FuchsiaInvalidStringRef = "fuchsia_invalid_string_ref": Single, Error, Analysis, MachineAndTrace,
        "";
    GenericTaskStateInvalidOrder = "generic_task_state_invalid_order": Single, Error, Analysis, MachineAndTrace,
        "";
    GpuCountersInvalidSpec = "gpu_counters_invalid_spec": Single, Error, Analysis, MachineAndTrace,
        "";
    GpuCountersMissingSpec = "gpu_counters_missing_spec": Single, Error, Analysis, MachineAndTrace,
        "";
    GpuCountersMissingTimestamp = "gpu_counters_missing_timestamp": Single, Error, Trace, MachineAndTrace,
        "";
    GpuRenderStageParserErrors = "gpu_render_stage_parser_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    GraphicsFrameEventParserErrors = "graphics_frame_event_parser_errors": Single, Info, Analysis, MachineAndTrace,
        "";
    GuessTraceTypeDurationNs = "guess_trace_type_duration_ns": Single, Info, Analysis, Global,
        "";
    InstrumentsRowMissingThread = "instruments_row_missing_thread": Single, Error, Analysis, MachineAndTrace,
        "";
    InstrumentsRowMissingProcess = "instruments_row_missing_process": Single, Error, Analysis, MachineAndTrace,
        "";
    InstrumentsRowMissingBacktrace = "instruments_row_missing_backtrace": Single, Error, Analysis, MachineAndTrace,
        "";
    InstrumentsRowMissingFrame = "instruments_row_missing_frame": Single, Error, Analysis, MachineAndTrace,
        "";
    InternedDataTokenizerErrors = "interned_data_tokenizer_errors": Single, Info, Analysis, MachineAndTrace,
        "";
    InvalidClockSnapshots = "invalid_clock_snapshots": Single, Error, Analysis, Global,
        "";
    InvalidCpuTimes = "invalid_cpu_times": Single, Error, Analysis, MachineAndTrace,
        "";
    KernelWakelockReusedId = "kernel_wakelock_reused_id": Single, Error, Analysis, MachineAndTrace,
        "";
    KernelWakelockUnknownId = "kernel_wakelock_unknown_id": Single, Error, Analysis, MachineAndTrace,
        "";
    KernelWakelockZeroValueReported = "kernel_wakelock_zero_value_reported": Single, Info, Trace, MachineAndTrace,
        "";
    KernelTrackeventFormatError = "kernel_trackevent_format_error": Single, Error, Analysis, MachineAndTrace,
        "";
    AppWakelockParseError = "app_wakelock_parse_error": Single, Error, Analysis, MachineAndTrace,
        "";
    AppWakelockUnknownId = "app_wakelock_unknown_id": Single, Error, Analysis, MachineAndTrace,
        "";
    MeminfoUnknownKeys = "meminfo_unknown_keys": Single, Error, Analysis, MachineAndTrace,
        "";
    CpuInfoUnknownCpuFeatures = "cpu_info_unknown_cpu_features": Single, Info, Analysis, MachineAndTrace,
        "";
    MissingDiskIoEventName = "missing_disk_io_event_name": Single, Error, Analysis, MachineAndTrace,
        "";
    CpuInfoEmpty = "cpu_info_empty": Single, Error, Analysis, MachineAndTrace,
        "";
    MismatchedSchedSwitchTids = "mismatched_sched_switch_tids": Single, Error, Analysis, MachineAndTrace,
        "";
    MmUnknownType = "mm_unknown_type": Single, Error, Analysis, MachineAndTrace,
        "";
    ParseTraceDurationNs = "parse_trace_duration_ns": Single, Info, Analysis, Global,
        "";
    PowerRailEmptyPacket = "power_rail_empty_packet": Single, Error, Analysis, MachineAndTrace,
        "";
    PowerRailUnknownIndex = "power_rail_unknown_index": Single, Error, Trace, MachineAndTrace,
        "";
    ProcStatUnknownCounters = "proc_stat_unknown_counters": Single, Error, Analysis, MachineAndTrace,
        "";
    RssStatUnknownKeys = "rss_stat_unknown_keys": Single, Error, Analysis, MachineAndTrace,
        "";
    RssStatNegativeSize = "rss_stat_negative_size": Single, Info, Analysis, MachineAndTrace,
        "";
    RssStatUnknownThreadForMmId = "rss_stat_unknown_thread_for_mm_id": Single, Info, Analysis, MachineAndTrace,
        "";
    FilterInputBytes = "filter_input_bytes": Single, Info, Trace, MachineAndTrace,
        "";
    FilterInputPackets = "filter_input_packets": Single, Info, Trace, MachineAndTrace,
        "";
    FilterOutputBytes = "filter_output_bytes": Single, Info, Trace, MachineAndTrace,
        "";
    FilterTimeTakenNs = "filter_time_taken_ns": Single, Info, Trace, MachineAndTrace,
        "";
    FilterErrors = "filter_errors": Single, Error, Trace, MachineAndTrace,
        "";
    FlowDuplicateId = "flow_duplicate_id": Single, Error, Trace, MachineAndTrace,
        "";
    FlowNoEnclosingSlice = "flow_no_enclosing_slice": Single, Error, Trace, MachineAndTrace,
        "";
    FlowStepWithoutStart = "flow_step_without_start": Single, Info, Trace, MachineAndTrace,
        "";
    FlowEndWithoutStart = "flow_end_without_start": Single, Info, Trace, MachineAndTrace,
        "";
    FlowInvalidId = "flow_invalid_id": Single, Error, Trace, MachineAndTrace,
        "";
    FlowWithoutDirection = "flow_without_direction": Single, Error, Trace, MachineAndTrace,
        "";
    StackprofileEmptyCallstack = "stackprofile_empty_callstack": Single, Error, Trace, MachineAndTrace,
        "";
    StackprofileInvalidStringId = "stackprofile_invalid_string_id": Single, Error, Trace, MachineAndTrace,
        "";
    StackprofileInvalidMappingId = "stackprofile_invalid_mapping_id": Single, Error, Trace, MachineAndTrace,
        "";
    StackprofileInvalidFrameId = "stackprofile_invalid_frame_id": Single, Error, Trace, MachineAndTrace,
        "";
    StackprofileInvalidCallstackId = "stackprofile_invalid_callstack_id": Single, Error, Trace, MachineAndTrace,
        "";
    StackprofileParserError = "stackprofile_parser_error": Single, Error, Trace, MachineAndTrace,
        "";
    SmapsParserErrors = "smaps_parser_errors": Single, Error, Trace, MachineAndTrace,
        "";
    SystemdJournalNumFailed = "systemd_journal_num_failed": Single, Error, Trace, MachineAndTrace,
        "";
    SystemdJournalNumTotal = "systemd_journal_num_total": Single, Info, Trace, MachineAndTrace,
        "";
    SystraceParseFailure = "systrace_parse_failure": Single, Error, Analysis, MachineAndTrace,
        "";
    TaskStateInvalid = "task_state_invalid": Single, Error, Analysis, MachineAndTrace,
        "";
    TracedBufAbiViolations = "traced_buf_abi_violations": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufBufferSize = "traced_buf_buffer_size": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufBytesOverwritten = "traced_buf_bytes_overwritten": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufBytesRead = "traced_buf_bytes_read": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufBytesFilteredOut = "traced_buf_bytes_filtered_out": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufBytesWritten = "traced_buf_bytes_written": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufCloneDoneTimestampNs = "traced_buf_clone_done_timestamp_ns": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufChunksDiscarded = "traced_buf_chunks_discarded": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufChunksOverwritten = "traced_buf_chunks_overwritten": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufChunksRead = "traced_buf_chunks_read": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufChunksRelocated = "traced_buf_chunks_relocated": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufChunksRewritten = "traced_buf_chunks_rewritten": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufChunksWritten = "traced_buf_chunks_written": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufPaddingBytesCleared = "traced_buf_padding_bytes_cleared": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufPaddingBytesWritten = "traced_buf_padding_bytes_written": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufPatchesFailed = "traced_buf_patches_failed": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufPatchesSucceeded = "traced_buf_patches_succeeded": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufReadaheadsFailed = "traced_buf_readaheads_failed": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufReadaheadsSucceeded = "traced_buf_readaheads_succeeded": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedBufTraceWriterPacketLoss = "traced_buf_trace_writer_packet_loss": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufSequencePacketLoss = "traced_buf_sequence_packet_loss": Indexed, DataLoss, Analysis, MachineAndTrace,
        "";
    TracedBufIncrementalSequencesDropped = "traced_buf_incremental_sequences_dropped": Indexed, DataLoss, Analysis, MachineAndTrace,
        "";
    TracedBufDataLossReadGap = "traced_buf_data_loss_read_gap": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufDataLossChunkCorrupted = "traced_buf_data_loss_chunk_corrupted": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufDataLossOrphanContinuation = "traced_buf_data_loss_orphan_continuation": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufDataLossReassemblyGap = "traced_buf_data_loss_reassembly_gap": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufDataLossReassemblyBrokenChain = "traced_buf_data_loss_reassembly_broken_chain": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufDataLossOverwrite = "traced_buf_data_loss_overwrite": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufDataLossWriterAbort = "traced_buf_data_loss_writer_abort": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufDataLossSmbFull = "traced_buf_data_loss_smb_full": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    TracedBufWriteWrapCount = "traced_buf_write_wrap_count": Indexed, Info, Trace, MachineAndTrace,
        "";
    TracedCloneStartedTimestampNs = "traced_clone_started_timestamp_ns": Single, Info, Trace, MachineAndTrace,
        "";
    TracedCloneTriggerTimestampNs = "traced_clone_trigger_timestamp_ns": Single, Info, Trace, MachineAndTrace,
        "";
    TracedChunksDiscarded = "traced_chunks_discarded": Single, Info, Trace, MachineAndTrace,
        "";
    TracedDataSourcesRegistered = "traced_data_sources_registered": Single, Info, Trace, MachineAndTrace,
        "";
    TracedDataSourcesSeen = "traced_data_sources_seen": Single, Info, Trace, MachineAndTrace,
        "";
    TracedFinalFlushFailed = "traced_final_flush_failed": Single, DataLoss, Trace, MachineAndTrace,
        "";
    TracedFinalFlushSucceeded = "traced_final_flush_succeeded": Single, Info, Trace, MachineAndTrace,
        "";
    TracedFlushesFailed = "traced_flushes_failed": Single, DataLoss, Trace, MachineAndTrace,
        "";
    TracedFlushesRequested = "traced_flushes_requested": Single, Info, Trace, MachineAndTrace,
        "";
    TracedFlushesSucceeded = "traced_flushes_succeeded": Single, Info, Trace, MachineAndTrace,
        "";
    TracedPatchesDiscarded = "traced_patches_discarded": Single, Info, Trace, MachineAndTrace,
        "";
    TracedProducersConnected = "traced_producers_connected": Single, Info, Trace, MachineAndTrace,
        "";
    TracedProducersSeen = "traced_producers_seen": Single, Info, Trace, MachineAndTrace,
        "";
    TracedTotalBuffers = "traced_total_buffers": Single, Info, Trace, MachineAndTrace,
        "";
    TracedTracingSessions = "traced_tracing_sessions": Single, Info, Trace, MachineAndTrace,
        "";
    TrackEventParserErrors = "track_event_parser_errors": Single, Info, Analysis, MachineAndTrace,
        "";
    TrackEventTokenizerErrors = "track_event_tokenizer_errors": Single, Info, Analysis, MachineAndTrace,
        "";
    TrackHierarchyMissingUuid = "track_hierarchy_missing_uuid": Single, Info, Analysis, MachineAndTrace,
        "";
    TrackEventThreadInvalidEnd = "track_event_thread_invalid_end": Single, Error, Trace, MachineAndTrace,
        "";
    TokenizerSkippedPackets = "tokenizer_skipped_packets": Single, Info, Analysis, MachineAndTrace,
        "";
    VmstatUnknownKeys = "vmstat_unknown_keys": Single, Error, Analysis, MachineAndTrace,
        "";
    PsiUnknownResource = "psi_unknown_resource": Single, Error, Analysis, MachineAndTrace,
        "";
    ClockSyncFailure = "clock_sync_failure": Single, Error, Analysis, MachineAndTrace,
        "";
    ClockSyncFailureUnknownSourceClock = "clock_sync_failure_unknown_source_clock": Single, Error, Analysis, MachineAndTrace,
        "";
    ClockSyncFailureUnknownTargetClock = "clock_sync_failure_unknown_target_clock": Single, Error, Analysis, MachineAndTrace,
        "";
    ClockSyncFailureNoPath = "clock_sync_failure_no_path": Single, Error, Analysis, MachineAndTrace,
        "";
    ClockSyncUnrelatableClockDomains = "clock_sync_unrelatable_clock_domains": Single, Error, Analysis, MachineAndTrace,
        "";
    ClockSyncMixedClockSources = "clock_sync_mixed_clock_sources": Single, Error, Analysis, MachineAndTrace,
        "";
    ClockSyncCacheMiss = "clock_sync_cache_miss": Single, Info, Analysis, Global,
        "";
    ProcessTrackerErrors = "process_tracker_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    ProcessTrackerParentPidChanged = "process_tracker_parent_pid_changed": Single, Info, Analysis, MachineAndTrace,
        "";
    NamespacedThreadMissingProcess = "namespaced_thread_missing_process": Single, Error, Analysis, MachineAndTrace,
        "";
    JsonTokenizerFailure = "json_tokenizer_failure": Single, Error, Trace, MachineAndTrace,
        "";
    JsonParserFailure = "json_parser_failure": Single, Error, Trace, MachineAndTrace,
        "";
    JsonDisplayTimeUnit = "json_display_time_unit": Single, Info, Trace, MachineAndTrace,
        "";
    HeapGraphInvalidStringId = "heap_graph_invalid_string_id": Indexed, Error, Trace, Global,
        "";
    HeapGraphMalformedPacket = "heap_graph_malformed_packet": Indexed, Error, Trace, Global,
        "";
    HeapGraphMissingPacket = "heap_graph_missing_packet": Indexed, Error, Trace, Global,
        "";
    HeapprofdBufferCorrupted = "heapprofd_buffer_corrupted": Indexed, Error, Trace, MachineAndTrace,
        "";
    HeapprofdHitGuardrail = "heapprofd_hit_guardrail": Indexed, Error, Trace, MachineAndTrace,
        "";
    HeapprofdBufferOverran = "heapprofd_buffer_overran": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    HeapprofdClientError = "heapprofd_client_error": Indexed, Error, Trace, MachineAndTrace,
        "";
    HeapprofdClientDisconnected = "heapprofd_client_disconnected": Indexed, Info, Trace, MachineAndTrace,
        "";
    HeapprofdMalformedPacket = "heapprofd_malformed_packet": Indexed, Error, Trace, MachineAndTrace,
        "";
    HeapprofdMissingPacket = "heapprofd_missing_packet": Single, Error, Trace, MachineAndTrace,
        "";
    HeapprofdRejectedConcurrent = "heapprofd_rejected_concurrent": Indexed, Error, Trace, MachineAndTrace,
        "";
    HeapprofdNonFinalizedProfile = "heapprofd_non_finalized_profile": Single, Error, Trace, MachineAndTrace,
        "";
    HeapprofdUnwindTimeUs = "heapprofd_unwind_time_us": Indexed, Info, Trace, MachineAndTrace,
        "";
    HeapprofdUnwindSamples = "heapprofd_unwind_samples": Indexed, Info, Trace, MachineAndTrace,
        "";
    HeapprofdClientSpinlockBlocked = "heapprofd_client_spinlock_blocked": Indexed, Info, Trace, MachineAndTrace,
        "";
    HeapprofdLastProfileTimestamp = "heapprofd_last_profile_timestamp": Indexed, Info, Trace, MachineAndTrace,
        "";
    SymbolizationTmpBuildIdNotFound = "symbolization_tmp_build_id_not_found": Single, Error, Analysis, MachineAndTrace,
        "";
    MetatraceOverruns = "metatrace_overruns": Single, Error, Trace, MachineAndTrace,
        "";
    PackagesListHasParseErrors = "packages_list_has_parse_errors": Single, Error, Trace, MachineAndTrace,
        "";
    PackagesListHasReadErrors = "packages_list_has_read_errors": Single, Error, Trace, MachineAndTrace,
        "";
    UserListErrors = "user_list_errors": Single, Error, Trace, MachineAndTrace,
        "";
    GameInterventionHasParseErrors = "game_intervention_has_parse_errors": Single, Error, Trace, MachineAndTrace,
        "";
    GameInterventionHasReadErrors = "game_intervention_has_read_errors": Single, Error, Trace, MachineAndTrace,
        "";
    CompactSchedHasParseErrors = "compact_sched_has_parse_errors": Single, Error, Trace, MachineAndTrace,
        "";
    MisplacedEndEvent = "misplaced_end_event": Single, DataLoss, Analysis, MachineAndTrace,
        "";
    TruncatedSysWriteDuration = "truncated_sys_write_duration": Single, Info, Analysis, MachineAndTrace,
        "";
    CompactSchedSwitchSkipped = "compact_sched_switch_skipped": Single, Info, Analysis, MachineAndTrace,
        "";
    CompactSchedWakingSkipped = "compact_sched_waking_skipped": Single, Info, Analysis, MachineAndTrace,
        "";
    EmptyChromeMetadata = "empty_chrome_metadata": Single, Error, Trace, MachineAndTrace,
        "";
    NinjaParseErrors = "ninja_parse_errors": Single, Error, Trace, MachineAndTrace,
        "";
    PerfCpuLostRecords = "perf_cpu_lost_records": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    PerfProcessShardCount = "perf_process_shard_count": Indexed, Info, Trace, MachineAndTrace,
        "";
    PerfChosenProcessShard = "perf_chosen_process_shard": Indexed, Info, Trace, MachineAndTrace,
        "";
    PerfGuardrailStopTs = "perf_guardrail_stop_ts": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    PerfUnknownRecordType = "perf_unknown_record_type": Indexed, Info, Analysis, MachineAndTrace,
        "";
    PerfRecordSkipped = "perf_record_skipped": Indexed, Error, Analysis, MachineAndTrace,
        "";
    PerfSamplesSkipped = "perf_samples_skipped": Single, Error, Analysis, MachineAndTrace,
        "";
    PerfFeaturesSkipped = "perf_features_skipped": Indexed, Info, Analysis, MachineAndTrace,
        "";
    PerfSamplesCpuModeUnknown = "perf_samples_cpu_mode_unknown": Single, Error, Analysis, MachineAndTrace,
        "";
    PerfSamplesSkippedDataloss = "perf_samples_skipped_dataloss": Single, DataLoss, Trace, MachineAndTrace,
        "";
    PerfDummyMappingUsed = "perf_dummy_mapping_used": Single, Info, Analysis, MachineAndTrace,
        "";
    PerfAuxMissing = "perf_aux_missing": Single, DataLoss, Trace, MachineAndTrace,
        "";
    PerfAuxIgnored = "perf_aux_ignored": Single, Info, Trace, MachineAndTrace,
        "";
    PerfAuxLost = "perf_aux_lost": Single, DataLoss, Trace, MachineAndTrace,
        "";
    PerfAuxTruncated = "perf_aux_truncated": Single, DataLoss, Trace, MachineAndTrace,
        "";
    PerfAuxPartial = "perf_aux_partial": Single, DataLoss, Trace, MachineAndTrace,
        "";
    PerfAuxCollision = "perf_aux_collision": Single, DataLoss, Trace, MachineAndTrace,
        "";
    PerfAuxtraceMissing = "perf_auxtrace_missing": Single, DataLoss, Trace, MachineAndTrace,
        "";
    PerfUnknownAuxData = "perf_unknown_aux_data": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    PerfNoTscData = "perf_no_tsc_data": Single, Info, Trace, MachineAndTrace,
        "";
    SpeNoTimestamp = "spe_no_timestamp": Single, Info, Trace, MachineAndTrace,
        "";
    EtmNoImporter = "etm_no_importer": Single, Error, Analysis, MachineAndTrace,
        "";
    MemorySnapshotParserFailure = "memory_snapshot_parser_failure": Single, Error, Analysis, MachineAndTrace,
        "";
    FtracePacketBeforeTracingStart = "ftrace_packet_before_tracing_start": Single, Info, Analysis, MachineAndTrace,
        "";
    SorterPushEventOutOfOrder = "sorter_push_event_out_of_order": Single, Error, Trace, Global,
        "";
    UnknownExtensionFields = "unknown_extension_fields": Single, Error, Trace, MachineAndTrace,
        "";
    NetworkTraceInternErrors = "network_trace_intern_errors": Single, Info, Analysis, MachineAndTrace,
        "";
    NetworkTraceParseErrors = "network_trace_parse_errors": Single, Info, Analysis, MachineAndTrace,
        "";
    AtomTimestampMissing = "atom_timestamp_missing": Single, Error, Trace, MachineAndTrace,
        "";
    AtomUnknown = "atom_unknown": Single, Info, Analysis, MachineAndTrace,
        "";
    V8UnknownCodeType = "v8_unknown_code_type": Single, Error, Analysis, MachineAndTrace,
        "";
    V8CodeLoadMissingCodeRange = "v8_code_load_missing_code_range": Single, Error, Analysis, MachineAndTrace,
        "";
    WinscopeSfLayersParseErrors = "winscope_sf_layers_parse_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    WinscopeWindowmanagerParseErrors = "winscope_windowmanager_parse_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    JitUnknownFrame = "jit_unknown_frame": Single, DataLoss, Trace, MachineAndTrace,
        "";
    FtraceMissingEventId = "ftrace_missing_event_id": Single, Info, Analysis, MachineAndTrace,
        "";
    AndroidInputEventParseErrors = "android_input_event_parse_errors": Single, Info, Analysis, MachineAndTrace,
        "";
    MaliUnknownMcuStateId = "mali_unknown_mcu_state_id": Single, Error, Analysis, MachineAndTrace,
        "";
    PixelModemNegativeTimestamp = "pixel_modem_negative_timestamp": Single, Error, Analysis, MachineAndTrace,
        "";
    LegacyV8CpuProfileInvalidCallsite = "legacy_v8_cpu_profile_invalid_callsite": Single, Error, Trace, MachineAndTrace,
        "";
    LegacyV8CpuProfileInvalidSample = "legacy_v8_cpu_profile_invalid_sample": Single, Error, Trace, MachineAndTrace,
        "";
    ConfigWriteIntoFileNoFlush = "config_write_into_file_no_flush": Single, Error, Trace, MachineAndTrace,
        "";
    ConfigWriteIntoFileDiscard = "config_write_into_file_discard": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    LongTraceModeBytesOverwritten = "long_trace_mode_bytes_overwritten": Indexed, DataLoss, Trace, MachineAndTrace,
        "";
    HprofStringCounter = "hprof_string_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofClassCounter = "hprof_class_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofHeapDumpCounter = "hprof_heap_dump_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofInstanceCounter = "hprof_instance_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofObjectArrayCounter = "hprof_object_array_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofPrimitiveArrayCounter = "hprof_primitive_array_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofRootCounter = "hprof_root_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofReferenceCounter = "hprof_reference_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofRecordCounter = "hprof_record_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofSegmentOvershootCounter = "hprof_segment_overshoot_counter": Single, Info, Analysis, MachineAndTrace,
        "";
    HprofFieldValueErrors = "hprof_field_value_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    HprofClassErrors = "hprof_class_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    HprofHeaderErrors = "hprof_header_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    HprofHeapDumpErrors = "hprof_heap_dump_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    HprofPrimitiveArrayParsingErrors = "hprof_primitive_array_parsing_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    HprofReferenceErrors = "hprof_reference_errors": Single, Error, Analysis, MachineAndTrace,
        "";
    TraceSorterNegativeTimestampDropped = "trace_sorter_negative_timestamp_dropped": Single, Error, Trace, Global,
        "";
    SliceDropOverlappingCompleteEvent = "slice_drop_overlapping_complete_event": Single, Error, Analysis, MachineAndTrace,
        "";
    SliceSpillOverlappingCompleteEvent = "slice_spill_overlapping_complete_event": Single, Error, Analysis, MachineAndTrace,
        "";
    PerfTextImporterSampleNoFrames = "perf_text_importer_sample_no_frames": Single, Error, Trace, MachineAndTrace,
        "";
    StraceParseFailure = "strace_parse_failure": Single, Info, Trace, MachineAndTrace,
        "";
    StraceUnsupportedTimestampFormat = "strace_unsupported_timestamp_format": Single, Error, Trace, MachineAndTrace,
        "";
    StraceMissingPid = "strace_missing_pid": Single, Error, Trace, MachineAndTrace,
        "";
    SimpleperfMissingFileMapping = "simpleperf_missing_file_mapping": Single, DataLoss, Trace, MachineAndTrace,
        "";
    SliceNegativeDuration = "slice_negative_duration": Single, Error, Analysis, MachineAndTrace,
        "";
    SliceMaxDepthExceeded = "slice_max_depth_exceeded": Single, Error, Analysis, MachineAndTrace,
        "";
    GpuWorkPeriodNegativeDuration = "gpu_work_period_negative_duration": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackDescriptorMissingUuid = "track_descriptor_missing_uuid": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackDescriptorThreadMissingPidTid = "track_descriptor_thread_missing_pid_tid": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackDescriptorProcessMissingPid = "track_descriptor_process_missing_pid": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventMissingSequenceId = "track_event_missing_sequence_id": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventMissingTimestamp = "track_event_missing_timestamp": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventInvalidTimestamp = "track_event_invalid_timestamp": Single, Error, Analysis, MachineAndTrace,
        "";
    StreamingProfileInvalidTimestamp = "streaming_profile_invalid_timestamp": Single, Error, Analysis, MachineAndTrace,
        "";
    ThreadDescriptorMissingSequenceId = "thread_descriptor_missing_sequence_id": Single, Error, Analysis, MachineAndTrace,
        "";
    IncrementalStateClearedMissingSequenceId = "incremental_state_cleared_missing_sequence_id": Single, Error, Analysis, MachineAndTrace,
        "";
    PreviousPacketDroppedMissingSequenceId = "previous_packet_dropped_missing_sequence_id": Single, Error, Analysis, MachineAndTrace,
        "";
    TracePacketDefaultsMissingSequenceId = "trace_packet_defaults_missing_sequence_id": Single, Error, Analysis, MachineAndTrace,
        "";
    InternedDataMissingSequenceId = "interned_data_missing_sequence_id": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventTrackHierarchyLoop = "track_event_track_hierarchy_loop": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventTrackHierarchyTooDeep = "track_event_track_hierarchy_too_deep": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackDescriptorDefaultTrackWithParent = "track_descriptor_default_track_with_parent": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackDescriptorConflictingReservation = "track_descriptor_conflicting_reservation": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventRangeOfInterestMissingStartUs = "track_event_range_of_interest_missing_start_us": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackDescriptorInvalidChildOrdering = "track_descriptor_invalid_child_ordering": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventCounterMissingTrackUuid = "track_event_counter_missing_track_uuid": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventCounterMissingValue = "track_event_counter_missing_value": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventCounterInvalidTrackUuid = "track_event_counter_invalid_track_uuid": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventExtraCounterMissingTrackUuids = "track_event_extra_counter_missing_track_uuids": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventStateMissingTrackUuid = "track_event_state_missing_track_uuid": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventExtraCounterTrackUuidMismatch = "track_event_extra_counter_track_uuid_mismatch": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventExtraCounterExceedsMax = "track_event_extra_counter_exceeds_max": Single, Error, Analysis, MachineAndTrace,
        "";
    TrackEventExtraCounterInvalidTrack = "track_event_extra_counter_invalid_track": Single, Error, Analysis, MachineAndTrace,
        "";
    HeapGraphNonFinalizedGraph = "heap_graph_non_finalized_graph": Single, DataLoss, Trace, Global,
        "";
    PrimesUnknownEdgeType = "primes_unknown_edge_type": Single, DataLoss, Analysis, MachineAndTrace,
        "";
    PrimesExecutorNotFound = "primes_executor_not_found": Single, DataLoss, Analysis, MachineAndTrace,
        "";
    PrimesEndWithoutMatchingBegin = "primes_end_without_matching_begin": Single, Info, Analysis, MachineAndTrace,
        "";
    PrimesMissingEntityDetails = "primes_missing_entity_details": Single, Info, Analysis, MachineAndTrace,
        "";
    PrimesMissingParentId = "primes_missing_parent_id": Single, Info, Analysis, MachineAndTrace,
        "";
    PrimesMalformedTimestamp = "primes_malformed_timestamp": Single, DataLoss, Analysis, MachineAndTrace,
        "";
    ProtovmAbort = "protovm_abort": Single, Error, Analysis, MachineAndTrace,
        "";
    ProtovmRegistrationError = "protovm_registration_error": Single, Error, Analysis, MachineAndTrace,
        "";
    ExtraParsingDescriptorsError = "extra_parsing_descriptors_error": Single, Error, Analysis, Global,
        "";
}
