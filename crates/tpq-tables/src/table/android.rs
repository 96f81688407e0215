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
    table "__intrinsic_android_network_packets" => NetworkPacketTable, NetworkPacketRow {
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
    table "__intrinsic_android_cpu_per_uid_track" => CpuPerUidTable, CpuPerUidRow {
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
