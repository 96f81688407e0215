//! Every stat there is: name, kind, severity, source, scope and meaning.
//!
//! The rule for severities: data that was recorded and then lost is `data_loss`, for any reason; a
//! wrapped ring buffer and an overrun kernel buffer are included.
//!
//! The position of a stat is its `key` in the table `stats`, so new ones come last. This is why
//! they are in one list and not in one for each subject.

catalogue! {
    AndroidAflagsErrors = "android_aflags_errors": Single, Error, Trace, MachineAndTrace,
        "Failures the recorder met while reading Android feature flags. Some flags, or all of \
         them, are not in the trace.";
    AndroidBrParseErrors = "android_br_parse_errors": Single, Error, Trace, MachineAndTrace,
        "Parts of an Android bug report that could not be parsed and were skipped. The rest of the \
         report was imported.";
    AndroidLogNumFailed = "android_log_num_failed": Single, Error, Trace, MachineAndTrace,
        "Log messages the recorder could not parse. They were logged on the device but are not in \
         the trace.";
    AndroidLogFormatInvalid = "android_log_format_invalid": Single, Error, Trace, MachineAndTrace,
        "Lines of an Android log that have none of the known logcat formats. They were skipped; \
         record with a standard format such as `-v threadtime`.";
    AndroidLogNumSkipped = "android_log_num_skipped": Single, Info, Trace, MachineAndTrace,
        "Log messages the recorder left out because the filters in `android_log_config` did not \
         ask for them.";
    AndroidLogNumTotal = "android_log_num_total": Single, Info, Trace, MachineAndTrace,
        "Log messages the recorder received from the Android log before filtering.";
    AndroidVideoSizeCapHit = "android_video_size_cap_hit": Single, DataLoss, Trace, MachineAndTrace,
        "Video streams of a display that stopped because they reached `max_stream_size_bytes`. The \
         video ends early; raise the limit or lower `bitrate_bps`.";
    AndroidVideoCodecError = "android_video_codec_error": Single, Error, Trace, MachineAndTrace,
        "Errors the video encoder reported while a display was recorded. Frames of that display \
         may be missing.";
    AndroidVideoDisplayGone = "android_video_display_gone": Single, Error, Trace, MachineAndTrace,
        "Displays that were removed while they were being recorded. Their video ends there.";
    AndroidVideoNoEncoder = "android_video_no_encoder": Single, Error, Trace, MachineAndTrace,
        "Recordings of a display that did not start because the device has no encoder for the \
         wanted format. Try another `format` in the video configuration.";
    AndroidVideoDisplayNotFound = "android_video_display_not_found":
        Single, Error, Trace, MachineAndTrace,
        "Recordings that did not start because the wanted display was not found on the device.";
    AndroidVideoEncoderSetupFailed = "android_video_encoder_setup_failed":
        Single, Error, Trace, MachineAndTrace,
        "Recordings of a display that did not start because the encoder could not be set up with \
         the wanted scale, format or bit rate.";
    AndroidVideoVirtualDisplayFailed = "android_video_virtual_display_failed":
        Single, Error, Trace, MachineAndTrace,
        "Recordings that did not start because no virtual display could be made to mirror the real \
         one.";
    AndroidVideoParseSizeCapHit = "android_video_parse_size_cap_hit":
        Single, DataLoss, Trace, MachineAndTrace,
        "Video streams cut short during import because they were larger than the importer keeps. \
         The frames after the cut are missing.";
    DeobfuscateLocationParseError = "deobfuscate_location_parse_error":
        Single, Error, Analysis, Global,
        "Method mappings with a source location that could not be parsed. The frames keep a \
         deobfuscated name but may lack file and line.";
    EnergyBreakdownMissingValues = "energy_breakdown_missing_values":
        Single, Error, Analysis, MachineAndTrace,
        "Energy breakdown packets without a consumer id or an energy value. They were skipped.";
    EnergyDescriptorInvalid = "energy_descriptor_invalid": Single, Error, Analysis, MachineAndTrace,
        "Descriptions of energy consumers that lack needed fields. Energy of those consumers has \
         no name.";
    EntityStateDescriptorInvalid = "entity_state_descriptor_invalid":
        Single, Error, Analysis, MachineAndTrace,
        "Descriptions of power entities or of their states that lack needed fields. Residency in \
         those states has no name.";
    EntityStateResidencyInvalid = "entity_state_residency_invalid":
        Single, Error, Analysis, MachineAndTrace,
        "Entity state residency packets that lack needed fields. They were skipped.";
    EntityStateResidencyLookupFailed = "entity_state_residency_lookup_failed":
        Single, Error, Analysis, MachineAndTrace,
        "Residency values of an entity or state that was never described. They were skipped; the \
         packet with the descriptions may have been overwritten in the buffer.";
    EnergyUidBreakdownMissingValues = "energy_uid_breakdown_missing_values":
        Single, Error, Analysis, MachineAndTrace,
        "Per-user-id parts of energy breakdowns without a user id or an energy value. They were \
         skipped.";
    FrameTimelineEventParserErrors = "frame_timeline_event_parser_errors":
        Single, Info, Analysis, MachineAndTrace,
        "Frame timeline events that lack needed fields. They were skipped; frames around them may \
         look incomplete.";
    FrameTimelineUnpairedEndEvent = "frame_timeline_unpaired_end_event":
        Single, Info, Analysis, MachineAndTrace,
        "Frame timeline ends for which no start was seen. Most belong to frames that began before \
         the recording did.";
    FtraceAbiErrorsSkippedZeroDataLength = "ftrace_abi_errors_skipped_zero_data_length":
        Single, Info, Trace, MachineAndTrace,
        "Entries without data in the kernel's buffer, which the recorder passed over. Some kernels \
         write them; no event is missing.";
    FtraceBundleTokenizerErrors = "ftrace_bundle_tokenizer_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Bundles of kernel events that could not be split into events, or are larger than 8 MiB, \
         which no recorder writes, and pages of the kernel's buffer that the recorder could not \
         read. What they held is missing; the trace file may be damaged, or the recorder does not \
         know the kernel.";
    FtraceCpuBytesBegin = "ftrace_cpu_bytes_begin": Indexed, Info, Trace, MachineAndTrace,
        "Bytes not yet read in the kernel buffer of a CPU when recording began.";
    FtraceCpuBytesEnd = "ftrace_cpu_bytes_end": Indexed, Info, Trace, MachineAndTrace,
        "Bytes not yet read in the kernel buffer of a CPU when recording ended.";
    FtraceCpuBytesDelta = "ftrace_cpu_bytes_delta": Indexed, Info, Trace, MachineAndTrace,
        "Change of the unread bytes in the kernel buffer of a CPU over the recording.";
    FtraceCpuCommitOverrunBegin = "ftrace_cpu_commit_overrun_begin":
        Indexed, Info, Trace, MachineAndTrace,
        "Kernel events of a CPU dropped because they were nested in a write that filled the \
         buffer, counted before recording began.";
    FtraceCpuCommitOverrunEnd = "ftrace_cpu_commit_overrun_end":
        Indexed, Info, Trace, MachineAndTrace,
        "Kernel events of a CPU dropped because they were nested in a write that filled the \
         buffer, counted up to the end of recording. It includes what was counted before it began.";
    FtraceCpuCommitOverrunDelta = "ftrace_cpu_commit_overrun_delta":
        Indexed, Error, Trace, MachineAndTrace,
        "Kernel events of a CPU dropped during the recording because they were nested in a write \
         that filled the buffer. Raise `buffer_size_kb` of `ftrace_config`.";
    FtraceCpuDroppedEventsBegin = "ftrace_cpu_dropped_events_begin":
        Indexed, Info, Trace, MachineAndTrace,
        "Kernel events of a CPU refused because its buffer was full and not in overwrite mode, \
         counted before recording began.";
    FtraceCpuDroppedEventsEnd = "ftrace_cpu_dropped_events_end":
        Indexed, Info, Trace, MachineAndTrace,
        "Kernel events of a CPU refused because its buffer was full and not in overwrite mode, \
         counted up to the end of recording. It includes what was counted before it began.";
    FtraceCpuDroppedEventsDelta = "ftrace_cpu_dropped_events_delta":
        Indexed, Error, Trace, MachineAndTrace,
        "Kernel events of a CPU refused during the recording because its buffer was full and not \
         in overwrite mode. Raise `buffer_size_kb` or lower `drain_period_ms` of `ftrace_config`.";
    FtraceCpuEntriesBegin = "ftrace_cpu_entries_begin": Indexed, Info, Trace, MachineAndTrace,
        "Events not yet read in the kernel buffer of a CPU when recording began.";
    FtraceCpuEntriesEnd = "ftrace_cpu_entries_end": Indexed, Info, Trace, MachineAndTrace,
        "Events not yet read in the kernel buffer of a CPU when recording ended.";
    FtraceCpuEntriesDelta = "ftrace_cpu_entries_delta": Indexed, Info, Trace, MachineAndTrace,
        "Change of the unread events in the kernel buffer of a CPU over the recording.";
    FtraceCpuNowTsBegin = "ftrace_cpu_now_ts_begin": Indexed, Info, Trace, MachineAndTrace,
        "What the ftrace clock of a CPU read when the first statistics were taken.";
    FtraceCpuNowTsEnd = "ftrace_cpu_now_ts_end": Indexed, Info, Trace, MachineAndTrace,
        "What the ftrace clock of a CPU read when the last statistics were taken.";
    FtraceCpuOldestEventTsBegin = "ftrace_cpu_oldest_event_ts_begin":
        Indexed, Info, Trace, MachineAndTrace,
        "Timestamp of the oldest event in the kernel buffer of a CPU when recording began.";
    FtraceCpuOldestEventTsEnd = "ftrace_cpu_oldest_event_ts_end":
        Indexed, Info, Trace, MachineAndTrace,
        "Timestamp of the oldest event in the kernel buffer of a CPU when recording ended.";
    FtraceCpuOverrunBegin = "ftrace_cpu_overrun_begin": Indexed, Info, Trace, MachineAndTrace,
        "Kernel events of a CPU overwritten before they were read, counted before recording began. \
         They are no loss to this trace.";
    FtraceCpuOverrunEnd = "ftrace_cpu_overrun_end": Indexed, DataLoss, Trace, MachineAndTrace,
        "Kernel events of a CPU overwritten before they were read, counted up to the end of \
         recording. Events are missing; raise `buffer_size_kb` or lower `drain_period_ms` of \
         `ftrace_config`.";
    FtraceCpuOverrunDelta = "ftrace_cpu_overrun_delta": Indexed, Info, Trace, MachineAndTrace,
        "Kernel events of a CPU overwritten before they were read, during the recording alone: the \
         count at the end less the count at the beginning.";
    FtraceCpuReadEventsBegin = "ftrace_cpu_read_events_begin":
        Indexed, Info, Trace, MachineAndTrace,
        "Events read from the kernel buffer of a CPU before recording began.";
    FtraceCpuReadEventsEnd = "ftrace_cpu_read_events_end": Indexed, Info, Trace, MachineAndTrace,
        "Events read from the kernel buffer of a CPU up to the end of recording.";
    FtraceCpuReadEventsDelta = "ftrace_cpu_read_events_delta":
        Indexed, Info, Trace, MachineAndTrace,
        "Events read from the kernel buffer of a CPU during the recording.";
    FtraceCpuHasDataLoss = "ftrace_cpu_has_data_loss": Indexed, DataLoss, Trace, MachineAndTrace,
        "Not 0 when the trace says that kernel events of a CPU were lost somewhere in the \
         recording. Raise `buffer_size_kb` or lower `drain_period_ms` of `ftrace_config`.";
    FtraceKprobeHitsBegin = "ftrace_kprobe_hits_begin": Single, Info, Trace, MachineAndTrace,
        "Times a kernel probe fired, counted before recording began.";
    FtraceKprobeHitsEnd = "ftrace_kprobe_hits_end": Single, Info, Trace, MachineAndTrace,
        "Times a kernel probe fired, counted up to the end of recording.";
    FtraceKprobeHitsDelta = "ftrace_kprobe_hits_delta": Single, Info, Trace, MachineAndTrace,
        "Times a kernel probe fired during the recording.";
    FtraceKprobeMissesBegin = "ftrace_kprobe_misses_begin": Single, Info, Trace, MachineAndTrace,
        "Times a kernel probe could not run when its function was called, counted before recording \
         began.";
    FtraceKprobeMissesEnd = "ftrace_kprobe_misses_end": Single, Info, Trace, MachineAndTrace,
        "Times a kernel probe could not run when its function was called, counted up to the end of \
         recording.";
    FtraceKprobeMissesDelta = "ftrace_kprobe_misses_delta":
        Single, DataLoss, Trace, MachineAndTrace,
        "Times a kernel probe could not run during the recording. Those calls are not in the \
         trace; probe fewer functions, or ones that are called less often.";
    FtraceSetupErrors = "ftrace_setup_errors": Single, Notice, Trace, MachineAndTrace,
        "Problems met while ftrace was being set up, such as events or atrace categories the \
         device does not have. What was asked for there was not recorded.";
    FtraceGenericDescriptorErrors = "ftrace_generic_descriptor_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Descriptions of generic kernel events that could not be understood. Events of those kinds \
         were not decoded.";
    FtraceThermalExynosAcpmUnknownTzId = "ftrace_thermal_exynos_acpm_unknown_tz_id":
        Single, Error, Analysis, MachineAndTrace,
        "Temperatures of an Exynos chip in a thermal zone that tpq has no name for. They were \
         skipped.";
    FuchsiaNonNumericCounters = "fuchsia_non_numeric_counters":
        Single, Error, Analysis, MachineAndTrace,
        "Fuchsia counters with a value that is not a number. They were skipped.";
    FuchsiaTimestampOverflow = "fuchsia_timestamp_overflow":
        Single, Error, Analysis, MachineAndTrace,
        "Fuchsia timestamps too large to be kept in nanoseconds. Their events were skipped.";
    FuchsiaRecordReadError = "fuchsia_record_read_error": Single, Error, Analysis, MachineAndTrace,
        "Fuchsia records that could not be read because they are cut off or malformed. They were \
         skipped.";
    FuchsiaInvalidEvent = "fuchsia_invalid_event": Single, Error, Analysis, MachineAndTrace,
        "Fuchsia events of an unknown kind or with missing parts. They were skipped.";
    FuchsiaInvalidEventArgType = "fuchsia_invalid_event_arg_type":
        Single, Error, Analysis, MachineAndTrace,
        "Arguments of Fuchsia events that have not the type their event needs. They were ignored.";
    FuchsiaInvalidEventArgName = "fuchsia_invalid_event_arg_name":
        Single, Error, Analysis, MachineAndTrace,
        "Arguments of Fuchsia events with a name their event does not have, or with none. They \
         were ignored.";
    FuchsiaUnknownEventArg = "fuchsia_unknown_event_arg": Single, Error, Analysis, MachineAndTrace,
        "Arguments of Fuchsia events of a type that is not known. They were ignored.";
    FuchsiaInvalidStringRef = "fuchsia_invalid_string_ref":
        Single, Error, Analysis, MachineAndTrace,
        "References in a Fuchsia trace to strings that were never defined. The names concerned are \
         missing.";
    GenericTaskStateInvalidOrder = "generic_task_state_invalid_order":
        Single, Error, Analysis, MachineAndTrace,
        "Task state events that contradict the state the task was in before. Thread states around \
         them may be wrong.";
    GpuCountersInvalidSpec = "gpu_counters_invalid_spec": Single, Error, Analysis, MachineAndTrace,
        "Descriptions of GPU counters that lack an id or a name, or say something twice. Values of \
         those counters may be missing.";
    GpuCountersMissingSpec = "gpu_counters_missing_spec": Single, Error, Analysis, MachineAndTrace,
        "GPU counter values of counters that were never described. They were skipped; the \
         description may have been overwritten in the buffer.";
    GpuCountersMissingTimestamp = "gpu_counters_missing_timestamp":
        Single, Error, Trace, MachineAndTrace,
        "GPU counter packets without a timestamp. They were skipped, as nothing says when they \
         were taken.";
    GpuRenderStageParserErrors = "gpu_render_stage_parser_errors":
        Single, Error, Analysis, MachineAndTrace,
        "GPU render stage events that lack needed fields or refer to unknown ones. They were \
         skipped or have no name.";
    GraphicsFrameEventParserErrors = "graphics_frame_event_parser_errors":
        Single, Info, Analysis, MachineAndTrace,
        "Events of graphics buffers that lack needed fields. They were skipped.";
    GuessTraceTypeDurationNs = "guess_trace_type_duration_ns": Single, Info, Analysis, Global,
        "Nanoseconds tpq took to find out the format of the input.";
    InstrumentsRowMissingThread = "instruments_row_missing_thread":
        Single, Error, Analysis, MachineAndTrace,
        "Rows of an Instruments export that name no thread. They were skipped.";
    InstrumentsRowMissingProcess = "instruments_row_missing_process":
        Single, Error, Analysis, MachineAndTrace,
        "Rows of an Instruments export with a thread that has no process. They were skipped.";
    InstrumentsRowMissingBacktrace = "instruments_row_missing_backtrace":
        Single, Error, Analysis, MachineAndTrace,
        "Rows of an Instruments export without a call stack. They were skipped.";
    InstrumentsRowMissingFrame = "instruments_row_missing_frame":
        Single, Error, Analysis, MachineAndTrace,
        "Frames in an Instruments export that refer to a frame that was never defined. Call stacks \
         may be incomplete.";
    InternedDataTokenizerErrors = "interned_data_tokenizer_errors":
        Single, Info, Analysis, MachineAndTrace,
        "Interned entries without an id or with one that cannot be used. Packets that refer to \
         them lack names.";
    InvalidClockSnapshots = "invalid_clock_snapshots": Single, Error, Analysis, Global,
        "Clock snapshots that contradict earlier ones or are malformed. They were not used, so \
         times between them are converted less exactly or not at all.";
    InvalidCpuTimes = "invalid_cpu_times": Single, Error, Analysis, MachineAndTrace,
        "CPU times in `/proc/stat` that are malformed or belong to no valid CPU. They were \
         skipped.";
    KernelWakelockReusedId = "kernel_wakelock_reused_id": Single, Error, Analysis, MachineAndTrace,
        "Kernel wakelocks with an id that another name had already. Times of the two may be mixed \
         up.";
    KernelWakelockUnknownId = "kernel_wakelock_unknown_id":
        Single, Error, Analysis, MachineAndTrace,
        "Times of kernel wakelocks with an id that has no name. They were skipped.";
    KernelWakelockZeroValueReported = "kernel_wakelock_zero_value_reported":
        Single, Info, Trace, MachineAndTrace,
        "Kernel wakelocks that read 0 after having been above it. Such readings are glitches of \
         the device and were ignored.";
    KernelWakelockNonMonotonicValueReported = "kernel_wakelock_non_monotonic_value_reported":
        Single, Info, Trace, MachineAndTrace,
        "Kernel wakelocks that read less than before. Such readings are glitches of the device and \
         were ignored.";
    KernelWakelockImplausiblyLargeValueReported = "kernel_wakelock_implausibly_large_value_reported":
        Single, Info, Trace, MachineAndTrace,
        "Kernel wakelocks that read more than the time since the last reading allows. Such \
         readings are glitches of the device and were ignored.";
    KernelTrackeventFormatError = "kernel_trackevent_format_error":
        Single, Error, Analysis, MachineAndTrace,
        "Kernel track events with a format in tracefs that does not fit the convention for them. \
         They were not turned into slices or counters.";
    AppWakelockParseError = "app_wakelock_parse_error": Single, Error, Analysis, MachineAndTrace,
        "App wakelock packets with lists that are damaged. Events from there on were skipped.";
    AppWakelockUnknownId = "app_wakelock_unknown_id": Single, Error, Analysis, MachineAndTrace,
        "App wakelock events with an id that was never interned. They were skipped; the packet \
         that defines it may have been lost.";
    ConcurrentSessionEventUnknownState = "concurrent_session_event_unknown_state":
        Single, Error, Analysis, MachineAndTrace,
        "Events of other recordings with a state that tpq has no name for. They were skipped, so \
         the states of that recording are incomplete; the recorder is probably newer than tpq. \
         The import log has the number of the state.";
    MeminfoUnknownKeys = "meminfo_unknown_keys": Single, Error, Analysis, MachineAndTrace,
        "Values of `/proc/meminfo` under a number tpq has no name for. They were skipped; the \
         recorder is probably newer than tpq.";
    CpuInfoUnknownCpuFeatures = "cpu_info_unknown_cpu_features":
        Single, Info, Analysis, MachineAndTrace,
        "Bits in the CPU features tpq has no name for. They were ignored.";
    MissingDiskIoEventName = "missing_disk_io_event_name": Single, Error, Analysis, MachineAndTrace,
        "Operations on disks of Windows of a kind tpq has no name for. They were skipped.";
    CpuInfoEmpty = "cpu_info_empty": Single, Error, Analysis, MachineAndTrace,
        "Descriptions of the CPUs that hold no CPU. The `cpu` table then has only what events \
         tell.";
    MismatchedSchedSwitchTids = "mismatched_sched_switch_tids":
        Single, Error, Analysis, MachineAndTrace,
        "Context switches with an outgoing thread other than the one switched in before on that \
         CPU. Events between the two are missing; look at the ftrace losses of that CPU.";
    MmUnknownType = "mm_unknown_type": Single, Error, Analysis, MachineAndTrace,
        "Values of a kind of memory counter tpq does not know. They were skipped.";
    ParseTraceDurationNs = "parse_trace_duration_ns": Single, Info, Analysis, Global,
        "Nanoseconds tpq took to import the trace.";
    PowerRailEmptyPacket = "power_rail_empty_packet": Single, Error, Analysis, MachineAndTrace,
        "Power rail packets that hold neither descriptions nor values.";
    PowerRailUnknownIndex = "power_rail_unknown_index": Single, Error, Trace, MachineAndTrace,
        "Power rail values of a rail that was never described. They were skipped; the description \
         may have been overwritten in the buffer.";
    ProcStatUnknownCounters = "proc_stat_unknown_counters":
        Single, Error, Analysis, MachineAndTrace,
        "Per-process values in process statistics under a number tpq has no name for. They were \
         skipped.";
    RssStatUnknownKeys = "rss_stat_unknown_keys": Single, Error, Analysis, MachineAndTrace,
        "Memory counters in `rss_stat` events under a number tpq has no name for. They are values \
         of `mem.unknown`.";
    RssStatNegativeSize = "rss_stat_negative_size": Single, Info, Analysis, MachineAndTrace,
        "Memory counters in `rss_stat` events with a size below 0. The kernel updates them without \
         locking; such values were skipped.";
    RssStatUnknownThreadForMmId = "rss_stat_unknown_thread_for_mm_id":
        Single, Info, Analysis, MachineAndTrace,
        "Memory counters in `rss_stat` events with an address space of no known process. They were \
         skipped.";
    FilterInputBytes = "filter_input_bytes": Single, Info, Trace, MachineAndTrace,
        "Bytes that went into the trace filter of the tracing service.";
    FilterInputPackets = "filter_input_packets": Single, Info, Trace, MachineAndTrace,
        "Packets that went into the trace filter of the tracing service.";
    FilterOutputBytes = "filter_output_bytes": Single, Info, Trace, MachineAndTrace,
        "Bytes that came out of the trace filter. The difference to `filter_input_bytes` was \
         removed on purpose.";
    FilterTimeTakenNs = "filter_time_taken_ns": Single, Info, Trace, MachineAndTrace,
        "Nanoseconds the tracing service spent filtering packets.";
    FilterErrors = "filter_errors": Single, Error, Trace, MachineAndTrace,
        "Packets the trace filter could not process. They are not in the trace; check the \
         `trace_filter` bytecode.";
    FlowDuplicateId = "flow_duplicate_id": Single, Error, Trace, MachineAndTrace,
        "Flows started with an id that an open flow already had. Arrows may join slices that have \
         nothing to do with each other.";
    FlowNoEnclosingSlice = "flow_no_enclosing_slice": Single, Error, Trace, MachineAndTrace,
        "Flow events with no slice around them on their thread. Their arrows have no end and were \
         dropped.";
    FlowStepWithoutStart = "flow_step_without_start": Single, Info, Trace, MachineAndTrace,
        "Steps of a flow without a start. Most flows of this kind began before the recording did.";
    FlowEndWithoutStart = "flow_end_without_start": Single, Info, Trace, MachineAndTrace,
        "Ends of a flow without a start. Most flows of this kind began before the recording did.";
    FlowInvalidId = "flow_invalid_id": Single, Error, Trace, MachineAndTrace,
        "Flow events with a missing or unreadable id. They were skipped.";
    FlowWithoutDirection = "flow_without_direction": Single, Error, Trace, MachineAndTrace,
        "Flow events that do not say whether the flow goes in or out. They were skipped.";
    StackprofileEmptyCallstack = "stackprofile_empty_callstack":
        Single, Error, Trace, MachineAndTrace,
        "Call stacks of a profile that have no frames. Their samples count for no function.";
    StackprofileInvalidStringId = "stackprofile_invalid_string_id":
        Single, Error, Trace, MachineAndTrace,
        "References in a profile to strings that were never defined. Names are missing; look for \
         lost packets.";
    StackprofileInvalidMappingId = "stackprofile_invalid_mapping_id":
        Single, Error, Trace, MachineAndTrace,
        "References in a profile to memory mappings that were never defined. Frames lack their \
         binary; look for lost packets.";
    StackprofileInvalidFrameId = "stackprofile_invalid_frame_id":
        Single, Error, Trace, MachineAndTrace,
        "References in a profile to frames that were never defined. Call stacks are incomplete; \
         look for lost packets.";
    StackprofileInvalidCallstackId = "stackprofile_invalid_callstack_id":
        Single, Error, Trace, MachineAndTrace,
        "References in a profile to call stacks that were never defined. Those samples have no \
         stack; look for lost packets.";
    StackprofileParserError = "stackprofile_parser_error": Single, Error, Trace, MachineAndTrace,
        "Parts of a profile that are malformed and were skipped.";
    SmapsParserErrors = "smaps_parser_errors": Single, Error, Trace, MachineAndTrace,
        "Memory map packets that are malformed or name no process. They were skipped.";
    SystemdJournalNumFailed = "systemd_journal_num_failed": Single, Error, Trace, MachineAndTrace,
        "Journal entries the recorder could not read. They are not in the trace.";
    SystemdJournalNumTotal = "systemd_journal_num_total": Single, Info, Trace, MachineAndTrace,
        "Journal entries the recorder read.";
    SystraceParseFailure = "systrace_parse_failure": Single, Error, Analysis, MachineAndTrace,
        "Lines of a systrace file, or atrace lines written by programs, that could not be parsed. \
         They were skipped.";
    TaskStateInvalid = "task_state_invalid": Single, Error, Analysis, MachineAndTrace,
        "Task states in scheduling events that cannot be understood. The threads concerned have an \
         unknown state there.";
    TracedBufAbiViolations = "traced_buf_abi_violations": Indexed, DataLoss, Trace, MachineAndTrace,
        "Chunks in a central buffer that broke the shared memory protocol. They were dropped; a \
         producer is faulty or its memory was corrupted.";
    TracedBufBufferSize = "traced_buf_buffer_size": Indexed, Info, Trace, MachineAndTrace,
        "Size of a central buffer in bytes, as `size_kb` of the configuration asked for it.";
    TracedBufBytesOverwritten = "traced_buf_bytes_overwritten":
        Indexed, Info, Trace, MachineAndTrace,
        "Bytes overwritten in a central buffer because it wrapped. In a ring buffer this is the \
         oldest data; enlarge `size_kb` to look back further.";
    TracedBufBytesRead = "traced_buf_bytes_read": Indexed, Info, Trace, MachineAndTrace,
        "Bytes the service read out of a central buffer.";
    TracedBufBytesFilteredOut = "traced_buf_bytes_filtered_out":
        Indexed, Info, Trace, MachineAndTrace,
        "Bytes of a central buffer that the trace filter removed on purpose.";
    TracedBufBytesWritten = "traced_buf_bytes_written": Indexed, Info, Trace, MachineAndTrace,
        "Bytes producers wrote into a central buffer.";
    TracedBufCloneDoneTimestampNs = "traced_buf_clone_done_timestamp_ns":
        Indexed, Info, Trace, MachineAndTrace,
        "When cloning of a central buffer was done, in nanoseconds. Only in traces that are a \
         clone of a running session.";
    TracedBufChunksCommittedOutOfOrder = "traced_buf_chunks_committed_out_of_order":
        Indexed, Info, Trace, MachineAndTrace,
        "Chunks that reached a central buffer after a later chunk of the same writer. The recorder \
         put them back in order; nothing was lost.";
    TracedBufChunksDiscarded = "traced_buf_chunks_discarded": Indexed, Info, Trace, MachineAndTrace,
        "Chunks refused by a central buffer with the fill policy `DISCARD` because it was full. \
         The end of the recording is missing; enlarge `size_kb`, record for less time, or stream \
         into a file.";
    TracedBufChunksOverwritten = "traced_buf_chunks_overwritten":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Chunks overwritten in a central buffer before they were read, because it wrapped. The \
         oldest data is missing; enlarge `size_kb`, or read out more often with `write_into_file` \
         and a lower `file_write_period_ms`.";
    TracedBufChunksRead = "traced_buf_chunks_read": Indexed, Info, Trace, MachineAndTrace,
        "Chunks the service read out of a central buffer.";
    TracedBufChunksRelocated = "traced_buf_chunks_relocated": Indexed, Info, Trace, MachineAndTrace,
        "Chunks the service moved inside a central buffer because they grew after they were first \
         copied.";
    TracedBufChunksRewritten = "traced_buf_chunks_rewritten": Indexed, Info, Trace, MachineAndTrace,
        "Chunks a producer committed again, with more packets, after the service had copied them.";
    TracedBufChunksWritten = "traced_buf_chunks_written": Indexed, Info, Trace, MachineAndTrace,
        "Chunks producers committed into a central buffer.";
    TracedBufPaddingBytesCleared = "traced_buf_padding_bytes_cleared":
        Indexed, Info, Trace, MachineAndTrace,
        "Bytes of padding cleared in a central buffer to make room for new chunks.";
    TracedBufPaddingBytesWritten = "traced_buf_padding_bytes_written":
        Indexed, Info, Trace, MachineAndTrace,
        "Bytes of padding written into a central buffer, mostly where it wrapped and the next \
         chunk did not fit at its end.";
    TracedBufPatchesFailed = "traced_buf_patches_failed": Indexed, DataLoss, Trace, MachineAndTrace,
        "Corrections of a chunk that came too late: the chunk was no longer in the central buffer. \
         The packets in it are lost; enlarge `size_kb`.";
    TracedBufPatchesSucceeded = "traced_buf_patches_succeeded":
        Indexed, Info, Trace, MachineAndTrace,
        "Corrections applied to chunks in a central buffer. Large packets that span chunks need \
         them.";
    TracedBufReadaheadsFailed = "traced_buf_readaheads_failed":
        Indexed, Info, Trace, MachineAndTrace,
        "Times the service looked for the rest of a packet in a central buffer and did not find it \
         yet.";
    TracedBufReadaheadsSucceeded = "traced_buf_readaheads_succeeded":
        Indexed, Info, Trace, MachineAndTrace,
        "Times the service looked for the rest of a packet in a central buffer and found it.";
    TracedBufTraceWriterPacketLoss = "traced_buf_trace_writer_packet_loss":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Packets writers dropped before they reached a central buffer, as the shared memory was \
         full. Enlarge the shared memory of the producer with `shm_size_kb`, or let it stall \
         instead of dropping.";
    TracedBufSequencePacketLoss = "traced_buf_sequence_packet_loss":
        Indexed, DataLoss, Analysis, MachineAndTrace,
        "Gaps found during import in the packets of a writer sequence, by the central buffer they \
         came from. Packets are missing there; enlarge the buffer or the shared memory of the \
         producer.";
    TracedBufIncrementalSequencesDropped = "traced_buf_incremental_sequences_dropped":
        Indexed, DataLoss, Analysis, MachineAndTrace,
        "Writer sequences of a central buffer that could not be decoded at all, as the packet that \
         begins their state was lost. Set `clear_period_ms` of `incremental_state_config` or \
         enlarge the buffer.";
    TracedBufDataLossReadGap = "traced_buf_data_loss_read_gap":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Gaps the service met while it read a sequence of chunks from a central buffer. Packets \
         are missing there; enlarge the buffer.";
    TracedBufDataLossChunkCorrupted = "traced_buf_data_loss_chunk_corrupted":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Chunks in a central buffer the service found corrupted. Their packets are lost; a \
         producer may be faulty or may have crashed.";
    TracedBufDataLossOrphanContinuation = "traced_buf_data_loss_orphan_continuation":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Ends of packets in a central buffer without their beginning. Those packets are lost; \
         enlarge the buffer.";
    TracedBufDataLossReassemblyGap = "traced_buf_data_loss_reassembly_gap":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Packets spread over several chunks that could not be put together because a chunk between \
         was missing. They are lost; enlarge the buffer.";
    TracedBufDataLossReassemblyBrokenChain = "traced_buf_data_loss_reassembly_broken_chain":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Packets spread over several chunks that do not continue one another. They are lost.";
    TracedBufDataLossOverwrite = "traced_buf_data_loss_overwrite":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Losses in a central buffer because unread data was overwritten as it wrapped. Enlarge \
         `size_kb` or read out more often.";
    TracedBufDataLossWriterAbort = "traced_buf_data_loss_writer_abort":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Losses because a writer gave up a packet it had begun. The rest of that packet was never \
         written.";
    TracedBufDataLossSmbFull = "traced_buf_data_loss_smb_full":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Losses because the shared memory of a producer was full. Enlarge it with `shm_size_kb`, \
         or let the producer stall instead of dropping.";
    TracedBufWriteWrapCount = "traced_buf_write_wrap_count": Indexed, Info, Trace, MachineAndTrace,
        "Times a central buffer wrapped. More than 0 means that it was full at least once.";
    TracedCloneStartedTimestampNs = "traced_clone_started_timestamp_ns":
        Single, Info, Trace, MachineAndTrace,
        "When cloning of the session began, in nanoseconds. Only in traces that are a clone of a \
         running session.";
    TracedCloneTriggerTimestampNs = "traced_clone_trigger_timestamp_ns":
        Single, Info, Trace, MachineAndTrace,
        "When the trigger that led to the clone fired, in nanoseconds. Only in traces that are a \
         clone of a running session.";
    TracedChunksDiscarded = "traced_chunks_discarded": Single, Info, Trace, MachineAndTrace,
        "Chunks the service discarded before they reached any buffer, because what came with them \
         was not valid.";
    TracedDataSourcesRegistered = "traced_data_sources_registered":
        Single, Info, Trace, MachineAndTrace,
        "Data sources registered with the service when the statistics were taken.";
    TracedDataSourcesSeen = "traced_data_sources_seen": Single, Info, Trace, MachineAndTrace,
        "Data sources registered with the service since it started.";
    TracedFinalFlushFailed = "traced_final_flush_failed": Single, DataLoss, Trace, MachineAndTrace,
        "Not 0 when the flush at the end of recording failed or timed out. The last events of slow \
         producers may be missing; raise `flush_timeout_ms`.";
    TracedFinalFlushSucceeded = "traced_final_flush_succeeded":
        Single, Info, Trace, MachineAndTrace,
        "Not 0 when the flush at the end of recording succeeded: all producers handed over what \
         they had.";
    TracedFlushesFailed = "traced_flushes_failed": Single, DataLoss, Trace, MachineAndTrace,
        "Flushes that failed or timed out. Events of slow producers come late or are missing; \
         raise `flush_timeout_ms`.";
    TracedFlushesRequested = "traced_flushes_requested": Single, Info, Trace, MachineAndTrace,
        "Flushes the service asked producers for.";
    TracedFlushesSucceeded = "traced_flushes_succeeded": Single, Info, Trace, MachineAndTrace,
        "Flushes all producers answered in time.";
    TracedPatchesDiscarded = "traced_patches_discarded": Single, Info, Trace, MachineAndTrace,
        "Corrections of chunks the service discarded because what came with them was not valid.";
    TracedProducersConnected = "traced_producers_connected": Single, Info, Trace, MachineAndTrace,
        "Producers connected to the service when the statistics were taken.";
    TracedProducersSeen = "traced_producers_seen": Single, Info, Trace, MachineAndTrace,
        "Producers that connected to the service since it started.";
    TracedTotalBuffers = "traced_total_buffers": Single, Info, Trace, MachineAndTrace,
        "Central buffers of all sessions when the statistics were taken.";
    TracedTracingSessions = "traced_tracing_sessions": Single, Info, Trace, MachineAndTrace,
        "Tracing sessions that were running when the statistics were taken.";
    TrackEventParserErrors = "track_event_parser_errors": Single, Info, Analysis, MachineAndTrace,
        "Track events that are malformed or refer to what was never defined. They were skipped or \
         lack a part; lost packets are a common cause.";
    TrackEventDroppedPacketsOutsideOfRangeOfInterest =
        "track_event_dropped_packets_outside_of_range_of_interest":
        Single, Info, Analysis, MachineAndTrace,
        "Track events that lie before the range of interest that the recording names. They were \
         dropped, as was asked for by `--crop`.";
    TrackEventTokenizerErrors = "track_event_tokenizer_errors":
        Single, Info, Analysis, MachineAndTrace,
        "Track event packets that lack what is needed to place them. They were skipped; lost \
         packets are a common cause.";
    TrackHierarchyMissingUuid = "track_hierarchy_missing_uuid":
        Single, Info, Analysis, MachineAndTrace,
        "Tracks without a described parent, and events on them. They were skipped; lost packets \
         are a common cause.";
    TrackEventThreadInvalidEnd = "track_event_thread_invalid_end":
        Single, Error, Trace, MachineAndTrace,
        "Slice ends of threads that closed a slice which is no track event's. Slices of all kinds \
         are rows of one table here, so none is counted. An end without an open slice is passed \
         over.";
    TokenizerSkippedPackets = "tokenizer_skipped_packets": Single, Info, Analysis, MachineAndTrace,
        "Packets skipped as they were read. None is counted here: \
         `packet_skipped_seq_needs_incremental_state_invalid` counts those that need a state which \
         is not known.";
    VmstatUnknownKeys = "vmstat_unknown_keys": Single, Error, Analysis, MachineAndTrace,
        "Values of `/proc/vmstat` under a number tpq has no name for. They were skipped; the \
         recorder is probably newer than tpq.";
    PsiUnknownResource = "psi_unknown_resource": Single, Error, Analysis, MachineAndTrace,
        "Pressure stall values of a resource tpq has no name for. They were skipped.";
    VulkanAllocationsInvalidStringId = "vulkan_allocations_invalid_string_id":
        Single, Error, Trace, MachineAndTrace,
        "Strings of Vulkan memory events that were never interned. tpq leaves the text NULL and \
         counts it as interned data that is missing, so this is 0.";
    ClockSyncFailure = "clock_sync_failure": Single, Error, Analysis, MachineAndTrace,
        "Timestamps that could not be converted to trace time, whatever the reason. Their events \
         are missing; `tpq clocks` shows which clocks are known.";
    ClockSyncFailureUnknownSourceClock = "clock_sync_failure_unknown_source_clock":
        Single, Error, Analysis, MachineAndTrace,
        "Timestamps of a clock that appears in no snapshot. Their events are missing; the writer \
         must emit a clock snapshot with that clock.";
    ClockSyncFailureUnknownTargetClock = "clock_sync_failure_unknown_target_clock":
        Single, Error, Analysis, MachineAndTrace,
        "Timestamps that could not be converted because the trace clock appears in no snapshot. \
         Their events are missing.";
    ClockSyncFailureNoPath = "clock_sync_failure_no_path": Single, Error, Analysis, MachineAndTrace,
        "Timestamps of a clock that no chain of snapshots joins to trace time. Their events are \
         missing; record clock snapshots, or state the relation in a manifest.";
    ClockSyncUnrelatableClockDomains = "clock_sync_unrelatable_clock_domains":
        Single, Error, Analysis, MachineAndTrace,
        "Clocks of a merged file that cannot be related to trace time, not even through the wall \
         clock. Their events are missing and counted in clock_sync_failure_no_path; state the \
         relation in a manifest.";
    ClockSyncMixedClockSources = "clock_sync_mixed_clock_sources":
        Single, Error, Analysis, MachineAndTrace,
        "Files with events that were placed by the clocks of another file before their own were \
         read. None is counted here: all clocks are read before any event is placed.";
    ClockSyncFailureUndeferrablePacketLoss = "clock_sync_failure_undeferrable_packet_loss":
        Single, DataLoss, Analysis, MachineAndTrace,
        "Packets that came before the snapshot of their clock, when it was too late to wait for \
         it. tpq reads all snapshots first, so this is 0.";
    ClockSyncCacheMiss = "clock_sync_cache_miss": Single, Info, Analysis, Global,
        "Clock readings of snapshots that were placed on the timeline one at a time; events \
         convert by whole columns. Of interest only for the speed of the import.";
    ProcessTrackerErrors = "process_tracker_errors": Single, Error, Analysis, MachineAndTrace,
        "Contradictions in what the trace says of processes and threads. Some threads may be given \
         to the wrong process.";
    ProcessTrackerParentPidChanged = "process_tracker_parent_pid_changed":
        Single, Info, Analysis, MachineAndTrace,
        "Processes with another parent later in their run, as happens when the parent exits first. \
         The first parent was kept.";
    NamespacedThreadMissingProcess = "namespaced_thread_missing_process":
        Single, Error, Analysis, MachineAndTrace,
        "Threads in a PID namespace without a described process. They could not be given to a \
         process.";
    JsonTokenizerFailure = "json_tokenizer_failure": Single, Error, Trace, MachineAndTrace,
        "Invalid JSON or invalid events in a JSON trace. They were skipped.";
    JsonParserFailure = "json_parser_failure": Single, Error, Trace, MachineAndTrace,
        "JSON events that lack needed fields or have them in the wrong type. They were skipped. And \
         those on a CPU that there cannot be, which have none.";
    FormatParseErrors = "format_parse_errors": Single, Error, Trace, MachineAndTrace,
        "Parts of a file that are damaged or make no sense in its format, such as lines of \
         collapsed stacks without a count, or samples of a profile that refer to no stack. They \
         were skipped; the import log has the positions of the first.";
    FormatRecordsNotRead = "format_records_not_read": Indexed, Info, Trace, MachineAndTrace,
        "Records of a file of kinds that tpq does not read, by kind as the format numbers it.";
    FormatRecordsLost = "format_records_lost": Single, DataLoss, Trace, MachineAndTrace,
        "Reports in a file that a buffer of the recorder was full, so that it dropped records. \
         Enlarge the buffer, or record less.";
    JsonEventsNotRead = "json_events_not_read": Single, Info, Trace, MachineAndTrace,
        "JSON events of phases that tpq does not read: life cycles of objects, samples that are no \
         profile of V8, memory dumps, clock marks and contexts.";
    JsonDisplayTimeUnit = "json_display_time_unit": Single, Info, Trace, MachineAndTrace,
        "Not 0 when a JSON trace says in which unit to display times. It does not change the times \
         themselves, which are microseconds.";
    HeapGraphInvalidStringId = "heap_graph_invalid_string_id": Indexed, Error, Trace, Global,
        "References in a Java heap dump to strings that were never defined, for a process. Names \
         of types or fields are missing.";
    HeapGraphMalformedPacket = "heap_graph_malformed_packet": Indexed, Error, Trace, Global,
        "Packets of a Java heap dump that are malformed, for a process. Objects in them are \
         missing.";
    HeapGraphMissingPacket = "heap_graph_missing_packet": Indexed, Error, Trace, Global,
        "Packets of a Java heap dump that never arrived, for a process. Objects in them are \
         missing; enlarge the buffer.";
    HeapGraphMissingObject = "heap_graph_missing_object": Indexed, Info, Analysis, Global,
        "Objects that others in a Java heap dump refer to and that are not in the trace, for a \
         process. They have a row with size -1; packets were lost, or the recorder left them out.";
    HeapprofdBufferCorrupted = "heapprofd_buffer_corrupted": Indexed, Error, Trace, MachineAndTrace,
        "Not 0 when the memory shared with a profiled process was found corrupted. Its heap \
         profile ends there.";
    HeapprofdHitGuardrail = "heapprofd_hit_guardrail": Indexed, Error, Trace, MachineAndTrace,
        "Not 0 when profiling of a process stopped because it used too much CPU or memory. Raise \
         the interval or the limits in `heapprofd_config`.";
    HeapprofdBufferOverran = "heapprofd_buffer_overran": Indexed, DataLoss, Trace, MachineAndTrace,
        "Not 0 when profiling of a process stopped because the shared memory was full. Raise \
         `shmem_size_bytes` or `sampling_interval_bytes`, or set `block_client`.";
    HeapprofdClientError = "heapprofd_client_error": Indexed, Error, Trace, MachineAndTrace,
        "Code of the error that the profiler inside a process reported. Its heap profile may be \
         incomplete.";
    HeapprofdClientDisconnected = "heapprofd_client_disconnected":
        Indexed, Info, Trace, MachineAndTrace,
        "Not 0 when a profiled process disconnected before the end, as it does when it exits.";
    HeapprofdMalformedPacket = "heapprofd_malformed_packet": Indexed, Error, Trace, MachineAndTrace,
        "Packets with heap samples of a process that are malformed. The samples in them are \
         missing.";
    HeapprofdMissingPacket = "heapprofd_missing_packet": Single, Error, Trace, MachineAndTrace,
        "Packets with heap samples that never arrived. The samples in them are missing; enlarge \
         the buffer.";
    HeapprofdRejectedConcurrent = "heapprofd_rejected_concurrent":
        Indexed, Error, Trace, MachineAndTrace,
        "Not 0 when a process was not profiled because another session was profiling it already.";
    HeapprofdNonFinalizedProfile = "heapprofd_non_finalized_profile":
        Single, Error, Trace, MachineAndTrace,
        "Heap profiles without their last packet. They were dropped or are incomplete; flush at \
         the end, or enlarge the buffer.";
    HeapprofdSamplingIntervalAdjusted = "heapprofd_sampling_interval_adjusted":
        Indexed, Info, Trace, MachineAndTrace,
        "Bytes by which the profiler changed the sampling interval of a process because it could \
         not keep up. Sizes are estimates for the changed interval.";
    HeapprofdUnwindTimeUs = "heapprofd_unwind_time_us": Indexed, Info, Trace, MachineAndTrace,
        "Microseconds the profiler spent unwinding call stacks of a process.";
    HeapprofdUnwindSamples = "heapprofd_unwind_samples": Indexed, Info, Trace, MachineAndTrace,
        "Call stacks the profiler unwound for a process.";
    HeapprofdClientSpinlockBlocked = "heapprofd_client_spinlock_blocked":
        Indexed, Info, Trace, MachineAndTrace,
        "Microseconds a process waited for the lock of the shared memory of the profiler. A large \
         value means that profiling slowed it down.";
    HeapprofdLastProfileTimestamp = "heapprofd_last_profile_timestamp":
        Indexed, Info, Trace, MachineAndTrace,
        "Timestamp of the last heap profile of a process.";
    SymbolizationTmpBuildIdNotFound = "symbolization_tmp_build_id_not_found":
        Single, Error, Analysis, MachineAndTrace,
        "Mapped files in a temporary folder without a known build id. Their symbols are matched by \
         name alone or not at all.";
    MetatraceOverruns = "metatrace_overruns": Single, Error, Trace, MachineAndTrace,
        "Events of the recorder about itself that were dropped because their buffer was full.";
    PackagesListHasParseErrors = "packages_list_has_parse_errors":
        Single, Error, Trace, MachineAndTrace,
        "Not 0 when the recorder could not parse all of the list of installed packages. Some \
         packages are not in the trace.";
    PackagesListHasReadErrors = "packages_list_has_read_errors":
        Single, Error, Trace, MachineAndTrace,
        "Not 0 when the recorder could not read the list of installed packages. Packages are not \
         in the trace.";
    UserListErrors = "user_list_errors": Single, Error, Trace, MachineAndTrace,
        "Errors the recorder met while it read the list of Android users. Some users are not in \
         the trace.";
    GameInterventionHasParseErrors = "game_intervention_has_parse_errors":
        Single, Error, Trace, MachineAndTrace,
        "Not 0 when the recorder could not parse all of the list of game interventions. Some games \
         are not in the trace.";
    GameInterventionHasReadErrors = "game_intervention_has_read_errors":
        Single, Error, Trace, MachineAndTrace,
        "Not 0 when the recorder could not read the list of game interventions. Games are not in \
         the trace.";
    CompactSchedHasParseErrors = "compact_sched_has_parse_errors":
        Single, Error, Trace, MachineAndTrace,
        "Bundles of compact scheduling events that could not be decoded, or that have more than \
         8,192 thread names. Those events, or the names beyond, are missing; turning off `compact_sched` \
         avoids this encoding.";
    MisplacedEndEvent = "misplaced_end_event": Single, DataLoss, Analysis, MachineAndTrace,
        "Slice ends that match no open slice on their track and were dropped. The begin was lost \
         or came on another track, so durations nearby may be wrong.";
    TruncatedSysWriteDuration = "truncated_sys_write_duration":
        Single, Info, Analysis, MachineAndTrace,
        "Slices of the system call `write` that were cut short so that they nest with the slices a \
         program writes to the trace.";
    CompactSchedSwitchSkipped = "compact_sched_switch_skipped":
        Single, Info, Analysis, MachineAndTrace,
        "Compact context switches left out because the first one on a CPU only tells what came \
         before. Expected once or a few times per CPU.";
    CompactSchedWakingSkipped = "compact_sched_waking_skipped":
        Single, Info, Analysis, MachineAndTrace,
        "Compact wakeups left out because they come before the first context switch on their CPU. \
         Expected at the start of a trace.";
    EmptyChromeMetadata = "empty_chrome_metadata": Single, Error, Trace, MachineAndTrace,
        "Packets of Chromium metadata that are empty.";
    NinjaParseErrors = "ninja_parse_errors": Single, Error, Trace, MachineAndTrace,
        "Lines of a ninja log that could not be parsed. They were skipped.";
    PerfCpuLostRecords = "perf_cpu_lost_records": Indexed, DataLoss, Trace, MachineAndTrace,
        "Records the kernel dropped on a CPU because the perf ring buffer was full. Samples are \
         missing; raise `ring_buffer_pages`, read more often, or sample less.";
    PerfProcessShardCount = "perf_process_shard_count": Indexed, Info, Trace, MachineAndTrace,
        "Into how many parts processes were divided for unwinding, when only one part of them was \
         sampled.";
    PerfChosenProcessShard = "perf_chosen_process_shard": Indexed, Info, Trace, MachineAndTrace,
        "Which part of the processes was sampled, when they were divided for unwinding.";
    PerfGuardrailStopTs = "perf_guardrail_stop_ts": Indexed, DataLoss, Trace, MachineAndTrace,
        "When perf sampling stopped because the profiler used too much memory. There are no \
         samples after it; sample less or raise the limits in `perf_event_config`.";
    PerfUnknownRecordType = "perf_unknown_record_type": Indexed, Info, Analysis, MachineAndTrace,
        "Records of a perf file of a type tpq does not read, by type. They were skipped.";
    PerfRecordSkipped = "perf_record_skipped": Indexed, Error, Analysis, MachineAndTrace,
        "Records of a perf file that could not be read, by type. They were skipped.";
    PerfSamplesSkipped = "perf_samples_skipped": Single, Error, Analysis, MachineAndTrace,
        "Perf samples that were skipped: the profiler did not unwind them, or they could not be \
         placed during import.";
    PerfFeaturesSkipped = "perf_features_skipped": Indexed, Info, Analysis, MachineAndTrace,
        "Sections in the header of a perf file that were not read, by number. They hold details \
         about the machine and the recording.";
    PerfSamplesCpuModeUnknown = "perf_samples_cpu_mode_unknown":
        Single, Error, Analysis, MachineAndTrace,
        "Perf samples without the mode of the CPU. Whether their frames are of the kernel or of a \
         program is unknown.";
    PerfSamplesSkippedDataloss = "perf_samples_skipped_dataloss":
        Single, DataLoss, Trace, MachineAndTrace,
        "Perf samples the profiler dropped because it could not keep up. Sample less often or \
         fewer processes, or raise its limits in `perf_event_config`.";
    PerfDummyMappingUsed = "perf_dummy_mapping_used": Single, Info, Analysis, MachineAndTrace,
        "Frames of perf samples at an address that no memory mapping covers. They were given a \
         stand-in and have no name.";
    PerfAuxMissing = "perf_aux_missing": Single, DataLoss, Trace, MachineAndTrace,
        "Hardware trace data that the perf file refers to but does not hold. That stretch cannot \
         be decoded.";
    PerfAuxIgnored = "perf_aux_ignored": Single, Info, Trace, MachineAndTrace,
        "Records of hardware trace data that were not needed and left out.";
    PerfAuxLost = "perf_aux_lost": Single, DataLoss, Trace, MachineAndTrace,
        "Records of hardware trace data that the kernel reported as lost. Enlarge the AUX buffer \
         when recording.";
    PerfAuxTruncated = "perf_aux_truncated": Single, DataLoss, Trace, MachineAndTrace,
        "Pieces of hardware trace data cut short because the AUX buffer was full. Enlarge it when \
         recording.";
    PerfAuxPartial = "perf_aux_partial": Single, DataLoss, Trace, MachineAndTrace,
        "Pieces of hardware trace data with gaps in them. What fell into the gaps is missing.";
    PerfAuxCollision = "perf_aux_collision": Single, DataLoss, Trace, MachineAndTrace,
        "Pieces of hardware trace data in which a sample overwrote another. What was overwritten \
         is missing.";
    PerfAuxtraceMissing = "perf_auxtrace_missing": Single, DataLoss, Trace, MachineAndTrace,
        "Hardware trace data in a perf file without the record that says how to read it. It cannot \
         be decoded.";
    PerfUnknownAuxData = "perf_unknown_aux_data": Indexed, DataLoss, Trace, MachineAndTrace,
        "Hardware trace data of a kind tpq cannot decode, by kind. It was skipped.";
    PerfNoTscData = "perf_no_tsc_data": Single, Info, Trace, MachineAndTrace,
        "Perf files that do not say how the time stamp counter relates to the perf clock. Times \
         that are in counter ticks cannot be converted.";
    SpeNoTimestamp = "spe_no_timestamp": Single, Info, Trace, MachineAndTrace,
        "Arm SPE records without a timestamp. They were given the time of what stands near them.";
    EtmNoImporter = "etm_no_importer": Single, Error, Analysis, MachineAndTrace,
        "Arm ETM data that was skipped because no decoder for it is built in.";
    MemorySnapshotParserFailure = "memory_snapshot_parser_failure":
        Single, Error, Analysis, MachineAndTrace,
        "Memory snapshots of Chromium that are malformed. They were skipped or are incomplete.";
    ThreadTimeInStateUnknownCpuFreq = "thread_time_in_state_unknown_cpu_freq":
        Single, Error, Analysis, MachineAndTrace,
        "Times of threads at CPU frequencies that the trace does not describe. No table has such \
         times any more, so this is 0.";
    FtracePacketBeforeTracingStart = "ftrace_packet_before_tracing_start":
        Single, Info, Analysis, MachineAndTrace,
        "Kernel events older than the start of recording that were left out. They were still in \
         the kernel buffers from before.";
    SorterPushEventOutOfOrder = "sorter_push_event_out_of_order": Single, Error, Trace, Global,
        "Events that came after the recorder's flushes had closed their sorting window, and were \
         dropped. Set a shorter `flush_period_ms` when recording, or import with `--full-sort`.";
    UnknownExtensionFields = "unknown_extension_fields": Single, Error, Trace, MachineAndTrace,
        "Extension fields in track events that no known description covers. They were skipped as \
         arguments.";
    NetworkTraceInternErrors = "network_trace_intern_errors":
        Single, Info, Analysis, MachineAndTrace,
        "Bundles of network packets that refer to an interned entry that was never defined. What \
         their packets have in common is missing; lost packets are a common cause.";
    NetworkTraceParseErrors = "network_trace_parse_errors": Single, Info, Analysis, MachineAndTrace,
        "Bundles of network packets with lists that are damaged. Packets from there on were skipped.";
    AtomTimestampMissing = "atom_timestamp_missing": Single, Error, Trace, MachineAndTrace,
        "Atoms of statsd without a timestamp. They were skipped or given that of their packet.";
    AtomUnknown = "atom_unknown": Single, Info, Analysis, MachineAndTrace,
        "Atoms of statsd of a kind tpq has no name for. They stand under their number.";
    V8InternErrors = "v8_intern_errors": Single, DataLoss, Analysis, MachineAndTrace,
        "References of V8's code events to data that was never interned. The events were skipped; \
         lost packets are a common cause.";
    V8IsolateHasNoCodeRange = "v8_isolate_has_no_code_range":
        Single, Error, Analysis, MachineAndTrace,
        "Isolates of V8 that state no range of addresses for their code. Their code was skipped, \
         so frames in it have no names.";
    V8NoDefaults = "v8_no_defaults": Single, DataLoss, Analysis, MachineAndTrace,
        "Code events of V8 without a thread, on a sequence that states none for all of them. They \
         were skipped; lost packets are a common cause.";
    V8NoCodeRange = "v8_no_code_range": Single, Error, Analysis, MachineAndTrace,
        "Code of V8 outside of the addresses that its isolate states. It was skipped, so frames in \
         it have no names.";
    V8UnknownCodeType = "v8_unknown_code_type": Single, Error, Analysis, MachineAndTrace,
        "JavaScript code events with a type of code tpq does not know. They were skipped.";
    V8CodeLoadMissingCodeRange = "v8_code_load_missing_code_range":
        Single, Error, Analysis, MachineAndTrace,
        "JavaScript code loads of an isolate without a known range of code memory. The code could \
         not be placed.";
    WinscopeSfLayersParseErrors = "winscope_sf_layers_parse_errors":
        Single, Error, Analysis, MachineAndTrace,
        "SurfaceFlinger layer snapshots that are malformed. Layers in them are missing.";
    WinscopeSfTransactionsParseErrors = "winscope_sf_transactions_parse_errors":
        Single, Error, Analysis, MachineAndTrace,
        "SurfaceFlinger transactions that are malformed or have fields tpq does not know. Some of \
         their arguments are missing.";
    WinscopeShellTransitionsParseErrors = "winscope_shell_transitions_parse_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Messages about window transitions that are malformed or have fields tpq does not know. \
         Some of their arguments are missing.";
    WinscopeProtologInvalidInterpolationParseErrors =
        "winscope_protolog_invalid_interpolation_parse_errors":
        Single, Info, Analysis, MachineAndTrace,
        "Places for values in texts of ProtoLog messages that are of no known kind. They are kept \
         as they are, so this is 0.";
    WinscopeInputmethodClientsParseErrors = "winscope_inputmethod_clients_parse_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Dumps of clients of input methods that are malformed or have fields tpq does not know. \
         Some of their arguments are missing.";
    WinscopeInputmethodServiceParseErrors = "winscope_inputmethod_service_parse_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Dumps of input methods that are malformed or have fields tpq does not know. Some of their \
         arguments are missing.";
    WinscopeInputmethodManagerServiceParseErrors =
        "winscope_inputmethod_manager_service_parse_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Dumps of the service of input methods that are malformed or have fields tpq does not \
         know. Some of their arguments are missing.";
    WinscopeViewcaptureParseErrors = "winscope_viewcapture_parse_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Snapshots of views that are malformed or have fields tpq does not know. Some of their \
         arguments or views are missing.";
    WinscopeViewcaptureMissingInternedStringParseErrors =
        "winscope_viewcapture_missing_interned_string_parse_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Texts of views that were interned and never sent; lost packets are a common cause. The \
         views stay without them.";
    WinscopeProtologMissingInternedArgParseErrors =
        "winscope_protolog_missing_interned_arg_parse_errors":
        Single, Info, Analysis, MachineAndTrace,
        "Parameters of ProtoLog messages that were interned and never sent; lost packets are a \
         common cause. `<ERROR>` stands in their place.";
    WinscopeProtologMissingInternedStacktraceParseErrors =
        "winscope_protolog_missing_interned_stacktrace_parse_errors":
        Single, Info, Analysis, MachineAndTrace,
        "Stack traces of ProtoLog messages that were interned and never sent. The messages have \
         none.";
    WinscopeProtologMessageDecodingFailed = "winscope_protolog_message_decoding_failed":
        Single, Info, Analysis, MachineAndTrace,
        "ProtoLog messages that no viewer configuration in the trace describes, or with a text \
         that is too long. Their text is missing or cut off.";
    WinscopeProtologMessageCollision = "winscope_protolog_message_collision":
        Single, Info, Analysis, MachineAndTrace,
        "ProtoLog messages with an id that the viewer configuration gives to several messages, \
         where the parameters do not tell which one was meant.";
    WinscopeProtologMessageCollisionResolved = "winscope_protolog_message_collision_resolved":
        Single, Info, Analysis, MachineAndTrace,
        "ProtoLog messages with an id that the viewer configuration gives to several messages, \
         where only one fits the parameters.";
    WinscopeProtologGroupTagCollision = "winscope_protolog_group_tag_collision":
        Single, Info, Analysis, MachineAndTrace,
        "Groups of ProtoLog messages that have several tags in the viewer configurations. Their \
         messages have the tag `COLLISION_GROUP`.";
    WinscopeProtologGroupTagMissing = "winscope_protolog_group_tag_missing":
        Single, Info, Analysis, MachineAndTrace,
        "ProtoLog messages of a group that no viewer configuration describes. They have the tag \
         `UNKNOWN_GROUP`.";
    WinscopeProtologParamMismatch = "winscope_protolog_param_mismatch":
        Single, Info, Analysis, MachineAndTrace,
        "Parameters of ProtoLog messages that their text has no place for, or the other way \
         round.";
    WinscopeWindowmanagerParseErrors = "winscope_windowmanager_parse_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Window manager snapshots that are malformed. Windows in them are missing.";
    JitUnknownFrame = "jit_unknown_frame": Single, DataLoss, Trace, MachineAndTrace,
        "Frames in code generated at run time that matched no known function. They have no name; \
         the event that loaded the code was lost.";
    FtraceMissingEventId = "ftrace_missing_event_id": Single, Info, Analysis, MachineAndTrace,
        "Kernel events that hold no event of any kind. They were skipped.";
    AndroidInputEventParseErrors = "android_input_event_parse_errors":
        Single, Info, Analysis, MachineAndTrace,
        "Android input events that are malformed. They were skipped.";
    MaliUnknownMcuStateId = "mali_unknown_mcu_state_id": Single, Error, Analysis, MachineAndTrace,
        "States of the Mali GPU's controller under a number tpq has no name for. They were \
         skipped.";
    PixelModemNegativeTimestamp = "pixel_modem_negative_timestamp":
        Single, Error, Analysis, MachineAndTrace,
        "Events of the Pixel modem with a time before 0. They were skipped.";
    LegacyV8CpuProfileInvalidCallsite = "legacy_v8_cpu_profile_invalid_callsite":
        Single, Error, Trace, MachineAndTrace,
        "Nodes of a V8 CPU profile in a JSON trace that could not be placed in its call tree. They \
         were skipped.";
    LegacyV8CpuProfileInvalidSample = "legacy_v8_cpu_profile_invalid_sample":
        Single, Error, Trace, MachineAndTrace,
        "Samples of a V8 CPU profile in a JSON trace that refer to a node that does not exist. \
         They were skipped.";
    ConfigWriteIntoFileNoFlush = "config_write_into_file_no_flush":
        Single, Error, Trace, MachineAndTrace,
        "Not 0 when the trace was streamed into a file without `flush_period_ms`. Events may lie \
         far from their place in the file, so that none can be decoded before all are read; set it.";
    ConfigWriteIntoFileDiscard = "config_write_into_file_discard":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Not 0 when a trace was streamed into a file with a buffer of fill policy `DISCARD`. Data \
         may be missing from the moment it was full; use `RING_BUFFER` when streaming.";
    LongTraceModeBytesOverwritten = "long_trace_mode_bytes_overwritten":
        Indexed, DataLoss, Trace, MachineAndTrace,
        "Bytes overwritten in a central buffer while the trace was streamed into a file. Data is \
         missing; enlarge the buffer or lower `file_write_period_ms`.";
    HprofStringCounter = "hprof_string_counter": Single, Info, Analysis, MachineAndTrace,
        "Strings in the Java heap dump.";
    HprofClassCounter = "hprof_class_counter": Single, Info, Analysis, MachineAndTrace,
        "Classes in the Java heap dump.";
    HprofHeapDumpCounter = "hprof_heap_dump_counter": Single, Info, Analysis, MachineAndTrace,
        "Dump sections in the Java heap dump.";
    HprofInstanceCounter = "hprof_instance_counter": Single, Info, Analysis, MachineAndTrace,
        "Objects in the Java heap dump that are instances of a class.";
    HprofObjectArrayCounter = "hprof_object_array_counter": Single, Info, Analysis, MachineAndTrace,
        "Arrays of objects in the Java heap dump.";
    HprofPrimitiveArrayCounter = "hprof_primitive_array_counter":
        Single, Info, Analysis, MachineAndTrace,
        "Arrays of primitive values in the Java heap dump.";
    HprofRootCounter = "hprof_root_counter": Single, Info, Analysis, MachineAndTrace,
        "Roots of garbage collection in the Java heap dump.";
    HprofReferenceCounter = "hprof_reference_counter": Single, Info, Analysis, MachineAndTrace,
        "References between objects in the Java heap dump.";
    HprofRecordCounter = "hprof_record_counter": Single, Info, Analysis, MachineAndTrace,
        "Records in the Java heap dump.";
    HprofSegmentOvershootCounter = "hprof_segment_overshoot_counter":
        Single, Info, Analysis, MachineAndTrace,
        "Dump sections of the Java heap dump with records past the length of the section.";
    HprofFieldValueErrors = "hprof_field_value_errors": Single, Error, Analysis, MachineAndTrace,
        "Values of object fields in the Java heap dump that could not be read. They are missing.";
    HprofClassErrors = "hprof_class_errors": Single, Error, Analysis, MachineAndTrace,
        "Classes in the Java heap dump that could not be read or are not defined. Objects of them \
         lack their type or fields.";
    HprofHeaderErrors = "hprof_header_errors": Single, Error, Analysis, MachineAndTrace,
        "Headers of a Java heap dump that could not be read. The dump could not be imported.";
    HprofHeapDumpErrors = "hprof_heap_dump_errors": Single, Error, Analysis, MachineAndTrace,
        "Dump sections of the Java heap dump that could not be read. Objects in them are missing.";
    HprofPrimitiveArrayParsingErrors = "hprof_primitive_array_parsing_errors":
        Single, Error, Analysis, MachineAndTrace,
        "Arrays of primitive values in the Java heap dump that could not be read. Their contents \
         are missing.";
    HprofReferenceErrors = "hprof_reference_errors": Single, Error, Analysis, MachineAndTrace,
        "References in the Java heap dump to objects that are not in it. They were skipped.";
    TraceSorterNegativeTimestampDropped = "trace_sorter_negative_timestamp_dropped":
        Single, Error, Trace, Global,
        "Events dropped because their converted time lies before 0. In a merge, check `offset_ns` \
         in the manifest.";
    SliceDropOverlappingCompleteEvent = "slice_drop_overlapping_complete_event":
        Single, Error, Analysis, MachineAndTrace,
        "Complete events dropped because they partly overlap another on the same thread, which \
         slices cannot. Put them on tracks of their own when recording.";
    SliceSpillOverlappingCompleteEvent = "slice_spill_overlapping_complete_event":
        Single, Error, Analysis, MachineAndTrace,
        "Complete events moved to a track of their own because they partly overlap another on the \
         same thread.";
    PerfTextImporterSampleNoFrames = "perf_text_importer_sample_no_frames":
        Single, Error, Trace, MachineAndTrace,
        "Samples in the text output of perf that have no call stack. They were skipped.";
    StraceParseFailure = "strace_parse_failure": Single, Info, Trace, MachineAndTrace,
        "Lines of strace output that could not be parsed. They were skipped.";
    StraceUnsupportedTimestampFormat = "strace_unsupported_timestamp_format":
        Single, Error, Trace, MachineAndTrace,
        "Lines of strace output with an unusable timestamp. Record with `-ttt`.";
    StraceMissingPid = "strace_missing_pid": Single, Error, Trace, MachineAndTrace,
        "Lines of strace output that name no process. Record with `-f`.";
    SimpleperfMissingFileMapping = "simpleperf_missing_file_mapping":
        Single, DataLoss, Trace, MachineAndTrace,
        "Symbol files in a simpleperf recording that no memory mapping refers to. Frames in them \
         have no name.";
    SliceNegativeDuration = "slice_negative_duration": Single, Error, Analysis, MachineAndTrace,
        "Slices that end before they begin. They were dropped; the two times may come from clocks \
         that disagree.";
    SliceMaxDepthExceeded = "slice_max_depth_exceeded": Single, Error, Analysis, MachineAndTrace,
        "Slices dropped because too many were open above them on their track. Begins without an \
         end are the usual cause.";
    GpuWorkPeriodNegativeDuration = "gpu_work_period_negative_duration":
        Single, Error, Analysis, MachineAndTrace,
        "GPU work periods that end before they begin. They were skipped.";
    TrackDescriptorMissingUuid = "track_descriptor_missing_uuid":
        Single, Error, Analysis, MachineAndTrace,
        "Track descriptors without a uuid. They were skipped, as no event can refer to them.";
    TrackDescriptorThreadMissingPidTid = "track_descriptor_thread_missing_pid_tid":
        Single, Error, Analysis, MachineAndTrace,
        "Track descriptors of a thread that lack its process or thread id. They were skipped.";
    TrackDescriptorProcessMissingPid = "track_descriptor_process_missing_pid":
        Single, Error, Analysis, MachineAndTrace,
        "Track descriptors of a process that lack its id. They were skipped.";
    TrackEventMissingSequenceId = "track_event_missing_sequence_id":
        Single, Error, Analysis, MachineAndTrace,
        "Track events in packets without a sequence id. They were skipped, as their state is not \
         known.";
    TrackEventMissingTimestamp = "track_event_missing_timestamp":
        Single, Error, Analysis, MachineAndTrace,
        "Track events without a timestamp. They were skipped.";
    TrackEventInvalidTimestamp = "track_event_invalid_timestamp":
        Single, Error, Analysis, MachineAndTrace,
        "Track events that lie before the start of trace time. They are missing; look at the clock \
         stats.";
    StreamingProfileInvalidTimestamp = "streaming_profile_invalid_timestamp":
        Single, Error, Analysis, MachineAndTrace,
        "Streamed profile packets with timestamps that could not be converted to trace time. Their \
         samples are missing.";
    ThreadDescriptorMissingSequenceId = "thread_descriptor_missing_sequence_id":
        Single, Error, Analysis, MachineAndTrace,
        "Thread descriptors in packets without a sequence id. They were skipped, as they describe \
         their sequence.";
    IncrementalStateClearedMissingSequenceId = "incremental_state_cleared_missing_sequence_id":
        Single, Error, Analysis, MachineAndTrace,
        "Packets that reset the state of a sequence but have no sequence id. They reset the state of \
         packets without an id.";
    PreviousPacketDroppedMissingSequenceId = "previous_packet_dropped_missing_sequence_id":
        Single, Error, Analysis, MachineAndTrace,
        "Packets that report a loss on a sequence but have no sequence id. The loss could not be \
         placed.";
    TracePacketDefaultsMissingSequenceId = "trace_packet_defaults_missing_sequence_id":
        Single, Error, Analysis, MachineAndTrace,
        "Packets that set defaults for a sequence but have no sequence id. The defaults were not \
         used.";
    InternedDataMissingSequenceId = "interned_data_missing_sequence_id":
        Single, Error, Analysis, MachineAndTrace,
        "Packets with interned data but without a sequence id. The entries were not used.";
    TrackEventTrackHierarchyLoop = "track_event_track_hierarchy_loop":
        Single, Error, Analysis, MachineAndTrace,
        "Tracks that are their own ancestor. They and their events were skipped.";
    TrackEventTrackHierarchyTooDeep = "track_event_track_hierarchy_too_deep":
        Single, Error, Analysis, MachineAndTrace,
        "Tracks nested deeper than tpq follows. They and their events were skipped.";
    TrackDescriptorDefaultTrackWithParent = "track_descriptor_default_track_with_parent":
        Single, Error, Analysis, MachineAndTrace,
        "Descriptors that give the default track, uuid 0, a parent. It has none; they were \
         skipped.";
    TrackDescriptorConflictingReservation = "track_descriptor_conflicting_reservation":
        Single, Error, Analysis, MachineAndTrace,
        "Descriptors that describe a track in another way than an earlier one with the same uuid. \
         The earlier one was kept.";
    TrackEventRangeOfInterestMissingStartUs = "track_event_range_of_interest_missing_start_us":
        Single, Error, Analysis, MachineAndTrace,
        "Ranges of interest without a start. They were ignored.";
    TrackDescriptorInvalidChildOrdering = "track_descriptor_invalid_child_ordering":
        Single, Error, Analysis, MachineAndTrace,
        "Track descriptors with an ordering of children tpq does not know. They were skipped.";
    TrackEventCounterMissingTrackUuid = "track_event_counter_missing_track_uuid":
        Single, Error, Analysis, MachineAndTrace,
        "Counter events that name no track. They were skipped.";
    TrackEventCounterMissingValue = "track_event_counter_missing_value":
        Single, Error, Analysis, MachineAndTrace,
        "Counter events without a value. They were skipped.";
    TrackEventCounterInvalidTrackUuid = "track_event_counter_invalid_track_uuid":
        Single, Error, Analysis, MachineAndTrace,
        "Counter events on a track that is no counter track or was never described. They were \
         skipped; lost packets are a common cause.";
    TrackEventExtraCounterMissingTrackUuids = "track_event_extra_counter_missing_track_uuids":
        Single, Error, Analysis, MachineAndTrace,
        "Track events with extra counter values for which nothing says which tracks they belong \
         to. They were skipped.";
    TrackEventStateMissingTrackUuid = "track_event_state_missing_track_uuid":
        Single, Error, Analysis, MachineAndTrace,
        "State events that name no track. They were skipped.";
    TrackEventExtraCounterTrackUuidMismatch = "track_event_extra_counter_track_uuid_mismatch":
        Single, Error, Analysis, MachineAndTrace,
        "Track events with more extra counter values than tracks for them. They were \
         skipped.";
    TrackEventExtraCounterExceedsMax = "track_event_extra_counter_exceeds_max":
        Single, Error, Analysis, MachineAndTrace,
        "Track events with more extra counter values than tpq reads. They were \
         skipped.";
    TrackEventExtraCounterInvalidTrack = "track_event_extra_counter_invalid_track":
        Single, Error, Analysis, MachineAndTrace,
        "Track events with extra counter values on a track that is no counter track or was never \
         described. They were skipped.";
    HeapGraphNonFinalizedGraph = "heap_graph_non_finalized_graph": Single, DataLoss, Trace, Global,
        "Java heap dumps without their last packet. They are incomplete or were dropped; record \
         longer, or enlarge the buffer.";
    PrimesUnknownEdgeType = "primes_unknown_edge_type": Single, DataLoss, Analysis, MachineAndTrace,
        "Edges in a Primes trace of a type tpq does not know. They were skipped.";
    PrimesExecutorNotFound = "primes_executor_not_found":
        Single, DataLoss, Analysis, MachineAndTrace,
        "Edges in a Primes trace with an executor that was never described. They were skipped.";
    PrimesEndWithoutMatchingBegin = "primes_end_without_matching_begin":
        Single, Info, Analysis, MachineAndTrace,
        "Ends in a Primes trace without a matching begin. Most began before the recording did.";
    PrimesMissingEntityDetails = "primes_missing_entity_details":
        Single, Info, Analysis, MachineAndTrace,
        "Edges in a Primes trace without details of what they are about. They have no name.";
    PrimesMissingParentId = "primes_missing_parent_id": Single, Info, Analysis, MachineAndTrace,
        "Edges in a Primes trace that name no parent. They stand at the top level.";
    PrimesMalformedTimestamp = "primes_malformed_timestamp":
        Single, DataLoss, Analysis, MachineAndTrace,
        "Events in a Primes trace with an unreadable timestamp. They were skipped.";
    ProtovmAbort = "protovm_abort": Single, Error, Analysis, MachineAndTrace,
        "Programs that merge packets and were aborted during import. What they would have produced \
         is missing.";
    ProtovmRegistrationError = "protovm_registration_error":
        Single, Error, Analysis, MachineAndTrace,
        "Programs that merge packets and could not be set up during import. What they would have \
         produced is missing.";
    ExtraParsingDescriptorsError = "extra_parsing_descriptors_error":
        Single, Error, Analysis, Global,
        "Additional message descriptions given to the import that could not be used. Fields they \
         describe were not decoded.";
    TraceTruncatedBytes = "trace_truncated_bytes":
        Single, DataLoss, Analysis, MachineAndTrace,
        "Bytes at the end of the trace that are no whole packet: the recording or the copy of it \
         was cut short. Everything before them was imported. Copy the file again, or let the \
         recording end by itself.";
    CompressedPacketsFailed = "compressed_packets_failed":
        Single, DataLoss, Analysis, MachineAndTrace,
        "Compressed packets that could not be inflated, or that claimed to inflate to more than \
         any recorder writes. What they held is missing.";
    MalformedPackets = "malformed_packets":
        Single, DataLoss, Analysis, MachineAndTrace,
        "Packets that end in the middle of a field, of which what came before the damage was \
         imported, and packets of many events that say no time or are larger than 8 MiB.";
    ThreadDescriptorSkippedIncrementalStateInvalid =
        "thread_descriptor_skipped_incremental_state_invalid":
        Single, Notice, Analysis, MachineAndTrace,
        "Thread descriptors of sequences that lost their state. They were skipped, as counts from \
         them would be wrong; lost packets are the cause.";
    TrackEventSkippedTimestampDeltaWithoutValidState =
        "track_event_skipped_timestamp_delta_without_valid_state":
        Single, Notice, Analysis, MachineAndTrace,
        "Track events with a time that is a difference from a lost one. They were skipped; lost \
         packets are the cause.";
    TrackEventSkippedThreadTimeDeltaWithoutValidState =
        "track_event_skipped_thread_time_delta_without_valid_state":
        Single, Notice, Analysis, MachineAndTrace,
        "Track events with a CPU time that is a difference from a lost one. They were skipped; \
         lost packets are the cause.";
    TrackEventSkippedThreadInstructionDeltaWithoutValidState =
        "track_event_skipped_thread_instruction_delta_without_valid_state":
        Single, Notice, Analysis, MachineAndTrace,
        "Track events with a count of instructions that is a difference from a lost one. They were \
         skipped; lost packets are the cause.";
    PacketSkippedSeqNeedsIncrementalStateInvalid =
        "packet_skipped_seq_needs_incremental_state_invalid":
        Single, DataLoss, Analysis, MachineAndTrace,
        "Packets that mean nothing without what their sequence interned before, which was lost, so \
         that they had to be skipped. Use a bigger buffer, or set incremental_state_config's \
         clear_period_ms so that writers repeat what they interned.";
    InternedDataSkippedIncrementalStateInvalid = "interned_data_skipped_incremental_state_invalid":
        Single, Info, Analysis, MachineAndTrace,
        "Packets with interned data that was skipped: earlier packets of their sequence were lost, \
         so its state is unknown.";
    FtraceEventsBeforeAllCpus = "ftrace_events_before_all_cpus":
        Single, Info, Analysis, MachineAndTrace,
        "Kernel events from before all CPUs have data, as where a ring buffer wrapped. They are \
         left out: the running and the waiting threads are unknown without the data of all CPUs. \
         The metadata ftrace_latest_data_start_ns says from when on there is data of all.";
    AdrenoCmdbatchUnplaced = "adreno_cmdbatch_unplaced":
        Single, Info, Analysis, MachineAndTrace,
        "Batches of an Adreno GPU without an event of their submission, or that end before they \
         begin. They have no slice, as their times are ticks of the GPU's clock; record \
         kgsl/adreno_cmdbatch_sync as well.";
    SequencePacketLoss = "sequence_packet_loss":
        Single, DataLoss, Analysis, MachineAndTrace,
        "Places where a writer lost packets and the trace does not say which buffer it wrote to: \
         losses with a known buffer are in traced_buf_sequence_packet_loss.";
    ManifestFilesMissing = "manifest_files_missing": Single, Error, Analysis, Global,
        "Files that a perfetto_manifest lists and that are not among the files given. What it \
         says of them has no effect; check the paths against the names of the members.";
    ClockSyncDoubtfulSameBoot = "clock_sync_doubtful_same_boot":
        Single, Notice, Analysis, MachineAndTrace,
        "A file that was placed as of the same boot of the same machine as the timeline, while \
         wall time says that machine was started at another time. If the files are of different \
         machines, name these in a perfetto_manifest.";
    ArchiveMembersNotRead = "archive_members_not_read": Single, Notice, Analysis, Global,
        "Files in archives that were not read: links, devices, hidden and empty files, files in no \
         format that tpq reads. The table data_loss names each.";
    ArchiveIrregularities = "archive_irregularities": Single, Notice, Analysis, Global,
        "What is unusual about archives although nothing of them is known to be missing, as several \
         files of one name. The table data_loss says what it is.";
}
