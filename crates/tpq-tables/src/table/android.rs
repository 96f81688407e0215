//! Tables of Android systems only.

use crate::StringId;

declare_table! {
    /// An installed Android package.
    table "package_list" => PackageListTable, PackageListRow {
        /// Name of the package.
        package_name: StringId => String,
        /// User id of the package's processes.
        uid: i64 => Long,
        /// Whether the package is debuggable.
        debuggable: u32 => Bool,
        /// Whether the shell can profile the package.
        profileable_from_shell: u32 => Bool,
        /// Version code of the package.
        version_code: i64 => Long,
    }
}

declare_table! {
    /// Settings of Android for a game, for each mode that a user can select.
    table "android_game_intervention_list" => GameInterventionTable, GameInterventionRow {
        /// Package of the game.
        package_name: StringId => String,
        /// User id of the game's processes.
        uid: i64 => Long,
        /// Current mode: 1 standard, 2 performance, 3 battery.
        current_mode: i32 => Long,
        /// Whether there are settings for the standard mode.
        standard_mode_supported: u32 => Bool,
        /// Standard mode: fraction of the resolution that is rendered; NULL if not set.
        standard_mode_downscale: Option<f64> => Double,
        /// Standard mode: whether OpenGL ES uses ANGLE; NULL if not set.
        standard_mode_use_angle: Option<u32> => Bool,
        /// Standard mode: limit of frames per second; NULL if not set.
        standard_mode_fps: Option<f64> => Double,
        /// Whether there are settings for the performance mode.
        perf_mode_supported: u32 => Bool,
        /// Performance mode: fraction of the resolution that is rendered; NULL if not set.
        perf_mode_downscale: Option<f64> => Double,
        /// Performance mode: whether OpenGL ES uses ANGLE; NULL if not set.
        perf_mode_use_angle: Option<u32> => Bool,
        /// Performance mode: limit of frames per second; NULL if not set.
        perf_mode_fps: Option<f64> => Double,
        /// Whether there are settings for the battery mode.
        battery_mode_supported: u32 => Bool,
        /// Battery mode: fraction of the resolution that is rendered; NULL if not set.
        battery_mode_downscale: Option<f64> => Double,
        /// Battery mode: whether OpenGL ES uses ANGLE; NULL if not set.
        battery_mode_use_angle: Option<u32> => Bool,
        /// Battery mode: limit of frames per second; NULL if not set.
        battery_mode_fps: Option<f64> => Double,
    }
}

declare_table! {
    /// One or several network packets.
    table "__intrinsic_android_network_packets" of Tracks => NetworkPacketTable, NetworkPacketRow {
        /// Slice of the packets; join with `slice` on `id`.
        slice_id: u32 => JoinId("slice"),
        /// Network interface.
        iface: StringId => String,
        /// `Received` or `Transmitted`.
        direction: StringId => String,
        /// Transport protocol, such as `IPPROTO_TCP`.
        packet_transport: StringId => String,
        /// Total length, bytes.
        packet_length: i64 => Long,
        /// Number of packets.
        packet_count: i64 => Long,
        /// Tag that Android gave the socket, as a number.
        socket_tag: u32 => Long,
        /// Tag of the socket, in hexadecimal.
        socket_tag_str: StringId => String,
        /// User id of the socket.
        socket_uid: u32 => Long,
        /// Port on this device; NULL if not recorded.
        local_port: Option<u32> => Long,
        /// Port on the other side; NULL if not recorded.
        remote_port: Option<u32> => Long,
        /// Type of an ICMP message; NULL for other packets.
        packet_icmp_type: Option<u32> => Long,
        /// Code of an ICMP message; NULL for other packets.
        packet_icmp_code: Option<u32> => Long,
        /// TCP flags, as bits; NULL for other packets.
        packet_tcp_flags: Option<u32> => Long,
        /// TCP flags as letters, with a dot for each flag that is not set.
        packet_tcp_flags_str: StringId => String,
    }
}

declare_table! {
    /// A user of the Android system.
    table "__intrinsic_android_user_list" => AndroidUserTable, AndroidUserRow {
        /// Type of the user, such as `android.os.usertype.full.SYSTEM`.
        user_type as "type": StringId => String,
        /// Id of the Android user.
        android_user_id: i64 => Long,
    }
}

declare_table! {
    /// CPU time of a user id on a cluster of CPUs, over the whole recording.
    table "__intrinsic_android_cpu_per_uid_track" of Tracks => CpuPerUidTable, CpuPerUidRow {
        /// Counter of the time; join with `track` on `id`.
        track_id: u32 => JoinId("track"),
        /// User id.
        uid: i64 => Long,
        /// Index of the CPU cluster.
        cluster: i64 => Long,
        /// Total CPU time, ms.
        total_cpu_millis: i64 => Long,
    }
}

declare_table! {
    /// The state of a feature flag (aconfig flag) of Android at one time.
    table "__intrinsic_android_aflags" => AflagTable, AflagRow {
        /// Time at which the flags were read, ns in trace time.
        ts: i64 => Timestamp,
        /// Package of the flag.
        package: StringId => String,
        /// Name of the flag in its package.
        name: StringId => String,
        /// Namespace that groups flags.
        flag_namespace: StringId => String,
        /// Partition or module that contains the flag.
        container: StringId => String,
        /// Value in effect.
        value: StringId => String,
        /// Value after the next reboot; NULL if it stays the same.
        staged_value: StringId => String,
        /// `read-only`, `read-write` or `unspecified`.
        permission: StringId => String,
        /// Source of the value: `default`, `server`, `local` or `unspecified`.
        value_picked_from: StringId => String,
        /// Service that stores the flag: `none`, `aconfigd`, `device_config` or `unspecified`.
        storage_backend: StringId => String,
        /// Type of the value: `boolean`, `integer` or `unspecified`.
        flag_type as "type": StringId => String,
    }
}

declare_table! {
    /// A frame of a video of a display. The picture itself is not kept.
    table "__intrinsic_video_frames" => VideoFrameTable, VideoFrameRow {
        /// Time of the frame, ns in trace time.
        ts: i64 => Timestamp,
        /// Id of the display.
        display_id: i32 => Long,
        /// Name of the display; NULL if not recorded.
        display_name: StringId => String,
        /// Codec as in RFC 6381; NULL if not recorded.
        codec_string: StringId => String,
        /// Number of the frame.
        frame_number: i64 => Long,
        /// Codec, as a number of the recorder.
        codec: Option<i32> => Long,
        /// Whether the frame can be decoded alone; NULL for configurations of the codec.
        is_key_frame: Option<i32> => Bool,
        /// Presentation time in the stream, µs; NULL if not recorded.
        pts_us: Option<i64> => Long,
        /// 1 for configurations of the codec; NULL for frames.
        is_config: Option<i32> => Bool,
    }
}

declare_table! {
    /// A process that the framework of Android started, as it reports it in track events.
    table "__intrinsic_android_track_event_process" => FrameworkProcessTable, FrameworkProcessRow {
        /// Process; join with `process` on `upid`.
        upid: u32 => JoinId("process"),
        /// Number of the start, unique since boot; NULL if not recorded.
        start_seq_id: Option<i64> => Long,
        /// User id of the package; NULL if not recorded.
        package_uid: Option<i32> => Long,
        /// User id that asked for the process; NULL if not recorded.
        caller_uid: Option<i32> => Long,
        /// User id of the package that defines the process; NULL if not recorded.
        defining_uid: Option<i32> => Long,
        /// Time of the report of the start, ns in trace time.
        fw_start_ts: Option<i64> => Timestamp,
        /// Time of the report of the end, ns in trace time; NULL if not recorded.
        fw_end_ts: Option<i64> => Timestamp,
        /// What triggered the start, such as `TRIGGER_TYPE_ALARM`; NULL if not recorded.
        trigger_type: StringId => String,
        /// Kind of component that the process was started for; NULL if not recorded.
        hosting_type: StringId => String,
        /// Name of that component; NULL if not recorded.
        hosting_name: StringId => String,
        /// Time until the application was bound, ms; NULL if not recorded.
        bind_application_delay_ms: Option<i64> => Long,
        /// Time until the process was started, ms; NULL if not recorded.
        process_start_delay_ms: Option<i64> => Long,
    }
}

declare_table! {
    /// A line of the text of an Android bug report.
    table "android_dumpstate" => DumpstateTable, DumpstateRow {
        /// Section of the report, such as `DUMPSYS (/system/bin/dumpsys)`; NULL outside of them.
        section: StringId => String,
        /// Service with a dump that has the line; NULL outside of dumps.
        service: StringId => String,
        /// Text of the line.
        line: StringId => String,
    }
}
