//! Machines.

use crate::StringId;

declare_table! {
    /// A device or operating system that is in the trace.
    table "machine" => MachineTable, MachineRow {
        /// Id of the machine in the trace; 0 is the host.
        raw_id: i64 => Long,
        /// Name of the machine; NULL if it has none.
        name: StringId => String,
        /// Operating system, as `uname -s` prints it.
        sysname: StringId => String,
        /// Release of the operating system, as `uname -r` prints it.
        release: StringId => String,
        /// Version of the operating system, as `uname -v` prints it.
        version: StringId => String,
        /// Processor architecture, as `uname -m` prints it.
        arch: StringId => String,
        /// Number of CPUs; NULL if unknown.
        num_cpus: Option<i64> => Long,
        /// Fingerprint of the Android build.
        android_build_fingerprint: StringId => String,
        /// Manufacturer of the Android device.
        android_device_manufacturer: StringId => String,
        /// Version of the Android SDK; NULL if unknown.
        android_sdk_version: Option<i64> => Long,
        /// RAM, bytes; NULL if unknown.
        system_ram_bytes: Option<i64> => Long,
        /// RAM, GB, rounded to the size as sold; NULL if unknown.
        system_ram_gb: Option<i64> => Long,
        /// Number of the machine among those other than the host, from 1, as labels show it; 0 for
        /// the host.
        label_index: Option<i64> => Long,
    }
}
