//! What only Android systems have.

use crate::StringId;

declare_table! {
    /// A package that is installed.
    table "package_list" => PackageListTable, PackageListRow {
        /// Its name.
        package_name: StringId => String,
        /// The user id its processes run under.
        uid: i64 => Long,
        /// Whether it may be debugged.
        debuggable: u32 => Bool,
        /// Whether the shell may profile it.
        profileable_from_shell: u32 => Bool,
        /// Its version, as a number.
        version_code: i64 => Long,
    }
}

declare_table! {
    /// How Android was told to treat a game, for each mode a user may choose.
    table "android_game_intervention_list" => GameInterventionTable, GameInterventionRow {
        /// The game's package.
        package_name: StringId => String,
        /// The user id its processes run under.
        uid: i64 => Long,
        /// The mode in force: 1 standard, 2 performance, 3 battery.
        current_mode: i32 => Long,
        /// Whether there is something for standard mode.
        standard_mode_supported: u32 => Bool,
        /// In standard mode: the share of the resolution that is drawn.
        standard_mode_downscale: Option<f64> => Double,
        /// In standard mode: whether OpenGL ES goes through ANGLE.
        standard_mode_use_angle: Option<u32> => Bool,
        /// In standard mode: the frames per second it is held to.
        standard_mode_fps: Option<f64> => Double,
        /// Whether there is something for performance mode.
        perf_mode_supported: u32 => Bool,
        /// In performance mode: the share of the resolution that is drawn.
        perf_mode_downscale: Option<f64> => Double,
        /// In performance mode: whether OpenGL ES goes through ANGLE.
        perf_mode_use_angle: Option<u32> => Bool,
        /// In performance mode: the frames per second it is held to.
        perf_mode_fps: Option<f64> => Double,
        /// Whether there is something for battery mode.
        battery_mode_supported: u32 => Bool,
        /// In battery mode: the share of the resolution that is drawn.
        battery_mode_downscale: Option<f64> => Double,
        /// In battery mode: whether OpenGL ES goes through ANGLE.
        battery_mode_use_angle: Option<u32> => Bool,
        /// In battery mode: the frames per second it is held to.
        battery_mode_fps: Option<f64> => Double,
    }
}

declare_table! {
    /// One or several packets of the network.
    table "__intrinsic_android_network_packets" => NetworkPacketTable, NetworkPacketRow {
        /// The slice of it.
        slice_id: u32 => JoinId("slice"),
        /// The interface of the network.
        iface: StringId => String,
        /// `Received` or `Transmitted`.
        direction: StringId => String,
        /// The protocol above IP, as `IPPROTO_TCP`.
        packet_transport: StringId => String,
        /// Bytes in all.
        packet_length: i64 => Long,
        /// How many packets.
        packet_count: i64 => Long,
        /// What the socket was tagged with.
        socket_tag: u32 => Long,
        /// The same in hexadecimal.
        socket_tag_str: StringId => String,
        /// The user id the socket belongs to.
        socket_uid: u32 => Long,
        /// The port on this system.
        local_port: Option<u32> => Long,
        /// The port on the other.
        remote_port: Option<u32> => Long,
        /// The type of an ICMP message.
        packet_icmp_type: Option<u32> => Long,
        /// The code of an ICMP message.
        packet_icmp_code: Option<u32> => Long,
        /// The flags of TCP.
        packet_tcp_flags: Option<u32> => Long,
        /// The same as letters, with a dot for each flag that is not set.
        packet_tcp_flags_str: StringId => String,
    }
}

declare_table! {
    /// A user of the system.
    table "__intrinsic_android_user_list" => AndroidUserTable, AndroidUserRow {
        /// What kind of user, as `android.os.usertype.full.SYSTEM`.
        user_type as "type": StringId => String,
        /// The number of the user.
        android_user_id: i64 => Long,
    }
}

declare_table! {
    /// Time on a cluster of CPUs that a user id took over the whole recording.
    table "__intrinsic_android_cpu_per_uid_track" => CpuPerUidTable, CpuPerUidRow {
        /// The counter of it.
        track_id: u32 => JoinId("track"),
        /// The user id.
        uid: i64 => Long,
        /// The number of the cluster.
        cluster: i64 => Long,
        /// How much it was, ms.
        total_cpu_millis: i64 => Long,
    }
}
